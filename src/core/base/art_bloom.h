
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A Bloom filter (B. H. Bloom, "Space/time trade-offs in hash coding with
 * allowable errors", 1970): tells when a string is certainly not in a set.
 */


#ifndef ART_BLOOM_H_INCLUDED_
#define ART_BLOOM_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * Strings are hashed in lower case (ASCII), for file systems on which "A" is
 * "a".  A random "seed" keeps whoever chooses the strings from choosing false
 * positives.  "words" is owned by the filter.
 */

typedef struct {
    uint64_t   seed[2];
    uint64_t  *words;
    size_t     size;             /* words, a power of 2; 0: no filter */
    size_t     n;                /* strings that were added */
} art_bloom_t;


/* Only so many bytes of a string count. */

#define ART_BLOOM_STRING_MAX  256


/*
 * Makes an empty filter of "size" words of 64 bits, a power of 2; ART_ERROR
 * when out of memory.  art_bloom_free() also takes a zeroed filter.
 */

int art_bloom_init(art_bloom_t *bloom, size_t size, const uint64_t seed[2]);
void art_bloom_free(art_bloom_t *bloom);


/*
 * Enlarges the filter to "size" words.  This does not reduce false positives
 * for the strings that were added before.  ART_ERROR when out of memory: the
 * filter has not changed then.
 */

int art_bloom_grow(art_bloom_t *bloom, size_t size);


/*
 * Frees the memory beyond 16 bits for each string.  With 16 bits, about one of
 * 400 other strings is a false positive; with 8, one of 40; with 4, one of 6.
 */

void art_bloom_shrink(art_bloom_t *bloom);


void art_bloom_add(art_bloom_t *bloom, art_str_t s);

/* 0: it was not added; 1: it may have been. */

int art_bloom_has(const art_bloom_t *bloom, art_str_t s);


#endif /* ART_BLOOM_H_INCLUDED_ */
