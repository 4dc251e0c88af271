
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Strings of a scan, of which the last ones can be taken back: what turns out
 * to be no slot shall not cost memory.
 */


#ifndef ART_MESSAGE_ARENA_H_INCLUDED_
#define ART_MESSAGE_ARENA_H_INCLUDED_


#include "core/base/art_core.h"


#define ART_ARENA_BLOCK  8192    /* bytes; the longest string */


typedef struct art_arena_block_s  art_arena_block_t;

struct art_arena_block_s {
    art_arena_block_t   *next;
    size_t               used;
    uint8_t              data[ART_ARENA_BLOCK];
};


typedef struct {
    art_pool_t           pool;
    art_arena_block_t   *first;
    art_arena_block_t   *last;       /* in use; those behind are free */
} art_arena_t;


typedef struct {
    art_arena_block_t   *last;
    size_t               used;
} art_arena_mark_t;


/*
 * Copies a string of at most ART_ARENA_BLOCK bytes; ART_ERROR when out of
 * memory.
 */

int art_arena_copy(art_arena_t *arena, art_str_t text, art_str_t *copy);


/* Notes how much is in use; takes all back that came since. */

void art_arena_mark(const art_arena_t *arena, art_arena_mark_t *mark);
void art_arena_back(art_arena_t *arena, const art_arena_mark_t *mark);


#endif /* ART_MESSAGE_ARENA_H_INCLUDED_ */
