
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Texts, right and wrong, for the tests of UTF-8.
 */


#ifndef UTF8_RANDOM_H_INCLUDED_
#define UTF8_RANDOM_H_INCLUDED_


#include "naive_utf8.h"
#include "tap.h"


/* The bytes at which the rules of Unicode's table 3-7 change. */

static const uint8_t  edges[] = {
    0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2,
    0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5,
    0xff
};

#define NEDGES  sizeof(edges)


/* Text of random characters and lengths of runs; returns its length. */

static size_t
random_text(uint8_t *dst, size_t max)
{
    size_t    n, run;
    uint32_t  code, range;

    static const uint32_t  ranges[] = { 0x80, 0x800, 0x10000, 0x110000 };

    n = 0;
    run = 0;
    range = 0x80;

    while (n + 4 <= max) {
        if (run-- == 0) {
            run = tap_below(40);
            range = ranges[tap_below(4)];
        }

        code = (uint32_t) tap_below(range);
        n += naive_encode(dst + n, code);
    }

    return n;
}


static NAIVE_UNUSED void
mutate(uint8_t *p, size_t len, size_t times)
{
    while (len > 0 && times-- > 0) {
        p[tap_below(len)] = tap_below(2) ? edges[tap_below(NEDGES)]
                                         : (uint8_t) tap_rand();
    }
}


#endif /* UTF8_RANDOM_H_INCLUDED_ */
