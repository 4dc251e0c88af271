
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Looks at a content, for the tests of art_sniff.
 */


#ifndef ART_SNIFF_RUN_H_INCLUDED_
#define ART_SNIFF_RUN_H_INCLUDED_


#include "core/media/art_media.h"
#include "core/media/art_sniff.h"
#include "exact.h"


#define BYTES     8192

#define B(bytes)  bytes, sizeof(bytes) - 1


static uint8_t  buf[BYTES];


/* The type of the signature that was seen. */

static inline const char *
media_of(const art_evidence_t *evidence)
{
    const art_media_t  *row;

    if (evidence->media == 0) {
        return "none";
    }

    row = art_media_row(evidence->media - 1u);

    return row ? row->mime : "no row";
}


/* A copy of exactly that size, so that a sanitizer sees one read too many. */

static inline void
sniff(const uint8_t *p, size_t len, unsigned whole, art_evidence_t *evidence)
{
    uint8_t  *copy;

    copy = exact(p, len);
    memset(evidence, '#', sizeof(*evidence));

    art_sniff(copy, len, whole, evidence);

    free(copy);
}


#endif /* ART_SNIFF_RUN_H_INCLUDED_ */
