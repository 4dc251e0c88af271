
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Private to art_sniff.c: telling text from binary.
 */


#ifndef ART_SNIFF_TEXT_H_INCLUDED_
#define ART_SNIFF_TEXT_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * The class of the first "len" bytes of a content: ART_TEXT_* of art_sniff.h
 * except ART_TEXT_CODED.  *ascii is set to whether all of them are ASCII;
 * *charset is set for UTF-16 and UTF-32, else to NULL.
 */

unsigned art_sniff_text(const uint8_t *p, size_t len, unsigned whole,
    const char **charset, unsigned *ascii);


/*
 * The same for a sample from further on, of what may be text in UTF-8 or a
 * charset of 8 bits; UTF-16 is not detected.
 */

unsigned art_sniff_text_sample(const uint8_t *p, size_t len, unsigned whole,
    unsigned *ascii);


/* Whether a sample may be text in UTF-16 or UTF-32. */

unsigned art_sniff_wide(const uint8_t *p, size_t len, const char *charset);


/*
 * Whether all bytes of a text that are not ASCII are bad, several and different
 * ones in several runs: then it is in a charset rather than damaged.
 */

unsigned art_sniff_scattered(const uint8_t *p, size_t len);


/* Whether a whole text has only a byte order mark and white space. */

unsigned art_sniff_blank(const uint8_t *p, size_t len, const char *charset);


#endif /* ART_SNIFF_TEXT_H_INCLUDED_ */
