
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * art_ends.h, run over a content in memory as over a file.
 */


#ifndef ENDS_RUN_H_INCLUDED_
#define ENDS_RUN_H_INCLUDED_


#include <stdlib.h>
#include <string.h>

#include "core/media/art_ends.h"


/*
 * What is found; *steps is the number of samples, UINT32_MAX if one of them is
 * out of bounds.  "short_of" is the sample that has a byte less than it should.
 */

static art_end_t
ends_of(const uint8_t *p, size_t n, unsigned short_of, unsigned *steps)
{
    size_t           len;
    uint8_t         *copy;
    art_sample_t     sample;
    art_ends_file_t  file;

    memset(&file, 0xa5, sizeof(file));
    art_ends_init(&file, n);

    for (*steps = 0; art_ends_next(&file, &sample); ++*steps) {

        if (sample.len > ART_ENDS_PIECE || sample.offset > n
            || sample.len > n - sample.offset || *steps > ART_ENDS_STEPS + 2)
        {
            *steps = UINT32_MAX;
            break;
        }

        /* memory of its own, so that a sanitizer sees one byte more */

        len = sample.len - (*steps == short_of);
        copy = malloc(len > 0 ? len : 1);
        memcpy(copy, p + sample.offset, len);
        art_ends_sample(&file, copy, len);
        free(copy);
    }

    return file.end;
}


#endif /* ENDS_RUN_H_INCLUDED_ */
