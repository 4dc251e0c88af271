
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A write, step by step.  Runs in threads: a job is all that it knows.
 */


#include "store/write/ngx_artifact_write.h"


/* Bytes copied at a time, of bodies that were read into a file. */

#define NGX_ARTIFACT_COPY  16384


static ngx_int_t ngx_artifact_write_open(ngx_artifact_write_job_t *job);
static ngx_int_t ngx_artifact_write_content(ngx_artifact_write_job_t *job);
static ngx_int_t ngx_artifact_write_copy(ngx_artifact_write_job_t *job,
    ngx_buf_t *b);
static void ngx_artifact_write_publish(ngx_artifact_write_job_t *job);


void
ngx_artifact_write_step(void *data, ngx_log_t *log)
{
    ngx_artifact_write_job_t *job = data;

    ngx_int_t  rc;

    job->log = log;

    rc = job->temp.fd == NGX_INVALID_FILE ? ngx_artifact_write_open(job)
                                          : NGX_OK;

    if (rc == NGX_OK) {
        rc = ngx_artifact_write_content(job);
    }

    if (rc == NGX_OK && job->last) {
        ngx_artifact_write_publish(job);
    }

    if (rc != NGX_OK || job->last) {
        ngx_artifact_write_close(job);
    }
}


static ngx_int_t
ngx_artifact_write_open(ngx_artifact_write_job_t *job)
{
    if (ngx_artifact_area_open(&job->area, (char *) job->root.data,
                               job->artifact ? "artifacts" : "workspaces", 1)
        != NGX_OK)
    {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
    }

    if (ngx_artifact_temp_open(&job->temp, job->area.control,
                               job->artifact ? job->id : NULL)
        != NGX_OK)
    {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
    }

    return job->by_content ? ngx_artifact_content_begin(job) : NGX_OK;
}


static ngx_int_t
ngx_artifact_write_content(ngx_artifact_write_job_t *job)
{
    size_t        size;
    ngx_int_t     rc;
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    for (cl = job->in; cl; cl = cl->next) {

        b = cl->buf;

        if (ngx_buf_in_memory(b)) {
            size = (size_t) (b->last - b->pos);
            rc = ngx_artifact_write_all(job->temp.fd, b->pos, size, job->size);
            job->size += (off_t) size;

            if (rc == NGX_OK && job->by_content
                && ngx_artifact_content_add(job, b->pos, size) != NGX_OK)
            {
                return NGX_ERROR;
            }

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


/*
 * The temporary file gets the permissions of the file that existed before the
 * content came, which is most likely the one to be replaced: then they need no
 * sync of their own.
 */

static void
ngx_artifact_write_publish(ngx_artifact_write_job_t *job)
{
    ngx_uint_t  changed;

    if (job->size != job->length) {
        (void) ngx_artifact_write_fail(job, ART_ERR_BODY,
                                       "the body is not whole");
        return;
    }

    if (job->by_content) {
        (void) ngx_artifact_content_publish(job);
        return;
    }

    if (job->exists
        && ngx_artifact_inherit(job->temp.fd, &job->info, &changed) != NGX_OK)
    {
        (void) ngx_artifact_write_fail(job, ART_ERR_MAX, "fchmod");
        return;
    }

    if (ngx_artifact_write_sync(job) != NGX_OK) {
        return;
    }

    (void) (job->artifact ? ngx_artifact_write_publish_artifact(job)
                          : ngx_artifact_write_publish_file(job));
}
