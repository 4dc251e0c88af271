
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Telling texts in UTF-16 and UTF-32 from binary.
 */


#ifndef ART_UTF16_H_INCLUDED_
#define ART_UTF16_H_INCLUDED_


#include "core/base/art_core.h"


/* A unit of two bytes, of either byte order. */

static inline unsigned
art_utf16_unit(const uint8_t *p, unsigned big)
{
    return big ? (unsigned) p[0] << 8 | p[1] : (unsigned) p[1] << 8 | p[0];
}


/*
 * Whether bytes after a mark, or from later in such a text, may be text in
 * UTF-16 or UTF-32; "charset" names the byte order.
 */

unsigned art_utf16_is_text(const uint8_t *p, size_t len, const char *charset);


/*
 * Returns "UTF-16LE" or "UTF-16BE" for bytes without a mark that seem to be
 * text in it, else NULL.  "nul": there is a NUL among them; without one, only
 * texts in some scripts are recognized.
 */

const char *art_utf16_detect(const uint8_t *p, size_t len, unsigned nul);


#endif /* ART_UTF16_H_INCLUDED_ */
