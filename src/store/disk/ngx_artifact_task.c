
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


/*
 * jansson calls itself for each of 2048 levels, of 350 bytes, and an object's
 * texts are on the stack, too.  Only what is used of it takes memory.
 */

#define NGX_ARTIFACT_STACK  (2 * 1024 * 1024)


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


void
ngx_artifact_task_stack(ngx_log_t *log)
{
    int             err;
    size_t          size;
    pthread_attr_t  attr;

    /* nginx takes the default, and has no directive for it */

    err = pthread_getattr_default_np(&attr);

    if (err == 0) {
        err = pthread_attr_getstacksize(&attr, &size);

        if (err == 0 && size < NGX_ARTIFACT_STACK) {
            (void) pthread_attr_setstacksize(&attr, NGX_ARTIFACT_STACK);
            err = pthread_setattr_default_np(&attr);
        }

        (void) pthread_attr_destroy(&attr);
    }

    if (err) {
        ngx_log_error(NGX_LOG_WARN, log, err,
                      "the stack of threads could not be enlarged");
    }
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


void
ngx_artifact_task_stack(ngx_log_t *log)
{
}

#endif
