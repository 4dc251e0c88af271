
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Which texts of tools are long, and what is left of them.
 */


#ifndef NGX_HTTP_ARTIFACT_TEXTS_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_TEXTS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "core/offload/art_shorten.h"


/*
 * artifact_offload_text; "off" if that is certain.  With "always", texts of
 * requests are replaced also if the model has no tool that reads them.
 */

typedef struct {
    ngx_http_complex_value_t  *size;
    size_t                     head;
    size_t                     tail;
    unsigned                   always:1;
    unsigned                   off:1;
} ngx_http_artifact_texts_conf_t;


extern ngx_module_t  ngx_http_artifact_texts_module;


/*
 * What the directive is for a request: NGX_OK, NGX_DECLINED for "off", or
 * NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_texts_limits(ngx_http_request_t *r,
    const ngx_http_artifact_texts_conf_t *conf, art_shorten_limits_t *limits);


#endif /* NGX_HTTP_ARTIFACT_TEXTS_H_INCLUDED_ */
