
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Which names are listed.
 */


#ifndef NGX_ARTIFACT_LIST_SELECT_H_INCLUDED_
#define NGX_ARTIFACT_LIST_SELECT_H_INCLUDED_


#include "store/list/ngx_artifact_list_job.h"


/*
 * One name of those walked over: puts it on the page, if it is something and
 * belongs there.  "path" ends with a zero, "type" is one of dirent.h.
 * NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_list_select(ngx_artifact_list_job_t *job,
    art_str_t path, ngx_uint_t type);


#endif /* NGX_ARTIFACT_LIST_SELECT_H_INCLUDED_ */
