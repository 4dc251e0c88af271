
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Bytes of files: little-endian numbers on any machine, at any alignment, and
 * strings.
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


/* Whether the "n" bytes are at "offset" of the "len" bytes at "p". */

static inline int
art_bytes_at(const uint8_t *p, size_t len, size_t offset, const char *bytes,
    size_t n)
{
    return offset <= len && n <= len - offset
           && (n == 0 || (p[offset] == (uint8_t) bytes[0]
                          && memcmp(p + offset, bytes, n) == 0));
}


/* The first occurrence of a zero-terminated string, or NULL. */

static inline const uint8_t *
art_bytes_find(const uint8_t *p, size_t len, const char *bytes)
{
    size_t          n;
    const uint8_t  *last;

    n = strlen(bytes);

    if (len < n) {
        return NULL;
    }

    for (last = p + len - n; p <= last; p++) {
        p = memchr(p, bytes[0], (size_t) (last - p) + 1);

        if (p == NULL || memcmp(p, bytes, n) == 0) {
            return p;
        }
    }

    return NULL;
}


#endif /* ART_BYTES_H_INCLUDED_ */
