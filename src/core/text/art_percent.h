
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Percent-encoding (RFC 3986, section 2.1).
 */


#ifndef ART_PERCENT_H_INCLUDED_
#define ART_PERCENT_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * Writes a text and encodes all bytes except ASCII letters, digits and those in
 * "safe".
 */

void art_percent_encode(art_out_t *out, art_str_t text, const char *safe);


/*
 * Writes a text with its control characters encoded (C0, DEL, and C1 as UTF-8,
 * see art_utf8_control()) and all else as it is, except that a "%" of the text
 * becomes "%25" where it would read as an encoded one ("%0A", "%250A").  So
 * different texts stay different.
 */

void art_percent_controls(art_out_t *out, art_str_t text);


/*
 * Decodes a text into "dst", which has room for text.len bytes, and sets *n to
 * the bytes written.  ART_ERROR for a "%" without two hexadecimal digits.
 */

int art_percent_decode(uint8_t *dst, size_t *n, art_str_t text);


#endif /* ART_PERCENT_H_INCLUDED_ */
