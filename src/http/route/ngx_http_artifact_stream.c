
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The life of a stream, and its output: input buffers are rendered into a
 * bounded number of output buffers.
 */


#include "http/route/ngx_http_artifact_stream.h"
#include "http/source/ngx_http_artifact_classify.h"
#include "core/json/art_json_escape.h"
#include "core/render/art_render.h"


/*
 * The memory of a routed answer beyond nginx's own buffers.  While one buffer
 * is being sent to the client, the other one is filled.
 */

#define NGX_HTTP_ARTIFACT_BUFS      2
#define NGX_HTTP_ARTIFACT_BUF_SIZE  24576
#define NGX_HTTP_ARTIFACT_BUF_MIN   256


static ngx_int_t ngx_http_artifact_stream_render(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);
static ngx_uint_t ngx_http_artifact_stream_fills(
    ngx_http_artifact_stream_t *stream);
static ngx_int_t ngx_http_artifact_render_buf(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);
static size_t ngx_http_artifact_buf_size(ngx_http_artifact_stream_t *stream);
static void ngx_http_artifact_used_up(ngx_http_artifact_stream_t *stream);
static ngx_int_t ngx_http_artifact_render_step(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_buf_t *in, size_t room,
    size_t *written);
static ngx_uint_t ngx_http_artifact_is_last(
    ngx_http_artifact_stream_t *stream, ngx_buf_t *in);
static ngx_uint_t ngx_http_artifact_is_short(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_buf_t *last);
static ngx_uint_t ngx_http_artifact_is_too_long(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);
static void ngx_http_artifact_render_error(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);
static void ngx_http_artifact_render_end(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);
static void ngx_http_artifact_render_keep(ngx_http_artifact_stream_t *stream);
static ngx_int_t ngx_http_artifact_put_buf(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);


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
     *     stream->consumed = 0;
     */

    stream->source = ctx->source;
    stream->length = -1;
    stream->part = (r != r->main);

    ngx_http_artifact_bufs_init(&stream->bufs);

    ctx->stream = stream;

    return stream;
}


ngx_http_artifact_stream_t *
ngx_http_artifact_get_stream(ngx_http_request_t *r)
{
    ngx_http_artifact_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    return ctx ? ctx->stream : NULL;
}


/*
 * After postpone all requests are one, and the flag that subrequests inherit
 * counts; before it, each request has its own.
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


ngx_uint_t
ngx_http_artifact_stream_needs_content(ngx_http_artifact_stream_t *stream)
{
    return stream == NULL || stream->state == NGX_HTTP_ARTIFACT_STREAM_WAIT
           || (stream->state == NGX_HTTP_ARTIFACT_STREAM_RENDER
               && art_render_needs_content(stream->render));
}


off_t
ngx_http_artifact_stream_input_limit(ngx_http_artifact_stream_t *stream)
{
    return stream && stream->state == NGX_HTTP_ARTIFACT_STREAM_RENDER
           && (stream->source->size >= 0
               || (!stream->part && !stream->source->coded))
           ? (off_t) art_render_input_limit(stream->render) : 0;
}


ngx_int_t
ngx_http_artifact_stream_hold(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t **in)
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

        do {
            n = ngx_buf_in_memory(b) ? (size_t) (b->last - b->pos) : 0;
            n = ngx_min(n, source->head_room - source->head_len);

            if (n > 0) {
                ngx_memcpy(source->head + source->head_len, b->pos, n);

                source->head_len += n;
                b->pos += n;
            }

        } while (source->head_len == source->head_room
                 && ngx_http_artifact_stream_measures(stream)
                 && ngx_http_artifact_grow_head(r, source) == NGX_OK);

        if (b->pos == b->last) {
            b->file_pos = b->file_last;

            /* the first of several slices ends only its own chain */

            source->whole = stream->part ? b == stream->last : b->last_buf;
            source->ended = source->whole
                            || (b->last_in_chain && !stream->part);
        }

        if (source->ended) {
            *in = cl->next;
            return NGX_OK;
        }

        if (source->head_len == source->head_room) {
            *in = b->pos == b->last ? cl->next : cl;
            return NGX_OK;
        }
    }

    return NGX_AGAIN;
}


ngx_buf_t *
ngx_http_artifact_stream_held(ngx_http_request_t *r,
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
     * A call without input wakes the filters that follow, which may hold
     * something; a second one might find nothing there, which nginx takes for
     * an error.
     */

    wake = (in == NULL);

    do {
        rendered = ngx_http_artifact_stream_render(r, stream);

        if (rendered == NGX_ERROR) {
            return NGX_ERROR;
        }

        rc = NGX_OK;

        if (rendered == NGX_OK && !wake
            && ngx_http_artifact_stream_fills(stream))
        {
            return NGX_OK;
        }

        if (stream->bufs.out || stream->bufs.busy
            || (wake && r->connection->buffered))
        {
            wake = 0;
            rc = ngx_http_artifact_bufs_send(r, &stream->bufs, output);

            if (rc == NGX_ERROR) {
                return NGX_ERROR;
            }
        }

        /* NGX_DECLINED: all buffers are busy */

    } while (rendered == NGX_DECLINED && stream->bufs.free);

    return rc;
}


/*
 * Renders stream->in into stream->bufs: NGX_OK when the input is used up,
 * NGX_DECLINED when there is no buffer for the next output, NGX_ERROR.
 */

static ngx_int_t
ngx_http_artifact_stream_render(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    ngx_int_t     rc;
    ngx_chain_t  *cl;

    while (stream->in) {

        rc = ngx_http_artifact_render_buf(r, stream);

        if (rc != NGX_OK) {
            return rc;
        }

        cl = stream->in;

        if (cl->buf->flush) {
            stream->flush = 1;
        }

        stream->in = cl->next;
        ngx_free_chain(r->pool, cl);
    }

    /* output is usually passed on at once: the source may be slow */

    if (stream->bufs.buf && stream->bufs.buf->last > stream->bufs.buf->pos
        && !ngx_http_artifact_stream_fills(stream))
    {
        return ngx_http_artifact_put_buf(r, stream);
    }

    /*
     * A flush without bytes is also passed on: a source that fails ends with
     * one, and the client would wait for what the filters that follow hold,
     * gzip above all.
     */

    if (stream->flush) {
        stream->flush = 0;
        return ngx_http_artifact_bufs_put_flush(r->pool, &stream->bufs);
    }

    return NGX_OK;
}


/*
 * Whether output waits until both buffers are full, or the content has ended:
 * one that comes from a file or a cache for a consumer, which would otherwise
 * get the last bytes, known when the subrequest ends, on their own.  Without a
 * length a filter may be at work that waits for others, as ssi does.
 */

static ngx_uint_t
ngx_http_artifact_stream_fills(ngx_http_artifact_stream_t *stream)
{
    return stream->part && stream->upstream == NULL && !stream->flush
           && stream->source->size >= 0
           && stream->state == NGX_HTTP_ARTIFACT_STREAM_RENDER
           && stream->bufs.busy == NULL;
}


/* Renders one input buffer; NGX_OK when it is used up. */

static ngx_int_t
ngx_http_artifact_render_buf(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    size_t      n, room;
    ngx_buf_t  *in;
    ngx_int_t   rc;

    in = stream->in->buf;

    for ( ;; ) {

        if (stream->state == NGX_HTTP_ARTIFACT_STREAM_END) {
            in->pos = in->last;
            in->file_pos = in->file_last;
            return NGX_OK;
        }

        if (stream->bufs.buf == NULL) {
            rc = ngx_http_artifact_bufs_get(r->pool, &stream->bufs,
                                            NGX_HTTP_ARTIFACT_BUFS,
                                            ngx_http_artifact_buf_size(stream));

            if (rc != NGX_OK) {
                ngx_http_artifact_used_up(stream);
                return rc;
            }
        }

        room = (size_t) (stream->bufs.buf->end - stream->bufs.buf->last);

        if (ngx_http_artifact_render_step(r, stream, in, room, &n) != NGX_OK) {
            return NGX_ERROR;
        }

        if (stream->render->state == ART_RENDER_DONE) {
            ngx_http_artifact_render_end(r, stream);
            continue;
        }

        if (n == 0 && in->pos == in->last
            && !ngx_http_artifact_is_last(stream, in))
        {
            return NGX_OK;
        }

        if (n > 0 && room - n >= ART_JSON_UNIT_MAX) {
            continue;
        }

        /* the buffer is full */

        if (stream->bufs.buf->last == stream->bufs.buf->pos) {
            ngx_log_error(NGX_LOG_ALERT, r->connection->log, 0,
                          "artifact rendering makes no progress");
            return NGX_ERROR;
        }

        if (ngx_http_artifact_put_buf(r, stream) != NGX_OK) {
            return NGX_ERROR;
        }
    }
}


/* A short answer does not need a full-size buffer. */

static size_t
ngx_http_artifact_buf_size(ngx_http_artifact_stream_t *stream)
{
    if (stream->length < 0 || stream->length >= NGX_HTTP_ARTIFACT_BUF_SIZE) {
        return NGX_HTTP_ARTIFACT_BUF_SIZE;
    }

    return ngx_max((size_t) stream->length + ART_JSON_UNIT_MAX,
                   NGX_HTTP_ARTIFACT_BUF_MIN);
}


/*
 * An input buffer may be used up while there is no room for all the output that
 * it produces.  It is returned to its owner to be filled again, and an empty
 * buffer of the stream replaces it.
 */

static void
ngx_http_artifact_used_up(ngx_http_artifact_stream_t *stream)
{
    ngx_buf_t  *in;

    in = stream->in->buf;

    if (ngx_buf_size(in) > 0 || ngx_http_artifact_is_last(stream, in)) {
        return;
    }

    stream->empty.flush = in->flush;
    stream->empty.sync = 1;

    stream->in->buf = &stream->empty;
}


/* One step of the rendering, into the free space of the current buffer. */

static ngx_int_t
ngx_http_artifact_render_step(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_buf_t *in, size_t room,
    size_t *written)
{
    size_t          n, len;
    ngx_uint_t      last;
    art_render_t   *render;
    const uint8_t  *src;

    render = stream->render;

    if (in->in_file && !ngx_buf_in_memory(in)
        && art_render_needs_content(render))
    {
        ngx_log_error(NGX_LOG_ALERT, r->connection->log, 0,
                      "artifact content was not read into memory");
        return NGX_ERROR;
    }

    last = ngx_http_artifact_is_last(stream, in);

    if (last && ngx_http_artifact_is_short(r, stream, in)) {
        return NGX_ERROR;
    }

    src = in->pos;
    len = ngx_buf_in_memory(in) ? (size_t) (in->last - in->pos) : 0;

    n = art_render_update(render, stream->bufs.buf->last, room, &src, &len,
                          (unsigned) last);

    stream->consumed += (u_char *) src - in->pos;

    if (ngx_http_artifact_is_too_long(r, stream)) {
        return NGX_ERROR;
    }

    if (n == ART_JSON_TEXT_ERROR) {
        ngx_http_artifact_render_error(r, stream);
        return NGX_ERROR;
    }

    in->pos = (u_char *) src;

    if (ngx_buf_in_memory(in) && len == 0) {
        in->file_pos = in->file_last;
    }

    stream->bufs.buf->last += n;
    *written = n;

    return NGX_OK;
}


/*
 * Whether a buffer is the end of the content.  The main request, merged by now,
 * marks it; the end of a subrequest's content is known when that ends.
 */

static ngx_uint_t
ngx_http_artifact_is_last(ngx_http_artifact_stream_t *stream, ngx_buf_t *in)
{
    return stream->part ? in == stream->last : in->last_buf;
}


/* The answer's length was derived from the content's, which must be right. */

static ngx_uint_t
ngx_http_artifact_is_short(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_buf_t *last)
{
    off_t              taken;
    const art_view_t  *view;

    view = &stream->view;
    taken = stream->consumed;

    if (ngx_buf_in_memory(last)) {
        taken += last->last - last->pos;
    }

    if (!view->size_known
        || (stream->render->form != ART_FORM_BASE64
            && (!stream->part || art_render_input_limit(stream->render)))
        || (uint64_t) taken >= view->size)
    {
        return 0;
    }

    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "artifact ended after %O of %uL bytes", taken, view->size);
    return 1;
}


/*
 * A content of unknown length may exceed the limit of inlined contents when it
 * is too late for another answer.
 */

static ngx_uint_t
ngx_http_artifact_is_too_long(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    const art_view_t  *view;

    view = &stream->view;

    if (view->decision.max == 0 || view->size_known
        || (uint64_t) stream->consumed <= view->decision.max
        || stream->render->form != ART_FORM_BASE64)
    {
        return 0;
    }

    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "artifact of unknown length is longer than the %uL bytes "
                  "that \"artifact_inline_max\", the format \"%s\" or the "
                  "service allow", view->decision.max,
                  stream->terms.format->name);

    stream->too_long = 1;

    return 1;
}


static void
ngx_http_artifact_render_error(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "artifact charset \"%s\" cannot be converted",
                  stream->render->text.charset);
}


static void
ngx_http_artifact_render_end(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    ngx_buf_t  *b;

    b = stream->bufs.buf;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact stream: end, %O bytes read, answer %O",
                   stream->consumed, stream->length);

    if (stream->keeper && !stream->begun
        && art_render_needs_content(stream->render))
    {
        ngx_http_artifact_render_keep(stream);
    }

    stream->state = NGX_HTTP_ARTIFACT_STREAM_END;

    b->last_buf = !stream->part;
    b->last_in_chain = stream->part;
}


/* An answer that fits into one buffer may be cached for the next request. */

static void
ngx_http_artifact_render_keep(ngx_http_artifact_stream_t *stream)
{
    u_char                    *answer;
    size_t                     len;
    const art_envelope_t      *envelope;
    ngx_http_artifact_kept_t   kept;

    envelope = &stream->terms.envelope;
    answer = stream->bufs.buf->pos + envelope->before.len;
    len = (size_t) (stream->bufs.buf->last - answer) - envelope->after.len;

    if (!stream->part) {
        ngx_http_artifact_open_cache_put_answer(stream->keeper, &stream->key,
                                                stream->render, answer, len);
        return;
    }

    if (stream->made == NULL || stream->consumed != stream->source->size) {
        return;
    }

    kept.key = stream->key;
    kept.made = *stream->made;
    kept.decision = stream->view.decision;
    kept.from = stream->source->verdict.from;
    kept.contradicted = stream->source->verdict.contradicted;
    kept.answer.data = answer;
    kept.answer.len = len;

    ngx_http_artifact_open_cache_keep(stream->keeper, &kept);
}


static ngx_int_t
ngx_http_artifact_put_buf(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    stream->bufs.buf->flush = stream->flush;

    stream->begun = 1;
    stream->flush = 0;

    return ngx_http_artifact_bufs_put(r->pool, &stream->bufs,
                                      stream->bufs.buf);
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


void
ngx_http_artifact_drop(ngx_chain_t *in)
{
    for ( /* void */ ; in; in = in->next) {
        in->buf->pos = in->buf->last;
        in->buf->file_pos = in->buf->file_last;
    }
}
