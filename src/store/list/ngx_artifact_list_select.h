
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The names that are listed.
 */


#ifndef NGX_ARTIFACT_LIST_SELECT_H_INCLUDED_
#define NGX_ARTIFACT_LIST_SELECT_H_INCLUDED_


#include "store/list/ngx_artifact_list_job.h"


/*
 * Takes one of the names walked over, and adds it to the page if it is to be
 * listed and belongs there.  "path" ends with a zero; "type" is one of
 * dirent.h.  On failure, NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_list_select(ngx_artifact_list_job_t *job,
    art_str_t path, ngx_uint_t type);


#endif /* NGX_ARTIFACT_LIST_SELECT_H_INCLUDED_ */
