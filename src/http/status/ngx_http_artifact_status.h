
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The content handler of "artifact_status", and the counters of each request.
 */


#ifndef NGX_HTTP_ARTIFACT_STATUS_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_STATUS_H_INCLUDED_


#include "http/base/ngx_http_artifact.h"


/* The role of a location with "artifact_status". */

extern const ngx_http_artifact_role_t  ngx_http_artifact_status_role;


/* The handler of the log phase. */

ngx_int_t ngx_http_artifact_log_handler(ngx_http_request_t *r);


#endif /* NGX_HTTP_ARTIFACT_STATUS_H_INCLUDED_ */
