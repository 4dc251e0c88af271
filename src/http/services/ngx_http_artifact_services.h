
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Queries for services and what they can take.
 */


#ifndef NGX_HTTP_ARTIFACT_SERVICES_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_SERVICES_H_INCLUDED_


#include "http/base/ngx_http_artifact_context.h"


/* Answers a GET or HEAD; returns what the content handler has to return. */

ngx_int_t ngx_http_artifact_services(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);


#endif /* NGX_HTTP_ARTIFACT_SERVICES_H_INCLUDED_ */
