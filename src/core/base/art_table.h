
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A hash table that finds the items of an array by their keys.  It stores only
 * the items' indexes; keys and items are the caller's.
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


/* A key that is being looked for. */

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


#endif /* ART_TABLE_H_INCLUDED_ */
