
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The steps of an expansion.
 */


#ifndef NGX_HTTP_ARTIFACT_EXPAND_STEPS_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_EXPAND_STEPS_H_INCLUDED_


#include "http/request/ngx_http_artifact_expand_state.h"


/*
 * Each returns NGX_OK when it is over, NGX_AGAIN to be called again,
 * NGX_DECLINED if the body stays as it is, else what the handler has to return.
 *
 * The body is decoded; scanned; it is decided what becomes of the client's own
 * media, and the sources of all references are asked, one after the other; the
 * edits are made; a new body is written.  A body that is not coded is scanned
 * as it comes in: the scan is begun before.
 */

ngx_int_t ngx_http_artifact_expand_begin_scan(
    ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_expand_decode(ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_expand_scan(ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_expand_plan(ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_expand_ask(ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_expand_edit(ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_expand_write(ngx_http_artifact_expand_t *ex);


#endif /* NGX_HTTP_ARTIFACT_EXPAND_STEPS_H_INCLUDED_ */
