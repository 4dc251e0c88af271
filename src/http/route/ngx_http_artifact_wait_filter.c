
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The early body filter, next to copy: while the header of a response waits
 * for the first bytes, no other filter may see them, since these filters learn
 * of the response from its header.
 */


#include "http/route/ngx_http_artifact_header.h"
#include "http/route/ngx_http_artifact_order.h"
#include "http/route/ngx_http_artifact_upstream.h"


static ngx_int_t ngx_http_artifact_wait_filter(ngx_http_request_t *r,
    ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_fail(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_go_on(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in);
static ngx_buf_t *ngx_http_artifact_taken(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);
static ngx_uint_t ngx_http_artifact_is_overtaken(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);
static ngx_int_t ngx_http_artifact_take(ngx_http_artifact_source_t *source,
    ngx_uint_t part, ngx_chain_t **in);
static ngx_int_t ngx_http_artifact_wait_filter_init(ngx_conf_t *cf);


static ngx_http_module_t  ngx_http_artifact_wait_filter_module_ctx = {
    NULL,                                  /* preconfiguration */
    ngx_http_artifact_wait_filter_init,    /* postconfiguration */

    NULL,                                  /* create main configuration */
    NULL,                                  /* init main configuration */

    NULL,                                  /* create server configuration */
    NULL,                                  /* merge server configuration */

    NULL,                                  /* create location configuration */
    NULL                                   /* merge location configuration */
};


ngx_module_t  ngx_http_artifact_wait_filter_module = {
    NGX_MODULE_V1,
    &ngx_http_artifact_wait_filter_module_ctx, /* module context */
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


static ngx_http_output_body_filter_pt  ngx_http_next_body_filter;


static ngx_int_t
ngx_http_artifact_wait_filter(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_int_t                    rc;
    ngx_uint_t                   cut;
    ngx_http_artifact_ctx_t     *ctx;
    ngx_http_artifact_stream_t  *stream;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);
    stream = ctx ? ctx->stream : NULL;

    if (stream == NULL || in == NULL) {
        return ngx_http_next_body_filter(r, in);
    }

    cut = ngx_http_artifact_upstream_is_cut(r, stream, in);

    switch (stream->state) {

    case NGX_HTTP_ARTIFACT_STREAM_WAIT:

        if (cut || ngx_http_artifact_upstream_has_failed(stream, in)) {
            return ngx_http_artifact_fail(r, ctx);
        }

        if (ngx_http_artifact_take(stream->source, stream->part, &in)
            == NGX_AGAIN)
        {
            return NGX_OK;
        }

        rc = ngx_http_artifact_go_on(r, stream, in);
        break;

    case NGX_HTTP_ARTIFACT_STREAM_END:

        /* no filter in between needs to work for nothing, but to be woken */

        ngx_http_artifact_drop(in);

        rc = ngx_http_next_body_filter(r, NULL);
        break;

    default:

        if (cut) {
            return NGX_ERROR;
        }

        rc = ngx_http_next_body_filter(r, in);
    }

    if (stream->state == NGX_HTTP_ARTIFACT_STREAM_END) {
        ngx_http_artifact_upstream_end(stream->upstream);
    }

    return rc;
}


/*
 * Nothing has gone out: the request is finalized with what is returned here,
 * and so gets its "error_page", or else nginx's page, in whose place the header
 * filter puts the JSON.
 */

static ngx_int_t
ngx_http_artifact_fail(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx)
{
    ngx_uint_t  timedout;

    timedout = ctx->stream->timedout;

    ngx_http_clean_header(r);

    ctx->stream = NULL;
    ctx->failed = 1;

    return timedout ? NGX_HTTP_GATEWAY_TIME_OUT : NGX_HTTP_BAD_GATEWAY;
}


/* Sends the header, then the bytes taken with those that were left. */

static ngx_int_t
ngx_http_artifact_go_on(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in)
{
    ngx_int_t                    rc;
    ngx_chain_t                  out;
    ngx_http_artifact_source_t  *source;

    source = stream->source;

    if (ngx_http_artifact_is_overtaken(r, source)) {
        return NGX_ERROR;
    }

    out.buf = ngx_http_artifact_taken(r, source);
    out.next = in;

    if (out.buf == NULL) {
        return NGX_ERROR;
    }

    if (r->method == NGX_HTTP_HEAD && source->head_len == 0) {

        /* all that can be told comes from the headers */

        source->head = NULL;
    }

    rc = ngx_http_artifact_send_routed_header(r, stream);

    if (rc == NGX_ERROR || rc > NGX_OK) {
        return NGX_ERROR;
    }

    if (r->header_only) {

        /* HEAD or 304: what comes of the body stays here */

        stream->state = NGX_HTTP_ARTIFACT_STREAM_END;
        ngx_http_artifact_drop(in);

        return NGX_OK;
    }

    return ngx_http_next_body_filter(r, &out);
}


/* The first bytes as a buffer, in place of those that they came in. */

static ngx_buf_t *
ngx_http_artifact_taken(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source)
{
    ngx_buf_t  *b;

    b = ngx_calloc_buf(r->pool);
    if (b == NULL) {
        return NULL;
    }

    b->pos = source->head;
    b->last = source->head + source->head_len;
    b->memory = b->last > b->pos ? 1 : 0;
    b->last_buf = (r == r->main) ? source->whole : 0;
    b->last_in_chain = source->ended;
    b->flush = source->flush;
    b->sync = (b->memory || b->last_buf) ? 0 : 1;

    return b;
}


/*
 * A handler that mixes its own output with that of subrequests (echo_location)
 * has them in the order in which it makes them: the bytes taken would come
 * behind a subrequest that was made after them.
 */

static ngx_uint_t
ngx_http_artifact_is_overtaken(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source)
{
    ngx_http_postponed_request_t  *pr;

    if (source->head_len == 0) {
        return 0;
    }

    for (pr = r->postponed; pr; pr = pr->next) {

        if (pr->request && !pr->request->subrequest_in_memory) {
            ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                          "subrequest \"%V\" while the first bytes of an "
                          "artifact are waited for", &pr->request->uri);
            return 1;
        }
    }

    return 0;
}


/*
 * Copies the first bytes, so that the source can use its buffers again; NGX_OK
 * when there are enough or no more, with *in at what was left.
 */

static ngx_int_t
ngx_http_artifact_take(ngx_http_artifact_source_t *source, ngx_uint_t part,
    ngx_chain_t **in)
{
    size_t        n;
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    for (cl = *in; cl; cl = cl->next) {
        b = cl->buf;

        if (b->flush) {
            source->flush = 1;
        }

        n = ngx_buf_in_memory(b) ? (size_t) (b->last - b->pos) : 0;
        n = ngx_min(n, ART_SNIFF_MAX - source->head_len);

        if (n > 0) {
            ngx_memcpy(source->head + source->head_len, b->pos, n);

            source->head_len += n;
            b->pos += n;
        }

        if (b->pos == b->last) {
            b->file_pos = b->file_last;

            /* the first of several slices ends its own chain only */

            source->ended = b->last_buf || b->last_in_chain;
            source->whole = part ? source->ended : b->last_buf;
        }

        if (source->ended) {
            *in = cl->next;
            return NGX_OK;
        }

        if (source->head_len == ART_SNIFF_MAX) {
            *in = b->pos == b->last ? cl->next : cl;
            return NGX_OK;
        }
    }

    return NGX_AGAIN;
}


static ngx_int_t
ngx_http_artifact_wait_filter_init(ngx_conf_t *cf)
{
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);

    if (amcf->used) {
        ngx_http_next_body_filter = ngx_http_top_body_filter;
        ngx_http_top_body_filter = ngx_http_artifact_wait_filter;
    }

    return NGX_OK;
}
