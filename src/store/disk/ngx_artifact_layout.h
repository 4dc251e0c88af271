
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The sub-folders of artifacts/ in which the files of an artifact are, and may
 * still be while a store changes from one layout to another.
 */


#ifndef NGX_ARTIFACT_LAYOUT_H_INCLUDED_
#define NGX_ARTIFACT_LAYOUT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include <dirent.h>

#include "core/base/art_core.h"
#include "core/ref/art_ref_file.h"


/* Zeroed: a store that is flat and always was. */

typedef struct {
    art_ref_layout_t             layout;     /* for writes */
    art_ref_layout_t             old;        /* if "changes": the earlier one */
    unsigned                     changes:1;
} ngx_artifact_layout_t;


/* A path beneath artifacts/, empty or ending in a slash; zero-terminated. */

typedef struct {
    size_t                       len;
    u_char                       path[ART_REF_LAYOUT_PLACE + 1];
} ngx_artifact_subfolder_t;


/*
 * The layouts to search for an id, one after the other: that of the store; if
 * it changes, the earlier one, and that of the store again, since the file may
 * have been moved in between.  Returns number "i" of them, from 0 on; NULL
 * after the last one.
 */

const art_ref_layout_t *ngx_artifact_layout_try(
    const ngx_artifact_layout_t *layout, ngx_uint_t i);


/* The sub-folder of an id in one of them. */

void ngx_artifact_subfolder_of(const art_ref_layout_t *layout, art_str_t id,
    ngx_artifact_subfolder_t *sub);


/* That of an id in layout number "i" of those to search; 0 after the last. */

ngx_uint_t ngx_artifact_subfolder_try(const ngx_artifact_layout_t *layout,
    ngx_uint_t i, art_str_t id, ngx_artifact_subfolder_t *sub);


/* Whether an errno means that there is no file, so that the search goes on. */

ngx_uint_t ngx_artifact_is_missing(ngx_err_t err);


/*
 * Opens a sub-folder to read its names, which are in no particular order;
 * "follow" as for ngx_artifact_openat().  NULL with errno, which is 0 if there
 * is no such sub-folder.
 */

DIR *ngx_artifact_subfolder_open(ngx_fd_t folder,
    const ngx_artifact_subfolder_t *sub, ngx_uint_t follow);


#endif /* NGX_ARTIFACT_LAYOUT_H_INCLUDED_ */
