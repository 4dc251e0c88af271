
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Checking JSON to the letter, without building a tree of it.
 */


#ifndef ART_JSON_SCAN_H_INCLUDED_
#define ART_JSON_SCAN_H_INCLUDED_


#include "core/base/art_core.h"


#define ART_JSON_SCAN_DEPTH  2048

#define ART_JSON_MORE        1


/*
 * Checks the value at *p, which white space may stand before, against the
 * grammar of RFC 8259, UTF-8 (RFC 3629) and a nesting of at most
 * ART_JSON_SCAN_DEPTH, of which "around" are around the value already.
 * Numbers may be of any size, and escapes of any code unit.
 *
 * ART_OK: *p is behind the value; a number that reaches the end counts as
 * over.  ART_JSON_MORE: all is well up to the end, but the value is not over;
 * *p stays.  ART_ERROR: *p is at the byte that may not stand there.  Linear.
 */

int art_json_scan(const uint8_t **p, const uint8_t *end, unsigned around);


/* The first byte from "p" on that is not white space, or "end". */

const uint8_t *art_json_space(const uint8_t *p, const uint8_t *end);


/*
 * Whether a text is one value by that grammar, without a byte order mark.
 */

int art_json_valid(const uint8_t *p, size_t len);


#endif /* ART_JSON_SCAN_H_INCLUDED_ */
