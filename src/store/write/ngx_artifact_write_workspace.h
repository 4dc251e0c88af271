
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Files of workspaces.
 */


#ifndef NGX_ARTIFACT_WRITE_WORKSPACE_H_INCLUDED_
#define NGX_ARTIFACT_WRITE_WORKSPACE_H_INCLUDED_


#include "store/write/ngx_artifact_write_job.h"


/*
 * Looks at what is there and at the preconditions; removes a file.  The
 * outcome is in the job, of which nothing is open then.
 */

void ngx_artifact_write_check(void *data, ngx_log_t *log);
void ngx_artifact_write_remove(void *data, ngx_log_t *log);


/*
 * Puts the job's file on its way in its place, and a record of that into the
 * workspace's journal; NGX_ERROR with job->error set.
 */

ngx_int_t ngx_artifact_publish_file(ngx_artifact_write_job_t *job);


#endif /* NGX_ARTIFACT_WRITE_WORKSPACE_H_INCLUDED_ */
