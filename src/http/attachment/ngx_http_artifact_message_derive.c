
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


struct ngx_http_artifact_message_derive_s {
    ngx_http_artifact_derive_t         derive;
    art_question_t                     question;
    art_view_t                         origin;
    art_attachment_t                   was;
    ngx_http_artifact_spool_t          made;     /* of the conversion */
    ngx_http_artifact_terms_t          terms;    /* of the original */

    unsigned                           asking:1; /* for a conversion */
};


static void ngx_http_artifact_message_question(
    ngx_http_artifact_message_t *message, const art_format_t *format,
    const art_view_t *view, art_question_t *question);
static ngx_int_t ngx_http_artifact_message_convert(
    ngx_http_artifact_message_t *message);
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
static void ngx_http_artifact_message_release_waiting(
    ngx_http_artifact_message_t *message);


ngx_int_t
ngx_http_artifact_message_derivable(ngx_http_artifact_message_t *message,
    ngx_http_request_t *sr, ngx_http_artifact_stream_t *stream,
    const art_view_t *origin)
{
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

    d = ngx_pcalloc(message->request->pool,
                    sizeof(ngx_http_artifact_message_derive_t));
    cln = ngx_pool_cleanup_add(message->request->pool, 0);

    if (d == NULL || cln == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_http_artifact_derive_rest;
    cln->data = &d->derive;

    d->question = question;
    d->was = *ngx_http_artifact_message_item(message);
    d->origin = *origin;
    d->origin.id = d->was.id;
    d->origin.name = d->was.name;
    d->terms = stream->terms;

    d->derive.source = source;
    d->derive.kind = origin->kind;
    d->derive.content.id = d->was.id;
    d->derive.content.original.mime = origin->mime;

    ngx_http_artifact_derive_init(&d->derive, message->request, message->conf,
                                  art_derive_takes, &d->question);

    if (ngx_http_artifact_derive_next(&d->derive, 0) == NULL) {
        return NGX_OK;
    }

    message->derive = d;

    ngx_http_artifact_spool_init(&d->made, message->request);

    return ngx_http_artifact_derive_original(&d->derive, sr, stream);
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


ngx_int_t
ngx_http_artifact_message_derive_output(ngx_http_artifact_message_t *message,
    ngx_chain_t *out)
{
    ngx_http_artifact_message_derive_t  *d;

    d = message->derive;

    return d->derive.accepted
           ? ngx_http_artifact_spool_put_chain(&d->made, out)
           : ngx_http_artifact_derive_put(&d->derive, out);
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

    if (consumer->status != NGX_HTTP_OK
        || (d->derive.raw && !consumer->whole))
    {
        message->derive = NULL;
        ngx_http_artifact_message_item(message)->outcome = ART_ATTACHED_UNREAD;

        return NGX_DECLINED;
    }

    message->sr = NULL;

    if (ngx_http_artifact_derive_bytes(&d->derive) != NGX_OK) {
        return NGX_ERROR;
    }

    d->asking = 1;

    return ngx_http_artifact_derive_rule(&d->derive)
           ? ngx_http_artifact_message_convert(message)
           : ngx_http_artifact_message_next(message);
}


static ngx_int_t
ngx_http_artifact_message_convert(ngx_http_artifact_message_t *message)
{
    ngx_int_t                            rc;
    ngx_msec_int_t                       left;
    ngx_http_artifact_terms_t           *terms;
    ngx_http_artifact_message_derive_t  *d;

    d = message->derive;
    terms = &message->consumer.terms;

    if (message->until == 0) {
        message->until = ngx_current_msec
                         + ngx_http_artifact_convert(message->conf)->timeout;
    }

    left = (ngx_msec_int_t) (message->until - ngx_current_msec);

    if (left <= 0) {
        ngx_http_artifact_derive_count(&d->derive, ART_COUNT_NOT_DERIVED);
        return ngx_http_artifact_message_failed(message);
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, message->request->connection->log, 0,
                   "http artifact message: attachment %uD is converted, "
                   "rule %ud",
                   message->reply.at, d->derive.rule);

    *terms = d->terms;
    terms->choose = ngx_http_artifact_message_choose_derived;
    terms->origin = &d->origin;

    rc = ngx_http_artifact_derive_ask(&d->derive, &message->consumer);

    if (rc == NGX_DECLINED) {
        ngx_http_artifact_derive_count(&d->derive, ART_COUNT_NOT_DERIVED);
        return ngx_http_artifact_message_failed(message);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    message->sr = d->derive.sr;

    ngx_http_artifact_derive_limit(&d->derive, (ngx_msec_t) left);

    return NGX_AGAIN;
}


/* What the location has answered with counts, but see art_derive_is_made(). */

static ngx_int_t
ngx_http_artifact_message_choose_derived(ngx_http_request_t *sr,
    ngx_http_artifact_stream_t *stream, ngx_uint_t empty, ngx_uint_t failed)
{
    ngx_uint_t                           taken;
    art_view_t                          *view;
    art_attachment_t                    *item;
    ngx_http_artifact_message_t         *message;
    ngx_http_artifact_message_derive_t  *d;

    message = ngx_http_artifact_consumer(sr)->data;
    item = ngx_http_artifact_message_item(message);
    view = &stream->view;
    d = message->derive;

    *item = d->was;
    item->name = view->name;

    d->derive.chosen = !empty;

    taken = !empty && !failed
            && art_derive_is_made(ngx_http_artifact_derive_rule(&d->derive),
                                  view->mime);

    if (taken) {

        if (art_reply_decide(&message->reply, view, 0, &message->pool)
            != ART_OK)
        {
            return NGX_ERROR;
        }

        taken = item->outcome == ART_ATTACHED_PART;
    }

    d->derive.accepted = taken & 1;

    if (taken) {
        item->derived = view->mime;

    } else {
        *item = d->was;
        view->decision.described = 1;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_message_converted(ngx_http_artifact_message_t *message)
{
    message->sr = NULL;

    switch (ngx_http_artifact_derive_ended(&message->derive->derive)) {

    case ART_COUNT_TAKEN:
        return ngx_http_artifact_message_made(message);

    case ART_COUNT_NOT_DERIVED:
        return ngx_http_artifact_message_failed(message);

    default:  /* ART_COUNT_CANNOT, ART_COUNT_NOT_TAKEN */
        return ngx_http_artifact_message_next(message);
    }
}


/* Asks for the next rule; without one the attachment is what it was. */

static ngx_int_t
ngx_http_artifact_message_next(ngx_http_artifact_message_t *message)
{
    ngx_http_artifact_derive_t          *derive;
    ngx_http_artifact_message_derive_t  *d;

    d = message->derive;
    derive = &d->derive;

    derive->accepted = 0;
    *ngx_http_artifact_message_item(message) = d->was;
    ngx_http_artifact_spool_release(&d->made);

    if (ngx_http_artifact_derive_rule(derive)
        && ngx_http_artifact_derive_next(derive, derive->rule + 1))
    {
        return ngx_http_artifact_message_convert(message);
    }

    ngx_http_artifact_message_release_waiting(message);

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

    ngx_http_artifact_message_release_waiting(message);

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

    if (ngx_http_artifact_derive_words(&message->derive->derive)) {
        message->derive->was.unconverted = 1;
        return ngx_http_artifact_message_next(message);
    }

    ngx_http_artifact_count(ART_COUNT_SOURCES_FAILED, NULL, 1);

    *ngx_http_artifact_message_item(message) = message->derive->was;
    ngx_http_artifact_message_item(message)->outcome = ART_ATTACHED_UNREAD;

    ngx_http_artifact_message_release_waiting(message);

    return NGX_OK;
}


static void
ngx_http_artifact_message_release_waiting(ngx_http_artifact_message_t *message)
{
    ngx_http_artifact_message_derive_t  *d;

    d = message->derive;
    message->derive = NULL;
    message->consumer.terms = d->terms;
    message->consumer.original = NULL;
    message->consumer.most = 0;

    ngx_http_artifact_derive_rest(&d->derive);
    ngx_http_artifact_derive_release(&d->derive);
}
