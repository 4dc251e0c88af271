
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The body filter before copy, in the header filter's module: of a file that
 * is a response's source (nginx's own static one, or a cached object) no more
 * is read than the answer needs.  The copy filter would read all of it, also
 * to throw it away.
 */


#include "http/route/ngx_http_artifact_feed_filter.h"
#include "http/route/ngx_http_artifact_consumer.h"
#include "http/route/ngx_http_artifact_upstream.h"


#define NGX_HTTP_ARTIFACT_FEED_PIECE  32768


static ngx_int_t ngx_http_artifact_feed_filter(ngx_http_request_t *r,
    ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_feed(ngx_http_request_t *r,
    ngx_chain_t *in);
static ngx_uint_t ngx_http_artifact_feed_wants(
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_feed_head(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_buf_t *b);
static ngx_int_t ngx_http_artifact_feed_piece(ngx_http_request_t *r,
    ngx_buf_t *rest, off_t size);
static ngx_int_t ngx_http_artifact_feed_rest(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);


static ngx_http_output_body_filter_pt  ngx_http_next_body_filter;


void
ngx_http_artifact_feed_init(void)
{
    ngx_http_next_body_filter = ngx_http_top_body_filter;
    ngx_http_top_body_filter = ngx_http_artifact_feed_filter;
}


/*
 * nginx takes an error of any filter for one of the connection, which ends the
 * main request as well: that of a source's filter stays here.  A filter that
 * asks for an error's page must not get "error_page": nginx would redirect the
 * source, whose handler is still at work, and count on the error to end both.
 */

static ngx_int_t
ngx_http_artifact_feed_filter(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_int_t                      rc;
    ngx_uint_t                     error_page;
    ngx_http_artifact_ctx_t       *ctx;
    ngx_http_artifact_consumer_t  *consumer;

    consumer = ngx_http_artifact_consumer(r);

    if (consumer == NULL) {
        return ngx_http_artifact_feed(r, in);
    }

    if (consumer->broken) {
        ngx_http_artifact_drop(in);
        return NGX_OK;
    }

    error_page = r->error_page;
    r->error_page = 1;

    rc = ngx_http_artifact_feed(r, in);

    r->error_page = error_page & 1;

    if (rc != NGX_ERROR) {
        return rc;
    }

    consumer->broken = 1;
    consumer->failed = 1;
    consumer->whole = 0;
    consumer->why = consumer->why ? consumer->why : "a filter failed";

    ngx_http_artifact_drop(in);
    r->buffered = 0;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    if (ctx && ctx->stream) {
        ngx_http_artifact_stream_abandon(ctx->stream);
        ngx_http_artifact_upstream_end(ctx->stream->upstream);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_feed(ngx_http_request_t *r, ngx_chain_t *in)
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

    /* a filter of a source may want more before it passes anything on */

    while (rc != NGX_ERROR && stream->part && stream->rest
           && stream->state == NGX_HTTP_ARTIFACT_STREAM_WAIT
           && stream->rest->next == NULL
           && !(r->buffered & NGX_HTTP_COPY_BUFFERED)
           && stream->rest->buf->file_last - stream->rest->buf->file_pos
              > NGX_HTTP_ARTIFACT_FEED_PIECE)
    {
        rc = ngx_http_artifact_feed_piece(r, stream->rest->buf,
                                          NGX_HTTP_ARTIFACT_FEED_PIECE);
    }

    /* a filter that made an end of its own may have had it passed already */

    if (rc == NGX_ERROR || stream->rest == NULL) {
        return rc;
    }

    if (stream->state == NGX_HTTP_ARTIFACT_STREAM_WAIT
        && (!stream->part || (r->buffered & NGX_HTTP_COPY_BUFFERED)))
    {
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
    ngx_buf_t    *rest;
    ngx_chain_t  *cl;

    rest = ngx_palloc(r->pool, sizeof(ngx_buf_t));
    cl = ngx_alloc_chain_link(r->pool);

    if (rest == NULL || cl == NULL) {
        return NGX_ERROR;
    }

    *rest = *b;
    b->file_pos = b->file_last;

    cl->buf = rest;
    cl->next = NULL;

    stream->rest = cl;

    return ngx_http_artifact_feed_piece(r, rest, ART_SNIFF_MAX);
}


static ngx_int_t
ngx_http_artifact_feed_piece(ngx_http_request_t *r, ngx_buf_t *rest, off_t size)
{
    ngx_buf_t    *piece;
    ngx_chain_t   out;

    piece = ngx_palloc(r->pool, sizeof(ngx_buf_t));
    if (piece == NULL) {
        return NGX_ERROR;
    }

    *piece = *rest;

    piece->file_last = rest->file_pos + size;
    piece->last_buf = 0;
    piece->last_in_chain = 0;

    rest->file_pos = piece->file_last;

    out.buf = piece;
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

    if (r->header_only
        || (stream->state != NGX_HTTP_ARTIFACT_STREAM_RENDER && !stream->part)
        || stream->state == NGX_HTTP_ARTIFACT_STREAM_END)
    {
        return NGX_OK;
    }

    b = rest->buf;
    limit = ngx_http_artifact_stream_input_limit(stream);

    if (limit && b->file_last - b->file_pos > limit - ART_SNIFF_MAX) {
        b->file_last = b->file_pos + limit - ART_SNIFF_MAX;
    }

    return ngx_http_next_body_filter(r, rest);
}
