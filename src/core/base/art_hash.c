
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_array.h"
#include "core/base/art_bytes.h"
#include "core/base/art_hash.h"


#define art_hash_turn(n, bits)  ((n) << (bits) | (n) >> (64 - (bits)))

#define ART_TABLE_MIN      64            /* slots */
#define ART_TABLE_FREE     UINT32_MAX

/* Bytes; longer pieces get a block of their own. */

#define ART_INTERN_BLOCK   (32 * 1024)
#define ART_INTERN_ALIGN   8


struct art_intern_block_s {
    art_intern_block_t  *next;
    size_t               size;
    size_t               used;
};


#define ART_INTERN_HEAD                                                       \
    ((sizeof(art_intern_block_t) + ART_INTERN_ALIGN - 1)                      \
     & ~((size_t) ART_INTERN_ALIGN - 1))


static void art_hash_round(uint64_t v[4]);
static void art_table_put(art_table_slot_t *slots, size_t size,
    art_table_slot_t slot);
static uint8_t *art_intern_alloc(art_intern_t *intern, size_t len,
    size_t align);


uint64_t
art_hash_keyed(const uint64_t key[2], const void *data, size_t len)
{
    size_t          left;
    uint64_t        word, v[4];
    const uint8_t  *p;

    v[0] = key[0] ^ 0x736f6d6570736575;
    v[1] = key[1] ^ 0x646f72616e646f6d;
    v[2] = key[0] ^ 0x6c7967656e657261;
    v[3] = key[1] ^ 0x7465646279746573;

    p = data;

    for (left = len; left >= 8; left -= 8) {
        word = art_bytes_get8(p);
        p += 8;

        v[3] ^= word;
        art_hash_round(v);
        v[0] ^= word;
    }

    word = art_bytes_get(p, (unsigned) left) | (uint64_t) len << 56;

    v[3] ^= word;
    art_hash_round(v);
    v[0] ^= word;

    v[2] ^= 0xff;
    art_hash_round(v);
    art_hash_round(v);
    art_hash_round(v);

    return v[0] ^ v[1] ^ v[2] ^ v[3];
}


static void
art_hash_round(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = art_hash_turn(v[1], 13) ^ v[0];
    v[0] = art_hash_turn(v[0], 32);
    v[2] += v[3];
    v[3] = art_hash_turn(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = art_hash_turn(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = art_hash_turn(v[1], 17) ^ v[2];
    v[2] = art_hash_turn(v[2], 32);
}


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

    if (table->size / 3 * 2 >= n) {
        return ART_OK;
    }

    size = art_table_size(n);

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


size_t
art_table_size(size_t n)
{
    size_t  size;

    for (size = ART_TABLE_MIN; size / 3 * 2 < n; size *= 2) { /* void */ }

    return size;
}


void
art_table_use(art_table_t *table, art_table_slot_t *slots, size_t size)
{
    memset(slots, 0xff, size * sizeof(art_table_slot_t));

    table->slots = slots;
    table->size = size;
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
