
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/base/art_bloom.h"
#include "core/base/art_hash.h"


#define ART_BLOOM_BITS    4      /* bits that each string sets */
#define ART_BLOOM_SHARE   16     /* bits for each string, if there is room */


static void art_bloom_bits(const art_bloom_t *bloom, art_str_t s,
    size_t bits[ART_BLOOM_BITS]);


int
art_bloom_init(art_bloom_t *bloom, size_t size, const uint64_t seed[2])
{
    bloom->words = calloc(size, sizeof(uint64_t));
    if (bloom->words == NULL) {
        return ART_ERROR;
    }

    bloom->seed[0] = seed[0];
    bloom->seed[1] = seed[1];
    bloom->size = size;
    bloom->n = 0;

    return ART_OK;
}


void
art_bloom_free(art_bloom_t *bloom)
{
    free(bloom->words);

    bloom->words = NULL;
    bloom->size = 0;
    bloom->n = 0;
}


/* Indexes are the low bits of a hash; twice the size takes one bit more. */

int
art_bloom_grow(art_bloom_t *bloom, size_t size)
{
    size_t     i;
    uint64_t  *words;

    if (size <= bloom->size) {
        return ART_OK;
    }

    words = malloc(size * sizeof(uint64_t));
    if (words == NULL) {
        return ART_ERROR;
    }

    for (i = 0; i < size; i += bloom->size) {
        memcpy(words + i, bloom->words, bloom->size * sizeof(uint64_t));
    }

    free(bloom->words);

    bloom->words = words;
    bloom->size = size;

    return ART_OK;
}


void
art_bloom_shrink(art_bloom_t *bloom)
{
    size_t     i, size;
    uint64_t  *words;

    size = bloom->size;

    while (size > 1 && size / 2 * 64 >= bloom->n * ART_BLOOM_SHARE) {
        size /= 2;

        for (i = 0; i < size; i++) {
            bloom->words[i] |= bloom->words[size + i];
        }
    }

    words = size > 0 ? realloc(bloom->words, size * sizeof(uint64_t)) : NULL;

    if (words != NULL) {
        bloom->words = words;
    }

    bloom->size = size;
}


void
art_bloom_add(art_bloom_t *bloom, art_str_t s)
{
    size_t  i, bits[ART_BLOOM_BITS];

    art_bloom_bits(bloom, s, bits);

    for (i = 0; i < ART_BLOOM_BITS; i++) {
        bloom->words[bits[i] / 64] |= (uint64_t) 1 << bits[i] % 64;
    }

    bloom->n++;
}


int
art_bloom_has(const art_bloom_t *bloom, art_str_t s)
{
    size_t  i, bits[ART_BLOOM_BITS];

    art_bloom_bits(bloom, s, bits);

    for (i = 0; i < ART_BLOOM_BITS; i++) {
        if ((bloom->words[bits[i] / 64] & (uint64_t) 1 << bits[i] % 64) == 0) {
            return 0;
        }
    }

    return 1;
}


/* Double hashing (A. Kirsch and M. Mitzenmacher, 2006): one hash gives all. */

static void
art_bloom_bits(const art_bloom_t *bloom, art_str_t s,
    size_t bits[ART_BLOOM_BITS])
{
    size_t    i, len;
    uint8_t   lower[ART_BLOOM_STRING_MAX];
    uint64_t  hash;

    len = s.len < sizeof(lower) ? s.len : sizeof(lower);

    for (i = 0; i < len; i++) {
        lower[i] = art_char_lower(s.data[i]);
    }

    hash = art_hash_keyed(bloom->seed, lower, len);

    for (i = 0; i < ART_BLOOM_BITS; i++) {
        bits[i] = (size_t) (hash + i * (hash >> 32 | 1))
                  & (bloom->size * 64 - 1);
    }
}
