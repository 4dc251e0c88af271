
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The Files APIs of OpenAI and Anthropic (docs/files.md).
 */


#ifndef NGX_HTTP_ARTIFACT_FILES_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_FILES_H_INCLUDED_


#include "http/base/ngx_http_artifact_context.h"


/*
 * The content handler.  NGX_DECLINED for the content of a file: the context's
 * reference is that of its artifact, which the caller serves as any other, but
 * first asks ngx_http_artifact_files_has(), and answers errors with
 * ngx_http_artifact_files_error().  Otherwise returns what the content handler
 * has to return.
 */

ngx_int_t ngx_http_artifact_files(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);


/* Whether ctx->source was uploaded as a file. */

ngx_uint_t ngx_http_artifact_files_has(ngx_http_artifact_ctx_t *ctx);


/* Sends an error of the module's own in the shape of the API. */

ngx_int_t ngx_http_artifact_files_error(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t error);


/* Counts the request, in the log phase. */

void ngx_http_artifact_files_log(ngx_http_artifact_files_t *files,
    ngx_uint_t status);


#endif /* NGX_HTTP_ARTIFACT_FILES_H_INCLUDED_ */
