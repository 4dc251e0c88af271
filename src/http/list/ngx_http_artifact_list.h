
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Listings, on the side of the request.
 */


#ifndef NGX_HTTP_ARTIFACT_LIST_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_LIST_H_INCLUDED_


#include "http/base/ngx_http_artifact_context.h"
#include "store/list/ngx_artifact_list.h"
#include "core/base/art_time.h"
#include "core/media/art_classify.h"


/* Whether "artifact_index" is on. */

ngx_uint_t ngx_http_artifact_lists(ngx_http_artifact_loc_conf_t *alcf);


/*
 * Listings, if "artifact_index" is on.  They return what the content handler
 * has to return, or NGX_DECLINED if the URI does not ask for a listing.
 * ngx_http_artifact_list_missing() is for a path that is not a file: if it is a
 * folder, it is redirected to its own URI, with a slash.
 */

ngx_int_t ngx_http_artifact_list_handler(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
ngx_int_t ngx_http_artifact_list_missing(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);


/*
 * Listings for others.  The caller sets kind, workspace, path (zero-terminated)
 * and recursive in a zeroed job; this adds the location's root and layout, and
 * a page of at most "limit" names after "after", which has to outlive the job,
 * in job->page.items (room for limit + 1 of them) or memory of the request.
 * NGX_DECLINED with errno set if there is no such folder; NGX_ERROR when out of
 * memory.  The job is then ready for ngx_artifact_list_run().
 */

ngx_int_t ngx_http_artifact_list_prepare(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_artifact_list_job_t *job, size_t limit,
    art_str_t after);


/* The error for a job that has failed (job->err), which is logged. */

art_error_t ngx_http_artifact_list_error(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_artifact_list_job_t *job);


/*
 * The entry of an item that is not gone.  Its strings are in the job's memory
 * and in "listed".
 */

typedef struct {
    art_listing_entry_t  entry;
    art_verdict_t        verdict;
    u_char               time[ART_TIME_LEN];
} ngx_http_artifact_list_entry_t;

void ngx_http_artifact_list_entry(ngx_http_request_t *r,
    ngx_artifact_list_job_t *job, ngx_artifact_list_item_t *item,
    ngx_http_artifact_list_entry_t *listed);


#endif /* NGX_HTTP_ARTIFACT_LIST_H_INCLUDED_ */
