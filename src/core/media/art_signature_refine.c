
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Formats that the first magic bytes alone do not tell.
 */


#include "core/base/art_char.h"
#include "core/media/art_signature_bytes.h"
#include "core/media/art_signature_refine.h"


#define S  ART_SIGN_STRONG
#define G  ART_SIGN_GENERIC


/* Major brands of ISO base media files; the others are taken for MP4. */

static const struct {
    const char  *brand;
    const char  *mime;
    unsigned     sign;
} art_signature_brands[] = {
    { "M4A ", "audio/mp4", S },
    { "M4B ", "audio/mp4", S },
    { "M4P ", "audio/mp4", S },
    { "F4A ", "audio/mp4", S },
    { "F4B ", "audio/mp4", S },
    { "aax ", "audio/vnd.audible.aax", S },
    { "aaxc", "audio/vnd.audible.aax", S },
    { "M4V", "video/mp4", S },
    { "F4V ", "video/mp4", S },
    { "qt  ", "video/quicktime", S },
    { "heic", "image/heic", S },
    { "heix", "image/heic", S },
    { "heim", "image/heic", S },
    { "heis", "image/heic", S },
    { "hevc", "image/heic", S },
    { "hevx", "image/heic", S },
    { "hevm", "image/heic", S },
    { "hevs", "image/heic", S },
    { "avif", "image/avif", S },
    { "avis", "image/avif", S },
    { "mif1", "image/heif", S | G },
    { "msf1", "image/heif", S | G },
    { "crx ", "image/x-canon-cr3", S },
    { "mjp2", "video/mj2", S },
    { "mj2s", "video/mj2", S },
    { "3g2", "video/3gpp2", S | G },
    { "3gp", "video/3gpp", S | G }
};


static size_t art_signature_brand(const uint8_t *p, size_t len, size_t offset);
static art_signature_t art_signature_packets(const uint8_t *p, size_t len,
    art_signature_t found, size_t first, size_t size);
static unsigned art_signature_codec(const uint8_t *p, size_t len, uint8_t kind);


art_signature_t
art_signature_mp4(const uint8_t *p, size_t len, art_signature_t found)
{
    size_t  i, k, end;

    /* four bytes of the box's size come first, and it is never large */

    if (p[0] != 0) {
        found.mime = NULL;
        return found;
    }

    found.sign = S | G;

    k = art_signature_brand(p, len, 8);

    if (k == art_nitems(art_signature_brands)) {
        return found;
    }

    found.mime = art_signature_brands[k].mime;
    found.sign = art_signature_brands[k].sign;

    /* of HEIF, which holds more than one coding, a brand that is compatible */

    end = (size_t) p[2] << 8 | p[3];
    end = end < len ? end : len;

    for (i = 16; strcmp(found.mime, "image/heif") == 0 && i + 4 <= end; i += 4)
    {
        if (art_signature_at(p, end, i, "avif", 4)) {
            found.mime = "image/avif";
            found.sign = S;
        }
    }

    return found;
}


/* The number of the brand that stands there; past the end for another. */

static size_t
art_signature_brand(const uint8_t *p, size_t len, size_t offset)
{
    size_t       i;
    const char  *brand;

    for (i = 0; i < art_nitems(art_signature_brands); i++) {
        brand = art_signature_brands[i].brand;

        if (art_signature_at(p, len, offset, brand, strlen(brand))) {
            break;
        }
    }

    return i;
}


/* QuickTime files without a brand begin with one of its boxes. */

art_signature_t
art_signature_boxes(const uint8_t *p, size_t len, art_signature_t found)
{
    size_t  size;

    size = (size_t) p[0] << 24 | (size_t) p[1] << 16 | (size_t) p[2] << 8
           | p[3];

    /* another box follows, or one inside; "mdat" may be as long as it likes */

    if (len < 16 || (size != 1 && size < 8)) {
        found.mime = NULL;
    }

    return found;
}


/* JPEG 2000 and its kin tell their brand in the second box. */

art_signature_t
art_signature_jp2(const uint8_t *p, size_t len, art_signature_t found)
{
    if (art_signature_at(p, len, 16, "ftypmjp2", 8)
        || art_signature_at(p, len, 16, "ftypmj2s", 8))
    {
        found.mime = "video/mj2";

    } else if (art_signature_at(p, len, 16, "ftypjpx ", 8)) {
        found.mime = "image/jpx";

    } else if (art_signature_at(p, len, 16, "ftypjpm ", 8)) {
        found.mime = "image/jpm";
    }

    return found;
}


art_signature_t
art_signature_riff(const uint8_t *p, size_t len, art_signature_t found)
{
    if (art_signature_at(p, len, 8, "WEBP", 4)) {
        found.mime = "image/webp";

    } else if (art_signature_at(p, len, 8, "WAVE", 4)) {
        found.mime = "audio/wav";

    } else if (art_signature_at(p, len, 8, "AVI ", 4)) {
        found.mime = "video/x-msvideo";
    }

    return found;
}


art_signature_t
art_signature_iff(const uint8_t *p, size_t len, art_signature_t found)
{
    if (art_signature_at(p, len, 8, "AIFF", 4)
        || art_signature_at(p, len, 8, "AIFC", 4))
    {
        found.mime = "audio/aiff";
    }

    return found;
}


/*
 * The DocType element stands in the EBML header, at the very start, and the
 * tracks as a rule not far behind it.
 */

art_signature_t
art_signature_ebml(const uint8_t *p, size_t len, art_signature_t found)
{
    unsigned  audio;

    audio = art_signature_codec(p, len, 'A')
            && !art_signature_codec(p, len, 'V');

    if (art_signature_search(p, len < 64 ? len : 64, "webm") != NULL) {
        found.mime = audio ? "audio/webm" : "video/webm";

    } else if (audio) {
        found.mime = "audio/x-matroska";
    }

    return found;
}


/* Whether a CodecID of audio or video is there: 86, its size, "A_OPUS". */

static unsigned
art_signature_codec(const uint8_t *p, size_t len, uint8_t kind)
{
    size_t  i;

    for (i = 0; i + 4 <= len; i++) {

        if (p[i] == 0x86 && (p[i + 1] & 0xe0) == 0x80 && p[i + 2] == kind
            && p[i + 3] == '_')
        {
            return 1;
        }
    }

    return 0;
}


/* The kinds of streams, by the GUIDs of their types in the header. */

art_signature_t
art_signature_asf(const uint8_t *p, size_t len, art_signature_t found)
{
    static const char  audio[] = "\x40\x9e\x69\xf8\x4d\x5b\xcf\x11\xa8\xfd";
    static const char  video[] = "\xc0\xef\x19\xbc\x4d\x5b\xcf\x11\xa8\xfd";

    if (art_signature_search(p, len, audio) != NULL
        && art_signature_search(p, len, video) == NULL)
    {
        found.mime = "audio/x-ms-wma";
    }

    return found;
}


art_signature_t
art_signature_ogg(const uint8_t *p, size_t len, art_signature_t found)
{
    size_t  n;

    n = len < 64 ? len : 64;

    if (art_signature_search(p, n, "OpusHead") != NULL
        || art_signature_search(p, n, "\x01vorbis") != NULL
        || art_signature_search(p, n, "Speex") != NULL
        || art_signature_search(p, n, "\x7f" "FLAC") != NULL)
    {
        found.mime = "audio/ogg";

    } else if (art_signature_search(p, n, "\x80theora") != NULL) {
        found.mime = "video/ogg";
    }

    return found;
}


/*
 * A version number, and no word behind it: a text that only talks of "%PDF-1.4"
 * is none.
 */

art_signature_t
art_signature_pdf(const uint8_t *p, size_t len, art_signature_t found)
{
    size_t  n;

    if (len < 8 || p[5] < '1' || p[5] > '9' || p[6] != '.'
        || p[7] < '0' || p[7] > '9')
    {
        found.mime = NULL;
        return found;
    }

    for (n = 8; n < len && (p[n] == ' ' || p[n] == '\t'); n++) {
        /* void */
    }

    if (n < len && art_char_alnum(p[n])) {
        found.mime = NULL;
    }

    return found;
}


/* The offset of the PE header stands at 0x3c; a bare DOS program lacks it. */

art_signature_t
art_signature_pe(const uint8_t *p, size_t len, art_signature_t found)
{
    size_t  offset;

    if (len >= 0x40) {
        offset = (size_t) p[0x3c] | (size_t) p[0x3d] << 8
                 | (size_t) p[0x3e] << 16;

        if (art_signature_at(p, len, offset, "PE\0\0", 4)) {
            return found;
        }
    }

    found.sign = 0;

    return found;
}


/* The DIB header's size is one of those ever defined. */

art_signature_t
art_signature_bmp(const uint8_t *p, size_t len, art_signature_t found)
{
    static const uint8_t  sizes[] = { 12, 40, 52, 56, 64, 108, 124 };

    if (len >= 18 && p[15] == 0 && p[16] == 0 && p[17] == 0
        && memchr(sizes, p[14], sizeof(sizes)) != NULL)
    {
        found.sign = S;
        return found;
    }

    found.mime = NULL;

    return found;
}


/* Java classes share the magic number with Mach-O's fat binaries. */

art_signature_t
art_signature_java(const uint8_t *p, size_t len, art_signature_t found)
{
    if (len >= 8 && p[4] == 0 && p[5] == 0 && p[6] == 0 && p[7] < 20) {
        return found;
    }

    found.mime = "application/java-vm";

    return found;
}


/* Packets of 188 bytes, each starting with the sync byte. */

art_signature_t
art_signature_mp2t(const uint8_t *p, size_t len, art_signature_t found)
{
    return art_signature_packets(p, len, found, 0, 188);
}


/* The same with four bytes of time before each. */

art_signature_t
art_signature_m2ts(const uint8_t *p, size_t len, art_signature_t found)
{
    return art_signature_packets(p, len, found, 4, 192);
}


/* The first sync byte stands where it should, if the next two do. */

static art_signature_t
art_signature_packets(const uint8_t *p, size_t len, art_signature_t found,
    size_t first, size_t size)
{
    if (!art_signature_at(p, len, first + size, "G", 1)
        || !art_signature_at(p, len, first + 2 * size, "G", 1))
    {
        found.mime = NULL;
    }

    return found;
}


/* A directory entry: no size of 0 images, and a reserved byte. */

art_signature_t
art_signature_icon(const uint8_t *p, size_t len, art_signature_t found)
{
    if (len < 22 || (p[4] == 0 && p[5] == 0) || p[5] > 1 || p[9] != 0) {
        found.mime = NULL;
    }

    return found;
}


/* An archive of before "ustar" is known by the sum of its first header. */

art_signature_t
art_signature_tar(const uint8_t *p, size_t len, art_signature_t found)
{
    size_t         i;
    unsigned long  sum, stated;

    if (len < 512 || p[0] == 0) {
        found.mime = NULL;
        return found;
    }

    stated = 0;

    for (i = 148; i < 156; i++) {

        if (p[i] >= '0' && p[i] <= '7') {
            stated = stated * 8 + (unsigned long) (p[i] - '0');

        } else if (p[i] != ' ' && p[i] != 0) {
            found.mime = NULL;
            return found;
        }
    }

    /* the sum's own bytes count as spaces */

    sum = 8 * ' ';

    for (i = 0; i < 512; i++) {
        sum += i < 148 || i >= 156 ? p[i] : 0;
    }

    if (sum != stated) {
        found.mime = NULL;
    }

    return found;
}


/* A frame that is to be skipped comes first. */

art_signature_t
art_signature_zstd(const uint8_t *p, size_t len, art_signature_t found)
{
    if (len < 8 || (p[0] & 0xf0) != 0x50) {
        found.mime = NULL;
    }

    return found;
}
