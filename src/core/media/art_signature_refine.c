
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Formats that the first magic bytes alone do not tell.
 */


#include "core/media/art_signature_bytes.h"
#include "core/media/art_signature_refine.h"


#define S      ART_SIGN_STRONG
#define G      ART_SIGN_GENERIC

#define OOXML  "application/vnd.openxmlformats-officedocument."


/* A ZIP whose first entry is "mimetype", stored, tells its type itself. */

static const struct {
    const char  *text;
    const char  *mime;
} art_signature_zips[] = {
    { "application/epub+zip", "application/epub+zip" },
    { "application/vnd.oasis.opendocument.text",
      "application/vnd.oasis.opendocument.text" },
    { "application/vnd.oasis.opendocument.spreadsheet",
      "application/vnd.oasis.opendocument.spreadsheet" },
    { "application/vnd.oasis.opendocument.presentation",
      "application/vnd.oasis.opendocument.presentation" }
};


/* Major brands of ISO base media files; the others are taken for MP4. */

static const struct {
    const char  *brand;
    const char  *mime;
    unsigned     sign;
} art_signature_brands[] = {
    { "M4A ", "audio/mp4", S },
    { "M4B ", "audio/mp4", S },
    { "qt  ", "video/quicktime", S },
    { "heic", "image/heic", S },
    { "heix", "image/heic", S },
    { "hevc", "image/heic", S },
    { "mif1", "image/heif", S | G },
    { "msf1", "image/heif", S | G },
    { "avif", "image/avif", S },
    { "avis", "image/avif", S },
    { "3gp", "video/3gpp", S },
    { "3g2", "video/3gpp", S }
};


/* OOXML parts stand near the start; their folder names the application. */

art_signature_t
art_signature_zip(const uint8_t *p, size_t len, art_signature_t found)
{
    size_t  i, n;

    if (art_signature_at(p, len, 30, "mimetype", 8)) {

        for (i = 0; i < art_nitems(art_signature_zips); i++) {
            n = strlen(art_signature_zips[i].text);

            if (art_signature_at(p, len, 38, art_signature_zips[i].text, n)) {
                found.mime = art_signature_zips[i].mime;
                found.sign = S;
            }
        }

        return found;
    }

    if (art_signature_search(p, len, "[Content_Types].xml") != NULL
        || art_signature_at(p, len, 30, "_rels/", 6))
    {
        found.mime = art_signature_search(p, len, "word/") != NULL
                     ? OOXML "wordprocessingml.document"
                     : art_signature_search(p, len, "xl/") != NULL
                     ? OOXML "spreadsheetml.sheet"
                     : art_signature_search(p, len, "ppt/") != NULL
                     ? OOXML "presentationml.presentation"
                     : NULL;

        if (found.mime == NULL) {
            found.mime = "application/zip";

        } else {
            found.sign = S;
        }

        return found;
    }

    if (art_signature_at(p, len, 30, "META-INF/", 9)) {
        found.mime = "application/java-archive";
    }

    return found;
}


art_signature_t
art_signature_mp4(const uint8_t *p, size_t len, art_signature_t found)
{
    size_t       i, n;
    const char  *brand;

    /* four bytes of the box's size come first, and it is never large */

    if (p[0] != 0) {
        found.mime = NULL;
        return found;
    }

    for (i = 0; i < art_nitems(art_signature_brands); i++) {
        brand = art_signature_brands[i].brand;
        n = strlen(brand);

        if (art_signature_at(p, len, 8, brand, n)) {
            found.mime = art_signature_brands[i].mime;
            found.sign = art_signature_brands[i].sign;
            return found;
        }
    }

    found.sign = S | G;

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


/* The DocType element stands in the EBML header, at the very start. */

art_signature_t
art_signature_ebml(const uint8_t *p, size_t len, art_signature_t found)
{
    if (art_signature_search(p, len < 64 ? len : 64, "webm") != NULL) {
        found.mime = "video/webm";
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


/* A text that only talks of "%PDF-" has no version number behind it. */

art_signature_t
art_signature_pdf(const uint8_t *p, size_t len, art_signature_t found)
{
    if (len < 8 || p[5] < '1' || p[5] > '9' || p[6] != '.'
        || p[7] < '0' || p[7] > '9')
    {
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
    if (!art_signature_at(p, len, 188, "G", 1)
        || !art_signature_at(p, len, 376, "G", 1))
    {
        found.mime = NULL;
    }

    return found;
}
