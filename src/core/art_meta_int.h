
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the files of art_meta share; not for anybody else.
 */


#ifndef ART_META_INT_H_INCLUDED_
#define ART_META_INT_H_INCLUDED_


#include <jansson.h>

#include "art_meta.h"


/* The parts that become JSON text, NULL where there are none; borrowed. */

typedef struct {
    json_t  *object;
    json_t  *modified_by;
    json_t  *extra;
} art_meta_nodes_t;


/*
 * Moves the strings of *out, which still lie in a parsed document, and the
 * texts of "nodes" into one allocation.  ART_ERROR when out of memory: *out
 * then owns nothing.
 */

int art_meta_keep(art_meta_t *out, const art_meta_nodes_t *nodes);

#endif /* ART_META_INT_H_INCLUDED_ */
