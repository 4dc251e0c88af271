
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Hashes of bytes, and what is made with them: a table, and memory that stores
 * the same bytes once.
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
 * where the pieces are cut and on the machine's byte order.
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
 * SipHash-1-3 (J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast
 * short-input PRF", 2012): without the key nobody can search for collisions.
 */

uint64_t art_hash_keyed(const uint64_t key[2], const void *data, size_t len);


typedef struct {
    uint32_t           hash;
    uint32_t           item;     /* UINT32_MAX: the slot is free */
} art_table_slot_t;


/*
 * A hash table that finds the items of an array by their keys.  It stores only
 * the items' indexes; keys and items are the caller's.
 *
 * It starts zeroed; art_table_free() empties it, but not its seed.  A random
 * "seed", set before the first key, prevents chosen keys from colliding, which
 * would make the table as slow as a list.
 */

typedef struct {
    uint64_t           seed[2];
    art_table_slot_t  *slots;
    size_t             size;     /* number of slots, a power of 2 */
    size_t             n;        /* slots in use, at most two thirds */
} art_table_t;


/* A key being looked up. */

typedef struct {
    uint32_t           hash;
    size_t             tried;    /* number of slots */
} art_table_key_t;


/*
 * Looks a key up:
 *
 *     art_table_key(table, &key, data, len);
 *
 *     while ((item = art_table_next(table, &key)) != NULL) {
 *         if (the key of items[*item] is it) { break; }
 *     }
 *
 * art_table_next() returns an item that was added with a key of this hash; the
 * caller may replace it by another item with the same key.  NULL if there are
 * no more: art_table_add() may add the key then.
 */

void art_table_key(const art_table_t *table, art_table_key_t *key,
    const void *data, size_t len);
uint32_t *art_table_next(const art_table_t *table, art_table_key_t *key);


/*
 * Adds an item, at most UINT32_MAX - 1.  ART_ERROR when out of memory: the
 * table is then unchanged.  After art_table_room() this cannot happen for the
 * first "n" items of a table.
 */

int art_table_add(art_table_t *table, const art_table_key_t *key,
    uint32_t item);
int art_table_room(art_table_t *table, size_t n);


/*
 * Gives the table "slots" in the caller's memory, before the first item.  They
 * suffice for "n" items if "size" is art_table_size(n).  art_table_free() must
 * not be called then.
 */

size_t art_table_size(size_t n);
void art_table_use(art_table_t *table, art_table_slot_t *slots, size_t size);


void art_table_free(art_table_t *table);


typedef struct art_intern_block_s  art_intern_block_t;


/*
 * Memory that only grows and stores the same bytes once: thousands of entries
 * of a capability map share a few names.  It starts zeroed and is freed by
 * art_intern_destroy().
 */

typedef struct {
    art_intern_block_t  *blocks;
    art_table_t          table;
    art_str_t           *pieces;     /* the items of the table */
    size_t               room;       /* in "pieces", items */
} art_intern_t;


/*
 * Returns a copy of the bytes, or the copy that was made before; NULL only when
 * out of memory (not for 0 bytes).  "align" is a power of 2, at most 8.  The
 * copy, at most 4 GB, lives as long as "intern".
 */

const void *art_intern(art_intern_t *intern, const void *data, size_t len,
    size_t align);


/* Frees the table that finds the copies, but not the copies. */

void art_intern_seal(art_intern_t *intern);

void art_intern_destroy(art_intern_t *intern);


#endif /* ART_HASH_H_INCLUDED_ */
