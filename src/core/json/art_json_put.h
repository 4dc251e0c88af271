
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Writing JSON texts (RFC 8259).
 */


#ifndef ART_JSON_PUT_H_INCLUDED_
#define ART_JSON_PUT_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * A writer of a JSON text that knows where commas belong.  The text may be
 * inside "level" JSON strings, at most ART_JSON_LEVEL_MAX - 1
 * (art_json_escape.h): then its own quotes are escaped as well.  "more": a
 * value or a member has been written before; the caller sets it to continue an
 * object that was begun elsewhere.  "indent" is the number of spaces for each
 * depth; 0: all on one line.
 */

typedef struct {
    art_out_t  *out;
    unsigned    level;
    unsigned    indent;
    unsigned    more;
    unsigned    depth;           /* objects and arrays that are open */
    uint32_t    arrays;          /* a bit for each open one: 32 at most */
} art_json_put_t;


void art_json_put_init(art_json_put_t *put, art_out_t *out, unsigned level);


/*
 * Write a value: with a "key" (plain ASCII that needs no escape) as a member of
 * the innermost object, else as an element of an array or as the whole text.
 * art_json_put_end() closes the innermost object or array.  After
 * art_json_put_key() the caller writes the value itself.
 */

void art_json_put_object(art_json_put_t *put, const char *key);
void art_json_put_array(art_json_put_t *put, const char *key);
void art_json_put_end(art_json_put_t *put);

void art_json_put_key(art_json_put_t *put, const char *key);
void art_json_put_number(art_json_put_t *put, const char *key, uint64_t value);
void art_json_put_bool(art_json_put_t *put, const char *key, unsigned value);


/*
 * Write a string; bytes that are not UTF-8 become U+FFFD.  "prefix" is a plain
 * text in front of the value.  If the value's data is NULL, nothing is written,
 * neither key nor prefix.
 */

void art_json_put_string(art_json_put_t *put, const char *key,
    art_str_t value);
void art_json_put_prefixed(art_json_put_t *put, const char *key,
    const char *prefix, art_str_t value);

/* An array of "n" strings. */

void art_json_put_strings(art_json_put_t *put, const char *key,
    const art_str_t *values, unsigned n);


/*
 * Write a value that is already JSON, and the members of an object that is
 * already JSON; nothing is written if it is empty.
 */

void art_json_put_raw(art_json_put_t *put, const char *key, art_str_t json);
void art_json_put_members(art_json_put_t *put, art_str_t object);


/*
 * Writes a valid JSON text (art_json_scan.h) without the white space outside of
 * its strings, and without any other change.  Linear.
 */

void art_json_compact(art_out_t *out, art_str_t text);


#endif /* ART_JSON_PUT_H_INCLUDED_ */
