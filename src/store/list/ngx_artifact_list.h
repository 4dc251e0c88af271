
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A listing as a job.  All of it may run in threads, and allocates with
 * malloc().
 */


#ifndef NGX_ARTIFACT_LIST_H_INCLUDED_
#define NGX_ARTIFACT_LIST_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "store/disk/ngx_artifact_layout.h"

#include "core/answer/art_listing.h"
#include "core/meta/art_meta.h"
#include "core/ref/art_ref_file.h"


/* Names of a folder that are read in a step. */

#define NGX_ARTIFACT_LIST_NAMES  32


/* The details of a name.  The strings of "meta" are in the job's memory. */

typedef struct {
    art_meta_t                   meta;
    u_char                      *file;       /* of an artifact's content */
    off_t                        size;
    struct timespec              mtime;
    unsigned                     folder:1;
    unsigned                     missing:1;  /* now, or always */
    unsigned                     hidden:1;   /* only a stand-in leads there */
    unsigned                     found:1;    /* a file's metadata */
    unsigned                     guess:1;    /* its content is to be found */
    unsigned                     bare:1;     /* it has no sidecar */
    uint64_t                     ranks[ART_REF_FILE_GUESSES / 64];  /* seen */
} ngx_artifact_list_detail_t;


/*
 * An item of a page.  "name" is an artifact's sub-folder followed by its id, a
 * workspace's id, or a path from the top of a workspace; the page may be
 * ordered by its last component only.  Zero-terminated.
 */

typedef struct {
    ngx_artifact_list_detail_t  *detail;     /* when the page is complete */
    size_t                       len;
    u_char                       name[1];
} ngx_artifact_list_item_t;


typedef struct ngx_artifact_walk_s        ngx_artifact_walk_t;
typedef struct ngx_artifact_list_files_s  ngx_artifact_list_files_t;


typedef struct {
    ngx_log_t                   *log;

    /* the request; strings are zero-terminated, "path" may be empty */

    art_listing_kind_t           kind;
    ngx_str_t                    root;
    ngx_str_t                    workspace;
    ngx_str_t                    path;
    const ngx_artifact_layout_t *layout;     /* of artifacts */
    unsigned                     recursive:1;
    unsigned                     follow:1;   /* symbolic links */
    unsigned                     probe:1;    /* only test for existence */
    size_t                       base;       /* offset of names in paths */
    size_t                       id;         /* offset of ids in names */
    size_t                       folders;    /* number walked over */
    size_t                       names;      /* number of names in them */

    /* the result */

    unsigned                     again:1;    /* it has to be run (again) */
    ngx_err_t                    err;        /* 0: there is a page */
    unsigned                     rooted:1;   /* the root exists */
    unsigned                     bound:1;    /* the workspace exists */
    art_page_t                   page;       /* of ngx_artifact_list_item_t */

    u_char                      *memory;     /* of the details */
    size_t                       memory_size;
    size_t                       memory_used;

    /* private: how far it is */

    unsigned                     opened:1;
    unsigned                     guess:1;    /* contents are being found, */
    unsigned                     all:1;      /* by looking up all names */
    ngx_uint_t                   stage;
    ngx_fd_t                     area;       /* artifacts or workspaces */
    ngx_fd_t                     top;        /* the area or the workspace */
    ngx_artifact_walk_t         *walk;       /* while names are found */
    ngx_uint_t                   attempt;    /* of the layouts to search */
    size_t                       next;       /* of the page's items, */
    size_t                       end;        /* and the end of a group */
    DIR                         *dir;        /* the sub-folder of the group */
    ngx_artifact_list_files_t   *files;      /* while metadata are found */
} ngx_artifact_list_job_t;


/*
 * A handler of a task (ngx_artifact_task.h), with a job as "data", of which the
 * caller has set "again": finds the items of the page and their details.  It
 * works for one turn, in threads as well, since others wait for them; if
 * "again" is set then, it has to be called once more.  Otherwise there is a
 * page if job->err is 0.  ngx_artifact_list_free() frees it, at any time.
 */

void ngx_artifact_list_run(void *data, ngx_log_t *log);
void ngx_artifact_list_free(ngx_artifact_list_job_t *job);


/* The id, or the whole path, of an item. */

static ngx_inline art_str_t
ngx_artifact_list_name(const ngx_artifact_list_job_t *job,
    const ngx_artifact_list_item_t *item)
{
    return art_str(item->name + job->id, item->len - job->id);
}


/*
 * What the page that follows the first "n" items begins after: the name of the
 * last one that is no secret; else that of which this page began behind, with
 * empty data for the first page.
 */

art_str_t ngx_artifact_list_after(const ngx_artifact_list_job_t *job,
    size_t n);


/*
 * Writes the key by which an artifact is ordered, its sub-folder in the layout
 * of the store followed by its id, to "buf", which has room for both; returns
 * the length.
 */

#define NGX_ARTIFACT_LIST_KEY  (ART_REF_LAYOUT_PLACE + NAME_MAX)

size_t ngx_artifact_list_key(const ngx_artifact_list_job_t *job, art_str_t id,
    u_char *buf);


/*
 * Finds the items of the page.  It is called until it returns NGX_OK;
 * NGX_AGAIN: a step was done, others follow; on failure, NGX_ERROR with errno.
 * What it needs is freed by ngx_artifact_list_names_end().
 */

ngx_int_t ngx_artifact_list_names(ngx_artifact_list_job_t *job);
void ngx_artifact_list_names_end(ngx_artifact_list_job_t *job);


#endif /* NGX_ARTIFACT_LIST_H_INCLUDED_ */
