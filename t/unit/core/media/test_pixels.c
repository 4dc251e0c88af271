
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Pixels of images that programs have written (t/data/pixels.json), of heads
 * that are made by hand, and of random ones: however they are cut, and with all
 * that is not needed left out.
 */


#include <jansson.h>

#include "core/media/art_pixels.h"
#include "core/text/art_base64.h"
#include "tap.h"


#define HEAD_MAX  (4 * 1024 * 1024)


typedef struct {
    art_pixels_status_t  status;
    uint32_t             width;
    uint32_t             height;
    uint64_t             read;       /* bytes that were fed */
} result_t;


/* A head in the making. */

static uint8_t  *head;
static size_t    head_len;


static result_t
result(const art_pixels_t *px, art_pixels_status_t status, uint64_t read)
{
    result_t  r;

    r.status = status;
    r.width = status == ART_PIXELS_DONE ? px->width : 0;
    r.height = status == ART_PIXELS_DONE ? px->height : 0;
    r.read = read;

    return r;
}


/* Pieces of "piece" bytes; 0: of random length. */

static result_t
in_pieces(const uint8_t *p, size_t len, size_t piece)
{
    size_t               i, n;
    uint8_t             *copy;
    art_pixels_t         px;
    art_pixels_status_t  status;

    memset(&px, 0xa5, sizeof(px));
    art_pixels_init(&px);
    status = ART_PIXELS_MORE;

    for (i = 0; i < len; i += n) {
        n = piece > 0 ? piece : 1 + tap_below(40);
        n = n < len - i ? n : len - i;

        /* memory of its own, so that a sanitizer sees one byte more */

        copy = malloc(n);
        memcpy(copy, p + i, n);
        status = art_pixels_feed(&px, copy, n);
        free(copy);
    }

    return result(&px, status, len);
}


/* As a file is read, only where something is needed. */

static result_t
in_reads(const uint8_t *p, size_t len, size_t most)
{
    size_t               n;
    uint64_t             at, read;
    art_pixels_t         px;
    art_pixels_status_t  status;

    art_pixels_init(&px);
    status = ART_PIXELS_MORE;
    read = 0;

    while (status == ART_PIXELS_MORE) {
        at = art_pixels_next(&px);

        if (at >= len) {
            break;
        }

        n = most < len - at ? most : (size_t) (len - at);

        art_pixels_skip(&px);
        status = art_pixels_feed(&px, p + at, n);
        read += n;
    }

    return result(&px, status, read);
}


static int
same(result_t a, result_t b)
{
    return a.status == b.status && a.width == b.width && a.height == b.height;
}


static void
is_size(const char *name, const uint8_t *p, size_t len,
    art_pixels_status_t status, uint32_t width, uint32_t height)
{
    result_t  whole, want;

    whole = in_pieces(p, len, len > 0 ? len : 1);
    want.status = status;
    want.width = width;
    want.height = height;

    if (!ok(same(whole, want), "%s", name)) {
        diag("got %d %ux%u", (int) whole.status, whole.width, whole.height);
    }

    ok(same(in_pieces(p, len, 1), whole), "%s, byte by byte", name);
    ok(same(in_pieces(p, len, 0), whole), "%s, in pieces", name);
    ok(same(in_reads(p, len, 4096), whole)
       && same(in_reads(p, len, 1), whole), "%s, where it is needed", name);
}


/* Writes into the head. */

static void
put(const void *p, size_t n)
{
    memcpy(head + head_len, p, n);
    head_len += n;
}


static void
put_fill(int c, size_t n)
{
    memset(head + head_len, c, n);
    head_len += n;
}


static void
put_msb(uint64_t value, unsigned n)
{
    while (n-- > 0) {
        head[head_len++] = (uint8_t) (value >> 8 * n);
    }
}


static void
put_lsb(uint64_t value, unsigned n)
{
    for ( /* void */ ; n > 0; n--, value >>= 8) {
        head[head_len++] = (uint8_t) value;
    }
}


static size_t
box(const char *type)
{
    put_msb(0, 4);
    put(type, 4);

    return head_len - 8;
}


static void
box_end(size_t at)
{
    size_t  len;

    len = head_len;
    head_len = at;
    put_msb(len - at, 4);
    head_len = len;
}


static void
begin(const void *p, size_t n)
{
    head_len = 0;
    put(p, n);
}


static void
is_head(const char *name, art_pixels_status_t status, uint32_t width,
    uint32_t height)
{
    is_size(name, head, head_len, status, width, height);
}


static void
sof(unsigned marker, unsigned width, unsigned height)
{
    put_msb(0xff, 1);
    put_msb(marker, 1);
    put_msb(17, 2);
    put_msb(8, 1);
    put_msb(height, 2);
    put_msb(width, 2);
    put("\3\1\x22\0\2\x11\1\3\x11\1", 10);
}


static void
segment(unsigned marker, size_t len)
{
    size_t  end;

    end = head_len + 2 + len;

    put_msb(0xff, 1);
    put_msb(marker, 1);
    put_msb(len, 2);

    /* a thumbnail in it, and anything else */

    if (marker == 0xe1 && len > 100) {
        put("Exif\0\0", 6);
        put("\xff\xd8", 2);
        sof(0xc0, 160, 120);
        put("\xff\xd9", 2);
    }

    put_fill(0xff, end - head_len);
}


static void
jpegs(void)
{
    unsigned  i;
    char      name[64];

    for (i = 0xc0; i <= 0xcf; i++) {
        begin("\xff\xd8", 2);
        segment(0xe0, 16);
        sof(i, 1000, 2000);

        snprintf(name, sizeof(name), "JPEG, marker %02x", i);

        if (i == 0xc4 || i == 0xc8 || i == 0xcc) {
            is_head(name, ART_PIXELS_MORE, 0, 0);

        } else {
            is_head(name, ART_PIXELS_DONE, 1000, 2000);
        }
    }

    begin("\xff\xd8", 2);
    segment(0xe1, 60000);
    sof(0xc2, 9000, 6000);
    is_head("JPEG, 60 KB of Exif with a thumbnail", ART_PIXELS_DONE, 9000,
            6000);
    ok(in_reads(head, head_len, 4096).read <= 8192,
       "JPEG, 60 KB of Exif: two reads");

    begin("\xff\xd8", 2);
    segment(0xe1, 65535);

    for (i = 0; i < 12; i++) {
        segment(0xe2, 65535);
    }

    segment(0xed, 30000);
    segment(0xfe, 2);
    sof(0xc1, 65535, 1);
    is_head("JPEG, much before the frame", ART_PIXELS_DONE, 65535, 1);

    begin("\xff\xd8", 2);
    put_fill(0xff, 1000);
    put("\xe0\0\2", 3);
    put_fill(0xff, 10);
    put("\xc0\0\x11\x08\1\2\3\4", 8);
    is_head("JPEG, fill bytes", ART_PIXELS_DONE, 772, 258);

    begin("\xff\xd8\xff\xe0\0\2abc\xff\0\xff\x01\xff\xd0", 15);
    sof(0xc0, 7, 8);
    is_head("JPEG, bytes between segments", ART_PIXELS_DONE, 7, 8);

    begin("\xff\xd8", 2);
    put_fill(0xff, 20000);
    sof(0xc0, 7, 8);
    is_head("JPEG, endless fill bytes", ART_PIXELS_NONE, 0, 0);

    begin("\xff\xd8", 2);
    sof(0xc0, 7, 0);
    is_head("JPEG, lines to be told later", ART_PIXELS_NONE, 0, 0);

    begin("\xff\xd8\xff\xda\0\x0c\3\1\0\2\x11\3\x11\0\x3f\0", 16);
    is_head("JPEG, a scan without a frame", ART_PIXELS_NONE, 0, 0);

    begin("\xff\xd8\xff\xe0\0\1JFIF\0\1\1\1", 14);
    is_head("JPEG, a segment of one byte", ART_PIXELS_NONE, 0, 0);

    begin("\xff\xd8\xff\xd9\0\0\0\0\0\0\0\0", 12);
    is_head("JPEG, nothing", ART_PIXELS_NONE, 0, 0);
}


static void
tiff(unsigned big, unsigned wide, uint64_t at, unsigned type, uint64_t width,
    uint64_t height)
{
    unsigned  n;
    void    (*put_n)(uint64_t value, unsigned n);

    put_n = big ? put_msb : put_lsb;
    n = wide ? 8 : 4;

    begin(big ? "MM" : "II", 2);
    put_n(wide ? 43 : 42, 2);

    if (wide) {
        put_n(8, 2);
        put_n(0, 2);
    }

    put_n(at, n);

    if (at > HEAD_MAX / 2 || at < head_len) {
        put_fill(0, 100);
        return;
    }

    put_fill(0x11, (size_t) at - head_len);

    put_n(3, wide ? 8 : 2);
    put_n(257, 2);
    put_n(type, 2);
    put_n(1, n);
    put_n(height, type == 3 ? 2 : type == 4 ? 4 : 8);
    put_fill(0, n - (type == 3 ? 2u : type == 4 ? 4u : 8u));
    put_n(254, 2);
    put_n(4, 2);
    put_n(1, n);
    put_n(0, n);
    put_n(256, 2);
    put_n(type, 2);
    put_n(1, n);
    put_n(width, type == 3 ? 2 : type == 4 ? 4 : 8);
    put_fill(0, n - (type == 3 ? 2u : type == 4 ? 4u : 8u));
    put_n(0, n);
}


static void
tiffs(void)
{
    unsigned  big, wide;
    char      name[64];

    for (big = 0; big < 2; big++) {
        for (wide = 0; wide < 2; wide++) {
            snprintf(name, sizeof(name), "%sTIFF, %s", wide ? "Big" : "",
                     big ? "MSB" : "LSB");

            tiff(big, wide, 16, 3, 640, 480);
            is_head(name, ART_PIXELS_DONE, 640, 480);
            tiff(big, wide, 2 * 1024 * 1024 - 1, 4, 70000, 80000);
            is_head(name, ART_PIXELS_DONE, 70000, 80000);
            tiff(big, wide, UINT64_MAX >> (wide ? 0 : 32), 4, 7, 8);
            is_head(name, wide ? ART_PIXELS_NONE : ART_PIXELS_MORE, 0, 0);
            tiff(big, wide, 4, 4, 7, 8);
            is_head(name, ART_PIXELS_NONE, 0, 0);
            tiff(big, wide, 16, 4, 0, 8);
            is_head(name, ART_PIXELS_NONE, 0, 0);
            tiff(big, wide, 16, 3, 640, 480);
            memset(head + 16, 0, wide ? 8 : 2);
            is_head(name, ART_PIXELS_NONE, 0, 0);
        }
    }

    tiff(0, 1, 16, 16, 640, 480);
    is_head("BigTIFF, LONG8", ART_PIXELS_DONE, 640, 480);
    tiff(0, 1, 16, 16, (uint64_t) 1 << 33, 480);
    is_head("BigTIFF, too large", ART_PIXELS_NONE, 0, 0);
    tiff(0, 0, 16, 3, 640, 480);
    head[18] = 0;
    head[18 + 24] = 0;
    is_head("TIFF, no size", ART_PIXELS_NONE, 0, 0);
}


/* What a HEIF differs in. */

#define HEIF_LATE    0x01        /* "pitm" behind "iprp" */
#define HEIF_WIDE    0x02        /* ids of 32 bits, indices of 15 */
#define HEIF_BEHIND  0x04        /* "meta" behind a long "mdat" */
#define HEIF_LARGE   0x08        /* sizes of 64 bits */
#define HEIF_MANY    0x10        /* boxes */

static void
heif_properties(unsigned flags, unsigned nsizes, unsigned of)
{
    size_t    iprp, ipco, at;
    unsigned  i;

    iprp = box("iprp");
    ipco = box("ipco");

    for (i = 0; i < nsizes; i++) {
        at = box("hvcC");
        put_fill(0x55, 50 + i);
        box_end(at);
        at = box("ispe");
        put_msb(0, 4);
        put_msb(100 + i, 4);
        put_msb(200 + i, 4);
        box_end(at);
    }

    box_end(ipco);

    at = box("ipma");
    put_msb(flags & HEIF_WIDE ? 0x01000001 : 0, 4);
    put_msb(nsizes, 4);

    for (i = 0; i < nsizes; i++) {
        put_msb(1000 + i, flags & HEIF_WIDE ? 4 : 2);
        put_msb(i == of ? 2 : 1, 1);

        if (i == of) {
            put_msb(2 * i + 1, flags & HEIF_WIDE ? 2 : 1);
        }

        if (flags & HEIF_WIDE) {
            put_msb(0x8000 | (2 * i + 2), 2);

        } else {
            put_msb(0x80 | (2 * i + 2), 1);
        }
    }

    box_end(at);
    box_end(iprp);
}


static void
heif(unsigned flags, unsigned nsizes, unsigned of)
{
    size_t    meta, at;
    unsigned  i;

    head_len = 0;
    at = box("ftyp");
    put("mif1\0\0\0\0heicmif1", 16);
    box_end(at);

    if (flags & HEIF_LARGE) {
        put_msb(1, 4);
        put("mdat", 4);
        put_msb(16 + 70000, 8);
        put_fill(0x33, 70000);
    }

    if (flags & HEIF_BEHIND) {
        at = box("mdat");
        put_fill(0x44, 1024 * 1024);
        box_end(at);
    }

    for (i = 0; i < (flags & HEIF_MANY ? 500u : 0u); i++) {
        at = box("free");
        put_fill(0, i);
        box_end(at);
    }

    meta = box("meta");
    put_msb(0, 4);

    at = box("hdlr");
    put_fill(0, 25);
    box_end(at);

    for (i = 0; i < 2; i++) {

        if (i == ((flags & HEIF_LATE) != 0)) {
            at = box("pitm");
            put_msb(flags & HEIF_WIDE ? 0x01000000 : 0, 4);
            put_msb(1000 + of, flags & HEIF_WIDE ? 4 : 2);
            box_end(at);

        } else {
            heif_properties(flags, nsizes, of);
        }
    }

    box_end(meta);
    put_fill(0, 100);
}


static void
heifs(void)
{
    size_t    i, len;
    unsigned  flags;
    char      name[64];

    for (flags = 0; flags < 32; flags++) {
        snprintf(name, sizeof(name), "HEIF, case %u", flags);
        heif(flags, 20, 13);
        is_head(name, ART_PIXELS_DONE, 113, 213);
    }

    heif(HEIF_WIDE, 400, 3);
    is_head("HEIF, many items", ART_PIXELS_DONE, 103, 203);
    heif(HEIF_WIDE, 400, 399);
    is_head("HEIF, too many sizes", ART_PIXELS_NONE, 0, 0);
    heif(0, 1, 1);
    is_head("HEIF, no such item", ART_PIXELS_NONE, 0, 0);

    heif(HEIF_BEHIND, 3, 2);
    ok(in_reads(head, head_len, 4096).read <= 8192,
       "HEIF behind a megabyte: two reads");

    /* a length that is wrong, wherever it is */

    heif(0, 2, 1);
    len = head_len;

    for (i = 4; i + 4 <= len; i++) {
        heif(0, 2, 1);
        memset(head + i, 0xff, 4);

        if (!same(in_pieces(head, len, len), in_pieces(head, len, 1))
            || !same(in_pieces(head, len, len), in_reads(head, len, 7)))
        {
            break;
        }
    }

    ok(i + 4 > len, "HEIF, a wrong length anywhere");

    begin("\0\0\0\x10" "ftypheic\0\0\0\0" "\0\0\0\0mdat", 24);
    put_fill(0, 1000);
    is_head("HEIF, the rest of the file is a box", ART_PIXELS_NONE, 0, 0);

    begin("\0\0\0\x10" "ftypavif\0\0\0\0" "\0\0\0\1mdat"
          "\xff\xff\xff\xff\xff\xff\xff\xff", 32);
    put_fill(0, 100);
    is_head("HEIF, 2^64 bytes", ART_PIXELS_NONE, 0, 0);
}


static void
others(void)
{
    static const struct {
        const char           *name;
        const char           *bytes;
        size_t                len;
        art_pixels_status_t   status;
        uint32_t              width;
        uint32_t              height;
    } heads[] = {

#define B(bytes)      bytes, sizeof(bytes) - 1
#define DONE(w, h)    ART_PIXELS_DONE, w, h
#define NONE          ART_PIXELS_NONE, 0, 0
#define MORE          ART_PIXELS_MORE, 0, 0
#define PNG           "\x89PNG\r\n\x1a\n"
#define ZEROS14       "\0\0\0\0\0\0\0\0\0\0\0\0"
#define JXL           "\0\0\0\x0cJXL \r\n\x87\n" "\0\0\0\x14" "ftypjxl "      \
                      "\0\0\0\0jxl "

        { "nothing", B(""), MORE },
        { "words", B("These are no more than words."), NONE },
        { "PNG", B(PNG "\0\0\0\x0dIHDR\0\0\x23\x28\0\0\x17\x70\x08\6"),
          DONE(9000, 6000) },
        { "APNG", B(PNG "\0\0\0\x0dIHDR\0\0\0\5\0\0\0\6\x08\6\0\0\0crc."
                    "\0\0\0\x08" "acTL\0\0\0\2\0\0\0\0crc."), DONE(5, 6) },
        { "PNG, cut", B(PNG "\0\0\0\x0dIHDR\0\0\x23\x28\0\0\x17"), MORE },
        { "PNG, no width", B(PNG "\0\0\0\x0dIHDR\0\0\0\0\0\0\0\1\x08"), NONE },
        { "PNG, no header", B(PNG "\0\0\0\x0dIDAT\0\0\0\1\0\0\0\1\x08"), NONE },
        { "GIF", B("GIF89a\1\2\3\4\x80\0\0"), DONE(513, 1027) },
        { "GIF of 87", B("GIF87a\xff\xff\1\0\x80\0\0"), DONE(65535, 1) },
        { "GIF, no height", B("GIF87a\xff\xff\0\0\x80\0\0"), NONE },
        { "WebP, lossy", B("RIFF\1\1\0\0WEBPVP8 \x90\0\0\0\x30\1\0\x9d\1\x2a"
                           "\x2d\x41\xcb\xc0\0"), DONE(301, 203) },
        { "WebP, no key frame", B("RIFF\1\1\0\0WEBPVP8 \x90\0\0\0\x31\1\0"
                                  "\x9d\1\x2a\x2d\1\xcb\0\0"), NONE },
        { "WebP, no start", B("RIFF\1\1\0\0WEBPVP8 \x90\0\0\0\x30\1\0"
                              "\x9d\1\x2b\x2d\1\xcb\0\0"), NONE },
        { "WebP, lossless", B("RIFF\1\1\0\0WEBPVP8L\x90\0\0\0\x2f"
                              "\xff\xff\xff\x0f"), DONE(16384, 16384) },
        { "WebP, lossless without its mark", B("RIFF\1\1\0\0WEBPVP8L\x90\0\0\0"
                              "\x2e\xff\xff\xff\x0f"), NONE },
        { "WebP, extended", B("RIFF\1\1\0\0WEBPVP8X\x0a\0\0\0\x10\0\0\0"
                              "\xff\xff\xff\0\0\0"), DONE(16777216, 1) },
        { "WebP, unknown", B("RIFF\1\1\0\0WEBPVP9X\x0a\0\0\0\x10\0\0\0"
                             "\xff\xff\xff\0\0\0"), NONE },
        { "BMP", B("BM" ZEROS14 "\x28\0\0\0\5\0\0\0\6\0\0\0\1\0"), DONE(5, 6) },
        { "BMP from its top", B("BM" ZEROS14 "\x28\0\0\0\5\0\0\0"
                                "\xfa\xff\xff\xff\1\0"), DONE(5, 6) },
        { "BMP, the least height", B("BM" ZEROS14 "\x7c\0\0\0\5\0\0\0"
                                     "\0\0\0\x80\1\0"), DONE(5, 0x80000000u) },
        { "BMP, a width below 0", B("BM" ZEROS14 "\x28\0\0\0\xff\xff\xff\xff"
                                    "\6\0\0\0\1\0"), NONE },
        { "BMP, core", B("BM" ZEROS14 "\x0c\0\0\0\5\1\6\1\1\0\1\0"),
          DONE(261, 262) },
        { "BMP, no header", B("BM" ZEROS14 "\0\0\0\0\5\0\0\0\6\0\0\0\1\0"),
          NONE },
        { "JPEG XL, bare", B("\xff\x0a\xfa\x7f\1\x90\0\0\0\0\0\0"),
          DONE(4096, 4096) },
        { "JPEG XL, multiples of 8", B("\xff\x0a\x7f\0\0\0\0\0\0\0\0\0"),
          DONE(256, 256) },
        { "JPEG XL, in a box", B(JXL "\0\0\0\x1ejxlc\xff\x0a\x7f\0\0\0\0\0\0\0"
                                 "\0\0"), DONE(256, 256) },
        { "JPEG XL, in pieces", B(JXL "\0\0\0\x0f" "Exif1234567"
                            "\0\0\0\x0ejxlp\0\0\0\0\xff\x0a"
                            "\0\0\0\x0cjxlp\0\0\0\1"
                            "\0\0\0\x0djxlp\0\0\0\2\x7f"
                            "\0\0\0\0jxlp\x80\0\0\3\0\0\0\0\0\0\0\0\0\0"),
          DONE(256, 256) },
        { "JPEG XL, no codestream", B(JXL "\0\0\0\x1ejxlc\xff\x0b\x7f\0\0\0\0"
                                      "\0\0\0\0\0"), NONE }
    };

    size_t  i;

    for (i = 0; i < nitems(heads); i++) {
        is_size(heads[i].name, (const uint8_t *) heads[i].bytes, heads[i].len,
                heads[i].status, heads[i].width, heads[i].height);
    }
}


/* Some of the bytes, or what may be a length, changed. */

static void
mutate(uint8_t *p, size_t len)
{
    size_t  i, n, at;

    for (n = 1 + tap_below(6); n > 0; n--) {
        at = tap_below(len < 600 || tap_below(4) == 0 ? len : 600);

        switch (tap_below(3)) {

        case 0:
            p[at] = (uint8_t) tap_rand();
            break;

        case 1:
            p[at] ^= (uint8_t) (1u << tap_below(8));
            break;

        default:

            for (i = at; i < at + 4 && i < len; i++) {
                p[i] = tap_below(2) ? 0xff : 0;
            }
        }
    }
}


static void
random_heads(const char *name, const uint8_t *p, size_t len)
{
    unsigned  i;
    size_t    cut;
    uint8_t  *copy;
    result_t  whole;

    for (i = 0; i < 300; i++) {
        cut = tap_below(4) == 0 ? 1 + tap_below(len) : len;
        copy = malloc(cut);
        memcpy(copy, p, cut);
        mutate(copy, cut);

        whole = in_pieces(copy, cut, cut);

        if (!same(in_pieces(copy, cut, 1), whole)
            || !same(in_pieces(copy, cut, 0), whole)
            || !same(in_reads(copy, cut, 1 + tap_below(100)), whole)
            || (whole.status == ART_PIXELS_DONE
                && (whole.width == 0 || whole.height == 0)))
        {
            diag_mem("differs", copy, cut);
            free(copy);
            break;
        }

        free(copy);
    }

    ok(i == 300, "%s, random changes", name);
}


static void
images(void)
{
    size_t               i, n;
    json_t              *all, *row;
    uint8_t             *bytes;
    const char          *name, *data;
    json_error_t         error;
    art_base64_decode_t  st;

    all = json_load_file("t/data/pixels.json", 0, &error);

    if (!ok(all != NULL && json_array_size(all) > 20, "images to read")) {
        return;
    }

    json_array_foreach(all, i, row) {
        name = json_string_value(json_object_get(row, "name"));
        data = json_string_value(json_object_get(row, "data"));

        bytes = malloc(strlen(data) + 3);
        memset(&st, 0, sizeof(st));
        n = art_base64_decode(&st, bytes, (const uint8_t *) data,
                              strlen(data));
        n += art_base64_decode_end(&st, bytes + n);

        is_size(name, bytes, n, ART_PIXELS_DONE,
                (uint32_t) json_integer_value(json_object_get(row, "width")),
                (uint32_t) json_integer_value(json_object_get(row, "height")));
        random_heads(name, bytes, n);

        free(bytes);
    }

    json_decref(all);
}


int
main(void)
{
    head = malloc(HEAD_MAX);

    images();
    others();
    jpegs();
    tiffs();
    heifs();

    ok(sizeof(art_pixels_t) <= 1024, "1 KB of memory");

    free(head);

    return done();
}
