
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Listings.
 */


#ifndef NGX_ARTIFACT_LIST_RUN_H_INCLUDED_
#define NGX_ARTIFACT_LIST_RUN_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * Runs a whole job ("data"): finds the items of the page and their details.
 * job->err tells whether there is a page.
 */

void ngx_artifact_list_run(void *data, ngx_log_t *log);


#endif /* NGX_ARTIFACT_LIST_RUN_H_INCLUDED_ */
