
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_base64_decode.h"


/* White space, padding, anything else. */

#define S  64
#define P  65
#define X  66


static void art_base64_decode_one(art_base64_decode_t *st, uint8_t **dst,
    uint8_t c);


static const uint8_t  art_base64_digits[128] = {
     X,  X,  X,  X,  X,  X,  X,  X,  X,  S,  S,  X,  X,  S,  X,  X,
     X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,
     S,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X, 62,  X, 62,  X, 63,
    52, 53, 54, 55, 56, 57, 58, 59, 60, 61,  X,  X,  X,  P,  X,  X,
     X,  0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14,
    15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,  X,  X,  X,  X, 63,
     X, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
    41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51,  X,  X,  X,  X,  X
};


#define art_base64_digit(c)  ((c) < 128 ? art_base64_digits[c] : X)


size_t
art_base64_decode(art_base64_decode_t *st, uint8_t *dst, const uint8_t *src,
    size_t len)
{
    uint8_t        *out;
    uint32_t        a, b, c, d;
    const uint8_t  *end;

    out = dst;
    end = src + len;

    while (src < end && !st->bad) {

        while (st->held == 0 && st->pads == 0 && end - src >= 4) {
            a = art_base64_digit(src[0]);
            b = art_base64_digit(src[1]);
            c = art_base64_digit(src[2]);
            d = art_base64_digit(src[3]);

            if (((a | b | c | d) & 64) != 0) {
                break;
            }

            a = a << 18 | b << 12 | c << 6 | d;

            *out++ = (uint8_t) (a >> 16);
            *out++ = (uint8_t) (a >> 8);
            *out++ = (uint8_t) a;

            st->digits += 4;
            src += 4;
        }

        if (src < end) {
            art_base64_decode_one(st, &out, *src++);
        }
    }

    return (size_t) (out - dst);
}


static void
art_base64_decode_one(art_base64_decode_t *st, uint8_t **dst, uint8_t c)
{
    uint8_t  digit;

    digit = art_base64_digit(c);

    if (digit == S) {
        return;
    }

    st->digits++;

    if (digit == P) {
        st->pads++;
        st->bad = st->held < 2 || st->held + st->pads > 4;
        return;
    }

    if (digit == X || st->pads > 0) {
        st->bad = 1;
        return;
    }

    st->bits = st->bits << 6 | digit;

    if (++st->held == 4) {
        *(*dst)++ = (uint8_t) (st->bits >> 16);
        *(*dst)++ = (uint8_t) (st->bits >> 8);
        *(*dst)++ = (uint8_t) st->bits;

        st->held = 0;
    }
}


size_t
art_base64_decode_end(art_base64_decode_t *st, uint8_t *dst)
{
    if (st->held == 1 || (st->pads > 0 && st->held + st->pads != 4)) {
        st->bad = 1;
    }

    if (st->bad || st->held == 0) {
        return 0;
    }

    st->bits <<= 6 * (4 - st->held);

    dst[0] = (uint8_t) (st->bits >> 16);
    dst[1] = (uint8_t) (st->bits >> 8);

    return st->held - 1;
}
