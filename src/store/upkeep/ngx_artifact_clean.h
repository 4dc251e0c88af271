
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The walk over the control folders of a root: what a crash left, and what
 * nobody needs any more.  All of it may run in threads.
 */


#ifndef NGX_ARTIFACT_CLEAN_H_INCLUDED_
#define NGX_ARTIFACT_CLEAN_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "core/base/art_core.h"


/* Workspaces that are told at a time. */

#define NGX_ARTIFACT_CLEAN_FOUND  64


typedef struct ngx_artifact_clean_s  ngx_artifact_clean_t;


/*
 * A walk as it will be when it runs first.  "root", which ends with a zero,
 * lives as long as it does.  NULL when out of memory; about 40 KB otherwise.
 */

ngx_artifact_clean_t *ngx_artifact_clean_create(const char *root);
void ngx_artifact_clean_destroy(ngx_artifact_clean_t *c);


/*
 * Goes on to the end, or until ngx_artifact_clean_next() has something to tell
 * and room for no more, or for about "limit" milliseconds if that is not 0;
 * only syncing a file may take longer.  NGX_AGAIN if there is more to do, else
 * NGX_OK.
 *
 * Removed are: files on their way whose writer is gone; and, once they are as
 * they were for an hour, journals with nothing but a clock
 * (ngx_artifact_journal_remove()), and indexes without a document.
 */

ngx_int_t ngx_artifact_clean_run(ngx_artifact_clean_t *c, ngx_msec_t limit);


/*
 * The workspaces with journals to be folded that were found since the last
 * time: one after the other, ending with a zero, NULL when all were told.
 */

const char *ngx_artifact_clean_next(ngx_artifact_clean_t *c);


#endif /* NGX_ARTIFACT_CLEAN_H_INCLUDED_ */
