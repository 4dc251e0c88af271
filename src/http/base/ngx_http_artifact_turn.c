
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/base/ngx_http_artifact_turn.h"
#include "store/disk/ngx_artifact_area.h"


/* Microseconds of a turn. */

#define NGX_HTTP_ARTIFACT_TURN  4000

/*
 * Milliseconds.  A process that shuts down ends when it has no timers: this one
 * says that there is work, and is deleted long before it expires.
 */

#define NGX_HTTP_ARTIFACT_TURN_GUARD  60000


static void ngx_http_artifact_turn_cancel(ngx_http_artifact_turn_t *turn);
static void ngx_http_artifact_turn_cleanup(void *data);
static void ngx_http_artifact_turn_handler(ngx_event_t *ev);


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

    turn->event.handler = ngx_http_artifact_turn_handler;
    turn->event.data = turn;
    turn->event.log = r->connection->log;

    cln->handler = ngx_http_artifact_turn_cleanup;
    cln->data = turn;

    return NGX_OK;
}


static void
ngx_http_artifact_turn_cleanup(void *data)
{
    ngx_http_artifact_turn_t *turn = data;

    ngx_http_artifact_turn_cancel(turn);
}


static void
ngx_http_artifact_turn_cancel(ngx_http_artifact_turn_t *turn)
{
    if (turn->event.posted) {
        ngx_delete_posted_event(&turn->event);
    }

    if (turn->event.timer_set) {
        ngx_del_timer(&turn->event);
    }
}


/*
 * The event loop sets its time once in a round.  With "timer_resolution" it
 * does so less often, and a turn may end too soon.
 */

ngx_uint_t
ngx_http_artifact_turn_is_over(ngx_http_artifact_turn_t *turn)
{
    uint64_t  now;

    now = ngx_artifact_ticks();

    if (turn->began == 0 || turn->round != ngx_current_msec) {
        turn->round = ngx_current_msec;
        turn->began = now;
    }

    return now - turn->began >= NGX_HTTP_ARTIFACT_TURN;
}


void
ngx_http_artifact_turn_end(ngx_http_artifact_turn_t *turn,
    ngx_http_request_t *r)
{
    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "artifact turn ends after %uL us",
                   ngx_artifact_ticks() - turn->began);

    turn->next = r;

    if (!turn->event.timer_set) {
        ngx_add_timer(&turn->event, NGX_HTTP_ARTIFACT_TURN_GUARD);
    }

    ngx_post_event(&turn->event, &ngx_posted_next_events);
}


static void
ngx_http_artifact_turn_handler(ngx_event_t *ev)
{
    ngx_connection_t          *c;
    ngx_http_request_t        *r;
    ngx_http_artifact_turn_t  *turn;

    turn = ev->data;
    turn->began = 0;

    ngx_http_artifact_turn_cancel(turn);

    r = turn->next;
    c = r->connection;

    ngx_http_set_log_request(c->log, r);

    if (!r->done) {
        r->write_event_handler(r);
    }

    ngx_http_run_posted_requests(c);
}
