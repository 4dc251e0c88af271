
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The headers of an answer, raw or routed.
 */


#ifndef NGX_HTTP_ARTIFACT_HEADERS_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_HEADERS_H_INCLUDED_


#include "http/source/ngx_http_artifact_source.h"
#include "http/route/ngx_http_artifact_stream.h"


/*
 * Sets the headers of a content that is sent as it is, from its metadata.
 * NGX_DECLINED if the content had to be read and could not be; NGX_ERROR when
 * out of memory.
 */

ngx_int_t ngx_http_artifact_raw_headers(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);


/*
 * Adds only the headers that keep a browser from executing an answer; its type
 * must be set.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_raw_safety(ngx_http_request_t *r);


/*
 * Sets only the Content-Type, of a content that is not sent to a client; to the
 * type in its metadata if it cannot be read.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_raw_type_of(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);


/*
 * Replaces the source's headers by those of a started stream: type, length, and
 * a tag that changes with everything that the answer depends on.  NGX_ERROR
 * when out of memory.
 */

ngx_int_t ngx_http_artifact_routed_headers(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);


/*
 * Adds a name to the source's Vary header, or adds the header, unless the name
 * is there.  "name" must outlive the request; NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_vary(ngx_http_request_t *r, const char *name);


/*
 * The header filter: starts the stream, once the source is known, and passes
 * the answer's header to the filters that follow.  Returns what a header filter
 * returns.
 */

ngx_int_t ngx_http_artifact_send_routed_header(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);


#endif /* NGX_HTTP_ARTIFACT_HEADERS_H_INCLUDED_ */
