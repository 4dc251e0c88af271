
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * How the formats' rules are written: a step takes an item, a few bytes at an
 * offset, and says which item comes next, or what the image's size is.
 */


#ifndef ART_PIXELS_INT_H_INCLUDED_
#define ART_PIXELS_INT_H_INCLUDED_


#include "core/media/art_pixels.h"


/* All offsets are smaller: the sum of two of them does not overflow. */

#define ART_PIXELS_OFFSET_MAX  ((uint64_t) 1 << 62)


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


/*
 * The first steps of what consists of boxes, and that of a bare JPEG XL, in
 * art_pixels_box.c.
 */

#define ART_PIXELS_BOX  8        /* bytes of a box's head */

void art_pixels_box(art_pixels_t *px, const uint8_t *p);
void art_pixels_jxl(art_pixels_t *px, const uint8_t *p);


#endif /* ART_PIXELS_INT_H_INCLUDED_ */
