
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What a location says of the data root.
 */


#ifndef NGX_HTTP_ARTIFACT_ROOT_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_ROOT_H_INCLUDED_


#include "http/base/ngx_http_artifact_context.h"


/*
 * The data root of a request, with a zero behind it.  NGX_DECLINED with errno
 * if its value is none.
 */

ngx_int_t ngx_http_artifact_root(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_str_t *root);


/* How artifacts lie in the data root, as the location says. */

const ngx_artifact_layout_t *ngx_http_artifact_layout(
    ngx_http_artifact_loc_conf_t *conf);


/* Whether the location lets symbolic links be followed. */

ngx_uint_t ngx_http_artifact_follows(ngx_http_request_t *r);


#endif /* NGX_HTTP_ARTIFACT_ROOT_H_INCLUDED_ */
