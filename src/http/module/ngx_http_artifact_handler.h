
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The content handler.
 */


#ifndef NGX_HTTP_ARTIFACT_HANDLER_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_HANDLER_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>


/* Of artifact, artifact_workspace, artifact_services, artifact_inspector. */

ngx_int_t ngx_http_artifact_handler(ngx_http_request_t *r);


#endif /* NGX_HTTP_ARTIFACT_HANDLER_H_INCLUDED_ */
