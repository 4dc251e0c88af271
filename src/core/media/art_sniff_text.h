
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Private to art_sniff*.c: the telling of text from binary.
 */


#ifndef ART_SNIFF_TEXT_H_INCLUDED_
#define ART_SNIFF_TEXT_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * The class of "len" bytes, which are the first of a content: ART_TEXT_* of
 * art_sniff.h, but
 * ART_TEXT_CODED.  *ascii tells that all of them are ASCII; *charset is that of
 * UTF-16 and UTF-32, else NULL.
 */

unsigned art_sniff_text(const uint8_t *p, size_t len, unsigned whole,
    const char **charset, unsigned *ascii);


/*
 * The same of bytes from another place, of what may be text in UTF-8 or a
 * charset of 8 bits; UTF-16 is not looked for.
 */

unsigned art_sniff_text_place(const uint8_t *p, size_t len, unsigned whole,
    unsigned *ascii);


/* Whether bytes from another place may be text in UTF-16 or UTF-32. */

unsigned art_sniff_wide(const uint8_t *p, size_t len, const char *charset);


/*
 * Whether a content of few bad bytes has so many different ones, among ASCII
 * only, that it is a text in a charset rather than one that was damaged.
 */

unsigned art_sniff_scattered(const uint8_t *p, size_t len);


/* Whether a whole text is nothing but a byte order mark and white space. */

unsigned art_sniff_blank(const uint8_t *p, size_t len, const char *charset);


#endif /* ART_SNIFF_TEXT_H_INCLUDED_ */
