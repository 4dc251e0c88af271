
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Long work of a request, which lets others have their turn.
 */


#ifndef NGX_HTTP_ARTIFACT_TURN_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_TURN_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>


/*
 * The turn of a request: what it does in one round of the event loop, at most
 * some milliseconds.  It is counted in time, as bytes tell little of the work
 * that they make: a megabyte of empty blocks decompresses to nothing.
 */

typedef struct {
    ngx_http_request_t  *next;       /* which goes on in the next turn */
    ngx_event_t          event;
    ngx_msec_t           round;
    uint64_t             began;      /* microseconds; 0: not yet */
} ngx_http_artifact_turn_t;


/* For a request, until its end.  NGX_ERROR when out of memory. */

ngx_int_t ngx_http_artifact_turn_init(ngx_http_artifact_turn_t *turn,
    ngx_http_request_t *r);


/*
 * Whether others shall have their turn now.  Costs a look at the clock, so it
 * is asked after some kilobytes of work.
 */

ngx_uint_t ngx_http_artifact_turn_is_over(ngx_http_artifact_turn_t *turn);


/* Has r->write_event_handler called again, after others had their turn. */

void ngx_http_artifact_turn_end(ngx_http_artifact_turn_t *turn,
    ngx_http_request_t *r);


#endif /* NGX_HTTP_ARTIFACT_TURN_H_INCLUDED_ */
