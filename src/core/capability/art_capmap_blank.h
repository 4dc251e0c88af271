
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Keeping the secrets of a capability map out of memory.
 */


#ifndef ART_CAPMAP_BLANK_H_INCLUDED_
#define ART_CAPMAP_BLANK_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * Overwrites the strings that a document has under the keys "apiKey" and
 * "baseURL" with asterisks, so that no copy of them is ever made.  What is
 * malformed stays so, at the same line; at the same column, unless such a
 * string before it on the line has characters beyond ASCII.
 */

void art_capmap_blank(uint8_t *json, size_t len);


#endif /* ART_CAPMAP_BLANK_H_INCLUDED_ */
