
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A listing: opens what it needs and runs its parts in turn.
 */


#include "store/list/ngx_artifact_list_run.h"
#include "store/disk/ngx_artifact_beneath.h"
#include "store/list/ngx_artifact_list_details.h"
#include "store/list/ngx_artifact_list_job.h"
#include "store/list/ngx_artifact_list_places.h"
#include "store/list/ngx_artifact_list_walk.h"


static ngx_int_t ngx_artifact_list_open(ngx_artifact_list_job_t *job);
static ngx_int_t ngx_artifact_list_names(ngx_artifact_list_job_t *job);


void
ngx_artifact_list_run(void *data, ngx_log_t *log)
{
    ngx_artifact_list_job_t *job = data;

    ngx_int_t  rc;

    job->log = log;
    job->err = 0;
    job->area = NGX_INVALID_FILE;
    job->top = NGX_INVALID_FILE;

    rc = ngx_artifact_list_open(job);

    if (rc == NGX_OK) {
        rc = ngx_artifact_list_names(job);
    }

    if (rc == NGX_OK) {
        rc = ngx_artifact_list_details(job);
    }

    if (rc == NGX_ERROR) {
        job->err = ngx_errno ? ngx_errno : EIO;
    }

    if (job->top != job->area) {
        ngx_artifact_close(&job->top);
    }

    ngx_artifact_close(&job->area);
}


/* NGX_DECLINED if there is nothing to list: the page is empty. */

static ngx_int_t
ngx_artifact_list_open(ngx_artifact_list_job_t *job)
{
    ngx_fd_t     root;
    const char  *name;

    root = open((char *) job->root.data, O_PATH|O_DIRECTORY|O_CLOEXEC);

    if (root == NGX_INVALID_FILE) {
        return NGX_ERROR;
    }

    name = job->kind == ART_LISTING_ARTIFACTS ? "artifacts" : "workspaces";

    job->area = ngx_artifact_openat(root, name, O_PATH|O_DIRECTORY, 0);

    ngx_artifact_close(&root);

    if (job->area == NGX_INVALID_FILE) {

        /* nothing was stored yet, or the folder is a link, which is ignored */

        return job->kind != ART_LISTING_FOLDER
               && (ngx_errno == NGX_ENOENT || ngx_errno == NGX_ENOTDIR
                   || ngx_errno == NGX_ELOOP)
               ? NGX_DECLINED : NGX_ERROR;
    }

    if (job->kind != ART_LISTING_FOLDER) {
        job->top = job->area;
        return NGX_OK;
    }

    job->top = ngx_artifact_openat(job->area, (char *) job->workspace.data,
                                   O_PATH|O_DIRECTORY, 0);

    if (job->top == NGX_INVALID_FILE) {
        return NGX_ERROR;
    }

    job->bound = 1;

    return NGX_OK;
}


static ngx_int_t
ngx_artifact_list_names(ngx_artifact_list_job_t *job)
{
    if (job->kind == ART_LISTING_ARTIFACTS) {
        return ngx_artifact_list_places(job);
    }

    /* items are whole paths, so each one also has the folder's path */

    if (!job->recursive && job->path.len > 0) {
        job->page.cost = job->path.len + 1;
    }

    return ngx_artifact_list_walk(job, &job->path);
}
