
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Work that touches the disk, in a thread of a pool.
 */


#include "store/disk/ngx_artifact_task.h"

#include <ngx_event.h>


#if (NGX_THREADS)


/* Milliseconds after which an exiting process checks for working threads. */

#define NGX_ARTIFACT_GUARD  1000


static void ngx_artifact_task_thread(void *data, ngx_log_t *log);
static void ngx_artifact_task_event(ngx_event_t *ev);
static void ngx_artifact_guard(ngx_event_t *ev);


/*
 * A process that shuts down exits when it has no timers left: this one is set
 * while threads are working.
 */

static ngx_event_t       ngx_artifact_guard_event;
static ngx_connection_t  ngx_artifact_guard_connection;
static ngx_uint_t        ngx_artifact_tasks;


ngx_int_t
ngx_artifact_task_post(ngx_artifact_task_t *task, void *pool)
{
    ngx_event_t  *guard;

    task->thread.ctx = task;
    task->thread.handler = ngx_artifact_task_thread;
    task->thread.event.data = task;
    task->thread.event.handler = ngx_artifact_task_event;

    if (pool == NULL || ngx_thread_task_post(pool, &task->thread) != NGX_OK) {
        return NGX_DECLINED;
    }

    ngx_log_debug0(NGX_LOG_DEBUG_CORE, ngx_cycle->log, 0,
                   "artifact task posted");

    guard = &ngx_artifact_guard_event;

    if (ngx_artifact_tasks++ == 0 && !guard->timer_set) {
        ngx_artifact_guard_connection.fd = (ngx_socket_t) -1;

        guard->handler = ngx_artifact_guard;
        guard->data = &ngx_artifact_guard_connection;
        guard->log = ngx_cycle->log;

        ngx_add_timer(guard, NGX_ARTIFACT_GUARD);
    }

    return NGX_OK;
}


static void
ngx_artifact_task_thread(void *data, ngx_log_t *log)
{
    ngx_artifact_task_t *task = data;

    task->run(task->data, log);
}


static void
ngx_artifact_task_event(ngx_event_t *ev)
{
    ngx_event_t          *guard;
    ngx_artifact_task_t  *task;

    task = ev->data;
    guard = &ngx_artifact_guard_event;

    if (--ngx_artifact_tasks == 0 && guard->timer_set) {
        ngx_del_timer(guard);
    }

    task->done(task->owner);
}


static void
ngx_artifact_guard(ngx_event_t *ev)
{
    if (ngx_artifact_tasks) {
        ngx_add_timer(ev, NGX_ARTIFACT_GUARD);
    }
}

#else

ngx_int_t
ngx_artifact_task_post(ngx_artifact_task_t *task, void *pool)
{
    return NGX_DECLINED;
}

#endif
