
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Memory that only grows, in which the same bytes are kept once: thousands of
 * entries of a capability map share few names.
 */


#ifndef ART_INTERN_H_INCLUDED_
#define ART_INTERN_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/base/art_table.h"


typedef struct art_intern_block_s  art_intern_block_t;


/* Zeroed memory is an empty one; freed by art_intern_destroy(). */

typedef struct {
    art_intern_block_t  *blocks;
    art_table_t          table;
    art_str_t           *pieces;     /* that the table finds */
    size_t               room;       /* for so many of them */
} art_intern_t;


/*
 * A copy of the bytes, or the one that was made before; never NULL but when
 * out of memory, also for no bytes at all.  "align" is a power of 2, at most
 * 16.  The copy lives as long as "intern"; at most 4 GB each.
 */

const void *art_intern(art_intern_t *intern, const void *data, size_t len,
    size_t align);


/* Keeps what was copied, and forgets how to find it again. */

void art_intern_seal(art_intern_t *intern);

void art_intern_destroy(art_intern_t *intern);


#endif /* ART_INTERN_H_INCLUDED_ */
