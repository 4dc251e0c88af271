
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The life of a stream, and its output.
 */


#include "http/route/ngx_http_artifact_stream.h"


ngx_http_artifact_stream_t *
ngx_http_artifact_stream_create(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_http_artifact_stream_t  *stream;

    stream = ngx_pcalloc(r->pool, sizeof(ngx_http_artifact_stream_t));
    if (stream == NULL) {
        return NULL;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     stream->state = NGX_HTTP_ARTIFACT_STREAM_WAIT;
     *     stream->upstream = NULL;
     *     stream->in, bufs, rest = NULL;
     *     stream->taken = 0;
     */

    stream->source = ctx->source;
    stream->length = -1;
    stream->part = (r != r->main);

    ngx_http_artifact_bufs_init(&stream->bufs);

    ctx->stream = stream;

    return stream;
}


/*
 * Behind postpone all requests are one, and the flag that subrequests inherit
 * counts; before it, each has its own.
 */

void
ngx_http_artifact_need_in_memory(ngx_http_request_t *r)
{
    if (r == r->main) {
        r->main_filter_need_in_memory = 1;

    } else {
        r->filter_need_in_memory = 1;
    }
}


void
ngx_http_artifact_stream_replace(ngx_http_artifact_stream_t *stream,
    ngx_buf_t *b)
{
    stream->state = NGX_HTTP_ARTIFACT_STREAM_REPLACE;
    stream->replacement = b;
}


ngx_uint_t
ngx_http_artifact_stream_needs_content(ngx_http_artifact_stream_t *stream)
{
    return stream == NULL || stream->state == NGX_HTTP_ARTIFACT_STREAM_WAIT
           || (stream->state == NGX_HTTP_ARTIFACT_STREAM_RENDER
               && art_render_needs_content(&stream->render));
}


off_t
ngx_http_artifact_stream_input_limit(ngx_http_artifact_stream_t *stream)
{
    return stream && stream->state == NGX_HTTP_ARTIFACT_STREAM_RENDER
           && (stream->source->size >= 0
               || (!stream->part && !stream->source->coded))
           ? (off_t) art_render_input_limit(&stream->render) : 0;
}


ngx_int_t
ngx_http_artifact_stream_write(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in,
    ngx_http_output_body_filter_pt output)
{
    ngx_int_t   rc, rendered;
    ngx_uint_t  wake;

    if (in && ngx_chain_add_copy(r->pool, &stream->in, in) != NGX_OK) {
        return NGX_ERROR;
    }

    /*
     * A call without input wakes the filters behind, which may hold something;
     * a second one could find nothing there, and that is an error to nginx.
     */

    wake = (in == NULL);

    do {
        rendered = ngx_http_artifact_body_render(r, stream);

        if (rendered == NGX_ERROR) {
            return NGX_ERROR;
        }

        rc = NGX_OK;

        if (stream->bufs.out || stream->bufs.busy
            || (wake && r->connection->buffered))
        {
            wake = 0;
            rc = ngx_http_artifact_bufs_send(r, &stream->bufs, output);

            if (rc == NGX_ERROR) {
                return NGX_ERROR;
            }
        }

        /* NGX_DECLINED: all buffers are taken */

    } while (rendered == NGX_DECLINED && stream->bufs.free);

    return rc;
}


ngx_int_t
ngx_http_artifact_stream_take(ngx_http_artifact_stream_t *stream,
    ngx_chain_t **in)
{
    size_t                       n;
    ngx_buf_t                   *b;
    ngx_chain_t                 *cl;
    ngx_http_artifact_source_t  *source;

    source = stream->source;

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

            source->whole = stream->part ? b == stream->last : b->last_buf;
            source->ended = source->whole
                            || (b->last_in_chain && !stream->part);
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


ngx_buf_t *
ngx_http_artifact_stream_taken(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    ngx_buf_t                   *b;
    ngx_http_artifact_source_t  *source;

    source = stream->source;

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

    if (stream->part && source->whole) {
        stream->last = b;
    }

    return b;
}


void
ngx_http_artifact_stream_abandon(ngx_http_artifact_stream_t *stream)
{
    ngx_http_artifact_drop(stream->in);

    stream->state = NGX_HTTP_ARTIFACT_STREAM_END;
    stream->in = NULL;
    stream->bufs.out = NULL;
    stream->bufs.busy = NULL;
}


/* The source gets its buffers back as if they had been sent. */

void
ngx_http_artifact_drop(ngx_chain_t *in)
{
    for ( /* void */ ; in; in = in->next) {
        in->buf->pos = in->buf->last;
        in->buf->file_pos = in->buf->file_last;
    }
}
