
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Values of a model's answer that are base64: what they are, and what goes in
 * their place.
 */


#include "http/base/ngx_http_artifact_context.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/source/ngx_http_artifact_classify.h"
#include "http/response/ngx_http_artifact_offload_state.h"
#include "core/json/art_json_escape.h"
#include "core/media/art_classify.h"
#include "core/media/art_media.h"
#include "core/meta/art_meta.h"
#include "core/render/art_describe.h"


#define NGX_HTTP_ARTIFACT_OFFLOAD_SLICE  8192

/* A marker, a media type and a size. */

#define NGX_HTTP_ARTIFACT_OFFLOAD_TEXT  (64 + ART_META_TYPE_MAX + 32)


static art_offload_status_t ngx_http_artifact_offload_media_feed(
    ngx_http_artifact_offload_t *ctx, const uint8_t *p, size_t len,
    size_t *n);
static art_offload_status_t ngx_http_artifact_offload_media_end(
    ngx_http_artifact_offload_t *ctx);
static void ngx_http_artifact_offload_media_refused(
    ngx_http_artifact_offload_t *ctx);
static int ngx_http_artifact_offload_media_left(
    ngx_http_artifact_offload_t *ctx);
static void ngx_http_artifact_offload_sniff(ngx_http_artifact_offload_t *ctx);
static ngx_int_t ngx_http_artifact_offload_type(
    ngx_http_artifact_offload_t *ctx);
static ngx_int_t ngx_http_artifact_offload_media_made(
    ngx_http_artifact_offload_t *ctx);
static ngx_int_t ngx_http_artifact_offload_made(
    ngx_http_artifact_offload_t *ctx, art_offload_made_t *made);
static ngx_int_t ngx_http_artifact_offload_marker(
    ngx_http_artifact_offload_t *ctx, art_offload_made_t *made);
static ngx_int_t ngx_http_artifact_offload_url(
    ngx_http_artifact_offload_t *ctx, art_str_t id, art_str_t *json);
static ngx_int_t ngx_http_artifact_offload_string(ngx_pool_t *pool,
    art_str_t a, art_str_t b, art_str_t *json);


static const ngx_http_artifact_offload_values_t
    ngx_http_artifact_offload_media =
{
    .name = "base64",
    .kind = ART_COUNT_OFFLOADED_MEDIA,
    .slice = NGX_HTTP_ARTIFACT_OFFLOAD_SLICE,
    .content = NGX_HTTP_ARTIFACT_OFFLOAD_SLICE,
    .feed = ngx_http_artifact_offload_media_feed,
    .end = ngx_http_artifact_offload_media_end,
    .refused = ngx_http_artifact_offload_media_refused,
    .left = ngx_http_artifact_offload_media_left,
    .begin = ngx_http_artifact_offload_sniff,
    .type = ngx_http_artifact_offload_type,
    .made = ngx_http_artifact_offload_media_made
};


ngx_int_t
ngx_http_artifact_offload_create(ngx_http_request_t *r,
    const art_api_t *api, ngx_uint_t events,
    ngx_http_artifact_resume_pt resume, ngx_http_artifact_stage_t *stage)
{
    unsigned                           flags;
    art_offload_t                     *off;
    art_offload_sink_t                 sink;
    ngx_http_artifact_offload_t       *ctx;
    ngx_http_artifact_answers_conf_t  *conf;

    conf = ngx_http_get_module_loc_conf(r, ngx_http_artifact_answers_module);

    off = ngx_palloc(r->pool, sizeof(art_offload_t));
    if (off == NULL) {
        return NGX_ERROR;
    }

    ctx = ngx_http_artifact_offload_stage(r, &ngx_http_artifact_offload_media,
                                          NGX_HTTP_ARTIFACT_OFFLOAD_SLICE
                                          + ART_OFFLOAD_HELD,
                                          resume, stage);
    if (ctx == NULL) {
        return NGX_ERROR;
    }

    ctx->data = off;
    ngx_http_artifact_offload_sinks(ctx, &sink);

    flags = (events ? ART_OFFLOAD_EVENTS : 0)
            | (conf->offload == NGX_HTTP_ARTIFACT_OFFLOAD_LINK
               ? ART_OFFLOAD_LINKS : 0);

    art_offload_init(off, api, flags, (uint64_t) ctx->conf->offload_min,
                     (unsigned) ctx->conf->refs_max, &sink);

    return NGX_OK;
}


static art_offload_status_t
ngx_http_artifact_offload_media_feed(ngx_http_artifact_offload_t *ctx,
    const uint8_t *p, size_t len, size_t *n)
{
    return art_offload_feed(ctx->data, p, len, n);
}


static art_offload_status_t
ngx_http_artifact_offload_media_end(ngx_http_artifact_offload_t *ctx)
{
    return art_offload_end(ctx->data);
}


static void
ngx_http_artifact_offload_media_refused(ngx_http_artifact_offload_t *ctx)
{
    if (art_offload_is_unsound(ctx->data)) {
        ngx_log_error(NGX_LOG_WARN, ctx->request->connection->log, 0,
                      "apparent base64 in the answer is not sound, "
                      "it is left as it is");
    }
}


static int
ngx_http_artifact_offload_media_left(ngx_http_artifact_offload_t *ctx)
{
    return art_offload_left(ctx->data);
}


/* Collects the evidence of the content's first bytes. */

static void
ngx_http_artifact_offload_sniff(ngx_http_artifact_offload_t *ctx)
{
    size_t          len;
    ngx_buf_t      *b;
    art_claims_t    claims;
    art_offload_t  *off;

    b = ctx->content;
    off = ctx->data;
    len = (size_t) (b->last - b->pos);

    art_sniff(b->pos, len,
              ctx->state == NGX_HTTP_ARTIFACT_OFFLOAD_PUBLISH, &ctx->evidence);

    ngx_memzero(&claims, sizeof(art_claims_t));
    claims.declared[0] = art_str(off->declared, off->declared_len);

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, ctx->request->connection->log, 0,
                   "http artifact offload: %uz bytes, medium %ud, %Xd", len,
                   (unsigned) ctx->evidence.media,
                   (unsigned) ctx->evidence.sign);

    if (art_classify_wants_magic(&claims, &ctx->evidence)) {
        ngx_http_artifact_ask_magic(ctx->request, b->pos,
                                    ngx_min(len, ART_SNIFF_MAX),
                                    &ctx->evidence);
    }
}


/*
 * The type of the content, and with it the extension of the file; and the type
 * that is part of its identity, which must not depend on the version of
 * libmagic.
 */

static ngx_int_t
ngx_http_artifact_offload_type(ngx_http_artifact_offload_t *ctx)
{
    art_str_t                  mime;
    art_offload_t             *off;
    art_claims_t               claims;
    art_verdict_t              verdict;
    ngx_artifact_write_job_t  *job;

    job = &ctx->job;
    off = ctx->data;

    ngx_memzero(&claims, sizeof(art_claims_t));
    claims.declared[0] = art_str(off->declared, off->declared_len);

    (void) art_classify(&claims, &ctx->evidence, &verdict);

    job->kind = ctx->evidence.media
                ? art_cstr(art_media_row(ctx->evidence.media - 1u)->mime)
                : claims.declared[0];

    /* parameters stay as they were declared, unless it is something else */

    mime = verdict.from == ART_FROM_METADATA
           && ngx_strlchr(off->declared, off->declared + off->declared_len,
                          ';')
           && art_meta_type_valid(claims.declared[0])
           ? claims.declared[0] : art_str(verdict.type.buf, verdict.type.len);

    return ngx_http_artifact_offload_set_type(ctx, mime);
}


static ngx_int_t
ngx_http_artifact_offload_media_made(ngx_http_artifact_offload_t *ctx)
{
    art_offload_made_t  made;

    return ngx_http_artifact_offload_made(ctx, &made) == NGX_OK
           && art_offload_made(ctx->data, &made) == ART_OK
           ? NGX_OK : NGX_ERROR;
}


/*
 * The reference to the artifact, its name and its type, as JSON strings that
 * last until the next value is written.
 */

static ngx_int_t
ngx_http_artifact_offload_made(ngx_http_artifact_offload_t *ctx,
    art_offload_made_t *made)
{
    art_str_t                  id, extension;
    ngx_pool_t                *pool;
    ngx_artifact_write_job_t  *job;

    job = &ctx->job;
    pool = ctx->pool;
    id = art_cstr(job->id);

    ngx_memzero(made, sizeof(art_offload_made_t));
    made->size = (uint64_t) job->size;

    extension = art_str(job->extension, job->extension_len);

    if (ngx_http_artifact_offload_marker(ctx, made) != NGX_OK
        || ngx_http_artifact_offload_url(ctx, id, &made->uri) != NGX_OK
        || ngx_http_artifact_offload_string(pool, id, extension, &made->name)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (art_str_eq(job->mime, art_cstr("application/octet-stream"))) {
        return NGX_OK;
    }

    return ngx_http_artifact_offload_string(pool, job->mime, art_cstr(""),
                                            &made->mime);
}


/* The text that clients pass on: "[artifact:{id}] image/png, 154.3 KB". */

static ngx_int_t
ngx_http_artifact_offload_marker(ngx_http_artifact_offload_t *ctx,
    art_offload_made_t *made)
{
    u_char     text[NGX_HTTP_ARTIFACT_OFFLOAD_TEXT];
    size_t     len;
    art_out_t  out;

    out = art_out(text, sizeof(text));

    art_out_cstr(&out, "[artifact:");
    art_out_cstr(&out, ctx->job.id);
    art_out_char(&out, ']');

    len = out.len;

    art_out_char(&out, ' ');
    art_out_str(&out, ctx->job.mime);
    art_out_cstr(&out, ", ");
    art_describe_size(&out, made->size);

    if (ngx_http_artifact_offload_string(ctx->pool,
                                         art_str(text, out.len), art_cstr(""),
                                         &made->text)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    made->marker = art_str(made->text.data + 1, len);

    return NGX_OK;
}


/* The URL of an id, or its reference, as a JSON string with its quotes. */

static ngx_int_t
ngx_http_artifact_offload_url(ngx_http_artifact_offload_t *ctx, art_str_t id,
    art_str_t *json)
{
    art_out_t  out;

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_out_char(&out, '"');
        art_url_print(&out, &ctx->url, id, 1);
        art_out_char(&out, '"');
    } while (ngx_http_artifact_print_again(ctx->pool, &out));

    *json = art_str(out.data, out.len);

    return out.data ? NGX_OK : NGX_ERROR;
}


/* Two strings as one JSON string, with its quotes. */

static ngx_int_t
ngx_http_artifact_offload_string(ngx_pool_t *pool, art_str_t a, art_str_t b,
    art_str_t *json)
{
    art_out_t  out;

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_out_char(&out, '"');
        art_json_string(&out, a, 1);
        art_json_string(&out, b, 1);
        art_out_char(&out, '"');
    } while (ngx_http_artifact_print_again(pool, &out));

    *json = art_str(out.data, out.len);

    return out.data ? NGX_OK : NGX_ERROR;
}
