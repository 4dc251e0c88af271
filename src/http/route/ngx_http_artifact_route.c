
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Routed answers: gathers what the decision needs, and starts the rendering.
 */


#include "http/base/ngx_http_artifact.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/source/ngx_http_artifact_open_cache.h"
#include "store/disk/ngx_artifact_str.h"


static const art_format_t *ngx_http_artifact_choose_format(
    ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_decide(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, const art_format_t *format,
    ngx_uint_t failed);
static ngx_int_t ngx_http_artifact_suggest(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_tool_call_id(ngx_http_request_t *r,
    ngx_str_t *value);
static ngx_int_t ngx_http_artifact_start_body(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, const art_format_t *format);
static ngx_int_t ngx_http_artifact_render_memory(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_render_t *render);
static void ngx_http_artifact_body_cleanup(void *data);


ngx_int_t
ngx_http_artifact_route(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx)
{
    ngx_int_t            rc;
    ngx_uint_t           failed;
    const art_format_t  *format;

    format = ngx_http_artifact_choose_format(r, ctx);
    if (format == NULL) {
        return NGX_ERROR;
    }

    rc = ngx_http_artifact_classify(r, ctx, ctx->conf->verify);
    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    failed = (rc == NGX_DECLINED);

    if (ngx_http_artifact_decide(r, ctx, format, failed) != NGX_OK) {
        return NGX_ERROR;
    }

    /* what was classified without its bytes may still not be readable */

    if (!failed && !ctx->view.decision.described && ctx->source->local
        && !ngx_http_artifact_opened_readable(ctx->source)
        && ngx_http_artifact_decide(r, ctx, format, 1) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_artifact_start_body(r, ctx, format);
}


/* The configured format, then the service's own, then "route". */

static const art_format_t *
ngx_http_artifact_choose_format(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    art_str_t                    name;
    ngx_str_t                    value;
    const art_format_t          *format;
    ngx_http_artifact_reader_t  *reader;

    ngx_str_null(&value);

    if (ctx->conf->format
        && ngx_http_complex_value(r, ctx->conf->format, &value) != NGX_OK)
    {
        return NULL;
    }

    reader = ctx->reader;
    name = ngx_artifact_str(&value);

    if (name.len == 0 && reader->service) {
        name = reader->service->format;
    }

    format = art_format_find(name);

    if (format) {
        return format;
    }

    /* that of a map was told when the map was loaded */

    if (value.len > 0) {
        ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                      "unknown artifact format \"%V\", \"route\" is used",
                      &value);
    }

    return art_format_row(0);
}


static ngx_int_t
ngx_http_artifact_decide(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx,
    const art_format_t *format, ngx_uint_t failed)
{
    ngx_str_t                    id;
    art_view_t                  *view;
    art_question_t               question;
    const art_service_t         *service;
    ngx_http_artifact_source_t  *source;

    source = ctx->source;
    view = &ctx->view;

    view->id = source->id;
    view->workspace = ctx->ref.workspace;
    view->path = ctx->ref.path;
    view->name = source->name;
    view->mime = art_str(ctx->verdict.type.buf, ctx->verdict.type.len);
    view->meta = &source->meta;
    view->kind = ctx->verdict.kind;
    view->size = (uint64_t) source->size;
    view->size_known = source->size >= 0;
    view->lang = (art_lang_t) ctx->conf->language;

    if (format->flags & ART_FORMAT_CALL_ID) {

        if (ngx_http_artifact_tool_call_id(r, &id) != NGX_OK) {
            return NGX_ERROR;
        }

        view->tool_call_id = ngx_artifact_str(&id);
    }

    ngx_memzero(&question, sizeof(art_question_t));

    question.format = format;
    question.kind = view->kind;
    question.mime = view->mime;
    question.caps = ctx->reader->caps;
    question.size = view->size;
    question.size_known = view->size_known;
    question.inline_max = (uint64_t) ctx->conf->inline_max;
    question.failed = failed & 1;
    question.empty = source->size == 0
                     || (source->head && source->head_len == 0
                         && source->whole);

    service = ctx->reader->service;

    if (service) {
        question.accepts = service->accepts;
        question.naccepts = service->naccepts;
        question.service_max = service->max_bytes;
    }

    art_route_decide(&question, &view->decision);

    view->kind = view->decision.kind;

    return ngx_http_artifact_suggest(r, ctx);
}


/* Services that could read it, without the one that just could not. */

static ngx_int_t
ngx_http_artifact_suggest(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    art_view_t                     *view;
    art_suggestions_t              *suggestions;
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);
    view = &ctx->view;

    if (view->decision.reason != ART_REASON_CAPABILITY
        || amcf->capmap == NULL)
    {
        return NGX_OK;
    }

    suggestions = ngx_palloc(r->pool, sizeof(art_suggestions_t));
    if (suggestions == NULL) {
        return NGX_ERROR;
    }

    art_capmap_suggest(amcf->capmap, view->decision.needs,
                       ctx->reader->service, suggestions);

    view->suggestions = suggestions->services;
    view->nsuggestions = suggestions->nservices;

    return NGX_OK;
}


/* The "tool_call_id" argument, or the X-Tool-Call-Id header. */

static ngx_int_t
ngx_http_artifact_tool_call_id(ngx_http_request_t *r, ngx_str_t *value)
{
    ngx_table_elt_t  *header;

    if (ngx_http_artifact_arg(r, "tool_call_id", value) != NGX_OK) {
        return NGX_ERROR;
    }

    if (value->data != NULL) {
        return NGX_OK;
    }

    header = ngx_http_artifact_find_header(&r->headers_in.headers,
                                           "X-Tool-Call-Id");
    if (header) {
        *value = header->value;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_start_body(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, const art_format_t *format)
{
    ngx_str_t                  description;
    art_render_t              *render;
    art_render_conf_t          conf;
    ngx_pool_cleanup_t        *cln;
    ngx_http_artifact_body_t  *body;

    ngx_str_null(&description);

    if (ctx->view.decision.described && ctx->conf->description
        && ctx->view.decision.reason != ART_REASON_NONE
        && ngx_http_complex_value(r, ctx->conf->description, &description)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    body = ngx_pcalloc(r->pool, sizeof(ngx_http_artifact_body_t));
    cln = ngx_pool_cleanup_add(r->pool, 0);

    if (body == NULL || cln == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(&conf, sizeof(art_render_conf_t));

    conf.format = format;
    conf.view = &ctx->view;
    conf.description = ngx_artifact_str(&description);
    conf.charset = ctx->verdict.charset;
    conf.text_max = (uint64_t) ctx->conf->text_max;
    conf.json = art_media_flags(ctx->view.mime) & ART_MEDIA_JSON;
    conf.memo = ngx_http_artifact_opened_memo(ctx, format);

    render = &body->render;
    art_render_init(render, &conf);

    cln->handler = ngx_http_artifact_body_cleanup;
    cln->data = render;

    if (conf.memo == NULL) {

        if (ngx_http_artifact_render_memory(r, ctx, render) != NGX_OK) {
            return NGX_ERROR;
        }

        ngx_http_artifact_opened_remember(ctx, render);
    }

    body->last_out = &body->out;
    ctx->body = body;

    if (art_render_needs_content(render)) {
        r->main_filter_need_in_memory = 1;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_render_memory(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_render_t *render)
{
    u_char  *scratch, *hold;

    scratch = ngx_pnalloc(r->pool, render->room);
    if (scratch == NULL) {
        return NGX_ERROR;
    }

    hold = NULL;

    if (art_render_needs_hold(render)) {
        hold = ngx_palloc(r->pool, ctx->view.size_known
                                   ? (size_t) ctx->view.size + 1
                                   : ART_RENDER_JSON_MAX);
        if (hold == NULL) {
            return NGX_ERROR;
        }
    }

    art_render_memory(render, scratch, hold);

    return NGX_OK;
}


static void
ngx_http_artifact_body_cleanup(void *data)
{
    art_render_close(data);
}
