
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The early header filter: it runs before not_modified, so that conditional
 * requests are answered by what is sent, and decides whether a content goes
 * out raw or as JSON.
 */


#include "ngx_http_artifact.h"
#include "art_disposition.h"


static ngx_int_t ngx_http_artifact_header_filter(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_raw(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_raw_type(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_raw_disposition(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_uint_t ngx_http_artifact_wants_download(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_route(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static const art_format_t *ngx_http_artifact_choose_format(
    ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_decide(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, const art_format_t *format,
    ngx_uint_t failed);
static ngx_int_t ngx_http_artifact_suggest(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static void ngx_http_artifact_tool_call_id(ngx_http_request_t *r,
    ngx_str_t *value);
static ngx_int_t ngx_http_artifact_start_body(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, const art_format_t *format);
static void ngx_http_artifact_body_cleanup(void *data);
static ngx_int_t ngx_http_artifact_routed_headers(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_routed_etag(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_header_filter_init(ngx_conf_t *cf);


static ngx_http_module_t  ngx_http_artifact_header_filter_module_ctx = {
    NULL,                                  /* preconfiguration */
    ngx_http_artifact_header_filter_init,  /* postconfiguration */

    NULL,                                  /* create main configuration */
    NULL,                                  /* init main configuration */

    NULL,                                  /* create server configuration */
    NULL,                                  /* merge server configuration */

    NULL,                                  /* create location configuration */
    NULL                                   /* merge location configuration */
};


ngx_module_t  ngx_http_artifact_header_filter_module = {
    NGX_MODULE_V1,
    &ngx_http_artifact_header_filter_module_ctx, /* module context */
    NULL,                                  /* module directives */
    NGX_HTTP_MODULE,                       /* module type */
    NULL,                                  /* init master */
    NULL,                                  /* init module */
    NULL,                                  /* init process */
    NULL,                                  /* init thread */
    NULL,                                  /* exit thread */
    NULL,                                  /* exit process */
    NULL,                                  /* exit master */
    NGX_MODULE_V1_PADDING
};


static ngx_http_output_header_filter_pt  ngx_http_next_header_filter;


static ngx_int_t
ngx_http_artifact_header_filter(ngx_http_request_t *r)
{
    ngx_http_artifact_ctx_t     *ctx;
    ngx_http_artifact_reader_t  *reader;

    static ngx_str_t  vary = ngx_string("X-LLM-Service, "
                                        "X-LLM-Capabilities");

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    if (ctx == NULL || ctx->source == NULL || ctx->metadata
        || r->headers_out.status != NGX_HTTP_OK)
    {
        return ngx_http_next_header_filter(r);
    }

    if (r != r->main
        || ctx->conf->route == NGX_HTTP_ARTIFACT_ROUTE_OFF)
    {
        return ngx_http_artifact_raw(r, ctx);
    }

    if (ngx_http_artifact_add_header(r, "Vary", &vary) != NGX_OK) {
        return NGX_ERROR;
    }

    reader = ngx_http_artifact_get_reader(r, ctx);
    if (reader == NULL) {
        return NGX_ERROR;
    }

    if (reader->empty
        && ctx->conf->route != NGX_HTTP_ARTIFACT_ROUTE_ALWAYS)
    {
        return ngx_http_artifact_raw(r, ctx);
    }

    return ngx_http_artifact_route(r, ctx);
}


static ngx_int_t
ngx_http_artifact_raw(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx)
{
    art_str_t  mime;

    static ngx_str_t  nosniff = ngx_string("nosniff");
    static ngx_str_t  sandbox = ngx_string("sandbox");

    if (ngx_http_artifact_classify(r, ctx, 0) == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (ngx_http_artifact_raw_type(r, ctx) != NGX_OK
        || ngx_http_artifact_raw_disposition(r, ctx) != NGX_OK
        || ngx_http_artifact_add_header(r, "X-Content-Type-Options", &nosniff)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    mime = art_str(ctx->verdict.type.buf, ctx->verdict.type.len);

    if ((art_media_flags(mime) & ART_MEDIA_ACTIVE)
        && ngx_http_artifact_add_header(r, "Content-Security-Policy",
                                        &sandbox)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_next_header_filter(r);
}


/* A declared charset stays with its type; nginx's own "charset" is not added */

static ngx_int_t
ngx_http_artifact_raw_type(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    u_char         *p;
    art_str_t       charset;
    ngx_str_t      *type;
    art_verdict_t  *verdict;

    verdict = &ctx->verdict;
    type = &r->headers_out.content_type;

    type->len = verdict->type.len;

    charset = verdict->type.charset;

    if (charset.len > 0) {
        type->len += sizeof("; charset=") - 1 + charset.len;
    }

    type->data = ngx_pnalloc(r->pool, type->len);
    if (type->data == NULL) {
        return NGX_ERROR;
    }

    p = ngx_cpymem(type->data, verdict->type.buf, verdict->type.len);

    if (type->len > verdict->type.len) {
        p = ngx_cpymem(p, "; charset=", sizeof("; charset=") - 1);
        ngx_memcpy(p, charset.data, charset.len);
    }

    r->headers_out.content_type_len = verdict->type.len;
    r->headers_out.content_type_lowcase = NULL;

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_raw_disposition(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    art_out_t   out;
    ngx_str_t   value;
    ngx_uint_t  attachment;

    attachment = ngx_http_artifact_wants_download(r);

    ngx_memzero(&out, sizeof(art_out_t));
    art_disposition(&out, ctx->source->name, (unsigned) attachment);

    out = ngx_http_artifact_out(r->pool, out.len);
    if (out.data == NULL) {
        return NGX_ERROR;
    }

    art_disposition(&out, ctx->source->name, (unsigned) attachment);

    value.data = out.data;
    value.len = out.len;

    return ngx_http_artifact_add_header(r, "Content-Disposition", &value);
}


/* "?download", with any value or none, among other arguments. */

static ngx_uint_t
ngx_http_artifact_wants_download(ngx_http_request_t *r)
{
    u_char  *p, *last, *end;

    static ngx_str_t  name = ngx_string("download");

    last = r->args.data + r->args.len;

    for (p = r->args.data; p < last; p = end + 1) {

        end = ngx_strlchr(p, last, '&');
        if (end == NULL) {
            end = last;
        }

        if ((size_t) (end - p) >= name.len
            && ngx_strncmp(p, name.data, name.len) == 0
            && (p + name.len == end || p[name.len] == '='))
        {
            return 1;
        }
    }

    return 0;
}


static ngx_int_t
ngx_http_artifact_route(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx)
{
    ngx_int_t            rc;
    const art_format_t  *format;

    format = ngx_http_artifact_choose_format(r, ctx);
    if (format == NULL) {
        return NGX_ERROR;
    }

    rc = ngx_http_artifact_classify(r, ctx, ctx->conf->verify);
    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (ngx_http_artifact_decide(r, ctx, format, rc == NGX_DECLINED) != NGX_OK
        || ngx_http_artifact_start_body(r, ctx, format) != NGX_OK
        || ngx_http_artifact_routed_headers(r, ctx) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_next_header_filter(r);
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
    name = ngx_http_artifact_str(&value);

    if (name.len == 0 && reader->service) {
        name = reader->service->format;
    }

    if (name.len > 0) {
        format = art_format_find(name);

        if (format) {
            return format;
        }

        value.data = (u_char *) name.data;
        value.len = name.len;

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
    ngx_http_artifact_source_t  *source;

    source = ctx->source;
    view = &ctx->view;

    view->id = ctx->ref.id;
    view->workspace = ctx->ref.workspace;
    view->path = ctx->ref.path;
    view->name = source->name;
    view->mime = art_str(ctx->verdict.type.buf, ctx->verdict.type.len);
    view->meta = &source->meta;
    view->kind = ctx->verdict.kind;
    view->size = (uint64_t) ngx_file_size(&source->info);
    view->size_known = 1;
    view->lang = (art_lang_t) ctx->conf->language;

    if (format->flags & ART_FORMAT_CALL_ID) {
        ngx_http_artifact_tool_call_id(r, &id);
        view->tool_call_id = ngx_http_artifact_str(&id);
    }

    question.kind = view->kind;
    question.mime = view->mime;
    question.caps = (format->flags & ART_FORMAT_PROGRAM)
                    ? (unsigned) -1 : ctx->reader->caps;
    question.size = view->size;
    question.size_known = view->size_known;
    question.inline_max = (uint64_t) ctx->conf->inline_max;
    question.failed = failed & 1;

    art_route_decide(&question, &view->decision);

    return ngx_http_artifact_suggest(r, ctx);
}


/* Services that could read it, without the one that just could not. */

static ngx_int_t
ngx_http_artifact_suggest(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    art_str_t                      *ids;
    art_view_t                     *view;
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);
    view = &ctx->view;

    if (view->decision.reason != ART_REASON_CAPABILITY
        || amcf->capmap == NULL)
    {
        return NGX_OK;
    }

    ids = ngx_palloc(r->pool, ART_CAPMAP_SUGGEST_MAX * sizeof(art_str_t));
    if (ids == NULL) {
        return NGX_ERROR;
    }

    view->suggestions = ids;
    view->nsuggestions = art_capmap_suggest(amcf->capmap, view->decision.needs,
                                            ids, ART_CAPMAP_SUGGEST_MAX);
    return NGX_OK;
}


/* The "tool_call_id" argument, or the X-Tool-Call-Id header. */

static void
ngx_http_artifact_tool_call_id(ngx_http_request_t *r, ngx_str_t *value)
{
    ngx_uint_t        i;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *header;

    static ngx_str_t  name = ngx_string("x-tool-call-id");

    if (ngx_http_arg(r, (u_char *) "tool_call_id", 12, value) == NGX_OK) {
        return;
    }

    ngx_str_set(value, "");

    part = &r->headers_in.headers.part;
    header = part->elts;

    for (i = 0; /* void */ ; i++) {

        if (i >= part->nelts) {

            if (part->next == NULL) {
                return;
            }

            part = part->next;
            header = part->elts;
            i = 0;
        }

        if (header[i].key.len == name.len
            && ngx_strncasecmp(header[i].key.data, name.data, name.len) == 0)
        {
            *value = header[i].value;
            return;
        }
    }
}


static ngx_int_t
ngx_http_artifact_start_body(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, const art_format_t *format)
{
    u_char                    *scratch, *hold;
    ngx_str_t                  description;
    art_render_t              *render;
    art_render_conf_t          conf;
    ngx_pool_cleanup_t        *cln;
    ngx_http_artifact_body_t  *body;

    ngx_str_null(&description);

    if (ctx->view.decision.described && ctx->conf->description
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
    conf.description = ngx_http_artifact_str(&description);
    conf.charset = ctx->verdict.charset;
    conf.text_max = (uint64_t) ctx->conf->text_max;
    conf.json = art_media_flags(ctx->view.mime) & ART_MEDIA_JSON;

    render = &body->render;
    art_render_init(render, &conf);

    cln->handler = ngx_http_artifact_body_cleanup;
    cln->data = render;

    scratch = ngx_pnalloc(r->pool, render->room);
    hold = NULL;

    if (art_render_needs_hold(render)) {
        hold = ngx_palloc(r->pool, ART_RENDER_JSON_MAX);
        if (hold == NULL) {
            return NGX_ERROR;
        }
    }

    if (scratch == NULL) {
        return NGX_ERROR;
    }

    art_render_memory(render, scratch, hold);

    body->last_out = &body->out;
    ctx->body = body;

    if (art_render_needs_content(render)) {
        r->main_filter_need_in_memory = 1;
    }

    return NGX_OK;
}


static void
ngx_http_artifact_body_cleanup(void *data)
{
    art_render_close(data);
}


static ngx_int_t
ngx_http_artifact_routed_headers(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    uint64_t  length;

    static ngx_str_t  call_id = ngx_string("X-Tool-Call-Id");

    if ((ctx->body->render.conf.format->flags & ART_FORMAT_CALL_ID)
        && ngx_http_artifact_add_header(r, "Vary", &call_id) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_str_set(&r->headers_out.content_type, "application/json");
    r->headers_out.content_type_len = r->headers_out.content_type.len;
    r->headers_out.content_type_lowcase = NULL;
    ngx_str_null(&r->headers_out.charset);

    ngx_http_clear_accept_ranges(r);
    ngx_http_clear_content_length(r);

    if (art_render_length(&ctx->body->render, &length)) {
        r->headers_out.content_length_n = (off_t) length;
    }

    return ngx_http_artifact_routed_etag(r, ctx);
}


/* The content's tag, and everything else that the answer depends on. */

static ngx_int_t
ngx_http_artifact_routed_etag(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    u_char           *p;
    uint64_t          hash;
    ngx_str_t         tag;
    ngx_table_elt_t  *etag;

    etag = r->headers_out.etag;

    if (etag == NULL) {
        return NGX_OK;
    }

    hash = art_render_hash(&ctx->body->render);
    hash = art_hash(hash, &ctx->reader->caps, sizeof(ctx->reader->caps));
    hash = art_hash(hash, &ctx->conf->inline_max, sizeof(off_t));

    /* the closing quote moves behind the hash */

    tag.len = etag->value.len + 1 + 16;
    tag.data = ngx_pnalloc(r->pool, tag.len);

    if (tag.data == NULL) {
        return NGX_ERROR;
    }

    p = ngx_cpymem(tag.data, etag->value.data, etag->value.len - 1);
    (void) ngx_sprintf(p, "-%016xL\"", hash);

    etag->value = tag;

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_header_filter_init(ngx_conf_t *cf)
{
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);

    if (amcf->used) {
        ngx_http_next_header_filter = ngx_http_top_header_filter;
        ngx_http_top_header_filter = ngx_http_artifact_header_filter;
    }

    return NGX_OK;
}
