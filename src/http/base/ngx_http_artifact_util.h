
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Small things: memory for output, arguments, headers, names.
 */


#ifndef NGX_HTTP_ARTIFACT_UTIL_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_UTIL_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "core/base/art_core.h"


/* Memory of the pool for a measured output; data NULL when out of it. */

art_out_t ngx_http_artifact_out(ngx_pool_t *pool, size_t room);


/*
 * Printing, of which the first pass measures: an output of zeros is left with
 * what was printed, in memory of the pool, or with data NULL when out of it, by
 *
 *     do {
 *         art_..._print(&out, ...);
 *     } while (ngx_http_artifact_print_again(pool, &out));
 */

ngx_uint_t ngx_http_artifact_print_again(ngx_pool_t *pool, art_out_t *out);


/*
 * An argument of the request, percent-decoded; empty if there is none.
 * NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_arg(ngx_http_request_t *r, const char *name,
    ngx_str_t *value);


/* Whether a header has that name; the first one in a list that has, or NULL. */

ngx_uint_t ngx_http_artifact_header_is(ngx_table_elt_t *header,
    const char *name);
ngx_table_elt_t *ngx_http_artifact_find_header(ngx_list_t *headers,
    const char *name);


/*
 * The next header of a list that counts, or NULL; "part" and "n" are where the
 * list begins and 0 at first.
 */

ngx_table_elt_t *ngx_http_artifact_next_header(ngx_list_part_t **part,
    ngx_uint_t *n);


/*
 * Whether a header has one of the names, a list that NULL ends.  The second
 * one makes a list of headers anew, in its place, without those that have;
 * they are pushed to "taken" if that is not NULL.  Elements of the old list
 * stay for those who point to them, as parts of one must not become empty: they
 * would be read past their end.  NGX_ERROR when out of memory, and nothing has
 * changed.
 */

ngx_uint_t ngx_http_artifact_header_among(ngx_table_elt_t *header,
    const char *const *names);
ngx_int_t ngx_http_artifact_take_headers(ngx_pool_t *pool,
    ngx_list_t *headers, const char *const *names, ngx_array_t *taken);


/* Whether an answer has a Content-Encoding other than "identity". */

ngx_uint_t ngx_http_artifact_is_encoded(ngx_http_request_t *r);


/* Adds an answer header; "key" and "value" must outlive the request. */

ngx_int_t ngx_http_artifact_add_header(ngx_http_request_t *r, const char *key,
    ngx_str_t *value);


/*
 * Redirects to the request's URI with a slash behind it, as nginx does for
 * folders, so that relative links lead below it: what the content handler has
 * to return.
 */

ngx_int_t ngx_http_artifact_add_slash(ngx_http_request_t *r);


/*
 * Two strings as a name for system calls, in memory of the pool: with a zero
 * that "len" does not count.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_concat(ngx_pool_t *pool, ngx_str_t *out,
    art_str_t a, art_str_t b);


/*
 * Whether a path that variables make up has lost a component, since one of them
 * is empty: it would lead to what lies above, another's, perhaps.  That is
 * logged.  An empty one within a component leads to no such place.
 */

ngx_uint_t ngx_http_artifact_lacks_variable(ngx_http_request_t *r,
    ngx_http_complex_value_t *conf, ngx_str_t *path);


/* The last component of a path. */

void ngx_http_artifact_last_name(ngx_str_t *path, ngx_str_t *name);


#endif /* NGX_HTTP_ARTIFACT_UTIL_H_INCLUDED_ */
