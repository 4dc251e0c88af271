
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Hashes of bytes.
 */


#ifndef ART_HASH_H_INCLUDED_
#define ART_HASH_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * FNV-1a, 64 bits (draft-eastlake-fnv): no defence against those who look for
 * a collision.  Start with ART_HASH_INIT, feed any number of pieces; where they
 * are cut does not count, nor does the machine: it may be stored.
 */

#define ART_HASH_INIT   0xcbf29ce484222325
#define ART_HASH_PRIME  0x100000001b3

static inline uint64_t
art_hash(uint64_t hash, const void *data, size_t len)
{
    const uint8_t  *p;

    for (p = data; len > 0; len--) {
        hash = (hash ^ *p++) * ART_HASH_PRIME;
    }

    return hash;
}


/*
 * The same by words instead of bytes, with the upper half folded in, as a
 * product only carries upwards: faster, but where pieces are cut counts, and
 * the order of bytes in a word.
 */

static inline uint64_t
art_hash_words(uint64_t hash, const void *data, size_t len)
{
    uint64_t        word;
    const uint8_t  *p;

    for (p = data; len >= sizeof(word); len -= sizeof(word)) {
        memcpy(&word, p, sizeof(word));
        p += sizeof(word);

        hash = (hash ^ word) * ART_HASH_PRIME;
        hash ^= hash >> 32;
    }

    hash = art_hash(hash, p, len);

    return hash ^ hash >> 32;
}


/*
 * SipHash-1-3 (J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input
 * PRF", 2012): whoever does not know the key cannot look for collisions.
 */

uint64_t art_hash_keyed(const uint64_t key[2], const void *data, size_t len);


#endif /* ART_HASH_H_INCLUDED_ */
