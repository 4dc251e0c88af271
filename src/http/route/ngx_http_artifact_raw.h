
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The headers of a content that goes out as it is.
 */


#ifndef NGX_HTTP_ARTIFACT_RAW_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_RAW_H_INCLUDED_


#include "http/source/ngx_http_artifact_source.h"


/*
 * Sets the headers that come with a content, from its metadata; and only those
 * that keep a browser from executing what has the type set already.
 * NGX_DECLINED if the content had to be read and could not; NGX_ERROR when out
 * of memory.
 */

ngx_int_t ngx_http_artifact_raw_headers(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);
ngx_int_t ngx_http_artifact_raw_safety(ngx_http_request_t *r);


/*
 * Sets the Content-Type alone, of a content that no client gets: one that
 * cannot be read has the type that its metadata tell.  NGX_ERROR when out of
 * memory.
 */

ngx_int_t ngx_http_artifact_raw_type_of(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);


#endif /* NGX_HTTP_ARTIFACT_RAW_H_INCLUDED_ */
