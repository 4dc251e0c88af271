
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The walk over the control folders of a root, which removes what a crash left
 * and what is no longer needed.  All of it may run in threads.
 */


#ifndef NGX_ARTIFACT_CLEAN_H_INCLUDED_
#define NGX_ARTIFACT_CLEAN_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "core/base/art_core.h"


/* How many workspaces are reported at a time. */

#define NGX_ARTIFACT_CLEAN_FOUND  64


typedef struct ngx_artifact_clean_s  ngx_artifact_clean_t;


/*
 * Creates a walk, about 33 KB; NULL when out of memory.  "root", which ends
 * with a zero, must outlive it.
 */

ngx_artifact_clean_t *ngx_artifact_clean_create(const char *root);
void ngx_artifact_clean_destroy(ngx_artifact_clean_t *c);


/*
 * Runs until the end, until the list for ngx_artifact_clean_next() is full, or
 * for about "limit" milliseconds if that is not 0; only syncing a file may take
 * longer.  NGX_AGAIN if there is more to do, else NGX_OK.
 *
 * It removes temporary files whose writer is gone.  After an hour without a
 * change it also removes journals that have only a clock
 * (ngx_artifact_journal_remove()) and indexes without a document.
 */

ngx_int_t ngx_artifact_clean_run(ngx_artifact_clean_t *c, ngx_msec_t limit);


/*
 * Returns the next workspace, ending with a zero, whose journal was found and
 * has to be folded; NULL after the last one found so far.
 */

const char *ngx_artifact_clean_next(ngx_artifact_clean_t *c);


#endif /* NGX_ARTIFACT_CLEAN_H_INCLUDED_ */
