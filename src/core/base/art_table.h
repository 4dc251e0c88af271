
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A hash table: finds the items of an array by their keys.  It holds their
 * numbers only; keys and items are the caller's.
 */


#ifndef ART_TABLE_H_INCLUDED_
#define ART_TABLE_H_INCLUDED_


#include "core/base/art_core.h"


typedef struct {
    uint32_t           hash;
    uint32_t           item;     /* UINT32_MAX: none, the slot is free */
} art_table_slot_t;


/*
 * Zeroed memory is an empty table; art_table_free() makes it one again, with
 * the same seed.  A random "seed", set before the first key, keeps those who
 * choose the keys from finding any that meet in the table: without it, a table
 * of theirs can be made as slow as a list.
 */

typedef struct {
    uint64_t           seed[2];
    art_table_slot_t  *slots;
    size_t             size;     /* of them, a power of 2 */
    size_t             n;        /* in use, two thirds at most */
} art_table_t;


/* A key that is being looked for. */

typedef struct {
    uint32_t           hash;
    size_t             tried;    /* slots */
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
 * art_table_next() returns a number that was added with a key of this hash; it
 * may be replaced by that of another item with the same key.  NULL if there is
 * no more of them: art_table_add() may add the key then.
 */

void art_table_key(const art_table_t *table, art_table_key_t *key,
    const void *data, size_t len);
uint32_t *art_table_next(const art_table_t *table, art_table_key_t *key);


/*
 * Adds an item, UINT32_MAX - 1 at most.  ART_ERROR when out of memory, the
 * table is as before then; this cannot happen to the first "n" items of a
 * table after art_table_room().
 */

int art_table_add(art_table_t *table, const art_table_key_t *key,
    uint32_t item);
int art_table_room(art_table_t *table, size_t n);

void art_table_free(art_table_t *table);


#endif /* ART_TABLE_H_INCLUDED_ */
