
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Long work of a request: on the disk and on the processor.
 */


#ifndef NGX_HTTP_ARTIFACT_WORK_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_WORK_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "store/disk/ngx_artifact_task.h"


/*
 * Calls "run" in a thread of the location's pool, or at once.  NGX_OK when it
 * has returned; NGX_AGAIN while it runs: the request's write event handler is
 * called afterwards.  Until then the request lives on and r->aio is set.
 */

ngx_int_t ngx_http_artifact_request_task(ngx_http_request_t *r,
    ngx_artifact_task_t *task, ngx_artifact_run_pt run, void *data);


/*
 * Looks after a request that has subrequests of ours, or a thread at work while
 * it has a subrequest: when its client has left and threads are done, it ends,
 * also where nginx would leave that to somebody whom nobody calls any more; and
 * a worker that shuts down waits for it.  May be called again.  NGX_ERROR when
 * out of memory.
 */

ngx_int_t ngx_http_artifact_attend(ngx_http_request_t *r);


/*
 * From now on a request whose client leaves is ended, unless its body is still
 * being read or discarded.  For work that changes nothing: a job that runs then
 * goes on to its end, or to that of its turn.
 */

void ngx_http_artifact_request_watch(ngx_http_request_t *r);


/* The pool of a location with "aio threads", else NULL. */

void *ngx_http_artifact_task_pool(ngx_http_request_t *r);


/*
 * The turn of a request: its work in one round of the event loop.  All requests
 * of a worker together have some milliseconds of it.  Time is measured, not
 * bytes, which say little about the work that they cause: a megabyte of empty
 * blocks decompresses to nothing.
 */

typedef void (*ngx_http_artifact_resume_pt)(ngx_http_request_t *r);

typedef struct {
    ngx_http_request_t           *next;      /* continues in the next turn */
    ngx_http_artifact_resume_pt   resume;    /* called first; may be NULL */
    ngx_event_t                   event;     /* a timer */
    ngx_queue_t                   queue;
    uint64_t                      began;     /* of all turns, microseconds */
    uint64_t                      now;       /* when it was last asked */
    unsigned                      waiting:1; /* in a queue */
    unsigned                      entered:1; /* one of those with files open */
} ngx_http_artifact_turn_t;


/* For a request, until its end.  NGX_ERROR when out of memory. */

ngx_int_t ngx_http_artifact_turn_init(ngx_http_artifact_turn_t *turn,
    ngx_http_request_t *r);


/*
 * Whether it is the turn of others.  Reads the clock, so it should be called
 * after some kilobytes of work.
 */

ngx_uint_t ngx_http_artifact_turn_is_over(ngx_http_artifact_turn_t *turn);


/*
 * Calls turn->resume, if it is set, and r->write_event_handler after others had
 * their turn.
 */

void ngx_http_artifact_turn_end(ngx_http_artifact_turn_t *turn,
    ngx_http_request_t *r);


/*
 * For work that keeps files open from one turn to the next, so that not all
 * requests of a worker have some at the same time: NGX_OK if it may begin or go
 * on, NGX_AGAIN if the request's write event handler is called when it may.
 * ngx_http_artifact_turn_leave(), or the end of the request, lets others in.
 */

#define NGX_HTTP_ARTIFACT_TURNS_OPEN  32

ngx_int_t ngx_http_artifact_turn_enter(ngx_http_artifact_turn_t *turn,
    ngx_http_request_t *r);
void ngx_http_artifact_turn_leave(ngx_http_artifact_turn_t *turn);


/*
 * Calls "run" as ngx_http_artifact_request_task() does, when it is the turn of
 * the request; for a job that returns after a turn, and is called once more.
 * NGX_OK when it has returned; NGX_AGAIN if the request's write event handler
 * is called later: "run" has returned or was not called yet.
 */

ngx_int_t ngx_http_artifact_request_turn(ngx_http_request_t *r,
    ngx_http_artifact_turn_t *turn, ngx_artifact_task_t *task,
    ngx_artifact_run_pt run, void *data);


#endif /* NGX_HTTP_ARTIFACT_WORK_H_INCLUDED_ */
