
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Private to art_find*.c and art_look.c: characters and their escapes, and the
 * loops over many bytes.
 */


#ifndef ART_FIND_INT_H_INCLUDED_
#define ART_FIND_INT_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/media/art_find.h"


/* Alphabets: RFC 4648, section 4 and section 5. */

#define ART_FIND_PLAIN   1
#define ART_FIND_SAFE    2
#define ART_FIND_BOTH    3


/* Those that a character is of. */

static inline unsigned
art_find_alphabets(int c)
{
    if (art_char_alnum((uint8_t) c)) {
        return ART_FIND_BOTH;
    }

    if (c == '+' || c == '/') {
        return ART_FIND_PLAIN;
    }

    return c == '-' || c == '_' ? ART_FIND_SAFE : 0;
}


/* Within an escape: behind backslashes, behind "u" and digits. */

#define ART_FIND_NO_ESC   0
#define ART_FIND_SLASHES  1
#define ART_FIND_DIGITS   2


/* What art_find_lex() did. */

#define ART_FIND_READ     1      /* the byte was used */
#define ART_FIND_READY    2      /* *c is set */


/*
 * Reads a byte.  *c is a character of base64, its padding or a line break; 0
 * for any other character, or something that is no escape of one.
 */

unsigned art_find_lex(unsigned *esc, unsigned *value, uint8_t byte, int *c);


/* How many of the first bytes are letters, digits, and in "alphabets". */

size_t art_find_span(const uint8_t *p, size_t len, unsigned alphabets);


/*
 * Looks from "i" to "len" for a byte that cannot be in a run, nor in an escape
 * there, and returns the position behind it.  That is the last space; without a
 * space it is the last such byte; without one of these it returns "i".
 */

size_t art_find_breaker(const uint8_t *p, size_t i, size_t len);


/* The first "t:" from "i" on, or a "t" that is the last byte; else "len". */

size_t art_find_colon(const uint8_t *p, size_t i, size_t len);


/*
 * The first position from "i" on where a run may begin or the last letter of
 * "[artifact" may be, as far as the three bytes there tell, or those of them
 * that are given; else "len".  Only if "within" is set it may be behind a
 * letter or a digit that is no part of an escape.
 */

size_t art_find_hint(const uint8_t *p, size_t i, size_t len, unsigned within);


/*
 * Skips what is neither a run nor a marker; *marker is set to the end of a
 * marker.  An escape is never cut: what is before "from" does not matter.
 */

size_t art_find_skip(art_find_t *find, size_t from, size_t len,
    size_t *marker);


/* The alphabets that may begin behind a character. */

unsigned art_find_after(int c);


/* Copies the bytes before "pos", ART_FIND_WINDOW at most; their number. */

size_t art_find_window(const art_find_t *find, uint64_t pos, uint8_t *window);


/* Reads on behind "[artifact"; returns the bytes to the marker's end, or 0. */

size_t art_find_mark_read(art_find_t *find, const uint8_t *p, size_t len);


/*
 * Whether media may begin with these characters of a run, one at least.  The
 * first ART_FIND_HINT of them tell as much as all until there are
 * ART_FIND_SIGN.
 */

#define ART_FIND_HINT  3

unsigned art_find_may_be(const uint8_t *p, size_t n);


#endif /* ART_FIND_INT_H_INCLUDED_ */
