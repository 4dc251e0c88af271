
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Arrays that grow one item at a time.
 */


#ifndef ART_ARRAY_H_INCLUDED_
#define ART_ARRAY_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * Makes room for one more item after "n" items of "size" bytes.  *room is the
 * number of items that the memory holds; it is doubled if need be.  Returns the
 * items, which may have moved and are the caller's to free, or NULL when out of
 * memory: then nothing has changed.
 */

void *art_array_grow(void *items, size_t n, size_t *room, size_t size);


/* The same for "more" items. */

void *art_array_extend(void *items, size_t n, size_t more, size_t *room,
    size_t size);


#endif /* ART_ARRAY_H_INCLUDED_ */
