
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What all steps of a write share.
 */


#include "store/write/ngx_artifact_write.h"
#include "store/disk/ngx_artifact_beneath.h"


static art_error_t ngx_artifact_write_errno(ngx_err_t err);


void
ngx_artifact_write_init(ngx_artifact_write_job_t *job)
{
    job->unmodified_since = NGX_ERROR;
    job->area.folder = NGX_INVALID_FILE;
    job->area.control = NGX_INVALID_FILE;
    job->temp.fd = NGX_INVALID_FILE;
    job->error = ART_ERR_MAX;
}


void
ngx_artifact_write_close(void *data)
{
    ngx_artifact_write_job_t *job = data;

    ngx_artifact_temp_close(&job->temp, job->area.control, job->published);
    ngx_artifact_area_close(&job->area);
}


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


static art_error_t
ngx_artifact_write_errno(ngx_err_t err)
{
    switch (err) {

    case NGX_EACCES:
    case NGX_EPERM:
    case EROFS:
        return ART_ERR_PERMISSION;

    case NGX_ENAMETOOLONG:
    case NGX_EILSEQ:             /* a name that the file system rejects */
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

    default:
        return ngx_artifact_unreachable(err) ? ART_ERR_STORAGE : ART_ERR_WRITE;
    }
}
