
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * How a location writes the URLs of contents, and checks their signatures.
 */


#ifndef NGX_HTTP_ARTIFACT_URL_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_URL_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "http/base/ngx_http_artifact_context.h"
#include "core/ref/art_sign.h"
#include "core/ref/art_url.h"


typedef struct {
    art_sign_keys_t           *keys;         /* NULL: URLs are not signed */
    ngx_http_complex_value_t  *scope;        /* or NULL */
    time_t                     ttl;
    ngx_flag_t                 required;     /* artifact_signed */
} ngx_http_artifact_sign_conf_t;


extern ngx_module_t  ngx_http_artifact_sign_module;


/*
 * Sets *url to the value of artifact_url, without a prefix if there is none,
 * and to the keys and the scope that sign URLs.  It is meant to be kept: two
 * calls may give different values.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_url(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf, art_url_t *url);


/*
 * Checks the signature in a request's query: *status is ART_URL_VALID only for
 * GET and HEAD of a content, and for PUT of a new artifact with a ticket.  *exp
 * is as for art_url_check(), 0 for PUT.  The location has keys.  NGX_ERROR when
 * out of memory.
 */

ngx_int_t ngx_http_artifact_url_check(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_url_status_t *status, uint64_t *exp);


#endif /* NGX_HTTP_ARTIFACT_URL_H_INCLUDED_ */
