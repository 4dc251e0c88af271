
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A request's work on the disk: in a thread of the pool that "aio threads"
 * names, or at once.
 */


#include "http/base/ngx_http_artifact_task.h"


static void ngx_http_artifact_task_done(void *owner);


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
    ngx_artifact_task_t *task, ngx_artifact_run_pt run, void *data)
{
    task->run = run;
    task->done = ngx_http_artifact_task_done;
    task->data = data;
    task->owner = r;

    /* a queue that is full is no reason to refuse: it is done here then */

    if (ngx_artifact_task_post(task, ngx_http_artifact_task_pool(r))
        != NGX_OK)
    {
        run(data, r->connection->log);
        return NGX_OK;
    }

    r->main->blocked++;
    r->aio = 1;

    return NGX_AGAIN;
}


static void
ngx_http_artifact_task_done(void *owner)
{
    ngx_http_request_t *r = owner;

    ngx_connection_t  *c;

    c = r->connection;

    ngx_http_set_log_request(c->log, r);

    r->main->blocked--;
    r->aio = 0;

    r->write_event_handler(r);

    ngx_http_run_posted_requests(c);
}
