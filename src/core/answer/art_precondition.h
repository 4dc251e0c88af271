
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Preconditions of writes: If-Match and If-None-Match (RFC 9110, sections
 * 13.1.1 and 13.1.2).
 */


#ifndef ART_PRECONDITION_H_INCLUDED_
#define ART_PRECONDITION_H_INCLUDED_


#include "core/base/art_core.h"


typedef enum {
    ART_IF_MATCH = 0,    /* strong comparison */
    ART_IF_NONE_MATCH    /* weak comparison */
} art_precondition_t;


/*
 * Whether a write may go on: 1, or 0 for 412.  "values" are the values of all
 * field lines of that name, "nvalues" of them; without any the precondition
 * holds.  "exists" tells whether there is a file now, and "etag" is its tag as
 * a GET would state it (with quotes, and "W/" if weak).
 *
 * If-Match holds if the file exists and the list has its tag or is "*";
 * If-None-Match if it does not.  A malformed list (anything but "*" alone, or
 * entity tags and empty elements between commas, section 8.8.3) never holds,
 * whatever the file: its sender wanted protection, and 412 changes nothing.
 */

int art_precondition_holds(art_precondition_t kind, const art_str_t *values,
    unsigned nvalues, unsigned exists, art_str_t etag);


#endif /* ART_PRECONDITION_H_INCLUDED_ */
