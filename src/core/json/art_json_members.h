
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Finding members of a large JSON object without building a tree of it.
 */


#ifndef ART_JSON_MEMBERS_H_INCLUDED_
#define ART_JSON_MEMBERS_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * Finds the members of a JSON object (RFC 8259) that have one of "nkeys" keys
 * (plain UTF-8; the object's keys may be escaped).  Sets values[i] to the text
 * of the value, pointing into "object", or to data NULL if the key is missing.
 * If a key occurs twice, the last member counts, as in JSON.parse().  One pass,
 * no memory.  ART_ERROR if the object is not closed, is nested too deep, or has
 * a malformed member.  Inside a value only strings and the balance of brackets
 * are checked.
 */

int art_json_find(art_str_t object, const art_str_t *keys, unsigned nkeys,
    art_str_t *values);


/*
 * Iterates over the members of a JSON object, in one pass, with the same
 * checks.  art_json_members() begins: ART_ERROR if "object" does not start with
 * "{".  art_json_next() returns 1 with the key (without quotes, escapes not
 * decoded) and the text of the value, both pointing into "object"; 0 after the
 * last member; ART_ERROR where art_json_find() does.  Members before an error
 * are complete, so that the first part of a document can be read.
 */

typedef struct {
    const uint8_t  *p;
    const uint8_t  *end;
    unsigned        first:1;
} art_json_members_t;

int art_json_members(art_json_members_t *members, art_str_t object);
int art_json_next(art_json_members_t *members, art_str_t *key,
    art_str_t *value);


/*
 * Iterates over the elements of a JSON array in the same way;
 * art_json_element() gives the text of each.
 */

int art_json_elements(art_json_members_t *elements, art_str_t array);
int art_json_element(art_json_members_t *elements, art_str_t *value);


/*
 * Decodes such a key, or a string without its quotes.  *out points to the key
 * itself if it has no escapes, else into "buf".  ART_ERROR if the result takes
 * more than "room" bytes or an escape is malformed.
 */

int art_json_key(art_str_t key, uint8_t *buf, size_t room, art_str_t *out);


#endif /* ART_JSON_MEMBERS_H_INCLUDED_ */
