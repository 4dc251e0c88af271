
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The early header filter: it runs before not_modified, so that conditional
 * requests are answered by what is sent, and decides whether a content goes
 * out raw or as JSON.
 */


#include "http/base/ngx_http_artifact_context.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/source/ngx_http_artifact_source.h"
#include "http/route/ngx_http_artifact_capture.h"
#include "http/route/ngx_http_artifact_feed_filter.h"
#include "http/route/ngx_http_artifact_filters.h"
#include "http/route/ngx_http_artifact_header.h"
#include "http/route/ngx_http_artifact_raw.h"
#include "http/route/ngx_http_artifact_replace.h"
#include "http/route/ngx_http_artifact_route.h"
#include "http/route/ngx_http_artifact_routed_headers.h"
#include "http/route/ngx_http_artifact_upstream.h"
#include "http/route/ngx_http_artifact_vary_filter.h"
#include "core/answer/art_error.h"


static ngx_int_t ngx_http_artifact_header_filter(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_local(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_response(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf);
static ngx_int_t ngx_http_artifact_begin(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_other_status(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf);
static art_error_t ngx_http_artifact_is_unfit(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_choose(ngx_http_request_t *r,
    ngx_uint_t *routed);
static ngx_int_t ngx_http_artifact_refuse(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t error);
static ngx_http_artifact_stream_t *ngx_http_artifact_make_stream(
    ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx);
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
    ngx_http_artifact_ctx_t       *ctx;
    ngx_http_artifact_consumer_t  *consumer;
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    consumer = ngx_http_artifact_consumer(r);

    if (consumer) {
        return ngx_http_artifact_capture_begin(r, consumer,
                                               ngx_http_next_header_filter);
    }

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    if (r == r->main
        && (alcf->uri != NGX_HTTP_ARTIFACT_NONE || (ctx && ctx->failed))
        && ngx_http_artifact_replace_page(r) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (r->err_status == NGX_HTTP_BAD_REQUEST && r->uri.len == 0
        && ngx_http_artifact_replace_bad_uri(r) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    if (ctx && ctx->answered) {
        return ngx_http_next_header_filter(r);
    }

    if (ctx && ctx->source && ctx->source->local) {

        /* of any status, as an error page; a page of nginx's own is none */

        if (!ctx->source->offered) {
            return ngx_http_next_header_filter(r);
        }

        ctx->source->offered = 0;

        return ngx_http_artifact_local(r, ctx);
    }

    if (r == r->main
        && (alcf->route != NGX_HTTP_ARTIFACT_ROUTE_OFF
            || alcf->uri == NGX_HTTP_ARTIFACT_DECODE))
    {
        return ngx_http_artifact_response(r, alcf);
    }

    return ngx_http_next_header_filter(r);
}


/* A file of our own: all is known, but for what its first bytes tell. */

static ngx_int_t
ngx_http_artifact_local(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx)
{
    ngx_int_t                    rc;
    ngx_uint_t                   routed;
    ngx_http_artifact_stream_t  *stream;

    routed = 0;

    if (r == r->main && ngx_http_artifact_choose(r, &routed) != NGX_OK) {
        return NGX_ERROR;
    }

    if (routed) {
        stream = ngx_http_artifact_make_stream(r, ctx);

        return stream ? ngx_http_artifact_send_routed_header(r, stream)
                      : NGX_ERROR;
    }

    rc = ngx_http_artifact_raw_headers(r, ctx->source);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (rc == NGX_DECLINED) {
        return ngx_http_artifact_refuse(r, ctx, ART_ERR_READ);
    }

    return ngx_http_next_header_filter(r);
}


/* Somebody else's response: a file, an upstream's answer, whatever it is. */

static ngx_int_t
ngx_http_artifact_response(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf)
{
    art_error_t               error;
    ngx_uint_t                routed, status;
    ngx_http_artifact_ctx_t  *ctx;

    status = r->headers_out.status;

    if (status != NGX_HTTP_OK && status != NGX_HTTP_PARTIAL_CONTENT
        && (status != NGX_HTTP_NOT_FOUND || r->upstream == NULL
            || alcf->uri != NGX_HTTP_ARTIFACT_DECODE))
    {
        return ngx_http_artifact_other_status(r, alcf);
    }

    ctx = ngx_http_artifact_get_ctx(r);
    if (ctx == NULL) {
        return NGX_ERROR;
    }

    if (status == NGX_HTTP_NOT_FOUND) {
        return ngx_http_artifact_refuse(r, ctx, ART_ERR_NOT_FOUND);
    }

    routed = 0;

    if (r == r->main && ngx_http_artifact_choose(r, &routed) != NGX_OK) {
        return NGX_ERROR;
    }

    if (!routed) {

        if (alcf->uri == NGX_HTTP_ARTIFACT_DECODE
            && ngx_http_artifact_raw_safety(r) != NGX_OK)
        {
            return NGX_ERROR;
        }

        return ngx_http_next_header_filter(r);
    }

    error = ngx_http_artifact_is_unfit(r);

    return error == ART_ERR_MAX ? ngx_http_artifact_begin(r, ctx)
                                : ngx_http_artifact_refuse(r, ctx, error);
}


/* The answer's source is known by its headers; it may want its first bytes. */

static ngx_int_t
ngx_http_artifact_begin(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx)
{
    ngx_uint_t                   coded;
    ngx_http_artifact_stream_t  *stream;

    coded = ngx_http_artifact_is_gunzipped(r);

    if (coded) {
        ngx_http_clear_content_length(r);

#if (NGX_HTTP_GZIP)

        /* as if the client did not take it; whether it does, is asked later */

        r->gzip_tested = 1;
        r->gzip_ok = 0;

#endif
    }

    if (ngx_http_artifact_response_source(r, ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    ctx->source->coded = coded & 1;

    stream = ngx_http_artifact_make_stream(r, ctx);
    if (stream == NULL) {
        return NGX_ERROR;
    }

    if (!ctx->source->wanted) {
        return ngx_http_artifact_send_routed_header(r, stream);
    }

    /* asked for now: the copy filter looks before the header is sent */

    ngx_http_artifact_need_in_memory(r);

    return NGX_OK;
}


/* It passes; what a store gave for an error page is a content all the same. */

static ngx_int_t
ngx_http_artifact_other_status(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf)
{
    if (r->upstream
        && r->upstream->headers_in.status_n == NGX_HTTP_OK
        && alcf->uri == NGX_HTTP_ARTIFACT_DECODE
        && ngx_http_artifact_raw_safety(r) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_next_header_filter(r);
}


/* Why a response cannot be rendered: ART_ERR_MAX if it can. */

static art_error_t
ngx_http_artifact_is_unfit(ngx_http_request_t *r)
{
    if (r->headers_out.status == NGX_HTTP_PARTIAL_CONTENT
        || r->headers_out.content_offset)
    {
        return ART_ERR_PARTIAL;
    }

    return ngx_http_artifact_is_encoded(r)
           && !ngx_http_artifact_is_gunzipped(r) ? ART_ERR_ENCODED
                                                 : ART_ERR_MAX;
}


/* Whoever the reader is: the answer depends on it where routing is on. */

static ngx_int_t
ngx_http_artifact_choose(ngx_http_request_t *r, ngx_uint_t *routed)
{
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    if (ngx_http_artifact_is_routed(r, routed) != NGX_OK) {
        return NGX_ERROR;
    }

    if (alcf->route == NGX_HTTP_ARTIFACT_ROUTE_OFF) {
        return NGX_OK;
    }

    /* what is constant here ("lengths" is NULL) no header can change */

    if (alcf->service->lengths
        && ngx_http_artifact_vary(r, "X-LLM-Service") != NGX_OK)
    {
        return NGX_ERROR;
    }

    return alcf->accept->lengths
           ? ngx_http_artifact_vary(r, "X-LLM-Capabilities") : NGX_OK;
}


/* An error in place of the response, whose own headers go with its body. */

static ngx_int_t
ngx_http_artifact_refuse(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx,
    art_error_t error)
{
    ngx_http_clean_header(r);

    if (ngx_http_artifact_replace(r, ctx, error) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_http_next_header_filter(r);
}


static ngx_http_artifact_stream_t *
ngx_http_artifact_make_stream(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_http_artifact_stream_t  *stream;

    stream = ngx_http_artifact_stream_create(r, ctx);

    if (stream == NULL) {
        return NULL;
    }

    if (ngx_http_artifact_upstream_follow(r, stream) != NGX_OK
        || ngx_http_artifact_get_terms(r, ctx, &stream->terms) != NGX_OK)
    {
        return NULL;
    }

    return stream;
}


ngx_int_t
ngx_http_artifact_send_routed_header(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    if (ngx_http_artifact_stream_start(r, stream) != NGX_OK
        || ngx_http_artifact_routed_headers(r, stream) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_next_header_filter(r);
}


static ngx_int_t
ngx_http_artifact_header_filter_init(ngx_conf_t *cf)
{
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);

    if (amcf->used) {
        ngx_http_next_header_filter = ngx_http_top_header_filter;
        ngx_http_top_header_filter = ngx_http_artifact_header_filter;

        ngx_http_artifact_feed_init();
    }

    return NGX_OK;
}
