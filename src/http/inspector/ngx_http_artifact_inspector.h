
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The inspector: a page that shows operators what the other locations answer.
 */


#ifndef NGX_HTTP_ARTIFACT_INSPECTOR_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_INSPECTOR_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>


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


#endif /* NGX_HTTP_ARTIFACT_INSPECTOR_H_INCLUDED_ */
