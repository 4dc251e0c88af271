
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Texts for models with variables in them.
 */


#ifndef NGX_HTTP_ARTIFACT_LINE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_LINE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>


/*
 * As ngx_http_complex_value(), but what comes of variables has no lines of its
 * own: each is made one line as names are (art_utf8_name()).  The lines of the
 * text are those that the configuration has in it.
 */

ngx_int_t ngx_http_artifact_lines_value(ngx_http_request_t *r,
    ngx_http_complex_value_t *val, ngx_str_t *value);


#endif /* NGX_HTTP_ARTIFACT_LINE_H_INCLUDED_ */
