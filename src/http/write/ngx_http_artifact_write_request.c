
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The request's side of writes: what may be written, and the answers.
 */


#include "http/base/ngx_http_artifact_root.h"
#include "http/base/ngx_http_artifact_task.h"
#include "http/write/ngx_http_artifact_write.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/write/ngx_artifact_write_workspace.h"
#include "core/text/art_utf8.h"
#include "core/meta/art_meta.h"


static ngx_http_artifact_write_t *ngx_http_artifact_write_create(
    ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_write_check(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write, art_error_t *error);
static ngx_int_t ngx_http_artifact_write_target(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write, art_error_t *error);
static ngx_int_t ngx_http_artifact_write_name(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write, art_error_t *error);
static ngx_int_t ngx_http_artifact_write_values(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);
static ngx_int_t ngx_http_artifact_write_value(ngx_http_request_t *r,
    ngx_http_complex_value_t *cv, art_str_t *value);
static ngx_int_t ngx_http_artifact_write_preconds(ngx_http_request_t *r,
    ngx_artifact_write_job_t *job, art_precondition_t kind, const char *name);
static ngx_int_t ngx_http_artifact_write_remove(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);
static void ngx_http_artifact_write_removed(ngx_http_request_t *r);


ngx_int_t
ngx_http_artifact_write_handler(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_int_t                   rc;
    art_error_t                 error;
    ngx_http_artifact_write_t  *write;

    write = ngx_http_artifact_write_create(r, ctx);
    if (write == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    rc = ngx_http_artifact_write_check(r, write, &error);

    if (rc == NGX_ERROR) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (rc == NGX_DECLINED) {
        write->job.error = error;
        return ngx_http_artifact_write_refuse(r, write);
    }

    /* what can be refused is refused before the body is asked for */

    if (write->job.workspace.len) {
        ngx_artifact_write_check(&write->job, r->connection->log);

        if (write->job.error != ART_ERR_MAX) {
            return ngx_http_artifact_write_refuse(r, write);
        }
    }

    return write->job.remove ? ngx_http_artifact_write_remove(r, write)
                             : ngx_http_artifact_upload(r, write);
}


static ngx_http_artifact_write_t *
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

    job->sync = ctx->conf->sync;
    job->remove = (r->method == NGX_HTTP_DELETE);

    cln = ngx_pool_cleanup_add(r->pool, 0);
    if (cln == NULL) {
        return NULL;
    }

    cln->handler = ngx_artifact_write_close;
    cln->data = job;

    write->ctx = ctx;
    ctx->write = write;

    return write;
}


/* Everything that the request's header tells; NGX_DECLINED with *error. */

static ngx_int_t
ngx_http_artifact_write_check(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write, art_error_t *error)
{
    ngx_int_t                  rc;
    ngx_str_t                  root;
    ngx_artifact_write_job_t  *job;

    job = &write->job;

    rc = r->method == NGX_HTTP_POST
         ? ngx_http_artifact_write_name(r, write, error)
         : ngx_http_artifact_write_target(r, write, error);

    if (rc == NGX_OK && !job->remove) {
        rc = ngx_http_artifact_write_body(r, write, error);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_http_artifact_root(r, write->ctx, &root);

    if (rc != NGX_OK) {
        job->err = ngx_errno;
        job->action = "no artifact_root";
        *error = ART_ERR_WRITE;

        return rc;
    }

    job->root = ngx_artifact_str(&root);

    if (r->method == NGX_HTTP_POST) {
        job->extension_len = art_ref_name_extension(job->path, job->mime,
                                                    job->extension).len;
        ngx_artifact_uuid(job->id);

    } else if (ngx_http_artifact_write_preconds(r, job,
                                                ART_IF_MATCH,
                                                "If-Match")
               != NGX_OK
               || ngx_http_artifact_write_preconds(r, job,
                                                   ART_IF_NONE_MATCH,
                                                   "If-None-Match")
                  != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (r->headers_in.if_unmodified_since) {
        job->unmodified_since = ngx_parse_http_time(
                               r->headers_in.if_unmodified_since->value.data,
                               r->headers_in.if_unmodified_since->value.len);
    }

    return ngx_http_artifact_write_values(r, write);
}


static ngx_int_t
ngx_http_artifact_write_target(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write, art_error_t *error)
{
    art_ref_t  *ref;
    ngx_int_t   rc;

    rc = ngx_http_artifact_check(r, write->ctx, error);

    if (rc != NGX_OK) {

        if (*error == ART_ERR_INVALID_ID
            && write->ctx->given.len > ART_ID_PATH_MAX)
        {
            *error = ART_ERR_NAME;
        }

        return rc;
    }

    ref = &write->ctx->ref;

    if (ngx_http_artifact_is_control(ref)) {
        *error = write->job.remove ? ART_ERR_NOT_BOUND : ART_ERR_NAME;
        return NGX_DECLINED;
    }

    if (ref->folder || ref->path.len == 0) {
        *error = ART_ERR_CONFLICT;
        return NGX_DECLINED;
    }

    if (!art_ref_name_path(ref->path)) {
        *error = write->job.remove ? ART_ERR_NOT_FOUND : ART_ERR_NAME;
        return NGX_DECLINED;
    }

    write->job.workspace = ref->workspace;
    write->job.path = ref->path;

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_write_name(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write, art_error_t *error)
{
    u_char     *buf;
    ngx_str_t   value;

    if (ngx_http_arg(r, (u_char *) "name", 4, &value) != NGX_OK) {
        return NGX_OK;
    }

    buf = ngx_pnalloc(r->pool, value.len + 1);
    if (buf == NULL) {
        return NGX_ERROR;
    }

    if (art_ref_name_artifact(ngx_artifact_str(&value), buf,
                              &write->job.path)
        != ART_OK)
    {
        *error = ART_ERR_NAME;
        return NGX_DECLINED;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_write_values(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write)
{
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = write->ctx->conf;

    if (ngx_http_artifact_write_value(r, alcf->agent, &write->job.agent)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_artifact_write_value(r, alcf->message_id,
                                         &write->job.message);
}


/* A longer id is cut, between characters: a reader would take it for none. */

static ngx_int_t
ngx_http_artifact_write_value(ngx_http_request_t *r,
    ngx_http_complex_value_t *cv, art_str_t *value)
{
    ngx_str_t  text;

    if (ngx_http_complex_value(r, cv, &text) != NGX_OK) {
        return NGX_ERROR;
    }

    *value = art_str(text.data, art_utf8_cut(text.data, text.len,
                                             ART_META_ID_MAX));

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_write_preconds(ngx_http_request_t *r,
    ngx_artifact_write_job_t *job, art_precondition_t kind, const char *name)
{
    size_t            len;
    ngx_uint_t        i, n;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *header;

    n = 0;
    len = ngx_strlen(name);

    for (part = &r->headers_in.headers.part; part; part = part->next) {
        n += part->nelts;
    }

    job->preconds[kind] = ngx_palloc(r->pool, n * sizeof(art_str_t));
    if (job->preconds[kind] == NULL) {
        return NGX_ERROR;
    }

    for (part = &r->headers_in.headers.part; part; part = part->next) {

        header = part->elts;

        for (i = 0; i < part->nelts; i++) {

            if (header[i].key.len == len
                && ngx_strncasecmp(header[i].key.data, (u_char *) name, len)
                   == 0)
            {
                job->preconds[kind][job->npreconds[kind]++] =
                                     ngx_artifact_str(&header[i].value);
            }
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_write_remove(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write)
{
    ngx_int_t  rc;

    rc = ngx_http_discard_request_body(r);

    if (rc != NGX_OK) {
        return rc;
    }

    r->write_event_handler = ngx_http_artifact_write_removed;

    if (ngx_http_artifact_request_task(r, &write->task,
                                       ngx_artifact_write_remove,
                                       &write->job)
        == NGX_AGAIN)
    {
        r->main->count++;
        return NGX_DONE;
    }

    return ngx_http_artifact_write_answer(r, write);
}


static void
ngx_http_artifact_write_removed(ngx_http_request_t *r)
{
    ngx_http_artifact_ctx_t  *ctx;

    if (r->aio) {
        return;
    }

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    r->write_event_handler = ngx_http_request_empty_handler;

    ngx_http_finalize_request(r, ngx_http_artifact_write_answer(r,
                                                                ctx->write));
}
