
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A message with attachments: its request.
 */


#include "http/attachment/ngx_http_artifact_message_int.h"
#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/compose/ngx_http_artifact_ask.h"
#include "http/compose/ngx_http_artifact_spool.h"
#include "http/route/ngx_http_artifact_route.h"
#include "store/disk/ngx_artifact_str.h"


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
static void *ngx_http_artifact_message_alloc(void *data, size_t size);


ngx_int_t
ngx_http_artifact_message(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_int_t                     rc;
    const art_format_t           *format;
    ngx_http_artifact_message_t  *message;

    /* a subrequest has a body only if it is somebody else's */

    if (r->method != NGX_HTTP_POST || r != r->main) {
        return ngx_http_artifact_send_error(r, ctx, ART_ERR_METHOD);
    }

    if (r->headers_in.content_length_n > NGX_HTTP_ARTIFACT_MESSAGE_MAX) {
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
    message->pool.alloc = ngx_http_artifact_message_alloc;
    message->pool.data = r->pool;
    ngx_http_artifact_bufs_init(&message->bufs);

    ctx->message = message;

    rc = ngx_http_read_client_request_body(r, ngx_http_artifact_message_read);

    return rc >= NGX_HTTP_SPECIAL_RESPONSE ? rc : NGX_DONE;
}


/*
 * That of the argument, which has to be one, or of artifact_format.  The
 * service's own is none that has been asked for.
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
    ngx_int_t                     rc;
    art_error_t                   error;
    ngx_http_artifact_ctx_t      *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    rc = ngx_http_artifact_message_begin(r, ctx->message, &error);

    if (rc == NGX_DECLINED) {
        rc = ngx_http_artifact_send_error(r, ctx, error);

        ngx_http_finalize_request(r, rc);
        return;
    }

    if (rc != NGX_OK) {
        ngx_http_finalize_request(r, NGX_HTTP_INTERNAL_SERVER_ERROR);
        return;
    }

    r->read_event_handler = ngx_http_test_reading;

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
        || ngx_http_artifact_message_reader(r, message) != NGX_OK)
    {
        return NGX_ERROR;
    }

    message->unsafe = (rc == NGX_DECLINED);

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


/* The bytes are needed as one piece, and no longer than this takes. */

static ngx_int_t
ngx_http_artifact_message_parse(ngx_http_request_t *r,
    ngx_http_artifact_message_t *message, art_error_t *error)
{
    off_t                      size;
    u_char                    *body;
    ngx_str_t                  prefix;
    ngx_chain_t               *in;
    art_attachments_conf_t     conf;
    art_attachments_status_t   status;

    /* there is none if another handler has dropped it */

    in = r->request_body ? r->request_body->bufs : NULL;
    size = ngx_http_artifact_body_size(in);

    if (size > NGX_HTTP_ARTIFACT_MESSAGE_MAX) {
        *error = ART_ERR_TOO_LARGE;
        return NGX_DECLINED;
    }

    ngx_str_null(&prefix);

    if (message->conf->url
        && ngx_http_complex_value(r, message->conf->url, &prefix) != NGX_OK)
    {
        return NGX_ERROR;
    }

    body = ngx_http_artifact_message_body(r, in, (size_t) size);
    if (body == NULL) {
        return NGX_ERROR;
    }

    conf.pool = message->pool;
    conf.url_prefix = ngx_artifact_str(&prefix);
    conf.max = (uint32_t) message->conf->refs_max;

    status = art_attachments_read(&message->message,
                                  art_str(body, (size_t) size), &conf);

    ngx_free(body);

    switch (status) {

    case ART_ATTACHMENTS_OK:
        return NGX_OK;

    case ART_ATTACHMENTS_BAD:
        *error = ART_ERR_JSON;
        return NGX_DECLINED;

    case ART_ATTACHMENTS_MANY:
        *error = ART_ERR_MANY;
        return NGX_DECLINED;

    default:  /* ART_ATTACHMENTS_MEMORY */
        return NGX_ERROR;
    }
}


static u_char *
ngx_http_artifact_message_body(ngx_http_request_t *r, ngx_chain_t *in,
    size_t size)
{
    u_char                    *body, *data;
    size_t                     len;
    ssize_t                    n;
    ngx_http_artifact_body_t   at;

    body = ngx_alloc(size + 1, r->connection->log);
    if (body == NULL) {
        return NULL;
    }

    ngx_http_artifact_body_init(&at, in, body, size);

    for (len = 0; len < size; len += (size_t) n) {

        at.buf = body + len;
        at.room = size - len;

        n = ngx_http_artifact_body_read(&at, size - len, &data);

        if (n <= 0) {
            ngx_free(body);
            return NULL;
        }

        if (data != at.buf) {
            ngx_memcpy(body + len, data, (size_t) n);
        }
    }

    return body;
}


/* The message may name another service than the request. */

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

    return NGX_OK;
}


static void *
ngx_http_artifact_message_alloc(void *data, size_t size)
{
    ngx_pool_t *pool = data;

    return ngx_palloc(pool, size);
}
