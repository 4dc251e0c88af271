
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Artifacts that were uploaded as files, by the clients of Files APIs: one, a
 * page of a list, and removal.  The sidecar of such an artifact has a member
 * "file", and there is a marker of it (ngx_artifact_marker.h).
 */


#ifndef NGX_ARTIFACT_FILES_H_INCLUDED_
#define NGX_ARTIFACT_FILES_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_layout.h"
#include "store/files/ngx_artifact_marker.h"

#include "core/files/art_file.h"


/* The member of a sidecar that a file has, and a member of its object. */

#define NGX_ARTIFACT_FILES_KEY      "file"
#define NGX_ARTIFACT_FILES_PURPOSE  "purpose"


/* A file that was found; its strings are in one block, which begins with id. */

typedef struct {
    art_file_t                   file;
    u_char                      *memory;
} ngx_artifact_files_item_t;


/*
 * A job that finds files.  The caller sets what precedes "err", and "again",
 * in zeroed memory, and calls ngx_artifact_files_close() in any case, with
 * "opened" set by the first run.  Strings are zero-terminated, and all outlives
 * the job.
 */

typedef struct {
    art_str_t                    root;
    const ngx_artifact_layout_t *layout;
    const art_file_query_t      *query;      /* of a list; NULL: one file */
    char                         id[ART_UUID_LEN + 1];   /* the file */
    unsigned                     remove:1;   /* the file is to be removed */

    /* the outcome */

    ngx_err_t                    err;        /* 0: there is one */
    const char                  *action;     /* what failed */
    unsigned                     rootless:1; /* the root cannot be opened */
    unsigned                     more:1;     /* files beyond the page */
    unsigned                     expired:1;  /* the file was, and has */
    unsigned                     removed:1;
    unsigned                     again:1;    /* it has to be run (again) */
    size_t                       n;          /* 0: no such file */
    ngx_artifact_files_item_t   *items;

    /* private */

    ngx_log_t                   *log;
    unsigned                     opened:1;
    unsigned                     cut:1;      /* the folder has more ids */
    unsigned                     ended:1;
    unsigned                     back:1;
    uint64_t                     now;        /* milliseconds */
    size_t                       room;       /* of items */
    size_t                       nbatch;     /* ids to be examined next, */
    size_t                       next;       /* which of them */
    char                        *batch;
    char                         last[ART_UUID_LEN + 1];
    ngx_artifact_area_t          area;
    ngx_artifact_marker_walk_t   walk;
} ngx_artifact_files_t;


/*
 * A handler of a task (ngx_artifact_task.h), with a job as "data".  It works
 * for one turn, in threads as well, since others wait for them; if "again" is
 * set then, it has to be called once more.
 *
 * Memory: 72 bytes for each file of a page, and what is known of it, at most 3
 * KB, usually 0.2; 72 bytes for each id of a batch, of which there are as many
 * and one; a sidecar of at most 64 KB.
 */

void ngx_artifact_files_run(void *data, ngx_log_t *log);
void ngx_artifact_files_close(void *data);


/*
 * Whether the sidecar of an artifact is a file's: 1, and *purpose is the JSON
 * string without its quotes, or empty.  "object" is the text of an object that
 * has its member "file", as art_meta_t.extra.
 */

ngx_uint_t ngx_artifact_files_is(art_str_t object, art_str_t *purpose);


#endif /* NGX_ARTIFACT_FILES_H_INCLUDED_ */
