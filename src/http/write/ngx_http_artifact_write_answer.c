
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The answers to writes.
 */


#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_work.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/write/ngx_http_artifact_write.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/write/ngx_artifact_write.h"
#include "store/upkeep/ngx_artifact_upkeep.h"
#include "core/json/art_json_put.h"
#include "core/media/art_media.h"
#include "core/meta/art_meta.h"


static void ngx_http_artifact_write_log(ngx_http_request_t *r,
    ngx_artifact_write_job_t *job);
static void ngx_http_artifact_write_upkeep(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);
static void ngx_http_artifact_print_written(art_out_t *out,
    ngx_http_artifact_write_t *write, ngx_str_t *etag);
static art_str_t ngx_http_artifact_written_sidecar(ngx_http_request_t *r,
    ngx_artifact_write_job_t *job);
static ngx_int_t ngx_http_artifact_print_created(ngx_http_request_t *r,
    ngx_artifact_write_job_t *job, art_out_t *out, ngx_str_t *etag);
static ngx_int_t ngx_http_artifact_write_location(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);


ngx_int_t
ngx_http_artifact_write_answer(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write)
{
    ngx_str_t                  etag;
    art_out_t                  out;
    ngx_artifact_write_job_t  *job;

    /* RFC 9110, section 15.5.16 */

    static ngx_str_t  identity = ngx_string("identity");

    job = &write->job;

    /* the job has checked preconditions; nginx's filter must not */

    r->disable_not_modified = 1;

    ngx_http_artifact_write_ended(r, write);

    if (ngx_http_artifact_write_etag(r, write, &etag) != NGX_OK
        || (etag.len > 0
            && ngx_http_artifact_add_header(r, "ETag", &etag) != NGX_OK))
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (job->error == ART_ERR_MEDIA_TYPE
        && ngx_http_artifact_add_header(r, "Accept-Encoding", &identity)
           != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (job->error != ART_ERR_MAX) {
        return ngx_http_artifact_send_error(r, write->ctx, job->error);
    }

    if (ngx_http_artifact_write_print(r, write, NULL, &out) != NGX_OK
        || (job->artifact
            && ngx_http_artifact_write_location(r, write) != NGX_OK))
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return ngx_http_artifact_send_json(r, write->ctx,
                                       job->created ? NGX_HTTP_CREATED
                                                    : NGX_HTTP_OK, &out);
}


void
ngx_http_artifact_write_ended(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write)
{
    ngx_http_artifact_write_log(r, &write->job);
    ngx_http_artifact_write_upkeep(r, write);
}


static void
ngx_http_artifact_write_log(ngx_http_request_t *r,
    ngx_artifact_write_job_t *job)
{
    ngx_uint_t  level;

    if (job->meta_failed) {
        ngx_log_error(NGX_LOG_WARN, r->connection->log, job->meta_err,
                      "artifact%s was written, but not its metadata",
                      ngx_http_artifact_job_path(r, job));
    }

    if (job->error == ART_ERR_MAX) {
        ngx_log_debug3(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                       "http artifact %s:%s, %O bytes",
                       job->remove ? "removed"
                       : job->created ? "created" : "replaced",
                       ngx_http_artifact_job_path(r, job), job->size);
        return;
    }

    switch (job->error) {

    case ART_ERR_WRITE:
    case ART_ERR_FULL:
    case ART_ERR_STORAGE:

        /* a missing root is not a failure of the disk */

        level = (job->err == NGX_ENOENT) ? NGX_LOG_ERR : NGX_LOG_CRIT;
        break;

    case ART_ERR_PERMISSION:
        level = NGX_LOG_ERR;
        break;

    case ART_ERR_TRAVERSAL:
        level = NGX_LOG_WARN;
        break;

    case ART_ERR_BODY:
        level = NGX_LOG_ERR;
        break;

    default:
        level = NGX_LOG_INFO;
    }

    ngx_log_error(level, r->connection->log, job->err,
                  "artifact%s is not written%s%s",
                  ngx_http_artifact_job_path(r, job),
                  job->action ? ": " : "", job->action ? job->action : "");
}


ngx_int_t
ngx_http_artifact_write_etag(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write, ngx_str_t *etag)
{
    ngx_artifact_write_job_t  *job;
    ngx_http_core_loc_conf_t  *clcf;

    job = &write->job;
    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    ngx_str_null(etag);

    if (!clcf->etag
        || (job->error != ART_ERR_MAX && job->error != ART_ERR_PRECONDITION)
        || (job->error == ART_ERR_MAX ? job->remove : !job->exists))
    {
        return NGX_OK;
    }

    etag->data = ngx_pnalloc(r->pool, NGX_ARTIFACT_ETAG_LEN);
    if (etag->data == NULL) {
        return NGX_ERROR;
    }

    etag->len = ngx_artifact_etag(etag->data, &job->info);

    return NGX_OK;
}


static void
ngx_http_artifact_write_upkeep(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write)
{
    void                      *pool;
    ngx_artifact_write_job_t  *job;

    job = &write->job;

    if (!job->published) {
        return;
    }

    if (!job->artifact) {
        (void) ngx_atomic_fetch_add(ngx_http_artifact_generation(r,
                                                        write->ctx->ref.id),
                                    1);
    }

    pool = ngx_http_artifact_task_pool(r);

    if (job->journal) {
        ngx_artifact_fold_schedule(job->root, job->workspace, pool,
                                job->journal);
    }

    (void) ngx_artifact_sweep(job->root, pool);

    if (job->expires) {
        ngx_artifact_expire(job->root, pool, 0);
    }
}


ngx_int_t
ngx_http_artifact_write_print(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write, ngx_str_t *etag, art_out_t *out)
{
    ngx_memzero(out, sizeof(art_out_t));

    if (write->job.artifact) {
        return ngx_http_artifact_print_created(r, &write->job, out, etag);
    }

    do {
        ngx_http_artifact_print_written(out, write, etag);
    } while (ngx_http_artifact_print_again(r->pool, out));

    return out->data ? NGX_OK : NGX_ERROR;
}


static void
ngx_http_artifact_print_written(art_out_t *out,
    ngx_http_artifact_write_t *write, ngx_str_t *etag)
{
    art_json_put_t  put;

    art_json_put_init(&put, out, 0);

    art_json_put_object(&put, NULL);
    art_json_put_bool(&put, "ok", 1);
    art_json_put_string(&put, "artifactId", write->ctx->ref.id);
    art_json_put_string(&put, "path", write->job.path);

    if (etag && etag->len > 0) {
        art_json_put_string(&put, "etag", ngx_artifact_str(etag));
    }

    if (write->job.meta_failed) {
        art_json_put_string(&put, "metadata", art_cstr("failed"));
    }

    art_json_put_end(&put);
}


/* That of a new artifact, or of one that was there; data NULL: no memory. */

static art_str_t
ngx_http_artifact_written_sidecar(ngx_http_request_t *r,
    ngx_artifact_write_job_t *job)
{
    art_out_t  out;

    if (job->same) {
        return job->sidecar;
    }

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        ngx_artifact_print_sidecar(job, &out);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    return art_str(out.data, out.len);
}


/* Prints the same metadata as ".../metadata". */

static ngx_int_t
ngx_http_artifact_print_created(ngx_http_request_t *r,
    ngx_artifact_write_job_t *job, art_out_t *out, ngx_str_t *etag)
{
    ngx_str_t          name;
    art_str_t          sidecar;
    art_meta_t         meta;
    art_json_put_t     put;
    art_media_type_t   type;
    art_meta_known_t   known;

    sidecar = ngx_http_artifact_written_sidecar(r, job);

    art_media_parse(job->mime, &type);

    ngx_memzero(&known, sizeof(art_meta_known_t));

    known.id = art_cstr(job->id);
    known.name = job->path;
    known.mime = type.len ? art_str(type.buf, type.len)
                          : art_cstr("application/octet-stream");
    known.size = (uint64_t) job->size;

    if (known.name.len == 0) {

        if (ngx_http_artifact_concat(r->pool, &name, known.id,
                                     art_str(job->extension,
                                             job->extension_len))
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        known.name = ngx_artifact_str(&name);
    }

    if (sidecar.data == NULL || art_meta_parse(sidecar, &meta) != ART_META_OK)
    {
        return NGX_ERROR;
    }

    do {
        art_json_put_init(&put, out, 0);

        art_json_put_object(&put, NULL);
        art_json_put_prefixed(&put, "artifactRef", "artifact:", known.id);
        art_json_put_key(&put, "metadata");
        art_meta_print(out, &meta, &known);

        if (etag && etag->len > 0) {
            art_json_put_string(&put, "etag", ngx_artifact_str(etag));
        }

        art_json_put_end(&put);
    } while (ngx_http_artifact_print_again(r->pool, out));

    art_meta_free(&meta);

    return out->data ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_http_artifact_write_location(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write)
{
    u_char     *p;
    ngx_str_t   value, prefix;

    prefix = write->ctx->conf->prefix;

    value.len = prefix.len + 1 + NGX_ARTIFACT_TEMP_ID
                + 2 * ngx_escape_uri(NULL, prefix.data, prefix.len,
                                     NGX_ESCAPE_URI);
    value.data = ngx_pnalloc(r->pool, value.len);

    if (value.data == NULL) {
        return NGX_ERROR;
    }

    p = (u_char *) ngx_escape_uri(value.data, prefix.data, prefix.len,
                                  NGX_ESCAPE_URI);

    if (prefix.len == 0 || prefix.data[prefix.len - 1] != '/') {
        *p++ = '/';
    }

    p = ngx_cpymem(p, write->job.id, NGX_ARTIFACT_TEMP_ID);
    value.len = (size_t) (p - value.data);

    return ngx_http_artifact_add_header(r, "Location", &value);
}


void
ngx_http_artifact_write_count(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_uint_t status)
{
    unsigned                       at[2];
    ngx_http_artifact_write_t     *write;
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);
    write = ngx_http_get_module_ctx(r, ngx_http_artifact_write_module);

    if (!alcf->writes || (write && write->ask)) {
        return;
    }

    switch (r->method) {

    case NGX_HTTP_PUT:
        at[0] = ART_COUNT_PUT;
        break;

    case NGX_HTTP_DELETE:
        at[0] = ART_COUNT_DELETE;
        break;

    case NGX_HTTP_POST:
        at[0] = ART_COUNT_POST;
        break;

    default:
        return;
    }

    if (write && status >= NGX_HTTP_OK && status < NGX_HTTP_SPECIAL_RESPONSE)
    {
        at[1] = write->job.created ? ART_COUNT_CREATED : ART_COUNT_CHANGED;

        if (write->job.meta_failed) {
            at[1] = ART_COUNT_INCOMPLETE;
        }

        ngx_http_artifact_count(ART_COUNT_WRITTEN, NULL,
                                (uint64_t) write->job.size);

    } else {
        at[1] = status < NGX_HTTP_INTERNAL_SERVER_ERROR ? ART_COUNT_REFUSED
                                                        : ART_COUNT_FAILED;
    }

    ngx_http_artifact_count(ART_COUNT_WRITES, at, 1);
}
