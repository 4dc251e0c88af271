
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Writing the members of a JSON object (RFC 8259 section 4).
 */


#ifndef ART_JSON_PUT_H_INCLUDED_
#define ART_JSON_PUT_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * Write "key":, "key":"value" and "key":N; "open" is what stands before the
 * key: '{' of the first member, ',' of any other.  "key" is plain ASCII;
 * bytes of a value that are not UTF-8 become U+FFFD.  A string whose data is
 * NULL is left out with its key.
 */

void art_json_put_key(art_out_t *out, int open, const char *key);
void art_json_put_string(art_out_t *out, int open, const char *key,
    art_str_t value);
void art_json_put_number(art_out_t *out, int open, const char *key,
    uint64_t value);


/* Writes a string with its quotes. */

void art_json_put_text(art_out_t *out, art_str_t value);


#endif /* ART_JSON_PUT_H_INCLUDED_ */
