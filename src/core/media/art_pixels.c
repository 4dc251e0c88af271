
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A format's rule is a chain of steps: each takes an item, a few bytes at an
 * offset, and says which item comes next, or what the image's size is.
 */


#include "core/base/art_bytes.h"
#include "core/media/art_pixels.h"


/* All offsets are smaller: the sum of two of them does not overflow. */

#define ART_PIXELS_OFFSET_MAX  ((uint64_t) 1 << 62)


/* Boxes in boxes: the file, then "meta", "iprp", "ipco" in each other. */

#define ART_BOX_FILE  0
#define ART_BOX_META  1
#define ART_BOX_IPRP  2
#define ART_BOX_IPCO  3


/* Bytes that show the format: the smallest of images have more. */

#define ART_PIXELS_START  12

#define ART_PIXELS_BOX  8        /* bytes of a box's head */


#define B(offset, bytes)  offset, sizeof(bytes) - 1, bytes


static void art_pixels_start(art_pixels_t *px, const uint8_t *p);
static void art_pixels_png(art_pixels_t *px, const uint8_t *p);
static void art_pixels_gif(art_pixels_t *px, const uint8_t *p);
static void art_pixels_jpeg(art_pixels_t *px, const uint8_t *p);
static void art_pixels_jpeg_marker(art_pixels_t *px, const uint8_t *p);
static void art_pixels_jpeg_segment(art_pixels_t *px, const uint8_t *p);
static void art_pixels_jpeg_frame(art_pixels_t *px, const uint8_t *p);
static void art_pixels_webp(art_pixels_t *px, const uint8_t *p);
static void art_pixels_webp_lossy(art_pixels_t *px, const uint8_t *p);
static void art_pixels_webp_lossless(art_pixels_t *px, const uint8_t *p);
static void art_pixels_webp_extended(art_pixels_t *px, const uint8_t *p);
static void art_pixels_bmp(art_pixels_t *px, const uint8_t *p);
static void art_pixels_tiff(art_pixels_t *px, const uint8_t *p);
static void art_pixels_tiff_count(art_pixels_t *px, const uint8_t *p);
static void art_pixels_tiff_field(art_pixels_t *px, const uint8_t *p);
static uint64_t art_pixels_tiff_number(const art_pixels_t *px,
    const uint8_t *p, unsigned n);
static void art_pixels_box(art_pixels_t *px, const uint8_t *p);
static void art_pixels_jxl(art_pixels_t *px, const uint8_t *p);
static void art_pixels_box_large(art_pixels_t *px, const uint8_t *p);
static void art_pixels_box_open(art_pixels_t *px, uint64_t size,
    unsigned head);
static void art_pixels_box_then(art_pixels_t *px, art_pixels_step_pt step,
    unsigned want);
static void art_pixels_box_next(art_pixels_t *px);
static void art_pixels_enter(art_pixels_t *px, const uint8_t *p);
static void art_pixels_pitm(art_pixels_t *px, const uint8_t *p);
static void art_pixels_pitm_low(art_pixels_t *px, const uint8_t *p);
static void art_pixels_named(art_pixels_t *px);
static void art_pixels_ispe(art_pixels_t *px, const uint8_t *p);
static void art_pixels_ipma(art_pixels_t *px, const uint8_t *p);
static void art_pixels_ipma_next(art_pixels_t *px);
static void art_pixels_ipma_item(art_pixels_t *px, const uint8_t *p);
static void art_pixels_ipma_link(art_pixels_t *px, const uint8_t *p);
static const art_pixels_size_t *art_pixels_size(const art_pixels_size_t *sizes,
    unsigned n, uint32_t id);
static void art_pixels_keep(art_pixels_size_t *sizes, unsigned *n, uint32_t id,
    uint32_t width, uint32_t height);
static void art_pixels_jxlp(art_pixels_t *px, const uint8_t *p);
static void art_pixels_jxl_more(art_pixels_t *px);
static void art_pixels_jxl_bytes(art_pixels_t *px, const uint8_t *p);
static uint64_t art_pixels_jxl_side(const uint8_t *p, unsigned *at,
    unsigned div8);
static uint32_t art_pixels_jxl_bits(const uint8_t *p, unsigned *at,
    unsigned n);


/*
 * The boxes that matter; all others are skipped.  "want" is what the step takes
 * of the box's content.
 */

static const struct {
    unsigned             level;
    const char          *type;
    art_pixels_step_pt   step;
    unsigned             want;
} art_pixels_boxes[] = {
    { ART_BOX_FILE, "meta", art_pixels_enter, 4 },
    { ART_BOX_META, "pitm", art_pixels_pitm, 6 },
    { ART_BOX_META, "iprp", art_pixels_enter, 0 },
    { ART_BOX_IPRP, "ipco", art_pixels_enter, 0 },
    { ART_BOX_IPRP, "ipma", art_pixels_ipma, 8 },
    { ART_BOX_IPCO, "ispe", art_pixels_ispe, 12 },
    { ART_BOX_FILE, "jxlc", art_pixels_jxlp, 0 },
    { ART_BOX_FILE, "jxlp", art_pixels_jxlp, 4 }
};


/* Of each format its signature, and its first item, which begins at 0. */

static const struct {
    unsigned             offset;
    unsigned             len;
    const char          *bytes;
    art_pixels_step_pt   step;
    unsigned             want;
} art_pixels_formats[] = {
    { B(0, "\x89PNG\r\n\x1a\n"), art_pixels_png, 24 },
    { B(0, "\xff\xd8\xff"), art_pixels_jpeg, 2 },
    { B(0, "GIF87a"), art_pixels_gif, 10 },
    { B(0, "GIF89a"), art_pixels_gif, 10 },
    { B(8, "WEBP"), art_pixels_webp, 20 },
    { B(0, "BM"), art_pixels_bmp, 26 },
    { B(0, "II*\0"), art_pixels_tiff, 8 },
    { B(0, "MM\0*"), art_pixels_tiff, 8 },
    { B(0, "II+\0\x08\0\0\0"), art_pixels_tiff, 16 },
    { B(0, "MM\0+\0\x08\0\0"), art_pixels_tiff, 16 },
    { B(4, "ftyp"), art_pixels_box, ART_PIXELS_BOX },
    { B(0, "\0\0\0\x0cJXL \r\n\x87\n"), art_pixels_box, ART_PIXELS_BOX },
    { B(0, "\xff\x0a"), art_pixels_jxl, ART_PIXELS_JXL }
};


/* The lossy, the lossless and the extended format of a WebP. */

static const struct {
    const char          *chunk;
    art_pixels_step_pt   step;
    unsigned             want;
} art_pixels_webps[] = {
    { "VP8 ", art_pixels_webp_lossy, 10 },
    { "VP8L", art_pixels_webp_lossless, 5 },
    { "VP8X", art_pixels_webp_extended, 10 }
};


/* A number of "n" (at most 8) bytes, MSB first. */

static inline uint64_t
art_pixels_msb(const uint8_t *p, unsigned n)
{
    unsigned  i;
    uint64_t  value;

    value = 0;

    for (i = 0; i < n; i++) {
        value = value << 8 | p[i];
    }

    return value;
}


static inline void
art_pixels_none(art_pixels_t *px)
{
    px->width = 0;
    px->height = 0;
    px->status = ART_PIXELS_NONE;
}


/* An image without a pixel is a broken one. */

static inline void
art_pixels_found(art_pixels_t *px, uint64_t width, uint64_t height)
{
    if (width == 0 || width > UINT32_MAX || height == 0 || height > UINT32_MAX)
    {
        art_pixels_none(px);
        return;
    }

    px->width = (uint32_t) width;
    px->height = (uint32_t) height;
    px->status = ART_PIXELS_DONE;
}


/*
 * The next item: "want" (1 to ART_PIXELS_HOLD) bytes, right behind the last
 * ones, or at "at".
 */

static inline void
art_pixels_then(art_pixels_t *px, art_pixels_step_pt step, unsigned want)
{
    px->step = step;
    px->want = want;
}


/* What has passed by cannot be read again. */

static inline void
art_pixels_go(art_pixels_t *px, uint64_t at, art_pixels_step_pt step,
    unsigned want)
{
    if (at < px->at || at >= ART_PIXELS_OFFSET_MAX) {
        art_pixels_none(px);
        return;
    }

    px->at = at;
    art_pixels_then(px, step, want);
}


void
art_pixels_init(art_pixels_t *px)
{
    memset(px, 0, offsetof(art_pixels_t, props));

    art_pixels_then(px, art_pixels_start, ART_PIXELS_START);

    px->ends[0] = ART_PIXELS_OFFSET_MAX;
}


art_pixels_status_t
art_pixels_feed(art_pixels_t *px, const uint8_t *p, size_t len)
{
    uint64_t  n;

    while (px->status == ART_PIXELS_MORE && len > 0) {

        if (px->offset < px->at) {
            n = px->at - px->offset;
            n = n < len ? n : len;

        } else {
            n = px->at + px->want - px->offset;
            n = n < len ? n : len;

            memcpy(px->hold + (px->offset - px->at), p, (size_t) n);
        }

        p += n;
        len -= (size_t) n;
        px->offset += n;

        if (px->offset < px->at + px->want) {
            continue;
        }

        if (px->steps++ == ART_PIXELS_STEPS) {
            art_pixels_none(px);
            break;
        }

        px->at += px->want;
        px->step(px, px->hold);
    }

    return px->status;
}


/* The bytes that have shown the format are read again, by its own steps. */

static void
art_pixels_start(art_pixels_t *px, const uint8_t *p)
{
    uint8_t   bytes[ART_PIXELS_START];
    unsigned  i;

    for (i = 0; i < art_nitems(art_pixels_formats); i++) {

        if (!art_bytes_at(p, ART_PIXELS_START, art_pixels_formats[i].offset,
                          art_pixels_formats[i].bytes,
                          art_pixels_formats[i].len))
        {
            continue;
        }

        memcpy(bytes, p, ART_PIXELS_START);

        px->at = 0;
        px->offset = 0;
        px->big = (bytes[0] == 'M');

        art_pixels_then(px, art_pixels_formats[i].step,
                        art_pixels_formats[i].want);
        (void) art_pixels_feed(px, bytes, ART_PIXELS_START);

        return;
    }

    art_pixels_none(px);
}


/*
 * PNG, third edition, sections 5.2, 5.3 and 11.2.1: the first chunk is IHDR,
 * which begins with width and height.  The frames of an animation are within
 * these.
 */

static void
art_pixels_png(art_pixels_t *px, const uint8_t *p)
{
    if (memcmp(p + 12, "IHDR", 4) != 0) {
        art_pixels_none(px);
        return;
    }

    art_pixels_found(px, art_pixels_msb(p + 16, 4), art_pixels_msb(p + 20, 4));
}


/* GIF89a, section 18: the logical screen, in which all frames are. */

static void
art_pixels_gif(art_pixels_t *px, const uint8_t *p)
{
    art_pixels_found(px, art_bytes_get(p + 6, 2), art_bytes_get(p + 8, 2));
}


/*
 * JPEG, ITU-T T.81, B.1.1: markers, most of them with a segment, up to the
 * first frame's.  All other segments are skipped with what is in them: Exif has
 * a JPEG of its own.
 */

static void
art_pixels_jpeg(art_pixels_t *px, const uint8_t *p)
{
    (void) p;

    art_pixels_then(px, art_pixels_jpeg_marker, 1);
}


/*
 * T.81, B.1.1.2 and table B.1: any number of FF may precede a marker.  Other
 * bytes are skipped, as libjpeg does.
 */

static void
art_pixels_jpeg_marker(art_pixels_t *px, const uint8_t *p)
{
    unsigned  c, ff;

    c = p[0];
    ff = px->ff;
    px->ff = (c == 0xff);

    art_pixels_then(px, art_pixels_jpeg_marker, 1);

    /* none, TEM, RSTm and SOI have no segment */

    if (!ff || c == 0xff || c <= 0x01 || (c >= 0xd0 && c <= 0xd8)) {
        return;
    }

    if (c == 0xd9 || c == 0xda) {

        /* EOI, SOS: there is no frame before it */

        art_pixels_none(px);
        return;
    }

    /* SOFn, which are not DHT, JPG and DAC; and DHP, of all frames */

    if ((c >= 0xc0 && c <= 0xcf && c != 0xc4 && c != 0xc8 && c != 0xcc)
        || c == 0xde)
    {
        art_pixels_then(px, art_pixels_jpeg_frame, 7);
        return;
    }

    art_pixels_then(px, art_pixels_jpeg_segment, 2);
}


static void
art_pixels_jpeg_segment(art_pixels_t *px, const uint8_t *p)
{
    uint64_t  len;

    len = art_pixels_msb(p, 2);

    if (len < 2) {
        art_pixels_none(px);
        return;
    }

    art_pixels_go(px, px->at + len - 2, art_pixels_jpeg_marker, 1);
}


/*
 * T.81, B.2.2: length, precision, lines, samples in a line.  The number of
 * lines may come only after the first scan (B.2.5): then it is 0.
 */

static void
art_pixels_jpeg_frame(art_pixels_t *px, const uint8_t *p)
{
    art_pixels_found(px, art_pixels_msb(p + 5, 2), art_pixels_msb(p + 3, 2));
}


/* RFC 9649, sections 2.4 to 2.7: the first chunk tells which format it is. */

static void
art_pixels_webp(art_pixels_t *px, const uint8_t *p)
{
    unsigned  i;

    for (i = 0; i < art_nitems(art_pixels_webps); i++) {
        if (memcmp(p + 12, art_pixels_webps[i].chunk, 4) == 0) {
            art_pixels_then(px, art_pixels_webps[i].step,
                            art_pixels_webps[i].want);
            return;
        }
    }

    art_pixels_none(px);
}


/* RFC 6386, section 9.1: a key frame, whose start code precedes its size. */

static void
art_pixels_webp_lossy(art_pixels_t *px, const uint8_t *p)
{
    if ((p[0] & 1) || memcmp(p + 3, "\x9d\x01\x2a", 3) != 0) {
        art_pixels_none(px);
        return;
    }

    art_pixels_found(px, art_bytes_get(p + 6, 2) & 0x3fff,
                     art_bytes_get(p + 8, 2) & 0x3fff);
}


/* RFC 9649, section 3.4: a signature, then twice 14 bits, less one. */

static void
art_pixels_webp_lossless(art_pixels_t *px, const uint8_t *p)
{
    uint64_t  bits;

    if (p[0] != 0x2f) {
        art_pixels_none(px);
        return;
    }

    bits = art_bytes_get(p + 1, 4);

    art_pixels_found(px, (bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1);
}


/* RFC 9649, section 2.7: four bytes of flags, then the canvas, less one. */

static void
art_pixels_webp_extended(art_pixels_t *px, const uint8_t *p)
{
    art_pixels_found(px, art_bytes_get(p + 4, 3) + 1,
                     art_bytes_get(p + 7, 3) + 1);
}


/*
 * BITMAPFILEHEADER of 14 bytes, then BITMAPCOREHEADER or BITMAPINFOHEADER and
 * what extends that (Windows GDI reference; the first bytes of OS/2's 2.x are
 * the same).  The height of an image whose first row is the top one is
 * negative.
 */

static void
art_pixels_bmp(art_pixels_t *px, const uint8_t *p)
{
    uint64_t  size, width, height;

    size = art_bytes_get(p + 14, 4);

    if (size == 12) {
        art_pixels_found(px, art_bytes_get(p + 18, 2),
                         art_bytes_get(p + 20, 2));
        return;
    }

    width = art_bytes_get(p + 18, 4);
    height = art_bytes_get(p + 22, 4);

    if (size < 16 || size > 1024 || width > INT32_MAX) {
        art_pixels_none(px);
        return;
    }

    if (height > INT32_MAX) {
        height = ((uint64_t) 1 << 32) - height;
    }

    art_pixels_found(px, width, height);
}


/*
 * TIFF 6.0, section 2: the offset of the first image's directory (IFD), which
 * may be anywhere.  BigTIFF (libtiff's specification) has offsets and counts of
 * 8 bytes, and says so.
 */

static void
art_pixels_tiff(art_pixels_t *px, const uint8_t *p)
{
    px->wide = (p[2] == '+' || p[3] == '+');

    if (px->wide) {
        art_pixels_go(px, art_pixels_tiff_number(px, p + 8, 8),
                      art_pixels_tiff_count, 8);

    } else {
        art_pixels_go(px, art_pixels_tiff_number(px, p + 4, 4),
                      art_pixels_tiff_count, 2);
    }
}


static void
art_pixels_tiff_count(art_pixels_t *px, const uint8_t *p)
{
    px->left = art_pixels_tiff_number(px, p, px->wide ? 8 : 2);

    if (px->left == 0) {
        art_pixels_none(px);
        return;
    }

    art_pixels_then(px, art_pixels_tiff_field, px->wide ? 20 : 12);
}


/*
 * TIFF 6.0, sections 2 and 8: tag, type, count, and the value itself if it is
 * short.  Width is 256, length (the height) 257; their types are SHORT, LONG,
 * or BigTIFF's LONG8.
 */

static void
art_pixels_tiff_field(art_pixels_t *px, const uint8_t *p)
{
    uint64_t  tag, type, value;
    unsigned  n;

    tag = art_pixels_tiff_number(px, p, 2);
    type = art_pixels_tiff_number(px, p + 2, 2);

    switch (type) {

    case 3:
        n = 2;
        break;

    case 4:
        n = 4;
        break;

    default:
        n = type == 16 && px->wide ? 8 : 0;
    }

    if (tag == 256 || tag == 257) {
        value = art_pixels_tiff_number(px, p + (px->wide ? 12 : 8), n);

        if (value == 0 || value > UINT32_MAX) {
            art_pixels_none(px);
            return;
        }

        *(tag == 256 ? &px->width : &px->height) = (uint32_t) value;
    }

    if (px->width != 0 && px->height != 0) {
        art_pixels_found(px, px->width, px->height);
        return;
    }

    if (--px->left == 0) {
        art_pixels_none(px);
    }
}


static uint64_t
art_pixels_tiff_number(const art_pixels_t *px, const uint8_t *p, unsigned n)
{
    return px->big ? art_pixels_msb(p, n) : art_bytes_get(p, n);
}


/*
 * ISO/IEC 14496-12, section 4.2: size and type; a size of 1 has 64 bits behind
 * the type, one of 0 means the rest of what the box is in.
 */

static void
art_pixels_box(art_pixels_t *px, const uint8_t *p)
{
    uint64_t  size;

    size = art_pixels_msb(p, 4);
    px->box = (uint32_t) art_pixels_msb(p + 4, 4);
    px->nboxes += (px->level == ART_BOX_IPCO);

    if (size == 1) {
        art_pixels_then(px, art_pixels_box_large, 8);
        return;
    }

    art_pixels_box_open(px, size, ART_PIXELS_BOX);
}


static void
art_pixels_box_large(art_pixels_t *px, const uint8_t *p)
{
    art_pixels_box_open(px, art_pixels_msb(p, 8), ART_PIXELS_BOX + 8);
}


/* The box's head of so many bytes has been read. */

static void
art_pixels_box_open(art_pixels_t *px, uint64_t size, unsigned head)
{
    unsigned  i;
    uint64_t  start, room;

    start = px->at - head;
    room = px->ends[px->level] - start;
    size = size == 0 ? room : size;

    if (px->at > px->ends[px->level] || size < head || size > room) {
        art_pixels_none(px);
        return;
    }

    px->end = start + size;

    for (i = 0; i < art_nitems(art_pixels_boxes); i++) {

        if (art_pixels_boxes[i].level != px->level
            || art_pixels_msb((const uint8_t *) art_pixels_boxes[i].type, 4)
               != px->box)
        {
            continue;
        }

        if (art_pixels_boxes[i].want == 0) {
            art_pixels_boxes[i].step(px, NULL);
            return;
        }

        art_pixels_box_then(px, art_pixels_boxes[i].step,
                            art_pixels_boxes[i].want);
        return;
    }

    art_pixels_box_next(px);
}


/* The next item of the box's content. */

static void
art_pixels_box_then(art_pixels_t *px, art_pixels_step_pt step, unsigned want)
{
    if (px->end - px->at < want) {
        art_pixels_none(px);
        return;
    }

    art_pixels_then(px, step, want);
}


/* Behind the box, and those that end with it. */

static void
art_pixels_box_next(art_pixels_t *px)
{
    while (px->level > ART_BOX_FILE && px->end == px->ends[px->level]) {

        if (--px->level == ART_BOX_FILE) {
            art_pixels_none(px);
            return;
        }
    }

    art_pixels_go(px, px->end, art_pixels_box, ART_PIXELS_BOX);
}


/*
 * "iprp" and "ipco" are plain boxes (ISO/IEC 14496-12, section 8.11.14), "meta"
 * has a version and flags (8.11.1).
 */

static void
art_pixels_enter(art_pixels_t *px, const uint8_t *p)
{
    (void) p;

    px->ends[++px->level] = px->end;

    if (px->at < px->end) {
        px->end = px->at;
    }

    art_pixels_box_next(px);
}


/*
 * The number of the primary item (ISO/IEC 14496-12, section 8.11.4): 16 bits,
 * or 32 in later versions.
 */

static void
art_pixels_pitm(art_pixels_t *px, const uint8_t *p)
{
    px->primary = (uint32_t) art_pixels_msb(p + 4, 2);

    if (p[0] > 0) {
        art_pixels_box_then(px, art_pixels_pitm_low, 2);
        return;
    }

    art_pixels_named(px);
}


static void
art_pixels_pitm_low(art_pixels_t *px, const uint8_t *p)
{
    px->primary = px->primary << 16 | (uint32_t) art_pixels_msb(p, 2);

    art_pixels_named(px);
}


/* It may come behind the items' properties. */

static void
art_pixels_named(art_pixels_t *px)
{
    const art_pixels_size_t  *size;

    px->named = 1;
    size = art_pixels_size(px->items, px->nitems, px->primary);

    if (size != NULL) {
        art_pixels_found(px, size->width, size->height);
        return;
    }

    art_pixels_box_next(px);
}


/* ISO/IEC 23008-12, section 6.5.3: width and height of an item, as stored. */

static void
art_pixels_ispe(art_pixels_t *px, const uint8_t *p)
{
    art_pixels_keep(px->props, &px->nprops, px->nboxes,
                    (uint32_t) art_pixels_msb(p + 4, 4),
                    (uint32_t) art_pixels_msb(p + 8, 4));

    art_pixels_box_next(px);
}


/*
 * ISO/IEC 14496-12, section 8.11.14: which item has which of the properties in
 * "ipco", by their numbers there, from 1 on.
 */

static void
art_pixels_ipma(art_pixels_t *px, const uint8_t *p)
{
    px->wide = p[0] > 0;
    px->large = (p[3] & 1) != 0;
    px->left = art_pixels_msb(p + 4, 4);

    art_pixels_ipma_next(px);
}


static void
art_pixels_ipma_next(art_pixels_t *px)
{
    if (px->left-- == 0) {
        art_pixels_box_next(px);
        return;
    }

    art_pixels_box_then(px, art_pixels_ipma_item, px->wide ? 5 : 3);
}


static void
art_pixels_ipma_item(art_pixels_t *px, const uint8_t *p)
{
    unsigned  n;

    n = px->wide ? 4 : 2;

    px->item = (uint32_t) art_pixels_msb(p, n);
    px->links = p[n];

    if (px->named && px->item != px->primary) {
        px->at += px->large ? 2 * px->links : px->links;
        px->links = 0;

        if (px->at > px->end) {
            art_pixels_none(px);
            return;
        }
    }

    if (px->links == 0) {
        art_pixels_ipma_next(px);
        return;
    }

    art_pixels_box_then(px, art_pixels_ipma_link, px->large ? 2 : 1);
}


/* The first bit is not of the number: a reader must know the property. */

static void
art_pixels_ipma_link(art_pixels_t *px, const uint8_t *p)
{
    uint32_t                  id;
    const art_pixels_size_t  *size;

    id = px->large ? (uint32_t) art_pixels_msb(p, 2) & 0x7fff : p[0] & 0x7fu;
    size = art_pixels_size(px->props, px->nprops, id);

    if (size != NULL && px->named) {
        art_pixels_found(px, size->width, size->height);
        return;
    }

    if (size != NULL) {
        art_pixels_keep(px->items, &px->nitems, px->item, size->width,
                        size->height);
    }

    if (--px->links == 0) {
        art_pixels_ipma_next(px);
        return;
    }

    art_pixels_box_then(px, art_pixels_ipma_link, px->large ? 2 : 1);
}


static const art_pixels_size_t *
art_pixels_size(const art_pixels_size_t *sizes, unsigned n, uint32_t id)
{
    unsigned  i;

    for (i = 0; i < n; i++) {
        if (sizes[i].id == id) {
            return &sizes[i];
        }
    }

    return NULL;
}


/* Of a file with more of them the image's size may not be known. */

static void
art_pixels_keep(art_pixels_size_t *sizes, unsigned *n, uint32_t id,
    uint32_t width, uint32_t height)
{
    if (*n < ART_PIXELS_SIZES) {
        sizes[*n].id = id;
        sizes[*n].width = width;
        sizes[*n].height = height;
        (*n)++;
    }
}


/*
 * ISO/IEC 18181-2, sections 9.7 and 9.8: the codestream is in one box, or in
 * pieces, each of which begins with four bytes for its number.
 */

static void
art_pixels_jxlp(art_pixels_t *px, const uint8_t *p)
{
    (void) p;

    art_pixels_jxl_more(px);
}


static void
art_pixels_jxl_more(art_pixels_t *px)
{
    uint64_t  n;

    n = px->end - px->at;
    n = n < ART_PIXELS_JXL - px->nhead ? n : ART_PIXELS_JXL - px->nhead;

    if (n == 0) {
        art_pixels_box_next(px);
        return;
    }

    art_pixels_then(px, art_pixels_jxl_bytes, (unsigned) n);
}


static void
art_pixels_jxl_bytes(art_pixels_t *px, const uint8_t *p)
{
    memcpy(px->head + px->nhead, p, px->want);
    px->nhead += px->want;

    if (px->nhead == ART_PIXELS_JXL) {
        art_pixels_jxl(px, px->head);
        return;
    }

    art_pixels_box_next(px);
}


/*
 * ISO/IEC 18181-1, section D.2 (SizeHeader): bits, LSB first, behind a
 * signature of two bytes.  The width may be a ratio of the height.
 */

static void
art_pixels_jxl(art_pixels_t *px, const uint8_t *p)
{
    unsigned  at, div8, ratio;
    uint64_t  width, height;

    static const uint8_t  ratios[][2] = {
        { 1, 1 }, { 12, 10 }, { 4, 3 }, { 3, 2 }, { 16, 9 }, { 5, 4 }, { 2, 1 }
    };

    if (p[0] != 0xff || p[1] != 0x0a) {
        art_pixels_none(px);
        return;
    }

    at = 16;

    div8 = art_pixels_jxl_bits(p, &at, 1);
    height = art_pixels_jxl_side(p, &at, div8);
    ratio = art_pixels_jxl_bits(p, &at, 3);

    width = ratio == 0 ? art_pixels_jxl_side(p, &at, div8)
                       : height * ratios[ratio - 1][0] / ratios[ratio - 1][1];

    art_pixels_found(px, width, height);
}


static uint64_t
art_pixels_jxl_side(const uint8_t *p, unsigned *at, unsigned div8)
{
    static const uint8_t  bits[] = { 9, 13, 18, 30 };

    if (div8) {
        return ((uint64_t) art_pixels_jxl_bits(p, at, 5) + 1) * 8;
    }

    return (uint64_t) art_pixels_jxl_bits(p, at,
                                  bits[art_pixels_jxl_bits(p, at, 2)]) + 1;
}


static uint32_t
art_pixels_jxl_bits(const uint8_t *p, unsigned *at, unsigned n)
{
    unsigned  i;
    uint32_t  value;

    value = 0;

    for (i = 0; i < n; i++, (*at)++) {
        value |= (uint32_t) (p[*at / 8] >> *at % 8 & 1) << i;
    }

    return value;
}
