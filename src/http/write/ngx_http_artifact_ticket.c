
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Tickets: URLs that let somebody else make one new artifact.  Who may write
 * asks for one, and a PUT with it is a write whose id, name and type it has.
 */


#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/sign/ngx_http_artifact_url.h"
#include "http/write/ngx_http_artifact_origin.h"
#include "http/write/ngx_http_artifact_ticket.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/form/art_pair.h"


/* Bytes of a question for a ticket. */

#define NGX_HTTP_ARTIFACT_TICKET_ASK  65536


/* Whoever asks for a ticket. */

struct ngx_http_artifact_ticket_ask_s {
    ngx_http_artifact_ctx_t          *ctx;
    ngx_http_artifact_body_reader_t   reader;
    size_t                            len;
    u_char                            text[NGX_HTTP_ARTIFACT_TICKET_ASK];
};


static ngx_uint_t ngx_http_artifact_has_tickets(
    ngx_http_artifact_loc_conf_t *conf);
static ngx_int_t ngx_http_artifact_ticket_start(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_ticket_refuse(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_int_t status);
static void ngx_http_artifact_ticket_run(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_ticket_feed(ngx_http_request_t *r,
    void *data);
static ngx_int_t ngx_http_artifact_ticket_answer(ngx_http_request_t *r,
    ngx_http_artifact_ticket_ask_t *ask);
static void ngx_http_artifact_ticket_cleanup(void *data);


/*
 * Whether tickets may be had in a location: it lets write, and has URLs and a
 * key.  A value of artifact_url may still turn out to be empty.
 */

static ngx_uint_t
ngx_http_artifact_has_tickets(ngx_http_artifact_loc_conf_t *conf)
{
    ngx_http_artifact_sign_conf_t  *sign;

    sign = ngx_http_artifact_conf_of(conf, ngx_http_artifact_sign_module);

    return conf->writes && conf->url && sign->keys;
}


ngx_int_t
ngx_http_artifact_ticket_make(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *conf, const art_ticket_t *what,
    ngx_http_artifact_ticket_t *ticket)
{
    u_char  *p, *put;

    if (!ngx_http_artifact_has_tickets(conf)) {
        return NGX_DECLINED;
    }

    if (ngx_http_artifact_url(r, conf, &ticket->url) != NGX_OK) {
        return NGX_ERROR;
    }

    if (ticket->url.prefix.len == 0) {
        return NGX_DECLINED;
    }

    p = ngx_pnalloc(r->pool, NGX_ARTIFACT_TEMP_ID + 1 + ART_TICKET_PUT_MAX);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_artifact_uuid((char *) p);
    put = p + NGX_ARTIFACT_TEMP_ID + 1;

    ticket->id = art_str(p, NGX_ARTIFACT_TEMP_ID);
    ticket->put = art_str(put, art_ticket_put(what, put));

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact ticket: made for \"%s\", %d",
                   p, what->sized);

    return NGX_OK;
}


ngx_uint_t
ngx_http_artifact_asks_ticket(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    return r->method == NGX_HTTP_POST
           && ctx->bad && ctx->given.data && ctx->given.len == 0
           && !ctx->metadata
           && !ngx_http_artifact_has_paths(ctx->conf)
           && art_query_find(ngx_artifact_str(&r->args), "ticket").data;
}


ngx_int_t
ngx_http_artifact_ticket_handler(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_int_t  rc;

    rc = ngx_http_artifact_check_request_origin(r, ctx->conf);

    if (rc == NGX_ERROR) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (rc == NGX_DECLINED || !ngx_http_artifact_has_tickets(ctx->conf)) {
        return ngx_http_artifact_send_error(r, ctx, ART_ERR_PERMISSION);
    }

    if (!ngx_http_artifact_is_json(r)
        || ngx_http_artifact_is_encoded(&r->headers_in.headers))
    {
        return ngx_http_artifact_send_error(r, ctx, ART_ERR_MEDIA_TYPE);
    }

    if (r->headers_in.content_length_n > NGX_HTTP_ARTIFACT_TICKET_ASK) {
        return ngx_http_artifact_send_error(r, ctx, ART_ERR_TOO_LARGE);
    }

    return ngx_http_artifact_ticket_start(r, ctx);
}


static ngx_int_t
ngx_http_artifact_ticket_start(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_int_t                        rc;
    ngx_http_artifact_write_t       *write;
    ngx_http_artifact_ticket_ask_t  *ask;

    write = ngx_http_artifact_write_create(r, ctx);
    ask = ngx_palloc(r->pool, sizeof(ngx_http_artifact_ticket_ask_t));

    if (write == NULL || ask == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_memzero(ask, offsetof(ngx_http_artifact_ticket_ask_t, text));

    write->ask = ask;

    ask->ctx = ctx;
    ask->reader.run = ngx_http_artifact_ticket_run;
    ask->reader.feed = ngx_http_artifact_ticket_feed;
    ask->reader.data = ask;
    ask->reader.most = NGX_HTTP_ARTIFACT_TICKET_ASK;

    rc = ngx_http_artifact_body_reader_start(&ask->reader, r);

    if (rc == NGX_BUSY) {
        return ngx_http_artifact_send_error(r, ctx, ART_ERR_BODY);
    }

    return rc == NGX_DONE ? NGX_DONE
                          : ngx_http_artifact_ticket_refuse(r, ctx, rc);
}


/* An error of nginx's body reader; for a client that has left, the status. */

static ngx_int_t
ngx_http_artifact_ticket_refuse(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_int_t status)
{
    art_error_t  error;

    error = art_error_of_http((unsigned) status);

    if (error == ART_ERR_MAX) {
        return status;
    }

    r->keepalive = 0;

    return ngx_http_artifact_send_error(r, ctx, error);
}


/* Reads the body piece by piece; called again by events. */

static void
ngx_http_artifact_ticket_run(ngx_http_request_t *r)
{
    ngx_int_t                        rc;
    ngx_http_artifact_write_t       *write;
    ngx_http_artifact_ticket_ask_t  *ask;

    write = ngx_http_get_module_ctx(r, ngx_http_artifact_write_module);
    ask = write->ask;

    rc = ngx_http_artifact_body_reader_run(&ask->reader, r);

    if (rc == NGX_AGAIN) {
        return;
    }

    ngx_http_finalize_request(r,
                         rc == NGX_OK
                         ? ngx_http_artifact_ticket_answer(r, ask)
                         : ngx_http_artifact_ticket_refuse(r, ask->ctx, rc));
}


static ngx_int_t
ngx_http_artifact_ticket_feed(ngx_http_request_t *r, void *data)
{
    ngx_http_artifact_ticket_ask_t *ask = data;

    u_char   *p;
    ssize_t   n;

    for ( ;; ) {
        n = ngx_http_artifact_body_reader_read(&ask->reader, &p);

        if (n <= 0) {
            return n == 0 ? NGX_OK : NGX_ERROR;
        }

        if ((size_t) n > sizeof(ask->text) - ask->len) {
            ask->len = sizeof(ask->text) + 1;
            ngx_http_artifact_body_reader_fail(&ask->reader);
            return NGX_OK;
        }

        ngx_memcpy(ask->text + ask->len, p, (size_t) n);
        ask->len += (size_t) n;
    }
}


static ngx_int_t
ngx_http_artifact_ticket_answer(ngx_http_request_t *r,
    ngx_http_artifact_ticket_ask_t *ask)
{
    u_char                      *buf;
    ngx_int_t                    rc;
    art_out_t                    out;
    art_error_t                  error;
    art_ticket_t                 what;
    ngx_http_artifact_ticket_t   ticket;

    if (ask->len > sizeof(ask->text)) {
        return ngx_http_artifact_send_error(r, ask->ctx, ART_ERR_TOO_LARGE);
    }

    buf = ngx_pnalloc(r->pool, ART_TICKET_ROOM(ask->len));
    if (buf == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    error = art_ticket_ask(art_str(ask->text, ask->len), buf, &what);

    if (error != ART_ERR_MAX) {
        return ngx_http_artifact_send_error(r, ask->ctx, error);
    }

    rc = ngx_http_artifact_ticket_make(r, ask->ctx->conf, &what, &ticket);

    if (rc == NGX_DECLINED) {
        return ngx_http_artifact_send_error(r, ask->ctx, ART_ERR_PERMISSION);
    }

    if (rc != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_ticket_print(&out, &ticket.url, ticket.id, ticket.put);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    return ngx_http_artifact_send_json(r, ask->ctx, NGX_HTTP_OK, &out);
}


ngx_int_t
ngx_http_artifact_ticket_read(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write)
{
    u_char                    *buf;
    art_str_t                  put, id;
    art_ticket_t               what;
    ngx_pool_cleanup_t        *cln;
    ngx_artifact_write_job_t  *job;

    job = &write->job;
    id = write->ctx->ref.id;
    put = art_query_find(ngx_artifact_str(&r->args), "put");

    buf = ngx_pnalloc(r->pool, ART_TICKET_ROOM(put.len));
    cln = ngx_pool_cleanup_add(r->pool, 0);

    if (buf == NULL || cln == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_http_artifact_ticket_cleanup;
    cln->data = job;

    if (!art_ticket_is_id(id) || art_ticket_parse(put, buf, &what) != ART_OK) {
        return ngx_artifact_write_fail(job, ART_ERR_ARGUMENT, NULL);
    }

    ngx_memcpy(job->id, id.data, NGX_ARTIFACT_TEMP_ID);
    job->id[NGX_ARTIFACT_TEMP_ID] = '\0';

    job->by_content = 1;
    job->path = what.name;
    job->mime = what.type;
    job->kind = what.type;
    job->sized = what.sized;
    job->exact = (off_t) what.size;

    return NGX_OK;
}


static void
ngx_http_artifact_ticket_cleanup(void *data)
{
    ngx_artifact_write_job_t *job = data;

    ngx_free((void *) job->sidecar.data);
}
