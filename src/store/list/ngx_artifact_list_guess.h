
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The contents of artifacts whose sidecars do not say where they are.
 */


#ifndef NGX_ARTIFACT_LIST_GUESS_H_INCLUDED_
#define NGX_ARTIFACT_LIST_GUESS_H_INCLUDED_


#include "store/list/ngx_artifact_list_job.h"


/*
 * Finds the contents of all items that are marked for it, as a request finds
 * them, and unmarks them; those without are marked as gone.  Each extension is
 * looked for, or the whole folder is read once more, whichever is less.
 * NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_list_guess(ngx_artifact_list_job_t *job);


/*
 * The content of an item with this extension: NGX_DECLINED if there is no such
 * file.
 */

ngx_int_t ngx_artifact_list_content(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, art_str_t extension);


#endif /* NGX_ARTIFACT_LIST_GUESS_H_INCLUDED_ */
