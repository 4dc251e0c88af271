
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The names in a folder, or a tree.
 */


#ifndef NGX_ARTIFACT_LIST_WALK_H_INCLUDED_
#define NGX_ARTIFACT_LIST_WALK_H_INCLUDED_


#include "store/list/ngx_artifact_list_job.h"


/*
 * Walks over the folder, or the tree, that is open, and puts on the page what
 * is there.  NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_list_walk(ngx_artifact_list_job_t *job);


#endif /* NGX_ARTIFACT_LIST_WALK_H_INCLUDED_ */
