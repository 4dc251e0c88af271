
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The request's side of listings.
 */


#ifndef NGX_HTTP_ARTIFACT_LIST_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_LIST_H_INCLUDED_


#include "http/base/ngx_http_artifact_context.h"
#include "store/list/ngx_artifact_list_job.h"


/*
 * Listings, where "artifact_index" is on: the answer for the content handler
 * to return, or NGX_DECLINED if the URI does not ask for one.
 * ngx_http_artifact_list_missing() is for a path under which there is no file:
 * a folder is redirected to its own URI, with a slash.
 */

ngx_int_t ngx_http_artifact_list_handler(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
ngx_int_t ngx_http_artifact_list_missing(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);


/* Prints the page. */

void ngx_http_artifact_list_print(ngx_http_request_t *r,
    ngx_artifact_list_job_t *job, art_out_t *out);


#endif /* NGX_HTTP_ARTIFACT_LIST_H_INCLUDED_ */
