
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/derive/ngx_http_artifact_derive.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/convert/ngx_http_artifact_convert.h"
#include "http/compose/ngx_http_artifact_ask.h"
#include "http/source/ngx_http_artifact_source.h"


/* Base64 that is decoded at once. */

#define NGX_HTTP_ARTIFACT_DERIVE_PIECE  4096


static ngx_int_t ngx_http_artifact_derive_uri(ngx_http_request_t *r,
    const art_derive_rule_t *rule, ngx_http_artifact_derive_t *derive,
    ngx_str_t *uri, ngx_str_t *args);
static ngx_int_t ngx_http_artifact_derive_post(ngx_http_request_t *sr,
    ngx_http_artifact_derive_t *derive);
static ngx_int_t ngx_http_artifact_derive_body(ngx_http_request_t *sr,
    ngx_chain_t *body);
static ngx_table_elt_t *ngx_http_artifact_derive_header(
    ngx_http_request_t *sr, const char *name, const char *lowcase,
    art_str_t value);


/* The bytes of a source that is no file: base64 and nothing else. */

static const art_format_t  ngx_http_artifact_derive_bytes = {
    .name = "bytes",
    .parts = {
        [ART_KIND_TEXT] = { .template = "%B", .types = "*" }
    }
};


ngx_int_t
ngx_http_artifact_derive_file(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source, ngx_http_artifact_derive_t *derive)
{
    ngx_buf_t  *b;

    if (!source->local) {
        return NGX_DECLINED;
    }

    b = ngx_calloc_buf(r->pool);
    derive->body = ngx_alloc_chain_link(r->pool);

    if (b == NULL || derive->body == NULL) {
        return NGX_ERROR;
    }

    b->in_file = 1;
    b->file = &source->file;
    b->file_last = source->size;

    derive->body->buf = b;
    derive->body->next = NULL;
    derive->size = source->size;

    return NGX_OK;
}


void
ngx_http_artifact_derive_raw(ngx_http_artifact_stream_t *stream, off_t max)
{
    art_view_t  *view;

    view = &stream->view;

    view->kind = ART_KIND_TEXT;
    view->decision.kind = ART_KIND_TEXT;
    view->decision.described = 0;
    view->decision.routing = ART_ROUTING_FILE;
    view->decision.max = (uint64_t) max;

    stream->terms.format = &ngx_http_artifact_derive_bytes;
}


ngx_int_t
ngx_http_artifact_derive_raw_put(ngx_http_artifact_spool_t *spool,
    art_base64_decode_t *base64, ngx_chain_t *out)
{
    u_char      bytes[NGX_HTTP_ARTIFACT_DERIVE_PIECE];
    size_t      n, piece;
    ngx_buf_t  *b;

    for ( /* void */ ; out; out = out->next) {

        b = out->buf;

        while (ngx_buf_in_memory(b) && b->pos < b->last) {
            piece = ngx_min((size_t) (b->last - b->pos), sizeof(bytes));

            n = art_base64_decode(base64, bytes, b->pos, piece);
            b->pos += piece;

            if (ngx_http_artifact_spool_put(spool, bytes, n) != NGX_OK) {
                return NGX_ERROR;
            }
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_derive_raw_end(ngx_http_artifact_spool_t *spool,
    art_base64_decode_t *base64, ngx_http_artifact_derive_t *derive)
{
    u_char  bytes[3];
    size_t  n;

    n = art_base64_decode_end(base64, bytes);

    if (ngx_http_artifact_spool_put(spool, bytes, n) != NGX_OK) {
        return NGX_ERROR;
    }

    derive->size = spool->size;

    return ngx_http_artifact_spool_end(spool, &derive->body);
}


ngx_int_t
ngx_http_artifact_derive_ask(ngx_http_request_t *r,
    const art_derive_rule_t *rule, ngx_http_artifact_derive_t *derive,
    ngx_http_artifact_consumer_t *consumer, ngx_http_request_t **sr)
{
    ngx_int_t  rc;
    ngx_str_t  uri, args;

    rc = ngx_http_artifact_derive_uri(r, rule, derive, &uri, &args);

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_log_debug6(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact derive: \"%*s\" to \"%*s\", %s \"%V\"",
                   derive->original.mime.len, derive->original.mime.data,
                   rule->to.len, rule->to.data, rule->body ? "POST" : "GET",
                   &uri);

    consumer->original = &derive->original;
    consumer->most = consumer->terms.conf->inline_max;

    *sr = ngx_http_artifact_ask_uri(r, &uri, &args, consumer);

    if (*sr == NULL
        || (rule->body
            && ngx_http_artifact_derive_post(*sr, derive) != NGX_OK))
    {
        return NGX_ERROR;
    }

    return NGX_OK;
}


/*
 * Evaluates the URI of a rule, decoded, as that of any subrequest is: a proxy
 * encodes it, and with it the id.
 */

static ngx_int_t
ngx_http_artifact_derive_uri(ngx_http_request_t *r,
    const art_derive_rule_t *rule, ngx_http_artifact_derive_t *derive,
    ngx_str_t *uri, ngx_str_t *args)
{
    ngx_str_t                        value;
    ngx_uint_t                       flags;
    ngx_http_artifact_derive_uri_t  *conf;

    conf = rule->data;

    if (ngx_http_complex_value(r, &conf->value, &value) != NGX_OK) {
        return NGX_ERROR;
    }

    if (ngx_http_artifact_lacks_variable(r, &conf->value, &value)) {
        return NGX_DECLINED;
    }

    *uri = value;
    flags = NGX_HTTP_LOG_UNSAFE;
    ngx_str_null(args);

    if (ngx_http_parse_unsafe_uri(r, uri, args, &flags) != NGX_OK) {
        return NGX_DECLINED;
    }

    if (uri->data[uri->len - 1] != '/') {
        return NGX_OK;
    }

    value = *uri;

    return ngx_http_artifact_concat(r->pool, uri,
                                    art_str(value.data, value.len),
                                    derive->id);
}


/*
 * Until the location is known nginx must not know the length, which it would
 * compare with the "client_max_body_size" of the location.
 */

static ngx_int_t
ngx_http_artifact_derive_post(ngx_http_request_t *sr,
    ngx_http_artifact_derive_t *derive)
{
    u_char                 *p;
    ngx_http_headers_in_t  *in;

    static ngx_str_t  method = ngx_string("POST");

    p = ngx_pnalloc(sr->pool, NGX_OFF_T_LEN);
    if (p == NULL) {
        return NGX_ERROR;
    }

    in = &sr->headers_in;

    in->content_length = ngx_http_artifact_derive_header(sr, "Content-Length",
                                       "content-length",
                                       art_str(p, (size_t)
                                               (ngx_sprintf(p, "%O",
                                                            derive->size)
                                                - p)));
    in->content_type = ngx_http_artifact_derive_header(sr, "Content-Type",
                                                       "content-type",
                                                       derive->original.mime);

    if (in->content_length == NULL || in->content_type == NULL) {
        return NGX_ERROR;
    }

    in->content_length_n = derive->size;

    sr->method = NGX_HTTP_POST;
    sr->method_name = method;
    sr->discard_body = 1;

    return ngx_http_artifact_derive_body(sr, derive->body);
}


/* The buffers are the request's own: sending uses them up. */

static ngx_int_t
ngx_http_artifact_derive_body(ngx_http_request_t *sr, ngx_chain_t *body)
{
    ngx_buf_t     *b;
    ngx_chain_t  **last;

    last = &sr->request_body->bufs;

    for ( /* void */ ; body; body = body->next) {
        b = ngx_palloc(sr->pool, sizeof(ngx_buf_t));
        *last = ngx_alloc_chain_link(sr->pool);

        if (b == NULL || *last == NULL) {
            return NGX_ERROR;
        }

        *b = *body->buf;

        (*last)->buf = b;
        (*last)->next = NULL;
        last = &(*last)->next;
    }

    return NGX_OK;
}


static ngx_table_elt_t *
ngx_http_artifact_derive_header(ngx_http_request_t *sr, const char *name,
    const char *lowcase, art_str_t value)
{
    ngx_table_elt_t  *h;

    h = ngx_list_push(&sr->headers_in.headers);
    if (h == NULL) {
        return NULL;
    }

    ngx_memzero(h, sizeof(ngx_table_elt_t));

    h->key.data = (u_char *) name;
    h->key.len = ngx_strlen(name);
    h->lowcase_key = (u_char *) lowcase;
    h->hash = ngx_hash_key(h->lowcase_key, h->key.len);
    h->value.data = (u_char *) value.data;
    h->value.len = value.len;

    return h;
}


void
ngx_http_artifact_derive_admit(ngx_http_request_t *r)
{
    ngx_http_artifact_consumer_t  *consumer;

    consumer = ngx_http_artifact_consumer(r);

    if (consumer && consumer->original) {
        r->discard_body = 0;
    }
}


ngx_http_artifact_derive_outcome_e
ngx_http_artifact_derive_outcome(ngx_http_request_t *sr,
    ngx_http_artifact_consumer_t *consumer)
{
    ngx_uint_t                          i;
    ngx_http_artifact_derive_outcome_e  outcome;

    static const ngx_uint_t  cannot[] = {
        204, 400, 404, 406, 410, 413, 415, 422, 501
    };

#if (NGX_DEBUG)
    static const char *const  names[] = { "taken", "cannot", "failed" };
#endif

    outcome = NGX_HTTP_ARTIFACT_DERIVE_FAILED;

    for (i = 0; i < sizeof(cannot) / sizeof(cannot[0]); i++) {
        if (consumer->status == cannot[i]) {
            outcome = NGX_HTTP_ARTIFACT_DERIVE_CANNOT;
        }
    }

    if (consumer->too_long) {
        outcome = NGX_HTTP_ARTIFACT_DERIVE_CANNOT;

    } else if (consumer->status == NGX_HTTP_OK && consumer->whole) {
        outcome = consumer->inked ? NGX_HTTP_ARTIFACT_DERIVE_TAKEN
                                  : NGX_HTTP_ARTIFACT_DERIVE_CANNOT;
    }

    ngx_log_debug5(NGX_LOG_DEBUG_HTTP, sr->connection->log, 0,
                   "http artifact derive: \"%V\" answered with %ui, %O bytes, "
                   "whole %d: %s", &sr->uri, consumer->status,
                   consumer->taken, consumer->whole, names[outcome]);

    if (outcome == NGX_HTTP_ARTIFACT_DERIVE_FAILED) {
        ngx_log_error(NGX_LOG_ERR, sr->connection->log, 0,
                      "conversion \"%V%s%V\" of an artifact failed: %s "
                      "(status %ui)", &sr->uri, sr->args.len ? "?" : "",
                      &sr->args,
                      consumer->why ? consumer->why : "it did not end",
                      consumer->status);
    }

    return outcome;
}


/*
 * With a connection, the upstream gets the timeout that nginx would have given
 * it, and no next server is tried.  Otherwise a name is being resolved, or
 * another request fills the cache.
 */

void
ngx_http_artifact_derive_stop(ngx_http_request_t *sr)
{
    ngx_http_upstream_t  *u;

    u = sr->upstream;

    if (sr->done || u == NULL || u->cleanup == NULL) {
        return;
    }

    u->peer.tries = 0;

    if (u->peer.connection) {
        u->peer.connection->read->timedout = 1;
        u->peer.connection->write->timedout = 1;

        u->read_event_handler(sr, u);

        return;
    }

    sr->main->count++;

    (*u->cleanup)(sr);

    ngx_http_finalize_request(sr, NGX_HTTP_GATEWAY_TIME_OUT);
}
