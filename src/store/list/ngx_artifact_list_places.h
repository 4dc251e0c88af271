
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The folders in which artifacts stand.
 */


#ifndef NGX_ARTIFACT_LIST_PLACES_H_INCLUDED_
#define NGX_ARTIFACT_LIST_PLACES_H_INCLUDED_


#include "store/list/ngx_artifact_list_job.h"


/*
 * Walks over the folders of a store's layout in the order of the page, those
 * that can have something on it, and puts that there.  While the store changes
 * its layout, all folders of the earlier one are walked over before: what is
 * moved meanwhile is in one of them, and has the same place on the page.
 * NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_list_places(ngx_artifact_list_job_t *job);


#endif /* NGX_ARTIFACT_LIST_PLACES_H_INCLUDED_ */
