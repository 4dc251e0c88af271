
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The stream of items, and the formats that are no boxes in boxes.
 */


#include "core/base/art_bytes.h"
#include "core/media/art_pixels.h"
#include "core/media/art_pixels_int.h"


/* Bytes that show the format: the smallest of images have more. */

#define ART_PIXELS_START  12


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


#define B(offset, bytes)  offset, sizeof(bytes) - 1, bytes


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

    art_pixels_go(px, px->wide ? art_pixels_tiff_number(px, p + 8, 8)
                               : art_pixels_tiff_number(px, p + 4, 4),
                  art_pixels_tiff_count, px->wide ? 8 : 2);
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
