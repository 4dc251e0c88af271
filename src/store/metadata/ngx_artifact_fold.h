
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Folding a workspace's journal into its metadata.  All of it may run in
 * threads.
 */


#ifndef NGX_ARTIFACT_FOLD_H_INCLUDED_
#define NGX_ARTIFACT_FOLD_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "core/base/art_core.h"


typedef struct ngx_artifact_fold_s  ngx_artifact_fold_t;


/*
 * A fold of the journal as it will be when it runs first.  "root", which ends
 * with a zero, and the workspace's name live as long as it does.  If it is
 * "patient" it does not run in the pause after the last fold, of whatever
 * process (art_fold_pause()).  NULL when out of memory.  One that did not come
 * to its end leaves everything as a crash would, for another fold to begin
 * again.
 */

ngx_artifact_fold_t *ngx_artifact_fold_create(const char *root,
    art_str_t workspace, ngx_uint_t patient, ngx_log_t *log);
void ngx_artifact_fold_destroy(ngx_artifact_fold_t *f);


/*
 * Runs a fold to its end, or for about "limit" milliseconds if that is not 0,
 * though a single call may take longer: to sync a file, or to merge an entry
 * of a megabyte.  NGX_AGAIN if there is more to do; its locks stay with it.
 * Else it is over: NGX_OK when all is in the metadata (who appended since has
 * to have it folded, too), NGX_BUSY when it has to wait, as somebody else is at
 * it, or may be writing the document, or there is a pause; NGX_ERROR with
 * errno.
 */

ngx_int_t ngx_artifact_fold_run(ngx_artifact_fold_t *f, ngx_msec_t limit);


/* After NGX_BUSY the milliseconds that are left of the pause, or 0. */

ngx_msec_t ngx_artifact_fold_wait(ngx_artifact_fold_t *f);


/* All of it at once. */

ngx_int_t ngx_artifact_fold(const char *root, art_str_t workspace,
    ngx_log_t *log);


#endif /* NGX_ARTIFACT_FOLD_H_INCLUDED_ */
