
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The processes' side of writes.
 */


#ifndef NGX_HTTP_ARTIFACT_PROCESS_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_PROCESS_H_INCLUDED_


#include "http/base/ngx_http_artifact.h"


/* Notes the root, a constant, of a location that is written to. */

ngx_int_t ngx_http_artifact_write_root(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf);


/* Folds what a crash left, and what is left when a process ends. */

ngx_int_t ngx_http_artifact_init_process(ngx_cycle_t *cycle);
void ngx_http_artifact_exit_process(ngx_cycle_t *cycle);


#endif /* NGX_HTTP_ARTIFACT_PROCESS_H_INCLUDED_ */
