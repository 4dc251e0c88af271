
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What is done for a root without a request that waits for it: cleaning up,
 * removing what has expired, and folding journals.  For the event loop of a
 * process, not for threads.  Each job runs in a thread of "pool" (see
 * ngx_artifact_task.h) or, without one, in slices of a few milliseconds.
 * Strings are copied.
 */


#ifndef NGX_ARTIFACT_UPKEEP_H_INCLUDED_
#define NGX_ARTIFACT_UPKEEP_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "core/base/art_core.h"


/*
 * Cleans up a root, what a crash left and what is no longer needed, at most
 * once a minute, and schedules folds of the journals found.  NGX_DECLINED if it
 * was done a minute ago, or if that many others are. ngx_artifact_sweep_init()
 * begins, in a new process.
 */

void ngx_artifact_sweep_init(void);
ngx_int_t ngx_artifact_sweep(art_str_t root, void *pool);


/* Told how many were removed, and could not be, since it was called last. */

typedef void (*ngx_artifact_expired_pt)(ngx_uint_t removed,
    ngx_uint_t errors);


/*
 * From now on this process looks for expired artifacts below a root, every five
 * minutes; with "sweep" it also cleans up a root that is new.  A call for a
 * root that is known does nothing.  A process knows 65536 of them: where there
 * are more, each one gives way after a look, until it is called for again.
 * ngx_artifact_expire_init() begins, in a new process.
 */

void ngx_artifact_expire_init(ngx_artifact_expired_pt report);
void ngx_artifact_expire(art_str_t root, void *pool, ngx_uint_t sweep);


/*
 * From now on this process looks for roots, at once and every five minutes:
 * folders whose paths match a pattern, in which each asterisk stands for any
 * characters but "/", and that have something to be looked after.  Each is as
 * if ngx_artifact_expire() was called for it.  ngx_artifact_roots_init()
 * begins, in a new process.
 */

void ngx_artifact_roots_init(void);
void ngx_artifact_roots(art_str_t pattern, void *pool);


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
 * length of the journal in bytes, as far as known.  On the event loop folds run
 * one workspace after the other.
 */

void ngx_artifact_fold_schedule(art_str_t root, art_str_t workspace,
    void *pool, off_t size);


#endif /* NGX_ARTIFACT_UPKEEP_H_INCLUDED_ */
