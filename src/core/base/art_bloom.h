
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A Bloom filter (B. H. Bloom, "Space/time trade-offs in hash coding with
 * allowable errors", 1970): whether a string is certainly not one of many.
 */


#ifndef ART_BLOOM_H_INCLUDED_
#define ART_BLOOM_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * Strings are hashed in lower case (ASCII), for file systems on which "A" is
 * "a".  "seed" keeps those who choose the strings from choosing which are
 * taken for others.  "words" is owned by the filter.
 */

typedef struct {
    uint64_t   seed[2];
    uint64_t  *words;
    size_t     size;             /* of them, a power of 2; 0: no filter */
    size_t     n;                /* strings that were added */
} art_bloom_t;


/* The longest string; of longer ones the beginning counts. */

#define ART_BLOOM_STRING_MAX  256


/*
 * An empty filter of "size" words of 64 bits, a power of 2; ART_ERROR when out
 * of memory.  art_bloom_free() may be called on one that was not made, but
 * zeroed.
 */

int art_bloom_init(art_bloom_t *bloom, size_t size, const uint64_t seed[2]);
void art_bloom_free(art_bloom_t *bloom);


/*
 * Makes it as large as "size" words: what was added to it before is told apart
 * no better than it was.  ART_ERROR when out of memory, it is as it was then.
 */

int art_bloom_grow(art_bloom_t *bloom, size_t size);


/*
 * Gives back the memory that it does not need to have 16 bits for each string,
 * with which about one other of 400 is taken for one of them; with 8 it is one
 * of 40, with 4 one of 6.
 */

void art_bloom_shrink(art_bloom_t *bloom);


void art_bloom_add(art_bloom_t *bloom, art_str_t s);

/* 0: it was not added; 1: it may have been. */

int art_bloom_has(const art_bloom_t *bloom, art_str_t s);


#endif /* ART_BLOOM_H_INCLUDED_ */
