
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Long work of a request: on the disk, in a thread of the pool that
 * "aio threads" names; on the processor, in turns with other requests.
 */


#include "http/base/ngx_http_artifact_work.h"
#include "http/base/ngx_http_artifact_context.h"
#include "store/disk/ngx_artifact_area.h"


/*
 * Milliseconds.  A worker that shuts down exits when it has no timers: this one
 * shows that there is work, and is deleted long before it expires.
 */

#define NGX_HTTP_ARTIFACT_TURN_GUARD  60000


/*
 * Milliseconds.  A request whose client has left is looked at until its threads
 * are done; until then, the timer need only be there.
 */

#define NGX_HTTP_ARTIFACT_LEFT_PAUSE    50
#define NGX_HTTP_ARTIFACT_ATTEND_PAUSE  60000


/*
 * What the requests of a worker share: the time for long work in a round of the
 * event loop, and the queue of those that wait.  One of them continues in each
 * round: however many there are, others wait for no more than one turn.
 */

typedef struct {
    ngx_queue_t  waiting;
    ngx_queue_t  outside;    /* those that may not have files open yet */
    ngx_uint_t   entered;
    ngx_event_t  event;
    ngx_msec_t   round;
    uint64_t     began;      /* microseconds; 0: not yet */
} ngx_http_artifact_turns_t;


typedef struct {
    ngx_event_t          event;    /* a timer */
    ngx_http_request_t  *request;  /* the main one */
    unsigned             left:1;   /* it is to end */
} ngx_http_artifact_attend_t;


static void ngx_http_artifact_task_done(void *owner);
static void ngx_http_artifact_attend_left(void *data);
static void ngx_http_artifact_attend_handler(ngx_event_t *ev);
static void ngx_http_artifact_attend_cleanup(void *data);
static void ngx_http_artifact_work_resume(ngx_http_request_t *r);
static void ngx_http_artifact_turn_cancel(ngx_http_artifact_turn_t *turn);
static void ngx_http_artifact_turns_init(ngx_http_artifact_turns_t *turns);
static void ngx_http_artifact_turn_cleanup(void *data);
static void ngx_http_artifact_turn_wait(ngx_http_artifact_turn_t *turn,
    ngx_http_request_t *r, ngx_queue_t *queue);
static void ngx_http_artifact_turn_next(ngx_event_t *ev);
static void ngx_http_artifact_turn_handler(ngx_event_t *ev);


static ngx_http_artifact_turns_t  ngx_http_artifact_turns;


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

    /*
     * without a pool, or if its queue is full, or when out of memory, the work
     * is done here
     */

    if ((r != r->main && ngx_http_artifact_attend(r) != NGX_OK)
        || ngx_artifact_task_post(task, ngx_http_artifact_task_pool(r))
        != NGX_OK)
    {
        run(data, r->connection->log);
        return NGX_OK;
    }

    ngx_log_debug0(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact task posted");

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

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, c->log, 0,
                   "http artifact task done: \"%V\"", &r->uri);

    r->main->blocked--;
    r->aio = 0;

    ngx_http_artifact_work_resume(r);

    ngx_http_run_posted_requests(c);
}


/* What has no client any more ends. */

static void
ngx_http_artifact_work_resume(ngx_http_request_t *r)
{
    if (r->connection->error) {
        ngx_http_finalize_request(r, NGX_ERROR);
        return;
    }

    r->write_event_handler(r);
}


/*
 * ngx_http_terminate_request() calls the request's cleanups.  If threads are
 * at work then, it leaves the rest to the one request through which it was
 * called.  A thread of another subrequest calls that subrequest alone when it
 * is done (in nginx before 1.25.4; since then, the active one), which may have
 * nothing to do but to wait for its turn.  So nobody might ever end the
 * request: a timer does.
 *
 * A worker that shuts down exits when it has no timers, also if a thread reads
 * a file of the cache for a subrequest: the timer shows that there is work.
 */

ngx_int_t
ngx_http_artifact_attend(ngx_http_request_t *r)
{
    ngx_http_cleanup_t          *cleanup;
    ngx_pool_cleanup_t          *cln;
    ngx_http_request_t          *pr;
    ngx_http_artifact_ctx_t     *ctx;
    ngx_http_artifact_attend_t  *attend;

    for (pr = r; pr; pr = pr->parent) {
        ctx = ngx_http_get_module_ctx(pr, ngx_artifact_module);

        if (ctx && ctx->attended) {
            return NGX_OK;
        }
    }

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_artifact_attend_t));
    cleanup = ngx_http_cleanup_add(r, 0);

    if (cln == NULL || cleanup == NULL) {
        return NGX_ERROR;
    }

    attend = cln->data;
    ngx_memzero(attend, sizeof(ngx_http_artifact_attend_t));

    attend->request = r->main;
    attend->event.handler = ngx_http_artifact_attend_handler;
    attend->event.data = attend;
    attend->event.log = r->connection->log;

    ngx_add_timer(&attend->event, NGX_HTTP_ARTIFACT_ATTEND_PAUSE);

    cln->handler = ngx_http_artifact_attend_cleanup;

    cleanup->handler = ngx_http_artifact_attend_left;
    cleanup->data = attend;

    if (ctx) {
        ctx->attended = 1;
    }

    return NGX_OK;
}


/* The request is being terminated. */

static void
ngx_http_artifact_attend_left(void *data)
{
    ngx_http_artifact_attend_t *attend = data;

    attend->left = 1;

    ngx_add_timer(&attend->event, NGX_HTTP_ARTIFACT_LEFT_PAUSE);
}


static void
ngx_http_artifact_attend_handler(ngx_event_t *ev)
{
    ngx_connection_t            *c;
    ngx_http_request_t          *r;
    ngx_http_artifact_attend_t  *attend;

    attend = ev->data;
    r = attend->request;
    c = r->connection;

    if (!attend->left || r->blocked) {
        ngx_add_timer(ev, attend->left ? NGX_HTTP_ARTIFACT_LEFT_PAUSE
                                       : NGX_HTTP_ARTIFACT_ATTEND_PAUSE);
        return;
    }

    ngx_http_set_log_request(c->log, r);

    ngx_log_debug0(NGX_LOG_DEBUG_HTTP, c->log, 0,
                   "http artifact: threads are done, nobody ends the request");

    ngx_http_finalize_request(r, NGX_ERROR);

    ngx_http_run_posted_requests(c);
}


static void
ngx_http_artifact_attend_cleanup(void *data)
{
    ngx_http_artifact_attend_t *attend = data;

    if (attend->event.timer_set) {
        ngx_del_timer(&attend->event);
    }
}


void
ngx_http_artifact_request_watch(ngx_http_request_t *r)
{
    ngx_event_t  *rev;

    if (r->read_event_handler != ngx_http_block_reading) {
        return;
    }

    r->read_event_handler = ngx_http_test_reading;

    /* the event of one who has left already does not come again */

    rev = r->connection->read;

    if (rev->ready) {
        ngx_post_event(rev, &ngx_posted_events);
    }
}


ngx_int_t
ngx_http_artifact_turn_init(ngx_http_artifact_turn_t *turn,
    ngx_http_request_t *r)
{
    ngx_pool_cleanup_t  *cln;

    cln = ngx_pool_cleanup_add(r->pool, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(turn, sizeof(ngx_http_artifact_turn_t));

    if (ngx_http_artifact_turns.event.handler == NULL) {
        ngx_http_artifact_turns_init(&ngx_http_artifact_turns);
    }

    turn->event.handler = ngx_http_artifact_turn_handler;
    turn->event.data = turn;
    turn->event.log = r->connection->log;

    cln->handler = ngx_http_artifact_turn_cleanup;
    cln->data = turn;

    return NGX_OK;
}


static void
ngx_http_artifact_turns_init(ngx_http_artifact_turns_t *turns)
{
    ngx_queue_init(&turns->waiting);
    ngx_queue_init(&turns->outside);

    turns->event.handler = ngx_http_artifact_turn_next;
    turns->event.data = turns;
    turns->event.log = ngx_cycle->log;
}


static void
ngx_http_artifact_turn_cleanup(void *data)
{
    ngx_http_artifact_turn_t *turn = data;

    ngx_http_artifact_turn_cancel(turn);
    ngx_http_artifact_turn_leave(turn);
}


static void
ngx_http_artifact_turn_cancel(ngx_http_artifact_turn_t *turn)
{
    if (turn->waiting) {
        turn->waiting = 0;
        ngx_queue_remove(&turn->queue);
    }

    if (turn->event.timer_set) {
        ngx_del_timer(&turn->event);
    }
}


/*
 * The event loop sets its time once per round.  With "timer_resolution" it does
 * so less often, and a turn may end too early.
 */

ngx_uint_t
ngx_http_artifact_turn_is_over(ngx_http_artifact_turn_t *turn)
{
    ngx_http_artifact_turns_t  *turns;

    turns = &ngx_http_artifact_turns;
    turn->now = ngx_artifact_ticks();

    if (turns->began == 0 || turns->round != ngx_current_msec) {
        turns->round = ngx_current_msec;
        turns->began = turn->now;
    }

    turn->began = turns->began;

    return turn->now - turn->began >= NGX_ARTIFACT_TURN * 1000;
}


void
ngx_http_artifact_turn_end(ngx_http_artifact_turn_t *turn,
    ngx_http_request_t *r)
{
    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact turn ends after %uL us",
                   ngx_artifact_ticks() - turn->began);

    ngx_http_artifact_turn_wait(turn, r, &ngx_http_artifact_turns.waiting);

    ngx_post_event(&ngx_http_artifact_turns.event, &ngx_posted_next_events);
}


static void
ngx_http_artifact_turn_wait(ngx_http_artifact_turn_t *turn,
    ngx_http_request_t *r, ngx_queue_t *queue)
{
    turn->next = r;

    if (!turn->event.timer_set) {
        ngx_add_timer(&turn->event, NGX_HTTP_ARTIFACT_TURN_GUARD);
    }

    if (!turn->waiting) {
        ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                       "http artifact turn is waited for: \"%V\"", &r->uri);

        turn->waiting = 1;
        ngx_queue_insert_tail(queue, &turn->queue);
    }
}


ngx_int_t
ngx_http_artifact_turn_enter(ngx_http_artifact_turn_t *turn,
    ngx_http_request_t *r)
{
    ngx_http_artifact_turns_t  *turns;

    turns = &ngx_http_artifact_turns;

    if (turn->entered) {
        return NGX_OK;
    }

    if (turns->entered == NGX_HTTP_ARTIFACT_TURNS_OPEN) {
        ngx_http_artifact_turn_wait(turn, r, &turns->outside);
        return NGX_AGAIN;
    }

    turn->entered = 1;
    turns->entered++;

    return NGX_OK;
}


/* The place goes to the one who has waited longest. */

void
ngx_http_artifact_turn_leave(ngx_http_artifact_turn_t *turn)
{
    ngx_queue_t                *q;
    ngx_http_artifact_turn_t   *next;
    ngx_http_artifact_turns_t  *turns;

    if (!turn->entered) {
        return;
    }

    turns = &ngx_http_artifact_turns;
    turn->entered = 0;

    if (ngx_queue_empty(&turns->outside)) {
        turns->entered--;
        return;
    }

    q = ngx_queue_head(&turns->outside);
    next = ngx_queue_data(q, ngx_http_artifact_turn_t, queue);

    next->entered = 1;

    ngx_queue_remove(q);         /* NOLINT: what is in a queue has a next */
    ngx_queue_insert_tail(&turns->waiting, q);

    ngx_post_event(&turns->event, &ngx_posted_next_events);
}


ngx_int_t
ngx_http_artifact_request_turn(ngx_http_request_t *r,
    ngx_http_artifact_turn_t *turn, ngx_artifact_task_t *task,
    ngx_artifact_run_pt run, void *data)
{
    if (ngx_http_artifact_turn_is_over(turn)) {
        ngx_http_artifact_turn_end(turn, r);
        return NGX_AGAIN;
    }

    return ngx_http_artifact_request_task(r, task, run, data);
}


/*
 * Requests that have come in this round may have used its time: who has waited
 * has a quarter of a turn in any case.
 */

static void
ngx_http_artifact_turn_next(ngx_event_t *ev)
{
    uint64_t                    now;
    ngx_queue_t                *q;
    ngx_http_artifact_turn_t   *turn;
    ngx_http_artifact_turns_t  *turns;

    turns = ev->data;

    if (ngx_queue_empty(&turns->waiting)) {
        return;
    }

    now = ngx_artifact_ticks();

    if (now - turns->began > NGX_ARTIFACT_TURN * 750) {
        turns->began = now - NGX_ARTIFACT_TURN * 750;
    }

    q = ngx_queue_head(&turns->waiting);
    turn = ngx_queue_data(q, ngx_http_artifact_turn_t, queue);

    if (ngx_queue_last(&turns->waiting) != q) {
        ngx_post_event(ev, &ngx_posted_next_events);
    }

    ngx_http_artifact_turn_handler(&turn->event);
}


static void
ngx_http_artifact_turn_handler(ngx_event_t *ev)
{
    ngx_connection_t          *c;
    ngx_http_request_t        *r;
    ngx_http_artifact_turn_t  *turn;

    turn = ev->data;

    ngx_http_artifact_turn_cancel(turn);

    r = turn->next;
    c = r->connection;

    ngx_http_set_log_request(c->log, r);

    if (!r->done) {

        if (turn->resume) {
            turn->resume(r);
        }

        ngx_http_artifact_work_resume(r);
    }

    ngx_http_run_posted_requests(c);
}
