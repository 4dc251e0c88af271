
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Whether a location can have artifacts at all.
 */


#ifndef NGX_HTTP_ARTIFACT_SOURCE_LOCATION_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_SOURCE_LOCATION_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>


/*
 * Whether it is an artifact that is missing if a request was answered with 404
 * (or 401, 403, 410).  NGX_OK: the request came to a handler of references, to
 * another handler, to an upstream, or to a folder that exists; "folder" tells
 * that it may be for a file in one.  NGX_DECLINED: the location has no
 * artifacts; its status is that of "return", of no location at all, or of a
 * folder that is missing.  NGX_ABORT: the location's data root cannot be used,
 * which has been logged.
 */

ngx_int_t ngx_http_artifact_location(ngx_http_request_t *r, ngx_uint_t folder);


/* The name of the location that has answered; empty: the server itself. */

ngx_str_t ngx_http_artifact_location_name(ngx_http_request_t *r);


/* Logs that the URI of a source led to that location, which has none. */

void ngx_http_artifact_location_log(ngx_log_t *log, ngx_str_t *uri,
    ngx_str_t *location, ngx_uint_t status);

/*
 * Logs that a location which may have artifacts refused a source before its
 * handler was asked; nothing if the handler, or an upstream, has answered.
 */

void ngx_http_artifact_location_log_refused(ngx_http_request_t *r,
    ngx_uint_t status);


#endif /* NGX_HTTP_ARTIFACT_SOURCE_LOCATION_H_INCLUDED_ */
