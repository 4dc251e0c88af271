
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A write, step by step.  Runs in threads: a job is all that it knows.
 */


#include "store/write/ngx_artifact_write.h"


/* Bytes copied at a time, of bodies that were read into a file. */

#define NGX_ARTIFACT_COPY  16384


static ngx_int_t ngx_artifact_write_open(ngx_artifact_write_job_t *job);
static ngx_int_t ngx_artifact_write_move(ngx_artifact_write_job_t *job);
static ngx_int_t ngx_artifact_write_move_content(ngx_artifact_write_job_t *job,
    ngx_fd_t control);
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


void
ngx_artifact_write_finish(void *data, ngx_log_t *log)
{
    ngx_artifact_write_job_t *job = data;

    job->log = log;
    job->last = 1;

    if (job->temp.fd != NGX_INVALID_FILE && job->artifacts != job->artifact) {
        (void) ngx_artifact_write_move(job);
    }

    if (job->error == ART_ERR_MAX && !job->artifact) {
        ngx_artifact_write_check(job, log);
    }

    if (job->error == ART_ERR_MAX) {
        ngx_artifact_write_step(job, log);
        return;
    }

    ngx_artifact_write_close(job);
}


static ngx_int_t
ngx_artifact_write_open(ngx_artifact_write_job_t *job)
{
    job->artifacts = job->artifact;

    if (ngx_artifact_area_open(&job->area, (char *) job->root.data,
                               job->artifact ? "artifacts" : "workspaces", 1)
        != NGX_OK)
    {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
    }

    /* others may be writing what has a given id */

    if (ngx_artifact_temp_open(&job->temp, job->area.control,
                               job->artifact && !job->given ? job->id : NULL)
        != NGX_OK)
    {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
    }

    return job->by_content ? ngx_artifact_content_begin(job) : NGX_OK;
}


/* Moves the temporary file to the other area. */

static ngx_int_t
ngx_artifact_write_move(ngx_artifact_write_job_t *job)
{
    ngx_int_t            rc;
    ngx_artifact_area_t  area;

    if (ngx_artifact_area_open(&area, (char *) job->root.data,
                               job->artifact ? "artifacts" : "workspaces", 1)
        != NGX_OK)
    {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
    }

    rc = ngx_artifact_write_move_content(job, area.control);

    if (rc != NGX_OK) {
        ngx_artifact_area_close(&area);
        return rc;
    }

    ngx_artifact_area_close(&job->area);

    job->area = area;
    job->artifacts = job->artifact;

    return NGX_OK;
}


/*
 * Renames the temporary file to the name that belongs to the job's id, or
 * copies it where the areas are on different file systems.
 */

static ngx_int_t
ngx_artifact_write_move_content(ngx_artifact_write_job_t *job,
    ngx_fd_t control)
{
    ngx_buf_t            b;
    ngx_int_t            rc;
    ngx_file_t           file;
    ngx_artifact_temp_t  from;

    from = job->temp;

    (void) ngx_snprintf(job->temp.name, sizeof(job->temp.name),
                        NGX_ARTIFACT_TEMP "%s%Z", job->id);

    if (renameat(job->area.control, (char *) from.name, control,
                 (char *) job->temp.name)
        == 0)
    {
        return NGX_OK;
    }

    job->temp = from;

    if (ngx_errno != NGX_EXDEV) {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "rename");
    }

    if (ngx_artifact_temp_open(&job->temp, control, job->id) != NGX_OK) {
        rc = ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
        job->temp = from;
        return rc;
    }

    ngx_memzero(&b, sizeof(ngx_buf_t));

    file.fd = from.fd;
    b.file = &file;
    b.file_last = job->size;
    job->size = 0;

    rc = ngx_artifact_write_copy(job, &b);

    if (rc != NGX_OK) {
        (void) ngx_artifact_write_fail(job, ART_ERR_MAX, "write");
        ngx_artifact_temp_close(&job->temp, control, 0);
        job->temp = from;
        return NGX_ERROR;
    }

    ngx_artifact_temp_close(&from, job->area.control, 0);

    return NGX_OK;
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
            return job->error != ART_ERR_MAX
                   ? NGX_ERROR
                   : ngx_artifact_write_fail(job, ART_ERR_MAX, "write");
        }

        if (job->sized && job->size > job->exact) {
            return ngx_artifact_write_fail(job, ART_ERR_SIZE, NULL);
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

        if (job->by_content
            && ngx_artifact_content_add(job, buf, (size_t) n) != NGX_OK)
        {
            return NGX_ERROR;
        }
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

    if (job->sized && job->size != job->exact) {
        (void) ngx_artifact_write_fail(job, ART_ERR_SIZE, NULL);
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
