
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The job of a write, whatever request asks for it: where it writes, by whom,
 * and which file.
 */


#include "http/base/ngx_http_artifact_util.h"
#include "http/write/ngx_http_artifact_write.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/write/ngx_artifact_write.h"
#include "core/ref/art_ref_file.h"


ngx_http_artifact_write_t *
ngx_http_artifact_write_create(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_pool_cleanup_t         *cln;
    ngx_artifact_write_job_t   *job;
    ngx_http_artifact_write_t  *write;

    write = ngx_pcalloc(r->pool, sizeof(ngx_http_artifact_write_t));
    if (write == NULL) {
        return NULL;
    }

    job = &write->job;

    ngx_artifact_write_init(job);

    cln = ngx_pool_cleanup_add(r->pool, 0);
    if (cln == NULL) {
        return NULL;
    }

    cln->handler = ngx_artifact_write_close;
    cln->data = job;

    write->ctx = ctx;
    ngx_http_set_ctx(r, write, ngx_http_artifact_write_module);

    return write;
}


ngx_int_t
ngx_http_artifact_write_place(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write)
{
    ngx_int_t                        rc;
    ngx_str_t                        root;
    ngx_artifact_write_job_t        *job;
    ngx_http_artifact_loc_conf_t    *alcf;
    ngx_http_artifact_write_conf_t  *conf;

    job = &write->job;
    alcf = write->ctx->conf;
    conf = ngx_http_artifact_conf_of(alcf, ngx_http_artifact_write_module);

    rc = ngx_http_artifact_root(r, write->ctx, &root);

    if (rc == NGX_DECLINED) {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "no artifact_root");
    }

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    job->layout = ngx_http_artifact_layout(alcf);
    job->root = ngx_artifact_str(&root);
    job->sync = conf->sync & 1;
    job->lifetime = (uint64_t) conf->expires * 1000;

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact write: root \"%V\", sync %d, expires %T",
                   &root, job->sync, conf->expires);

    if (ngx_http_artifact_id_value(r, conf->agent, &job->agent) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_http_artifact_id_value(r, conf->message_id, &job->message);
}


ngx_int_t
ngx_http_artifact_write_target(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write)
{
    art_ref_t                 *ref;
    art_error_t                error;
    ngx_artifact_write_job_t  *job;

    job = &write->job;
    ref = &write->ctx->ref;

    if (ngx_http_artifact_check(r, write->ctx, &error) != NGX_OK) {

        if (error == ART_ERR_INVALID_ID
            && write->ctx->given.len > ART_ID_PATH_MAX)
        {
            error = ART_ERR_NAME;
        }

        return ngx_artifact_write_fail(job, error, NULL);
    }

    if (ngx_http_artifact_is_control(ref)) {
        return ngx_artifact_write_fail(job, job->remove ? ART_ERR_NOT_BOUND
                                                        : ART_ERR_NAME,
                                       NULL);
    }

    if (ref->folder || ref->path.len == 0) {
        return ngx_artifact_write_fail(job, ART_ERR_NAMELESS, NULL);
    }

    if (!art_ref_name_path(ref->path)) {
        return ngx_artifact_write_fail(job, job->remove ? ART_ERR_NOT_FOUND
                                                        : ART_ERR_NAME,
                                       NULL);
    }

    job->workspace = ref->workspace;
    job->path = ref->path;

    return NGX_OK;
}


void
ngx_http_artifact_write_artifact(ngx_http_artifact_write_t *write)
{
    ngx_artifact_write_job_t  *job;

    job = &write->job;

    job->artifact = 1;
    job->extension_len = art_ref_name_extension(job->path, job->mime,
                                                job->extension).len;

    if (job->id[0] == '\0') {
        ngx_artifact_uuid(job->id);
    }
}
