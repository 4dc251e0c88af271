
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The rules of "artifact_derive": which form of a content a location is asked
 * for where a reader does not take it.
 */


#ifndef NGX_HTTP_ARTIFACT_CONVERT_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_CONVERT_H_INCLUDED_


#include "http/base/ngx_http_artifact.h"


/* A rule's "data": the URI of artifact_derive, and where the directive is. */

typedef struct {
    ngx_http_complex_value_t        value;
    ngx_http_artifact_directive_t  *directive;
} ngx_http_artifact_derive_uri_t;


typedef struct {
    ngx_array_t                    *rules;   /* art_derive_rule_t, or NULL */
    ngx_int_t                       parallel; /* of one request */
    ngx_msec_t                      timeout;
} ngx_http_artifact_convert_conf_t;


typedef struct {
    unsigned                        used:1;  /* there are rules anywhere */
} ngx_http_artifact_convert_main_conf_t;


extern ngx_module_t  ngx_http_artifact_convert_module;


static ngx_inline ngx_http_artifact_convert_conf_t *
ngx_http_artifact_convert(ngx_http_artifact_loc_conf_t *alcf)
{
    return ngx_http_artifact_conf_of(alcf, ngx_http_artifact_convert_module);
}


/* The rules of a location, or NULL. */

static ngx_inline ngx_array_t *
ngx_http_artifact_rules(ngx_http_artifact_loc_conf_t *alcf)
{
    return ngx_http_artifact_convert(alcf)->rules;
}


#endif /* NGX_HTTP_ARTIFACT_CONVERT_H_INCLUDED_ */
