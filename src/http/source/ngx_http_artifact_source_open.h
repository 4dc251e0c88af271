
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Contents of the data root.
 */


#ifndef NGX_HTTP_ARTIFACT_SOURCE_OPEN_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_SOURCE_OPEN_H_INCLUDED_


#include "http/base/ngx_http_artifact_context.h"
#include "core/answer/art_error.h"


/*
 * Opens what the context's reference names: the content and its sidecar.
 * NGX_OK with ctx->source set, or NGX_DECLINED with *error, or NGX_ERROR when
 * out of memory.  NGX_AGAIN if a thread is at work for it, with the request's
 * write event handler called afterwards: the second one goes on then.
 */

ngx_int_t ngx_http_artifact_open_source(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t *error);
ngx_int_t ngx_http_artifact_open_source_again(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t *error);


#endif /* NGX_HTTP_ARTIFACT_SOURCE_OPEN_H_INCLUDED_ */
