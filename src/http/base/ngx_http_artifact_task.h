
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Work that touches the disk, in a thread where there is one.  What runs there
 * knows no request and allocates from no pool.
 */


#ifndef NGX_HTTP_ARTIFACT_TASK_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_TASK_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#if (NGX_THREADS)
#include <ngx_thread_pool.h>
#endif


/*
 * Runs "run" in a thread of the location's pool, or at once.  NGX_OK when it
 * has run; NGX_AGAIN when it runs: the request's write event handler is
 * called afterwards.  The request lives on meanwhile, r->aio is set.
 */

typedef struct {
#if (NGX_THREADS)
    ngx_thread_task_t            thread;
#endif
    void                       (*run)(void *data, ngx_log_t *log);
    void                       (*done)(void *data);
    void                        *data;
} ngx_http_artifact_task_t;

typedef void (*ngx_http_artifact_run_pt)(void *data, ngx_log_t *log);

ngx_int_t ngx_http_artifact_request_task(ngx_http_request_t *r,
    ngx_http_artifact_task_t *task, ngx_http_artifact_run_pt run, void *data);


/*
 * The same without a request, in "pool" (NULL: at once); task->done is called
 * at the end, from the event loop.  The process does not end in between.
 */

void ngx_http_artifact_task_start(ngx_http_artifact_task_t *task, void *pool,
    ngx_log_t *log);


/* The pool of a location with "aio threads", else NULL. */

void *ngx_http_artifact_task_pool(ngx_http_request_t *r);


#endif /* NGX_HTTP_ARTIFACT_TASK_H_INCLUDED_ */
