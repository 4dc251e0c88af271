
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The charset of a text whose type declares none: by the text's own
 * declaration, by the characters that it would have, and by libuchardet; and by
 * lines: which of them are UTF-8, and what the others have that is not.
 */


#ifndef ART_CHARSET_DETECT_H_INCLUDED_
#define ART_CHARSET_DETECT_H_INCLUDED_


#include "core/base/art_core.h"


/* A text's own declaration of its charset is within so many bytes. */

#define ART_CHARSET_SAYS_MAX  1024       /* bytes */


/*
 * Returns the canonical charset of bytes that are not UTF-8, such as
 * art_charset_foreign() leaves, or NULL if no charset that the text declares or
 * seems to have fits all of them but for one character in 32.  "says" is what
 * the text declares (art_charset_says()), or NULL; *guessed is set to whether
 * the returned charset is another one.  "whole": nothing follows the bytes.
 * "few": they are no proof of a charset of 8 bits, but damage.  iconv and
 * libuchardet allocate and free memory.
 */

const char *art_charset_detect(const uint8_t *p, size_t len, unsigned whole,
    unsigned few, const char *says, unsigned *guessed);


/*
 * The same by one of the first lines that are not UTF-8, for texts in which not
 * all lines can be read.
 */

const char *art_charset_detect_lines(const uint8_t *p, size_t len);


/*
 * Returns the canonical charset that the beginning of a text declares, or NULL:
 * the "charset" of an HTML <meta> element, the "encoding" of an XML
 * declaration, CSS's @charset rule, or "coding" in a comment of the first two
 * lines (PEP 263, and Emacs's "-*-").
 */

const char *art_charset_says(const uint8_t *p, size_t len);


/*
 * Counts the sequences that are not characters of a charset, are control
 * characters from U+0080 to U+009F, or are for private use.  With "last", a
 * character cut off at the end counts as well.
 */

size_t art_charset_faults(const char *charset, const uint8_t *p, size_t len,
    unsigned last);


/*
 * Returns the offset of the first certain start of a character in bytes that
 * begin anywhere in a text: the first byte that is never the second one of a
 * character.  0 if the first few bytes have none.
 */

size_t art_charset_resume(const uint8_t *p, size_t len);


typedef enum {
    ART_LINE_UTF8 = 0,           /* ASCII too, and UTF-8 with some damage */
    ART_LINE_UNSURE,             /* UTF-8, but maybe by accident: a few pairs */
    ART_LINE_OTHER               /* in another charset */
} art_line_t;


/*
 * What a line is, or the part of one that "p" has; a character of UTF-8 that is
 * cut off at its end does not count.
 */

art_line_t art_charset_line(const uint8_t *p, size_t len);


/*
 * Copies from a text what it has in another charset: of each such line the
 * bytes that are not ASCII, with a few around them.  "out" has room for "len"
 * bytes.  Returns how many were copied; 0 if all lines are UTF-8.
 */

size_t art_charset_foreign(const uint8_t *p, size_t len, uint8_t *out);


#endif /* ART_CHARSET_DETECT_H_INCLUDED_ */
