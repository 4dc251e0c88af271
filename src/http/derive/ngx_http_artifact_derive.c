
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/derive/ngx_http_artifact_derive.h"
#include "http/base/ngx_http_artifact_directive.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/convert/ngx_http_artifact_convert.h"
#include "http/compose/ngx_http_artifact_ask.h"
#include "http/source/ngx_http_artifact_source.h"


/* Base64 that is decoded at once. */

#define NGX_HTTP_ARTIFACT_DERIVE_PIECE  4096

/* Bytes for naming a rule in the log. */

#define NGX_HTTP_ARTIFACT_DERIVE_RULE   512

/* Milliseconds after which a conversion is stopped again. */

#define NGX_HTTP_ARTIFACT_DERIVE_AGAIN  500


static void ngx_http_artifact_derive_raw(ngx_http_artifact_stream_t *stream,
    off_t max);
static ngx_int_t ngx_http_artifact_derive_uri(
    ngx_http_artifact_derive_t *derive, ngx_str_t *uri, ngx_str_t *args);
static ngx_int_t ngx_http_artifact_derive_post(ngx_http_request_t *sr,
    ngx_http_artifact_derive_content_t *content);
static ngx_int_t ngx_http_artifact_derive_body(ngx_http_request_t *sr,
    ngx_chain_t *body);
static ngx_table_elt_t *ngx_http_artifact_derive_header(
    ngx_http_request_t *sr, const char *name, const char *lowcase,
    art_str_t value);
static unsigned ngx_http_artifact_derive_outcome(
    ngx_http_artifact_derive_t *derive);
static void ngx_http_artifact_derive_log(ngx_http_artifact_derive_t *derive);
static void ngx_http_artifact_derive_timeout(ngx_event_t *ev);


/* The bytes of a source that is no file: base64 and nothing else. */

static const art_format_t  ngx_http_artifact_derive_base64 = {
    .name = "bytes",
    .parts = {
        [ART_KIND_TEXT] = { .template = "%B", .types = "*" }
    }
};


void
ngx_http_artifact_derive_init(ngx_http_artifact_derive_t *derive,
    ngx_http_request_t *r, ngx_http_artifact_loc_conf_t *conf,
    art_derive_takes_pt takes, void *taker)
{
    derive->request = r;
    derive->conf = conf;
    derive->takes = takes;
    derive->taker = taker;

    ngx_http_artifact_spool_init(&derive->bytes, r);
}


const art_derive_rule_t *
ngx_http_artifact_derive_next(ngx_http_artifact_derive_t *derive, unsigned i)
{
    ngx_array_t  *rules;

    rules = ngx_http_artifact_rules(derive->conf);

    derive->rule = art_derive_next(rules->elts, (unsigned) rules->nelts, i,
                                   &derive->source, derive->takes,
                                   derive->taker);

    return ngx_http_artifact_derive_rule(derive);
}


const art_derive_rule_t *
ngx_http_artifact_derive_rule(ngx_http_artifact_derive_t *derive)
{
    ngx_array_t        *rules;
    art_derive_rule_t  *rule;

    rules = ngx_http_artifact_rules(derive->conf);
    rule = rules->elts;

    return derive->rule < rules->nelts ? &rule[derive->rule] : NULL;
}


void
ngx_http_artifact_derive_give_up(ngx_http_artifact_derive_t *derive)
{
    derive->rule = (unsigned) ngx_http_artifact_rules(derive->conf)->nelts;
}


ngx_int_t
ngx_http_artifact_derive_file(ngx_http_artifact_derive_t *derive,
    ngx_http_artifact_source_t *source)
{
    ngx_buf_t    *b;
    ngx_pool_t   *pool;
    ngx_chain_t  *cl;

    if (!source->local) {
        return NGX_DECLINED;
    }

    pool = derive->request->pool;

    b = ngx_calloc_buf(pool);
    cl = ngx_alloc_chain_link(pool);

    if (b == NULL || cl == NULL) {
        return NGX_ERROR;
    }

    b->in_file = 1;
    b->file = &source->file;
    b->file_last = source->size;

    cl->buf = b;
    cl->next = NULL;

    derive->content.body = cl;
    derive->content.size = source->size;

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_derive_original(ngx_http_artifact_derive_t *derive,
    ngx_http_request_t *sr, ngx_http_artifact_stream_t *stream)
{
    unsigned   rule;
    ngx_int_t  rc;

    derive->content.original.request = sr;
    stream->view.decision.described = 1;

    rc = ngx_http_artifact_derive_file(derive, stream->source);

    if (rc != NGX_DECLINED) {
        return rc;
    }

    rule = derive->rule;
    derive->source.named = 0;

    if (ngx_http_artifact_derive_next(derive, 0)) {
        derive->raw = 1;
        ngx_http_artifact_derive_raw(stream, derive->conf->body_max);
    }

    derive->source.named = 1;
    derive->rule = rule;

    return NGX_OK;
}


/* From here on they are rendered as base64 and nothing else. */

static void
ngx_http_artifact_derive_raw(ngx_http_artifact_stream_t *stream, off_t max)
{
    art_view_t  *view;

    view = &stream->view;

    view->kind = ART_KIND_TEXT;
    view->decision.kind = ART_KIND_TEXT;
    view->decision.described = 0;
    view->decision.routing = ART_ROUTING_FILE;
    view->decision.max = (uint64_t) max;

    stream->terms.format = &ngx_http_artifact_derive_base64;
}


ngx_int_t
ngx_http_artifact_derive_put(ngx_http_artifact_derive_t *derive,
    ngx_chain_t *out)
{
    u_char      bytes[NGX_HTTP_ARTIFACT_DERIVE_PIECE];
    size_t      n, piece;
    ngx_buf_t  *b;

    if (!derive->raw) {
        ngx_http_artifact_drop(out);
        return NGX_OK;
    }

    for ( /* void */ ; out; out = out->next) {

        b = out->buf;

        while (ngx_buf_in_memory(b) && b->pos < b->last) {
            piece = ngx_min((size_t) (b->last - b->pos), sizeof(bytes));

            n = art_base64_decode(&derive->base64, bytes, b->pos, piece);
            b->pos += piece;

            if (ngx_http_artifact_spool_put(&derive->bytes, bytes, n)
                != NGX_OK)
            {
                return NGX_ERROR;
            }
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_derive_bytes(ngx_http_artifact_derive_t *derive)
{
    u_char                               bytes[3];
    size_t                               n;
    ngx_http_artifact_derive_content_t  *content;

    content = &derive->content;

    if (derive->raw) {
        n = art_base64_decode_end(&derive->base64, bytes);

        if (ngx_http_artifact_spool_put(&derive->bytes, bytes, n) != NGX_OK
            || ngx_http_artifact_spool_end(&derive->bytes, &content->body)
               != NGX_OK)
        {
            return NGX_ERROR;
        }

        content->size = derive->bytes.size;
        derive->raw = 0;
    }

    if (content->body == NULL) {
        derive->source.bytes = 0;
        (void) ngx_http_artifact_derive_next(derive, 0);
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_derive_ask(ngx_http_artifact_derive_t *derive,
    ngx_http_artifact_consumer_t *consumer)
{
    ngx_int_t                 rc;
    ngx_str_t                 uri, args;
    ngx_http_request_t       *r;
    const art_derive_rule_t  *rule;

    r = derive->request;
    rule = ngx_http_artifact_derive_rule(derive);

    derive->chosen = 0;
    derive->accepted = 0;
    derive->consumer = consumer;

    rc = ngx_http_artifact_derive_uri(derive, &uri, &args);

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_log_debug6(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact derive: \"%*s\" to \"%*s\", %s \"%V\"",
                   derive->content.original.mime.len,
                   derive->content.original.mime.data,
                   rule->to.len, rule->to.data, rule->body ? "POST" : "GET",
                   &uri);

    consumer->original = &derive->content.original;
    consumer->most = consumer->terms.conf->inline_max;

    derive->sr = ngx_http_artifact_ask_uri(r, &uri, &args, consumer);

    if (derive->sr == NULL
        || (rule->body
            && ngx_http_artifact_derive_post(derive->sr, &derive->content)
               != NGX_OK))
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
ngx_http_artifact_derive_uri(ngx_http_artifact_derive_t *derive,
    ngx_str_t *uri, ngx_str_t *args)
{
    ngx_str_t                        value;
    ngx_uint_t                       flags;
    ngx_http_request_t              *r;
    ngx_http_artifact_derive_uri_t  *conf;

    r = derive->request;
    conf = ngx_http_artifact_derive_rule(derive)->data;

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
                                    derive->content.id);
}


/*
 * Until the location is known nginx must not know the length, which it would
 * compare with the "client_max_body_size" of the location.
 */

static ngx_int_t
ngx_http_artifact_derive_post(ngx_http_request_t *sr,
    ngx_http_artifact_derive_content_t *content)
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
                                                            content->size)
                                                - p)));
    in->content_type = ngx_http_artifact_derive_header(sr, "Content-Type",
                                                       "content-type",
                                                       content->original.mime);

    if (in->content_length == NULL || in->content_type == NULL) {
        return NGX_ERROR;
    }

    in->content_length_n = content->size;

    sr->method = NGX_HTTP_POST;
    sr->method_name = method;
    sr->discard_body = 1;

    return ngx_http_artifact_derive_body(sr, content->body);
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


unsigned
ngx_http_artifact_derive_ended(ngx_http_artifact_derive_t *derive)
{
    unsigned  outcome;

    if (derive->consumer->status == NGX_HTTP_OK
        && derive->chosen && !derive->accepted)
    {
        outcome = ART_COUNT_NOT_TAKEN;

    } else {
        outcome = ngx_http_artifact_derive_outcome(derive);

        if (outcome == ART_COUNT_TAKEN && !derive->accepted) {
            outcome = ART_COUNT_NOT_TAKEN;
        }
    }

    ngx_http_artifact_derive_count(derive, outcome);
    ngx_http_artifact_consumer_release(derive->sr);

    derive->sr = NULL;

    return outcome;
}


/*
 * By its status and bytes: whether the reader takes the content is another
 * question.
 */

static unsigned
ngx_http_artifact_derive_outcome(ngx_http_artifact_derive_t *derive)
{
    unsigned                       outcome;
    ngx_uint_t                     i;
    ngx_http_artifact_consumer_t  *consumer;

    static const ngx_uint_t  cannot[] = {
        204, 400, 404, 406, 410, 413, 415, 422, 501
    };

#if (NGX_DEBUG)
    static const char *const  names[] = { "taken", "cannot", "", "failed" };
#endif

    consumer = derive->consumer;
    outcome = ART_COUNT_NOT_DERIVED;

    for (i = 0; i < sizeof(cannot) / sizeof(cannot[0]); i++) {
        if (consumer->status == cannot[i]) {
            outcome = ART_COUNT_CANNOT;
        }
    }

    if (consumer->too_long) {
        outcome = ART_COUNT_CANNOT;

    } else if (consumer->status == NGX_HTTP_OK && consumer->whole) {
        outcome = consumer->has_text ? ART_COUNT_TAKEN : ART_COUNT_CANNOT;
    }

    ngx_log_debug5(NGX_LOG_DEBUG_HTTP, derive->sr->connection->log, 0,
                   "http artifact derive: \"%V\" answered with %ui, %O bytes, "
                   "whole %d: %s", &derive->sr->uri, consumer->status,
                   consumer->consumed, consumer->whole, names[outcome]);

    if (outcome == ART_COUNT_NOT_DERIVED) {
        ngx_http_artifact_derive_log(derive);
    }

    return outcome;
}


/* What no request fails of is seen nowhere else: the rule is told as well. */

static void
ngx_http_artifact_derive_log(ngx_http_artifact_derive_t *derive)
{
    u_char                          *p, *last;
    ngx_http_request_t              *sr;
    const art_derive_rule_t         *rule;
    ngx_http_artifact_consumer_t    *consumer;
    ngx_http_artifact_derive_uri_t  *uri;
    u_char                           buf[NGX_HTTP_ARTIFACT_DERIVE_RULE];

    sr = derive->sr;
    consumer = derive->consumer;
    rule = ngx_http_artifact_derive_rule(derive);
    uri = rule->data;

    p = buf;
    last = buf + sizeof(buf);

    if (rule->words) {
        p = ngx_slprintf(p, last, ", the request goes on without it: rule "
                         "to \"%*s\" in %V:%ui", rule->to.len, rule->to.data,
                         &uri->directive->file, uri->directive->line);
    }

    ngx_log_error(NGX_LOG_ERR, sr->connection->log, 0,
                  "conversion \"%V%s%V\" of an artifact failed: %s "
                  "(status %ui)%*s", &sr->uri, sr->args.len ? "?" : "",
                  &sr->args, consumer->why ? consumer->why : "it did not end",
                  consumer->status, (size_t) (p - buf), buf);
}


ngx_uint_t
ngx_http_artifact_derive_words(ngx_http_artifact_derive_t *derive)
{
    const art_derive_rule_t  *rule;

    rule = ngx_http_artifact_derive_rule(derive);

    if (rule == NULL || !rule->words) {
        return 0;
    }

    ngx_log_debug0(NGX_LOG_DEBUG_HTTP, derive->request->connection->log, 0,
                   "http artifact derive: failed, it becomes words");

    ngx_http_artifact_derive_give_up(derive);

    return 1;
}


void
ngx_http_artifact_derive_count(ngx_http_artifact_derive_t *derive,
    unsigned outcome)
{
    unsigned  at[2];

    at[0] = derive->kind;
    at[1] = outcome;

    ngx_http_artifact_count(ART_COUNT_DERIVED, at, 1);
}


void
ngx_http_artifact_derive_release(ngx_http_artifact_derive_t *derive)
{
    ngx_http_artifact_spool_release(&derive->bytes);

    if (derive->content.original.request) {
        ngx_http_artifact_consumer_release(derive->content.original.request);
    }
}


void
ngx_http_artifact_derive_limit(ngx_http_artifact_derive_t *derive,
    ngx_msec_t msec)
{
    derive->timer.handler = ngx_http_artifact_derive_timeout;
    derive->timer.data = derive;
    derive->timer.log = derive->request->connection->log;

    if (!derive->timer.timer_set) {
        ngx_add_timer(&derive->timer, msec);
    }
}


/*
 * Whoever waits for the conversion runs again when it has been stopped.  One
 * that cannot be stopped yet, or has an error's page, is stopped later.
 */

static void
ngx_http_artifact_derive_timeout(ngx_event_t *ev)
{
    ngx_connection_t            *c;
    ngx_http_artifact_derive_t  *derive;

    derive = ev->data;
    c = derive->request->connection;

    ngx_http_set_log_request(c->log, derive->request);

    ngx_log_debug0(NGX_LOG_DEBUG_HTTP, c->log, 0,
                   "http artifact derive: no more time");

    if (!derive->silent && !derive->late) {
        ngx_http_artifact_derive_late(derive->request, derive->conf);
    }

    derive->late = 1;

    ngx_add_timer(ev, NGX_HTTP_ARTIFACT_DERIVE_AGAIN);

    if (derive->sr) {
        ngx_http_artifact_derive_stop(derive->sr);
    }

    ngx_http_run_posted_requests(c);
}


void
ngx_http_artifact_derive_late(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *conf)
{
    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "conversions took longer than the %M ms of "
                  "\"artifact_derive_timeout\"",
                  ngx_http_artifact_convert(conf)->timeout);
}


void
ngx_http_artifact_derive_rest(void *data)
{
    ngx_http_artifact_derive_t *derive = data;

    if (derive->timer.timer_set) {
        ngx_del_timer(&derive->timer);
    }
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
