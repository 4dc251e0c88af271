
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Answers that are JSON from the start: errors and metadata.
 */


#ifndef NGX_HTTP_ARTIFACT_ANSWER_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_ANSWER_H_INCLUDED_


#include "http/base/ngx_http_artifact.h"


/* The returned value is for the content handler to return. */

ngx_int_t ngx_http_artifact_send_error(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t error);
ngx_int_t ngx_http_artifact_send_metadata(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
ngx_int_t ngx_http_artifact_send_json(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_uint_t status, art_out_t *out);


/*
 * For the header filter: makes an error's JSON of the answer whose header is
 * about to be sent; the body filter then drops that answer's own body.
 * ngx_http_artifact_replace_page() does so for the pages that nginx makes of
 * some errors of its own in the locations of the handlers, and
 * ngx_http_artifact_replace_bad_uri() for a URI that would lie in one of them,
 * had nginx been able to read it.
 */

ngx_int_t ngx_http_artifact_replace(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t error);
ngx_int_t ngx_http_artifact_replace_page(ngx_http_request_t *r);
ngx_int_t ngx_http_artifact_replace_bad_uri(ngx_http_request_t *r);


/*
 * For a request that is going to be refused: its body is read and dropped, or
 * left alone where the error has a page, whose location may have a use for
 * it.  NGX_OK, or what the content handler has to return.
 */

ngx_int_t ngx_http_artifact_unwanted_body(ngx_http_request_t *r,
    art_error_t error);


/*
 * The error that an errno of opening is to the client, which is told nothing
 * of the disk; logged.  "bound" tells that the workspace at least is there.
 */

art_error_t ngx_http_artifact_open_error(ngx_http_request_t *r, ngx_err_t err,
    ngx_uint_t bound);


/* Sets the type of an answer to application/json; whether it is one of JSON. */

void ngx_http_artifact_set_json_type(ngx_http_request_t *r);
ngx_uint_t ngx_http_artifact_is_json_type(ngx_http_request_t *r);


#endif /* NGX_HTTP_ARTIFACT_ANSWER_H_INCLUDED_ */
