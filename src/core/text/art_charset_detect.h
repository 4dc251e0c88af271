
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The charset of a text that names none: what the text itself says of it, what
 * its characters would be, and what libuchardet takes it for.
 */


#ifndef ART_CHARSET_DETECT_H_INCLUDED_
#define ART_CHARSET_DETECT_H_INCLUDED_


#include "core/base/art_core.h"


/* How much of a text is looked at for what it says of its charset. */

#define ART_CHARSET_SAYS_MAX  1024       /* bytes */


/*
 * The charset (canonical) that a text in no UTF-8 is in, or NULL if none of
 * those that it says or seems to be in fits all of its bytes.  "says" is what
 * the text says (art_charset_says()), or NULL; *guessed is set to whether the
 * charset returned is another.  "whole" tells that nothing follows the bytes.
 * "few" tells that there are only a few bytes that are not UTF-8: they are
 * rather damage than some Latin charset.  iconv and libuchardet allocate and
 * free.
 */

const char *art_charset_detect(const uint8_t *p, size_t len, unsigned whole,
    unsigned few, const char *says, unsigned *guessed);


/*
 * What the beginning of a text says of its charset, canonical, or NULL: the
 * "charset" of an HTML <meta> element, the "encoding" of an XML declaration,
 * CSS's @charset rule, "coding" in a comment of the first two lines (PEP 263,
 * and Emacs's "-*-").
 */

const char *art_charset_says(const uint8_t *p, size_t len);


/*
 * How many sequences of these bytes are no characters of a charset, or control
 * characters from 80 to 9F, or for private use.  With "last", a character that
 * is cut off at the end is one, too.
 */

size_t art_charset_faults(const char *charset, const uint8_t *p, size_t len,
    unsigned last);


/*
 * Where in bytes that begin anywhere in a text its characters surely begin
 * again: at the first byte that is second in no character.  0 if there is none
 * among the first of them.
 */

size_t art_charset_resume(const uint8_t *p, size_t len);


#endif /* ART_CHARSET_DETECT_H_INCLUDED_ */
