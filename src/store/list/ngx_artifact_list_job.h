
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A listing on its way.  All of it may run in threads and allocates with
 * malloc().
 */


#ifndef NGX_ARTIFACT_LIST_JOB_H_INCLUDED_
#define NGX_ARTIFACT_LIST_JOB_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "core/answer/art_listing.h"
#include "core/answer/art_page.h"
#include "core/meta/art_meta.h"


/* What is told of a name.  The strings of "meta" lie behind it. */

typedef struct {
    art_meta_t                   meta;
    u_char                      *file;       /* of an artifact's content */
    off_t                        size;
    struct timespec              mtime;
    unsigned                     folder:1;
    unsigned                     gone:1;     /* or never there */
    unsigned                     found:1;    /* metadata of a file */
} ngx_artifact_list_detail_t;


/*
 * What stands on a page: an id, or a path from the top of a workspace, whose
 * end may be all that the page is ordered by.  It ends with a zero.
 */

typedef struct {
    ngx_artifact_list_detail_t  *detail;     /* once the page is complete */
    size_t                       len;
    u_char                       name[1];
} ngx_artifact_list_item_t;


typedef struct {
    ngx_log_t                   *log;

    /* what is asked for; strings end with a zero, "path" may be empty */

    art_listing_kind_t           kind;
    ngx_str_t                    root;
    ngx_str_t                    workspace;
    ngx_str_t                    path;
    unsigned                     recursive:1;
    unsigned                     follow:1;   /* symbolic links */
    unsigned                     probe:1;    /* only whether it is there */
    size_t                       base;       /* of names in paths */

    /* what came of it */

    ngx_err_t                    err;        /* 0: there is a page */
    unsigned                     bound:1;    /* the workspace exists */
    art_page_t                   page;       /* of ngx_artifact_list_item_t */

    /*
     * The details; mapped, since the heaps of threads would keep it.  Of each
     * page it takes what it needs, and goes with the request.
     */

    u_char                      *memory;
    size_t                       memory_size;
    size_t                       memory_used;

    ngx_fd_t                     area;       /* artifacts or workspaces */
    ngx_fd_t                     top;        /* that, or the workspace */
} ngx_artifact_list_job_t;


/* The job: all of it; then the parts. */

void ngx_artifact_list_run(void *data, ngx_log_t *log);

/*
 * Walks over the folder, or the tree, and puts on the page what is there.
 * NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_list_walk(ngx_artifact_list_job_t *job);

/*
 * One name of those walked over: puts it on the page, if it is something and
 * belongs there.  "path" ends with a zero, "type" is one of dirent.h.
 */

ngx_int_t ngx_artifact_list_select(ngx_artifact_list_job_t *job,
    art_str_t path, ngx_uint_t type);

/* Completes the items of the page from the disk and from their sidecars. */

ngx_int_t ngx_artifact_list_details(ngx_artifact_list_job_t *job);
ngx_int_t ngx_artifact_list_files(ngx_artifact_list_job_t *job);
ngx_int_t ngx_artifact_list_artifact(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item);


/*
 * What is kept of an item: metadata (which is freed), times and size, and any
 * other piece of memory, NULL if there is none left.
 */

void ngx_artifact_list_meta(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, art_meta_t *meta);
void ngx_artifact_list_info(ngx_artifact_list_item_t *item,
    ngx_file_info_t *info);
u_char *ngx_artifact_list_room(ngx_artifact_list_job_t *job,
    size_t size);


#endif /* NGX_ARTIFACT_LIST_JOB_H_INCLUDED_ */
