
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The body filter before copy, in the header filter's module: of a file that
 * is a response's source (nginx's own static one, or a cached object) no more
 * is read than the answer needs.  The copy filter would read all of it, also
 * to throw it away.
 */


#include "http/route/ngx_http_artifact_feed_filter.h"
#include "http/route/ngx_http_artifact_stream.h"


static ngx_int_t ngx_http_artifact_feed_filter(ngx_http_request_t *r,
    ngx_chain_t *in);
static ngx_uint_t ngx_http_artifact_feed_wants(
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_feed_head(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_buf_t *b);
static ngx_int_t ngx_http_artifact_feed_rest(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);


static ngx_http_output_body_filter_pt  ngx_http_next_body_filter;


void
ngx_http_artifact_feed_init(void)
{
    ngx_http_next_body_filter = ngx_http_top_body_filter;
    ngx_http_top_body_filter = ngx_http_artifact_feed_filter;
}


static ngx_int_t
ngx_http_artifact_feed_filter(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_int_t                    rc;
    ngx_http_artifact_ctx_t     *ctx;
    ngx_http_artifact_stream_t  *stream;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);
    stream = ctx ? ctx->stream : NULL;

    if (stream == NULL || stream->source == NULL || stream->source->local) {
        return ngx_http_next_body_filter(r, in);
    }

    if (stream->rest == NULL) {

        if (!ngx_http_artifact_feed_wants(stream, in)) {
            return ngx_http_next_body_filter(r, in);
        }

        rc = ngx_http_artifact_feed_head(r, stream, in->buf);

    } else {

        if (in && ngx_chain_add_copy(r->pool, &stream->rest, in) != NGX_OK) {
            return NGX_ERROR;
        }

        /* a read that another thread does may have come to its end */

        rc = ngx_http_next_body_filter(r, NULL);
    }

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (stream->state == NGX_HTTP_ARTIFACT_STREAM_WAIT) {
        return NGX_AGAIN;
    }

    return ngx_http_artifact_feed_rest(r, stream);
}


/* Whether this is a file whose first bytes are waited for. */

static ngx_uint_t
ngx_http_artifact_feed_wants(ngx_http_artifact_stream_t *stream,
    ngx_chain_t *in)
{
    ngx_buf_t  *b;

    if (in == NULL || in->next
        || stream->state != NGX_HTTP_ARTIFACT_STREAM_WAIT
        || stream->source->head_len > 0)
    {
        return 0;
    }

    b = in->buf;

    return b->in_file && !ngx_buf_in_memory(b)
           && b->file_last - b->file_pos > ART_SNIFF_MAX;
}


/* Passes the first bytes on, and keeps the rest until they have decided. */

static ngx_int_t
ngx_http_artifact_feed_head(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_buf_t *b)
{
    ngx_buf_t    *head, *rest;
    ngx_chain_t   out, *cl;

    head = ngx_palloc(r->pool, sizeof(ngx_buf_t));
    rest = ngx_palloc(r->pool, sizeof(ngx_buf_t));
    cl = ngx_alloc_chain_link(r->pool);

    if (head == NULL || rest == NULL || cl == NULL) {
        return NGX_ERROR;
    }

    *head = *b;
    *rest = *b;

    head->file_last = b->file_pos + ART_SNIFF_MAX;
    head->last_buf = 0;
    head->last_in_chain = 0;

    rest->file_pos = head->file_last;
    b->file_pos = b->file_last;

    cl->buf = rest;
    cl->next = NULL;

    stream->rest = cl;

    out.buf = head;
    out.next = NULL;

    return ngx_http_next_body_filter(r, &out);
}


static ngx_int_t
ngx_http_artifact_feed_rest(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    off_t         limit;
    ngx_buf_t    *b;
    ngx_chain_t  *rest;

    rest = stream->rest;

    stream->rest = NULL;

    if (r->header_only || stream->state != NGX_HTTP_ARTIFACT_STREAM_RENDER) {
        return NGX_OK;
    }

    b = rest->buf;
    limit = ngx_http_artifact_stream_input_limit(stream);

    if (limit && b->file_last - b->file_pos > limit - ART_SNIFF_MAX) {
        b->file_last = b->file_pos + limit - ART_SNIFF_MAX;
    }

    return ngx_http_next_body_filter(r, rest);
}
