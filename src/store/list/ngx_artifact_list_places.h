
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The folders that have artifacts.
 */


#ifndef NGX_ARTIFACT_LIST_PLACES_H_INCLUDED_
#define NGX_ARTIFACT_LIST_PLACES_H_INCLUDED_


#include "store/list/ngx_artifact_list_job.h"


/*
 * Walks over the folders of a store's layout in the order of the page, as far
 * as they can have something for it, and adds their artifacts to the page.
 * While the store changes its layout, all folders of the earlier one are walked
 * over first: what is moved meanwhile is found in one of the two, with the same
 * position on the page.  On failure, NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_list_places(ngx_artifact_list_job_t *job);


#endif /* NGX_ARTIFACT_LIST_PLACES_H_INCLUDED_ */
