
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Signatures come from the formats' own specifications: PNG (RFC 2083), GIF89a,
 * JFIF, ISO 32000 (PDF), APPNOTE (ZIP), ECMA-376, ODF 1.2 part 3, RFC 1952,
 * RFC 3533 (Ogg), ISO/IEC 14496-12 (MP4), RFC 8794 (EBML), System V ABI (ELF)
 * and so on.  MPEG audio (ISO/IEC 11172-3, 13818-3) and AAC in ADTS (14496-3)
 * have only eleven bits for a signature, but their frames follow each other.
 */


#include "core/base/art_bytes.h"
#include "core/media/art_signature.h"


#define S        ART_SIGN_STRONG
#define G        ART_SIGN_GENERIC
#define LETTERS  0x80            /* letters only: could begin a text */


/* The header of a PDF is within so many bytes. */

#define ART_SIGNATURE_PDF_MAX  1024

#define ART_FRAMES_HEADER      4         /* bytes that identify a frame */
#define ART_FRAMES_LENGTH      6         /* and those of AAC its length */

/* How many must follow each other at the very start, and after other bytes. */

#define ART_FRAMES_FIRST       2
#define ART_FRAMES_LATER       4


typedef struct {
    unsigned        offset;
    unsigned        len;
    const char     *bytes;
    unsigned        flags;
    const char     *mime;
    art_refine_pt   refine;
} art_signature_row_t;


/* Major brands of ISO base media files; all others count as MP4. */

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


/*
 * Further marks in such containers: "bytes" at "offset", or anywhere in the
 * first "window" bytes; the first row counts.  JPEG 2000 and its kin have their
 * brand in the second box.
 */

static const struct {
    const char  *first;
    unsigned     offset;
    unsigned     window;         /* 0: at "offset" only */
    const char  *bytes;
    const char  *mime;
} art_signature_forms[] = {
    { "RIFF", 8, 0, "WEBP", "image/webp" },
    { "RIFF", 8, 0, "WAVE", "audio/wav" },
    { "RIFF", 8, 0, "AVI ", "video/x-msvideo" },
    { "RF64", 8, 0, "WEBP", "image/webp" },
    { "RF64", 8, 0, "WAVE", "audio/wav" },
    { "RF64", 8, 0, "AVI ", "video/x-msvideo" },
    { "FORM", 8, 0, "AIFF", "audio/aiff" },
    { "FORM", 8, 0, "AIFC", "audio/aiff" },
    { "\0\0\0\x0c", 16, 0, "ftypmjp2", "video/mj2" },
    { "\0\0\0\x0c", 16, 0, "ftypmj2s", "video/mj2" },
    { "\0\0\0\x0c", 16, 0, "ftypjpx ", "image/jpx" },
    { "\0\0\0\x0c", 16, 0, "ftypjpm ", "image/jpm" },
    { "OggS", 0, 64, "OpusHead", "audio/ogg" },
    { "OggS", 0, 64, "\x01vorbis", "audio/ogg" },
    { "OggS", 0, 64, "Speex", "audio/ogg" },
    { "OggS", 0, 64, "\x7f" "FLAC", "audio/ogg" },
    { "OggS", 0, 64, "\x80theora", "video/ogg" }
};


static const art_signature_t  art_signature_none;


static art_signature_t art_signature_prefixed(const uint8_t *p, size_t len,
    unsigned readable);
static unsigned art_markup_blank(const uint8_t *p, size_t len);
static art_signature_t art_signature_markup(const uint8_t *p, size_t len);
static size_t art_markup_skip(const uint8_t *p, size_t len);
static int art_markup_starts(const uint8_t *p, size_t len, const char *lower);
static art_signature_t art_signature_mp4(const uint8_t *p, size_t len,
    art_signature_t found);
static art_signature_t art_signature_boxes(const uint8_t *p, size_t len,
    art_signature_t found);
static art_signature_t art_signature_form(const uint8_t *p, size_t len,
    art_signature_t found);
static art_signature_t art_signature_ebml(const uint8_t *p, size_t len,
    art_signature_t found);
static unsigned art_signature_codec(const uint8_t *p, size_t len, uint8_t kind);
static art_signature_t art_signature_asf(const uint8_t *p, size_t len,
    art_signature_t found);
static art_signature_t art_signature_pdf(const uint8_t *p, size_t len,
    art_signature_t found);
static art_signature_t art_signature_pe(const uint8_t *p, size_t len,
    art_signature_t found);
static art_signature_t art_signature_bmp(const uint8_t *p, size_t len,
    art_signature_t found);
static art_signature_t art_signature_java(const uint8_t *p, size_t len,
    art_signature_t found);
static art_signature_t art_signature_mp2t(const uint8_t *p, size_t len,
    art_signature_t found);
static art_signature_t art_signature_icon(const uint8_t *p, size_t len,
    art_signature_t found);
static art_signature_t art_signature_tar(const uint8_t *p, size_t len,
    art_signature_t found);
static art_signature_t art_signature_zstd(const uint8_t *p, size_t len,
    art_signature_t found);
static art_signature_t art_signature_frames(const uint8_t *p, size_t len);
static unsigned art_frames_follow(const uint8_t *p, size_t len, unsigned count,
    unsigned *aac);
static size_t art_frame_len(const uint8_t *p, size_t len, unsigned *aac);
static size_t art_frame_mpeg(const uint8_t *p);


#define B(offset, bytes)  offset, sizeof(bytes) - 1, bytes


static const art_signature_row_t  art_signatures[] = {
    { B(0, "\x89PNG\r\n\x1a\n"), S, "image/png", NULL },
    { B(0, "\xff\xd8\xff"), S, "image/jpeg", NULL },
    { B(0, "GIF87a"), S | LETTERS, "image/gif", NULL },
    { B(0, "GIF89a"), S | LETTERS, "image/gif", NULL },
    { B(0, "RIFF"), S | LETTERS, NULL, art_signature_form },
    { B(0, "RF64"), S | LETTERS, NULL, art_signature_form },
    { B(0, "%PDF-"), S | LETTERS, "application/pdf", art_signature_pdf },
    { B(0, "PK\x03\x04"), S | G, "application/zip",
      art_signature_container },
    { B(0, "PK\x05\x06"), S | G, "application/zip", NULL },
    { B(0, "PK\x07\x08"), S | G, "application/zip", NULL },
    { B(0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), S | G,
      "application/x-ole-storage", art_signature_container },
    { B(4, "ftyp"), S | LETTERS, "video/mp4", art_signature_mp4 },
    { B(4, "moov"), S | G | LETTERS, "video/quicktime", art_signature_boxes },
    { B(4, "mdat"), S | G | LETTERS, "video/quicktime", art_signature_boxes },
    { B(4, "wide"), S | G | LETTERS, "video/quicktime", art_signature_boxes },
    { B(4, "pnot"), S | G | LETTERS, "video/quicktime", art_signature_boxes },
    { B(0, "\x1a\x45\xdf\xa3"), S | G, "video/x-matroska",
      art_signature_ebml },
    { B(0, "OggS"), S | G | LETTERS, "application/ogg", art_signature_form },
    { B(0, "ID3"), S | G | LETTERS, "audio/mpeg", NULL },
    { B(0, "fLaC"), S | LETTERS, "audio/flac", NULL },
    { B(0, "MThd"), S | LETTERS, "audio/midi", NULL },
    { B(0, "#!AMR"), S | LETTERS, "audio/amr", NULL },
    { B(0, ".snd"), LETTERS, "audio/basic", NULL },
    { B(0, "FORM"), S | LETTERS, NULL, art_signature_form },
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
      art_signature_form },
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
    { B(4, "G"), S | LETTERS, "video/mp2t", art_signature_mp2t },
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

    weak = art_signature_none;

    for (i = 0; i < art_nitems(art_signatures); i++) {
        row = &art_signatures[i];

        if (((row->flags & LETTERS) && readable)
            || !art_bytes_at(p, len, row->offset, row->bytes, row->len))
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
 * 13); it is searched for if no other signature was found.  Readable bytes may
 * be a text about PDF, so they need an object after the header.  With more than
 * white space before it, as lines that a tool has printed there, the signature
 * does not outweigh what is declared.
 */

static art_signature_t
art_signature_prefixed(const uint8_t *p, size_t len, unsigned readable)
{
    size_t            n, max;
    const uint8_t    *pdf;
    art_signature_t   found;

    max = len < ART_SIGNATURE_PDF_MAX ? len : ART_SIGNATURE_PDF_MAX;

    for (pdf = p; ; pdf++) {
        pdf = art_bytes_find(pdf, max - (size_t) (pdf - p), "%PDF-");

        if (pdf == NULL) {
            return art_signature_none;
        }

        n = (size_t) (pdf - p);
        found.mime = "application/pdf";
        found.sign = S;
        found = art_signature_pdf(pdf, len - n, found);

        if (found.mime == NULL) {
            continue;
        }

        if (!readable) {
            return found;
        }

        if (art_bytes_find(pdf, len - n, " obj") == NULL) {
            continue;
        }

        if (art_markup_blank(p, n)) {
            return found;
        }

        if (pdf[-1] == '\n' || pdf[-1] == '\r') {
            found.sign = 0;
            return found;
        }
    }
}


static unsigned
art_markup_blank(const uint8_t *p, size_t len)
{
    size_t  n;

    n = art_bytes_at(p, len, 0, "\xef\xbb\xbf", 3) ? 3 : 0;

    while (n < len && (p[n] == ' ' || (p[n] >= '\t' && p[n] <= '\r'))) {
        n++;
    }

    return n == len;
}


/* Markup is recognized by its first tag; it never outweighs a declaration. */

static art_signature_t
art_signature_markup(const uint8_t *p, size_t len)
{
    size_t           n;
    unsigned         xml;
    const uint8_t   *end;
    art_signature_t  found;

    found = art_signature_none;

    n = art_bytes_at(p, len, 0, "\xef\xbb\xbf", 3) ? 3 : 0;
    n += art_markup_skip(p + n, len - n);

    xml = (unsigned) art_markup_starts(p + n, len - n, "<?xml");

    if (xml) {
        end = art_bytes_find(p + n, len - n, "?>");
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

        if (!art_bytes_at(p, len, n, "<!--", 4)) {
            return n;
        }

        end = art_bytes_find(p + n, len - n, "-->");
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


static art_signature_t
art_signature_mp4(const uint8_t *p, size_t len, art_signature_t found)
{
    size_t       i, k, end;
    const char  *brand;

    /* four bytes of the box's size come first, and it is never large */

    if (p[0] != 0) {
        return art_signature_none;
    }

    found.sign = S | G;

    for (k = 0; k < art_nitems(art_signature_brands); k++) {
        brand = art_signature_brands[k].brand;

        if (art_bytes_at(p, len, 8, brand, strlen(brand))) {
            found.mime = art_signature_brands[k].mime;
            found.sign = art_signature_brands[k].sign;
            break;
        }
    }

    /* HEIF holds several codings: a compatible brand says which one */

    end = (size_t) p[2] << 8 | p[3];
    end = end < len ? end : len;

    for (i = 16; strcmp(found.mime, "image/heif") == 0 && i + 4 <= end; i += 4)
    {
        if (art_bytes_at(p, end, i, "avif", 4)) {
            found.mime = "image/avif";
            found.sign = S;
        }
    }

    if (strncmp(found.mime, "video/", 6) == 0) {
        found = art_signature_tracks(p, len, found);
    }

    return found;
}


static art_signature_t
art_signature_form(const uint8_t *p, size_t len, art_signature_t found)
{
    size_t       i, n;
    unsigned     offset, window;
    const char  *bytes;

    for (i = 0; i < art_nitems(art_signature_forms); i++) {

        if (memcmp(p, art_signature_forms[i].first, 4) != 0) {
            continue;
        }

        bytes = art_signature_forms[i].bytes;
        offset = art_signature_forms[i].offset;
        window = art_signature_forms[i].window;
        n = len < window ? len : window;

        if (window > 0 ? art_bytes_find(p, n, bytes) != NULL
                       : art_bytes_at(p, len, offset, bytes, strlen(bytes)))
        {
            found.mime = art_signature_forms[i].mime;
            break;
        }
    }

    return found;
}


/* QuickTime files without a brand begin with one of its boxes. */

static art_signature_t
art_signature_boxes(const uint8_t *p, size_t len, art_signature_t found)
{
    size_t  size;

    size = (size_t) p[0] << 24 | (size_t) p[1] << 16 | (size_t) p[2] << 8
           | p[3];

    /* another box follows, or one inside; "mdat" may be as long as it likes */

    return len < 16 || (size != 1 && size < 8) ? art_signature_none : found;
}


/*
 * The DocType element is in the EBML header, at the very start; the tracks
 * usually follow soon.
 */

static art_signature_t
art_signature_ebml(const uint8_t *p, size_t len, art_signature_t found)
{
    unsigned        audio;
    const uint8_t  *clusters;

    /* tracks are listed before the first cluster, which may be further on */

    clusters = art_bytes_find(p, len, "\x1f\x43\xb6\x75");
    audio = art_signature_codec(p, len, 'A')
            && !art_signature_codec(p, len, 'V');

    if (audio && clusters) {
        found.sign = S;
    }

    if (art_bytes_find(p, len < 64 ? len : 64, "webm") != NULL) {
        found.mime = audio ? "audio/webm" : "video/webm";

    } else if (audio) {
        found.mime = "audio/x-matroska";
    }

    return found;
}


/* Whether a CodecID of audio or video is present: 86, its size, "A_OPUS". */

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


/*
 * The kinds of streams, by the GUIDs of their types in the header.  It tells
 * all of them if it is there as a whole; its length is a 64-bit number.
 */

static art_signature_t
art_signature_asf(const uint8_t *p, size_t len, art_signature_t found)
{
    static const char  audio[] = "\x40\x9e\x69\xf8\x4d\x5b\xcf\x11\xa8\xfd";
    static const char  video[] = "\xc0\xef\x19\xbc\x4d\x5b\xcf\x11\xa8\xfd";

    size_t    i;
    uint64_t  size;

    if (art_bytes_find(p, len, audio) != NULL
        && art_bytes_find(p, len, video) == NULL)
    {
        found.mime = "audio/x-ms-wma";

        size = 0;

        for (i = 24; i > 16 && i <= len; i--) {
            size = size << 8 | p[i - 1];
        }

        if (size > 0 && size <= len) {
            found.sign = S;
        }
    }

    return found;
}


/*
 * A version number must follow, without a word after it: a text that only
 * mentions "%PDF-1.4" is no PDF.
 */

static art_signature_t
art_signature_pdf(const uint8_t *p, size_t len, art_signature_t found)
{
    size_t  n;

    if (len < 8 || p[5] < '1' || p[5] > '9' || p[6] != '.'
        || p[7] < '0' || p[7] > '9')
    {
        return art_signature_none;
    }

    for (n = 8; n < len && (p[n] == ' ' || p[n] == '\t'); n++) {
        /* void */
    }

    return n < len && art_char_alnum(p[n]) ? art_signature_none : found;
}


/* The offset of the PE header is at 0x3c; a bare DOS program has none. */

static art_signature_t
art_signature_pe(const uint8_t *p, size_t len, art_signature_t found)
{
    size_t  offset;

    if (len >= 0x40) {
        offset = (size_t) p[0x3c] | (size_t) p[0x3d] << 8
                 | (size_t) p[0x3e] << 16;

        if (art_bytes_at(p, len, offset, "PE\0\0", 4)) {
            return found;
        }
    }

    found.sign = 0;

    return found;
}


/* The DIB header's size is one of those ever defined. */

static art_signature_t
art_signature_bmp(const uint8_t *p, size_t len, art_signature_t found)
{
    static const uint8_t  sizes[] = { 12, 40, 52, 56, 64, 108, 124 };

    if (len >= 18 && p[15] == 0 && p[16] == 0 && p[17] == 0
        && memchr(sizes, p[14], sizeof(sizes)) != NULL)
    {
        found.sign = S;
        return found;
    }

    return art_signature_none;
}


/* Java classes share the magic number with Mach-O's fat binaries. */

static art_signature_t
art_signature_java(const uint8_t *p, size_t len, art_signature_t found)
{
    if (len >= 8 && p[4] == 0 && p[5] == 0 && p[6] == 0 && p[7] < 20) {
        return found;
    }

    found.mime = "application/java-vm";

    return found;
}


/*
 * Packets of 188 bytes that start with the sync byte, or of 192 with four bytes
 * of time before it.
 */

static art_signature_t
art_signature_mp2t(const uint8_t *p, size_t len, art_signature_t found)
{
    size_t  first, size;

    for (first = 0; first <= 4; first += 4) {
        size = 188 + first;

        if (art_bytes_at(p, len, first, "G", 1)
            && art_bytes_at(p, len, first + size, "G", 1)
            && art_bytes_at(p, len, first + 2 * size, "G", 1))
        {
            return found;
        }
    }

    return art_signature_none;
}


/* A directory entry: no size of 0 images, and a reserved byte. */

static art_signature_t
art_signature_icon(const uint8_t *p, size_t len, art_signature_t found)
{
    if (len < 22 || (p[4] == 0 && p[5] == 0) || p[5] > 1 || p[9] != 0) {
        return art_signature_none;
    }

    return found;
}


/* An archive older than "ustar" is known by its first header's checksum. */

static art_signature_t
art_signature_tar(const uint8_t *p, size_t len, art_signature_t found)
{
    size_t         i;
    unsigned long  sum, stated;

    if (len < 512 || p[0] == 0) {
        return art_signature_none;
    }

    stated = 0;

    for (i = 148; i < 156; i++) {

        if (p[i] >= '0' && p[i] <= '7') {
            stated = stated * 8 + (unsigned long) (p[i] - '0');

        } else if (p[i] != ' ' && p[i] != 0) {
            return art_signature_none;
        }
    }

    /* the sum's own bytes count as spaces */

    sum = 8 * ' ';

    for (i = 0; i < 512; i++) {
        sum += i < 148 || i >= 156 ? p[i] : 0;
    }

    return sum == stated ? found : art_signature_none;
}


/* A skippable frame comes first. */

static art_signature_t
art_signature_zstd(const uint8_t *p, size_t len, art_signature_t found)
{
    return len < 8 || (p[0] & 0xf0) != 0x50 ? art_signature_none : found;
}


/* Bare frames that follow each other: one header alone is no signature. */

static art_signature_t
art_signature_frames(const uint8_t *p, size_t len)
{
    unsigned         aac, count;
    art_signature_t  found;
    const uint8_t   *end, *sync;

    found = art_signature_none;
    count = ART_FRAMES_FIRST;
    end = p + len;

    for (sync = p; end - sync >= ART_FRAMES_HEADER; sync++) {

        if (art_frames_follow(sync, (size_t) (end - sync), count, &aac)) {
            found.mime = aac ? "audio/aac" : "audio/mpeg";
            break;
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


/* Whether so many frames of one kind follow each other. */

static unsigned
art_frames_follow(const uint8_t *p, size_t len, unsigned count, unsigned *aac)
{
    size_t    n;
    unsigned  i, other;

    n = art_frame_len(p, len, aac);

    for (i = 1; n > 0 && i < count; i++) {

        if (n > len - ART_FRAMES_HEADER) {
            return 0;
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


/* The length of the frame that begins here; 0 if none does, or is not told. */

static size_t
art_frame_len(const uint8_t *p, size_t len, unsigned *aac)
{
    size_t  n;

    *aac = p[0] == 0xff && (p[1] & 0xf6) == 0xf0;

    if (!*aac) {
        return art_frame_mpeg(p);
    }

    if (len < ART_FRAMES_LENGTH) {
        return 0;
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

    if (version != 3) {
        rate /= version == 2 ? 2 : 4;
    }

    kbits = rates[version == 3 ? layer - 2 : 2][p[2] >> 4];

    if (kbits == 0) {

        /* "free": the length is unknown */

        return 0;
    }

    samples = layer == 3 && version != 3 ? 576 : 1152;

    return samples / 8 * kbits * 1000 / rate + (p[2] >> 1 & 1);
}
