
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The way to a file of a workspace.
 */


#ifndef NGX_ARTIFACT_WRITE_REACH_H_INCLUDED_
#define NGX_ARTIFACT_WRITE_REACH_H_INCLUDED_


#include "store/write/ngx_artifact_write_job.h"


/*
 * Walks to the folder of the job's file, making folders on the way if "create"
 * is set, and calls "leaf" with the file's name in it; NGX_ERROR with
 * job->error set.  Without "create", and without the folder, a write finds
 * nothing in its way: NGX_OK.
 */

typedef ngx_int_t (*ngx_artifact_write_leaf_pt)(ngx_artifact_write_job_t *job,
    ngx_fd_t folder, const char *name);

ngx_int_t ngx_artifact_write_reach(ngx_artifact_write_job_t *job,
    ngx_uint_t create, ngx_artifact_write_leaf_pt leaf);


#endif /* NGX_ARTIFACT_WRITE_REACH_H_INCLUDED_ */
