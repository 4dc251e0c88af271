
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
 * The list of what is to be folded: empty, and all of it folded here.  And how
 * many workspaces are in it.  "done" is called when a fold has come to its end,
 * NGX_OK, or has failed, NGX_ERROR.
 */

typedef void (*ngx_artifact_fold_done_pt)(ngx_int_t rc);

void ngx_artifact_fold_timer_init(ngx_artifact_fold_done_pt done);
void ngx_artifact_fold_timer_finish(void);
ngx_uint_t ngx_artifact_fold_timers(void);


/*
 * Has a workspace's journal folded in time (art_fold_pace.h); "size" are the
 * bytes that it has grown to, as far as is known; both strings are copied.
 * In a thread of "pool" (see ngx_artifact_task.h); without, one workspace after
 * the other.
 */

void ngx_artifact_fold_later(art_str_t root, art_str_t workspace,
    void *pool, off_t size);


#endif /* NGX_ARTIFACT_FOLD_TIMER_H_INCLUDED_ */
