
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Memory of the very size that a function under test is promised, so that a
 * sanitizer sees it reach beyond the end.
 */


#ifndef ART_EXACT_H_INCLUDED_
#define ART_EXACT_H_INCLUDED_


#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


/* What was allocated; a test program without memory ends here. */

static inline void *
must(void *p)
{
    if (p == NULL) {
        printf("Bail out! no memory\n");
        exit(2);
    }

    return p;
}


/* "len" bytes, a copy of "data" unless that is NULL; to be freed. */

static inline uint8_t *
exact(const void *data, size_t len)
{
    uint8_t  *p;

    p = must(malloc(len + (len == 0)));

    if (len > 0 && data != NULL) {
        memcpy(p, data, len);
    }

    return p;
}


#endif /* ART_EXACT_H_INCLUDED_ */
