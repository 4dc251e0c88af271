
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the early body filter needs of the header filter.
 */


#ifndef NGX_HTTP_ARTIFACT_HEADER_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_HEADER_H_INCLUDED_


#include "http/route/ngx_http_artifact_stream.h"


/*
 * Starts the stream, now that all is known, and sends the header that goes
 * with it, to the filters that follow.
 */

ngx_int_t ngx_http_artifact_send_routed_header(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);


/*
 * Does so for a stream that still waits, and has the bytes that it has taken go
 * past subrequests which were made after them; bytes that follow them, "more",
 * are looked at only.  Returns what a body filter does.
 */

ngx_int_t ngx_http_artifact_wait_early(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *more);


#endif /* NGX_HTTP_ARTIFACT_HEADER_H_INCLUDED_ */
