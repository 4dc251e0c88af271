
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * References in the requests to models' APIs become what the model can take.
 */


#ifndef NGX_HTTP_ARTIFACT_EXPAND_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_EXPAND_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>


/*
 * The handler of the phase before the content: NGX_DECLINED when the body is
 * one that the upstream may have.
 */

ngx_int_t ngx_http_artifact_expand_handler(ngx_http_request_t *r);


/* Has bodies scanned as they come in; for postconfiguration. */

void ngx_http_artifact_expand_init(void);


#endif /* NGX_HTTP_ARTIFACT_EXPAND_H_INCLUDED_ */
