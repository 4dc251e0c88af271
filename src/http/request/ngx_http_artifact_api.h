
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Which model's API a request is of.
 */


#ifndef NGX_HTTP_ARTIFACT_API_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_API_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "core/api/art_api.h"


/* The path of the request line, as the client sent it. */

art_str_t ngx_http_artifact_request_path(ngx_http_request_t *r);


/*
 * Sets *api to the one that "artifact_format" says if it is not empty, else the
 * path; NULL: none.  *versioned is that of art_api_by_path().  NGX_ERROR
 * when out of memory.
 */

ngx_int_t ngx_http_artifact_request_api(ngx_http_request_t *r,
    const art_api_t **api, unsigned *versioned);


#endif /* NGX_HTTP_ARTIFACT_API_H_INCLUDED_ */
