
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Markers of the artifacts that were uploaded as files: empty files in the
 * control folder of artifacts/, so that a list of some files needs no walk over
 * all artifacts.  Their names are the ids, which are UUIDs of version 7 and so
 * in the order of creation; folders of some three days and of 17 minutes keep
 * each of them short:
 *
 *     artifacts/.artifact/files/019c3/a5/019c3a5e-....
 *
 * A marker comes before its artifact and goes after it: one without an artifact
 * means nothing.
 */


#ifndef NGX_ARTIFACT_MARKER_H_INCLUDED_
#define NGX_ARTIFACT_MARKER_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include <dirent.h>


/* The first digits of an id, which name the folder, and the next ones. */

#define NGX_ARTIFACT_MARKER_FOLDER  5
#define NGX_ARTIFACT_MARKER_LEAF    2
#define NGX_ARTIFACT_MARKER_PLACE                                             \
    (NGX_ARTIFACT_MARKER_FOLDER + NGX_ARTIFACT_MARKER_LEAF)


/*
 * The first makes the marker of an id (zero-terminated) in a control folder,
 * "sync": and has its name on the disk; NGX_ERROR with errno.  The second
 * removes it, if it is there, and what folders it leaves empty; errno is
 * unchanged.
 */

ngx_int_t ngx_artifact_marker_make(ngx_fd_t control, const char *id,
    ngx_uint_t sync);
void ngx_artifact_marker_remove(ngx_fd_t control, const char *id);


/*
 * A walk over the folders of markers, in their order or back.  The caller reads
 * the names in "dir".
 */

typedef struct {
    ngx_fd_t                     top;        /* of all markers */
    DIR                         *dir;        /* the folder that was found */
    unsigned                     back:1;
    unsigned                     placed:1;
    char                         place[NGX_ARTIFACT_MARKER_PLACE + 1];
} ngx_artifact_marker_walk_t;


/*
 * Begins at the folder that an id belongs to, or at the first one if that is
 * NULL; without markers there is none.  NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_marker_walk(ngx_artifact_marker_walk_t *walk,
    ngx_fd_t control, const char *id, ngx_uint_t back);


/*
 * Opens the next folder, or the same one "again": NGX_OK, NGX_DONE if there is
 * none, NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_marker_next(ngx_artifact_marker_walk_t *walk,
    ngx_uint_t again);
void ngx_artifact_marker_walk_end(ngx_artifact_marker_walk_t *walk);


/* Whether a name is a marker's: a UUID of version 7 in lower case. */

ngx_uint_t ngx_artifact_marker_is(const char *name);


#endif /* NGX_ARTIFACT_MARKER_H_INCLUDED_ */
