
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Where the files of an artifact stand in artifacts/, and where they may still
 * stand as long as a store changes from one layout to another.
 */


#ifndef NGX_ARTIFACT_PLACE_H_INCLUDED_
#define NGX_ARTIFACT_PLACE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "core/base/art_core.h"
#include "core/ref/art_ref_file.h"


/* Zeros are a store that is flat and always was. */

typedef struct {
    art_ref_layout_t             layout;     /* of what is written */
    art_ref_layout_t             old;        /* if it changes: from this one */
    unsigned                     changes:1;
} ngx_artifact_layout_t;


/* A path beneath artifacts/, empty or with a slash at its end; then a zero. */

typedef struct {
    size_t                       len;
    u_char                       path[ART_REF_LAYOUT_PLACE + 1];
} ngx_artifact_place_t;


/*
 * The place of an id by the layout that is looked into as number "i", from 0
 * on.  NGX_DECLINED if there is no such number: that of the store; if it
 * changes, the earlier one, and that of the store again: what was in neither
 * may have been moved from the one to the other in between.
 */

ngx_int_t ngx_artifact_place(const ngx_artifact_layout_t *layout, ngx_uint_t i,
    art_str_t id, ngx_artifact_place_t *place);


/* The layout that is looked into as number "i", NULL if there is none. */

const art_ref_layout_t *ngx_artifact_place_layout(
    const ngx_artifact_layout_t *layout, ngx_uint_t i);


/* The place of an id in a layout. */

void ngx_artifact_place_of(const art_ref_layout_t *layout, art_str_t id,
    ngx_artifact_place_t *place);


/* Whether an error means that nothing is there, so that one looks elsewhere. */

ngx_uint_t ngx_artifact_place_empty(ngx_err_t err);


/*
 * Tells each name in a place, in no order; "follow" as for links elsewhere.  A
 * place that is not there has none.  NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_place_read(ngx_fd_t folder,
    const ngx_artifact_place_t *place, ngx_uint_t follow,
    void (*tell)(void *data, art_str_t name), void *data);


/*
 * Opens the place of a new artifact, "folder" or a real folder beneath it that
 * is made when missing, its name on the disk as ngx_artifact_settle() has it.
 * NGX_INVALID_FILE with errno; the descriptor is "folder" itself for a place
 * without a path, and the caller's to close otherwise.
 */

ngx_fd_t ngx_artifact_place_create(ngx_fd_t folder,
    const ngx_artifact_place_t *place);


#endif /* NGX_ARTIFACT_PLACE_H_INCLUDED_ */
