
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Checking JSON strictly, without building a tree.
 */


#ifndef ART_JSON_SCAN_H_INCLUDED_
#define ART_JSON_SCAN_H_INCLUDED_


#include "core/base/art_core.h"


#define ART_JSON_SCAN_DEPTH  2048    /* ART_LEX_DEPTH_MAX */

#define ART_JSON_MORE        1


/*
 * Checks the value at *p, after optional white space, against the grammar of
 * RFC 8259, UTF-8 (RFC 3629) and a nesting of at most ART_JSON_SCAN_DEPTH, of
 * which "outside" levels are around the value.  Numbers may have any size, and
 * escapes may be of any code unit.
 *
 * ART_OK: *p is after the value; a number may end at the end of the input.
 * ART_JSON_MORE: no error so far, but the value is incomplete; *p is unchanged.
 * ART_ERROR: *p is at the wrong byte.  Linear.
 */

int art_json_scan(const uint8_t **p, const uint8_t *end, unsigned outside);


/* The first byte from "p" on that is not white space, or "end". */

const uint8_t *art_json_space(const uint8_t *p, const uint8_t *end);


/* Whether a text is one value by that grammar, without a byte order mark. */

int art_json_valid(const uint8_t *p, size_t len);


/* Where a text stops being JSON: line and column from 1, "byte" from 0. */

typedef struct {
    size_t    line;
    size_t    column;            /* in bytes */
    size_t    byte;
} art_json_fault_t;


/*
 * ART_OK if a text is one value by that grammar; else ART_ERROR with the place
 * of the first byte that cannot follow, or of the end of a text that is cut.
 * Linear.
 */

int art_json_fault(art_str_t text, art_json_fault_t *place);


#endif /* ART_JSON_SCAN_H_INCLUDED_ */
