
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Formats that are recognized by their parts: the members of a ZIP (APPNOTE),
 * the streams of an OLE compound file (MS-CFB), and the frames of MPEG audio
 * (ISO/IEC 11172-3, 13818-3) and of AAC in ADTS (14496-3), which have eleven
 * bits for a signature, but follow each other.
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

#define ART_FRAMES_HEADER    4           /* bytes that identify a frame */
#define ART_FRAMES_LENGTH    6           /* and those of AAC its length */

/* How many must follow each other at the very start, and after other bytes. */

#define ART_FRAMES_FIRST     2
#define ART_FRAMES_LATER     4


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
static unsigned art_frames_follow(const uint8_t *p, size_t len, unsigned count,
    unsigned *aac);
static size_t art_frame_len(const uint8_t *p, size_t len, unsigned *aac);
static size_t art_frame_mpeg(const uint8_t *p);


/*
 * A ZIP whose first entry is "mimetype", stored, declares its type itself; the
 * others are recognized by the names of their members.
 */

art_signature_t
art_signature_zip(const uint8_t *p, size_t len, art_signature_t found)
{
    const char  *mime;

    if (art_zip_mimetype(p, len, &mime)) {

        if (mime != NULL) {
            found.mime = mime;
            found.sign = S;
        }

        return found;
    }

    return art_zip_names(p, len, "PK\3\4", ART_ZIP_LOCAL_LEN, 26, found);
}


art_signature_t
art_signature_ole(const uint8_t *p, size_t len, art_signature_t found)
{
    uint64_t         offset;
    art_signature_t  inside;

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

    if (family == ART_FAMILY_ZIP) {
        return 1;
    }

    if (family != ART_FAMILY_OLE) {
        return 0;
    }

    directory = art_ole_directory(p, len);

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

    default:
        return none;
    }
}


/*
 * Whether there is such an entry; *mime is set to the type that it names, NULL
 * if that type has no row.
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


art_signature_t
art_signature_frames(const uint8_t *p, size_t len)
{
    unsigned         aac, count;
    art_signature_t  found;
    const uint8_t   *end, *sync;

    found.mime = NULL;
    found.sign = 0;

    if (len >= ART_FRAMES_HEADER && art_frame_len(p, len, &aac) != 0) {
        found.mime = aac ? "audio/aac" : "audio/mpeg";
        found.sign = ART_SIGN_GUESS;
    }

    /* the next frame may lie beyond the bytes that were read */

    count = ART_FRAMES_FIRST;
    end = p + len;

    for (sync = p; end - sync >= ART_FRAMES_HEADER; sync++) {

        if (art_frames_follow(sync, (size_t) (end - sync), count, &aac)) {
            found.mime = aac ? "audio/aac" : "audio/mpeg";
            found.sign = 0;
            return found;
        }

        count = ART_FRAMES_LATER;
        sync = memchr(sync + 1, 0xff, (size_t) (end - sync - 1));

        if (sync == NULL) {
            break;
        }

        sync--;
    }

    return found;
}


/* Whether frames of one kind follow each other, as far as the bytes go. */

static unsigned
art_frames_follow(const uint8_t *p, size_t len, unsigned count, unsigned *aac)
{
    size_t    n;
    unsigned  i, other;

    n = art_frame_len(p, len, aac);

    for (i = 1; n > 0 && i < count; i++) {

        if (n > len - ART_FRAMES_HEADER) {
            return count == ART_FRAMES_FIRST;
        }

        p += n;
        len -= n;
        n = art_frame_len(p, len, &other);

        if (other != *aac) {
            return 0;
        }
    }

    return n > 0;
}


/* The length of the frame that begins here; 0 if none does. */

static size_t
art_frame_len(const uint8_t *p, size_t len, unsigned *aac)
{
    size_t  n;

    *aac = p[0] == 0xff && (p[1] & 0xf6) == 0xf0;

    if (!*aac) {
        return art_frame_mpeg(p);
    }

    if (len < ART_FRAMES_LENGTH) {
        return SIZE_MAX / 2;
    }

    n = ((size_t) p[3] & 0x03) << 11 | (size_t) p[4] << 3 | p[5] >> 5;

    return n < 7 ? 0 : n;
}


static size_t
art_frame_mpeg(const uint8_t *p)
{
    size_t    kbits, rate, samples;
    unsigned  version, layer;

    /* kbit/s: MPEG-1 layers II, III; MPEG-2 */

    static const uint16_t  rates[3][15] = {
        { 0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384 },
        { 0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320 },
        { 0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160 }
    };

    static const uint16_t  hertz[3] = { 44100, 48000, 32000 };

    layer = 4u - (p[1] >> 1 & 3);
    version = p[1] >> 3 & 3;             /* 3: MPEG-1, 2: MPEG-2, 0: 2.5 */

    /* layer I, which is not in use, would be the mark of UTF-16 */

    if (p[0] != 0xff || (p[1] & 0xe0) != 0xe0 || version == 1
        || (layer != 2 && layer != 3) || (p[2] & 0xf0) == 0xf0
        || (p[2] & 0x0c) == 0x0c)
    {
        return 0;
    }

    rate = hertz[p[2] >> 2 & 3];
    rate = version == 3 ? rate : version == 2 ? rate / 2 : rate / 4;
    kbits = rates[version == 3 ? layer - 2 : 2][p[2] >> 4];

    if (kbits == 0) {

        /* "free": the length is unknown */

        return SIZE_MAX / 2;
    }

    samples = layer == 3 && version != 3 ? 576 : 1152;

    return samples / 8 * kbits * 1000 / rate + (p[2] >> 1 & 1);
}
