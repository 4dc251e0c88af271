
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Listings, on the side of the request.
 */


#ifndef NGX_HTTP_ARTIFACT_LIST_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_LIST_H_INCLUDED_


#include "http/base/ngx_http_artifact_context.h"


/*
 * Listings, if "artifact_index" is on.  They return what the content handler
 * has to return, or NGX_DECLINED if the URI does not ask for a listing.
 * ngx_http_artifact_list_missing() is for a path that is not a file: if it is a
 * folder, it is redirected to its own URI, with a slash.
 */

ngx_int_t ngx_http_artifact_list_handler(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
ngx_int_t ngx_http_artifact_list_missing(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);


#endif /* NGX_HTTP_ARTIFACT_LIST_H_INCLUDED_ */
