
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The key of a data root, with which the ids of contents are made: whoever does
 * not know it cannot tell from an id what a content is.
 */


#ifndef NGX_ARTIFACT_KEY_H_INCLUDED_
#define NGX_ARTIFACT_KEY_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/* Its file in the control folder of "artifacts", and its size in bytes. */

#define NGX_ARTIFACT_KEY       "key"
#define NGX_ARTIFACT_KEY_SIZE  32


/*
 * Reads the key of an open control folder, which the first call of all
 * processes and machines makes, into NGX_ARTIFACT_KEY_SIZE bytes.  It is not
 * kept: a key that was restored from a backup counts at once.  NGX_ERROR with
 * errno, and *action (a constant) for what failed; EINVAL for a file that is no
 * key.
 */

ngx_int_t ngx_artifact_key(ngx_fd_t control, u_char *key, const char **action);


#endif /* NGX_ARTIFACT_KEY_H_INCLUDED_ */
