
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A routed answer whose reader would take another form of the content: its
 * header is held, the source is let go, converters are asked one after the
 * other, and what one of them makes is the answer.  If none can make it, the
 * content is described.
 *
 * The header filter runs after not_modified, which knows by the tag whether the
 * client has the answer already; the body filter right after the wait filter,
 * when a source's first bytes have been classified.
 *
 * A converter reads strangers' files, one of which may take it over, and nginx
 * would serve the URI of its X-Accel-Redirect: an artifact of another tenant as
 * the words of a scan.  So that header is dropped where nginx parses it, in
 * answers of upstreams of all kinds and of caches, which is logged.
 */


#include "http/base/ngx_http_artifact_body_reader.h"
#include "http/compose/ngx_http_artifact_ask.h"
#include "http/compose/ngx_http_artifact_spool.h"
#include "http/convert/ngx_http_artifact_convert.h"
#include "http/derive/ngx_http_artifact_derive.h"
#include "http/route/ngx_http_artifact_modules.h"
#include "http/route/ngx_http_artifact_stream.h"
#include "http/source/ngx_http_artifact_source.h"
#include "core/answer/art_counters.h"


/*
 * The answer in the making.  A long conversion from a file or a cache
 * is sent as it is rendered ("direct").  Any other may break off, or be too
 * long, and waits in the spool until it is whole.  What was rendered last stays
 * where it is, and is sent with the end of the answer.
 */

typedef struct {
    ngx_http_request_t               *request;
    ngx_http_artifact_stream_t       *stream;      /* of the original */
    ngx_http_artifact_derive_t        derive;

    ngx_http_artifact_consumer_t      consumer;
    ngx_http_artifact_stream_t       *derived;      /* once it started */
    ngx_http_artifact_spool_t         spool;
    ngx_chain_t                      *tail;         /* rendered last, or NULL */

    ngx_event_t                       begin;        /* the source is over */

    unsigned                          keepalive:1;  /* of the client */
    unsigned                          ended:1;      /* the source has */
    unsigned                          direct:1;
    unsigned                          opened:1;     /* the header was sent */
} ngx_http_artifact_derivation_t;


extern ngx_module_t  ngx_http_artifact_derive_filter_module;


static ngx_int_t ngx_http_artifact_derive_header_filter(
    ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_derive_create(
    ngx_http_request_t *r, ngx_http_artifact_stream_t *stream);
static ngx_int_t ngx_http_artifact_derive_body_filter(ngx_http_request_t *r,
    ngx_chain_t *in);
static ngx_uint_t ngx_http_artifact_derive_is_end(
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in);
static void ngx_http_artifact_derive_begin(ngx_event_t *ev);
static void ngx_http_artifact_derive_cleanup(void *data);
static void ngx_http_artifact_derive_run(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_derive_go_on(
    ngx_http_artifact_derivation_t *d, unsigned i);
static ngx_int_t ngx_http_artifact_derive_try(
    ngx_http_artifact_derivation_t *d, const art_derive_rule_t *rule);
static ngx_int_t ngx_http_artifact_derive_output(ngx_http_request_t *sr,
    ngx_chain_t *out);
static ngx_int_t ngx_http_artifact_derive_keep(
    ngx_http_artifact_derivation_t *d, ngx_chain_t *out);
static void ngx_http_artifact_derive_judge(ngx_http_artifact_derivation_t *d,
    ngx_http_request_t *sr);
static ngx_int_t ngx_http_artifact_derive_answered(
    ngx_http_artifact_derivation_t *d);
static ngx_int_t ngx_http_artifact_derive_send(
    ngx_http_artifact_derivation_t *d);
static ngx_int_t ngx_http_artifact_derive_header(
    ngx_http_artifact_derivation_t *d, off_t length);
static ngx_int_t ngx_http_artifact_derive_last(
    ngx_http_artifact_derivation_t *d, ngx_chain_t *out);
static void ngx_http_artifact_derive_untag(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_derive_without(
    ngx_http_artifact_derivation_t *d);
static ngx_int_t ngx_http_artifact_derive_reread(
    ngx_http_artifact_derivation_t *d, ngx_buf_t *b);
static ngx_int_t ngx_http_artifact_derive_fail(
    ngx_http_artifact_derivation_t *d);
static ngx_int_t ngx_http_artifact_derive_filter_init(ngx_conf_t *cf);
static ngx_int_t ngx_http_artifact_derive_redirects(ngx_conf_t *cf);
static ngx_hash_elt_t *ngx_http_artifact_redirect_find(ngx_hash_t *hash,
    ngx_str_t *name);
static ngx_int_t ngx_http_artifact_redirect_header(ngx_http_request_t *r,
    ngx_table_elt_t *h, ngx_uint_t offset);


static ngx_http_module_t  ngx_http_artifact_derive_filter_module_ctx = {
    .postconfiguration = ngx_http_artifact_derive_filter_init
};


ngx_module_t  ngx_http_artifact_derive_filter_module =
    NGX_HTTP_ARTIFACT_MODULE(&ngx_http_artifact_derive_filter_module_ctx, NULL);


static ngx_http_output_header_filter_pt  ngx_http_next_header_filter;
static ngx_http_output_body_filter_pt    ngx_http_next_body_filter;


/*
 * HEAD and "not modified" need no content.  Where the request has subrequests
 * already (ssi), their output cannot be let go: the content is described.
 */

static ngx_int_t
ngx_http_artifact_derive_header_filter(ngx_http_request_t *r)
{
    ngx_http_artifact_stream_t  *stream;

    stream = ngx_http_artifact_get_stream(r);

    if (stream == NULL || stream->derivable == NULL
        || stream->state != NGX_HTTP_ARTIFACT_STREAM_RENDER
        || r->method == NGX_HTTP_HEAD
        || r->headers_out.status == NGX_HTTP_NOT_MODIFIED)
    {
        return ngx_http_next_header_filter(r);
    }

    if (r->postponed) {
        ngx_http_artifact_derive_untag(r);

        return ngx_http_next_header_filter(r);
    }

    return ngx_http_artifact_derive_create(r, stream);
}


static ngx_int_t
ngx_http_artifact_derive_create(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    ngx_pool_cleanup_t              *cln;
    ngx_http_artifact_ctx_t         *ctx;
    ngx_http_artifact_derivation_t  *d;

    d = ngx_pcalloc(r->pool, sizeof(ngx_http_artifact_derivation_t));
    cln = ngx_pool_cleanup_add(r->pool, 0);

    if (d == NULL || cln == NULL) {
        return NGX_ERROR;
    }

    ngx_log_debug0(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact derive: the source is not sent");

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);
    ctx->converts = 1;

    ngx_http_set_ctx(r, d, ngx_http_artifact_derive_filter_module);

    d->request = r;
    d->stream = stream;
    d->keepalive = r->keepalive;

    d->begin.handler = ngx_http_artifact_derive_begin;
    d->begin.data = d;
    d->begin.log = r->connection->log;

    d->derive.source = stream->derivable->source;
    d->derive.kind = stream->derivable->question.kind;
    d->derive.silent = 1;

    ngx_http_artifact_derive_init(&d->derive, r, stream->terms.conf,
                                  art_derive_takes,
                                  &stream->derivable->question);

    cln->handler = ngx_http_artifact_derive_cleanup;
    cln->data = d;

    stream->state = NGX_HTTP_ARTIFACT_STREAM_DERIVE;

    return NGX_OK;
}


/*
 * The source's bytes are dropped.  With the last of them its handler is done,
 * and finalizes the request, which lives on since it is marked as buffered;
 * after that, converters are asked.
 */

static ngx_int_t
ngx_http_artifact_derive_body_filter(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_http_artifact_derivation_t  *d;

    d = ngx_http_get_module_ctx(r, ngx_http_artifact_derive_filter_module);

    if (d == NULL || in == NULL
        || d->stream->state != NGX_HTTP_ARTIFACT_STREAM_DERIVE)
    {
        return ngx_http_next_body_filter(r, in);
    }

    if (!d->ended && ngx_http_artifact_derive_is_end(d->stream, in)) {
        d->ended = 1;
        r->buffered |= NGX_HTTP_ARTIFACT_BUFFERED;

        ngx_post_event(&d->begin, &ngx_posted_events);
    }

    ngx_http_artifact_drop(in);

    return NGX_OK;
}


/* The last buffer, or the flush with which an upstream ends that has failed. */

static ngx_uint_t
ngx_http_artifact_derive_is_end(ngx_http_artifact_stream_t *stream,
    ngx_chain_t *in)
{
    for ( /* void */ ; in; in = in->next) {

        if (in->buf->last_buf
            || (in->buf->flush && stream->upstream
                && stream->upstream->cleanup == NULL))
        {
            return 1;
        }
    }

    return 0;
}


static void
ngx_http_artifact_derive_begin(ngx_event_t *ev)
{
    ngx_connection_t                *c;
    ngx_http_request_t              *r;
    ngx_http_artifact_derivation_t  *d;

    d = ev->data;
    r = d->request;
    c = r->connection;

    ngx_http_set_log_request(c->log, r);

    r->buffered &= ~NGX_HTTP_ARTIFACT_BUFFERED;
    r->write_event_handler = ngx_http_artifact_derive_run;

    /* cleared for an upstream that was let go */

    r->keepalive = d->keepalive;

    d->stream->upstream = NULL;

    ngx_http_artifact_derive_limit(&d->derive,
                           ngx_http_artifact_convert(d->derive.conf)->timeout);

    ngx_http_artifact_derive_run(r);

    ngx_http_run_posted_requests(c);
}


static void
ngx_http_artifact_derive_cleanup(void *data)
{
    ngx_http_artifact_derivation_t *d = data;

    if (d->begin.posted) {
        ngx_delete_posted_event(&d->begin);
    }

    ngx_http_artifact_derive_rest(&d->derive);
}


/* Called after the source, and after each conversion. */

static void
ngx_http_artifact_derive_run(ngx_http_request_t *r)
{
    ngx_int_t                        rc;
    ngx_http_artifact_derivation_t  *d;

    d = ngx_http_get_module_ctx(r, ngx_http_artifact_derive_filter_module);

    if (d->derive.sr && !d->derive.sr->done) {
        return;
    }

    rc = d->derive.sr ? ngx_http_artifact_derive_answered(d)
                      : ngx_http_artifact_derive_go_on(d, 0);

    if (rc == NGX_AGAIN) {
        return;
    }

    if (rc == NGX_DECLINED) {

        if (ngx_http_artifact_derive_words(&d->derive)) {
            d->stream->unconverted = 1;
            rc = ngx_http_artifact_derive_without(d);

        } else {
            rc = ngx_http_artifact_derive_fail(d);
        }
    }

    ngx_http_artifact_derive_cleanup(d);

    r->write_event_handler = ngx_http_request_empty_handler;

    ngx_http_finalize_request(r, rc);
}


/*
 * Asks by the first rule from number "i" on, or sends what there is without
 * one.  NGX_AGAIN while a converter is asked, NGX_DECLINED if it failed, else
 * what the request is finalized with.
 */

static ngx_int_t
ngx_http_artifact_derive_go_on(ngx_http_artifact_derivation_t *d, unsigned i)
{
    ngx_int_t                 rc;
    const art_derive_rule_t  *rule;

    rule = ngx_http_artifact_derive_next(&d->derive, i);

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, d->request->connection->log, 0,
                   "http artifact derive: rule %ud, there is one %d",
                   i, rule != NULL);

    if (rule == NULL) {
        return ngx_http_artifact_derive_without(d);
    }

    if (d->derive.late) {
        return NGX_DECLINED;
    }

    if (i > 0) {
        ngx_http_artifact_derive_untag(d->request);
    }

    rc = ngx_http_artifact_derive_try(d, rule);

    return rc == NGX_OK ? NGX_AGAIN : rc;
}


static ngx_int_t
ngx_http_artifact_derive_try(ngx_http_artifact_derivation_t *d,
    const art_derive_rule_t *rule)
{
    ngx_int_t                            rc;
    art_view_t                          *view;
    ngx_http_artifact_terms_t           *terms;
    ngx_http_artifact_derive_content_t  *content;

    view = &d->stream->view;
    content = &d->derive.content;

    content->original.request = d->request;
    content->original.mime = view->mime;
    content->id = view->id;

    if (rule->body && content->body == NULL) {
        rc = ngx_http_artifact_derive_file(&d->derive, d->stream->source);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    terms = &d->consumer.terms;

    *terms = d->stream->terms;
    terms->origin = view;
    terms->keeper = d->stream->source;
    terms->url = NULL;

    d->consumer.output = ngx_http_artifact_derive_output;
    d->consumer.data = d;

    d->derived = NULL;
    d->tail = NULL;
    d->direct = 0;

    ngx_http_artifact_spool_init(&d->spool, d->request);
    ngx_http_artifact_ask_no_timer(d->request);

    return ngx_http_artifact_derive_ask(&d->derive, &d->consumer);
}


static ngx_int_t
ngx_http_artifact_derive_output(ngx_http_request_t *sr, ngx_chain_t *out)
{
    ngx_http_artifact_derivation_t  *d;

    d = ngx_http_artifact_consumer(sr)->data;

    if (d->derived == NULL) {
        ngx_http_artifact_derive_judge(d, sr);
    }

    if (!d->derive.accepted) {
        ngx_http_artifact_drop(out);
        return NGX_OK;
    }

    if (out && d->derived->state == NGX_HTTP_ARTIFACT_STREAM_END
        && d->derived->bufs.busy == NULL && d->spool.size == 0)
    {
        return ngx_http_artifact_derive_keep(d, out);
    }

    if (!d->direct) {
        return ngx_http_artifact_spool_put_chain(&d->spool, out);
    }

    if (!d->opened
        && ngx_http_artifact_derive_header(d, d->derived->length) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_artifact_capture_pass(sr, out);
}


/*
 * The last buffers of a rendering, whose memory is not used again.  A flush may
 * follow, as from what the converter's answer includes after the end of it.
 */

static ngx_int_t
ngx_http_artifact_derive_keep(ngx_http_artifact_derivation_t *d,
    ngx_chain_t *out)
{
    ngx_buf_t     *b;
    ngx_pool_t    *pool;
    ngx_chain_t  **last;

    pool = d->request->pool;

    for (last = &d->tail; *last; last = &(*last)->next) { /* void */ }

    for ( /* void */ ; out; out = out->next) {

        if (out->buf->pos == out->buf->last) {
            continue;
        }

        b = ngx_calloc_buf(pool);
        *last = ngx_alloc_chain_link(pool);

        if (b == NULL || *last == NULL) {
            return NGX_ERROR;
        }

        b->pos = out->buf->pos;
        b->last = out->buf->last;
        b->memory = 1;

        (*last)->buf = b;
        (*last)->next = NULL;
        last = &(*last)->next;

        out->buf->pos = out->buf->last;
    }

    return NGX_OK;
}


/* Whether the reader takes what was made, and how it is sent. */

static void
ngx_http_artifact_derive_judge(ngx_http_artifact_derivation_t *d,
    ngx_http_request_t *sr)
{
    off_t                        size;
    ngx_uint_t                   fits;
    art_view_t                  *view;
    ngx_http_artifact_stream_t  *derived;

    derived = ngx_http_artifact_get_stream(sr);
    view = &derived->view;

    d->derived = derived;
    fits = view->decision.reason == ART_REASON_NONE
           && !view->decision.described
           && art_derive_is_made(ngx_http_artifact_derive_rule(&d->derive),
                                 view->mime);

    d->derive.accepted = fits & 1;

    size = view->size_known ? (off_t) view->size : 0;

    d->direct = fits && derived->upstream == NULL
                && size > (off_t) d->spool.room && d->consumer.has_text
                && (d->consumer.most == 0 || size <= d->consumer.most);

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, sr->connection->log, 0,
                   "http artifact derive: \"%*s\", fits %ui, direct %d",
                   view->mime.len, view->mime.data, fits, d->direct);
}


/* A conversion is over. */

static ngx_int_t
ngx_http_artifact_derive_answered(ngx_http_artifact_derivation_t *d)
{
    unsigned  outcome;

    if (d->tail) {

        /* it is in these buffers */

        d->derived->bufs.free = NULL;
    }

    outcome = ngx_http_artifact_derive_ended(&d->derive);

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, d->request->connection->log, 0,
                   "http artifact derive: outcome %ud, expired %d, sent %d",
                   outcome, d->derive.late, d->opened);

    if (outcome != ART_COUNT_TAKEN) {
        d->tail = NULL;
    }

    if (d->opened) {

        /* a part of it was sent, or all */

        return outcome == ART_COUNT_TAKEN
               ? ngx_http_artifact_derive_last(d, NULL) : NGX_ERROR;
    }

    if (outcome == ART_COUNT_TAKEN && !d->derive.late) {
        return ngx_http_artifact_derive_send(d);
    }

    ngx_http_artifact_spool_release(&d->spool);

    return outcome == ART_COUNT_NOT_DERIVED || d->derive.late
           ? NGX_DECLINED
           : ngx_http_artifact_derive_go_on(d, d->derive.rule + 1);
}


static ngx_int_t
ngx_http_artifact_derive_send(ngx_http_artifact_derivation_t *d)
{
    ngx_chain_t  *out;

    if (d->tail) {
        return ngx_http_artifact_derive_header(d,
                                         ngx_http_artifact_body_size(d->tail))
               == NGX_OK
               ? ngx_http_artifact_derive_last(d, NULL) : NGX_ERROR;
    }

    return ngx_http_artifact_spool_end(&d->spool, &out) == NGX_OK
           && ngx_http_artifact_derive_header(d, d->spool.size) == NGX_OK
           ? ngx_http_artifact_derive_last(d, out) : NGX_ERROR;
}


/* The decision about what is sent replaces that about the original. */

static ngx_int_t
ngx_http_artifact_derive_header(ngx_http_artifact_derivation_t *d,
    off_t length)
{
    ngx_int_t            rc;
    ngx_http_request_t  *r;

    r = d->request;

    d->opened = 1;

    if (d->derived) {
        d->stream->state = NGX_HTTP_ARTIFACT_STREAM_DERIVED;
        d->stream->view.decision = d->derived->view.decision;
        d->stream->derived = d->derived->view.mime;
    }

    if (d->stream->source->coded) {

        /* the gunzip filter would decode the answer */

        r->headers_out.content_encoding->hash = 0;
        r->headers_out.content_encoding = NULL;

#if (NGX_HTTP_GZIP)
        r->gzip_tested = 0;
#endif

        d->stream->source->coded = 0;
    }

    r->headers_out.content_length_n = length;

    rc = ngx_http_next_header_filter(r);

    return rc == NGX_ERROR || rc > NGX_OK ? NGX_ERROR : NGX_OK;
}


/* Sends the last buffer of the answer, or its end alone. */

static ngx_int_t
ngx_http_artifact_derive_last(ngx_http_artifact_derivation_t *d,
    ngx_chain_t *out)
{
    ngx_chain_t          end;
    ngx_http_request_t  *r;

    r = d->request;

    d->stream->ahead = d->tail;

    if (out == NULL) {
        end.buf = ngx_calloc_buf(r->pool);
        end.next = NULL;
        out = &end;

        if (end.buf == NULL) {
            return NGX_ERROR;
        }
    }

    out->buf->last_buf = 1;
    out->buf->last_in_chain = 1;

    if (r->header_only) {
        return NGX_OK;
    }

    /* what is left is sent after the request was finalized */

    return ngx_http_output_filter(r, out) == NGX_ERROR ? NGX_ERROR : NGX_OK;
}


/*
 * After a rule was tried in vain the answer is not a version of the content:
 * the converter may be able to do more the next time.
 */

static void
ngx_http_artifact_derive_untag(ngx_http_request_t *r)
{
    ngx_http_clear_etag(r);
    ngx_http_clear_last_modified(r);
}


/* No rule has led to anything: the answer is the one without rules. */

static ngx_int_t
ngx_http_artifact_derive_without(ngx_http_artifact_derivation_t *d)
{
    ngx_buf_t                   *b;
    ngx_chain_t                  out;
    ngx_http_request_t          *r;
    ngx_http_artifact_stream_t  *stream;

    r = d->request;
    stream = d->stream;

    b = ngx_calloc_buf(r->pool);

    if (b == NULL
        || ngx_http_artifact_derive_reread(d, b) != NGX_OK)
    {
        return NGX_ERROR;
    }

    out.buf = b;
    out.next = NULL;

    ngx_http_artifact_derive_untag(r);

    d->derived = NULL;

    stream->derivable = NULL;
    stream->state = NGX_HTTP_ARTIFACT_STREAM_RENDER;

    return ngx_http_artifact_derive_header(d, stream->length) == NGX_OK
           ? ngx_http_artifact_derive_last(d, &out) : NGX_ERROR;
}


/*
 * A page that is read as text has to be read again.  Only files can be: one
 * that came from elsewhere is described.
 */

static ngx_int_t
ngx_http_artifact_derive_reread(ngx_http_artifact_derivation_t *d,
    ngx_buf_t *b)
{
    off_t                        limit;
    ngx_http_artifact_source_t  *source;
    ngx_http_artifact_stream_t  *stream;

    stream = d->stream;
    source = stream->source;

    if (!art_render_needs_content(stream->render)) {
        return NGX_OK;
    }

    if (!source->local) {
        return ngx_http_artifact_stream_describe(d->request, stream);
    }

    b->file = ngx_palloc(d->request->pool, sizeof(ngx_file_t));
    if (b->file == NULL) {
        return NGX_ERROR;
    }

    *b->file = source->file;

    limit = (off_t) art_render_input_limit(stream->render);

    b->in_file = 1;
    b->file_last = limit && limit < source->size ? limit : source->size;

    return NGX_OK;
}


/* Nothing was sent: the error gets its page, or JSON (http/route). */

static ngx_int_t
ngx_http_artifact_derive_fail(ngx_http_artifact_derivation_t *d)
{
    ngx_uint_t                timedout;
    ngx_http_request_t       *r;
    ngx_http_artifact_ctx_t  *ctx;

    r = d->request;
    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);
    timedout = d->derive.late
               || d->consumer.status == NGX_HTTP_GATEWAY_TIME_OUT;

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact derive: failed, timed out %ui",
                   timedout);

    ngx_http_clean_header(r);

    ctx->stream = NULL;

    d->stream->state = NGX_HTTP_ARTIFACT_STREAM_END;

    if (d->stream->terms.failed) {
        return d->stream->terms.failed(r, timedout ? ART_ERR_TIMEOUT
                                                   : ART_ERR_CONVERSION);
    }

    ctx->failed = 1;

    return timedout ? NGX_HTTP_GATEWAY_TIME_OUT : NGX_HTTP_BAD_GATEWAY;
}


static ngx_int_t
ngx_http_artifact_derive_filter_init(ngx_conf_t *cf)
{
    ngx_http_artifact_convert_main_conf_t  *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf,
                                             ngx_http_artifact_convert_module);

    if (!cmcf->used) {
        return NGX_OK;
    }

    ngx_http_next_header_filter = ngx_http_top_header_filter;
    ngx_http_top_header_filter = ngx_http_artifact_derive_header_filter;

    ngx_http_next_body_filter = ngx_http_top_body_filter;
    ngx_http_top_body_filter = ngx_http_artifact_derive_body_filter;

    return ngx_http_artifact_derive_redirects(cf);
}


/*
 * The hash of known headers is the configuration's own, unlike what its
 * elements refer to, which would outlive this module.
 */

static ngx_int_t
ngx_http_artifact_derive_redirects(ngx_conf_t *cf)
{
    ngx_hash_elt_t                 *elt;
    ngx_http_upstream_header_t     *header;
    ngx_http_artifact_main_conf_t  *amcf;
    ngx_http_upstream_main_conf_t  *umcf;

    static ngx_str_t  name = ngx_string("x-accel-redirect");

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);
    umcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_upstream_module);

    elt = ngx_http_artifact_redirect_find(&umcf->headers_in_hash, &name);

    if (elt == NULL) {
        return NGX_OK;
    }

    header = ngx_palloc(cf->pool, sizeof(ngx_http_upstream_header_t));
    if (header == NULL) {
        return NGX_ERROR;
    }

    *header = *(ngx_http_upstream_header_t *) elt->value;

    amcf->redirect = header->handler;
    header->handler = ngx_http_artifact_redirect_header;

    elt->value = header;

    return NGX_OK;
}


/* As ngx_hash_find() does. */

static ngx_hash_elt_t *
ngx_http_artifact_redirect_find(ngx_hash_t *hash, ngx_str_t *name)
{
    ngx_hash_elt_t  *elt;

    elt = hash->buckets[ngx_hash_key(name->data, name->len) % hash->size];

    while (elt && elt->value) {

        if (elt->len == name->len
            && ngx_memcmp(elt->name, name->data, name->len) == 0)
        {
            return elt;
        }

        elt = (ngx_hash_elt_t *) ngx_align_ptr(&elt->name[0] + elt->len,
                                               sizeof(void *));
    }

    return NULL;
}


/* The rest of the answer counts, as with "proxy_ignore_headers". */

static ngx_int_t
ngx_http_artifact_redirect_header(ngx_http_request_t *r, ngx_table_elt_t *h,
    ngx_uint_t offset)
{
    ngx_http_artifact_main_conf_t  *amcf;

    if (r == r->main || ngx_http_artifact_original(r) == NULL) {
        amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);

        return amcf->redirect(r, h, offset);
    }

    if (!(r->upstream->conf->ignore_headers
          & NGX_HTTP_UPSTREAM_IGN_XA_REDIRECT))
    {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "conversion \"%V%s%V\" of an artifact: \"%V\" is not "
                      "followed", &r->uri, r->args.len ? "?" : "", &r->args,
                      &h->key);
    }

    return NGX_OK;
}
