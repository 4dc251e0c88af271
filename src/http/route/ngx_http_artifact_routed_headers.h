
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The headers of a routed answer.
 */


#ifndef NGX_HTTP_ARTIFACT_ROUTED_HEADERS_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_ROUTED_HEADERS_H_INCLUDED_


#include "http/route/ngx_http_artifact_stream.h"


/*
 * Makes the source's headers those of a started stream: type, length, and a
 * tag that changes with all that the answer depends on.  NGX_ERROR when out of
 * memory.
 */

ngx_int_t ngx_http_artifact_routed_headers(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);


#endif /* NGX_HTTP_ARTIFACT_ROUTED_HEADERS_H_INCLUDED_ */
