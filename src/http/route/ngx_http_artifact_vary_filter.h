
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What an answer depends on besides its URI: the Vary header.
 */


#ifndef NGX_HTTP_ARTIFACT_VARY_FILTER_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_VARY_FILTER_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>


/*
 * Adds a name to the Vary header of the source, or makes one, unless it is
 * there.  "name" must outlive the request; NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_vary(ngx_http_request_t *r, const char *name);


#endif /* NGX_HTTP_ARTIFACT_VARY_FILTER_H_INCLUDED_ */
