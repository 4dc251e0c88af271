
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Errors as JSON in place of responses whose header is about to be sent.
 */


#ifndef NGX_HTTP_ARTIFACT_REPLACE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_REPLACE_H_INCLUDED_


#include "http/base/ngx_http_artifact_context.h"
#include "core/answer/art_error.h"


/*
 * For the header filter: the header becomes that of the error, the body that
 * comes is replaced by the body filter.  The second one does so for the pages
 * that nginx makes of some errors of its own in the locations of the handlers,
 * the third one for a URI that would lie in one of them, had nginx been able
 * to read it; both do nothing otherwise.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_replace(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t error);
ngx_int_t ngx_http_artifact_replace_page(ngx_http_request_t *r);
ngx_int_t ngx_http_artifact_replace_bad_uri(ngx_http_request_t *r);


#endif /* NGX_HTTP_ARTIFACT_REPLACE_H_INCLUDED_ */
