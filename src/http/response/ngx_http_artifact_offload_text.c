
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Values of an answer that are long texts: "artifact_offload_text", what they
 * are stored as, and the excerpts that are left of them.
 */


#include "http/base/ngx_http_artifact_util.h"
#include "http/response/ngx_http_artifact_offload_state.h"


static void *ngx_http_artifact_texts_memory(void *data, size_t size);
static art_offload_status_t ngx_http_artifact_texts_feed(
    ngx_http_artifact_offload_t *ctx, const uint8_t *p, size_t len,
    size_t *n);
static art_offload_status_t ngx_http_artifact_texts_over(
    ngx_http_artifact_offload_t *ctx);
static void ngx_http_artifact_texts_idle(ngx_http_artifact_offload_t *ctx);
static ngx_uint_t ngx_http_artifact_texts_lag(
    ngx_http_artifact_offload_t *ctx);
static size_t ngx_http_artifact_texts_sent(ngx_http_artifact_offload_t *ctx);
static int ngx_http_artifact_texts_left(ngx_http_artifact_offload_t *ctx);
static ngx_int_t ngx_http_artifact_texts_type(
    ngx_http_artifact_offload_t *ctx);
static ngx_int_t ngx_http_artifact_texts_made(
    ngx_http_artifact_offload_t *ctx);
#if (NGX_DEBUG)
static ngx_str_t ngx_http_artifact_texts_tool(ngx_http_request_t *r);
#endif


static const ngx_http_artifact_offload_values_t  ngx_http_artifact_texts = {
    .name = "a long text",
    .kind = ART_COUNT_OFFLOADED_TEXT,
    .slice = ART_EXCERPT_STEP,
    .content = 3 * ART_EXCERPT_STEP + ART_EXCERPT_STEP / 2,
    .feed = ngx_http_artifact_texts_feed,
    .end = ngx_http_artifact_texts_over,
    .idle = ngx_http_artifact_texts_idle,
    .lags = ngx_http_artifact_texts_lag,
    .sent = ngx_http_artifact_texts_sent,
    .left = ngx_http_artifact_texts_left,
    .type = ngx_http_artifact_texts_type,
    .made = ngx_http_artifact_texts_made
};


ngx_int_t
ngx_http_artifact_offload_texts(ngx_http_request_t *r,
    const art_api_t *api, const art_shorten_limits_t *limits,
    ngx_uint_t events, ngx_http_artifact_resume_pt resume,
    ngx_http_artifact_stage_t *stage)
{
    art_shorten_t                *shorten;
    art_offload_sink_t            sink;
    ngx_http_artifact_offload_t  *ctx;

    shorten = ngx_palloc(r->pool, sizeof(art_shorten_t));
    if (shorten == NULL) {
        return NGX_ERROR;
    }

    ctx = ngx_http_artifact_offload_stage(r, &ngx_http_artifact_texts,
                                          art_shorten_late(limits), resume,
                                          stage);
    if (ctx == NULL) {
        return NGX_ERROR;
    }

    ctx->data = shorten;
    ngx_http_artifact_offload_sinks(ctx, &sink);

    art_shorten_init(shorten, api, events & 1, limits, &sink,
                     ngx_http_artifact_texts_memory);
    return NGX_OK;
}


static void *
ngx_http_artifact_texts_memory(void *data, size_t size)
{
    ngx_http_artifact_offload_t *ctx = data;

    return ngx_palloc(ctx->request->pool, size);
}


static art_offload_status_t
ngx_http_artifact_texts_feed(ngx_http_artifact_offload_t *ctx,
    const uint8_t *p, size_t len, size_t *n)
{
    return art_shorten_feed(ctx->data, p, len, n);
}


static art_offload_status_t
ngx_http_artifact_texts_over(ngx_http_artifact_offload_t *ctx)
{
    return art_shorten_end(ctx->data);
}


static void
ngx_http_artifact_texts_idle(ngx_http_artifact_offload_t *ctx)
{
    art_shorten_idle(ctx->data);
}


static ngx_uint_t
ngx_http_artifact_texts_lag(ngx_http_artifact_offload_t *ctx)
{
    art_shorten_t  *shorten;

    shorten = ctx->data;

    return art_shorten_is_behind(shorten);
}


static size_t
ngx_http_artifact_texts_sent(ngx_http_artifact_offload_t *ctx)
{
    return art_shorten_sent(ctx->data);
}


static int
ngx_http_artifact_texts_left(ngx_http_artifact_offload_t *ctx)
{
    return art_shorten_left(ctx->data);
}


static ngx_int_t
ngx_http_artifact_texts_type(ngx_http_artifact_offload_t *ctx)
{
    art_out_t  out;
    uint8_t    type[ART_SHORTEN_TYPE];

    out = art_out(type, sizeof(type));
    art_shorten_type(&out, ctx->data);

    if (ngx_http_artifact_offload_set_type(ctx, art_str(type, out.len))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ctx->job.kind = ctx->job.mime;
    ctx->job.text = 1;

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_texts_made(ngx_http_artifact_offload_t *ctx)
{
#if (NGX_DEBUG)

    ngx_str_t  tool;

    tool = ngx_http_artifact_texts_tool(ctx->request);

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, ctx->request->connection->log, 0,
                   "http artifact text: tool \"%V\", %O bytes are artifact "
                   "\"%s\"", &tool, ctx->job.size, ctx->job.id);

#endif

    return art_shorten_made(ctx->data, art_cstr(ctx->job.id),
                            (art_lang_t) ctx->conf->language)
           == ART_OK ? NGX_OK : NGX_ERROR;
}


#if (NGX_DEBUG)

/* The tool that was called, as clients of MCP say since 2026-07-28. */

static ngx_str_t
ngx_http_artifact_texts_tool(ngx_http_request_t *r)
{
    ngx_str_t         none = ngx_null_string;
    ngx_table_elt_t  *h;

    h = ngx_http_artifact_find_header(&r->headers_in.headers, "Mcp-Name");

    return h ? h->value : none;
}

#endif
