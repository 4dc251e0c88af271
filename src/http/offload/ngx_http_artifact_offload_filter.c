
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The filters of answers whose base64 becomes artifacts: an early header
 * filter, before not_modified, which decides, and a body filter next to copy,
 * which sees the answer before any other.
 */


#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/offload/ngx_http_artifact_offload.h"
#include "http/request/ngx_http_artifact_api.h"
#include "store/disk/ngx_artifact_str.h"


static ngx_int_t ngx_http_artifact_offload_header_filter(
    ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_offload_create(ngx_http_request_t *r,
    const art_api_t *api, ngx_uint_t events);
static void ngx_http_artifact_offload_cleanup(void *data);
static ngx_int_t ngx_http_artifact_offload_body_filter(ngx_http_request_t *r,
    ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_offload_header_init(ngx_conf_t *cf);
static ngx_int_t ngx_http_artifact_offload_body_init(ngx_conf_t *cf);


static ngx_http_module_t  ngx_http_artifact_offload_header_filter_module_ctx =
{
    NULL,                                  /* preconfiguration */
    ngx_http_artifact_offload_header_init, /* postconfiguration */

    NULL,                                  /* create main configuration */
    NULL,                                  /* init main configuration */

    NULL,                                  /* create server configuration */
    NULL,                                  /* merge server configuration */

    NULL,                                  /* create location configuration */
    NULL                                   /* merge location configuration */
};


ngx_module_t  ngx_http_artifact_offload_header_filter_module = {
    NGX_MODULE_V1,
    &ngx_http_artifact_offload_header_filter_module_ctx, /* module context */
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


static ngx_http_module_t  ngx_http_artifact_offload_filter_module_ctx = {
    NULL,                                  /* preconfiguration */
    ngx_http_artifact_offload_body_init,   /* postconfiguration */

    NULL,                                  /* create main configuration */
    NULL,                                  /* init main configuration */

    NULL,                                  /* create server configuration */
    NULL,                                  /* merge server configuration */

    NULL,                                  /* create location configuration */
    NULL                                   /* merge location configuration */
};


ngx_module_t  ngx_http_artifact_offload_filter_module = {
    NGX_MODULE_V1,
    &ngx_http_artifact_offload_filter_module_ctx, /* module context */
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
static ngx_http_output_body_filter_pt    ngx_http_next_body_filter;


/* What is not true of an answer that may have changed. */

static const char *const  ngx_http_artifact_offload_told[] = {
    "ETag", "Content-MD5", "Content-Digest", "Digest", "Repr-Digest", NULL
};


static ngx_int_t
ngx_http_artifact_offload_header_filter(ngx_http_request_t *r)
{
    ngx_uint_t            events;
    const art_api_t      *api;
    ngx_http_upstream_t  *u;

    if (r->method == NGX_HTTP_HEAD
        || r->headers_out.status != NGX_HTTP_OK)
    {
        return ngx_http_next_header_filter(r);
    }

    api = ngx_http_artifact_offload_api(r);

    if (api == NULL) {
        return ngx_http_next_header_filter(r);
    }

    events = ngx_http_artifact_is_event_stream(r);

    if (!events && !ngx_http_artifact_is_json_type(r)) {
        return ngx_http_next_header_filter(r);
    }

    if (ngx_http_artifact_is_encoded(r)) {
        ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                      "the answer is encoded, its base64 stays");
        return ngx_http_next_header_filter(r);
    }

    if (ngx_http_artifact_offload_create(r, api, events) != NGX_OK
        || ngx_http_artifact_take_headers(r->pool, &r->headers_out.headers,
                                          ngx_http_artifact_offload_told,
                                          NULL)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    r->filter_need_in_memory = 1;

    ngx_http_clear_content_length(r);
    ngx_http_clear_accept_ranges(r);
    r->headers_out.etag = NULL;

    /* events do not wait for a buffer to be full, unless they are to be kept */

    u = r->upstream;

    if (events && u && !u->cacheable && !u->store) {
        u->buffering = 0;
    }

    return ngx_http_next_header_filter(r);
}


const art_api_t *
ngx_http_artifact_offload_api(ngx_http_request_t *r)
{
    ngx_str_t                      format;
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    if (!alcf->offload || r != r->main
        || alcf->route != NGX_HTTP_ARTIFACT_ROUTE_OFF)
    {
        return NULL;
    }

    ngx_str_null(&format);

    if (alcf->format
        && ngx_http_complex_value(r, alcf->format, &format) != NGX_OK)
    {
        return NULL;
    }

    return art_api_of_base64(ngx_http_artifact_request_path(r),
                             ngx_artifact_str(&format));
}


static ngx_int_t
ngx_http_artifact_offload_create(ngx_http_request_t *r,
    const art_api_t *api, ngx_uint_t events)
{
    art_offload_sink_t             sink;
    ngx_pool_cleanup_t            *cln;
    ngx_http_artifact_offload_t   *ctx;
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_artifact_offload_t));
    if (cln == NULL) {
        return NGX_ERROR;
    }

    ctx = cln->data;
    ngx_memzero(ctx, sizeof(ngx_http_artifact_offload_t));

    ctx->off = ngx_palloc(r->pool, sizeof(art_offload_t));
    if (ctx->off == NULL) {
        return NGX_ERROR;
    }

    ctx->request = r;
    ctx->conf = alcf;
    ctx->next = ngx_http_next_body_filter;
    ctx->upstream = r->upstream && r->upstream->cleanup ? r->upstream : NULL;

    ngx_http_artifact_bufs_init(&ctx->bufs);
    ngx_http_artifact_spool_init(&ctx->raw, r);

    sink.out = ngx_http_artifact_offload_out;
    sink.raw = ngx_http_artifact_offload_raw;
    sink.content = ngx_http_artifact_offload_content;
    sink.data = ctx;

    art_offload_init(ctx->off, api, (unsigned) events,
                     (uint64_t) alcf->offload_min, &sink);

    cln->handler = ngx_http_artifact_offload_cleanup;

    ngx_http_set_ctx(r, ctx, ngx_http_artifact_offload_filter_module);

    return NGX_OK;
}


/* Of an answer that ends within a value nothing is left. */

static void
ngx_http_artifact_offload_cleanup(void *data)
{
    ngx_http_artifact_offload_abandon(data);
}


static ngx_int_t
ngx_http_artifact_offload_body_filter(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_http_artifact_offload_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_artifact_offload_filter_module);

    return ctx == NULL || r->header_only
           || (ctx->ended && !ctx->failed && (in || ctx->bufs.busy == NULL))
           ? ngx_http_next_body_filter(r, in)
           : ngx_http_artifact_offload_run(ctx, in);
}


static ngx_int_t
ngx_http_artifact_offload_header_init(ngx_conf_t *cf)
{
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);

    if (amcf->offloads) {
        ngx_http_next_header_filter = ngx_http_top_header_filter;
        ngx_http_top_header_filter = ngx_http_artifact_offload_header_filter;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_offload_body_init(ngx_conf_t *cf)
{
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);

    if (amcf->offloads) {
        ngx_http_next_body_filter = ngx_http_top_body_filter;
        ngx_http_top_body_filter = ngx_http_artifact_offload_body_filter;
    }

    return NGX_OK;
}
