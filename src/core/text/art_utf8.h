
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * UTF-8 (RFC 3629): validation, repair, and cutting at character boundaries.
 */


#ifndef ART_UTF8_H_INCLUDED_
#define ART_UTF8_H_INCLUDED_


#include "core/base/art_core.h"


/* U+FFFD, which replaces ill-formed bytes. */

#define ART_UTF8_REPLACEMENT  "\xef\xbf\xbd"


/*
 * Returns the length of the valid character at "p", 1 to 4; 0 if the "len"
 * bytes are the beginning of a valid character; -1 - n if the n bytes at "p" (n
 * 1 to 3) are a maximal ill-formed subsequence (Unicode 15, section 3.9,
 * "Substitution of maximal subparts"), to become one U+FFFD.  Surrogates,
 * overlong forms and code points above U+10FFFF are ill-formed.
 */

int art_utf8_char(const uint8_t *p, size_t len);


/* The code point of a valid character of n bytes. */

unsigned art_utf8_code(const uint8_t *p, int n);


/*
 * Writes a code point (up to U+10FFFF) and returns its length, 1 to 4.  A
 * surrogate is written in the same way, although the result is ill-formed.
 */

size_t art_utf8_encode(uint8_t utf8[4], unsigned code);


/* Code units of UTF-16: surrogates, and the code point of a pair of them. */

#define art_utf16_is_high(unit)  (((unit) & 0xfc00) == 0xd800)
#define art_utf16_is_low(unit)   (((unit) & 0xfc00) == 0xdc00)
#define art_utf16_pair(high, low)                                             \
    (0x10000 + (((high) & 0x3ff) << 10) + ((low) & 0x3ff))


/* The length of the longest valid prefix made of whole characters. */

size_t art_utf8_valid_len(const uint8_t *p, size_t len);


/* The length of the ASCII at the beginning. */

size_t art_utf8_ascii_len(const uint8_t *p, size_t len);


/* Whether all bytes are valid UTF-8. */

int art_utf8_valid(const uint8_t *p, size_t len);


/*
 * How many characters valid UTF-8 has, and how many bytes the first "max" of
 * them take.
 */

size_t art_utf8_chars(const uint8_t *p, size_t len);
size_t art_utf8_first(const uint8_t *p, size_t len, size_t max);


/* The longest prefix of at most "max" bytes that ends between characters. */

size_t art_utf8_cut(const uint8_t *p, size_t len, size_t max);


/*
 * Shortens a file name to the limit of file systems: at most "max" bytes, cut
 * at a character boundary before its extension, which is kept if it is short.
 * "buf" has room for "max" bytes; a name that is not too long is returned
 * itself.
 */

#define ART_UTF8_FILE_NAME_MAX  255

art_str_t art_utf8_file_name(art_str_t name, uint8_t *buf, size_t max);


/*
 * Whether valid UTF-8 has a control character: C0, DEL or C1 (general
 * category Cc of Unicode).
 */

int art_utf8_control(art_str_t s);


/*
 * Whether a text shows nothing: it is empty, or has only white space and
 * characters without a width (U+200B, U+FEFF).  APIs refuse such texts.
 */

int art_utf8_is_blank(const uint8_t *p, size_t len);


/* The same of a character. */

int art_utf8_blank(unsigned code);


/* Whether a text has white space in it; ill-formed bytes do not count. */

int art_utf8_has_white(art_str_t s);


/*
 * Writes a name as one line of valid UTF-8.  Ill-formed bytes become U+FFFD.
 * These become "_": C0 and C1 control characters, DEL, U+2028, U+2029, the
 * bidirectional controls (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to
 * U+2069; Unicode 15, section 23.2), and the invisible tag characters (U+E0000
 * to U+E007F).
 */

void art_utf8_name(art_out_t *out, art_str_t name);


#endif /* ART_UTF8_H_INCLUDED_ */
