
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Arrays that grow one item at a time.
 */


#ifndef ART_ARRAY_H_INCLUDED_
#define ART_ARRAY_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * Makes room for one more of "n" items of "size" bytes, where *room are all
 * that there is memory for: doubles it if need be.  Returns the items, which
 * may have moved, or NULL when out of memory: they are as before then.
 */

void *art_array_grow(void *items, size_t n, size_t *room, size_t size);


/* The same for "more" of them. */

void *art_array_extend(void *items, size_t n, size_t more, size_t *room,
    size_t size);


#endif /* ART_ARRAY_H_INCLUDED_ */
