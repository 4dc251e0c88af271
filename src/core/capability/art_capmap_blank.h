
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Removing the secrets of a capability map before it is parsed.
 */


#ifndef ART_CAPMAP_BLANK_H_INCLUDED_
#define ART_CAPMAP_BLANK_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * Overwrites with asterisks the strings that a document has under the keys
 * "apiKey" and "baseURL", so that no copy of them is ever made.  A syntax error
 * stays on the same line, and at the same column unless such a string before it
 * on the line has characters beyond ASCII.
 */

void art_capmap_blank(uint8_t *json, size_t len);


#endif /* ART_CAPMAP_BLANK_H_INCLUDED_ */
