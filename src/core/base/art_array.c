
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_array.h"


#define ART_ARRAY_FIRST  16


void *
art_array_grow(void *items, size_t n, size_t *room, size_t size)
{
    return art_array_extend(items, n, 1, room, size);
}


void *
art_array_extend(void *items, size_t n, size_t more, size_t *room, size_t size)
{
    void    *grown;
    size_t   want;

    if (more <= *room - n) {
        return items;
    }

    want = *room ? *room * 2 : ART_ARRAY_FIRST;

    while (want <= SIZE_MAX / size / 2 && more > want - n) {
        want *= 2;
    }

    if (want > SIZE_MAX / size / 2) {
        return NULL;
    }

    grown = realloc(items, want * size);

    if (grown != NULL) {
        *room = want;
    }

    return grown;
}
