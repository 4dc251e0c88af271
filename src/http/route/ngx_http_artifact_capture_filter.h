
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the capture filter has in common with consumers.
 */


#ifndef NGX_HTTP_ARTIFACT_CAPTURE_FILTER_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_CAPTURE_FILTER_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>


/*
 * Passes rendered buffers on as what the subrequest answers: they go to the
 * client behind all that was sent before the subrequest was made.  For the
 * output of a consumer; returns what the next body filter does.
 */

ngx_int_t ngx_http_artifact_capture_pass(ngx_http_request_t *r,
    ngx_chain_t *out);


#endif /* NGX_HTTP_ARTIFACT_CAPTURE_FILTER_H_INCLUDED_ */
