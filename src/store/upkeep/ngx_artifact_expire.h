
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Removing the artifacts of a root that have expired.  For the event loop of a
 * process, not for threads.
 */


#ifndef NGX_ARTIFACT_EXPIRE_H_INCLUDED_
#define NGX_ARTIFACT_EXPIRE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "core/base/art_core.h"


/* Told how many were removed, and could not be, since it was called last. */

typedef void (*ngx_artifact_expired_pt)(ngx_uint_t removed,
    ngx_uint_t errors);


/* Begins, in a new process. */

void ngx_artifact_expire_init(ngx_artifact_expired_pt report);


/*
 * From now on this process looks for expired artifacts below a root, every five
 * minutes, in a thread of "pool" (see ngx_artifact_task.h) or, without one, in
 * slices of a few milliseconds.  A call for a root that is known does nothing.
 * A process knows 65536 of them: where there are more, each one gives way after
 * a look, until it is called for again.
 */

void ngx_artifact_expire(art_str_t root, void *pool);


#endif /* NGX_ARTIFACT_EXPIRE_H_INCLUDED_ */
