
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * How the content of a source, a subrequest that has a consumer, is taken from
 * the filters: behind all that work on it, with the output of subrequests of
 * its own in its place.
 */


#ifndef NGX_HTTP_ARTIFACT_CAPTURE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_CAPTURE_H_INCLUDED_


#include "http/route/ngx_http_artifact_consumer.h"


/*
 * The header of a source, before the header filters: makes its stream and has
 * "next", the first of these filters, look at it.  And behind them, where the
 * header ends: what the source is, is known now.  Both return what a header
 * filter does.
 */

ngx_int_t ngx_http_artifact_capture_begin(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer,
    ngx_http_output_header_filter_pt next);
ngx_int_t ngx_http_artifact_capture_header(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer);


/*
 * The source that a request is, or that it is part of as its subrequest; NULL
 * if there is none.
 */

ngx_http_request_t *ngx_http_artifact_capture_of(ngx_http_request_t *r);


/*
 * Before the body filters: the end of a source's own output is told as that of
 * a main request, since some filters know no other.
 */

void ngx_http_artifact_capture_mark(ngx_http_artifact_consumer_t *consumer,
    ngx_chain_t *in);


/*
 * A subrequest whose upstream has failed ends with a flush, as if nothing had
 * happened: what it is a part of, if it is part of a source, is not whole.
 */

void ngx_http_artifact_capture_break(ngx_http_request_t *r);


/*
 * Passes rendered buffers on as what the source answers: they go to the client
 * behind all that was sent before the subrequest was made.  For the output of a
 * consumer; returns what the next body filter does.
 */

ngx_int_t ngx_http_artifact_capture_pass(ngx_http_request_t *r,
    ngx_chain_t *out);


#endif /* NGX_HTTP_ARTIFACT_CAPTURE_H_INCLUDED_ */
