
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A listing on its way.  All of the store's side may run in threads and
 * allocates with malloc().
 */


#ifndef NGX_ARTIFACT_LIST_JOB_H_INCLUDED_
#define NGX_ARTIFACT_LIST_JOB_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "store/disk/ngx_artifact_place.h"
#include "core/answer/art_listing.h"
#include "core/answer/art_page.h"
#include "core/meta/art_meta.h"
#include "core/ref/art_ref_file.h"


/* What is told of a name.  The strings of "meta" lie behind it. */

typedef struct {
    art_meta_t                   meta;
    u_char                      *file;       /* of an artifact's content */
    off_t                        size;
    struct timespec              mtime;
    unsigned                     folder:1;
    unsigned                     gone:1;     /* or never there */
    unsigned                     found:1;    /* metadata of a file */
    unsigned                     guess:1;    /* where its content is */
    unsigned                     bare:1;     /* there was no sidecar */
    uint64_t                     ranks[ART_REF_FILE_GUESSES / 64];  /* seen */
} ngx_artifact_list_detail_t;


/*
 * What stands on a page: an artifact's id behind its place in the layout of the
 * store, a workspace's id, or a path from the top of a workspace, whose end may
 * be all that the page is ordered by.  It ends with a zero.
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
    const ngx_artifact_layout_t *layout;     /* of artifacts */
    unsigned                     recursive:1;
    unsigned                     follow:1;   /* symbolic links */
    unsigned                     probe:1;    /* only whether it is there */
    size_t                       base;       /* of names in paths */
    size_t                       id;         /* of ids in names: their places */
    size_t                       folders;    /* that were walked over */
    size_t                       names;      /* in them */

    /* what came of it */

    ngx_err_t                    err;        /* 0: there is a page */
    unsigned                     bound:1;    /* the workspace exists */
    art_page_t                   page;       /* of ngx_artifact_list_item_t */

    u_char                      *memory;     /* of the details */
    size_t                       memory_size;
    size_t                       memory_used;

    ngx_fd_t                     area;       /* artifacts or workspaces */
    ngx_fd_t                     top;        /* that, or the workspace */
} ngx_artifact_list_job_t;


/*
 * Writes what an artifact is ordered by, its id behind its place in the layout
 * of the store, to "buf", which has room for both; returns the length.
 */

#define NGX_ARTIFACT_LIST_KEY  (ART_REF_LAYOUT_PLACE + NAME_MAX)

size_t ngx_artifact_list_key(const ngx_artifact_list_job_t *job, art_str_t id,
    u_char *buf);


/* The id, or the whole path, of what stands on the page. */

static ngx_inline art_str_t
ngx_artifact_list_name(const ngx_artifact_list_job_t *job,
    const ngx_artifact_list_item_t *item)
{
    return art_str(item->name + job->id, item->len - job->id);
}


/*
 * Memory for the details of all items of the page, which each of them gets a
 * detail of: NGX_ERROR with errno.  Takes a piece of it, which has room for all
 * that is kept of them: NULL if there is none left.  Frees it, and the items.
 */

ngx_int_t ngx_artifact_list_memory(ngx_artifact_list_job_t *job);
u_char *ngx_artifact_list_alloc(ngx_artifact_list_job_t *job, size_t size);
void ngx_artifact_list_free(ngx_artifact_list_job_t *job);


/* Keeps metadata, which are freed, and the size and time of a file. */

void ngx_artifact_list_set_meta(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, art_meta_t *meta);
void ngx_artifact_list_set_info(ngx_artifact_list_item_t *item,
    ngx_file_info_t *info);


#endif /* NGX_ARTIFACT_LIST_JOB_H_INCLUDED_ */
