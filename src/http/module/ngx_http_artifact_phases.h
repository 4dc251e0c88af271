
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What happens to a request before its content handler.
 */


#ifndef NGX_HTTP_ARTIFACT_PHASES_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_PHASES_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>


/*
 * The phase handlers: one refuses bad references below "artifact_decode", the
 * other, when the service is known for sure, withholds conditions, ranges and
 * encodings of requests whose answer will be routed.
 */

ngx_int_t ngx_http_artifact_preaccess_handler(ngx_http_request_t *r);
ngx_int_t ngx_http_artifact_precontent_handler(ngx_http_request_t *r);


#endif /* NGX_HTTP_ARTIFACT_PHASES_H_INCLUDED_ */
