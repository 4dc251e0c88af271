
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Attachments that the reader does not take as they are: a rule's location is
 * asked for another form.  A conversion is spooled before any of it is sent, so
 * that one that fails can still become words.
 */


#include "http/attachment/ngx_http_artifact_message_state.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/convert/ngx_http_artifact_convert.h"
#include "http/derive/ngx_http_artifact_derive.h"
#include "http/source/ngx_http_artifact_source.h"


/* Milliseconds after which a conversion is stopped again. */

#define NGX_HTTP_ARTIFACT_MESSAGE_AGAIN  500


struct ngx_http_artifact_message_derive_s {
    ngx_http_artifact_derive_t         derive;
    art_derive_source_t                source;
    art_question_t                     question;
    art_view_t                         origin;
    art_attachment_t                   was;
    unsigned                           rule;
    ngx_http_artifact_spool_t          bytes;    /* of the original */
    art_base64_decode_t                base64;   /* of "raw" */
    ngx_http_artifact_spool_t          made;     /* of the conversion */
    ngx_http_artifact_terms_t          terms;    /* of the original */
    ngx_event_t                        timer;

    unsigned                           raw:1;    /* it is being spooled */
    unsigned                           asking:1; /* for a conversion */
    unsigned                           chosen:1;
    unsigned                           taken:1;
    unsigned                           late:1;
};


static void ngx_http_artifact_message_question(
    ngx_http_artifact_message_t *message, const art_format_t *format,
    const art_view_t *view, art_question_t *question);
static ngx_int_t ngx_http_artifact_message_original(
    ngx_http_artifact_message_t *message, ngx_http_request_t *sr,
    ngx_http_artifact_stream_t *stream);
static unsigned ngx_http_artifact_message_rule(
    ngx_http_artifact_message_t *message, unsigned i);
static void ngx_http_artifact_message_timer_cleanup(void *data);
static ngx_int_t ngx_http_artifact_message_convert(
    ngx_http_artifact_message_t *message);
static void ngx_http_artifact_message_timeout(ngx_event_t *ev);
static ngx_int_t ngx_http_artifact_message_choose_derived(
    ngx_http_request_t *sr, ngx_http_artifact_stream_t *stream,
    ngx_uint_t empty, ngx_uint_t failed);
static ngx_int_t ngx_http_artifact_message_converted(
    ngx_http_artifact_message_t *message);
static ngx_int_t ngx_http_artifact_message_next(
    ngx_http_artifact_message_t *message);
static ngx_int_t ngx_http_artifact_message_made(
    ngx_http_artifact_message_t *message);
static ngx_int_t ngx_http_artifact_message_failed(
    ngx_http_artifact_message_t *message);
static void ngx_http_artifact_message_count(
    ngx_http_artifact_message_t *message, unsigned outcome);
static void ngx_http_artifact_message_let_go(
    ngx_http_artifact_message_t *message);


ngx_int_t
ngx_http_artifact_message_derivable(ngx_http_artifact_message_t *message,
    ngx_http_request_t *sr, ngx_http_artifact_stream_t *stream,
    const art_view_t *origin)
{
    ngx_pool_t                          *pool;
    art_question_t                       question;
    art_derive_source_t                  source;
    ngx_pool_cleanup_t                  *cln;
    ngx_http_artifact_message_derive_t  *d;

    ngx_http_artifact_message_question(message, stream->terms.format, origin,
                                       &question);
    ngx_memzero(&source, sizeof(art_derive_source_t));

    if (!art_derive_wanted(&question, &stream->view.decision, &source)) {
        return NGX_OK;
    }

    source.named = 1;
    source.bytes = stream->source->local || !origin->size_known
                   || origin->size <= (uint64_t) message->conf->body_max;

    pool = message->request->pool;

    d = ngx_pcalloc(pool, sizeof(ngx_http_artifact_message_derive_t));
    cln = ngx_pool_cleanup_add(pool, 0);

    if (d == NULL || cln == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_http_artifact_message_timer_cleanup;
    cln->data = d;

    d->source = source;
    d->question = question;
    d->was = *ngx_http_artifact_message_item(message);
    d->origin = *origin;
    d->origin.id = d->was.id;
    d->origin.name = d->was.name;
    d->terms = stream->terms;

    message->derive = d;
    d->rule = ngx_http_artifact_message_rule(message, 0);

    if (d->rule == ngx_http_artifact_rules(message->conf)->nelts) {
        message->derive = NULL;
        return NGX_OK;
    }

    ngx_http_artifact_spool_init(&d->bytes, message->request);
    ngx_http_artifact_spool_init(&d->made, message->request);

    return ngx_http_artifact_message_original(message, sr, stream);
}


/* What the routing table was asked about the original. */

static void
ngx_http_artifact_message_question(ngx_http_artifact_message_t *message,
    const art_format_t *format, const art_view_t *view,
    art_question_t *question)
{
    const art_service_t  *service;

    service = message->reader.service;

    ngx_memzero(question, sizeof(art_question_t));

    question->format = format;
    question->kind = view->kind;
    question->mime = view->mime;
    question->caps = message->reader.caps;
    question->unknown = message->reader.unknown;

    if (service) {
        question->accepts = service->accepts;
        question->naccepts = service->naccepts;
    }
}


/* The bytes of a file are in it; others come only now. */

static ngx_int_t
ngx_http_artifact_message_original(ngx_http_artifact_message_t *message,
    ngx_http_request_t *sr, ngx_http_artifact_stream_t *stream)
{
    ngx_int_t                            rc;
    ngx_http_artifact_message_derive_t  *d;

    d = message->derive;

    d->derive.original.request = sr;
    d->derive.id = d->was.id;
    d->derive.original.mime = d->origin.mime;

    stream->view.decision.described = 1;

    rc = ngx_http_artifact_derive_file(message->request, stream->source,
                                       &d->derive);

    if (rc != NGX_DECLINED) {
        return rc;
    }

    d->source.named = 0;
    d->raw = ngx_http_artifact_message_rule(message, 0)
             < ngx_http_artifact_rules(message->conf)->nelts;
    d->source.named = 1;

    if (d->raw) {
        ngx_http_artifact_derive_raw(stream, message->conf->body_max);
    }

    return NGX_OK;
}


/* The first rule from "i" on; the number of rules if none is left. */

static unsigned
ngx_http_artifact_message_rule(ngx_http_artifact_message_t *message,
    unsigned i)
{
    ngx_array_t                         *rules;
    ngx_http_artifact_message_derive_t  *d;

    d = message->derive;
    rules = ngx_http_artifact_rules(message->conf);

    return art_derive_next(rules->elts, (unsigned) rules->nelts, i,
                           &d->source, art_derive_takes, &d->question);
}


static void
ngx_http_artifact_message_timer_cleanup(void *data)
{
    ngx_http_artifact_message_derive_t *d = data;

    if (d->timer.timer_set) {
        ngx_del_timer(&d->timer);
    }
}


ngx_int_t
ngx_http_artifact_message_derive_output(ngx_http_artifact_message_t *message,
    ngx_chain_t *out)
{
    ngx_http_artifact_message_derive_t  *d;

    d = message->derive;

    if (d->raw) {
        return ngx_http_artifact_derive_raw_put(&d->bytes, &d->base64, out);
    }

    if (d->taken) {
        return ngx_http_artifact_spool_put_chain(&d->made, out);
    }

    ngx_http_artifact_drop(out);

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_message_derived(ngx_http_artifact_message_t *message)
{
    ngx_http_artifact_consumer_t        *consumer;
    ngx_http_artifact_message_derive_t  *d;

    d = message->derive;
    consumer = &message->consumer;

    if (d->asking) {
        return ngx_http_artifact_message_converted(message);
    }

    if (consumer->status != NGX_HTTP_OK || (d->raw && !consumer->whole)) {
        message->derive = NULL;
        ngx_http_artifact_message_item(message)->outcome = ART_ATTACHED_UNREAD;

        return NGX_DECLINED;
    }

    message->sr = NULL;

    if (d->raw) {
        d->raw = 0;

        if (ngx_http_artifact_derive_raw_end(&d->bytes, &d->base64, &d->derive)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    if (d->derive.body == NULL) {
        d->source.bytes = 0;
        d->rule = ngx_http_artifact_message_rule(message, 0);
    }

    d->asking = 1;

    return d->rule < ngx_http_artifact_rules(message->conf)->nelts
           ? ngx_http_artifact_message_convert(message)
           : ngx_http_artifact_message_next(message);
}


static ngx_int_t
ngx_http_artifact_message_convert(ngx_http_artifact_message_t *message)
{
    ngx_int_t                            rc;
    art_derive_rule_t                   *rules;
    ngx_http_artifact_terms_t           *terms;
    ngx_http_artifact_message_derive_t  *d;

    d = message->derive;
    rules = ngx_http_artifact_rules(message->conf)->elts;
    terms = &message->consumer.terms;

    if (message->until == 0) {
        message->until = ngx_current_msec
                         + ngx_http_artifact_convert(message->conf)->timeout;
    }

    if ((ngx_msec_int_t) (message->until - ngx_current_msec) <= 0) {
        return ngx_http_artifact_message_failed(message);
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, message->request->connection->log, 0,
                   "http artifact message: attachment %uD is converted, "
                   "rule %ud",
                   message->reply.at, d->rule);

    *terms = d->terms;
    terms->choose = ngx_http_artifact_message_choose_derived;
    terms->origin = &d->origin;

    d->chosen = 0;
    d->taken = 0;

    rc = ngx_http_artifact_derive_ask(message->request, &rules[d->rule],
                                      &d->derive, &message->consumer,
                                      &message->sr);
    if (rc == NGX_DECLINED) {
        return ngx_http_artifact_message_failed(message);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    d->timer.handler = ngx_http_artifact_message_timeout;
    d->timer.data = message;
    d->timer.log = message->request->connection->log;

    ngx_add_timer(&d->timer, message->until - ngx_current_msec);

    return NGX_AGAIN;
}


/* One that cannot be stopped yet, or has an error's page, is stopped later. */

static void
ngx_http_artifact_message_timeout(ngx_event_t *ev)
{
    ngx_connection_t             *c;
    ngx_http_artifact_message_t  *message;

    message = ev->data;
    c = message->request->connection;

    ngx_http_set_log_request(c->log, message->request);

    if (!message->derive->late) {
        ngx_log_error(NGX_LOG_ERR, c->log, 0,
                      "conversions took longer than the %M ms of "
                      "\"artifact_derive_timeout\"",
                      ngx_http_artifact_convert(message->conf)->timeout);
    }

    message->derive->late = 1;

    ngx_add_timer(ev, NGX_HTTP_ARTIFACT_MESSAGE_AGAIN);

    ngx_http_artifact_derive_stop(message->sr);

    ngx_http_run_posted_requests(c);
}


/* What the location has answered with counts, but see art_derive_is_made(). */

static ngx_int_t
ngx_http_artifact_message_choose_derived(ngx_http_request_t *sr,
    ngx_http_artifact_stream_t *stream, ngx_uint_t empty, ngx_uint_t failed)
{
    art_view_t                          *view;
    art_attachment_t                    *item;
    art_derive_rule_t                   *rules;
    ngx_http_artifact_message_t         *message;
    ngx_http_artifact_message_derive_t  *d;

    message = ngx_http_artifact_consumer(sr)->data;
    item = ngx_http_artifact_message_item(message);
    rules = ngx_http_artifact_rules(message->conf)->elts;
    view = &stream->view;
    d = message->derive;

    *item = d->was;
    item->name = view->name;

    d->chosen = !empty;
    d->taken = !empty && !failed
               && art_derive_is_made(&rules[d->rule], view->mime);

    if (d->taken) {

        if (art_reply_decide(&message->reply, view, 0, &message->pool)
            != ART_OK)
        {
            return NGX_ERROR;
        }

        d->taken = item->outcome == ART_ATTACHED_PART;
    }

    if (!d->taken) {
        *item = d->was;
        view->decision.described = 1;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_message_converted(ngx_http_artifact_message_t *message)
{
    ngx_http_request_t                  *sr;
    ngx_http_artifact_consumer_t        *consumer;
    ngx_http_artifact_derive_outcome_e   outcome;
    ngx_http_artifact_message_derive_t  *d;

    d = message->derive;
    sr = message->sr;
    consumer = &message->consumer;

    message->sr = NULL;

    if (d->timer.timer_set) {
        ngx_del_timer(&d->timer);
    }

    ngx_http_artifact_consumer_release(sr);

    if (consumer->status == NGX_HTTP_OK && d->chosen && !d->taken) {
        ngx_http_artifact_message_count(message, ART_COUNT_NOT_TAKEN);
        return ngx_http_artifact_message_next(message);
    }

    outcome = ngx_http_artifact_derive_outcome(sr, consumer);

    switch (outcome) {

    case NGX_HTTP_ARTIFACT_DERIVE_TAKEN:
        ngx_http_artifact_message_count(message, ART_COUNT_TAKEN);
        return ngx_http_artifact_message_made(message);

    case NGX_HTTP_ARTIFACT_DERIVE_CANNOT:
        ngx_http_artifact_message_count(message, ART_COUNT_CANNOT);
        return ngx_http_artifact_message_next(message);

    default:  /* NGX_HTTP_ARTIFACT_DERIVE_FAILED */
        return ngx_http_artifact_message_failed(message);
    }
}


/* Asks for the next rule; without one the attachment is what it was. */

static ngx_int_t
ngx_http_artifact_message_next(ngx_http_artifact_message_t *message)
{
    unsigned                             n;
    ngx_http_artifact_message_derive_t  *d;

    d = message->derive;
    n = (unsigned) ngx_http_artifact_rules(message->conf)->nelts;

    d->taken = 0;
    *ngx_http_artifact_message_item(message) = d->was;
    ngx_http_artifact_spool_release(&d->made);

    if (d->rule < n) {
        d->rule = ngx_http_artifact_message_rule(message, d->rule + 1);
    }

    if (d->rule < n) {
        return ngx_http_artifact_message_convert(message);
    }

    ngx_http_artifact_message_let_go(message);

    if (d->was.outcome != ART_ATTACHED_PART) {
        return NGX_OK;
    }

    message->plain = 1;

    return NGX_DECLINED;
}


static ngx_int_t
ngx_http_artifact_message_made(ngx_http_artifact_message_t *message)
{
    ngx_chain_t                         *cl;
    ngx_http_artifact_message_derive_t  *d;

    d = message->derive;

    if (ngx_http_artifact_spool_end(&d->made, &cl) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_artifact_message_let_go(message);

    if (cl == NULL) {
        return NGX_OK;
    }

    if (ngx_http_artifact_bufs_put(message->request->pool, &message->bufs,
                                   cl->buf)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_artifact_bufs_send(message->request, &message->bufs,
                                       ngx_http_output_filter)
           == NGX_ERROR ? NGX_ERROR : NGX_OK;
}


static ngx_int_t
ngx_http_artifact_message_failed(ngx_http_artifact_message_t *message)
{
    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, message->request->connection->log, 0,
                   "http artifact message: attachment %uD, conversion failed",
                   message->reply.at);

    ngx_http_artifact_message_count(message, ART_COUNT_NOT_DERIVED);
    ngx_http_artifact_count(ART_COUNT_SOURCES_FAILED, NULL, 1);

    *ngx_http_artifact_message_item(message) = message->derive->was;
    ngx_http_artifact_message_item(message)->outcome = ART_ATTACHED_UNREAD;

    ngx_http_artifact_message_let_go(message);

    return NGX_OK;
}


static void
ngx_http_artifact_message_count(ngx_http_artifact_message_t *message,
    unsigned outcome)
{
    unsigned  at[2];

    at[0] = message->derive->origin.kind;
    at[1] = outcome;

    ngx_http_artifact_count(ART_COUNT_DERIVED, at, 1);
}


static void
ngx_http_artifact_message_let_go(ngx_http_artifact_message_t *message)
{
    ngx_http_artifact_message_derive_t  *d;

    d = message->derive;
    message->derive = NULL;
    message->consumer.terms = d->terms;
    message->consumer.original = NULL;
    message->consumer.most = 0;

    ngx_http_artifact_spool_release(&d->bytes);
    ngx_http_artifact_consumer_release(d->derive.original.request);
}
