
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
 * Creates a fold, which ngx_artifact_fold_destroy() frees; NULL when out of
 * memory.  "root", which is zero-terminated, and the workspace's name must
 * outlive it.  A "patient" fold does not run in the pause after the last one,
 * by any process (art_fold_pause()).  If it is destroyed before its end, it
 * leaves the files as a crash would; another fold begins again.
 */

ngx_artifact_fold_t *ngx_artifact_fold_create(const char *root,
    art_str_t workspace, ngx_uint_t patient, ngx_log_t *log);
void ngx_artifact_fold_destroy(ngx_artifact_fold_t *f);


/*
 * Runs a fold to its end, or for about "limit" milliseconds if that is not 0;
 * only syncing a file, or merging an entry of a megabyte, may take longer.
 * NGX_AGAIN if there is more to do: the locks are kept.  Otherwise the fold has
 * ended:
 *
 *     NGX_OK     the metadata have all records found when it began;
 *     NGX_BUSY   another process folds, or may be writing the document, or
 *                there is a pause, of which *wait milliseconds are left;
 *     NGX_ERROR  with errno.
 */

ngx_int_t ngx_artifact_fold_run(ngx_artifact_fold_t *f, ngx_msec_t limit,
    ngx_msec_t *wait);


/* Creates a fold, runs it to its end and destroys it. */

ngx_int_t ngx_artifact_fold(const char *root, art_str_t workspace,
    ngx_log_t *log);


#endif /* NGX_ARTIFACT_FOLD_H_INCLUDED_ */
