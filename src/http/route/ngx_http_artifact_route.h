
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Whether an answer is routed, and on which terms.
 */


#ifndef NGX_HTTP_ARTIFACT_ROUTE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_ROUTE_H_INCLUDED_


#include "http/route/ngx_http_artifact_stream.h"


/*
 * The terms of an answer to the request itself: its location's, for its
 * reader.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_get_terms(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_terms_t *terms);


#endif /* NGX_HTTP_ARTIFACT_ROUTE_H_INCLUDED_ */
