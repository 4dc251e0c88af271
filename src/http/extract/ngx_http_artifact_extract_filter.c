
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The filters of answers from models' APIs, next to copy: what they take is
 * what the upstream sent, and what all others see is the new answer.
 */


#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/route/ngx_http_artifact_modules.h"
#include "http/request/ngx_http_artifact_api.h"
#include "http/extract/ngx_http_artifact_extract.h"


static ngx_int_t ngx_http_artifact_extract_header_filter(
    ngx_http_request_t *r);
static ngx_uint_t ngx_http_artifact_extract_is_answer(ngx_http_request_t *r);
static void ngx_http_artifact_extract_headers(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_extract_body_filter(ngx_http_request_t *r,
    ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_extract_filter_init(ngx_conf_t *cf);


static ngx_http_module_t  ngx_http_artifact_extract_filter_module_ctx = {
    NULL,                                  /* preconfiguration */
    ngx_http_artifact_extract_filter_init, /* postconfiguration */

    NULL,                                  /* create main configuration */
    NULL,                                  /* init main configuration */

    NULL,                                  /* create server configuration */
    NULL,                                  /* merge server configuration */

    NULL,                                  /* create location configuration */
    NULL                                   /* merge location configuration */
};


ngx_module_t  ngx_http_artifact_extract_filter_module = {
    NGX_MODULE_V1,
    &ngx_http_artifact_extract_filter_module_ctx, /* module context */
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


static ngx_int_t
ngx_http_artifact_extract_header_filter(ngx_http_request_t *r)
{
    unsigned                      versioned;
    ngx_uint_t                    events;
    ngx_http_upstream_t          *u;
    const art_api_t              *api;
    ngx_http_artifact_extract_t  *extract;

    events = ngx_http_artifact_is_event_stream(r);

    if (!ngx_http_artifact_extract_is_answer(r)
        || (!events && !ngx_http_artifact_is_json_type(r)))
    {
        return ngx_http_next_header_filter(r);
    }

    if (ngx_http_artifact_is_encoded(r)) {
        ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                      "upstream sent an encoded answer, out of which no "
                      "artifacts are taken");
        return ngx_http_next_header_filter(r);
    }

    ngx_http_artifact_extract_headers(r);

    u = r->upstream;

    /* an event goes on as it comes, unless it is to be kept */

    if (events && !u->cacheable && !u->store) {
        u->buffering = 0;
    }

    if (r->method == NGX_HTTP_HEAD) {
        return ngx_http_next_header_filter(r);
    }

    if (ngx_http_artifact_request_api(r, &api, &versioned) != NGX_OK) {
        return NGX_ERROR;
    }

    extract = ngx_http_artifact_extract_create(r, api ? api : &art_api_agent,
                                               events);
    if (extract == NULL) {
        return NGX_ERROR;
    }

    extract->upstream = u->cleanup ? u : NULL;
    r->filter_need_in_memory = 1;

    ngx_http_set_ctx(r, extract, ngx_http_artifact_extract_filter_module);

    return ngx_http_next_header_filter(r);
}


/* Whether it is the whole answer of an upstream, or one that a cache has. */

static ngx_uint_t
ngx_http_artifact_extract_is_answer(ngx_http_request_t *r)
{
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    if (alcf->extract == NGX_HTTP_ARTIFACT_EXTRACT_OFF
        || r != r->main
        || r->headers_out.status != NGX_HTTP_OK
        || r->upstream == NULL
        || ngx_http_get_module_ctx(r, ngx_http_artifact_extract_filter_module))
    {
        return 0;
    }

#if (NGX_HTTP_CACHE)

    if (r->cached) {
        return 1;
    }

#endif

    /* one that has ended only led here (X-Accel-Redirect) */

    return r->upstream->cleanup != NULL;
}


/* What says something of the bytes that came. */

static void
ngx_http_artifact_extract_headers(ngx_http_request_t *r)
{
    ngx_uint_t        n;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *header;

    static const char *const  stale[] = {
        "Content-MD5", "Digest", "Repr-Digest", "Content-Digest", "ETag", NULL
    };

    n = 0;
    part = &r->headers_out.headers.part;

    while ((header = ngx_http_artifact_next_header(&part, &n))) {
        if (ngx_http_artifact_header_among(header, stale)) {
            header->hash = 0;
        }
    }

    r->headers_out.etag = NULL;

    ngx_http_clear_content_length(r);
    ngx_http_clear_accept_ranges(r);
}


static ngx_int_t
ngx_http_artifact_extract_body_filter(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_http_artifact_extract_t  *extract;

    extract = ngx_http_get_module_ctx(r,
                                      ngx_http_artifact_extract_filter_module);

    if (extract == NULL || r->header_only) {
        return ngx_http_next_body_filter(r, in);
    }

    return ngx_http_artifact_extract_write(r, extract, in,
                                           ngx_http_next_body_filter);
}


static ngx_int_t
ngx_http_artifact_extract_filter_init(ngx_conf_t *cf)
{
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);

    if (amcf->used) {
        ngx_http_next_header_filter = ngx_http_top_header_filter;
        ngx_http_top_header_filter = ngx_http_artifact_extract_header_filter;

        ngx_http_next_body_filter = ngx_http_top_body_filter;
        ngx_http_top_body_filter = ngx_http_artifact_extract_body_filter;
    }

    return NGX_OK;
}
