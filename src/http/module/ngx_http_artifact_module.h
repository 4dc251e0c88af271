
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The parts of ngx_artifact_module.
 */


#ifndef NGX_HTTP_ARTIFACT_MODULE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_MODULE_H_INCLUDED_


#include "http/base/ngx_http_artifact.h"


/*
 * "artifact_capabilities" reads a map.  The second function prepares all maps
 * for look-ups after they have been read, and warns about services whose format
 * is unknown.
 */

char *ngx_http_artifact_set_capabilities(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
ngx_int_t ngx_http_artifact_finish_maps(ngx_conf_t *cf,
    ngx_http_artifact_main_conf_t *amcf);


/*
 * The phase handlers.  The first one refuses bad references below
 * "artifact_decode", so that no upstream is asked for them.  The second one
 * runs when access handlers may have chosen the service, and withholds
 * conditions, ranges and encodings of requests whose answer will be routed or
 * read.
 */

ngx_int_t ngx_http_artifact_preaccess_handler(ngx_http_request_t *r);
ngx_int_t ngx_http_artifact_precontent_handler(ngx_http_request_t *r);


extern ngx_http_variable_t  ngx_http_artifact_variables[];


#endif /* NGX_HTTP_ARTIFACT_MODULE_H_INCLUDED_ */
