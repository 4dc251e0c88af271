
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The disk's side of one write, step by step.  Runs in threads: a job is all
 * that it knows.
 */


#include "store/write/ngx_artifact_write_job.h"


/* For bodies that somebody else has read into a file. */

#define NGX_ARTIFACT_COPY  16384


static ngx_int_t ngx_artifact_write_open(ngx_artifact_write_job_t *job);
static ngx_int_t ngx_artifact_write_write(ngx_artifact_write_job_t *job);
static ngx_int_t ngx_artifact_write_copy(ngx_artifact_write_job_t *job,
    ngx_buf_t *b);
static void ngx_artifact_write_publish(ngx_artifact_write_job_t *job);


ngx_int_t
ngx_artifact_write_fail(ngx_artifact_write_job_t *job, art_error_t error,
    const char *action)
{
    if (error == ART_ERR_MAX) {
        job->err = ngx_errno;
        error = ngx_artifact_write_errno(job->err);
    }

    job->error = error;
    job->action = action;

    return NGX_ERROR;
}


art_error_t
ngx_artifact_write_errno(ngx_err_t err)
{
    switch (err) {

    case NGX_EACCES:
    case NGX_EPERM:
    case EROFS:
        return ART_ERR_PERMISSION;

    case NGX_ENAMETOOLONG:
    case NGX_EILSEQ:             /* a name that the file system refuses */
        return ART_ERR_NAME;

    case NGX_ENOTDIR:
    case NGX_EEXIST:
    case NGX_EISDIR:
        return ART_ERR_CONFLICT;

    case NGX_ELOOP:
        return ART_ERR_TRAVERSAL;

    case NGX_ENOSPC:
    case EDQUOT:
        return ART_ERR_FULL;

    case ENOTCONN:               /* as for reads */
    case ESTALE:
    case EHOSTDOWN:
    case NGX_EHOSTUNREACH:
    case NGX_ETIMEDOUT:
        return ART_ERR_STORAGE;

    default:
        return ART_ERR_WRITE;
    }
}


void
ngx_artifact_write_step(void *data, ngx_log_t *log)
{
    ngx_artifact_write_job_t *job = data;

    job->log = log;

    if (job->temp.fd == NGX_INVALID_FILE
        && ngx_artifact_write_open(job) != NGX_OK)
    {
        ngx_artifact_write_close(job);
        return;
    }

    if (ngx_artifact_write_write(job) != NGX_OK) {
        ngx_artifact_write_close(job);
        return;
    }

    if (job->last) {
        ngx_artifact_write_publish(job);
        ngx_artifact_write_close(job);
    }
}


static ngx_int_t
ngx_artifact_write_open(ngx_artifact_write_job_t *job)
{
    ngx_uint_t  artifact;

    artifact = (job->workspace.len == 0);

    if (ngx_artifact_area_open(&job->area, (char *) job->root.data,
                               artifact ? "artifacts" : "workspaces", 1)
        != NGX_OK)
    {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
    }

    if (ngx_artifact_temp_open(&job->temp, job->area.control,
                               artifact ? job->id : NULL)
        != NGX_OK)
    {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
    }

    return NGX_OK;
}


static ngx_int_t
ngx_artifact_write_write(ngx_artifact_write_job_t *job)
{
    size_t        size;
    ngx_int_t     rc;
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    for (cl = job->in; cl; cl = cl->next) {

        b = cl->buf;

        if (ngx_buf_in_memory(b)) {
            size = (size_t) (b->last - b->pos);
            rc = ngx_artifact_write_all(job->temp.fd, b->pos, size,
                                        job->size);
            job->size += (off_t) size;

        } else if (b->in_file) {
            rc = ngx_artifact_write_copy(job, b);

        } else {
            continue;
        }

        if (rc != NGX_OK) {
            return ngx_artifact_write_fail(job, ART_ERR_MAX, "write");
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_artifact_write_copy(ngx_artifact_write_job_t *job, ngx_buf_t *b)
{
    off_t    pos;
    size_t   size;
    u_char   buf[NGX_ARTIFACT_COPY];
    ssize_t  n;

    for (pos = b->file_pos; pos < b->file_last; pos += n) {

        size = (size_t) ngx_min(b->file_last - pos, (off_t) sizeof(buf));
        n = pread(b->file->fd, buf, size, pos);

        if (n <= 0) {

            if (n == 0) {
                ngx_set_errno(EIO);
            }

            return NGX_ERROR;
        }

        if (ngx_artifact_write_all(job->temp.fd, buf, (size_t) n,
                                   job->size)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        job->size += n;
    }

    return NGX_OK;
}


static void
ngx_artifact_write_publish(ngx_artifact_write_job_t *job)
{
    if (ngx_artifact_touch(job->temp.fd) != NGX_OK
        || (job->sync && fsync(job->temp.fd) == -1))
    {
        (void) ngx_artifact_write_fail(job, ART_ERR_MAX, "fsync");
        return;
    }

    (void) (job->workspace.len ? ngx_artifact_publish_file(job)
                               : ngx_artifact_publish_artifact(job));
}


void
ngx_artifact_write_close(void *data)
{
    ngx_artifact_write_job_t *job = data;

    ngx_artifact_temp_close(&job->temp, job->area.control,
                            job->published);
    ngx_artifact_area_close(&job->area);
}
