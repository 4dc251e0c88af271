
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  The first byte says how the rest, an image, is cut.
 * Whatever it is: the same is found whole, in pieces, and where only what is
 * needed is read, and at most ART_PIXELS_STEPS items are.
 */


#include <stdlib.h>

#include "core/media/art_pixels.h"


#define check(cond)  do { if (!(cond)) { abort(); } } while (0)


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


/* Pieces of their own memory, so that a sanitizer sees one byte more. */

static art_pixels_status_t
fuzz_feed(art_pixels_t *px, const uint8_t *p, size_t len)
{
    uint8_t              *copy;
    art_pixels_status_t   status;

    copy = malloc(len);
    check(copy != NULL);
    memcpy(copy, p, len);

    status = art_pixels_feed(px, copy, len);

    free(copy);

    return status;
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t               i, n, piece;
    uint64_t             at;
    art_pixels_t         whole, cut, seek;
    art_pixels_status_t  status;

    if (size < 2) {
        return 0;
    }

    piece = data[0] % 40u + 1u;
    data++;
    size--;

    art_pixels_init(&whole);
    status = fuzz_feed(&whole, data, size);
    check(whole.steps <= ART_PIXELS_STEPS + 1);
    check(status != ART_PIXELS_DONE || (whole.width > 0 && whole.height > 0));

    art_pixels_init(&cut);

    for (i = 0; i < size; i += n) {
        n = piece < size - i ? piece : size - i;
        (void) fuzz_feed(&cut, data + i, n);
    }

    art_pixels_init(&seek);

    for ( ;; ) {
        at = art_pixels_next(&seek);

        if (at >= size || seek.status != ART_PIXELS_MORE) {
            break;
        }

        n = piece < size - at ? piece : (size_t) (size - at);

        art_pixels_skip(&seek);
        (void) fuzz_feed(&seek, data + at, n);
    }

    check(cut.status == status && seek.status == status);
    check(cut.width == whole.width && cut.height == whole.height);
    check(seek.width == whole.width && seek.height == whole.height);

    return 0;
}
