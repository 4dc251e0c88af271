
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A value on its way to the store, as a body of a POST is: piece by piece into
 * a file, in threads where there are any, and published with the last one.
 */


#include "http/base/ngx_http_artifact_context.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_work.h"
#include "http/source/ngx_http_artifact_classify.h"
#include "http/offload/ngx_http_artifact_offload.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/upkeep/ngx_artifact_sweep.h"
#include "store/write/ngx_artifact_write.h"
#include "core/json/art_json_escape.h"
#include "core/media/art_classify.h"
#include "core/meta/art_meta.h"
#include "core/ref/art_ref_file.h"
#include "core/text/art_utf8.h"


static ngx_int_t ngx_http_artifact_offload_begin(
    ngx_http_artifact_offload_t *ctx);
static ngx_int_t ngx_http_artifact_offload_value(
    ngx_http_artifact_offload_t *ctx, ngx_http_complex_value_t *cv,
    art_str_t *value);
static void ngx_http_artifact_offload_look(ngx_http_artifact_offload_t *ctx);
static ngx_int_t ngx_http_artifact_offload_type(
    ngx_http_artifact_offload_t *ctx);
static ngx_int_t ngx_http_artifact_offload_string(ngx_pool_t *pool,
    art_str_t text, art_str_t *json);


int
ngx_http_artifact_offload_content(void *data, const uint8_t *p, size_t len)
{
    ngx_http_artifact_offload_t *ctx = data;

    if (ctx->content == NULL) {
        ctx->content = ngx_create_temp_buf(ctx->request->pool,
                                           NGX_HTTP_ARTIFACT_OFFLOAD_CONTENT);
    }

    /* a slice is never more than there is room for */

    if (ctx->content == NULL
        || len > (size_t) (ctx->content->end - ctx->content->last))
    {
        return ART_ERROR;
    }

    ctx->content->last = ngx_cpymem(ctx->content->last, p, len);
    ctx->size += (off_t) len;

    return ART_OK;
}


ngx_int_t
ngx_http_artifact_offload_store(ngx_http_artifact_offload_t *ctx,
    ngx_artifact_done_pt done)
{
    ngx_artifact_write_job_t  *job;

    job = &ctx->job;

    if (!ctx->begun && ngx_http_artifact_offload_begin(ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    if (job->error != ART_ERR_MAX) {
        return NGX_OK;
    }

    ngx_http_artifact_offload_look(ctx);

    if (ctx->over && ngx_http_artifact_offload_type(ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    ctx->content_chain.buf = ctx->content;
    ctx->content_chain.next = NULL;

    job->in = &ctx->content_chain;
    job->last = ctx->over;
    job->length = ctx->size;

    ctx->task.run = ngx_artifact_write_step;
    ctx->task.done = done;
    ctx->task.data = job;
    ctx->task.owner = ctx;

    if (ngx_artifact_task_post(&ctx->task,
                               ngx_http_artifact_task_pool(ctx->request))
        == NGX_OK)
    {
        ctx->running = 1;
        ctx->request->main->blocked++;

        return NGX_AGAIN;
    }

    ngx_artifact_write_step(job, ctx->request->connection->log);
    ctx->content->last = ctx->content->pos;

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_offload_begin(ngx_http_artifact_offload_t *ctx)
{
    ngx_int_t                  rc;
    ngx_http_request_t        *r;
    ngx_http_artifact_ctx_t   *module;
    ngx_artifact_write_job_t  *job;

    r = ctx->request;
    job = &ctx->job;

    ngx_memzero(job, sizeof(ngx_artifact_write_job_t));
    ngx_artifact_write_init(job);

    ctx->begun = 1;
    job->sync = ctx->conf->sync & 1;

    module = ngx_http_artifact_get_ctx(r);
    if (module == NULL) {
        return NGX_ERROR;
    }

    if (ctx->root.len == 0) {
        rc = ngx_http_artifact_root(r, module, &ctx->root);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (rc == NGX_DECLINED) {
            ngx_str_null(&ctx->root);
            (void) ngx_artifact_write_fail(job, ART_ERR_MAX,
                                           "no artifact_root");
            return NGX_OK;
        }
    }

    job->layout = ngx_http_artifact_layout(ctx->conf);
    job->root = ngx_artifact_str(&ctx->root);
    ngx_artifact_uuid(job->id);

    if (ngx_http_artifact_offload_value(ctx, ctx->conf->agent, &job->agent)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_artifact_offload_value(ctx, ctx->conf->message_id,
                                           &job->message);
}


static ngx_int_t
ngx_http_artifact_offload_value(ngx_http_artifact_offload_t *ctx,
    ngx_http_complex_value_t *cv, art_str_t *value)
{
    ngx_str_t  text;

    if (ngx_http_complex_value(ctx->request, cv, &text) != NGX_OK) {
        return NGX_ERROR;
    }

    *value = art_str(text.data, art_utf8_cut(text.data, text.len,
                                             ART_META_ID_MAX));

    return NGX_OK;
}


/* The first bytes tell what the content is. */

static void
ngx_http_artifact_offload_look(ngx_http_artifact_offload_t *ctx)
{
    size_t        len;
    ngx_buf_t    *b;
    art_claims_t  claims;

    if (ctx->sniffed) {
        return;
    }

    ctx->sniffed = 1;

    b = ctx->content;
    len = (size_t) (b->last - b->pos);

    art_sniff(b->pos, len, ctx->over, &ctx->evidence);

    ngx_memzero(&claims, sizeof(art_claims_t));
    claims.declared[0] = art_str(ctx->off->declared, ctx->off->declared_len);

    if (art_classify_wants_magic(&claims, &ctx->evidence)) {
        ngx_http_artifact_ask_magic(ctx->request, b->pos,
                                    ngx_min(len, ART_SNIFF_MAX),
                                    &ctx->evidence);
    }
}


/* The type of the content, and with it the extension of the file. */

static ngx_int_t
ngx_http_artifact_offload_type(ngx_http_artifact_offload_t *ctx)
{
    u_char                    *p;
    art_str_t                  mime;
    art_claims_t               claims;
    art_verdict_t              verdict;
    ngx_artifact_write_job_t  *job;

    job = &ctx->job;

    ngx_memzero(&claims, sizeof(art_claims_t));
    claims.declared[0] = art_str(ctx->off->declared, ctx->off->declared_len);

    (void) art_classify(&claims, &ctx->evidence, &verdict);

    /* as it was declared, with its parameters, unless it is something else */

    mime = verdict.from == ART_FROM_METADATA
           && art_meta_type_valid(claims.declared[0])
           ? claims.declared[0] : art_str(verdict.type.buf, verdict.type.len);

    p = ngx_pnalloc(ctx->request->pool, mime.len);
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
ngx_http_artifact_offload_abandon(ngx_http_artifact_offload_t *ctx)
{
    if (ctx->begun) {
        ngx_artifact_write_close(&ctx->job);
    }

    if (ctx->content) {
        ctx->content->last = ctx->content->pos;
    }

    ctx->begun = 0;
    ctx->sniffed = 0;
    ctx->over = 0;
    ctx->size = 0;
}


ngx_int_t
ngx_http_artifact_offload_stored(ngx_http_artifact_offload_t *ctx,
    art_offload_made_t *made)
{
    art_str_t                  id, prefix;
    ngx_str_t                  url, name;
    ngx_pool_t                *pool;
    ngx_artifact_write_job_t  *job;

    job = &ctx->job;
    pool = ctx->request->pool;
    id = art_cstr(job->id);

    ngx_artifact_sweep(job->root, ngx_http_artifact_task_pool(ctx->request));

    ngx_str_null(&url);

    if (ctx->conf->url
        && ngx_http_complex_value(ctx->request, ctx->conf->url, &url)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    prefix = url.len ? ngx_artifact_str(&url) : art_cstr("artifact:");

    ngx_memzero(made, sizeof(art_offload_made_t));
    made->size = (uint64_t) job->size;

    if (ngx_http_artifact_concat(pool, &name, prefix, id) != NGX_OK
        || ngx_http_artifact_offload_string(pool, ngx_artifact_str(&name),
                                            &made->uri)
           != NGX_OK
        || ngx_http_artifact_concat(pool, &name, id,
                                    art_str(job->extension,
                                            job->extension_len))
           != NGX_OK
        || ngx_http_artifact_offload_string(pool, ngx_artifact_str(&name),
                                            &made->name)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (art_str_eq(job->mime, art_cstr("application/octet-stream"))) {
        return NGX_OK;
    }

    return ngx_http_artifact_offload_string(pool, job->mime, &made->mime);
}


/* A string of JSON, with its quotes. */

static ngx_int_t
ngx_http_artifact_offload_string(ngx_pool_t *pool, art_str_t text,
    art_str_t *json)
{
    art_out_t  out;

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_out_char(&out, '"');
        art_json_string(&out, text, 1);
        art_out_char(&out, '"');
    } while (ngx_http_artifact_print_again(pool, &out));

    *json = art_str(out.data, out.len);

    return out.data ? NGX_OK : NGX_ERROR;
}
