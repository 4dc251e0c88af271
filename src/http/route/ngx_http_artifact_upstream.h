
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The upstream of a stream: how much of its body came, how it ends, and its
 * end when no more of it is needed.
 */


#ifndef NGX_HTTP_ARTIFACT_UPSTREAM_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_UPSTREAM_H_INCLUDED_


#include "http/route/ngx_http_artifact_stream.h"


/*
 * If the response is that of an upstream, which has not ended yet (one that has
 * may have led here), it becomes that of the stream, which learns whether it
 * times out (stream->timedout), and of any of its failures as a flush.  Called
 * from the header filter, before nginx reads the body.  NGX_ERROR when out of
 * memory.
 */

ngx_int_t ngx_http_artifact_upstream_follow(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);


/*
 * Counts what came of an upstream's body in "in", which no filter may have
 * worked on yet; whether it ends short of its Content-Length.
 */

ngx_uint_t ngx_http_artifact_upstream_is_cut(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in);


/* Whether "in" is what nginx ends the body of an upstream with that failed. */

ngx_uint_t ngx_http_artifact_upstream_has_failed(
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in);


/* The answer is complete: an upstream (or NULL) with much to follow ends. */

void ngx_http_artifact_upstream_end(ngx_http_upstream_t *u);


#endif /* NGX_HTTP_ARTIFACT_UPSTREAM_H_INCLUDED_ */
