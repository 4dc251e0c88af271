
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Answers that are made here as a whole: errors, metadata, counters.
 */


#ifndef NGX_HTTP_ARTIFACT_ANSWER_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_ANSWER_H_INCLUDED_


#include "http/base/ngx_http_artifact_context.h"


/*
 * The returned value is for the content handler to return.  The text to be
 * sent may be NULL: there was no memory for it.
 */

ngx_int_t ngx_http_artifact_send_error(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t error);
ngx_int_t ngx_http_artifact_send_json(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_uint_t status, art_out_t *out);
ngx_int_t ngx_http_artifact_send_text(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_uint_t status, ngx_str_t *type,
    art_out_t *out);


/*
 * The JSON of an error, in memory of the pool, and a header that goes with
 * it.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_error_text(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t error, art_out_t *out);
void ngx_http_artifact_set_json(ngx_http_request_t *r, art_out_t *out);


/*
 * Whether an "error_page" of the location is for this status, which then has
 * to be returned.  A page of its own errors has none.
 */

ngx_uint_t ngx_http_artifact_has_error_page(ngx_http_request_t *r,
    ngx_uint_t status);


/*
 * Drops the body of a request that is answered here: NGX_OK, or what the
 * content handler has to return.  ngx_http_artifact_send_error() does not where
 * the error has a page, whose location may have a use for the body.
 */

ngx_int_t ngx_http_artifact_discard_body(ngx_http_request_t *r);


/*
 * To be called before the body is read, or dropped: whatever fails from then
 * on has no error page, whose location would take what is left for the whole.
 */

void ngx_http_artifact_own_body(ngx_http_request_t *r);


/*
 * The error that an errno of opening is to the client, which is told nothing
 * of the disk; logged.  "bound" tells that the workspace at least is there.
 */

art_error_t ngx_http_artifact_open_error(ngx_http_request_t *r, ngx_err_t err,
    ngx_uint_t bound);


/* Sets the type of an answer to application/json; whether it is one of JSON. */

void ngx_http_artifact_set_json_type(ngx_http_request_t *r);
ngx_uint_t ngx_http_artifact_is_json_type(ngx_http_request_t *r);


/* Whether an answer is a stream of server-sent events. */

ngx_uint_t ngx_http_artifact_is_event_stream(ngx_http_request_t *r);


#endif /* NGX_HTTP_ARTIFACT_ANSWER_H_INCLUDED_ */
