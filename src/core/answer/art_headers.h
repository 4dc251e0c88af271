
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Values of HTTP headers: Content-Disposition, and the preconditions of writes,
 * If-Match and If-None-Match.
 */


#ifndef ART_HEADERS_H_INCLUDED_
#define ART_HEADERS_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * Writes the header's value (RFC 6266): "inline" or "attachment" with
 * filename="..", for all clients, and with filename*=UTF-8''.. (RFC 8187) where
 * the name is not plain ASCII.  "name" is one line of valid UTF-8
 * (art_utf8_name()); path separators become "_".
 */

void art_disposition(art_out_t *out, art_str_t name, unsigned attachment);


/*
 * Finds the file name in a header's value: filename*= (RFC 8187, UTF-8 only),
 * else filename=, quoted or a token; only its last path component.  Writes it
 * to "dst", which has room for value.len bytes; returns it, empty if there is
 * none.
 */

art_str_t art_disposition_name(art_str_t value, uint8_t *dst);


typedef enum {
    ART_IF_MATCH = 0,    /* strong comparison */
    ART_IF_NONE_MATCH    /* weak comparison */
} art_precondition_t;


/*
 * Whether a write may go on: 1, or 0 for 412.  "values" are the values of all
 * field lines of that name, "nvalues" of them; without values the precondition
 * holds.  "exists": there is a file now, and "etag" is its tag as a GET would
 * state it (with quotes, and "W/" if weak).
 *
 * If-Match holds if the file exists and the list has its tag or is "*";
 * If-None-Match holds if not.  A malformed list (anything but "*" alone, or
 * entity tags and empty elements between commas, section 8.8.3) never holds,
 * whatever the file: its sender wanted protection, and 412 changes nothing.
 */

int art_precondition_holds(art_precondition_t kind, const art_str_t *values,
    unsigned nvalues, unsigned exists, art_str_t etag);


#endif /* ART_HEADERS_H_INCLUDED_ */
