
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A value of an answer is written to the store as the body of a POST is: piece
 * by piece into a file, in threads if there are any, and published with the
 * last piece.
 */


#include "http/base/ngx_http_artifact_context.h"
#include "http/sign/ngx_http_artifact_url.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/response/ngx_http_artifact_offload_state.h"
#include "http/write/ngx_http_artifact_write.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/upkeep/ngx_artifact_upkeep.h"
#include "core/ref/art_ref_file.h"


#define NGX_HTTP_ARTIFACT_OFFLOAD_POOL  1024


static void ngx_http_artifact_offload_done(void *owner);
static ngx_int_t ngx_http_artifact_offload_begin(
    ngx_http_artifact_offload_t *ctx);
static ngx_int_t ngx_http_artifact_offload_values(
    ngx_http_artifact_offload_t *ctx);


ngx_int_t
ngx_http_artifact_offload_write(ngx_http_artifact_offload_t *ctx)
{
    ngx_uint_t                 last;
    ngx_artifact_write_job_t  *job;

    job = &ctx->job;
    last = (ctx->state == NGX_HTTP_ARTIFACT_OFFLOAD_PUBLISH);

    if (!ctx->begun && ngx_http_artifact_offload_begin(ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    ctx->state = NGX_HTTP_ARTIFACT_OFFLOAD_WRITTEN;

    if (job->error != ART_ERR_MAX) {
        return NGX_OK;
    }

    if (last && ctx->values->type(ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    ctx->content_chain.buf = ctx->content;

    job->in = &ctx->content_chain;
    job->last = last & 1;
    job->length = ctx->size;

    ctx->task.run = ngx_artifact_write_step;
    ctx->task.done = ngx_http_artifact_offload_done;
    ctx->task.data = job;
    ctx->task.owner = ctx;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ctx->request->connection->log, 0,
                   "http artifact offload: %O bytes written, last:%ui",
                   ctx->size, last);

    if (ngx_http_artifact_attend(ctx->request) != NGX_OK) {
        return NGX_ERROR;
    }

    if (ngx_artifact_task_post(&ctx->task,
                               ngx_http_artifact_task_pool(ctx->request))
        == NGX_OK)
    {
        ctx->state = NGX_HTTP_ARTIFACT_OFFLOAD_RUNNING;
        ctx->request->main->blocked++;

        return NGX_OK;
    }

    ngx_artifact_write_step(job, ctx->request->connection->log);

    return NGX_OK;
}


static void
ngx_http_artifact_offload_done(void *owner)
{
    ngx_http_artifact_offload_t *ctx = owner;

    ngx_connection_t    *c;
    ngx_http_request_t  *r;

    r = ctx->request;
    c = r->connection;

    ngx_http_set_log_request(c->log, r);

    ctx->state = NGX_HTTP_ARTIFACT_OFFLOAD_WRITTEN;
    r->main->blocked--;

    if (c->error) {

        /*
         * if a subrequest has ended the request meanwhile, nginx leaves the
         * rest to that one, which nobody calls any more
         */

        ngx_http_finalize_request(r, NGX_ERROR);

    } else {
        ctx->turn.resume(r);

        r->write_event_handler(r);
    }

    ngx_http_run_posted_requests(c);
}


static ngx_int_t
ngx_http_artifact_offload_begin(ngx_http_artifact_offload_t *ctx)
{
    ngx_int_t                        rc;
    ngx_artifact_write_job_t        *job;
    ngx_http_artifact_write_conf_t  *conf;

    job = &ctx->job;
    conf = ngx_http_artifact_conf_of(ctx->conf, ngx_http_artifact_write_module);

    ngx_memzero(job, sizeof(ngx_artifact_write_job_t));
    ngx_artifact_write_init(job);

    ctx->begun = 1;
    job->sync = conf->sync & 1;
    job->lifetime = (uint64_t) conf->expires * 1000;
    job->artifact = 1;
    job->by_content = 1;

    if (ctx->pool == NULL) {
        rc = ngx_http_artifact_offload_values(ctx);

        if (rc != NGX_OK) {
            return rc == NGX_DECLINED ? NGX_OK : NGX_ERROR;
        }

    } else {
        ngx_reset_pool(ctx->pool);
    }

    job->layout = ngx_http_artifact_layout(ctx->conf);
    job->root = ngx_artifact_str(&ctx->root);
    job->agent = ctx->agent;
    job->message = ctx->message;
    ngx_artifact_uuid(job->id);

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, ctx->request->connection->log, 0,
                   "http artifact offload: a value begins, id \"%s\"",
                   job->id);

    if (ctx->values->begin) {
        ctx->values->begin(ctx);
    }

    return NGX_OK;
}


/*
 * The values of directives, and memory for what belongs to a value of the
 * answer: a stream may have any number of them.  NGX_DECLINED without a root.
 */

static ngx_int_t
ngx_http_artifact_offload_values(ngx_http_artifact_offload_t *ctx)
{
    ngx_int_t                        rc;
    ngx_http_request_t              *r;
    ngx_http_artifact_ctx_t         *module;
    ngx_http_artifact_write_conf_t  *conf;

    r = ctx->request;
    conf = ngx_http_artifact_conf_of(ctx->conf, ngx_http_artifact_write_module);

    module = ngx_http_artifact_get_ctx(r);
    if (module == NULL) {
        return NGX_ERROR;
    }

    rc = ngx_http_artifact_root(r, module, &ctx->root);

    if (rc == NGX_DECLINED) {
        (void) ngx_artifact_write_fail(&ctx->job, ART_ERR_MAX,
                                       "no artifact_root");
    }

    if (rc != NGX_OK) {
        return rc == NGX_DECLINED ? NGX_DECLINED : NGX_ERROR;
    }

    if (ngx_http_artifact_id_value(r, conf->agent, &ctx->agent) != NGX_OK
        || ngx_http_artifact_id_value(r, conf->message_id, &ctx->message)
           != NGX_OK
        || ngx_http_artifact_url(r, ctx->conf, &ctx->url) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ctx->pool = ngx_create_pool(NGX_HTTP_ARTIFACT_OFFLOAD_POOL,
                                r->connection->log);

    return ctx->pool ? NGX_OK : NGX_ERROR;
}


ngx_int_t
ngx_http_artifact_offload_set_type(ngx_http_artifact_offload_t *ctx,
    art_str_t mime)
{
    u_char                    *p;
    ngx_artifact_write_job_t  *job;

    job = &ctx->job;

    p = ngx_pnalloc(ctx->pool, mime.len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(p, mime.data, mime.len);

    job->mime = art_str(p, mime.len);
    job->extension_len = art_ref_name_extension(art_str(NULL, 0), job->mime,
                                                job->extension).len;
    return NGX_OK;
}


void
ngx_http_artifact_offload_stored(ngx_http_artifact_offload_t *ctx)
{
    ngx_artifact_write_job_t  *job;

    job = &ctx->job;

    /* it may have been deleted or expired, and known to be missing */

    if (job->published || job->extended) {
        (void) ngx_atomic_fetch_add(ngx_http_artifact_generation(ctx->request,
                                                      art_cstr(job->id)), 1);
    }

    (void) ngx_artifact_sweep(job->root,
                              ngx_http_artifact_task_pool(ctx->request));

    if (job->expires) {
        ngx_artifact_expire(job->root,
                            ngx_http_artifact_task_pool(ctx->request), 0);
    }
}


void
ngx_http_artifact_offload_close(ngx_http_artifact_offload_t *ctx)
{
    if (ctx->begun) {
        ngx_artifact_write_close(&ctx->job);
    }

    if (ctx->content) {
        ctx->content->last = ctx->content->pos;
    }

    ctx->begun = 0;
    ctx->size = 0;
}


void
ngx_http_artifact_offload_cleanup(void *data)
{
    ngx_http_artifact_offload_t *ctx = data;

    ngx_http_artifact_offload_close(ctx);

    if (ctx->pool) {
        ngx_destroy_pool(ctx->pool);
    }
}
