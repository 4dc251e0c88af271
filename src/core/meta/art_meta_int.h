
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Private to art_meta.c, art_meta_parse.c and core/journal.
 */


#ifndef ART_META_INT_H_INCLUDED_
#define ART_META_INT_H_INCLUDED_


#include <jansson.h>

#include "core/meta/art_meta.h"


/*
 * Copies all strings and texts of a record into an allocation of its own, with
 * "room" more bytes at the end.  ART_ERROR when out of memory: the record is
 * empty then.
 */

int art_meta_copy(art_meta_t *meta, size_t room);


/* Sets what "extra" tells: whether the content is marked as a text. */

void art_meta_mark(art_meta_t *meta);


/*
 * Parses an entry without its history: "modifiedBy" is null in the tree, and
 * *history is its text if that is an array, else empty.  If the rest has more
 * than "max" bytes, the tree only has the known fields.  NULL for anything but
 * an object, and when out of memory.
 */

json_t *art_meta_load_rest(art_str_t entry, size_t max, art_str_t *history);


/*
 * Finds the text of "files" in that of a workspace's ".meta.json";
 * ART_META_ABSENT if there is no such object, ART_META_CORRUPT if the document
 * is malformed.
 */

art_meta_status_t art_meta_files(art_str_t text, art_str_t *files);


/*
 * Writes JSON text as json_dumpb() does, with "flags" and no more digits of
 * real numbers than needed.  Returns the length of the text, whatever the room;
 * 0 when out of memory.
 */

size_t art_meta_dump(json_t *node, uint8_t *dst, size_t room, size_t flags);


#endif /* ART_META_INT_H_INCLUDED_ */
