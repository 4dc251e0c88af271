
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A request's work on the disk.
 */


#ifndef NGX_HTTP_ARTIFACT_TASK_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_TASK_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "store/disk/ngx_artifact_task.h"


/*
 * Runs "run" in a thread of the location's pool, or at once.  NGX_OK when it
 * has run; NGX_AGAIN when it runs: the request's write event handler is
 * called afterwards.  The request lives on meanwhile, r->aio is set.
 */

ngx_int_t ngx_http_artifact_request_task(ngx_http_request_t *r,
    ngx_artifact_task_t *task, ngx_artifact_run_pt run, void *data);


/* The pool of a location with "aio threads", else NULL. */

void *ngx_http_artifact_task_pool(ngx_http_request_t *r);


#endif /* NGX_HTTP_ARTIFACT_TASK_H_INCLUDED_ */
