
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Containers whose parts show the format: the members of a ZIP (APPNOTE), the
 * streams of an OLE compound file (MS-CFB), and the tracks of MP4 (ISO/IEC
 * 14496-12, section 8).
 */


#include "core/base/art_bytes.h"
#include "core/media/art_signature.h"


#define S      ART_SIGN_STRONG
#define G      ART_SIGN_GENERIC

#define OOXML  "application/vnd.openxmlformats-officedocument."

#define ART_ZIP_LOCAL_LEN    30          /* of a header without the name */
#define ART_ZIP_CENTRAL_LEN  46

#define ART_OLE_ENTRY_LEN    128
#define ART_OLE_NAME_MAX     64          /* of an entry, in bytes of UTF-16 */


typedef struct {
    const char  *name;
    const char  *mime;
    unsigned     sign;
    unsigned     part;
} art_signature_member_t;


/*
 * Members of a ZIP that show its format, the surest first: a file, or with a
 * slash at the end a folder.  The folders of OOXML ("part") count only with a
 * part of OOXML in them, since any ZIP may have a folder "word".
 */

static const art_signature_member_t  art_zip_members[] = {
    { "xl/workbook.bin", "application/vnd.ms-excel.sheet.binary"
                         ".macroenabled.12", S, 0 },
    { "word/", OOXML "wordprocessingml.document", S, 1 },
    { "xl/", OOXML "spreadsheetml.sheet", S, 1 },
    { "ppt/", OOXML "presentationml.presentation", S, 1 },
    { "visio/", "application/vnd.ms-visio.drawing.main+xml", S, 1 },
    { "AndroidManifest.xml", "application/vnd.android.package-archive", S, 0 },
    { "classes.dex", "application/vnd.android.package-archive", S, 0 },
    { "resources.arsc", "application/vnd.android.package-archive", S, 0 },
    { "install.rdf", "application/x-xpinstall", S, 0 },
    { "META-INF/mozilla.sf", "application/x-xpinstall", S, 0 },
    { "META-INF/mozilla.rsa", "application/x-xpinstall", S, 0 },
    { "META-INF/container.xml", "application/epub+zip", S, 0 },
    { "META-INF/MANIFEST.MF", "application/java-archive", S | G, 0 },
    { "META-INF/", "application/java-archive", S | G, 0 }
};


/* Streams of an OLE file. */

static const art_signature_member_t  art_ole_members[] = {
    { "WordDocument", "application/msword", S, 0 },
    { "Workbook", "application/vnd.ms-excel", S, 0 },
    { "Book", "application/vnd.ms-excel", S, 0 },
    { "PowerPoint Document", "application/vnd.ms-powerpoint", S, 0 },
    { "VisioDocument", "application/vnd.visio", S, 0 },
    { "__properties_version1.0", "application/vnd.ms-outlook", S, 0 },
    { "__nameid_version1.0", "application/vnd.ms-outlook", S, 0 }
};


static size_t art_zip_mimetype(const uint8_t *p, size_t len, const char **mime);
static art_signature_t art_zip_names(const uint8_t *p, size_t len,
    const char *header, size_t header_len, size_t name_len,
    art_signature_t found);
static size_t art_zip_member(const uint8_t *p, size_t len, size_t offset,
    size_t name_len, size_t best);
static unsigned art_zip_is_part(const uint8_t *p, size_t len);
static uint64_t art_ole_directory(const uint8_t *p, size_t len);
static art_signature_t art_ole_names(const uint8_t *p, size_t len);
static size_t art_ole_name(const uint8_t *entry, char *name);
static uint64_t art_mp4_moov(const uint8_t *p, size_t len);
static unsigned art_mp4_is_sound(const uint8_t *p, size_t len);
static uint64_t art_mp4_number(const uint8_t *p, unsigned n);


art_signature_t
art_signature_container(const uint8_t *p, size_t len, art_signature_t found)
{
    uint64_t         offset;
    const char      *mime;
    art_signature_t  inside;

    if (p[0] == 'P') {

        /* a ZIP may declare its type, or shows it by its members */

        if (!art_zip_mimetype(p, len, &mime)) {
            return art_zip_names(p, len, "PK\3\4", ART_ZIP_LOCAL_LEN, 26,
                                 found);
        }

        if (mime != NULL) {
            found.mime = mime;
            found.sign = S;
        }

        return found;
    }

    offset = art_ole_directory(p, len);

    if (offset != 0 && offset < len) {
        inside = art_ole_names(p + offset, len - (size_t) offset);

        if (inside.mime != NULL) {
            return inside;
        }
    }

    return found;
}


unsigned
art_signature_locate(const uint8_t *p, size_t len, uint64_t size,
    art_family_t family, uint64_t *offset, size_t *n)
{
    uint64_t  directory;

    switch (family) {

    case ART_FAMILY_ZIP:
        return 1;

    case ART_FAMILY_OLE:
        directory = art_ole_directory(p, len);
        break;

    case ART_FAMILY_MP4:
        directory = art_mp4_moov(p, len);
        break;

    default:
        return 0;
    }

    if (directory < len || directory >= size) {
        return 0;
    }

    *offset = directory;

    if (*n > size - directory) {
        *n = (size_t) (size - directory);
    }

    return 1;
}


art_signature_t
art_signature_inside(const uint8_t *p, size_t len, art_family_t family)
{
    art_signature_t  none;

    memset(&none, 0, sizeof(none));

    switch (family) {

    case ART_FAMILY_ZIP:
        return art_zip_names(p, len, "PK\1\2", ART_ZIP_CENTRAL_LEN, 28, none);

    case ART_FAMILY_OLE:
        return art_ole_names(p, len);

    case ART_FAMILY_MP4:

        if (art_mp4_is_sound(p, len)) {
            none.mime = "audio/mp4";
            none.sign = S;
        }

        return none;

    default:
        return none;
    }
}


art_signature_t
art_signature_tracks(const uint8_t *p, size_t len, art_signature_t found)
{
    uint64_t  moov;

    moov = art_mp4_moov(p, len);

    if (moov < len && art_mp4_is_sound(p + moov, len - (size_t) moov)) {
        found.mime = "audio/mp4";
        found.sign = S;
    }

    return found;
}


/*
 * Whether the first entry is "mimetype", stored; *mime is set to the type that
 * it names, NULL if that type has no row.
 */

static size_t
art_zip_mimetype(const uint8_t *p, size_t len, const char **mime)
{
    size_t              n, max;
    const art_media_t  *media;

    *mime = NULL;

    if (!art_bytes_at(p, len, ART_ZIP_LOCAL_LEN, "mimetype", 8)) {
        return 0;
    }

    n = ART_ZIP_LOCAL_LEN + 8 + (size_t) art_bytes_get(p + 28, 2);
    n = n < len ? n : len;
    p += n;
    len -= n;
    max = len < 127 ? len : 127;

    /* the next header follows it */

    for (n = 0; n < max && p[n] > ' ' && p[n] < 0x7f; n++) {

        if (art_bytes_at(p, max, n, "PK", 2)) {
            break;
        }
    }

    media = art_media_find(art_str(p, n));

    if (media != NULL && media->family == ART_FAMILY_ZIP) {
        *mime = media->mime;
    }

    return 1;
}


/*
 * Searches for one header after the other: a header need not know the size of
 * what follows it.
 */

static art_signature_t
art_zip_names(const uint8_t *p, size_t len, const char *header,
    size_t header_len, size_t name_len, art_signature_t found)
{
    size_t          n, best;
    const uint8_t  *end, *next;

    best = art_nitems(art_zip_members);
    end = p + len;

    for (next = p; ; next++) {
        next = art_bytes_find(next, (size_t) (end - next), header);

        if (next == NULL || (size_t) (end - next) < header_len) {
            break;
        }

        n = (size_t) art_bytes_get(next + name_len, 2);
        best = art_zip_member(next, (size_t) (end - next), header_len, n, best);
    }

    if (best < art_nitems(art_zip_members)) {
        found.mime = art_zip_members[best].mime;
        found.sign = art_zip_members[best].sign;
    }

    return found;
}


/* The first row before "best" that matches the name at "offset", or "best". */

static size_t
art_zip_member(const uint8_t *p, size_t len, size_t offset, size_t name_len,
    size_t best)
{
    size_t       i, n;
    const char  *name;

    for (i = 0; i < best; i++) {
        name = art_zip_members[i].name;
        n = strlen(name);

        if ((name_len == n || (name_len > n && name[n - 1] == '/'))
            && art_bytes_at(p, len, offset, name, n)
            && (!art_zip_members[i].part
                || art_zip_is_part(p + offset, name_len < len - offset
                                               ? name_len : len - offset)))
        {
            return i;
        }
    }

    return best;
}


/* Whether a name is that of XML, or of something embedded. */

static unsigned
art_zip_is_part(const uint8_t *p, size_t len)
{
    size_t  i;

    static const char  *parts[] = { ".xml", ".rels", "/media/", "/embeddings/",
                                    "/vbaProject.bin", "/workbook.bin" };

    for (i = 0; i < art_nitems(parts); i++) {
        if (art_bytes_find(p, len, parts[i]) != NULL) {
            return 1;
        }
    }

    return 0;
}


/* The offset of the directory's first sector; 0: not an OLE file. */

static uint64_t
art_ole_directory(const uint8_t *p, size_t len)
{
    unsigned  shift;

    if (len < 52) {
        return 0;
    }

    shift = (unsigned) art_bytes_get(p + 30, 2);

    if (shift != 9 && shift != 12) {
        return 0;
    }

    return (art_bytes_get(p + 48, 4) + 1) << shift;
}


static art_signature_t
art_ole_names(const uint8_t *p, size_t len)
{
    char             name[ART_OLE_NAME_MAX / 2];
    size_t           i, k, n, best;
    art_signature_t  found;

    found.mime = NULL;
    found.sign = 0;
    best = art_nitems(art_ole_members);

    for (i = 0; i + ART_OLE_ENTRY_LEN <= len; i += ART_OLE_ENTRY_LEN) {
        n = art_ole_name(p + i, name);

        for (k = 0; k < best; k++) {
            if (n == strlen(art_ole_members[k].name)
                && memcmp(name, art_ole_members[k].name, n) == 0)
            {
                best = k;
                found.mime = art_ole_members[k].mime;
                found.sign = art_ole_members[k].sign;
            }
        }
    }

    return found;
}


/* Copies the name of an entry and returns its length; 0 unless it is ASCII. */

static size_t
art_ole_name(const uint8_t *entry, char *name)
{
    size_t  i, n;

    n = (size_t) art_bytes_get(entry + ART_OLE_NAME_MAX, 2);

    if (n < 2 || n > ART_OLE_NAME_MAX) {
        return 0;
    }

    n = n / 2 - 1;

    for (i = 0; i < n; i++) {

        if (entry[2 * i] >= 0x7f || entry[2 * i + 1] != 0) {
            return 0;
        }

        name[i] = (char) entry[2 * i];
    }

    return n;
}


/*
 * The offset of the box "moov", which describes the tracks: it follows the
 * boxes that are known, of which the one with the media may be of any length.
 * UINT64_MAX if that is not known.
 */

static uint64_t
art_mp4_moov(const uint8_t *p, size_t len)
{
    uint64_t  at, size;

    for (at = 0; at + 16 <= len; at += size) {
        size = art_mp4_number(p + at, 4);

        if (memcmp(p + at + 4, "moov", 4) == 0) {
            return at;
        }

        if (size == 1) {
            size = art_mp4_number(p + at + 8, 8);
        }

        if (size < 8 || size > UINT64_MAX / 2) {
            return UINT64_MAX;
        }
    }

    return at > len ? at : UINT64_MAX;
}


/*
 * Whether all tracks are of sound.  "mvhd" tells how many there are at most,
 * and the first "hdlr" of each is about its media.  The last one may be cut.
 */

static unsigned
art_mp4_is_sound(const uint8_t *p, size_t len)
{
    size_t          at, end, tracks, sound;
    uint64_t        size;
    const uint8_t  *handler;

    if (!art_bytes_at(p, len, 4, "moov", 4)) {
        return 0;
    }

    tracks = 0;
    sound = 0;

    for (at = 8; at + 8 <= len; at = end) {
        size = art_mp4_number(p + at, 4);

        if (size < 8) {
            return 0;
        }

        end = size < len - at ? at + (size_t) size : len;

        if (memcmp(p + at + 4, "mvhd", 4) == 0 && size >= 108
            && size <= len - at)
        {
            tracks = (size_t) art_mp4_number(p + end - 4, 4) - 1;
        }

        if (memcmp(p + at + 4, "trak", 4) != 0) {
            continue;
        }

        handler = art_bytes_find(p + at, end - at, "hdlr");

        if (handler == NULL
            || !art_bytes_at(handler, (size_t) (p + end - handler), 12, "soun",
                             4))
        {
            return 0;
        }

        sound++;
    }

    return sound > 0 && sound == tracks;
}


/* Big-endian. */

static uint64_t
art_mp4_number(const uint8_t *p, unsigned n)
{
    uint64_t  value;

    for (value = 0; n > 0; n--) {
        value = value << 8 | *p++;
    }

    return value;
}
