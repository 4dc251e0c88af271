
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Hashes of bytes.
 */


#ifndef ART_HASH_H_INCLUDED_
#define ART_HASH_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * FNV-1a, 64 bits (draft-eastlake-fnv); it does not resist a search for
 * collisions.  Start with ART_HASH_INIT and feed any number of pieces.  The
 * result depends neither on where they are cut nor on the machine, so it may be
 * stored.
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
 * The same by words instead of bytes.  The upper half is folded in, because a
 * product carries upwards only.  This is faster, but the result depends on
 * where pieces are cut and on the machine's byte order.
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
 * PRF", 2012): nobody can look for collisions without the key.
 */

uint64_t art_hash_keyed(const uint64_t key[2], const void *data, size_t len);


#endif /* ART_HASH_H_INCLUDED_ */
