
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Small helpers: memory for output, arguments, headers, names, values.
 */


#ifndef NGX_HTTP_ARTIFACT_UTIL_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_UTIL_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "store/write/ngx_artifact_write.h"
#include "core/base/art_core.h"


/* A pool of nginx as src/core takes memory from it. */

art_pool_t ngx_http_artifact_core_pool(ngx_pool_t *pool);


/*
 * Printing in two passes, the first of which measures.  After
 *
 *     ngx_memzero(&out, sizeof(art_out_t));
 *
 *     do {
 *         art_..._print(&out, ...);
 *     } while (ngx_http_artifact_print_again(pool, &out));
 *
 * "out" has what was printed, in memory of the pool, or data NULL when out of
 * memory.
 */

ngx_uint_t ngx_http_artifact_print_again(ngx_pool_t *pool, art_out_t *out);


/*
 * An argument of the request, percent-decoded; empty if there is none.
 * NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_arg(ngx_http_request_t *r, const char *name,
    ngx_str_t *value);


/* Whether a header has the name; the first header in a list that has it. */

ngx_uint_t ngx_http_artifact_header_is(ngx_table_elt_t *header,
    const char *name);
ngx_table_elt_t *ngx_http_artifact_find_header(ngx_list_t *headers,
    const char *name);


/*
 * The next header of a list that is not deleted, or the next one with a name,
 * or NULL; initially "part" is the list's first part and "n" is 0.
 */

ngx_table_elt_t *ngx_http_artifact_next_header(ngx_list_part_t **part,
    ngx_uint_t *n);
ngx_table_elt_t *ngx_http_artifact_next_named(ngx_list_part_t **part,
    ngx_uint_t *n, const char *name);


/* Whether there is a Content-Encoding other than "identity" among headers. */

ngx_uint_t ngx_http_artifact_is_encoded(ngx_list_t *headers);


/* Whether a request's Content-Type is "application/json". */

ngx_uint_t ngx_http_artifact_is_json(ngx_http_request_t *r);


/*
 * Takes out of the answer's Content-Encoding what is no coding: what tools put
 * into an object store's metadata ("aws-chunked", "utf-8", "none", "binary").
 * What remains is as if it had come so.
 */

void ngx_http_artifact_drop_no_codings(ngx_http_request_t *r);


/*
 * Adds an answer header; "key" and "value" must outlive the request.  The
 * second function returns it.  NGX_ERROR or NULL when out of memory.
 */

ngx_int_t ngx_http_artifact_add_header(ngx_http_request_t *r, const char *key,
    ngx_str_t *value);
ngx_table_elt_t *ngx_http_artifact_push_header(ngx_http_request_t *r,
    const char *key, ngx_str_t *value);


/*
 * Redirects to the request's URI with a slash appended, as nginx does for
 * folders, so that relative links lead below it.  Returns what the content
 * handler has to return.
 */

ngx_int_t ngx_http_artifact_add_slash(ngx_http_request_t *r);


/*
 * Concatenates two strings to a name for system calls, in memory of the pool,
 * with a terminating zero that "len" does not count.  NGX_ERROR when out of
 * memory.
 */

ngx_int_t ngx_http_artifact_concat(ngx_pool_t *pool, ngx_str_t *out,
    art_str_t a, art_str_t b);


/*
 * Whether a path made of variables has lost a component because one of them is
 * empty: it would lead to the folder above, perhaps another owner's.  This is
 * logged.  A variable that is empty within a component does no such harm.
 */

ngx_uint_t ngx_http_artifact_lacks_variable(ngx_http_request_t *r,
    ngx_http_complex_value_t *conf, ngx_str_t *path);


/*
 * A name in one line (art_utf8_name()), in memory of the pool: for logs, if it
 * may come from elsewhere.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_line(ngx_pool_t *pool, art_str_t name,
    ngx_str_t *line);


/*
 * The path of the content of a write, for logs: a space, and the path in quotes
 * on one line, zero-terminated in memory of the request; empty if the root or
 * the file is not known, or when out of memory.
 */

u_char *ngx_http_artifact_job_path(ngx_http_request_t *r,
    const ngx_artifact_write_job_t *job);


/*
 * The call that failed in a write, for logs: a colon, a space, its name and the
 * path, zero-terminated in memory of the request; empty if none failed, or when
 * out of memory.
 */

u_char *ngx_http_artifact_job_failure(ngx_http_request_t *r,
    const ngx_artifact_write_job_t *job);


/* Milliseconds since 1970, of the worker's clock. */

static ngx_inline uint64_t
ngx_http_artifact_now(void)
{
    ngx_time_t  *tp;

    tp = ngx_timeofday();

    return (uint64_t) tp->sec * 1000 + tp->msec;
}


/* The last component of a path. */

void ngx_http_artifact_last_name(ngx_str_t *path, ngx_str_t *name);


/*
 * As ngx_http_complex_value(), for ids in metadata: one of more than
 * ART_META_ID_MAX bytes, which readers would ignore, is truncated between
 * characters.
 */

ngx_int_t ngx_http_artifact_id_value(ngx_http_request_t *r,
    ngx_http_complex_value_t *cv, art_str_t *value);


/*
 * As ngx_http_complex_value(), for texts that models read: the value of a
 * variable becomes one line, as names do (art_utf8_name()).  Only the text in
 * the configuration can have line breaks.
 */

ngx_int_t ngx_http_artifact_lines_value(ngx_http_request_t *r,
    ngx_http_complex_value_t *val, ngx_str_t *value);


#endif /* NGX_HTTP_ARTIFACT_UTIL_H_INCLUDED_ */
