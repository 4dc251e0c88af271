
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Charsets: their names, their byte order marks, and what a converter needs to
 * know about them.
 */


#ifndef ART_CHARSET_H_INCLUDED_
#define ART_CHARSET_H_INCLUDED_


#include <iconv.h>

#include "core/base/art_core.h"


/*
 * Returns the canonical charset of a label ("GB2312", "latin1", " UTF8 ") by
 * the label table of the WHATWG Encoding Standard, or NULL if the label is
 * unknown.  ASCII white space around it and case are ignored.  The name is a
 * static string that art_charset_open() takes, never bytes from outside;
 * "UTF-8" includes US-ASCII.  UTF-16 and UTF-32 with their byte orders are
 * known as well.
 */

const char *art_charset_find(art_str_t label);


/*
 * Canonical names by number, for compact storage.  art_charset_row() returns
 * NULL past the end; art_charset_number() returns the number plus one, or 0 for
 * NULL and for a name that is not in the table.
 */

const char *art_charset_row(unsigned i);
unsigned art_charset_number(const char *charset);


/*
 * Opens a converter to UTF-8 from a canonical charset; the caller closes it.
 * Returns (iconv_t) -1 and sets errno on failure: EINVAL if this iconv has no
 * converter for the charset.  Names without a byte order mean big-endian (RFC
 * 2781, section 4.3; iconv would take the machine's).
 */

iconv_t art_charset_open(const char *charset);


/* Whether texts in a charset (canonical name) may have NUL bytes. */

int art_charset_wide(const char *charset);


/*
 * What the text stream must know about a canonical charset besides its name; 0
 * if it is not in the table.
 */

#define ART_CHARSET_UNIT2     0x01   /* made of units of two bytes */
#define ART_CHARSET_UNIT4     0x02   /* made of units of four bytes */
#define ART_CHARSET_PAIRS     0x04   /* two-byte characters, 8-bit lead bytes */
#define ART_CHARSET_PAIRS7    0x08   /* the same with 7 bits (ISO 2022) */
#define ART_CHARSET_C1        0x10   /* unassigned 80 to 9F are C1 controls */
#define ART_CHARSET_COMBINES  0x20   /* iconv holds a character back */

unsigned art_charset_traits(const char *charset);


/*
 * Returns the charset of the byte order mark at the start of a text, of which
 * "p" has the first n bytes, and sets *mark to its length; NULL and 0 if there
 * is no mark.  NULL and ART_CHARSET_UNDECIDED if more bytes (four at most) are
 * needed and may follow (not "last").
 */

#define ART_CHARSET_UNDECIDED  ((size_t) -1)

const char *art_charset_mark(const uint8_t *p, size_t n, unsigned last,
    size_t *mark);


/*
 * How many of the n bytes (1 at least) at p, which the converter refuses,
 * become one U+FFFD; 0 if that depends on bytes that may follow (not "last").
 * Units are replaced as a whole, and so are both bytes of an unassigned pair
 * whose second byte is not ASCII, as in the WHATWG decoders: skipping only the
 * first would pair up the following text wrongly.  Otherwise it is one byte.
 */

size_t art_charset_bad_len(unsigned traits, const uint8_t *p, size_t n,
    unsigned last);


#endif /* ART_CHARSET_H_INCLUDED_ */
