
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Images in boxes: HEIF and AVIF, JPEG XL; and the latter's size.
 */


#include "core/media/art_pixels.h"
#include "core/media/art_pixels_int.h"


/* Boxes in boxes: the file, then "meta", "iprp", "ipco" in each other. */

#define ART_BOX_FILE  0
#define ART_BOX_META  1
#define ART_BOX_IPRP  2
#define ART_BOX_IPCO  3


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


/*
 * ISO/IEC 14496-12, section 4.2: size and type; a size of 1 has 64 bits behind
 * the type, one of 0 means the rest of what the box is in.
 */

void
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

void
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
