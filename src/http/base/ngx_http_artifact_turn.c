
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/base/ngx_http_artifact_turn.h"
#include "store/disk/ngx_artifact_area.h"


/* Microseconds of a turn. */

#define NGX_HTTP_ARTIFACT_TURN  4000


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

    if (turn->event.posted) {
        ngx_delete_posted_event(&turn->event);
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
    turn->next = r;

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

    r = turn->next;
    c = r->connection;

    ngx_http_set_log_request(c->log, r);

    if (!r->done) {
        r->write_event_handler(r);
    }

    ngx_http_run_posted_requests(c);
}
