
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The names in a folder, or a tree.
 */


#ifndef NGX_ARTIFACT_LIST_WALK_H_INCLUDED_
#define NGX_ARTIFACT_LIST_WALK_H_INCLUDED_


#include "store/list/ngx_artifact_list_job.h"


/*
 * Walks over a folder beneath job->top, or the tree, and puts on the page what
 * is there.  The path ends with a zero, without a slash; it may be empty.
 * NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_list_walk(ngx_artifact_list_job_t *job,
    const ngx_str_t *path);


#endif /* NGX_ARTIFACT_LIST_WALK_H_INCLUDED_ */
