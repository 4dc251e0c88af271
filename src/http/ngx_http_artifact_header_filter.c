
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
    ngx_uint_t                     routed;
    ngx_http_artifact_ctx_t       *ctx;
    ngx_http_artifact_reader_t    *reader;
    ngx_http_artifact_loc_conf_t  *alcf;

    static ngx_str_t  vary = ngx_string("X-LLM-Service, "
                                        "X-LLM-Capabilities");

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    if (alcf->uri != NGX_HTTP_ARTIFACT_NONE && r == r->main
        && ngx_http_artifact_replace_error(r) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    if (ctx == NULL || ctx->source == NULL || ctx->metadata
        || r->headers_out.status != NGX_HTTP_OK)
    {
        return ngx_http_next_header_filter(r);
    }

    if (r != r->main || ctx->conf->route == NGX_HTTP_ARTIFACT_ROUTE_OFF) {
        routed = 0;

    } else {

        if (ngx_http_artifact_add_header(r, "Vary", &vary) != NGX_OK) {
            return NGX_ERROR;
        }

        reader = ngx_http_artifact_get_reader(r);
        if (reader == NULL) {
            return NGX_ERROR;
        }

        routed = !reader->empty
                 || ctx->conf->route == NGX_HTTP_ARTIFACT_ROUTE_ALWAYS;
    }

    if (!routed) {

        if (ngx_http_artifact_raw_headers(r, ctx) != NGX_OK) {
            return NGX_ERROR;
        }

    } else if (ngx_http_artifact_route(r, ctx) != NGX_OK
               || ngx_http_artifact_routed_headers(r, ctx) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_next_header_filter(r);
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

    ngx_http_artifact_set_json_type(r);
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
