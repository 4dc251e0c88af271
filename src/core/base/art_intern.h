
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Memory that only grows and stores the same bytes once: thousands of entries
 * of a capability map share a few names.
 */


#ifndef ART_INTERN_H_INCLUDED_
#define ART_INTERN_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/base/art_table.h"


typedef struct art_intern_block_s  art_intern_block_t;


/* Starts zeroed; freed by art_intern_destroy(). */

typedef struct {
    art_intern_block_t  *blocks;
    art_table_t          table;
    art_str_t           *pieces;     /* the items of the table */
    size_t               room;       /* in "pieces", items */
} art_intern_t;


/*
 * Returns a copy of the bytes, or the copy that was made before; NULL only when
 * out of memory (not for 0 bytes).  "align" is a power of 2, at most 16.  The
 * copy, at most 4 GB, lives as long as "intern".
 */

const void *art_intern(art_intern_t *intern, const void *data, size_t len,
    size_t align);


/* Keeps the copies, but frees the table that finds them. */

void art_intern_seal(art_intern_t *intern);

void art_intern_destroy(art_intern_t *intern);


#endif /* ART_INTERN_H_INCLUDED_ */
