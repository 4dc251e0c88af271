
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/base/art_array.h"


#define ART_ARRAY_FIRST  16


void *
art_array_grow(void *items, size_t n, size_t *room, size_t size)
{
    void    *grown;
    size_t   more;

    if (n < *room) {
        return items;
    }

    more = *room ? *room * 2 : ART_ARRAY_FIRST;

    if (more > SIZE_MAX / size / 2) {
        return NULL;
    }

    grown = realloc(items, more * size);

    if (grown != NULL) {
        *room = more;
    }

    return grown;
}
