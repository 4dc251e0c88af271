
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The metadata of a workspace's files.
 */


#ifndef NGX_ARTIFACT_LIST_FILES_H_INCLUDED_
#define NGX_ARTIFACT_LIST_FILES_H_INCLUDED_


#include "store/list/ngx_artifact_list_job.h"


/*
 * Completes the files on the page from the metadata of their workspace.  On
 * failure, NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_list_files(ngx_artifact_list_job_t *job);


#endif /* NGX_ARTIFACT_LIST_FILES_H_INCLUDED_ */
