
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Requests to models' APIs: their references become what the model can take.
 */


#ifndef NGX_HTTP_ARTIFACT_EXPAND_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_EXPAND_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "core/render/art_reasons.h"


typedef struct {
    ngx_flag_t                  expand;
    ngx_flag_t                  prompt;
    ngx_http_complex_value_t   *argument;    /* NULL: off */
} ngx_http_artifact_expand_conf_t;


extern ngx_module_t  ngx_http_artifact_expand_module;


/* Adds what became words and why, as far as it is known. */

void ngx_http_artifact_expand_reasons(ngx_http_request_t *r,
    art_reasons_t *reasons);


#endif /* NGX_HTTP_ARTIFACT_EXPAND_H_INCLUDED_ */
