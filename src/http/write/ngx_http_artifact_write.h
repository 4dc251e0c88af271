
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Writes, on the side of the request.
 */


#ifndef NGX_HTTP_ARTIFACT_WRITE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_WRITE_H_INCLUDED_


#include "http/base/ngx_http_artifact_context.h"
#include "store/disk/ngx_artifact_task.h"
#include "store/write/ngx_artifact_write_job.h"


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
 * ngx_http_artifact_upload() reads the body, writes it step by step, and
 * answers.  ngx_http_artifact_write_answer() answers when the job is done or
 * has failed.  Both return what the content handler has to return.
 */

ngx_int_t ngx_http_artifact_upload(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);
ngx_int_t ngx_http_artifact_write_answer(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);


#endif /* NGX_HTTP_ARTIFACT_WRITE_H_INCLUDED_ */
