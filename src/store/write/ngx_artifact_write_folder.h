
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The folder of a file that is to be written or removed.
 */


#ifndef NGX_ARTIFACT_WRITE_FOLDER_H_INCLUDED_
#define NGX_ARTIFACT_WRITE_FOLDER_H_INCLUDED_


#include "store/write/ngx_artifact_write_job.h"


/*
 * Opens the folder of the job's file, one component at a time, making them if
 * "create" is set, and calls "act" with it and the file's name in it; NGX_ERROR
 * with job->error set.  Without "create", and without the folder, a write finds
 * nothing in its way: NGX_OK.
 */

typedef ngx_int_t (*ngx_artifact_write_act_pt)(ngx_artifact_write_job_t *job,
    ngx_fd_t folder, const char *name);

ngx_int_t ngx_artifact_write_in_folder(ngx_artifact_write_job_t *job,
    ngx_uint_t create, ngx_artifact_write_act_pt act);


#endif /* NGX_ARTIFACT_WRITE_FOLDER_H_INCLUDED_ */
