
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The names in a folder, or a tree.
 */


#ifndef NGX_ARTIFACT_LIST_WALK_H_INCLUDED_
#define NGX_ARTIFACT_LIST_WALK_H_INCLUDED_


#include "store/list/ngx_artifact_list_job.h"


/*
 * Walks over a folder beneath job->top, or over the whole tree, and adds to the
 * page what belongs there.  "path" ends with a zero, without a slash; it may be
 * empty.  On failure, NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_list_walk(ngx_artifact_list_job_t *job,
    const ngx_str_t *path);


#endif /* NGX_ARTIFACT_LIST_WALK_H_INCLUDED_ */
