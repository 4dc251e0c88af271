
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/base/art_hash.h"
#include "core/base/art_intern.h"


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


static art_intern_slot_t *art_intern_find(const art_intern_t *intern,
    const art_intern_slot_t *key, size_t align);
static int art_intern_grow(art_intern_t *intern);
static uint8_t *art_intern_alloc(art_intern_t *intern, size_t len,
    size_t align);


const void *
art_intern(art_intern_t *intern, const void *data, size_t len, size_t align)
{
    uint8_t            *copy;
    uint64_t            hash;
    art_intern_slot_t   key, *slot;

    if (len == 0) {
        return "";
    }

    if (len > UINT32_MAX
        || (intern->n * 4 >= intern->size * 3
            && art_intern_grow(intern) != ART_OK))
    {
        return NULL;
    }

    hash = art_hash(ART_HASH_INIT, data, len);

    key.data = data;
    key.len = (uint32_t) len;
    key.hash = (uint32_t) (hash ^ (hash >> 32));

    slot = art_intern_find(intern, &key, align);

    if (slot->data != NULL) {
        return slot->data;
    }

    copy = art_intern_alloc(intern, len, align);
    if (copy == NULL) {
        return NULL;
    }

    memcpy(copy, data, len);

    key.data = copy;
    *slot = key;
    intern->n++;

    return copy;
}


void
art_intern_seal(art_intern_t *intern)
{
    free(intern->slots);

    intern->slots = NULL;
    intern->size = 0;
    intern->n = 0;
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


size_t
art_intern_size(const art_intern_t *intern)
{
    size_t               size;
    art_intern_block_t  *block;

    size = intern->size * sizeof(art_intern_slot_t);

    for (block = intern->blocks; block != NULL; block = block->next) {
        size += ART_INTERN_HEAD + block->size;
    }

    return size;
}


static art_intern_slot_t *
art_intern_find(const art_intern_t *intern, const art_intern_slot_t *key,
    size_t align)
{
    size_t              pos, mask;
    art_intern_slot_t  *slot;

    mask = intern->size - 1;

    for (pos = key->hash & mask; /* void */ ; pos = (pos + 1) & mask) {
        slot = &intern->slots[pos];

        if (slot->data == NULL
            || (slot->hash == key->hash && slot->len == key->len
                && ((uintptr_t) slot->data & (align - 1)) == 0
                && memcmp(slot->data, key->data, key->len) == 0))
        {
            return slot;
        }
    }
}


static int
art_intern_grow(art_intern_t *intern)
{
    size_t         i;
    art_intern_t   old;

    old = *intern;

    intern->size = old.size ? old.size * 2 : 256;
    intern->slots = calloc(intern->size, sizeof(art_intern_slot_t));

    if (intern->slots == NULL) {
        intern->slots = old.slots;
        intern->size = old.size;
        return ART_ERROR;
    }

    for (i = 0; i < old.size; i++) {
        if (old.slots[i].data != NULL) {
            *art_intern_find(intern, &old.slots[i], SIZE_MAX / 2 + 1)
                = old.slots[i];
        }
    }

    free(old.slots);

    return ART_OK;
}


static uint8_t *
art_intern_alloc(art_intern_t *intern, size_t len, size_t align)
{
    size_t               used, size;
    art_intern_block_t  *block, **place;

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

    /* a full block goes behind the one that still has room */

    place = size == len && intern->blocks != NULL ? &intern->blocks->next
                                                  : &intern->blocks;
    block->next = *place;
    *place = block;

    return (uint8_t *) block + ART_INTERN_HEAD;
}
