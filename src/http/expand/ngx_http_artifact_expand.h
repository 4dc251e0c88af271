
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

#include "http/base/ngx_http_artifact_context.h"
#include "core/render/art_reasons.h"


typedef struct {
    ngx_flag_t                  expand;
    ngx_flag_t                  prompt;
    ngx_http_complex_value_t   *argument;    /* NULL: off */
} ngx_http_artifact_expand_conf_t;


extern ngx_module_t  ngx_http_artifact_expand_module;


/* Adds what was converted, or became words and why, as far as it is known. */

void ngx_http_artifact_expand_reasons(ngx_http_request_t *r,
    art_reasons_t *reasons);


/*
 * Who gets an expanded request: of a batch, its first one.  NULL if that is not
 * known, or nobody, as in a subrequest.
 */

ngx_http_artifact_reader_t *ngx_http_artifact_expand_reader(
    ngx_http_request_t *r);


#endif /* NGX_HTTP_ARTIFACT_EXPAND_H_INCLUDED_ */
