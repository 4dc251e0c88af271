
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Signatures come from the formats' own specifications: PNG (RFC 2083), GIF89a,
 * JFIF, ISO 32000 (PDF), APPNOTE (ZIP), ECMA-376, ODF 1.2 part 3, RFC 1952,
 * RFC 3533 (Ogg), ISO/IEC 14496-12 (MP4), RFC 8794 (EBML), System V ABI (ELF)
 * and so on.
 */


#include "core/base/art_char.h"
#include "core/media/art_signature.h"
#include "core/media/art_signature_bytes.h"
#include "core/media/art_signature_refine.h"


#define S        ART_SIGN_STRONG
#define G        ART_SIGN_GENERIC
#define LETTERS  0x80            /* letters only: could begin a text */


/* How far into a content the header of a PDF may stand. */

#define ART_SIGNATURE_PDF_MAX  1024


typedef struct {
    unsigned        offset;
    unsigned        len;
    const char     *bytes;
    unsigned        flags;
    const char     *mime;
    art_refine_pt   refine;
} art_signature_row_t;


static art_signature_t art_signature_prefixed(const uint8_t *p, size_t len,
    unsigned readable);
static unsigned art_markup_blank(const uint8_t *p, size_t len);
static art_signature_t art_signature_markup(const uint8_t *p, size_t len);
static int art_markup_starts(const uint8_t *p, size_t len, const char *lower);
static size_t art_markup_skip(const uint8_t *p, size_t len);


#define B(offset, bytes)  offset, sizeof(bytes) - 1, bytes


static const art_signature_row_t  art_signatures[] = {
    { B(0, "\x89PNG\r\n\x1a\n"), S, "image/png", NULL },
    { B(0, "\xff\xd8\xff"), S, "image/jpeg", NULL },
    { B(0, "GIF87a"), S | LETTERS, "image/gif", NULL },
    { B(0, "GIF89a"), S | LETTERS, "image/gif", NULL },
    { B(0, "RIFF"), S | LETTERS, NULL, art_signature_riff },
    { B(0, "RF64"), S | LETTERS, NULL, art_signature_riff },
    { B(0, "%PDF-"), S | LETTERS, "application/pdf", art_signature_pdf },
    { B(0, "PK\x03\x04"), S | G, "application/zip", art_signature_zip },
    { B(0, "PK\x05\x06"), S | G, "application/zip", NULL },
    { B(0, "PK\x07\x08"), S | G, "application/zip", NULL },
    { B(0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), S | G,
      "application/x-ole-storage", art_signature_ole },
    { B(4, "ftyp"), S | LETTERS, "video/mp4", art_signature_mp4 },
    { B(4, "moov"), S | G | LETTERS, "video/quicktime", art_signature_boxes },
    { B(4, "mdat"), S | G | LETTERS, "video/quicktime", art_signature_boxes },
    { B(4, "wide"), S | G | LETTERS, "video/quicktime", art_signature_boxes },
    { B(4, "pnot"), S | G | LETTERS, "video/quicktime", art_signature_boxes },
    { B(0, "\x1a\x45\xdf\xa3"), S | G, "video/x-matroska",
      art_signature_ebml },
    { B(0, "OggS"), S | G | LETTERS, "application/ogg", art_signature_ogg },
    { B(0, "ID3"), S | G | LETTERS, "audio/mpeg", NULL },
    { B(0, "fLaC"), S | LETTERS, "audio/flac", NULL },
    { B(0, "MThd"), S | LETTERS, "audio/midi", NULL },
    { B(0, "#!AMR"), S | LETTERS, "audio/amr", NULL },
    { B(0, ".snd"), LETTERS, "audio/basic", NULL },
    { B(0, "FORM"), S | LETTERS, NULL, art_signature_iff },
    { B(0, "\x7f" "ELF"), S, "application/x-executable", NULL },
    { B(0, "MZ"), S | LETTERS, "application/x-executable", art_signature_pe },
    { B(0, "\xfe\xed\xfa\xce"), S, "application/x-executable", NULL },
    { B(0, "\xfe\xed\xfa\xcf"), S, "application/x-executable", NULL },
    { B(0, "\xce\xfa\xed\xfe"), S, "application/x-executable", NULL },
    { B(0, "\xcf\xfa\xed\xfe"), S, "application/x-executable", NULL },
    { B(0, "\xca\xfe\xba\xbe"), S, "application/x-executable",
      art_signature_java },
    { B(0, "\x00" "asm"), S, "application/wasm", NULL },
    { B(0, "\x1f\x8b\x08"), S, "application/gzip", NULL },
    { B(0, "BZh"), LETTERS, "application/x-bzip2", NULL },
    { B(0, "\xfd" "7zXZ\x00"), S, "application/x-xz", NULL },
    { B(0, "\x28\xb5\x2f\xfd"), S, "application/zstd", NULL },
    { B(1, "\x2a\x4d\x18"), 0, "application/zstd", art_signature_zstd },
    { B(0, "7z\xbc\xaf\x27\x1c"), S, "application/x-7z-compressed", NULL },
    { B(0, "Rar!\x1a\x07"), S, "application/vnd.rar", NULL },
    { B(0, "MSCF\x00\x00\x00\x00"), S, "application/vnd.ms-cab-compressed",
      NULL },
    { B(257, "ustar"), S | LETTERS, "application/x-tar", NULL },
    { B(0, ""), 0, "application/x-tar", art_signature_tar },
    { B(0, "!<arch>\ndebian-binary"), S | LETTERS,
      "application/vnd.debian.binary-package", NULL },
    { B(0, "SQLite format 3\x00"), S, "application/vnd.sqlite3", NULL },
    { B(0, "PAR1"), S | LETTERS, "application/vnd.apache.parquet", NULL },
    { B(0, "BM"), LETTERS, "image/bmp", art_signature_bmp },
    { B(0, "II*\x00"), S, "image/tiff", NULL },
    { B(0, "MM\x00*"), S, "image/tiff", NULL },
    { B(0, "II+\x00\x08\x00"), S, "image/tiff", NULL },
    { B(0, "MM\x00+\x00\x08"), S, "image/tiff", NULL },
    { B(0, "8BPS\x00\x01"), S, "image/vnd.adobe.photoshop", NULL },
    { B(0, "8BPS\x00\x02"), S, "image/vnd.adobe.photoshop", NULL },
    { B(0, "\x00\x00\x00\x0cjP  \r\n\x87\n"), S, "image/jp2",
      art_signature_jp2 },
    { B(0, "\xff\x4f\xff\x51"), S, "image/jp2", NULL },
    { B(0, "\x00\x00\x00\x0cJXL \r\n\x87\n"), S, "image/jxl", NULL },
    { B(0, "\xff\x0a"), 0, "image/jxl", NULL },
    { B(0, "\x00\x00\x01\x00"), 0, "image/x-icon", art_signature_icon },
    { B(0, "\x00\x00\x02\x00"), 0, "image/x-icon", art_signature_icon },
    { B(0, "glTF\x02\x00\x00\x00"), S, "model/gltf-binary", NULL },
    { B(0, "glTF\x01\x00\x00\x00"), S, "model/gltf-binary", NULL },
    { B(0, "FLV\x01"), S, "video/x-flv", NULL },
    { B(0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11"), S | G, "video/x-ms-wmv",
      art_signature_asf },
    { B(0, "\x00\x00\x01\xba"), S, "video/mpeg", NULL },
    { B(0, "\x00\x00\x01\xb3"), S, "video/mpeg", NULL },
    { B(0, "G"), S | LETTERS, "video/mp2t", art_signature_mp2t },
    { B(4, "G"), S | LETTERS, "video/mp2t", art_signature_m2ts },
    { B(0, "OTTO\x00"), S, "font/otf", NULL },
    { B(0, "wOFF"), S | LETTERS, "font/woff", NULL },
    { B(0, "wOF2"), S | LETTERS, "font/woff2", NULL },
    { B(0, "\x00\x01\x00\x00\x00"), 0, "font/ttf", NULL },
    { B(0, "true\x00"), 0, "font/ttf", NULL },
    { B(0, "ttcf\x00"), 0, "font/ttf", NULL },
    { B(0, "{\\rtf"), 0, "application/rtf", NULL },
    { B(0, "%!PS-Adobe"), 0, "application/postscript", NULL }
};


art_signature_t
art_signature_find(const uint8_t *p, size_t len, unsigned readable)
{
    size_t                      i;
    art_signature_t             found, weak;
    const art_signature_row_t  *row;

    weak.mime = NULL;
    weak.sign = 0;

    for (i = 0; i < art_nitems(art_signatures); i++) {
        row = &art_signatures[i];

        if (((row->flags & LETTERS) && readable)
            || !art_signature_at(p, len, row->offset, row->bytes, row->len))
        {
            continue;
        }

        found.mime = row->mime;
        found.sign = row->flags & (S | G);

        if (row->refine != NULL) {
            found = row->refine(p, len, found);
        }

        if (found.mime != NULL && (found.sign & S)) {
            return found;
        }

        /* a strong one may still follow */

        if (weak.mime == NULL) {
            weak = found;
        }
    }

    if (weak.mime != NULL) {
        return weak;
    }

    found = art_signature_prefixed(p, len, readable);

    if (found.mime != NULL) {
        return found;
    }

    return readable ? art_signature_markup(p, len)
                    : art_signature_frames(p, len);
}


/*
 * A PDF may have up to 1024 bytes before its header (ISO 32000-1, annex H, note
 * 13), which is searched for in what is nothing else.  One of letters only is
 * told from a text about PDF by white space alone before the header, and by an
 * object behind it.
 */

static art_signature_t
art_signature_prefixed(const uint8_t *p, size_t len, unsigned readable)
{
    size_t            n, max;
    const uint8_t    *pdf;
    art_signature_t   found;

    max = len < ART_SIGNATURE_PDF_MAX ? len : ART_SIGNATURE_PDF_MAX;

    for (pdf = p; ; pdf++) {
        found.mime = NULL;
        found.sign = 0;

        pdf = art_signature_search(pdf, max - (size_t) (pdf - p), "%PDF-");

        if (pdf == NULL) {
            return found;
        }

        n = (size_t) (pdf - p);
        found.mime = "application/pdf";
        found.sign = S;
        found = art_signature_pdf(pdf, len - n, found);

        if (found.mime != NULL
            && (!readable
                || (art_markup_blank(p, n)
                    && art_signature_search(pdf, len - n, " obj") != NULL)))
        {
            return found;
        }
    }
}


static unsigned
art_markup_blank(const uint8_t *p, size_t len)
{
    size_t  n;

    n = art_signature_at(p, len, 0, "\xef\xbb\xbf", 3) ? 3 : 0;

    while (n < len && (p[n] == ' ' || (p[n] >= '\t' && p[n] <= '\r'))) {
        n++;
    }

    return n == len;
}


/* Markup tells itself by its first tag; never stronger than a declaration. */

static art_signature_t
art_signature_markup(const uint8_t *p, size_t len)
{
    size_t           n;
    unsigned         xml;
    const uint8_t   *end;
    art_signature_t  found;

    found.mime = NULL;
    found.sign = 0;

    n = art_signature_at(p, len, 0, "\xef\xbb\xbf", 3) ? 3 : 0;
    n += art_markup_skip(p + n, len - n);

    xml = (unsigned) art_markup_starts(p + n, len - n, "<?xml");

    if (xml) {
        end = art_signature_search(p + n, len - n, "?>");
        n = end != NULL ? (size_t) (end - p) + 2 : len;
        n += art_markup_skip(p + n, len - n);
    }

    if (art_markup_starts(p + n, len - n, "<!doctype svg")
        || art_markup_starts(p + n, len - n, "<svg"))
    {
        found.mime = "image/svg+xml";

    } else if (art_markup_starts(p + n, len - n, "<!doctype html")
               || art_markup_starts(p + n, len - n, "<html"))
    {
        found.mime = xml ? "application/xhtml+xml" : "text/html";

    } else if (xml) {
        found.mime = "application/xml";
        found.sign = G;
    }

    return found;
}


/* The length of leading white space and comments. */

static size_t
art_markup_skip(const uint8_t *p, size_t len)
{
    size_t          n;
    const uint8_t  *end;

    n = 0;

    for ( ;; ) {

        while (n < len && (p[n] == ' ' || (p[n] >= '\t' && p[n] <= '\r'))) {
            n++;
        }

        if (!art_signature_at(p, len, n, "<!--", 4)) {
            return n;
        }

        end = art_signature_search(p + n, len - n, "-->");
        n = end != NULL ? (size_t) (end - p) + 3 : len;
    }
}


static int
art_markup_starts(const uint8_t *p, size_t len, const char *lower)
{
    size_t  i;

    for (i = 0; lower[i] != '\0'; i++) {

        if (i == len) {
            return 0;
        }

        if (art_char_lower(p[i]) != (uint8_t) lower[i]) {
            return 0;
        }
    }

    /* the name ends here: "<svgfoo" is no SVG */

    return i == len || strchr(" \t\r\n>/", p[i]) != NULL;
}
