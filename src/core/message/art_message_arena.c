
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/message/art_message_arena.h"


int
art_arena_copy(art_arena_t *arena, art_str_t text, art_str_t *copy)
{
    art_arena_block_t  *block;

    *copy = art_str(NULL, 0);

    if (text.len == 0) {
        return ART_OK;
    }

    if (text.len > ART_ARENA_BLOCK) {
        return ART_ERROR;
    }

    block = arena->last;

    if (block == NULL || block->used + text.len > ART_ARENA_BLOCK) {
        block = block != NULL ? block->next : arena->first;

        if (block == NULL) {
            block = arena->pool.alloc(arena->pool.data, sizeof(*block));

            if (block == NULL) {
                return ART_ERROR;
            }

            block->next = NULL;

            if (arena->last != NULL) {
                arena->last->next = block;

            } else {
                arena->first = block;
            }
        }

        block->used = 0;
        arena->last = block;
    }

    memcpy(block->data + block->used, text.data, text.len);

    *copy = art_str(block->data + block->used, text.len);
    block->used += text.len;

    return ART_OK;
}


void
art_arena_mark(const art_arena_t *arena, art_arena_mark_t *mark)
{
    mark->last = arena->last;
    mark->used = arena->last != NULL ? arena->last->used : 0;
}


void
art_arena_back(art_arena_t *arena, const art_arena_mark_t *mark)
{
    arena->last = mark->last;

    if (mark->last != NULL) {
        mark->last->used = mark->used;
    }
}
