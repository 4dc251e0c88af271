
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Lines of a text whose charset nobody declares: which of them are UTF-8, and
 * what the others have that is not.
 */


#ifndef ART_CHARSET_LINE_H_INCLUDED_
#define ART_CHARSET_LINE_H_INCLUDED_


#include "core/base/art_core.h"


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


#endif /* ART_CHARSET_LINE_H_INCLUDED_ */
