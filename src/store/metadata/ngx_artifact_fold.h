
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Folding a workspace's journal into its metadata.
 */


#ifndef NGX_ARTIFACT_FOLD_H_INCLUDED_
#define NGX_ARTIFACT_FOLD_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "core/base/art_core.h"


/*
 * Folds a workspace's journal, as it is now, into its metadata.  NGX_OK when
 * that is done (who appended since has it folded, too), NGX_AGAIN when somebody
 * else is at it, NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_fold(const char *root, art_str_t workspace,
    ngx_log_t *log);


#endif /* NGX_ARTIFACT_FOLD_H_INCLUDED_ */
