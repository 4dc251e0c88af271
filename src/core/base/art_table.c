
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/base/art_hash.h"
#include "core/base/art_table.h"


#define ART_TABLE_MIN   64       /* slots */
#define ART_TABLE_FREE  UINT32_MAX


static void art_table_put(art_table_slot_t *slots, size_t size,
    art_table_slot_t slot);


void
art_table_key(const art_table_t *table, art_table_key_t *key,
    const void *data, size_t len)
{
    uint64_t  hash;

    hash = art_hash_keyed(table->seed, data, len);

    key->hash = (uint32_t) (hash ^ hash >> 32);
    key->tried = 0;
}


uint32_t *
art_table_next(const art_table_t *table, art_table_key_t *key)
{
    art_table_slot_t  *slot;

    while (key->tried < table->size) {
        slot = &table->slots[(key->hash + key->tried) & (table->size - 1)];

        if (slot->item == ART_TABLE_FREE) {
            return NULL;
        }

        key->tried++;

        if (slot->hash == key->hash) {
            return &slot->item;
        }
    }

    return NULL;
}


int
art_table_add(art_table_t *table, const art_table_key_t *key, uint32_t item)
{
    art_table_slot_t  slot;

    if (art_table_room(table, table->n + 1) != ART_OK) {
        return ART_ERROR;
    }

    slot.hash = key->hash;
    slot.item = item;

    art_table_put(table->slots, table->size, slot);
    table->n++;

    return ART_OK;
}


int
art_table_room(art_table_t *table, size_t n)
{
    size_t             i, size;
    art_table_slot_t  *slots;

    size = table->size;

    while (size / 3 * 2 < n) {
        size = size ? size * 2 : ART_TABLE_MIN;
    }

    if (size == table->size) {
        return ART_OK;
    }

    slots = malloc(size * sizeof(art_table_slot_t));
    if (slots == NULL) {
        return ART_ERROR;
    }

    memset(slots, 0xff, size * sizeof(art_table_slot_t));

    for (i = 0; i < table->size; i++) {
        if (table->slots[i].item != ART_TABLE_FREE) {
            art_table_put(slots, size, table->slots[i]);
        }
    }

    free(table->slots);

    table->slots = slots;
    table->size = size;

    return ART_OK;
}


void
art_table_free(art_table_t *table)
{
    free(table->slots);

    table->slots = NULL;
    table->size = 0;
    table->n = 0;
}


static void
art_table_put(art_table_slot_t *slots, size_t size, art_table_slot_t slot)
{
    size_t  i;

    i = slot.hash;

    while (slots[i & (size - 1)].item != ART_TABLE_FREE) {
        i++;
    }

    slots[i & (size - 1)] = slot;
}
