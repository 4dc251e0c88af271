
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Looking for the bytes of a signature.
 */


#ifndef ART_SIGNATURE_BYTES_H_INCLUDED_
#define ART_SIGNATURE_BYTES_H_INCLUDED_


#include "core/base/art_core.h"


/* Whether the "n" bytes stand at that offset of the "len" at "p". */

static inline int
art_signature_at(const uint8_t *p, size_t len, size_t offset, const char *bytes,
    size_t n)
{
    return offset <= len && n <= len - offset
           && (n == 0 || (p[offset] == (uint8_t) bytes[0]
                          && memcmp(p + offset, bytes, n) == 0));
}


/* The first occurrence of a zero-terminated string, or NULL. */

const uint8_t *art_signature_search(const uint8_t *p, size_t len,
    const char *bytes);


#endif /* ART_SIGNATURE_BYTES_H_INCLUDED_ */
