
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Writes, on the side of the request and of processes.
 */


#ifndef NGX_HTTP_ARTIFACT_WRITE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_WRITE_H_INCLUDED_


#include "http/base/ngx_http_artifact_context.h"
#include "store/disk/ngx_artifact_task.h"
#include "store/write/ngx_artifact_write.h"


typedef ngx_int_t (*ngx_http_artifact_write_pt)(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);


struct ngx_http_artifact_write_s {
    ngx_http_artifact_ctx_t     *ctx;
    ngx_http_artifact_write_pt   next;        /* called after a job */
    ngx_artifact_write_job_t     job;
    ngx_artifact_task_t          task;
    off_t                        received;
    off_t                        drained;     /* bytes after a failure */
    unsigned                     own:1;       /* this module reads the body */
    unsigned                     running:1;   /* a step of the job runs */
};


/* The content handler of writes. */

ngx_int_t ngx_http_artifact_write_handler(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);


/*
 * Answers when the job is done or has failed; returns what the content handler
 * has to return.
 */

ngx_int_t ngx_http_artifact_write_answer(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);


/* Records the root, a constant, of a location that allows writes. */

ngx_int_t ngx_http_artifact_write_root(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf);


/* Start and end of a process: cleaning up after a crash, and the last folds. */

ngx_int_t ngx_http_artifact_init_process(ngx_cycle_t *cycle);
void ngx_http_artifact_exit_process(ngx_cycle_t *cycle);


#endif /* NGX_HTTP_ARTIFACT_WRITE_H_INCLUDED_ */
