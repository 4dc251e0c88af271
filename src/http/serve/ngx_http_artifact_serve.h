
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Files of the store as they are asked for: by reference and by path.
 */


#ifndef NGX_HTTP_ARTIFACT_SERVE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_SERVE_H_INCLUDED_


#include "http/base/ngx_http_artifact_context.h"


/* The roles of "artifact", "artifact_workspace" and "artifact_decode". */

extern const ngx_http_artifact_role_t  ngx_http_artifact_reference_role;
extern const ngx_http_artifact_role_t  ngx_http_artifact_workspace_role;
extern const ngx_http_artifact_role_t  ngx_http_artifact_decode_role;

char *ngx_http_artifact_set_decode(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);


/*
 * Sends the file, or the metadata, that ctx->ref names, or an error; returns
 * what a content handler does.
 */

ngx_int_t ngx_http_artifact_serve_open(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);


#endif /* NGX_HTTP_ARTIFACT_SERVE_H_INCLUDED_ */
