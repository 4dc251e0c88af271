
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The upstream of a stream: how it fails, and its end when no more of its body
 * is needed.
 */


#ifndef NGX_HTTP_ARTIFACT_UPSTREAM_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_UPSTREAM_H_INCLUDED_


#include "http/route/ngx_http_artifact_stream.h"


/*
 * If the response comes from an upstream that has not ended yet (one that has
 * ended may have redirected here), sets stream->upstream.  The stream notices
 * its timeout (stream->timedout), and all failures by a flush.  Called from the
 * header filter, before nginx reads the body.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_upstream_follow(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);


/* The answer is complete: ends an upstream, or NULL, unless little is left. */

void ngx_http_artifact_upstream_end(ngx_http_upstream_t *u);


#endif /* NGX_HTTP_ARTIFACT_UPSTREAM_H_INCLUDED_ */
