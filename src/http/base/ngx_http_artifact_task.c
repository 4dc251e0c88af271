
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Work that touches the disk: in a thread of the pool that "aio threads"
 * names, or at once.
 */


#include "http/base/ngx_http_artifact_task.h"


#if (NGX_THREADS)


/* How often a process that is to end looks for threads at work. */

#define NGX_HTTP_ARTIFACT_GUARD  1000


static void ngx_http_artifact_task_thread(void *data, ngx_log_t *log);
static void ngx_http_artifact_task_event(ngx_event_t *ev);
static void ngx_http_artifact_request_event(ngx_event_t *ev);
static ngx_int_t ngx_http_artifact_task_post(ngx_thread_pool_t *tp,
    ngx_http_artifact_task_t *task, ngx_event_handler_pt handler,
    void *data);
static void ngx_http_artifact_task_ended(void);
static void ngx_http_artifact_guard(ngx_event_t *ev);


/*
 * A process that shuts down ends when it has no timers: this one says that a
 * thread is at work for somebody.
 */

static ngx_event_t       ngx_http_artifact_guard_event;
static ngx_connection_t  ngx_http_artifact_guard_connection;
static ngx_uint_t        ngx_http_artifact_tasks;

#endif


void *
ngx_http_artifact_task_pool(ngx_http_request_t *r)
{
#if (NGX_THREADS)
    ngx_str_t                  name;
    ngx_thread_pool_t         *tp;
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (clcf->aio != NGX_HTTP_AIO_THREADS) {
        return NULL;
    }

    if (clcf->thread_pool) {
        return clcf->thread_pool;
    }

    if (ngx_http_complex_value(r, clcf->thread_pool_value, &name) != NGX_OK) {
        return NULL;
    }

    tp = ngx_thread_pool_get((ngx_cycle_t *) ngx_cycle, &name);

    if (tp == NULL) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "thread pool \"%V\" not found", &name);
    }

    return tp;
#else
    return NULL;
#endif
}


ngx_int_t
ngx_http_artifact_request_task(ngx_http_request_t *r,
    ngx_http_artifact_task_t *task, ngx_http_artifact_run_pt run, void *data)
{
#if (NGX_THREADS)
    ngx_thread_pool_t  *tp;

    task->run = run;
    task->data = data;

    tp = ngx_http_artifact_task_pool(r);

    /* a queue that is full is no reason to refuse: it is done here then */

    if (tp
        && ngx_http_artifact_task_post(tp, task,
                                       ngx_http_artifact_request_event, r)
           == NGX_OK)
    {
        r->main->blocked++;
        r->aio = 1;

        return NGX_AGAIN;
    }
#endif

    run(data, r->connection->log);

    return NGX_OK;
}


void
ngx_http_artifact_task_start(ngx_http_artifact_task_t *task, void *pool,
    ngx_log_t *log)
{
#if (NGX_THREADS)
    if (pool
        && ngx_http_artifact_task_post(pool, task,
                                       ngx_http_artifact_task_event, task)
           == NGX_OK)
    {
        return;
    }
#endif

    task->run(task->data, log);
    task->done(task->data);
}


#if (NGX_THREADS)

static ngx_int_t
ngx_http_artifact_task_post(ngx_thread_pool_t *tp,
    ngx_http_artifact_task_t *task, ngx_event_handler_pt handler, void *data)
{
    ngx_event_t  *guard;

    task->thread.ctx = task;
    task->thread.handler = ngx_http_artifact_task_thread;
    task->thread.event.data = data;
    task->thread.event.handler = handler;

    if (ngx_thread_task_post(tp, &task->thread) != NGX_OK) {
        return NGX_ERROR;
    }

    guard = &ngx_http_artifact_guard_event;

    if (ngx_http_artifact_tasks++ == 0 && !guard->timer_set) {
        ngx_http_artifact_guard_connection.fd = (ngx_socket_t) -1;

        guard->handler = ngx_http_artifact_guard;
        guard->data = &ngx_http_artifact_guard_connection;
        guard->log = ngx_cycle->log;

        ngx_add_timer(guard, NGX_HTTP_ARTIFACT_GUARD);
    }

    return NGX_OK;
}


static void
ngx_http_artifact_task_thread(void *data, ngx_log_t *log)
{
    ngx_http_artifact_task_t *task = data;

    task->run(task->data, log);
}


static void
ngx_http_artifact_task_event(ngx_event_t *ev)
{
    ngx_http_artifact_task_t *task = ev->data;

    ngx_http_artifact_task_ended();

    task->done(task->data);
}


static void
ngx_http_artifact_request_event(ngx_event_t *ev)
{
    ngx_connection_t    *c;
    ngx_http_request_t  *r;

    r = ev->data;
    c = r->connection;

    ngx_http_artifact_task_ended();

    ngx_http_set_log_request(c->log, r);

    r->main->blocked--;
    r->aio = 0;

    r->write_event_handler(r);

    ngx_http_run_posted_requests(c);
}


static void
ngx_http_artifact_task_ended(void)
{
    ngx_event_t  *guard;

    guard = &ngx_http_artifact_guard_event;

    if (--ngx_http_artifact_tasks == 0 && guard->timer_set) {
        ngx_del_timer(guard);
    }
}


static void
ngx_http_artifact_guard(ngx_event_t *ev)
{
    if (ngx_http_artifact_tasks) {
        ngx_add_timer(ev, NGX_HTTP_ARTIFACT_GUARD);
    }
}

#endif
