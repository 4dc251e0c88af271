
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Names with values: the parameters of a header's value, "; a=b; c="d"" (RFC
 * 9110, section 5.6.6), and the arguments of a query, "a=b&c=d".
 */


#ifndef ART_PAIR_H_INCLUDED_
#define ART_PAIR_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * A value lies in the text that was split.  That of a parameter has no quotes,
 * but is not decoded otherwise.  One that is missing is empty, its data is not
 * NULL.
 */

typedef struct {
    art_str_t              name;
    art_str_t              value;
    unsigned               quoted:1;
} art_pair_t;


/*
 * Splits the next parameter off a header's value; what stands before the first
 * ";" is skipped, and what follows a value up to the next one, so that a value
 * without quotes ends at white space.  White space around "=" is accepted,
 * since senders of Content-Disposition had it (RFC 6266 allows it).  Returns 0
 * at the end.
 */

int art_param_next(art_str_t *rest, art_pair_t *param);


/*
 * Writes a parameter's value to "dst", which has room for as many bytes and may
 * be the value itself; returns the bytes written.  In quotes a backslash quotes
 * what follows (RFC 9110, section 5.6.4).  With "form" it does so only before a
 * quote or another one, since browsers do not escape those of file names, and
 * quotes, backslashes and controls may be escaped as "%22".
 */

size_t art_param_text(uint8_t *dst, const art_pair_t *param, unsigned form);


/*
 * Reads the parameters of a Content-Disposition.  *filename is that of
 * filename* (RFC 8187, UTF-8 only) if it is valid, else of filename; of several
 * with one name the first that is not empty counts.  "dst" has room for
 * value.len bytes and may be value.data; the names are in it, and have data
 * NULL if there is none.  "form" as for art_param_text().
 */

void art_param_names(art_str_t value, uint8_t *dst, unsigned form,
    art_str_t *name, art_str_t *filename);


/* A header's value, or a part of it, without white space around it. */

art_str_t art_param_trim(art_str_t text);


/*
 * Splits the next argument, with or without "=", off a query, without decoding
 * it (RFC 3986, section 3.4).  Returns 0 at the end.
 */

int art_query_next(art_str_t *rest, art_pair_t *arg);


/* The value of the first argument with this name; data is NULL without one. */

art_str_t art_query_find(art_str_t query, const char *name);


#endif /* ART_PAIR_H_INCLUDED_ */
