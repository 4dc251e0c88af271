
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Which pages may write: a browser sends some requests to any server, without
 * asking it first (a "simple" one of CORS, as a form is).
 */


#ifndef NGX_HTTP_ARTIFACT_ORIGIN_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_ORIGIN_H_INCLUDED_


#include "http/base/ngx_http_artifact.h"


/*
 * Whether the origins of requests are judged in a location: it has handlers
 * that change something and need no preflight.
 */

ngx_uint_t ngx_http_artifact_has_origins(ngx_http_artifact_loc_conf_t *conf);


/*
 * Whether a page of an origin may write in such a location: NGX_OK if its host
 * is a name of the server or of this machine, or if it is a value of
 * artifact_origin; NGX_DECLINED if not, which is logged; NGX_ERROR when out of
 * memory.
 */

ngx_int_t ngx_http_artifact_check_origin(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *conf, ngx_str_t *origin);


/* The same for the request's own Origin; without one: NGX_OK. */

ngx_int_t ngx_http_artifact_check_request_origin(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *conf);


#endif /* NGX_HTTP_ARTIFACT_ORIGIN_H_INCLUDED_ */
