
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_uuid.h"


#define ART_UUID_MS   1000000        /* nanoseconds */
#define ART_UUID_DAY  ((uint64_t) 86400000 << 12)


static uint8_t *art_uuid_hex(uint8_t *p, uint64_t n, unsigned digits);


void
art_uuid_v7(uint8_t *dst, uint64_t *last, uint64_t now,
    const uint8_t *random)
{
    uint64_t  time, bits;

    /* 48 bits of milliseconds, 12 bits of their fraction */

    time = now / ART_UUID_MS << 12
           | (now % ART_UUID_MS << 12) / ART_UUID_MS;

    if (time <= *last && *last - time < ART_UUID_DAY) {
        time = *last + 1;
    }

    *last = time;

    memcpy(&bits, random, sizeof(bits));

    /* the variant, binary 10 */

    bits = (bits & 0x3fffffffffffffff) | 0x8000000000000000;

    dst = art_uuid_hex(dst, time >> 28, 8);
    *dst++ = '-';
    dst = art_uuid_hex(dst, time >> 12, 4);
    *dst++ = '-';
    dst = art_uuid_hex(dst, 0x7000 | (time & 0xfff), 4);
    *dst++ = '-';
    dst = art_uuid_hex(dst, bits >> 48, 4);
    *dst++ = '-';
    (void) art_uuid_hex(dst, bits, 12);
}


/* The lower "digits" digits of "n". */

static uint8_t *
art_uuid_hex(uint8_t *p, uint64_t n, unsigned digits)
{
    unsigned           i;
    static const char  hex[] = "0123456789abcdef";

    for (i = digits; i > 0; i--) {
        p[i - 1] = (uint8_t) hex[n & 0x0f];
        n >>= 4;
    }

    return p + digits;
}
