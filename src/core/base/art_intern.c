
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/base/art_array.h"
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


static uint8_t *art_intern_alloc(art_intern_t *intern, size_t len,
    size_t align);


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

    /* a full block is linked after the one that still has room */

    place = size == len && intern->blocks != NULL ? &intern->blocks->next
                                                  : &intern->blocks;
    block->next = *place;
    *place = block;

    return (uint8_t *) block + ART_INTERN_HEAD;
}
