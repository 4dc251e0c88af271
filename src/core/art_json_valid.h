
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Whether a text is a JSON document, without building a tree of it.
 */


#ifndef ART_JSON_VALID_H_INCLUDED_
#define ART_JSON_VALID_H_INCLUDED_


#include "art_core.h"


#define ART_JSON_VALID_DEPTH  2048


/*
 * Whether the text is one JSON value by the grammar of RFC 8259, in valid
 * UTF-8, without a byte order mark.  Numbers may be of any size, and escapes
 * of any code unit.  Nesting beyond ART_JSON_VALID_DEPTH is refused (section
 * 9 allows limits).  Linear, no memory but 256 bytes of stack.
 */

int art_json_valid(const uint8_t *p, size_t len);


#endif /* ART_JSON_VALID_H_INCLUDED_ */
