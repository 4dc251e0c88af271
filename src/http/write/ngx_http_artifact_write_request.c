
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Writes, on the side of the request: what its header says about the target and
 * the body; and the removal of files, which needs no body.
 */


#include "http/base/ngx_http_artifact_root.h"
#include "http/base/ngx_http_artifact_task.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/write/ngx_http_artifact_write.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/write/ngx_artifact_write_workspace.h"
#include "core/text/art_utf8.h"
#include "core/ref/art_id.h"
#include "core/ref/art_ref_file.h"
#include "core/meta/art_meta.h"


static ngx_http_artifact_write_t *ngx_http_artifact_write_create(
    ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_write_check(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);
static ngx_int_t ngx_http_artifact_write_target(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);
static ngx_int_t ngx_http_artifact_write_name(ngx_http_request_t *r,
    ngx_artifact_write_job_t *job);
static ngx_int_t ngx_http_artifact_write_body(ngx_http_request_t *r,
    ngx_artifact_write_job_t *job);
static ngx_uint_t ngx_http_artifact_is_coded(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_write_values(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);
static ngx_int_t ngx_http_artifact_write_value(ngx_http_request_t *r,
    ngx_http_complex_value_t *cv, art_str_t *value);
static ngx_int_t ngx_http_artifact_write_preconds(ngx_http_request_t *r,
    ngx_artifact_write_job_t *job);
static ngx_int_t ngx_http_artifact_write_run(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write, ngx_artifact_run_pt run,
    ngx_http_artifact_write_pt next);
static void ngx_http_artifact_write_ran(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_write_checked(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);


ngx_int_t
ngx_http_artifact_write_handler(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_int_t                   rc;
    ngx_artifact_write_job_t   *job;
    ngx_http_artifact_write_t  *write;

    write = ngx_http_artifact_write_create(r, ctx);
    if (write == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    job = &write->job;

    rc = ngx_http_artifact_write_check(r, write);

    if (job->error != ART_ERR_MAX) {
        return ngx_http_artifact_write_answer(r, write);
    }

    if (rc != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (job->remove) {
        return ngx_http_artifact_write_run(r, write, ngx_artifact_write_remove,
                                           ngx_http_artifact_write_answer);
    }

    /* refuse what can be refused before the body is read */

    return job->workspace.len
           ? ngx_http_artifact_write_run(r, write, ngx_artifact_write_check,
                                         ngx_http_artifact_write_checked)
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


/*
 * Checks everything that the request's header tells.  NGX_ERROR with job->error
 * set, or when out of memory.
 */

static ngx_int_t
ngx_http_artifact_write_check(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write)
{
    ngx_int_t                  rc;
    ngx_str_t                  root;
    ngx_artifact_write_job_t  *job;

    job = &write->job;

    rc = r->method == NGX_HTTP_POST
         ? ngx_http_artifact_write_name(r, job)
         : ngx_http_artifact_write_target(r, write);

    if (rc == NGX_OK && !job->remove) {
        rc = ngx_http_artifact_write_body(r, job);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    rc = ngx_http_artifact_root(r, write->ctx, &root);

    if (rc == NGX_DECLINED) {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "no artifact_root");
    }

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    job->layout = ngx_http_artifact_layout(write->ctx->conf);
    job->root = ngx_artifact_str(&root);

    if (r->method == NGX_HTTP_POST) {
        job->extension_len = art_ref_name_extension(job->path, job->mime,
                                                    job->extension).len;
        ngx_artifact_uuid(job->id);

    } else if (ngx_http_artifact_write_preconds(r, job) != NGX_OK) {
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
        return ngx_artifact_write_fail(job, ART_ERR_CONFLICT, NULL);
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


static ngx_int_t
ngx_http_artifact_write_name(ngx_http_request_t *r,
    ngx_artifact_write_job_t *job)
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

    if (art_ref_name_artifact(ngx_artifact_str(&value), buf, &job->path)
        != ART_OK)
    {
        return ngx_artifact_write_fail(job, ART_ERR_NAME, NULL);
    }

    return NGX_OK;
}


/* Checks what the header says about the body, and whether there is one. */

static ngx_int_t
ngx_http_artifact_write_body(ngx_http_request_t *r,
    ngx_artifact_write_job_t *job)
{
    if (r->headers_in.content_range) {
        return ngx_artifact_write_fail(job, ART_ERR_PIECE, NULL);
    }

    if (ngx_http_artifact_is_coded(r)) {
        return ngx_artifact_write_fail(job, ART_ERR_MEDIA_TYPE, NULL);
    }

    if (r->headers_in.content_type) {
        job->mime = ngx_artifact_str(&r->headers_in.content_type->value);
    }

    if (!art_meta_type_valid(job->mime)) {
        return ngx_artifact_write_fail(job, ART_ERR_MIME, NULL);
    }

    /* without a body, do not replace a file by an empty one */

    if (r->headers_in.content_length_n < 0 && !r->headers_in.chunked)
    {
        return ngx_artifact_write_fail(job, ART_ERR_LENGTH, NULL);
    }

    return NGX_OK;
}


/* A coding would not be recorded: the content would be served still coded. */

static ngx_uint_t
ngx_http_artifact_is_coded(ngx_http_request_t *r)
{
    ngx_table_elt_t  *header;

    header = ngx_http_artifact_find_header(&r->headers_in.headers,
                                           "Content-Encoding");

    return header && header->value.len
           && (header->value.len != sizeof("identity") - 1
               || ngx_strncasecmp(header->value.data, (u_char *) "identity",
                                  sizeof("identity") - 1)
                  != 0);
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


/* An id that is too long is cut between characters: readers would ignore it. */

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
    ngx_artifact_write_job_t *job)
{
    size_t            n;
    ngx_uint_t        i, kind;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *header;

    /* indexed by art_precondition_t */

    static const char *const  names[2] = { "If-Match", "If-None-Match" };

    n = 0;

    for (part = &r->headers_in.headers.part; part; part = part->next) {
        n += part->nelts;
    }

    job->preconds[0] = ngx_palloc(r->pool, 2 * n * sizeof(art_str_t));
    if (job->preconds[0] == NULL) {
        return NGX_ERROR;
    }

    job->preconds[1] = job->preconds[0] + n;

    for (part = &r->headers_in.headers.part; part; part = part->next) {

        header = part->elts;

        for (i = 0; i < part->nelts; i++) {

            for (kind = 0; kind < 2; kind++) {

                if (ngx_http_artifact_header_is(&header[i], names[kind])) {
                    job->preconds[kind][job->npreconds[kind]++] =
                                          ngx_artifact_str(&header[i].value);
                }
            }
        }
    }

    return NGX_OK;
}


/* Runs a job without a body; "next" returns what the content handler has to. */

static ngx_int_t
ngx_http_artifact_write_run(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write, ngx_artifact_run_pt run,
    ngx_http_artifact_write_pt next)
{
    write->next = next;
    r->write_event_handler = ngx_http_artifact_write_ran;

    if (ngx_http_artifact_request_task(r, &write->task, run, &write->job)
        == NGX_AGAIN)
    {
        r->main->count++;
        return NGX_DONE;
    }

    r->write_event_handler = ngx_http_request_empty_handler;

    return next(r, write);
}


static void
ngx_http_artifact_write_ran(ngx_http_request_t *r)
{
    ngx_http_artifact_ctx_t    *ctx;
    ngx_http_artifact_write_t  *write;

    if (r->aio) {
        return;
    }

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);
    write = ctx->write;

    r->write_event_handler = ngx_http_request_empty_handler;

    ngx_http_finalize_request(r, write->next(r, write));
}


static ngx_int_t
ngx_http_artifact_write_checked(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write)
{
    return write->job.error != ART_ERR_MAX
           ? ngx_http_artifact_write_answer(r, write)
           : ngx_http_artifact_upload(r, write);
}
