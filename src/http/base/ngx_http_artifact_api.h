
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Which API a request speaks.
 */


#ifndef NGX_HTTP_ARTIFACT_API_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_API_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "core/api/art_api.h"
#include "core/files/art_file.h"


/* The path of the request line, as the client sent it. */

art_str_t ngx_http_artifact_request_path(ngx_http_request_t *r);


/*
 * Sets *api to the one that "artifact_format" names if that is not empty, else
 * to the path's; NULL if there is none.  *flags are those of its
 * art_api_path_t.  NGX_ERROR when out of memory.
 */
ngx_int_t ngx_http_artifact_request_api(ngx_http_request_t *r,
    const art_api_t **api, unsigned *flags);


/* Whether the Content-Type is a JSON type. */

ngx_uint_t ngx_http_artifact_has_json_body(ngx_http_request_t *r);


/*
 * Whose Files API it is, in a location with artifact_files: Anthropic's clients
 * send this header.
 */

#define NGX_HTTP_ARTIFACT_FILES_HEADER  "anthropic-version"

art_file_api_t ngx_http_artifact_file_api(ngx_http_request_t *r);


#endif /* NGX_HTTP_ARTIFACT_API_H_INCLUDED_ */
