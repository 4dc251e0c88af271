
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Contents that stay open from one request to the next.
 */


#ifndef NGX_HTTP_ARTIFACT_OPEN_CACHE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_OPEN_CACHE_H_INCLUDED_


#include "http/base/ngx_http_artifact_context.h"


/*
 * Contents kept open under the rules of "open_file_cache".  The cache of a
 * location is made with its configuration.
 *
 * ngx_http_artifact_open_cache_get() fills ctx->source from the cache: NGX_OK;
 * or NGX_DECLINED, the content is known to be missing, with *err and *bound as
 * they were put; or NGX_BUSY, nothing is known; or NGX_ERROR.
 * ngx_http_artifact_open_cache_put() keeps ctx->source, which was opened
 * ("err" is 0), or the reason why it could not be.
 */

ngx_int_t ngx_http_artifact_open_cache_create(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf);
ngx_int_t ngx_http_artifact_open_cache_get(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_err_t *err, ngx_uint_t *bound);
void ngx_http_artifact_open_cache_put(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_err_t err, ngx_uint_t bound);


#endif /* NGX_HTTP_ARTIFACT_OPEN_CACHE_H_INCLUDED_ */
