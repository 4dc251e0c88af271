
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The inspector: a page that shows operators what the other locations answer.
 */


#ifndef NGX_HTTP_ARTIFACT_INSPECTOR_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_INSPECTOR_H_INCLUDED_


#include "http/base/ngx_http_artifact_context.h"


/* A file of www/, as scripts/embed.pl puts it into the module. */

typedef struct {
    ngx_str_t  name;       /* below the location; empty for the page */
    ngx_str_t  type;
    ngx_str_t  etag;
    ngx_str_t  text;       /* UTF-8 */
} ngx_http_artifact_inspector_file_t;


/* Ends with a row whose text is empty. */

extern const ngx_http_artifact_inspector_file_t
    ngx_http_artifact_inspector_files[];


/*
 * Answers a GET or HEAD of the page or one of its files; returns what the
 * content handler has to return.
 */

ngx_int_t ngx_http_artifact_inspector(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);


/*
 * Prints the JSON that the page reads first, from the directive's arguments:
 * the paths of the other locations, and the names of all formats.  Memory is
 * from cf->pool.  Returns NGX_CONF_OK, or what the directive's setter has to
 * return.
 */

char *ngx_http_artifact_inspector_paths(ngx_conf_t *cf, ngx_str_t *json);


#endif /* NGX_HTTP_ARTIFACT_INSPECTOR_H_INCLUDED_ */
