
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What a location has answered that was asked for a content: what this means to
 * its consumer, and to the log.
 */


#ifndef NGX_HTTP_ARTIFACT_ANSWERED_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_ANSWERED_H_INCLUDED_


#include "http/route/ngx_http_artifact_consumer.h"


/*
 * Finds out whether an artifact is missing, or the location that was asked is
 * no source at all ("astray").  An error may have a page, which may be a source
 * as well: one source that has answered is enough.  Of a conversion neither is
 * asked.
 */

void ngx_http_artifact_answered(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer);


/*
 * After the end: logs a failure, and sets consumer->why.  A missing content is
 * none: the reader is told about it.  What the failure of a conversion means is
 * left to who has asked for it.
 */

void ngx_http_artifact_answered_log(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer);


/*
 * Looks at the bytes of a conversion before they are rendered, and stops one
 * that is too long.
 */

void ngx_http_artifact_answered_bytes(
    ngx_http_artifact_consumer_t *consumer,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in);


#endif /* NGX_HTTP_ARTIFACT_ANSWERED_H_INCLUDED_ */
