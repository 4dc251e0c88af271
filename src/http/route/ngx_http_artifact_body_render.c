
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Feeds input buffers through the rendering into a bounded number of output
 * buffers.
 */


#include "http/base/ngx_http_artifact.h"


/*
 * Memory of a routed answer beyond nginx's own buffers.  While one buffer is
 * on its way to the client, the other is filled.
 */

#define NGX_HTTP_ARTIFACT_BUFS      2
#define NGX_HTTP_ARTIFACT_BUF_SIZE  24576
#define NGX_HTTP_ARTIFACT_BUF_MIN   256


static ngx_int_t ngx_http_artifact_fill(ngx_http_request_t *r,
    ngx_http_artifact_body_t *body);
static ngx_int_t ngx_http_artifact_render(ngx_http_request_t *r,
    ngx_http_artifact_body_t *body, ngx_buf_t *in, size_t room,
    size_t *written);
static ngx_uint_t ngx_http_artifact_is_short(ngx_http_request_t *r,
    ngx_http_artifact_body_t *body, ngx_buf_t *last);
static ngx_uint_t ngx_http_artifact_is_too_long(ngx_http_request_t *r,
    ngx_http_artifact_body_t *body);
static ngx_int_t ngx_http_artifact_get_buf(ngx_http_request_t *r,
    ngx_http_artifact_body_t *body);
static ngx_int_t ngx_http_artifact_put_buf(ngx_http_request_t *r,
    ngx_http_artifact_body_t *body);


ngx_int_t
ngx_http_artifact_encode(ngx_http_request_t *r,
    ngx_http_artifact_body_t *body)
{
    ngx_int_t     rc;
    ngx_chain_t  *cl;

    while (body->in) {

        rc = ngx_http_artifact_fill(r, body);

        if (rc != NGX_OK) {
            return rc;
        }

        cl = body->in;

        if (cl->buf->flush || cl->buf->sync) {
            body->flush = 1;
        }

        body->in = cl->next;
        ngx_free_chain(r->pool, cl);
    }

    /* what there is goes on at once: the source may be slow */

    if (body->buf && body->buf->last > body->buf->pos) {
        return ngx_http_artifact_put_buf(r, body);
    }

    return NGX_OK;
}


/* Renders one input buffer; NGX_OK when it is used up. */

static ngx_int_t
ngx_http_artifact_fill(ngx_http_request_t *r, ngx_http_artifact_body_t *body)
{
    size_t         n, room;
    ngx_buf_t     *in;
    ngx_int_t      rc;
    art_render_t  *render;

    in = body->in->buf;
    render = &body->render;

    for ( ;; ) {

        if (render->state == ART_RENDER_DONE) {
            in->pos = in->last;
            in->file_pos = in->file_last;
            return NGX_OK;
        }

        if (body->buf == NULL) {
            rc = ngx_http_artifact_get_buf(r, body);

            if (rc != NGX_OK) {
                return rc;
            }
        }

        room = (size_t) (body->buf->end - body->buf->last);

        if (ngx_http_artifact_render(r, body, in, room, &n) != NGX_OK) {
            return NGX_ERROR;
        }

        if (render->state == ART_RENDER_DONE) {
            body->buf->last_buf = 1;
            continue;
        }

        if (n == 0 && in->pos == in->last && !in->last_buf) {
            return NGX_OK;
        }

        if (n > 0 && room - n >= ART_JSON_UNIT_MAX) {
            continue;
        }

        /* the buffer is full */

        if (body->buf->last == body->buf->pos) {
            ngx_log_error(NGX_LOG_ALERT, r->connection->log, 0,
                          "artifact rendering makes no progress");
            return NGX_ERROR;
        }

        if (ngx_http_artifact_put_buf(r, body) != NGX_OK) {
            return NGX_ERROR;
        }
    }
}


/* One step of the rendering, into the room of the buffer being filled. */

static ngx_int_t
ngx_http_artifact_render(ngx_http_request_t *r, ngx_http_artifact_body_t *body,
    ngx_buf_t *in, size_t room, size_t *written)
{
    size_t          n, len;
    art_render_t   *render;
    const uint8_t  *src;

    render = &body->render;

    if (in->in_file && !ngx_buf_in_memory(in)
        && art_render_needs_content(render))
    {
        ngx_log_error(NGX_LOG_ALERT, r->connection->log, 0,
                      "artifact content was not read into memory");
        return NGX_ERROR;
    }

    if (in->last_buf && ngx_http_artifact_is_short(r, body, in)) {
        return NGX_ERROR;
    }

    src = in->pos;
    len = ngx_buf_in_memory(in) ? (size_t) (in->last - in->pos) : 0;

    n = art_render_update(render, body->buf->last, room, &src, &len,
                          in->last_buf);

    body->taken += (u_char *) src - in->pos;

    if (ngx_http_artifact_is_too_long(r, body)) {
        return NGX_ERROR;
    }

    if (n == ART_JSON_TEXT_ERROR) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "artifact charset \"%s\" cannot be converted",
                      render->conf.charset);
        return NGX_ERROR;
    }

    in->pos = (u_char *) src;

    if (ngx_buf_in_memory(in) && len == 0) {
        in->file_pos = in->file_last;
    }

    body->buf->last += n;
    *written = n;

    return NGX_OK;
}


/* The length was promised from the content's: less of it is no answer. */

static ngx_uint_t
ngx_http_artifact_is_short(ngx_http_request_t *r,
    ngx_http_artifact_body_t *body, ngx_buf_t *last)
{
    off_t              rest;
    const art_view_t  *view;

    view = body->render.conf.view;
    rest = ngx_buf_in_memory(last) ? last->last - last->pos : 0;

    if (!view->size_known || body->render.form != ART_FORM_BASE64
        || (uint64_t) (body->taken + rest) >= view->size)
    {
        return 0;
    }

    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "artifact ended after %O of %uL bytes", body->taken + rest,
                  view->size);
    return 1;
}


/*
 * A content of unknown length may turn out to be longer than what may be
 * inlined when it is too late to say so otherwise.
 */

static ngx_uint_t
ngx_http_artifact_is_too_long(ngx_http_request_t *r,
    ngx_http_artifact_body_t *body)
{
    const art_view_t  *view;

    view = body->render.conf.view;

    if (view->decision.max == 0 || view->size_known
        || (uint64_t) body->taken <= view->decision.max
        || body->render.form != ART_FORM_BASE64)
    {
        return 0;
    }

    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "artifact of unknown length is longer than the %uL bytes "
                  "that \"artifact_inline_max\", the format \"%s\" or the "
                  "service allow", view->decision.max,
                  body->render.conf.format->name);
    return 1;
}


static ngx_int_t
ngx_http_artifact_get_buf(ngx_http_request_t *r,
    ngx_http_artifact_body_t *body)
{
    off_t         length;
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    if (body->free) {
        cl = body->free;
        body->free = cl->next;
        body->buf = cl->buf;
        ngx_free_chain(r->pool, cl);

        body->buf->flush = 0;
        body->buf->last_buf = 0;

        return NGX_OK;
    }

    if (body->nbufs == NGX_HTTP_ARTIFACT_BUFS) {
        return NGX_DECLINED;
    }

    if (body->buf_size == 0) {

        /* a short answer does not need a whole buffer */

        length = r->headers_out.content_length_n;

        body->buf_size = NGX_HTTP_ARTIFACT_BUF_SIZE;

        if (length > 0 && length < NGX_HTTP_ARTIFACT_BUF_SIZE) {
            body->buf_size = ngx_max((size_t) length + ART_JSON_UNIT_MAX,
                                     NGX_HTTP_ARTIFACT_BUF_MIN);
        }
    }

    b = ngx_create_temp_buf(r->pool, body->buf_size);
    if (b == NULL) {
        return NGX_ERROR;
    }

    /* recycled: the writer must not wait for more before it sends this */

    b->tag = (ngx_buf_tag_t) &ngx_artifact_module;
    b->recycled = 1;

    body->buf = b;
    body->nbufs++;

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_put_buf(ngx_http_request_t *r,
    ngx_http_artifact_body_t *body)
{
    ngx_chain_t  *cl;

    cl = ngx_alloc_chain_link(r->pool);
    if (cl == NULL) {
        return NGX_ERROR;
    }

    body->buf->flush = body->flush;
    body->flush = 0;

    cl->buf = body->buf;
    cl->next = NULL;

    *body->last_out = cl;
    body->last_out = &cl->next;
    body->buf = NULL;

    return NGX_OK;
}
