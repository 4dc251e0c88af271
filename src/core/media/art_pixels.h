
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Width and height of an image in pixels, from its head, without decoding:
 * PNG, JPEG, GIF, WebP, HEIF, AVIF, BMP, TIFF, JPEG XL.  They are those that
 * are stored: a rotation that metadata ask for is not applied.
 */


#ifndef ART_PIXELS_H_INCLUDED_
#define ART_PIXELS_H_INCLUDED_


#include "core/base/art_core.h"


#define ART_PIXELS_HOLD    32    /* bytes of an item, which are read at once */
#define ART_PIXELS_STEPS   16384 /* items that are read at most */
#define ART_PIXELS_NESTED  4     /* boxes in boxes, the file itself included */
#define ART_PIXELS_SIZES   32    /* sizes that are kept of a HEIF */
#define ART_PIXELS_JXL     11    /* bytes that have the size of a JPEG XL */


typedef enum {
    ART_PIXELS_MORE = 0,         /* more bytes are needed */
    ART_PIXELS_DONE,             /* width and height are known */
    ART_PIXELS_NONE              /* and never will be */
} art_pixels_status_t;


typedef struct art_pixels_s  art_pixels_t;

/* Takes an item of px->want bytes at "p". */

typedef void (*art_pixels_step_pt)(art_pixels_t *px, const uint8_t *p);


typedef struct {
    uint32_t            id;          /* of the property or the item */
    uint32_t            width;
    uint32_t            height;
} art_pixels_size_t;


/* Some 900 bytes.  All but "width" and "height" is private. */

struct art_pixels_s {
    uint32_t            width;       /* 1 to UINT32_MAX once they are known */
    uint32_t            height;

    art_pixels_status_t  status;
    art_pixels_step_pt  step;
    uint64_t            offset;      /* of the next byte that is fed */
    uint64_t            at;          /* of the item that is read */
    unsigned            want;        /* its bytes */
    unsigned            steps;
    uint8_t             hold[ART_PIXELS_HOLD];

    unsigned            big:1;       /* TIFF: MSB first */
    unsigned            wide:1;      /* BigTIFF; ids of 32 bits in "ipma" */
    unsigned            large:1;     /* and indices of 15 bits */
    unsigned            ff:1;        /* JPEG: FF has come */
    unsigned            named:1;     /* HEIF: "primary" is known */
    uint64_t            left;        /* entries still to come */

    unsigned            level;       /* of boxes in boxes */
    uint64_t            ends[ART_PIXELS_NESTED];
    uint64_t            end;         /* of the last box */
    uint32_t            box;         /* and its type */
    uint32_t            primary;     /* item */
    uint32_t            item;        /* whose properties are read */
    unsigned            links;       /* properties of it still to come */
    uint32_t            nboxes;      /* properties of any kind */
    unsigned            nprops;      /* those with a size, and items */
    unsigned            nitems;
    unsigned            nhead;       /* bytes of a JPEG XL */
    uint8_t             head[ART_PIXELS_JXL];
    art_pixels_size_t   props[ART_PIXELS_SIZES];
    art_pixels_size_t   items[ART_PIXELS_SIZES];
};


void art_pixels_init(art_pixels_t *px);


/*
 * Reads the next bytes of the content, cut anywhere.  Returns the status, which
 * does not change any more once it is not ART_PIXELS_MORE; a content that ends
 * before that is one whose size is not known.
 */

art_pixels_status_t art_pixels_feed(art_pixels_t *px, const uint8_t *p,
    size_t len);


/*
 * The offset of the first byte that is needed, at or behind that of the next
 * byte: what is before it does not matter.  The second function skips to that
 * offset, which is then that of the next byte to be fed.
 */

static inline uint64_t
art_pixels_next(const art_pixels_t *px)
{
    return px->at > px->offset ? px->at : px->offset;
}


static inline void
art_pixels_skip(art_pixels_t *px)
{
    px->offset = art_pixels_next(px);
}


#endif /* ART_PIXELS_H_INCLUDED_ */
