
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Functions that the filters of routed answers call of each other.
 */


#ifndef NGX_HTTP_ARTIFACT_FILTERS_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_FILTERS_H_INCLUDED_


#include "http/route/ngx_http_artifact_stream.h"


/*
 * The header filter: starts the stream, once the source is known, and passes
 * the answer's header to the filters that follow.  Returns what a header filter
 * returns.
 */

ngx_int_t ngx_http_artifact_send_routed_header(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);


/*
 * The Vary filter: adds a name to the source's Vary header, or adds the header,
 * unless the name is there.  "name" must outlive the request; NGX_ERROR when
 * out of memory.
 */

ngx_int_t ngx_http_artifact_vary(ngx_http_request_t *r, const char *name);


#endif /* NGX_HTTP_ARTIFACT_FILTERS_H_INCLUDED_ */
