
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * When journals are folded.  For the event loop of a process, not for threads.
 */


#ifndef NGX_ARTIFACT_FOLD_TIMER_H_INCLUDED_
#define NGX_ARTIFACT_FOLD_TIMER_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "core/base/art_core.h"


/*
 * The list of workspaces to be folded.  ngx_artifact_fold_timer_init() empties
 * it; "done" is called after each fold, with NGX_OK or, if it failed,
 * NGX_ERROR.  ngx_artifact_fold_timer_finish() folds all of them before it
 * returns.  ngx_artifact_fold_timers() returns their number.
 */

typedef void (*ngx_artifact_fold_done_pt)(ngx_int_t rc);

void ngx_artifact_fold_timer_init(ngx_artifact_fold_done_pt done);
void ngx_artifact_fold_timer_finish(void);
ngx_uint_t ngx_artifact_fold_timers(void);


/*
 * Schedules the fold of a workspace's journal (art_fold.h).  "size" is the
 * length of the journal in bytes, as far as known; both strings are copied.
 * The fold runs in a thread of "pool" (see ngx_artifact_task.h) or, without
 * one, on the event loop, one workspace after the other.
 */

void ngx_artifact_fold_schedule(art_str_t root, art_str_t workspace,
    void *pool, off_t size);


#endif /* NGX_ARTIFACT_FOLD_TIMER_H_INCLUDED_ */
