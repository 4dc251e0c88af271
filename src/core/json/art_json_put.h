
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Writing JSON texts (RFC 8259).
 */


#ifndef ART_JSON_PUT_H_INCLUDED_
#define ART_JSON_PUT_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * A JSON text under way, which knows where commas are due.  It may stand in
 * "level" JSON strings, at most ART_JSON_LEVEL_MAX - 1 (art_json_escape.h):
 * then its own quotes are escaped, too.  "more" says that a value or a member
 * stands before: it is set for a text that goes on with an object which
 * somebody else has begun.  "indent" are the spaces before a line of each
 * depth; 0: it is all one line.
 */

typedef struct {
    art_out_t  *out;
    unsigned    level;
    unsigned    indent;
    unsigned    more;
    unsigned    depth;           /* objects and arrays that are open */
    uint32_t    arrays;          /* a bit for each of them: 32 at most */
} art_json_put_t;


void art_json_put_init(art_json_put_t *put, art_out_t *out, unsigned level);


/*
 * Write a value: a member of the object that was begun last if there is a
 * "key" (plain ASCII that needs no escape), else an element of an array, or
 * the whole text.  art_json_put_end() closes the object or array begun last;
 * behind art_json_put_key() the caller writes the value itself.
 */

void art_json_put_object(art_json_put_t *put, const char *key);
void art_json_put_array(art_json_put_t *put, const char *key);
void art_json_put_end(art_json_put_t *put);

void art_json_put_key(art_json_put_t *put, const char *key);
void art_json_put_number(art_json_put_t *put, const char *key, uint64_t value);
void art_json_put_bool(art_json_put_t *put, const char *key, unsigned value);


/*
 * Bytes that are not UTF-8 become U+FFFD.  A string whose data is NULL is left
 * out with its key, whatever its prefix: a plain text before it.
 */

void art_json_put_string(art_json_put_t *put, const char *key,
    art_str_t value);
void art_json_put_prefixed(art_json_put_t *put, const char *key,
    const char *prefix, art_str_t value);


/*
 * Write a value that is JSON already, and the members of an object that is;
 * what is empty is left out.
 */

void art_json_put_raw(art_json_put_t *put, const char *key, art_str_t json);
void art_json_put_members(art_json_put_t *put, art_str_t object);


#endif /* ART_JSON_PUT_H_INCLUDED_ */
