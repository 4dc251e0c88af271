
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What all variables have in common.
 */


#ifndef NGX_HTTP_ARTIFACT_VARIABLE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_VARIABLE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "core/base/art_core.h"


/* Adds those of an array, which ends with ngx_http_null_variable. */

ngx_int_t ngx_http_artifact_variables_add(ngx_conf_t *cf,
    ngx_http_variable_t *v);


/* Whether the configuration, which has been read, uses a variable. */

ngx_uint_t ngx_http_artifact_variable_is_used(ngx_conf_t *cf,
    const char *name);


/*
 * Set a value, none if its data is NULL, which lives as long as the request.
 * nginx puts variables into headers, FastCGI parameters and logs unchanged.
 * Ours come from JSON, base64 and percent-encoding, where a client can write
 * line breaks: control characters are percent-encoded, as in $artifact_key.
 * The second function is for values that have none.  NGX_ERROR when out of
 * memory.
 */

ngx_int_t ngx_http_artifact_variable_text(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, art_str_t text);
void ngx_http_artifact_variable_set(ngx_http_variable_value_t *v,
    art_str_t value);


/*
 * The request that a variable of the URI is about.  A subrequest that decides
 * about another request, such as that of auth_request, must see that request's
 * reference.
 */

ngx_http_request_t *ngx_http_artifact_variable_owner(ngx_http_request_t *r);


#endif /* NGX_HTTP_ARTIFACT_VARIABLE_H_INCLUDED_ */
