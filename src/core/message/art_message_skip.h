
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Passing over what stands in JSON strings, many bytes at a time.
 */


#ifndef ART_MESSAGE_SKIP_H_INCLUDED_
#define ART_MESSAGE_SKIP_H_INCLUDED_


#include "core/base/art_core.h"


/* The first quote, backslash or control character, or "end". */

const uint8_t *art_skip_plain(const uint8_t *p, const uint8_t *end);


/*
 * The same within a string whose text nobody wants, where escapes are passed
 * over, too: the first quote that ends it, or a byte that has to be looked at,
 * which is a control character or a backslash; at the latest "end".
 */

const uint8_t *art_skip_string(const uint8_t *p, const uint8_t *end);


#endif /* ART_MESSAGE_SKIP_H_INCLUDED_ */
