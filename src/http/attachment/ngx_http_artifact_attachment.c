
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A message with attachments: its request is read, then the answer is sent step
 * by step, as fast as the client takes it, and each source is asked when its
 * attachment is due.
 */


#include "http/attachment/ngx_http_artifact_attachment.h"
#include "http/attachment/ngx_http_artifact_message_state.h"
#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_body_reader.h"
#include "http/base/ngx_http_artifact_delivery.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/sign/ngx_http_artifact_url.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/convert/ngx_http_artifact_convert.h"
#include "http/compose/ngx_http_artifact_ask.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/format/art_delivery.h"


/* The largest message, in bytes. */

#define NGX_HTTP_ARTIFACT_MESSAGE_MAX  (1024 * 1024)

/* Buffers for the bytes between the parts, and their least size. */

#define NGX_HTTP_ARTIFACT_MESSAGE_BUFS  2
#define NGX_HTTP_ARTIFACT_MESSAGE_BUF   4096


static ngx_int_t ngx_http_artifact_message(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static void ngx_http_artifact_message_log(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_uint_t status);
static ngx_int_t ngx_http_artifact_message_format(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, const art_format_t **format);
static void ngx_http_artifact_message_read(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_message_begin(ngx_http_request_t *r,
    ngx_http_artifact_message_t *message, art_error_t *error);
static ngx_int_t ngx_http_artifact_message_parse(ngx_http_request_t *r,
    ngx_http_artifact_message_t *message, art_error_t *error);
static u_char *ngx_http_artifact_message_body(ngx_http_request_t *r,
    ngx_chain_t *in, size_t size);
static ngx_int_t ngx_http_artifact_message_reader(ngx_http_request_t *r,
    ngx_http_artifact_message_t *message);
static ngx_int_t ngx_http_artifact_message_delivery(ngx_http_request_t *r,
    ngx_http_artifact_message_t *message);
static void ngx_http_artifact_message_send(ngx_http_request_t *r);
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
static ngx_int_t ngx_http_artifact_message_ask(
    ngx_http_artifact_message_t *message);
static ngx_int_t ngx_http_artifact_message_choose(ngx_http_request_t *sr,
    ngx_http_artifact_stream_t *stream, ngx_uint_t empty, ngx_uint_t failed);
static ngx_int_t ngx_http_artifact_message_decide(ngx_http_request_t *sr,
    ngx_http_artifact_stream_t *stream, ngx_uint_t empty, ngx_uint_t failed);
static ngx_int_t ngx_http_artifact_message_output(ngx_http_request_t *sr,
    ngx_chain_t *out);
static ngx_int_t ngx_http_artifact_message_asked(
    ngx_http_artifact_message_t *message);
static ngx_int_t ngx_http_artifact_message_pass(
    ngx_http_artifact_message_t *message, ngx_buf_t *b);
static ngx_int_t ngx_http_artifact_message_flush(
    ngx_http_artifact_message_t *message);
static void ngx_http_artifact_message_wait(ngx_http_request_t *r);


static const ngx_http_artifact_role_t  ngx_http_artifact_message_role = {
    .uri = NGX_HTTP_ARTIFACT_URI_NONE,
    .counter = ART_COUNT_BY_MESSAGE,
    .handler = ngx_http_artifact_message,
    .log = ngx_http_artifact_message_log,
    .methods = NGX_HTTP_POST,
    .asked = 1,
    .sources = 1
};


static ngx_command_t  ngx_http_artifact_message_commands[] = {

    { ngx_string("artifact_message"),
      NGX_HTTP_LOC_CONF|NGX_CONF_NOARGS,
      ngx_http_artifact_set_role,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      (void *) &ngx_http_artifact_message_role },

      ngx_null_command
};


static ngx_http_module_t  ngx_http_artifact_message_module_ctx = {
    .preconfiguration = NULL
};


ngx_module_t  ngx_http_artifact_message_module =
    NGX_HTTP_ARTIFACT_MODULE(&ngx_http_artifact_message_module_ctx,
                             ngx_http_artifact_message_commands);


/*
 * Answers a POST, and refuses other methods.  The answer is sent while it is
 * made: a source is asked only after the client has taken everything before it.
 */

static ngx_int_t
ngx_http_artifact_message(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_int_t                     rc;
    const art_format_t           *format;
    ngx_http_artifact_message_t  *message;

    /* a subrequest has the body of its parent */

    if (r->method != NGX_HTTP_POST || r != r->main) {
        return ngx_http_artifact_send_error(r, ctx, ART_ERR_METHOD);
    }

    if (r->headers_in.content_length_n > NGX_HTTP_ARTIFACT_MESSAGE_MAX) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "client intended to send too large message: %O bytes",
                      r->headers_in.content_length_n);
        return ngx_http_artifact_send_error(r, ctx, ART_ERR_TOO_LARGE);
    }

    rc = ngx_http_artifact_message_format(r, ctx, &format);

    if (rc == NGX_DECLINED) {
        return ngx_http_artifact_send_error(r, ctx, ART_ERR_ARGUMENT);
    }

    message = ngx_pcalloc(r->pool, sizeof(ngx_http_artifact_message_t));

    if (rc != NGX_OK || message == NULL
        || ngx_http_artifact_turn_init(&message->turn, r) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    message->request = r;
    message->conf = ctx->conf;
    message->format = format;
    message->pool = ngx_http_artifact_core_pool(r->pool);
    ngx_http_artifact_bufs_init(&message->bufs);

    ngx_http_set_ctx(r, message, ngx_http_artifact_message_module);

    rc = ngx_http_read_client_request_body(r, ngx_http_artifact_message_read);

    return rc >= NGX_HTTP_SPECIAL_RESPONSE ? rc : NGX_DONE;
}


/*
 * The format of the argument, NGX_DECLINED if that is unknown, or else of
 * artifact_format.  The service's own format is not used.
 */

static ngx_int_t
ngx_http_artifact_message_format(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, const art_format_t **format)
{
    ngx_str_t  name;

    if (ngx_http_artifact_arg(r, "format", &name) != NGX_OK) {
        return NGX_ERROR;
    }

    if (name.len > 0) {
        *format = art_format_find(ngx_artifact_str(&name));

        return *format ? NGX_OK : NGX_DECLINED;
    }

    return ngx_http_artifact_named_format(r, ctx->conf, NULL, format);
}


static void
ngx_http_artifact_message_read(ngx_http_request_t *r)
{
    ngx_int_t                 rc;
    art_error_t               error;
    ngx_http_artifact_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    rc = ngx_http_artifact_message_begin(r, ngx_http_artifact_get_message(r),
                                         &error);

    if (rc == NGX_DECLINED) {
        rc = ngx_http_artifact_send_error(r, ctx, error);

        ngx_http_finalize_request(r, rc);
        return;
    }

    if (rc != NGX_OK) {
        ngx_http_finalize_request(r, NGX_HTTP_INTERNAL_SERVER_ERROR);
        return;
    }

    ngx_http_artifact_request_watch(r);

    ngx_http_artifact_message_send(r);
}


static ngx_int_t
ngx_http_artifact_message_begin(ngx_http_request_t *r,
    ngx_http_artifact_message_t *message, art_error_t *error)
{
    ngx_int_t                       rc;
    art_reply_conf_t                conf;
    ngx_http_artifact_main_conf_t  *amcf;

    rc = ngx_http_artifact_message_parse(r, message, error);

    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_http_artifact_ask_prefix(r, message->conf, &message->prefix);

    if (rc == NGX_ERROR
        || ngx_http_artifact_message_reader(r, message) != NGX_OK
        || ngx_http_artifact_message_delivery(r, message) != NGX_OK)
    {
        return NGX_ERROR;
    }

    message->unsafe = (rc == NGX_DECLINED);

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact message: %uD attachments, format \"%s\", "
                   "source \"%V\", unsafe:%d", message->message.n,
                   message->format->name, &message->prefix, message->unsafe);

    amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);

    ngx_memzero(&conf, sizeof(art_reply_conf_t));

    conf.message = &message->message;
    conf.format = message->format;
    conf.map = amcf->capmap;
    conf.except = message->reader.service;
    conf.lang = (art_lang_t) message->conf->language;

    art_reply_init(&message->reply, &conf);

    return NGX_OK;
}


/* The whole message is in memory only while it is parsed. */

static ngx_int_t
ngx_http_artifact_message_parse(ngx_http_request_t *r,
    ngx_http_artifact_message_t *message, art_error_t *error)
{
    off_t                      size;
    u_char                    *body;
    ngx_chain_t               *in;
    art_attachments_conf_t     conf;
    art_attachments_status_t   status;

    /* another handler may have dropped the body */

    in = r->request_body ? r->request_body->bufs : NULL;
    size = ngx_http_artifact_body_size(in);

    if (size > NGX_HTTP_ARTIFACT_MESSAGE_MAX) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "client sent too large message: %O bytes", size);
        *error = ART_ERR_TOO_LARGE;
        return NGX_DECLINED;
    }

    if (ngx_http_artifact_url(r, message->conf, &message->url) != NGX_OK) {
        return NGX_ERROR;
    }

    body = ngx_http_artifact_message_body(r, in, (size_t) size);
    if (body == NULL) {
        return NGX_ERROR;
    }

    conf.pool = message->pool;
    conf.url = message->url;
    conf.max = (uint32_t) message->conf->refs_max;

    status = art_attachments_read(&message->message,
                                  art_str(body, (size_t) size), &conf);

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact message: %O bytes read, status %d",
                   size, status);

    ngx_free(body);

    if (status == ART_ATTACHMENTS_MANY) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "client sent more than %uD attachments", conf.max);
        *error = ART_ERR_MANY;
        return NGX_DECLINED;
    }

    if (status == ART_ATTACHMENTS_BAD) {
        *error = ART_ERR_JSON;
        return NGX_DECLINED;
    }

    return status == ART_ATTACHMENTS_OK ? NGX_OK : NGX_ERROR;
}


static u_char *
ngx_http_artifact_message_body(ngx_http_request_t *r, ngx_chain_t *in,
    size_t size)
{
    u_char                    *body, *data;
    size_t                     len;
    ssize_t                    n;
    ngx_http_artifact_body_t   cursor;

    body = ngx_alloc(size + 1, r->connection->log);
    if (body == NULL) {
        return NULL;
    }

    ngx_http_artifact_body_init(&cursor, in, body, size);

    for (len = 0; len < size; len += (size_t) n) {

        cursor.buf = body + len;
        cursor.room = size - len;

        n = ngx_http_artifact_body_read(&cursor, size - len, &data);

        if (n <= 0) {
            ngx_free(body);
            return NULL;
        }

        if (data != cursor.buf) {
            ngx_memcpy(body + len, data, (size_t) n);
        }
    }

    return body;
}


/* The reader is the service that the message names, or the request's. */

static ngx_int_t
ngx_http_artifact_message_reader(ngx_http_request_t *r,
    ngx_http_artifact_message_t *message)
{
    art_str_t                       service;
    ngx_http_artifact_reader_t     *reader;
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);

    reader = ngx_http_artifact_get_reader(r);
    if (reader == NULL) {
        return NGX_ERROR;
    }

    message->reader = *reader;
    service = message->message.service;

    if (service.len > 0) {
        message->reader.asked.data = (u_char *) service.data;
        message->reader.asked.len = service.len;
        message->reader.empty = 0;

        ngx_http_artifact_reader_find(&message->reader, amcf->capmap);
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact message: reader \"%V\", capabilities %Xd",
                   &message->reader.asked, message->reader.caps);

    return NGX_OK;
}


/* The model is known by the service's name, or by what a map has of it. */

static ngx_int_t
ngx_http_artifact_message_delivery(ngx_http_request_t *r,
    ngx_http_artifact_message_t *message)
{
    unsigned                     n;
    art_str_t                    names[3];
    const art_format_t          *format;
    ngx_http_artifact_reader_t  *reader;

    if (ngx_http_artifact_delivers(r, message->conf, &message->url,
                                   &message->by_url)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    n = 0;
    reader = &message->reader;
    names[n++] = ngx_artifact_str(&reader->asked);

    if (reader->service) {
        names[n++] = reader->service->id;
        names[n++] = reader->service->model;
    }

    format = message->format->in_message ? message->format->in_message
                                         : message->format;

    message->by_url = message->by_url
                      && art_delivery_fetches(format, names, n);

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact message: delivery by url %ui",
                   message->by_url);

    return NGX_OK;
}


static void
ngx_http_artifact_message_send(ngx_http_request_t *r)
{
    ngx_int_t                 rc;
    ngx_http_artifact_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);
    ctx->answered = 1;

    /* an answer without a tag has no conditions */

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


/* Called by events, and when a subrequest has ended. */

static void
ngx_http_artifact_message_run(ngx_http_request_t *r)
{
    ngx_int_t                     rc;
    ngx_connection_t             *c;
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

    message = ngx_http_artifact_get_message(r);

    if (message->sr && !message->sr->done) {
        return;
    }

    rc = NGX_OK;

    if (message->bufs.busy) {
        rc = ngx_http_artifact_message_flush(message);
    }

    while (rc == NGX_OK) {

        /* nothing pauses with a fast client and local sources */

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


/* NGX_AGAIN if the step has to be tried again, NGX_DONE after the last one. */

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


/* Prints a piece into the buffer if there is room, else into the next one. */

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

        if (b && ngx_http_artifact_message_pass(message, b) != NGX_OK) {
            return NGX_ERROR;
        }

        /* NGX_DECLINED: both buffers are busy */

        rc = ngx_http_artifact_bufs_get(message->request->pool, &message->bufs,
                                   NGX_HTTP_ARTIFACT_MESSAGE_BUFS,
                                   ngx_max(out.len,
                                           NGX_HTTP_ARTIFACT_MESSAGE_BUF));
        if (rc != NGX_OK) {
            return rc == NGX_DECLINED ? NGX_AGAIN : NGX_ERROR;
        }
    }
}


/* Sends the client's own text from the request's body. */

static ngx_int_t
ngx_http_artifact_message_text(ngx_http_artifact_message_t *message)
{
    off_t                      pos, end, size, begin;
    ngx_buf_t                 *b;
    ngx_pool_t                *pool;
    ngx_chain_t               *cl;
    ngx_http_artifact_bufs_t  *bufs;

    pool = message->request->pool;
    bufs = &message->bufs;

    if (bufs->buf
        && ngx_http_artifact_bufs_put(pool, bufs, bufs->buf) != NGX_OK)
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

        b = ngx_calloc_buf(pool);

        if (b == NULL || ngx_http_artifact_bufs_put(pool, bufs, b) != NGX_OK) {
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

    return ngx_http_artifact_message_flush(message);
}


/*
 * A part.  Everything before it must have left the filters that run before
 * postpone orders subrequests; and all other filters, or the client would wait
 * for it as long as the source takes.
 */

static ngx_int_t
ngx_http_artifact_message_content(ngx_http_artifact_message_t *message)
{
    ngx_int_t  rc;

    if (message->sr) {
        rc = message->derive ? ngx_http_artifact_message_derived(message)
                             : NGX_DECLINED;

        if (rc != NGX_DECLINED) {
            return rc;
        }

        /* as a text, it has to be asked for again */

        return message->sr ? ngx_http_artifact_message_asked(message)
                           : ngx_http_artifact_message_ask(message);
    }

    message->plain = 0;

    if (message->bufs.buf) {
        message->bufs.buf->flush = 1;

        if (ngx_http_artifact_message_pass(message, message->bufs.buf)
            != NGX_OK)
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

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, message->request->connection->log, 0,
                   "http artifact message: ends, last buffer %p",
                   message->bufs.buf);

    b = message->bufs.buf;

    if (b == NULL) {
        b = ngx_calloc_buf(message->request->pool);

        if (b == NULL) {
            return NGX_ERROR;
        }
    }

    b->last_buf = 1;
    b->last_in_chain = 1;

    return ngx_http_artifact_message_pass(message, b) == NGX_OK
           ? NGX_DONE : NGX_ERROR;
}


/*
 * Asks for the attachment that the reply has reached.  NGX_AGAIN: the parent
 * runs again when message->sr is done; NGX_OK: there is nothing to ask for.
 * Its part is passed on as the answer of the subrequest, so that nginx keeps
 * the order and the client's pace.
 */

static ngx_int_t
ngx_http_artifact_message_ask(ngx_http_artifact_message_t *message)
{
    ngx_http_request_t         *r;
    ngx_http_artifact_terms_t  *terms;

    r = message->request;

    if (message->unsafe) {
        ngx_http_artifact_count(ART_COUNT_SOURCES_FAILED, NULL, 1);
        ngx_http_artifact_message_item(message)->outcome = ART_ATTACHED_UNREAD;
        return NGX_OK;
    }

    terms = &message->consumer.terms;

    terms->conf = message->conf;
    terms->reader = &message->reader;
    terms->format = message->format->in_message ? message->format->in_message
                                                : message->format;
    terms->url = message->by_url ? &message->url : NULL;
    terms->by_url = message->by_url;
    terms->choose = ngx_http_artifact_message_choose;

    if ((terms->format->flags & ART_FORMAT_CALL_ID)
        && ngx_http_artifact_tool_call_id(r, &terms->tool_call_id) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact message: attachment %uD as \"%s\"",
                   message->reply.at, terms->format->name);

    message->consumer.output = ngx_http_artifact_message_output;
    message->consumer.data = message;
    message->begun = 0;

    /* the client has everything, and waits as long as the source takes */

    ngx_http_artifact_ask_no_timer(r);

    message->sr = ngx_http_artifact_ask(r, &message->prefix,
                                 ngx_http_artifact_message_item(message)->id,
                                 &message->consumer);

    return message->sr ? NGX_AGAIN : NGX_ERROR;
}


/* Without a decision it could not be read. */

static ngx_int_t
ngx_http_artifact_message_choose(ngx_http_request_t *sr,
    ngx_http_artifact_stream_t *stream, ngx_uint_t empty, ngx_uint_t failed)
{
    ngx_int_t                     rc;
    ngx_http_artifact_message_t  *message;

    message = ngx_http_artifact_consumer(sr)->data;
    rc = ngx_http_artifact_message_decide(sr, stream, empty, failed);

    if (rc != NGX_OK) {
        message->derive = NULL;
        ngx_http_artifact_message_item(message)->outcome = ART_ATTACHED_UNREAD;
    }

    return rc;
}


static ngx_int_t
ngx_http_artifact_message_decide(ngx_http_request_t *sr,
    ngx_http_artifact_stream_t *stream, ngx_uint_t empty, ngx_uint_t failed)
{
    ngx_str_t                     words;
    art_view_t                    origin;
    art_attachment_t             *item;
    ngx_http_artifact_message_t  *message;

    message = ngx_http_artifact_consumer(sr)->data;
    item = ngx_http_artifact_message_item(message);
    origin = stream->view;

    if (art_reply_decide(&message->reply, &stream->view, empty & 1,
                         &message->pool)
        != ART_OK)
    {
        return NGX_ERROR;
    }

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, sr->connection->log, 0,
                   "http artifact message: attachment %uD: %s%s",
                   message->reply.at,
                   item->outcome == ART_ATTACHED_PART
                   ? "part" : art_attachment_reason(item),
                   stream->view.decision.by_url ? " by url" : "");

    if (art_attachment_is_unsupported(item)
        && message->conf->description)
    {
        if (ngx_http_artifact_lines_value(sr, message->conf->description,
                                          &words)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        item->words = ngx_artifact_str(&words);
    }

    return ngx_http_artifact_rules(message->conf)
           && !empty && !failed && !message->plain
           ? ngx_http_artifact_message_derivable(message, sr, stream, &origin)
           : NGX_OK;
}


static ngx_int_t
ngx_http_artifact_message_output(ngx_http_request_t *sr, ngx_chain_t *out)
{
    ngx_chain_t                  *cl;
    ngx_http_artifact_message_t  *message;

    message = ngx_http_artifact_consumer(sr)->data;

    if (message->derive) {
        return ngx_http_artifact_message_derive_output(message, out);
    }

    if (ngx_http_artifact_message_item(message)->outcome != ART_ATTACHED_PART) {
        ngx_http_artifact_drop(out);
        return NGX_OK;
    }

    for (cl = out; cl; cl = cl->next) {
        message->begun |= ngx_buf_size(cl->buf) > 0;
    }

    return ngx_http_artifact_capture_pass(sr, out);
}


/*
 * Sets the outcome of an attachment whose source has ended.  NGX_ERROR if it
 * broke off within a part.
 */

static ngx_int_t
ngx_http_artifact_message_asked(ngx_http_artifact_message_t *message)
{
    ngx_uint_t           whole;
    art_attachment_t    *item;
    ngx_http_request_t  *sr;

    sr = message->sr;
    item = ngx_http_artifact_message_item(message);
    whole = item->outcome == ART_ATTACHED_PART && message->consumer.whole;

    message->sr = NULL;

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, sr->connection->log, 0,
                   "http artifact message: attachment %uD, whole %ui, begun %d",
                   message->reply.at, whole, message->begun);

    if (!whole && message->begun) {
        ngx_http_artifact_count(ART_COUNT_SOURCES_FAILED, NULL, 1);
        return NGX_ERROR;
    }

    ngx_http_artifact_consumer_release(sr);

    if (whole) {
        return NGX_OK;
    }

    if (message->consumer.missing) {
        item->outcome = message->consumer.expired ? ART_ATTACHED_EXPIRED
                                                  : ART_ATTACHED_GONE;

    } else if (message->consumer.status != NGX_HTTP_OK) {
        ngx_http_artifact_count(ART_COUNT_SOURCES_FAILED, NULL, 1);
        item->outcome = ART_ATTACHED_UNREAD;

    } else if (item->outcome != ART_ATTACHED_DESCRIBED) {
        item->outcome = ART_ATTACHED_UNREAD;
    }

    return NGX_OK;
}


/* Passes on a buffer, and all others: NGX_OK or NGX_ERROR. */

static ngx_int_t
ngx_http_artifact_message_pass(ngx_http_artifact_message_t *message,
    ngx_buf_t *b)
{
    return ngx_http_artifact_bufs_put(message->request->pool, &message->bufs,
                                      b)
           == NGX_OK ? ngx_http_artifact_message_flush(message) : NGX_ERROR;
}


/* Passes on the output, and takes back what was sent. */

static ngx_int_t
ngx_http_artifact_message_flush(ngx_http_artifact_message_t *message)
{
    return ngx_http_artifact_bufs_send(message->request, &message->bufs,
                                       ngx_http_output_filter)
           == NGX_ERROR ? NGX_ERROR : NGX_OK;
}


/* Waits for the client as ngx_http_writer() does. */

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


const art_attachments_t *
ngx_http_artifact_message_attachments(ngx_http_request_t *r)
{
    ngx_http_artifact_message_t  *message;

    message = ngx_http_artifact_get_message(r);

    return message ? &message->message : NULL;
}


const ngx_http_artifact_reader_t *
ngx_http_artifact_message_for(ngx_http_request_t *r)
{
    ngx_http_artifact_message_t  *message;

    message = ngx_http_artifact_get_message(r);

    return message ? &message->reader : NULL;
}


static void
ngx_http_artifact_message_log(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_uint_t status)
{
    uint32_t                      i;
    ngx_http_artifact_message_t  *message;

    message = ngx_http_artifact_get_message(r);

    if (message == NULL) {
        return;
    }

    if (message->reader.unknown) {
        ngx_http_artifact_count_one(ART_COUNT_UNKNOWN, ART_COUNT_BY_MESSAGE);
    }

    for (i = 0; i < message->message.n; i++) {
        ngx_http_artifact_count_one(ART_COUNT_ATTACHMENTS,
                                    message->message.items[i].outcome);
    }
}
