
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Finding members of a large JSON object without building a tree of it.
 */


#ifndef ART_JSON_FIND_H_INCLUDED_
#define ART_JSON_FIND_H_INCLUDED_


#include "art_core.h"


/*
 * Finds the members of a JSON object (RFC 8259) that have one of "nkeys" keys
 * (plain UTF-8; the object's may be escaped) and sets values[i] to the text of
 * each value, pointing into "object"; data NULL if there is none.  Of a key
 * that stands twice the last one counts, as in JSON.parse().  One pass, no
 * memory.  ART_ERROR if the object is not closed, nested too deep, or has
 * members that are no members; the inside of a value is checked no further
 * than its strings and the number of its brackets.
 */

int art_json_find(art_str_t object, const art_str_t *keys, unsigned nkeys,
    art_str_t *values);


#endif /* ART_JSON_FIND_H_INCLUDED_ */
