
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Cleaning up a root: what a crash left, and what is no longer needed.  For the
 * event loop of a process, not for threads.
 */


#ifndef NGX_ARTIFACT_SWEEP_H_INCLUDED_
#define NGX_ARTIFACT_SWEEP_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "core/base/art_core.h"


/*
 * Cleans up a root, at most once a minute, and schedules folds of the journals
 * found.  It runs in a thread of "pool" (see ngx_artifact_task.h) or, without
 * one, in slices of a few milliseconds.
 */

void ngx_artifact_sweep(art_str_t root, void *pool);


#endif /* NGX_ARTIFACT_SWEEP_H_INCLUDED_ */
