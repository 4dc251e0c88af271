
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The contents of artifacts whose sidecars do not tell where they are.
 */


#ifndef NGX_ARTIFACT_LIST_GUESS_H_INCLUDED_
#define NGX_ARTIFACT_LIST_GUESS_H_INCLUDED_


#include "store/list/ngx_artifact_list_job.h"


/*
 * Finds the contents of all items with "guess" set, in their places in a
 * layout, as a request finds them.  Clears "guess", and sets "gone" for items
 * without a content.  Either each extension is looked for, or the whole folder
 * is read once more, whichever is less work.  On failure, NGX_ERROR with
 * errno.
 */

ngx_int_t ngx_artifact_list_guess(ngx_artifact_list_job_t *job,
    const art_ref_layout_t *layout);


/*
 * Looks for the content of an item with this extension; NGX_DECLINED if there
 * is no such file in this place.
 */

ngx_int_t ngx_artifact_list_content(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, const ngx_artifact_place_t *place,
    art_str_t extension);


/*
 * Whether an item has a sidecar in this place.  Its name is written to "buf",
 * of ART_REF_LAYOUT_PLACE + NGX_ARTIFACT_SIDECAR_NAME bytes.
 */

ngx_uint_t ngx_artifact_list_sidecar(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, const ngx_artifact_place_t *place,
    u_char *buf, ngx_str_t *name);


#endif /* NGX_ARTIFACT_LIST_GUESS_H_INCLUDED_ */
