
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A hash table that finds the items of an array by their keys; it stores only
 * the items' indexes, keys and items are the caller's.  And memory that only
 * grows and stores the same bytes once, found by such a table: thousands of
 * entries of a capability map share a few names.
 */


#ifndef ART_TABLE_H_INCLUDED_
#define ART_TABLE_H_INCLUDED_


#include "core/base/art_core.h"


typedef struct {
    uint32_t           hash;
    uint32_t           item;     /* UINT32_MAX: the slot is free */
} art_table_slot_t;


/*
 * Starts zeroed; art_table_free() empties it and keeps the seed.  A random
 * "seed", set before the first key, keeps whoever chooses the keys from finding
 * collisions, which would make the table as slow as a list.
 */

typedef struct {
    uint64_t           seed[2];
    art_table_slot_t  *slots;
    size_t             size;     /* number of slots, a power of 2 */
    size_t             n;        /* slots in use, at most two thirds */
} art_table_t;


/* A key that is looked up. */

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
 * table has not changed then.  After art_table_room() this cannot happen to the
 * first "n" items of a table.
 */

int art_table_add(art_table_t *table, const art_table_key_t *key,
    uint32_t item);
int art_table_room(art_table_t *table, size_t n);

void art_table_free(art_table_t *table);


typedef struct art_intern_block_s  art_intern_block_t;


/* Starts zeroed; freed by art_intern_destroy(). */

typedef struct {
    art_intern_block_t  *blocks;
    art_table_t          table;
    art_str_t           *pieces;     /* the items of the table */
    size_t               room;       /* in "pieces", items */
} art_intern_t;


/*
 * Returns a copy of the bytes, or the copy that was made before; NULL only when
 * out of memory (not for 0 bytes).  "align" is a power of 2, at most 16.  The
 * copy, at most 4 GB, lives as long as "intern".
 */

const void *art_intern(art_intern_t *intern, const void *data, size_t len,
    size_t align);


/* Keeps the copies, but frees the table that finds them. */

void art_intern_seal(art_intern_t *intern);

void art_intern_destroy(art_intern_t *intern);


#endif /* ART_TABLE_H_INCLUDED_ */
