
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The variables.
 */


#ifndef NGX_HTTP_ARTIFACT_VARIABLES_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_VARIABLES_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


ngx_int_t ngx_http_artifact_add_variables(ngx_conf_t *cf);


/* Whether the configuration, once read, has a variable of that name in it. */

ngx_uint_t ngx_http_artifact_uses_variable(ngx_conf_t *cf, const char *name);


#endif /* NGX_HTTP_ARTIFACT_VARIABLES_H_INCLUDED_ */
