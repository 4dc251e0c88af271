
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Writing JSON strings (RFC 8259 section 7), as a stream and whole.
 */


#ifndef ART_JSON_ESCAPE_H_INCLUDED_
#define ART_JSON_ESCAPE_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * Escapes valid UTF-8 for a JSON string inside "level" - 1 other JSON strings
 * (level 1: an ordinary string; level 2: a string within a string; level 3 at
 * most), without the quotes.  Runs until the input is used up or the next
 * character's escape does not fit; advances *src and *len; returns the bytes
 * written.  Only '"', '\' and U+0000 to U+001F are escaped (short forms \b \t
 * \n \f \r, else \u00xx in lower case); everything else is copied.  Output ends
 * between units: a character of several bytes or an escape is never split.  The
 * longest unit is ART_JSON_UNIT_MAX bytes, "\\\\u00xx"; with less room there
 * may be no progress.  Room after the bytes written may have been overwritten.
 */

#define ART_JSON_LEVEL_MAX  3
#define ART_JSON_UNIT_MAX   9

size_t art_json_escape(uint8_t *dst, size_t room, const uint8_t **src,
    size_t *len, unsigned level);


/*
 * The same for a whole short string into a measured output; bytes that are not
 * valid UTF-8 become U+FFFD.  Level 0 only repairs the text and does not escape
 * it.
 */

void art_json_string(art_out_t *out, art_str_t s, unsigned level);


/* The same for a built-in text, which is known to be valid UTF-8. */

void art_json_literal(art_out_t *out, art_str_t s, unsigned level);


#endif /* ART_JSON_ESCAPE_H_INCLUDED_ */
