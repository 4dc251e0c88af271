
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

#include "core/base/art_core.h"
#include "core/render/art_reasons.h"
#include "core/expand/art_expand_edit.h"


/*
 * The handler of the phase before the content: NGX_DECLINED once the request
 * may go on, with its body as it came or with a new one.
 */

ngx_int_t ngx_http_artifact_expand_handler(ngx_http_request_t *r);


/* Installs the request body filter; for postconfiguration. */

void ngx_http_artifact_expand_init(void);


/*
 * The result, for variables: how many references the request has, and what
 * became of them.  NGX_DECLINED before the expansion has ended.
 */

ngx_int_t ngx_http_artifact_expand_count(ngx_http_request_t *r,
    ngx_uint_t *refs, art_edit_counts_t *counts);


/* Adds what became words and why, as far as it is known. */

void ngx_http_artifact_expand_reasons(ngx_http_request_t *r,
    art_reasons_t *reasons);


/* In the log phase: counts in the shared zone what became of each part. */

void ngx_http_artifact_expand_log(ngx_http_request_t *r);


/* The names of the API and of the requested model; empty if unknown. */

art_str_t ngx_http_artifact_expand_api_name(ngx_http_request_t *r);
art_str_t ngx_http_artifact_expand_model_name(ngx_http_request_t *r);


/*
 * SHA-256 of the body that is sent on, hexadecimal.  Empty without a body,
 * before it is known, and where bodies are not examined; the last case is
 * logged if it may be the key under which an upstream's answer is cached.
 */
art_str_t ngx_http_artifact_expand_body_hash(ngx_http_request_t *r);


#endif /* NGX_HTTP_ARTIFACT_EXPAND_H_INCLUDED_ */
