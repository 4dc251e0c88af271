
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Work that touches the disk, in a thread where there is one.  What runs there
 * knows no request and allocates from no pool.
 */


#ifndef NGX_ARTIFACT_TASK_H_INCLUDED_
#define NGX_ARTIFACT_TASK_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#if (NGX_THREADS)
#include <ngx_thread_pool.h>
#endif


/*
 * Milliseconds for which long work on the event loop may run before it yields
 * to other requests, and, for work that no request waits for, until it goes on.
 */

#define NGX_ARTIFACT_TURN        2
#define NGX_ARTIFACT_TURN_PAUSE  1


typedef void (*ngx_artifact_run_pt)(void *data, ngx_log_t *log);
typedef void (*ngx_artifact_done_pt)(void *owner);


/* The owner sets all but "thread"; the task is in the owner's memory. */

typedef struct {
#if (NGX_THREADS)
    ngx_thread_task_t            thread;
#endif
    ngx_artifact_run_pt          run;         /* with "data", in the thread */
    ngx_artifact_done_pt         done;        /* with "owner", afterwards */
    void                        *data;
    void                        *owner;
} ngx_artifact_task_t;


/*
 * Posts a task to a thread of "pool" (an ngx_thread_pool_t): NGX_OK, and
 * task->done is called at its end, from the event loop; the process does not
 * exit before that.  NGX_DECLINED if there is no pool (NULL), or its queue is
 * full.
 */

ngx_int_t ngx_artifact_task_post(ngx_artifact_task_t *task, void *pool);


/*
 * Before the process has threads, or forks those that have: has each of them
 * made with a stack for what runs there.  Without it, musl gives 128 KB, and
 * glibc the soft limit of the main one.
 */

void ngx_artifact_task_stack(ngx_log_t *log);


#endif /* NGX_ARTIFACT_TASK_H_INCLUDED_ */
