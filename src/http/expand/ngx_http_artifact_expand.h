
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
#include "core/answer/art_recent.h"
#include "core/render/art_reasons.h"


/* References, or only stand-ins. */

#define NGX_HTTP_ARTIFACT_EXPAND_OFF       0
#define NGX_HTTP_ARTIFACT_EXPAND_ON        1
#define NGX_HTTP_ARTIFACT_EXPAND_STANDINS  2


typedef struct {
    ngx_uint_t                  expand;      /* what is expanded */
    ngx_flag_t                  prompt;
    ngx_http_complex_value_t   *argument;    /* NULL: off */
} ngx_http_artifact_expand_conf_t;


extern ngx_module_t  ngx_http_artifact_expand_module;


/* Adds what was converted, or became words and why, as far as it is known. */

void ngx_http_artifact_expand_reasons(ngx_http_request_t *r,
    art_reasons_t *reasons);


/*
 * When a request has ended: what it asked for, of which what is not known is
 * empty; NGX_DECLINED if it was not expanded.  The second one, if it was, adds
 * what became of its contents: what a reader did not get comes first.  Both
 * also after an error that was left to an "error_page".
 */

typedef struct {
    art_str_t                   api;
    art_str_t                   model;
    art_str_t                   service;
    unsigned                    unknown;     /* no map has the reader */
} ngx_http_artifact_asked_t;

ngx_int_t ngx_http_artifact_expand_asked(ngx_http_request_t *r,
    ngx_http_artifact_asked_t *asked);
void ngx_http_artifact_expand_recent(ngx_http_request_t *r,
    art_recent_t *recent);


/*
 * Who gets an expanded request: of a batch, its first one.  NULL if that is not
 * known, or nobody, as in a subrequest.
 */

ngx_http_artifact_reader_t *ngx_http_artifact_expand_reader(
    ngx_http_request_t *r);


#endif /* NGX_HTTP_ARTIFACT_EXPAND_H_INCLUDED_ */
