
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The early body filter, next to copy: while the header of a response waits
 * for the first bytes, no other filter may see them, since these filters learn
 * of the response from its header.
 */


#include "http/route/ngx_http_artifact_capture.h"
#include "http/route/ngx_http_artifact_header.h"
#include "http/route/ngx_http_artifact_order.h"
#include "http/route/ngx_http_artifact_upstream.h"
#include "http/source/ngx_http_artifact_source.h"


static ngx_int_t ngx_http_artifact_wait_filter(ngx_http_request_t *r,
    ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_wait(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_wait_subrequest(ngx_http_request_t *r,
    ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_fail(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_go_on(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in, ngx_chain_t *more);
static void ngx_http_artifact_look_ahead(ngx_http_artifact_source_t *source,
    ngx_chain_t *more);
static ngx_int_t ngx_http_artifact_wait_order(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in);
static ngx_uint_t ngx_http_artifact_has_subrequest(ngx_http_request_t *r);
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

    if (r != r->main
        && ngx_http_artifact_wait_subrequest(r, in) != NGX_OK)
    {
        return NGX_ERROR;
    }

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

        rc = ngx_http_artifact_wait(r, stream, in);
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


static ngx_int_t
ngx_http_artifact_wait(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in)
{
    if (stream->part) {

        /* what it waits for are the first bytes behind the filters */

        return ngx_http_next_body_filter(r, in);
    }

    if (ngx_http_artifact_has_subrequest(r)) {
        return ngx_http_artifact_wait_order(r, stream, in);
    }

    if (ngx_http_artifact_stream_take(stream, &in) == NGX_AGAIN) {
        return NGX_OK;
    }

    return ngx_http_artifact_go_on(r, stream, in, NULL);
}


/*
 * A call without input goes on with what a consumer has left; nginx would not
 * pass it on to where the content is captured.  If a subrequest of the source's
 * has waited for that, it is called as well.
 */

static ngx_int_t
ngx_http_artifact_wait_subrequest(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_http_request_t            *sr;
    ngx_http_artifact_consumer_t  *consumer;

    if (in) {
        consumer = ngx_http_artifact_consumer(r);

        if (consumer) {
            ngx_http_artifact_capture_mark(consumer, in);

            /* a filter's error: nginx would close the client's connection */

            r->filter_finalize = 0;

        } else if (in->buf->flush && r->upstream
                   && r->upstream->cleanup == NULL)
        {
            ngx_http_artifact_capture_break(r);
        }

        return NGX_OK;
    }

    sr = ngx_http_artifact_capture_of(r);

    if (sr == NULL || !(sr->buffered & NGX_HTTP_ARTIFACT_BUFFERED)) {
        return NGX_OK;
    }

    (void) ngx_http_artifact_consumer_write(sr, ngx_http_artifact_consumer(sr),
                                            NULL);

    return r == r->connection->data
           || (sr->buffered & NGX_HTTP_ARTIFACT_BUFFERED)
           ? NGX_OK : ngx_http_post_request(r->connection->data, NULL);
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


/*
 * Sends the header, then the bytes taken with those that were left.  What else
 * is known of the content, behind these, is in "more".
 */

static ngx_int_t
ngx_http_artifact_go_on(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in, ngx_chain_t *more)
{
    ngx_int_t                    rc;
    ngx_chain_t                  out;
    ngx_http_artifact_source_t  *source;

    source = stream->source;

    out.buf = ngx_http_artifact_stream_taken(r, stream);
    out.next = in;

    if (out.buf == NULL) {
        return NGX_ERROR;
    }

    ngx_http_artifact_look_ahead(source, more);

    if (source->coded && source->head_len > 0) {
        rc = ngx_http_artifact_response_decode(r, source);

        if (rc != NGX_OK) {
            return rc == NGX_DECLINED
                   ? ngx_http_artifact_fail(r, ngx_http_get_module_ctx(r,
                                                        ngx_artifact_module))
                   : NGX_ERROR;
        }
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


static void
ngx_http_artifact_look_ahead(ngx_http_artifact_source_t *source,
    ngx_chain_t *more)
{
    size_t      n;
    ngx_buf_t  *b;

    for ( /* void */ ; more; more = more->next) {
        b = more->buf;

        n = ngx_buf_in_memory(b) ? (size_t) (b->last - b->pos) : 0;
        n = ngx_min(n, ART_SNIFF_MAX - source->head_len);

        if (n > 0) {
            ngx_memcpy(source->head + source->head_len, b->pos, n);
            source->head_len += n;
        }

        if (b->last_buf) {
            source->whole = 1;
        }
    }
}


/*
 * A handler that mixes its own output with that of subrequests (echo_location)
 * has them in the order in which it makes them.  The bytes that were taken are
 * before a subrequest that has been made since, so they go now, past what waits
 * for it.  Bytes behind one that has not answered yet are not its first: the
 * header tells what is known.
 */

static ngx_int_t
ngx_http_artifact_wait_order(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in)
{
    ngx_int_t     rc;
    ngx_chain_t  *cl;

    for (cl = in; cl && ngx_buf_size(cl->buf) == 0; cl = cl->next) {
        /* void */
    }

    if (stream->source->head_len == 0) {

        if (cl) {
            stream->source->head = NULL;
            return ngx_http_artifact_go_on(r, stream, in, NULL);
        }

        return ngx_http_next_body_filter(r, in);
    }

    rc = ngx_http_artifact_wait_early(r, stream, NULL);

    if (rc != NGX_OK && rc != NGX_AGAIN) {
        return rc;
    }

    return r->header_only ? NGX_OK : ngx_http_next_body_filter(r, in);
}


ngx_int_t
ngx_http_artifact_wait_early(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *more)
{
    void                          *active;
    ngx_int_t                      rc;
    ngx_connection_t              *c;
    ngx_http_postponed_request_t  *postponed;

    c = r->connection;

    active = c->data;
    postponed = r->postponed;

    c->data = r;
    r->postponed = NULL;

    rc = ngx_http_artifact_go_on(r, stream, NULL, more);

    if (r->postponed || c->data != r) {
        ngx_log_error(NGX_LOG_ERR, c->log, 0,
                      "subrequest within the first bytes of an artifact, "
                      "before another one");
        return NGX_ERROR;
    }

    c->data = active;
    r->postponed = postponed;

    return rc;
}


static ngx_uint_t
ngx_http_artifact_has_subrequest(ngx_http_request_t *r)
{
    ngx_http_postponed_request_t  *pr;

    for (pr = r->postponed; pr; pr = pr->next) {

        if (pr->request && !pr->request->subrequest_in_memory) {
            return 1;
        }
    }

    return 0;
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
