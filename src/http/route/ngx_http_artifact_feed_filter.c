
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The body filter that runs before copy and limits what is read of files.
 */


#include "http/source/ngx_http_artifact_source.h"
#include "http/route/ngx_http_artifact_consumer.h"
#include "http/route/ngx_http_artifact_stream.h"


#define NGX_HTTP_ARTIFACT_FEED_PIECE  32768


static ngx_int_t ngx_http_artifact_feed_filter(ngx_http_request_t *r,
    ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_feed_broken(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_feed(ngx_http_request_t *r,
    ngx_chain_t *in);
static void ngx_http_artifact_feed_stored(
    ngx_http_artifact_source_t *source, ngx_chain_t *in);
static ngx_uint_t ngx_http_artifact_feed_wants(
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_feed_head(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_buf_t *b);
static ngx_int_t ngx_http_artifact_feed_piece(ngx_http_request_t *r,
    ngx_buf_t *rest, off_t size);
static ngx_int_t ngx_http_artifact_feed_rest(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);
static ngx_int_t ngx_http_artifact_feed_end(ngx_http_request_t *r,
    ngx_chain_t *rest);


static ngx_http_output_body_filter_pt  ngx_http_next_body_filter;


void
ngx_http_artifact_feed_init(void)
{
    ngx_http_next_body_filter = ngx_http_top_body_filter;
    ngx_http_top_body_filter = ngx_http_artifact_feed_filter;
}


/*
 * nginx takes an error of any filter for an error of the connection, which also
 * ends the main request: an error of a source's filter is handled here.  A
 * filter that asks for an error page must not get "error_page": nginx would
 * redirect the source, whose handler is still at work, and count on the error
 * to end both.
 */

static ngx_int_t
ngx_http_artifact_feed_filter(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_int_t                      rc;
    ngx_uint_t                     error_page;
    ngx_http_artifact_stream_t    *stream;
    ngx_http_artifact_consumer_t  *consumer;

    consumer = ngx_http_artifact_consumer(r);

    if (consumer == NULL) {
        return ngx_http_artifact_feed(r, in);
    }

    if (consumer->broken) {
        ngx_http_artifact_drop(in);
        return ngx_http_artifact_feed_broken(r);
    }

    error_page = r->error_page;
    r->error_page = 1;

    rc = ngx_http_artifact_feed(r, in);

    r->error_page = error_page & 1;

    if (rc != NGX_ERROR) {
        return rc;
    }

    consumer->broken = 1;

    ngx_http_artifact_consumer_fail(consumer, consumer->why
                                              ? consumer->why
                                              : "a filter failed");
    ngx_http_artifact_drop(in);
    r->buffered = 0;

    stream = ngx_http_artifact_get_stream(r);

    if (stream) {
        ngx_http_artifact_stream_abandon(stream);
        ngx_http_artifact_upstream_end(stream->upstream);
    }

    return NGX_OK;
}


/*
 * A source that has failed while it was not yet its turn has output left in the
 * postpone filter, such as an error page, and may have subrequests there.  That
 * filter is not called any more, so its work is done here: the output is
 * dropped, and the subrequests end one after the other.
 */

static ngx_int_t
ngx_http_artifact_feed_broken(ngx_http_request_t *r)
{
    ngx_http_postponed_request_t  *pr;

    /* nginx would take the end for an error of the connection */

    r->filter_finalize = 0;

    while (r == r->connection->data && r->postponed) {
        pr = r->postponed;
        r->postponed = pr->next;

        if (pr->request) {
            r->connection->data = pr->request;
            return ngx_http_post_request(pr->request, NULL);
        }

        ngx_http_artifact_drop(pr->out);
    }

    return NGX_OK;
}


/*
 * If a response's source is a file (of nginx's static module, or a cached
 * object), no more of it is read than the answer needs: the copy filter would
 * read all of it, even if the bytes are dropped afterwards.
 */

static ngx_int_t
ngx_http_artifact_feed(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_int_t                    rc;
    ngx_http_artifact_stream_t  *stream;

    stream = ngx_http_artifact_get_stream(r);

    if (stream == NULL || stream->source == NULL || stream->source->local) {
        return ngx_http_next_body_filter(r, in);
    }

    if (stream->rest == NULL) {

        if (in && stream->state == NGX_HTTP_ARTIFACT_STREAM_WAIT) {
            ngx_http_artifact_feed_stored(stream->source, in);
        }

        if (!ngx_http_artifact_feed_wants(stream, in)) {
            return ngx_http_next_body_filter(r, in);
        }

        rc = ngx_http_artifact_feed_head(r, stream, in->buf);

    } else {

        if (in && ngx_chain_add_copy(r->pool, &stream->rest, in) != NGX_OK) {
            return NGX_ERROR;
        }

        /* a thread may have finished reading */

        rc = ngx_http_next_body_filter(r, NULL);
    }

    /*
     * a filter of a source may need more input before it passes anything on,
     * and an image before its size is known
     */

    while (rc != NGX_ERROR && stream->rest
           && (stream->part || stream->source->head_room > ART_SNIFF_MAX)
           && stream->state == NGX_HTTP_ARTIFACT_STREAM_WAIT
           && stream->rest->next == NULL
           && !(r->buffered & NGX_HTTP_COPY_BUFFERED)
           && stream->rest->buf->file_last - stream->rest->buf->file_pos
              > NGX_HTTP_ARTIFACT_FEED_PIECE)
    {
        rc = ngx_http_artifact_feed_piece(r, stream->rest->buf,
                                          NGX_HTTP_ARTIFACT_FEED_PIECE);
    }

    /* a filter that marked an end of its own may have let the rest pass */

    if (rc == NGX_ERROR || stream->rest == NULL) {
        return rc;
    }

    if (stream->state == NGX_HTTP_ARTIFACT_STREAM_WAIT
        && ((!stream->part && stream->source->head_room <= ART_SNIFF_MAX)
            || (r->buffered & NGX_HTTP_COPY_BUFFERED)))
    {
        return NGX_AGAIN;
    }

    return ngx_http_artifact_feed_rest(r, stream);
}


/*
 * Notes where all bytes of a response are: in a file.  Filters that change any
 * do not know the length any more.  What is read past the cache of the system
 * cannot be read in pieces.
 */

static void
ngx_http_artifact_feed_stored(ngx_http_artifact_source_t *source,
    ngx_chain_t *in)
{
    ngx_buf_t  *b;

    b = in->buf;

    if (source->head_len == 0 && b->in_file && !ngx_buf_in_memory(b)
        && !b->file->directio && b->file_last - b->file_pos == source->size)
    {
        source->stored = b->file;
        source->stored_at = b->file_pos;
    }
}


/*
 * Whether this is a file whose first bytes are awaited.  What a consumer gets
 * is seldom described, and read at once if that is one piece.
 */

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
           && b->file_last - b->file_pos
              > (stream->part ? NGX_HTTP_ARTIFACT_FEED_PIECE : ART_SNIFF_MAX);
}


/* Passes the first bytes on, and holds the rest until they are classified. */

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

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact feed: first %d of %O bytes", ART_SNIFF_MAX,
                   rest->file_last - rest->file_pos);

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

    if (stream->state == NGX_HTTP_ARTIFACT_STREAM_DERIVE) {
        return ngx_http_artifact_feed_end(r, rest);
    }

    if (r->header_only
        || (stream->state != NGX_HTTP_ARTIFACT_STREAM_RENDER && !stream->part
            && stream->state != NGX_HTTP_ARTIFACT_STREAM_WAIT)
        || stream->state == NGX_HTTP_ARTIFACT_STREAM_END)
    {
        return NGX_OK;
    }

    b = rest->buf;
    limit = ngx_http_artifact_stream_input_limit(stream);

    if (limit && b->file_last - b->file_pos > limit - ART_SNIFF_MAX) {
        b->file_last = b->file_pos + limit - ART_SNIFF_MAX;
    }

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact feed: other %O bytes",
                   b->file_last - b->file_pos);

    return ngx_http_next_body_filter(r, rest);
}


/* None of the rest is needed, except that it may be the end. */

static ngx_int_t
ngx_http_artifact_feed_end(ngx_http_request_t *r, ngx_chain_t *rest)
{
    while (rest && !rest->buf->last_buf) {
        rest = rest->next;
    }

    if (rest == NULL) {
        return NGX_OK;
    }

    rest->buf->in_file = 0;

    return ngx_http_next_body_filter(r, rest);
}
