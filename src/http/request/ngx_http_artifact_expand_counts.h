
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What an expansion has come to, for logs and for the choice of an upstream.
 */


#ifndef NGX_HTTP_ARTIFACT_EXPAND_COUNTS_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_EXPAND_COUNTS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "core/base/art_core.h"
#include "core/message/art_message_edit.h"


/*
 * How many references stand in the request, and what was done.  NGX_DECLINED
 * before there is anything to count.
 */

ngx_int_t ngx_http_artifact_expand_count(ngx_http_request_t *r,
    ngx_uint_t *refs, art_edit_counts_t *counts);


/* Counts, when the request ends, what became of each part. */

void ngx_http_artifact_expand_tell(ngx_http_request_t *r);


/* The name of the API and the model that is asked for; empty if unknown. */

art_str_t ngx_http_artifact_expand_api_name(ngx_http_request_t *r);
art_str_t ngx_http_artifact_expand_model_name(ngx_http_request_t *r);


/*
 * SHA-256 of the body as it goes out; empty without one, before it is known,
 * and where bodies are left alone, which is logged if an upstream's answer may
 * be looked for by it.
 */

art_str_t ngx_http_artifact_expand_body_hash(ngx_http_request_t *r);


#endif /* NGX_HTTP_ARTIFACT_EXPAND_COUNTS_H_INCLUDED_ */
