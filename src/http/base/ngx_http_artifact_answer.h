
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Answers that are made as a whole: errors, metadata, counters.
 */


#ifndef NGX_HTTP_ARTIFACT_ANSWER_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_ANSWER_H_INCLUDED_


#include "http/base/ngx_http_artifact_context.h"


/*
 * Send a whole answer, and return what the content handler has to return.
 * out->data is NULL if there was no memory for the text.
 */

ngx_int_t ngx_http_artifact_send_error(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t error);
ngx_int_t ngx_http_artifact_send_json(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_uint_t status, art_out_t *out);
ngx_int_t ngx_http_artifact_send_text(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_uint_t status, ngx_str_t *type,
    art_out_t *out);


/*
 * Sets the status, type and length of an answer to those of an error, and "out"
 * to its JSON, in memory of the pool; ART_ERR_TOO_LARGE in the shape of the API
 * that the location serves.  NGX_DECLINED, with nothing set, if the location
 * serves none: it has no handler of the module, and does not expand the body.
 * NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_set_error(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t error, art_out_t *out);


/*
 * Whether the location has an "error_page" for this status: then the status has
 * to be returned, since the page is the administrator's own answer.
 */

ngx_uint_t ngx_http_artifact_has_error_page(ngx_http_request_t *r,
    ngx_uint_t status);


/*
 * Discards the body of a request that is answered here: NGX_OK, or what the
 * content handler has to return.  ngx_http_artifact_send_error() leaves the
 * body to the error page, if there is one.
 */

ngx_int_t ngx_http_artifact_discard_body(ngx_http_request_t *r);


/*
 * To be called before the body is read or discarded: from then on errors have
 * no error page, since its location would take the rest for the whole body.
 */

void ngx_http_artifact_own_body(ngx_http_request_t *r);


/*
 * The level for telling which path was tried in vain: of a subrequest, whose
 * 404 no client sees, an error, unless "log_not_found" is off.
 */

ngx_uint_t ngx_http_artifact_absent_level(ngx_http_request_t *r);


/*
 * The error to answer with after opening "path" failed with "err": the log has
 * both, unless the path is empty, and the client learns nothing about the disk.
 * "bound" is set if the workspace exists.
 */

art_error_t ngx_http_artifact_open_error(ngx_http_request_t *r, ngx_err_t err,
    ngx_uint_t bound, ngx_str_t *path);


/* Sets an answer's type to application/json; whether it is a JSON type. */

void ngx_http_artifact_set_json_type(ngx_http_request_t *r);
ngx_uint_t ngx_http_artifact_is_json_type(ngx_http_request_t *r);


/*
 * Finalizes a request from an event handler, unless "rc" is NGX_DONE; before
 * the header an error is a 500.
 */

void ngx_http_artifact_finish(ngx_http_request_t *r, ngx_int_t rc);


#endif /* NGX_HTTP_ARTIFACT_ANSWER_H_INCLUDED_ */
