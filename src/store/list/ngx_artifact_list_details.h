
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The details of the names on a page.
 */


#ifndef NGX_ARTIFACT_LIST_DETAILS_H_INCLUDED_
#define NGX_ARTIFACT_LIST_DETAILS_H_INCLUDED_


#include "store/list/ngx_artifact_list_job.h"


/*
 * Completes the items of the page from the disk and from their sidecars, and
 * marks those that no longer exist.  On failure, NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_list_details(ngx_artifact_list_job_t *job);


#endif /* NGX_ARTIFACT_LIST_DETAILS_H_INCLUDED_ */
