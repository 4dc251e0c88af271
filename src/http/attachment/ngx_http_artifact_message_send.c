
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A message with attachments: its answer, a step after the other as fast as
 * the client takes them.
 */


#include "http/attachment/ngx_http_artifact_message_int.h"
#include "http/base/ngx_http_artifact_answer.h"


/* Buffers for what stands between the parts, and the least they have. */

#define NGX_HTTP_ARTIFACT_MESSAGE_BUFS  2
#define NGX_HTTP_ARTIFACT_MESSAGE_BUF   4096


static void ngx_http_artifact_message_run(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_message_step(
    ngx_http_artifact_message_t *message);
static ngx_int_t ngx_http_artifact_message_piece(
    ngx_http_artifact_message_t *message);
static ngx_int_t ngx_http_artifact_message_text(
    ngx_http_artifact_message_t *message);
static ngx_int_t ngx_http_artifact_message_content(
    ngx_http_artifact_message_t *message);
static ngx_int_t ngx_http_artifact_message_end(
    ngx_http_artifact_message_t *message);
static ngx_int_t ngx_http_artifact_message_put(
    ngx_http_artifact_message_t *message, ngx_buf_t *b);
static ngx_int_t ngx_http_artifact_message_flush(
    ngx_http_artifact_message_t *message);
static void ngx_http_artifact_message_wait(ngx_http_request_t *r);


void
ngx_http_artifact_message_send(ngx_http_request_t *r)
{
    ngx_int_t                 rc;
    ngx_http_artifact_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);
    ctx->answered = 1;

    /* conditions are for what has a tag */

    r->disable_not_modified = 1;

    r->headers_out.status = NGX_HTTP_OK;

    ngx_http_artifact_set_json_type(r);
    ngx_http_clear_content_length(r);

    rc = ngx_http_send_header(r);

    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        ngx_http_finalize_request(r, rc);
        return;
    }

    r->write_event_handler = ngx_http_artifact_message_run;

    ngx_http_artifact_message_run(r);
}


/* Called by events, and when a subrequest is over. */

static void
ngx_http_artifact_message_run(ngx_http_request_t *r)
{
    ngx_int_t                     rc;
    ngx_connection_t             *c;
    ngx_http_artifact_ctx_t      *ctx;
    ngx_http_artifact_message_t  *message;

    c = r->connection;

    if (c->write->timedout) {
        ngx_log_error(NGX_LOG_INFO, c->log, NGX_ETIMEDOUT,
                      "client timed out");
        c->timedout = 1;

        ngx_http_finalize_request(r, NGX_HTTP_REQUEST_TIME_OUT);
        return;
    }

    if (c->write->delayed || r->aio) {
        ngx_http_artifact_message_wait(r);
        return;
    }

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);
    message = ctx->message;

    if (message->sr && !message->sr->done) {
        return;
    }

    rc = NGX_OK;

    if (message->bufs.busy) {
        rc = ngx_http_artifact_message_flush(message);
    }

    while (rc == NGX_OK) {

        /* a client and local sources that are fast make no pause */

        if (ngx_http_artifact_turn_is_over(&message->turn)) {
            ngx_http_artifact_turn_end(&message->turn, r);
            return;
        }

        rc = ngx_http_artifact_message_step(message);
    }

    if (rc != NGX_AGAIN) {
        r->write_event_handler = ngx_http_request_empty_handler;
        ngx_http_finalize_request(r, rc == NGX_DONE ? NGX_OK : rc);
        return;
    }

    if (message->sr == NULL) {
        ngx_http_artifact_message_wait(r);
    }
}


/* NGX_AGAIN: it has to be tried again; NGX_DONE after the last one. */

static ngx_int_t
ngx_http_artifact_message_step(ngx_http_artifact_message_t *message)
{
    ngx_int_t  rc;

    if (!message->due) {
        message->step = art_reply_next(&message->reply);
        message->due = 1;
    }

    switch (message->step) {

    case ART_REPLY_PIECE:
        rc = ngx_http_artifact_message_piece(message);
        break;

    case ART_REPLY_TEXT:
        rc = ngx_http_artifact_message_text(message);
        break;

    case ART_REPLY_CONTENT:
        rc = ngx_http_artifact_message_content(message);
        break;

    default:  /* ART_REPLY_END */
        return ngx_http_artifact_message_end(message);
    }

    if (rc == NGX_OK) {
        message->due = 0;
    }

    return rc;
}


/* Into the buffer if it has room, else into the next one. */

static ngx_int_t
ngx_http_artifact_message_piece(ngx_http_artifact_message_t *message)
{
    ngx_int_t   rc;
    art_out_t   out;
    ngx_buf_t  *b;

    for ( ;; ) {

        b = message->bufs.buf;
        out = b ? art_out(b->last, (size_t) (b->end - b->last))
                : art_out(NULL, 0);

        art_reply_print(&message->reply, &out);

        if (out.len <= out.room) {

            if (b) {
                b->last += out.len;
            }

            return NGX_OK;
        }

        if (b
            && (ngx_http_artifact_message_put(message, b) != NGX_OK
                || ngx_http_artifact_message_flush(message) == NGX_ERROR))
        {
            return NGX_ERROR;
        }

        /* NGX_DECLINED: both are on their way to the client */

        rc = ngx_http_artifact_bufs_get(message->request->pool, &message->bufs,
                                   NGX_HTTP_ARTIFACT_MESSAGE_BUFS,
                                   ngx_max(out.len,
                                           NGX_HTTP_ARTIFACT_MESSAGE_BUF));
        if (rc != NGX_OK) {
            return rc == NGX_DECLINED ? NGX_AGAIN : NGX_ERROR;
        }
    }
}


/* The client's own text, from where its message is. */

static ngx_int_t
ngx_http_artifact_message_text(ngx_http_artifact_message_t *message)
{
    off_t         pos, end, size, begin;
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    if (message->bufs.buf
        && ngx_http_artifact_message_put(message, message->bufs.buf) != NGX_OK)
    {
        return NGX_ERROR;
    }

    begin = 0;

    for (cl = message->request->request_body->bufs; cl; cl = cl->next) {

        size = ngx_buf_size(cl->buf);
        pos = ngx_max((off_t) message->message.text.pos, begin) - begin;
        end = ngx_min((off_t) message->message.text.end, begin + size) - begin;

        begin += size;

        if (pos >= end) {
            continue;
        }

        b = ngx_calloc_buf(message->request->pool);

        if (b == NULL || ngx_http_artifact_message_put(message, b) != NGX_OK) {
            return NGX_ERROR;
        }

        if (ngx_buf_in_memory(cl->buf)) {
            b->memory = 1;
            b->pos = cl->buf->pos + pos;
            b->last = cl->buf->pos + end;

        } else {
            b->in_file = 1;
            b->file = cl->buf->file;
            b->file_pos = cl->buf->file_pos + pos;
            b->file_last = cl->buf->file_pos + end;
        }
    }

    return ngx_http_artifact_message_flush(message) == NGX_ERROR
           ? NGX_ERROR : NGX_OK;
}


/*
 * What goes before it has to have left the filters that stand before
 * subrequests are put in order; and all filters, or the client would wait for
 * it as long as the source takes.
 */

static ngx_int_t
ngx_http_artifact_message_content(ngx_http_artifact_message_t *message)
{
    if (message->sr) {
        return ngx_http_artifact_message_asked(message);
    }

    if (message->bufs.buf) {
        message->bufs.buf->flush = 1;

        if (ngx_http_artifact_message_put(message, message->bufs.buf) != NGX_OK
            || ngx_http_artifact_message_flush(message) == NGX_ERROR)
        {
            return NGX_ERROR;
        }
    }

    if (message->bufs.busy
        || (message->request->buffered & NGX_HTTP_COPY_BUFFERED))
    {
        return NGX_AGAIN;
    }

    return ngx_http_artifact_message_ask(message);
}


static ngx_int_t
ngx_http_artifact_message_end(ngx_http_artifact_message_t *message)
{
    ngx_buf_t  *b;

    b = message->bufs.buf;

    if (b == NULL) {
        b = ngx_calloc_buf(message->request->pool);

        if (b == NULL) {
            return NGX_ERROR;
        }
    }

    b->last_buf = 1;
    b->last_in_chain = 1;

    if (ngx_http_artifact_message_put(message, b) != NGX_OK
        || ngx_http_artifact_message_flush(message) == NGX_ERROR)
    {
        return NGX_ERROR;
    }

    return NGX_DONE;
}


static ngx_int_t
ngx_http_artifact_message_put(ngx_http_artifact_message_t *message,
    ngx_buf_t *b)
{
    return ngx_http_artifact_bufs_put(message->request->pool, &message->bufs,
                                      b);
}


/* Hands over what there is, and takes back what was sent: NGX_OK or error. */

static ngx_int_t
ngx_http_artifact_message_flush(ngx_http_artifact_message_t *message)
{
    ngx_http_request_t  *r;

    r = message->request;

    return ngx_http_artifact_bufs_send(r, &message->bufs,
                                       ngx_http_output_filter)
           == NGX_ERROR ? NGX_ERROR : NGX_OK;
}


/* As ngx_http_writer() does. */

static void
ngx_http_artifact_message_wait(ngx_http_request_t *r)
{
    ngx_event_t               *wev;
    ngx_http_core_loc_conf_t  *clcf;

    wev = r->connection->write;
    clcf = ngx_http_get_module_loc_conf(r->main, ngx_http_core_module);

    if (!wev->delayed && !r->aio) {
        ngx_add_timer(wev, clcf->send_timeout);
    }

    if (ngx_handle_write_event(wev, clcf->send_lowat) != NGX_OK) {
        ngx_http_finalize_request(r, NGX_ERROR);
    }
}
