
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * An output to print to, for the tests of what prints words for people.
 */


#ifndef ART_OUT_BUF_H_INCLUDED_
#define ART_OUT_BUF_H_INCLUDED_


#include <string.h>

#include "core/base/art_core.h"


#define BYTES     4000

#define IN(text)  text, sizeof(text) - 1


static uint8_t  buf[BYTES];


/* The whole buffer, empty: "#" stands where nothing was written. */

static inline art_out_t
new_out(void)
{
    art_out_t  out;

    memset(buf, '#', sizeof(buf));

    out.data = buf;
    out.len = 0;
    out.room = sizeof(buf);

    return out;
}


#endif /* ART_OUT_BUF_H_INCLUDED_ */
