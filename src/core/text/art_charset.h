
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Charsets: their names, their byte order marks, and what a converter of them
 * needs to know.
 */


#ifndef ART_CHARSET_H_INCLUDED_
#define ART_CHARSET_H_INCLUDED_


#include <iconv.h>

#include "core/base/art_core.h"


/*
 * The canonical charset of a label ("GB2312", "latin1", " UTF8 "), which is
 * trimmed of ASCII white space and compared case-insensitively, after the
 * label table of the WHATWG Encoding Standard; the name returned is static,
 * and one that art_charset_open() takes: never anything that came from
 * outside.  UTF-16 and UTF-32 with their byte orders are known too.  "UTF-8"
 * for UTF-8 and US-ASCII.  NULL for an unknown label.
 */

const char *art_charset_find(art_str_t label);


/*
 * Canonical names by number, for compact storage: NULL past the end, and the
 * number plus one, 0 for NULL or a name that is not in the table.
 */

const char *art_charset_row(unsigned i);
unsigned art_charset_number(const char *charset);


/*
 * Opens a converter to UTF-8 from a canonical charset; the caller closes it.
 * (iconv_t) -1 and errno on failure: EINVAL if this iconv has no converter for
 * the charset.  Names without a byte order mean big-endian (RFC 2781, section
 * 4.3; iconv would take the machine's).
 */

iconv_t art_charset_open(const char *charset);


/* Whether texts in this charset (canonical name) may hold NUL bytes. */

int art_charset_wide(const char *charset);


/*
 * What the text stream must know about a canonical charset besides its name;
 * 0 for one that is not in the table.
 */

#define ART_CHARSET_UNIT2     0x01   /* made of units of two bytes, */
#define ART_CHARSET_UNIT4     0x02   /* of four */
#define ART_CHARSET_PAIRS     0x04   /* two-byte characters, 8 bits lead */
#define ART_CHARSET_PAIRS7    0x08   /* the same with 7 bits (ISO 2022) */
#define ART_CHARSET_C1        0x10   /* unassigned 80 to 9F are C1 controls */
#define ART_CHARSET_COMBINES  0x20   /* iconv holds a character back */

unsigned art_charset_traits(const char *charset);


/*
 * The charset of the byte order mark that the first n bytes of a text start
 * with, and its length in *mark; NULL and 0 if there is none.  NULL and
 * ART_CHARSET_UNDECIDED if more bytes, four at most, are needed to tell and
 * may follow (not "last").
 */

#define ART_CHARSET_UNDECIDED  ((size_t) -1)

const char *art_charset_mark(const uint8_t *p, size_t n, unsigned last,
    size_t *mark);


/*
 * How many of the n bytes (1 at least) at p, which the converter refuses, are
 * to become one U+FFFD; 0 if that depends on bytes that may follow (not
 * "last").  Units as a whole; both bytes of an unassigned pair whose second is
 * not ASCII, as the WHATWG decoders do, since skipping only the first would
 * pair up the following text wrongly; else one byte.
 */

size_t art_charset_bad_len(unsigned traits, const uint8_t *p, size_t n,
    unsigned last);


#endif /* ART_CHARSET_H_INCLUDED_ */
