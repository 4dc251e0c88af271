
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the files of art_meta share; not for anybody else.
 */


#ifndef ART_META_INT_H_INCLUDED_
#define ART_META_INT_H_INCLUDED_


#include <jansson.h>

#include "core/meta/art_meta.h"


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


/* Parses an object; NULL for anything else, and when out of memory. */

json_t *art_meta_load(art_str_t text);


/*
 * The text of "files" in that of a workspace's ".meta.json"; ART_META_ABSENT if
 * there is no such object.
 */

art_meta_status_t art_meta_files(art_str_t text, art_str_t *files);


/* The record of a workspace file from the tree of its entry. */

art_meta_status_t art_meta_take_entry(json_t *json, art_meta_t *out);


/*
 * Writes JSON text as json_dumpb() does, with "flags" and as many digits of
 * real numbers as they need.  The bytes that it takes, whatever the room; 0
 * when out of memory.
 */

size_t art_meta_dump(json_t *node, uint8_t *dst, size_t room, size_t flags);


#endif /* ART_META_INT_H_INCLUDED_ */
