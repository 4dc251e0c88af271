
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Contents that somebody else sends.
 */


#ifndef NGX_HTTP_ARTIFACT_SOURCE_RESPONSE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_SOURCE_RESPONSE_H_INCLUDED_


#include "http/base/ngx_http_artifact_context.h"


/*
 * Makes a source of a response that is about to be sent, from its headers;
 * sets ctx->source, with source->wanted if its first bytes have to be taken
 * before it is known what it is.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_response_source(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);


/*
 * Decodes the first bytes of a source in gzip for those who look at them, into
 * source->head; the bytes themselves stay where they are.  NGX_DECLINED if they
 * are not gzip, NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_response_decode(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);


#endif /* NGX_HTTP_ARTIFACT_SOURCE_RESPONSE_H_INCLUDED_ */
