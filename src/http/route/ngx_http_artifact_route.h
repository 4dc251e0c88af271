
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Whether an answer is routed, and on which terms.
 */


#ifndef NGX_HTTP_ARTIFACT_ROUTE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_ROUTE_H_INCLUDED_


#include "http/route/ngx_http_artifact_stream.h"


/*
 * Sets the terms of an answer to the request itself, from its location and
 * reader.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_get_terms(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_terms_t *terms);


/*
 * The first one sets the configured format, else that of a service, which may
 * be NULL, else "route"; an unknown format is logged.  The second one sets the
 * "tool_call_id" argument, else the X-Tool-Call-Id header.  NGX_ERROR when out
 * of memory.
 */

ngx_int_t ngx_http_artifact_named_format(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf, const art_service_t *service,
    const art_format_t **format);
ngx_int_t ngx_http_artifact_tool_call_id(ngx_http_request_t *r,
    ngx_str_t *value);


#endif /* NGX_HTTP_ARTIFACT_ROUTE_H_INCLUDED_ */
