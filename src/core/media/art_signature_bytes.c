
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/media/art_signature_bytes.h"


const uint8_t *
art_signature_search(const uint8_t *p, size_t len, const char *bytes)
{
    size_t          n;
    const uint8_t  *last;

    n = strlen(bytes);

    if (len < n) {
        return NULL;
    }

    for (last = p + len - n; p <= last; p++) {
        p = memchr(p, bytes[0], (size_t) (last - p) + 1);

        if (p == NULL || memcmp(p, bytes, n) == 0) {
            return p;
        }
    }

    return NULL;
}
