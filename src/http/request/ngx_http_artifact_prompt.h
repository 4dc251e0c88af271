
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The instruction to declare artifacts, in requests to models' APIs.
 */


#ifndef NGX_HTTP_ARTIFACT_PROMPT_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_PROMPT_H_INCLUDED_


#include "http/request/ngx_http_artifact_expand_state.h"


/*
 * Has the scan that is about to begin look for the request's system text, too,
 * or for nothing else where references are not expanded.  NGX_ERROR when out of
 * memory.
 */

ngx_int_t ngx_http_artifact_prompt_scan(ngx_http_artifact_expand_t *ex,
    art_scan_conf_t *conf);


/*
 * Sets the operations that put the instruction into a body that was scanned,
 * ex->added; none where it does not belong.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_prompt_ops(ngx_http_artifact_expand_t *ex);


#endif /* NGX_HTTP_ARTIFACT_PROMPT_H_INCLUDED_ */
