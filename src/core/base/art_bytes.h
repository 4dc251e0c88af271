
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Numbers in files: little-endian on any machine, at any alignment.
 */


#ifndef ART_BYTES_H_INCLUDED_
#define ART_BYTES_H_INCLUDED_


#include "core/base/art_core.h"


/* Writes the "size" (at most 8) low bytes of "n"; returns the end. */

static inline uint8_t *
art_bytes_put(uint8_t *p, uint64_t n, unsigned size)
{
    unsigned  i;

    for (i = 0; i < size; i++) {
        *p++ = (uint8_t) (n >> 8 * i);
    }

    return p;
}


/* Reads eight bytes, in a form that compilers turn into one load. */

static inline uint64_t
art_bytes_get8(const uint8_t *p)
{
    return (uint64_t) p[0] | (uint64_t) p[1] << 8
           | (uint64_t) p[2] << 16 | (uint64_t) p[3] << 24
           | (uint64_t) p[4] << 32 | (uint64_t) p[5] << 40
           | (uint64_t) p[6] << 48 | (uint64_t) p[7] << 56;
}


static inline uint64_t
art_bytes_get(const uint8_t *p, unsigned size)
{
    uint64_t  n;
    unsigned  i;

    n = 0;

    for (i = 0; i < size; i++) {
        n |= (uint64_t) p[i] << 8 * i;
    }

    return n;
}


#endif /* ART_BYTES_H_INCLUDED_ */
