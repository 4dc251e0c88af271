
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the files of art_meta share; not for anybody else.
 */


#ifndef ART_META_INT_H_INCLUDED_
#define ART_META_INT_H_INCLUDED_


#include <jansson.h>

#include "core/meta/art_meta.h"


/*
 * A field of the record: a string, read from the key that it has alone (those
 * with several or none are read otherwise), or a JSON text.
 */

typedef struct {
    const char  *key;
    size_t       offset;         /* in art_meta_t */
    size_t       max;            /* bytes; 0: a JSON text */
    unsigned     plain;          /* without control characters */
    char         open;           /* what a JSON text starts and ends with */
    char         close;
} art_meta_field_t;


#define ART_META_NSTRINGS  8
#define ART_META_NTEXTS    3
#define ART_META_NFIELDS   (ART_META_NSTRINGS + ART_META_NTEXTS)

/* All of them: the strings, then the texts. */

extern const art_meta_field_t  art_meta_fields[ART_META_NFIELDS];

art_str_t art_meta_get(const art_meta_t *meta, size_t field);
void art_meta_set(art_meta_t *meta, size_t field, art_str_t value);


/*
 * Moves the strings of *out, which still lie in a parsed document, and the
 * texts of "nodes" (in the order of the fields; NULL where there is none;
 * borrowed) into one allocation.  ART_ERROR when out of memory: *out then owns
 * nothing.
 */

int art_meta_keep(art_meta_t *out, json_t *const nodes[ART_META_NTEXTS]);


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
 * when out of memory.  art_meta_dump_flags() are those that say so to jansson.
 */

size_t art_meta_dump(json_t *node, uint8_t *dst, size_t room, size_t flags);
size_t art_meta_dump_flags(json_t *node, size_t flags);


#endif /* ART_META_INT_H_INCLUDED_ */
