
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Feeds input buffers through the rendering into a bounded number of output
 * buffers.
 */


#include "http/route/ngx_http_artifact_stream.h"
#include "core/json/art_json_escape.h"
#include "core/render/art_render.h"


/*
 * Memory of a routed answer beyond nginx's own buffers.  While one buffer is
 * on its way to the client, the other is filled.
 */

#define NGX_HTTP_ARTIFACT_BUFS      2
#define NGX_HTTP_ARTIFACT_BUF_SIZE  24576
#define NGX_HTTP_ARTIFACT_BUF_MIN   256


static ngx_int_t ngx_http_artifact_fill(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);
static void ngx_http_artifact_give_back(ngx_http_artifact_stream_t *stream);
static ngx_int_t ngx_http_artifact_render_step(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_buf_t *in, size_t room,
    size_t *written);
static ngx_uint_t ngx_http_artifact_is_last(
    ngx_http_artifact_stream_t *stream, ngx_buf_t *in);
static ngx_uint_t ngx_http_artifact_is_short(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_buf_t *last);
static ngx_uint_t ngx_http_artifact_is_too_long(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);
static void ngx_http_artifact_keep(ngx_http_artifact_stream_t *stream);
static size_t ngx_http_artifact_buf_size(ngx_http_artifact_stream_t *stream);
static ngx_int_t ngx_http_artifact_put_buf(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);


ngx_int_t
ngx_http_artifact_body_render(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    ngx_int_t     rc;
    ngx_chain_t  *cl;

    while (stream->in) {

        rc = ngx_http_artifact_fill(r, stream);

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

    /* what there is goes on at once: the source may be slow */

    if (stream->bufs.buf && stream->bufs.buf->last > stream->bufs.buf->pos) {
        return ngx_http_artifact_put_buf(r, stream);
    }

    /*
     * A flush without bytes goes on, too: a source that has failed ends with
     * one, and the client would wait for what a filter behind, gzip above all,
     * holds.
     */

    if (stream->flush) {
        stream->flush = 0;
        return ngx_http_artifact_bufs_put_flush(r->pool, &stream->bufs);
    }

    return NGX_OK;
}


/* Renders one input buffer; NGX_OK when it is used up. */

static ngx_int_t
ngx_http_artifact_fill(ngx_http_request_t *r,
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
                ngx_http_artifact_give_back(stream);
                return rc;
            }
        }

        room = (size_t) (stream->bufs.buf->end - stream->bufs.buf->last);

        if (ngx_http_artifact_render_step(r, stream, in, room, &n) != NGX_OK) {
            return NGX_ERROR;
        }

        if (stream->render.state == ART_RENDER_DONE) {
            ngx_http_artifact_keep(stream);

            stream->state = NGX_HTTP_ARTIFACT_STREAM_END;
            stream->bufs.buf->last_buf = !stream->part;
            stream->bufs.buf->last_in_chain = stream->part;
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


/*
 * An input buffer may be used up while there is no room for all that came of
 * it.  Its owner takes it back then, and fills it anew: an empty buffer of the
 * stream's own waits in its place.
 */

static void
ngx_http_artifact_give_back(ngx_http_artifact_stream_t *stream)
{
    ngx_buf_t  *in;

    in = stream->in->buf;

    if (ngx_buf_size(in) > 0 || ngx_http_artifact_is_last(stream, in)) {
        return;
    }

    stream->used_up.flush = in->flush;
    stream->used_up.sync = 1;

    stream->in->buf = &stream->used_up;
}


/* One step of the rendering, into the room of the buffer being filled. */

static ngx_int_t
ngx_http_artifact_render_step(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_buf_t *in, size_t room,
    size_t *written)
{
    size_t          n, len;
    ngx_uint_t      last;
    art_render_t   *render;
    const uint8_t  *src;

    render = &stream->render;

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

    stream->taken += (u_char *) src - in->pos;

    if (ngx_http_artifact_is_too_long(r, stream)) {
        return NGX_ERROR;
    }

    if (n == ART_JSON_TEXT_ERROR) {

        if (render->text.binary) {
            ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                          "artifact that should be text is none after %O bytes",
                          stream->taken);
            return NGX_ERROR;
        }

        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "artifact charset \"%s\" cannot be converted",
                      render->text.charset);
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
 * The end of the content.  Of the main request, merged by now, it is the end of
 * the answer; that of a subrequest is known when it ends itself.
 */

static ngx_uint_t
ngx_http_artifact_is_last(ngx_http_artifact_stream_t *stream, ngx_buf_t *in)
{
    return stream->part ? in == stream->last : in->last_buf;
}


/* The length was promised from the content's: less of it is no answer. */

static ngx_uint_t
ngx_http_artifact_is_short(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_buf_t *last)
{
    off_t              taken;
    const art_view_t  *view;

    view = &stream->view;
    taken = stream->taken;

    if (ngx_buf_in_memory(last)) {
        taken += last->last - last->pos;
    }

    if (!view->size_known
        || (stream->render.form != ART_FORM_BASE64
            && (!stream->part || art_render_input_limit(&stream->render)))
        || (uint64_t) taken >= view->size)
    {
        return 0;
    }

    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "artifact ended after %O of %uL bytes", taken, view->size);
    return 1;
}


/*
 * A content of unknown length may turn out to be longer than what may be
 * inlined when it is too late to say so otherwise.
 */

static ngx_uint_t
ngx_http_artifact_is_too_long(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    const art_view_t  *view;

    view = &stream->view;

    if (view->decision.max == 0 || view->size_known
        || (uint64_t) stream->taken <= view->decision.max
        || stream->render.form != ART_FORM_BASE64)
    {
        return 0;
    }

    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "artifact of unknown length is longer than the %uL bytes "
                  "that \"artifact_inline_max\", the format \"%s\" or the "
                  "service allow", view->decision.max,
                  stream->terms.format->name);
    return 1;
}


/* An answer that one buffer holds may be given to the next one who asks. */

static void
ngx_http_artifact_keep(ngx_http_artifact_stream_t *stream)
{
    ngx_buf_t  *b;

    b = stream->bufs.buf;

    if (stream->kept && !stream->begun
        && art_render_needs_content(&stream->render))
    {
        ngx_http_artifact_open_cache_put_answer(stream->source, &stream->key,
                                            &stream->render, b->pos,
                                            (size_t) (b->last - b->pos));
    }
}


/* A short answer does not need a whole buffer. */

static size_t
ngx_http_artifact_buf_size(ngx_http_artifact_stream_t *stream)
{
    if (stream->length < 0 || stream->length >= NGX_HTTP_ARTIFACT_BUF_SIZE) {
        return NGX_HTTP_ARTIFACT_BUF_SIZE;
    }

    return ngx_max((size_t) stream->length + ART_JSON_UNIT_MAX,
                   NGX_HTTP_ARTIFACT_BUF_MIN);
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
