
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The lexer's loops over the bytes of a string.
 */


#ifndef ART_JSON_SKIP_H_INCLUDED_
#define ART_JSON_SKIP_H_INCLUDED_


#include "core/base/art_core.h"


/* The first quote, backslash or control character, or "end". */

const uint8_t *art_skip_plain(const uint8_t *p, const uint8_t *end);


/*
 * The same for a string that is not wanted: escapes are skipped as well.
 * Returns the quote that ends it, a control character or backslash to be
 * examined, or "end".
 */

const uint8_t *art_skip_string(const uint8_t *p, const uint8_t *end);


#endif /* ART_JSON_SKIP_H_INCLUDED_ */
