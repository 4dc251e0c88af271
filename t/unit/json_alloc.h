
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A jansson whose memory runs out after a number of allocations.
 */


#ifndef ART_JSON_ALLOC_H_INCLUDED_
#define ART_JSON_ALLOC_H_INCLUDED_


#include <stdlib.h>

#include <jansson.h>


/* How many more allocations succeed. */

static long  alloc_left;


/* For json_set_alloc_funcs(), with free(). */

static inline void *
failing_malloc(size_t size)
{
    return alloc_left-- > 0 ? malloc(size) : NULL;
}


#endif /* ART_JSON_ALLOC_H_INCLUDED_ */
