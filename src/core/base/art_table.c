
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/base/art_array.h"
#include "core/base/art_hash.h"
#include "core/base/art_table.h"


#define ART_TABLE_MIN   64       /* slots */
#define ART_TABLE_FREE  UINT32_MAX


/* Longer pieces get a block of their own. */

#define ART_INTERN_BLOCK  (32 * 1024)
#define ART_INTERN_ALIGN  16


struct art_intern_block_s {
    art_intern_block_t  *next;
    size_t               size;
    size_t               used;
};


#define ART_INTERN_HEAD                                                       \
    ((sizeof(art_intern_block_t) + ART_INTERN_ALIGN - 1)                      \
     & ~((size_t) ART_INTERN_ALIGN - 1))


static void art_table_put(art_table_slot_t *slots, size_t size,
    art_table_slot_t slot);
static uint8_t *art_intern_alloc(art_intern_t *intern, size_t len,
    size_t align);


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


const void *
art_intern(art_intern_t *intern, const void *data, size_t len, size_t align)
{
    uint8_t          *copy;
    uint32_t         *item;
    art_str_t        *piece;
    art_table_key_t   key;

    if (len == 0) {
        return "";
    }

    if (len > UINT32_MAX) {
        return NULL;
    }

    art_table_key(&intern->table, &key, data, len);

    while ((item = art_table_next(&intern->table, &key)) != NULL) {
        piece = &intern->pieces[*item];

        if (((uintptr_t) piece->data & (align - 1)) == 0
            && art_str_eq(*piece, art_str(data, len)))
        {
            return piece->data;
        }
    }

    piece = art_array_grow(intern->pieces, intern->table.n, &intern->room,
                           sizeof(art_str_t));
    if (piece == NULL) {
        return NULL;
    }

    intern->pieces = piece;
    piece += intern->table.n;

    copy = art_intern_alloc(intern, len, align);

    if (copy == NULL
        || art_table_add(&intern->table, &key, (uint32_t) intern->table.n)
           != ART_OK)
    {
        return NULL;
    }

    memcpy(copy, data, len);
    *piece = art_str(copy, len);

    return copy;
}


void
art_intern_seal(art_intern_t *intern)
{
    art_table_free(&intern->table);
    free(intern->pieces);

    intern->pieces = NULL;
    intern->room = 0;
}


void
art_intern_destroy(art_intern_t *intern)
{
    art_intern_block_t  *block;

    art_intern_seal(intern);

    while (intern->blocks != NULL) {
        block = intern->blocks;
        intern->blocks = block->next;
        free(block);
    }
}


static uint8_t *
art_intern_alloc(art_intern_t *intern, size_t len, size_t align)
{
    size_t               used, size;
    art_intern_block_t  *block, **link;

    block = intern->blocks;

    if (block != NULL) {
        used = (block->used + align - 1) & ~(align - 1);

        if (used <= block->size && len <= block->size - used) {
            block->used = used + len;
            return (uint8_t *) block + ART_INTERN_HEAD + used;
        }
    }

    size = len > ART_INTERN_BLOCK / 4 ? len
                                      : ART_INTERN_BLOCK - ART_INTERN_HEAD;

    block = malloc(ART_INTERN_HEAD + size);
    if (block == NULL) {
        return NULL;
    }

    block->size = size;
    block->used = len;

    /* a full block is linked after the one that still has room */

    link = size == len && intern->blocks != NULL ? &intern->blocks->next
                                                 : &intern->blocks;
    block->next = *link;
    *link = block;

    return (uint8_t *) block + ART_INTERN_HEAD;
}
