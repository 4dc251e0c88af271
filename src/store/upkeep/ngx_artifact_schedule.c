
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "store/upkeep/ngx_artifact_schedule.h"


static void ngx_artifact_schedule_next(ngx_event_t *ev);
static ngx_int_t ngx_artifact_schedule_start(ngx_artifact_key_t *key);
static void ngx_artifact_schedule_later(ngx_artifact_key_t *key);
static void ngx_artifact_schedule_wait(ngx_artifact_schedule_t *s);
static void ngx_artifact_job_handler(ngx_event_t *ev);
static void ngx_artifact_job_run(void *data, ngx_log_t *log);


/* For the timers' log: all that nginx reads of their data. */

static ngx_connection_t  ngx_artifact_schedule_connection = {
    .fd = (ngx_socket_t) -1
};


void
ngx_artifact_schedule_init(ngx_artifact_schedule_t *s)
{
    ngx_rbtree_init(&s->tree, &s->sentinel, ngx_str_rbtree_insert_value);
    ngx_queue_init(&s->queue);

    s->n = 0;
    s->running = 0;
    s->refused = 0;

    ngx_memzero(&s->timer, sizeof(ngx_event_t));

    s->timer.handler = ngx_artifact_schedule_next;
    s->timer.data = &ngx_artifact_schedule_connection;
    s->timer.log = ngx_cycle->log;
    s->timer.cancelable = 1;
}


ngx_artifact_key_t *
ngx_artifact_schedule(ngx_artifact_schedule_t *s, art_str_t root, void *pool)
{
    ngx_str_t            text;
    ngx_artifact_key_t  *key;

    text.data = (u_char *) root.data;
    text.len = root.len;

    key = ngx_artifact_key(s, &text, sizeof(ngx_artifact_key_t));

    if (key == NULL || key->known) {
        return NULL;
    }

    key->known = 1;
    key->pool = pool;

    if ((!s->once && !s->now) || ngx_artifact_schedule_start(key) != NGX_OK) {
        ngx_artifact_schedule_later(key);
    }

    return key;
}


/* Begins jobs for all roots whose time has come, as far as it may. */

static void
ngx_artifact_schedule_next(ngx_event_t *ev)
{
    ngx_queue_t              *q;
    ngx_artifact_key_t       *key;
    ngx_artifact_schedule_t  *s;

    s = ngx_queue_data(ev, ngx_artifact_schedule_t, timer);

    while (!ngx_queue_empty(&s->queue) && s->running < s->jobs) {
        q = ngx_queue_head(&s->queue);
        key = ngx_queue_data(q, ngx_artifact_key_t, queue);

        /* NOLINTNEXTLINE: what is freed is not in the queue */
        if ((ngx_msec_int_t) (key->due - ngx_current_msec) > 0) {
            break;
        }

        ngx_queue_remove(q);     /* NOLINT: what is in a queue has a next */

        if (s->once) {
            ngx_artifact_key_free(key);

        } else if (ngx_artifact_schedule_start(key) != NGX_OK) {
            ngx_artifact_schedule_later(key);
        }
    }

    ngx_artifact_schedule_wait(s);
}


static ngx_int_t
ngx_artifact_schedule_start(ngx_artifact_key_t *key)
{
    ngx_artifact_job_t  *job;

    job = ngx_calloc(key->schedule->size, ngx_cycle->log);

    if (job == NULL) {
        return NGX_ERROR;
    }

    ngx_artifact_job_init(job, key);

    if (key->schedule->start(job) != NGX_OK) {
        ngx_free(job);
        return NGX_DECLINED;
    }

    key->schedule->running++;
    ngx_artifact_job_add(job, NGX_ARTIFACT_TURN_PAUSE);

    return NGX_OK;
}


static void
ngx_artifact_schedule_later(ngx_artifact_key_t *key)
{
    key->due = ngx_current_msec + key->schedule->pause;

    ngx_queue_insert_tail(&key->schedule->queue, &key->queue);
    ngx_artifact_schedule_wait(key->schedule);
}


/* Sets the timer for the next root, unless the end of a job does it. */

static void
ngx_artifact_schedule_wait(ngx_artifact_schedule_t *s)
{
    ngx_queue_t         *q;
    ngx_msec_int_t       left;
    ngx_artifact_key_t  *key;

    if (ngx_queue_empty(&s->queue) || s->timer.timer_set
        || s->running == s->jobs)
    {
        return;
    }

    q = ngx_queue_head(&s->queue);
    key = ngx_queue_data(q, ngx_artifact_key_t, queue);

    /* NOLINTNEXTLINE: likewise */
    left = (ngx_msec_int_t) (key->due - ngx_current_msec);

    ngx_add_timer(&s->timer,
                  (ngx_msec_t) ngx_max(left, NGX_ARTIFACT_TURN_PAUSE));
}


void *
ngx_artifact_key(ngx_artifact_schedule_t *s, ngx_str_t *text, size_t size)
{
    uint32_t             hash;
    ngx_artifact_key_t  *key;

    hash = ngx_crc32_long(text->data, text->len);
    key = (ngx_artifact_key_t *) ngx_str_rbtree_lookup(&s->tree, text, hash);

    if (key) {
        return key;
    }

    if (s->n == s->max) {
        s->refused++;
        return NULL;
    }

    key = ngx_calloc(size + text->len + 1, ngx_cycle->log);

    if (key == NULL) {
        return NULL;
    }

    key->schedule = s;
    key->sn.node.key = hash;
    key->sn.str.data = (u_char *) key + size;
    key->sn.str.len = text->len;
    ngx_memcpy(key->sn.str.data, text->data, text->len);

    ngx_rbtree_insert(&s->tree, &key->sn.node);
    s->n++;

    return key;
}


void
ngx_artifact_key_free(ngx_artifact_key_t *key)
{
    ngx_rbtree_delete(&key->schedule->tree, &key->sn.node);
    key->schedule->n--;

    ngx_free(key);
}


void
ngx_artifact_job_init(ngx_artifact_job_t *job, ngx_artifact_key_t *key)
{
    job->key = key;
    job->pool = key->pool;

    job->timer.handler = ngx_artifact_job_handler;
    job->timer.data = &ngx_artifact_schedule_connection;
    job->timer.log = ngx_cycle->log;

    job->task.run = ngx_artifact_job_run;
    job->task.done = ngx_artifact_job_done;
    job->task.data = job;
    job->task.owner = job;
}


void
ngx_artifact_job_add(ngx_artifact_job_t *job, ngx_msec_t delay)
{
    ngx_msec_int_t  left;

    if (job->timer.timer_set) {
        left = (ngx_msec_int_t) (job->timer.timer.key - ngx_current_msec);

        if (left <= (ngx_msec_int_t) delay) {
            return;
        }

        ngx_del_timer(&job->timer);
    }

    job->timer.cancelable = (delay > job->key->schedule->patience);

    ngx_add_timer(&job->timer, ngx_max(delay, NGX_ARTIFACT_TURN_PAUSE));
}


static void
ngx_artifact_job_handler(ngx_event_t *ev)
{
    ngx_artifact_job_t       *job;
    ngx_artifact_schedule_t  *s;

    job = ngx_queue_data(ev, ngx_artifact_job_t, timer);
    s = job->key->schedule;

    if (s->ready && s->ready(job) != NGX_OK) {
        return;
    }

    if (ngx_artifact_task_post(&job->task, job->pool) == NGX_OK) {
        job->threaded = 1;
        return;
    }

    ngx_artifact_job_run(job, ngx_cycle->log);
    ngx_artifact_job_done(job);
}


static void
ngx_artifact_job_run(void *data, ngx_log_t *log)
{
    ngx_artifact_job_t *job = data;

    job->rc = job->key->schedule->work(job, log);
    job->err = ngx_errno;
}


void
ngx_artifact_job_done(void *data)
{
    ngx_artifact_job_t *job = data;

    ngx_artifact_key_t       *key;
    ngx_artifact_schedule_t  *s;

    key = job->key;
    s = key->schedule;

    job->threaded = 0;

    if (job->rc == NGX_AGAIN) {
        ngx_artifact_job_add(job, NGX_ARTIFACT_TURN_PAUSE);
        s->done(job);
        return;
    }

    s->done(job);

    if (s->size == 0) {
        return;                  /* the user has its jobs */
    }

    ngx_free(job);
    s->running--;

    if (s->refused == 0 || s->once) {
        ngx_artifact_schedule_later(key);
        return;
    }

    s->refused = 0;
    ngx_artifact_key_free(key);
    ngx_artifact_schedule_wait(s);
}
