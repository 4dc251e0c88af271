
/*
 * Copyright (C) ngx_artifact_module authors
 */


#ifndef _GNU_SOURCE
/* memmem(), memrchr(); NOLINTNEXTLINE(bugprone-reserved-identifier) */
#define _GNU_SOURCE
#endif

#include "core/base/art_bytes.h"
#include "core/base/art_search.h"
#include "core/base/art_simd.h"

#ifdef ART_SIMD_X86
#include <immintrin.h>
#endif


/* Longer strings are left to memmem(), whose time is linear in any case. */

#define ART_SEARCH_SHORT  64

/* Eight bytes of 01 and of 7F. */

#define ART_SEARCH_ONES   0x0101010101010101ULL
#define ART_SEARCH_LOW    0x7f7f7f7f7f7f7f7fULL


#ifdef ART_SIMD_X86
static size_t art_search_count_avx2(const uint8_t **src, size_t *len,
    uint8_t c);
static const uint8_t *art_search_str_avx2(const uint8_t *p, size_t len,
    art_str_t s);
#endif


size_t
art_search_count(const uint8_t *p, size_t len, uint8_t c)
{
    size_t    n;
    uint64_t  v;

    n = 0;

#ifdef ART_SIMD_X86

    if (art_simd_level() >= ART_SIMD_AVX2) {
        n = art_search_count_avx2(&p, &len, c);
    }

#endif

    for ( /* void */ ; len >= 8; p += 8, len -= 8) {
        v = art_bytes_get8(p) ^ (ART_SEARCH_ONES * c);

        /* the high bit of each byte that is now 0, and of no other */

        v = ~(((v & ART_SEARCH_LOW) + ART_SEARCH_LOW) | v | ART_SEARCH_LOW);
        n += (size_t) ((v >> 7) * ART_SEARCH_ONES >> 56);
    }

    while (len > 0) {
        n += *p++ == c;
        len--;
    }

    return n;
}


const uint8_t *
art_search_str(const uint8_t *p, size_t len, art_str_t s)
{
#ifdef ART_SIMD_X86

    if (art_simd_level() >= ART_SIMD_AVX2 && s.len <= ART_SEARCH_SHORT) {
        return art_search_str_avx2(p, len, s);
    }

#endif

    return memmem(p, len, s.data, s.len);
}


const uint8_t *
art_search_last(const uint8_t *p, size_t len, uint8_t c)
{
    return memrchr(p, c, len);
}


#ifdef ART_SIMD_X86

art_target_avx2
static size_t
art_search_count_avx2(const uint8_t **src, size_t *len, uint8_t c)
{
    size_t   n;
    __m256i  v, wanted;

    n = 0;
    wanted = _mm256_set1_epi8((char) c);

    for ( /* void */ ; *len >= 32; *src += 32, *len -= 32) {
        v = _mm256_loadu_si256((const __m256i *) (const void *) *src);
        v = _mm256_cmpeq_epi8(v, wanted);
        n += (size_t) _mm_popcnt_u32((unsigned) _mm256_movemask_epi8(v));
    }

    return n;
}


/* Compares where both the first and the last byte are the string's. */

art_target_avx2
static const uint8_t *
art_search_str_avx2(const uint8_t *p, size_t len, art_str_t s)
{
    size_t          n;
    __m256i         first, last, a, b;
    unsigned        found;
    const uint8_t  *at;

    first = _mm256_set1_epi8((char) s.data[0]);
    last = _mm256_set1_epi8((char) s.data[s.len - 1]);

    for (n = s.len - 1; len >= n + 32; p += 32, len -= 32) {
        a = _mm256_loadu_si256((const __m256i *) (const void *) p);
        b = _mm256_loadu_si256((const __m256i *) (const void *) (p + n));
        a = _mm256_and_si256(_mm256_cmpeq_epi8(a, first),
                             _mm256_cmpeq_epi8(b, last));

        for (found = (unsigned) _mm256_movemask_epi8(a); found != 0;
             found &= found - 1)
        {
            at = p + __builtin_ctz(found);

            if (memcmp(at, s.data, s.len) == 0) {
                return at;
            }
        }
    }

    return memmem(p, len, s.data, s.len);
}

#endif
