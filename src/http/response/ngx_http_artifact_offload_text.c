
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Values of an answer that are long texts: "artifact_offload_text", what they
 * are stored as, and the excerpts that are left of them.
 */


#include "http/base/ngx_http_artifact_directive.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/response/ngx_http_artifact_offload_state.h"


#define NGX_HTTP_ARTIFACT_TEXTS_MIN   1024
#define NGX_HTTP_ARTIFACT_TEXTS_MAX   (1024 * 1024)
#define NGX_HTTP_ARTIFACT_TEXTS_HEAD  2048
#define NGX_HTTP_ARTIFACT_TEXTS_TAIL  1024


static ngx_int_t ngx_http_artifact_texts_end(ngx_str_t *value,
    const char *name, size_t *end);
static ngx_uint_t ngx_http_artifact_texts_fit(
    const ngx_http_artifact_texts_t *conf, ssize_t size);
static void *ngx_http_artifact_texts_memory(void *data, size_t size);
static art_offload_status_t ngx_http_artifact_texts_feed(
    ngx_http_artifact_offload_t *ctx, const uint8_t *p, size_t len,
    size_t *n);
static art_offload_status_t ngx_http_artifact_texts_over(
    ngx_http_artifact_offload_t *ctx);
static void ngx_http_artifact_texts_idle(ngx_http_artifact_offload_t *ctx);
static ngx_uint_t ngx_http_artifact_texts_behind(
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
    .behind = ngx_http_artifact_texts_behind,
    .sent = ngx_http_artifact_texts_sent,
    .left = ngx_http_artifact_texts_left,
    .type = ngx_http_artifact_texts_type,
    .made = ngx_http_artifact_texts_made
};


char *
ngx_http_artifact_texts_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_artifact_answers_conf_t *rlcf = conf;

    char                       *rv;
    ssize_t                     size;
    ngx_str_t                  *value;
    ngx_uint_t                  i;
    ngx_http_artifact_texts_t  *texts;

    texts = &rlcf->texts;

    rv = ngx_http_artifact_set_complex(cf, cmd, conf);

    if (rv != NGX_CONF_OK) {
        return rv;
    }

    value = cf->args->elts;
    texts->head = NGX_HTTP_ARTIFACT_TEXTS_HEAD;
    texts->tail = NGX_HTTP_ARTIFACT_TEXTS_TAIL;
    texts->always = 0;

    for (i = 2; i < cf->args->nelts; i++) {

        if (ngx_strcmp(value[i].data, "always") == 0) {
            texts->always = 1;

        } else if (ngx_http_artifact_texts_end(&value[i], "head=",
                                               &texts->head)
                   != NGX_OK
                   && ngx_http_artifact_texts_end(&value[i], "tail=",
                                                  &texts->tail)
                      != NGX_OK)
        {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                               "invalid parameter \"%V\"", &value[i]);
            return NGX_CONF_ERROR;
        }
    }

    if (texts->size->lengths) {
        return ngx_http_artifact_texts_fit(texts, NGX_HTTP_ARTIFACT_TEXTS_MAX)
               ? NGX_CONF_OK
               : "has a head and a tail that are more than a quarter of any "
                 "size";
    }

    if (ngx_strcmp(value[1].data, "off") == 0) {
        return cf->args->nelts == 2 ? NGX_CONF_OK
                                    : "takes nothing besides \"off\"";
    }

    size = ngx_parse_size(&value[1]);

    if (size < NGX_HTTP_ARTIFACT_TEXTS_MIN
        || size > NGX_HTTP_ARTIFACT_TEXTS_MAX)
    {
        return ngx_http_artifact_set_invalid(cf,
                                          "\"off\" or a size from 1k to 1m");
    }

    return ngx_http_artifact_texts_fit(texts, size)
           ? NGX_CONF_OK
           : "needs a size of at least four times head and tail together";
}


static ngx_int_t
ngx_http_artifact_texts_end(ngx_str_t *value, const char *name, size_t *end)
{
    size_t     len;
    ssize_t    size;
    ngx_str_t  text;

    len = ngx_strlen(name);

    if (value->len <= len || ngx_strncmp(value->data, name, len) != 0) {
        return NGX_DECLINED;
    }

    text.data = value->data + len;
    text.len = value->len - len;
    size = ngx_parse_size(&text);

    if (size == NGX_ERROR) {
        return NGX_DECLINED;
    }

    *end = (size_t) size;

    return NGX_OK;
}


static ngx_uint_t
ngx_http_artifact_texts_fit(const ngx_http_artifact_texts_t *conf,
    ssize_t size)
{
    return conf->head <= (size_t) size && conf->tail <= (size_t) size
           && 4 * (conf->head + conf->tail) <= (size_t) size;
}


void
ngx_http_artifact_texts_merge(ngx_http_artifact_texts_t *conf,
    const ngx_http_artifact_texts_t *prev)
{
    ngx_http_complex_value_t  *size;

    if (conf->size == NULL) {
        *conf = *prev;
    }

    size = conf->size;

    conf->off = size == NULL
                || (size->lengths == NULL && size->value.len == 3
                    && ngx_strncmp(size->value.data, "off", 3) == 0);
}


ngx_int_t
ngx_http_artifact_texts_limits(ngx_http_request_t *r,
    const ngx_http_artifact_texts_t *conf, art_shorten_limits_t *limits)
{
    ssize_t    size;
    ngx_str_t  value;

    if (conf->off) {
        return NGX_DECLINED;
    }

    if (ngx_http_complex_value(r, conf->size, &value) != NGX_OK) {
        return NGX_ERROR;
    }

    if (value.len == 0
        || (value.len == 3 && ngx_strncmp(value.data, "off", 3) == 0))
    {
        return NGX_DECLINED;
    }

    size = ngx_parse_size(&value);

    if (size < NGX_HTTP_ARTIFACT_TEXTS_MIN || size > NGX_HTTP_ARTIFACT_TEXTS_MAX
        || !ngx_http_artifact_texts_fit(conf, size))
    {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "\"artifact_offload_text\" is off, its value \"%V\" is "
                      "not \"off\" or a size from 1k to 1m, at least four "
                      "times head and tail together", &value);
        return NGX_DECLINED;
    }

    limits->size = (size_t) size;
    limits->head = conf->head;
    limits->tail = conf->tail;

    return NGX_OK;
}


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
ngx_http_artifact_texts_behind(ngx_http_artifact_offload_t *ctx)
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
