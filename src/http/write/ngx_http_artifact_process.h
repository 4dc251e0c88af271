
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Writes, on the side of processes.
 */


#ifndef NGX_HTTP_ARTIFACT_PROCESS_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_PROCESS_H_INCLUDED_


#include "http/base/ngx_http_artifact.h"


/* Records the root, a constant, of a location that allows writes. */

ngx_int_t ngx_http_artifact_write_root(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf);


/* Start and end of a process: cleaning up after a crash, and the last folds. */

ngx_int_t ngx_http_artifact_init_process(ngx_cycle_t *cycle);
void ngx_http_artifact_exit_process(ngx_cycle_t *cycle);


#endif /* NGX_HTTP_ARTIFACT_PROCESS_H_INCLUDED_ */
