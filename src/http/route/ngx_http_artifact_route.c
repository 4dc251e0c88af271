
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Routed answers: the facts are gathered, the decision is made, and the
 * rendering is started.
 */


#include "http/route/ngx_http_artifact_stream.h"
#include "http/base/ngx_http_artifact.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/convert/ngx_http_artifact_convert.h"
#include "http/source/ngx_http_artifact_classify.h"
#include "http/source/ngx_http_artifact_open_cache.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/capability/art_capmap.h"
#include "core/render/art_render.h"


/* Smaller files are read at once anyway (as in ngx_open_file_cache.c). */

#define NGX_HTTP_ARTIFACT_READ_AHEAD_MIN  (128 * 1024)

/* Longer heads and tails together are rendered twice. */

#define NGX_HTTP_ARTIFACT_ROUTE_DRAFT     2048


static ngx_uint_t ngx_http_artifact_is_readable(
    ngx_http_artifact_source_t *source);
static ngx_uint_t ngx_http_artifact_is_checked(
    ngx_http_artifact_stream_t *stream, const art_format_t *format);
static ngx_int_t ngx_http_artifact_view(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);
static ngx_uint_t ngx_http_artifact_has_url(
    ngx_http_artifact_source_t *source);
static ngx_int_t ngx_http_artifact_decide(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_uint_t failed);
static void ngx_http_artifact_question(ngx_http_artifact_stream_t *stream,
    ngx_uint_t failed, art_question_t *question);
static const art_format_t *ngx_http_artifact_model_format(
    const art_format_t *format, const art_service_t *service);
static ngx_int_t ngx_http_artifact_derivable(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, art_question_t *question);
static ngx_int_t ngx_http_artifact_suggest(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);
static void ngx_http_artifact_render_conf(ngx_http_artifact_stream_t *stream,
    art_render_conf_t *conf);
static ngx_int_t ngx_http_artifact_start_render(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);
static uint64_t ngx_http_artifact_text_max(ngx_http_artifact_terms_t *terms);
static void ngx_http_artifact_log_decision(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);
static art_render_memo_t *ngx_http_artifact_memo(
    ngx_http_artifact_stream_t *stream);
static void ngx_http_artifact_memo_reader(ngx_http_artifact_stream_t *stream);
static ngx_int_t ngx_http_artifact_kept_put(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, const void *data, size_t len);
static ngx_uint_t ngx_http_artifact_is_limited(
    ngx_http_artifact_stream_t *stream);
static ngx_int_t ngx_http_artifact_render_memory(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);
static void ngx_http_artifact_render_cleanup(void *data);
static off_t ngx_http_artifact_read_size(ngx_http_artifact_ctx_t *ctx,
    off_t size);
static void ngx_http_artifact_set_directio(ngx_http_request_t *r,
    ngx_file_t *file, off_t size);


ngx_int_t
ngx_http_artifact_named_format(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf, const art_service_t *service,
    const art_format_t **format)
{
    art_str_t  name;
    ngx_str_t  value;

    ngx_str_null(&value);

    if (alcf->format
        && ngx_http_complex_value(r, alcf->format, &value) != NGX_OK)
    {
        return NGX_ERROR;
    }

    name = ngx_artifact_str(&value);

    if (name.len == 0 && service) {
        name = service->format;
    }

    *format = name.len > 0 ? art_format_find(name) : NULL;

    if (*format) {
        return NGX_OK;
    }

    *format = art_format_row(0);

    if (value.len == 0) {

        /* a map's unknown format was logged when the map was loaded */

        return NGX_OK;
    }

    if (ngx_http_artifact_line(r->pool, name, &value) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                  "unknown artifact format \"%V\", \"route\" is used", &value);

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_tool_call_id(ngx_http_request_t *r, ngx_str_t *value)
{
    ngx_table_elt_t  *header;

    if (ngx_http_artifact_arg(r, "tool_call_id", value) != NGX_OK) {
        return NGX_ERROR;
    }

    if (value->data != NULL) {
        return NGX_OK;
    }

    header = ngx_http_artifact_find_header(&r->headers_in.headers,
                                           "X-Tool-Call-Id");
    if (header) {
        *value = header->value;
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_stream_start(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    ngx_int_t                      rc;
    ngx_uint_t                     failed;
    const art_format_t            *format;
    ngx_http_artifact_source_t    *source;
    ngx_http_artifact_loc_conf_t  *alcf;

    source = stream->source;
    format = stream->terms.format;
    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    rc = ngx_http_artifact_classify(r, source, alcf->verify);
    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    failed = (rc == NGX_DECLINED);

    if (ngx_http_artifact_decide(r, stream, failed) != NGX_OK) {
        return NGX_ERROR;
    }

    /* a file classified without reading it may turn out to be unreadable */

    if (!failed && !stream->view.decision.described && source->local
        && !ngx_http_artifact_is_readable(source)
        && ngx_http_artifact_decide(r, stream, 1) != NGX_OK)
    {
        return NGX_ERROR;
    }

    /* ... and a medium that nobody can read, though it is what it says */

    if (ngx_http_artifact_is_checked(stream, format)) {
        ngx_http_artifact_find_end(r, source);

        if (source->end != stream->view.end
            && source->end > ART_END_WHOLE
            && ngx_http_artifact_decide(r, stream, 0) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return ngx_http_artifact_start_render(r, stream);
}


/*
 * Whether the content would be a part that a provider looks at.  A conversion
 * was made by a program that could read what it was made of.
 */

static ngx_uint_t
ngx_http_artifact_is_checked(ngx_http_artifact_stream_t *stream,
    const art_format_t *format)
{
    art_decision_t  *decision;

    decision = &stream->view.decision;

    return !decision->described && decision->kind != ART_KIND_TEXT
           && !(format->flags & ART_FORMAT_TRUST)
           && stream->terms.origin == NULL;
}


/* This is tested only once while a content is cached. */

static ngx_uint_t
ngx_http_artifact_is_readable(ngx_http_artifact_source_t *source)
{
    u_char                      buf[1];
    ngx_http_artifact_facts_t  *facts;

    facts = source->facts;

    if (facts && facts->readable) {
        return 1;
    }

    if (ngx_read_file(&source->file, buf, 1, 0) == NGX_ERROR) {
        return 0;
    }

    if (facts) {
        facts->readable = 1;
    }

    return 1;
}


static ngx_int_t
ngx_http_artifact_view(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    u_char                         *name;
    art_view_t                     *view;
    const art_view_t               *origin;
    ngx_http_artifact_source_t     *source;
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);
    source = stream->source;
    view = &stream->view;

    view->id = source->id;
    view->workspace = source->workspace;
    view->path = source->path;
    view->name = source->name;
    view->mime = art_str(source->verdict.type.buf, source->verdict.type.len);
    view->meta = &source->meta;
    view->kind = source->verdict.kind;
    view->size = (uint64_t) source->size;
    view->size_known = source->size >= 0;
    view->width = source->width;
    view->height = source->height;
    view->end = source->end;
    view->unproved = source->verdict.unproved & 1;
    view->lang = (art_lang_t) stream->terms.conf->language;
    view->agents = art_capmap_has_agents(amcf->capmap);
    view->tool_call_id = ngx_artifact_str(&stream->terms.tool_call_id);
    view->url = stream->terms.url;

    if (stream->terms.choose && !ngx_http_artifact_has_url(source)) {
        view->url = NULL;
    }

    origin = stream->terms.origin;

    if (origin == NULL) {
        return NGX_OK;
    }

    name = ngx_pnalloc(r->pool, ART_VIEW_NAME_ROOM(origin));
    if (name == NULL) {
        return NGX_ERROR;
    }

    art_view_derive(view, origin, name);

    return NGX_OK;
}


/*
 * For who sends URLs in place of contents: whether what is served as it is has
 * the type that was decided on.  Another server sends the one that it declares.
 */

static ngx_uint_t
ngx_http_artifact_has_url(ngx_http_artifact_source_t *source)
{
    return source->local
           || (source->verdict.from == ART_FROM_METADATA
               && !source->verdict.contradicted);
}


static ngx_int_t
ngx_http_artifact_decide(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_uint_t failed)
{
    art_view_t                  *view;
    art_question_t               question;
    ngx_http_artifact_source_t  *source;

    source = stream->source;

    if (source->verdict.kind == ART_KIND_IMAGE
        && ngx_http_artifact_stream_measures(stream))
    {
        ngx_http_artifact_measure(r, source);
    }

    if (ngx_http_artifact_view(r, stream) != NGX_OK) {
        return NGX_ERROR;
    }

    view = &stream->view;

    ngx_http_artifact_question(stream, failed, &question);
    art_route_decide(&question, &view->decision);

    if (question.unknown) {
        ngx_http_artifact_reader_warn(r->connection->log,
                                ngx_artifact_str(&stream->terms.reader->asked),
                                "it gets text only");
    }

    if (ngx_http_artifact_suggest(r, stream) != NGX_OK) {
        return NGX_ERROR;
    }

    if (stream->terms.choose) {
        return stream->terms.choose(r, stream,
                                    question.empty || question.blank,
                                    question.failed);
    }

    view->kind = view->decision.kind;

    return ngx_http_artifact_rules(stream->terms.conf) && !stream->part
           ? ngx_http_artifact_derivable(r, stream, &question) : NGX_OK;
}


static void
ngx_http_artifact_question(ngx_http_artifact_stream_t *stream,
    ngx_uint_t failed, art_question_t *question)
{
    const art_view_t            *view;
    const art_service_t         *service;
    ngx_http_artifact_source_t  *source;

    service = stream->terms.reader->service;
    view = &stream->view;
    source = stream->source;

    ngx_memzero(question, sizeof(art_question_t));

    question->format = stream->terms.format;
    question->kind = view->kind;
    question->mime = view->mime;
    question->caps = stream->terms.reader->caps;
    question->size = view->size;
    question->size_known = view->size_known;
    question->width = view->width;
    question->height = view->height;
    question->end = view->end;
    question->inline_max = (uint64_t) stream->terms.conf->inline_max;
    question->failed = failed & 1;
    question->has_url = stream->terms.by_url && view->url != NULL;
    question->unknown = stream->terms.reader->unknown;
    question->blank = source->verdict.blank & 1;
    question->unproved = view->unproved;
    question->empty = source->size == 0
                     || (source->head && source->head_len == 0
                         && source->whole);

    if (service) {
        question->model = ngx_http_artifact_model_format(stream->terms.format,
                                                         service);
        question->accepts = service->accepts;
        question->naccepts = service->naccepts;
        question->service_max = service->max_bytes;
        question->max_side = service->max_side;
    }
}


/* The format of the API that a client will pass the content on to, or NULL. */

static const art_format_t *
ngx_http_artifact_model_format(const art_format_t *format,
    const art_service_t *service)
{
    const art_format_t  *model;

    if (!(format->flags & ART_FORMAT_RELAYED) || service->format.len == 0) {
        return NULL;
    }

    model = art_format_find(service->format);

    if (model == NULL
        || (model->flags & (ART_FORMAT_TRUST|ART_FORMAT_RELAYED)))
    {
        return NULL;
    }

    return model;
}


/* The bytes of a local source can still be sent to a converter. */

static ngx_int_t
ngx_http_artifact_derivable(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, art_question_t *question)
{
    unsigned                        n, rule;
    ngx_array_t                    *rules;
    art_derive_source_t             source;
    ngx_http_artifact_derivable_t  *derivable;

    stream->derivable = NULL;

    ngx_memzero(&source, sizeof(art_derive_source_t));

    if (!art_derive_wanted(question, &stream->view.decision, &source)) {
        return NGX_OK;
    }

    source.named = stream->view.id.len > 0;
    source.bytes = stream->source->local;

    rules = ngx_http_artifact_rules(stream->terms.conf);
    n = (unsigned) rules->nelts;

    rule = art_derive_next(rules->elts, n, 0, &source, art_derive_takes,
                           question);
    if (rule == n) {
        return NGX_OK;
    }

    derivable = ngx_palloc(r->pool, sizeof(ngx_http_artifact_derivable_t));
    if (derivable == NULL) {
        return NGX_ERROR;
    }

    derivable->question = *question;
    derivable->source = source;
    derivable->rule = rule;

    stream->derivable = derivable;

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_stream_describe(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    art_view_t      *view;
    art_decision_t  *decision;

    view = &stream->view;
    decision = &view->decision;

    view->kind = stream->derivable->question.kind;

    decision->kind = view->kind;
    decision->routing = ART_ROUTING_TEXT;
    decision->reason = ART_REASON_TYPE;
    decision->described = 1;

    return ngx_http_artifact_start_render(r, stream);
}


/* Suggests services that could read the content, except the reader's. */

static ngx_int_t
ngx_http_artifact_suggest(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    art_view_t                     *view;
    art_suggestions_t              *suggestions;
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);
    view = &stream->view;

    if (view->decision.needs == 0 || amcf->capmap == NULL) {
        return NGX_OK;
    }

    suggestions = ngx_palloc(r->pool, sizeof(art_suggestions_t));
    if (suggestions == NULL) {
        return NGX_ERROR;
    }

    art_capmap_suggest(amcf->capmap, view->decision.needs,
                       stream->terms.reader->service, suggestions);

    view->suggestions = suggestions->services;
    view->nsuggestions = suggestions->nservices;

    return NGX_OK;
}


static void
ngx_http_artifact_render_conf(ngx_http_artifact_stream_t *stream,
    art_render_conf_t *conf)
{
    const art_verdict_t  *verdict;

    verdict = &stream->source->verdict;

    ngx_memzero(conf, sizeof(art_render_conf_t));

    conf->memo = ngx_http_artifact_memo(stream);
    conf->format = stream->terms.format;
    conf->view = &stream->view;
    conf->envelope = stream->terms.envelope;
    conf->charset = verdict->charset;
    conf->lines = verdict->lines;
    conf->nuls = verdict->text;
    conf->text_max = ngx_http_artifact_text_max(&stream->terms);
    conf->json = conf->memo == NULL
                 && (art_media_traits(stream->view.mime).flags
                     & ART_MEDIA_JSON);
}


static ngx_int_t
ngx_http_artifact_start_render(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    uint64_t                       length;
    ngx_str_t                      description;
    art_render_conf_t              conf;
    ngx_pool_cleanup_t            *cln;
    ngx_http_artifact_loc_conf_t  *alcf;
    u_char                         draft[NGX_HTTP_ARTIFACT_ROUTE_DRAFT];

    ngx_str_null(&description);

    alcf = stream->terms.conf;
    if (stream->view.decision.described && alcf->description
        && stream->view.decision.reason != ART_REASON_NONE
        && ngx_http_artifact_lines_value(r, alcf->description, &description)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_http_artifact_render_conf(stream, &conf);

    cln = ngx_pool_cleanup_add(r->pool, 0);
    stream->render = ngx_palloc(r->pool, art_render_size(conf.memo));

    if (cln == NULL || stream->render == NULL) {
        return NGX_ERROR;
    }

    conf.description = ngx_artifact_str(&description);
    conf.draft = draft;
    conf.draft_room = sizeof(draft);

    art_render_init(stream->render, &conf);

    cln->handler = ngx_http_artifact_render_cleanup;
    cln->data = stream;

    if (conf.memo == NULL) {

        if (ngx_http_artifact_render_memory(r, stream) != NGX_OK) {
            return NGX_ERROR;
        }

        if (stream->keeper) {
            ngx_http_artifact_open_cache_put_ends(stream->keeper,
                                                    &stream->key,
                                                    stream->render);
        }
    }

    if (art_render_length(stream->render, &length)) {
        stream->length = (off_t) length;
    }

    if (art_render_needs_content(stream->render)) {
        ngx_http_artifact_need_in_memory(r);
    }

    stream->state = NGX_HTTP_ARTIFACT_STREAM_RENDER;

    ngx_http_artifact_log_decision(r, stream);

    return NGX_OK;
}


static uint64_t
ngx_http_artifact_text_max(ngx_http_artifact_terms_t *terms)
{
    off_t  max;

    max = terms->text_max ? terms->text_max : terms->conf->text_max;

    return max > 0 ? (uint64_t) max : 0;
}


static void
ngx_http_artifact_log_decision(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
#if (NGX_DEBUG)

    const char      *reason;
    art_decision_t  *decision;

    decision = &stream->view.decision;
    reason = art_reason_name(decision->reason);

    ngx_log_debug5(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact stream: render \"%s\" as %s, reason %s, "
                   "cacheable %ui, length %O",
                   stream->terms.format->name,
                   art_routing_name(decision->routing),
                   reason ? reason : "none",
                   (ngx_uint_t) (stream->keeper != NULL), stream->length);

#endif
}


/*
 * What is cached of this answer with its content, or of that of a conversion
 * with its original.  An answer that depends on more than the key is not
 * cached.
 */

static art_render_memo_t *
ngx_http_artifact_memo(ngx_http_artifact_stream_t *stream)
{
    art_view_t                    *view;
    art_decision_t                *decision;
    ngx_http_artifact_terms_t     *terms;
    ngx_http_artifact_memo_key_t  *key;

    key = &stream->key;
    view = &stream->view;
    terms = &stream->terms;
    decision = &view->decision;

    stream->keeper = stream->part ? terms->keeper : stream->source;

    if (stream->keeper == NULL || terms->choose
        || ngx_http_artifact_is_limited(stream)
        || (terms->format->flags & ART_FORMAT_CALL_ID)
        || terms->url
        || decision->reason == ART_REASON_READ
        || (decision->described && terms->conf->description)
        || (stream->part && (decision->reason != ART_REASON_NONE
                             || decision->described || !view->size_known
                             || view->mime.len == 0)))
    {
        stream->keeper = NULL;
        return NULL;
    }

    ngx_http_artifact_memo_reader(stream);

    if (stream->part) {
        key->mime = view->mime;
        key->kind = view->kind;
        key->size = view->size;
        key->charset = stream->source->verdict.charset;
    }

    return ngx_http_artifact_open_cache_memo(stream->keeper, key);
}


static void
ngx_http_artifact_memo_reader(ngx_http_artifact_stream_t *stream)
{
    ngx_http_artifact_terms_t     *terms;
    ngx_http_artifact_memo_key_t  *key;

    terms = &stream->terms;
    key = &stream->key;

    key->conf = terms->conf;
    key->format = terms->format;
    key->service = terms->reader->service;
    key->caps = terms->reader->caps;
    key->unknown = terms->reader->unknown;
}


ngx_int_t
ngx_http_artifact_stream_kept(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_http_artifact_made_t *made)
{
    art_view_t                 *view;
    const art_envelope_t       *envelope;
    ngx_http_artifact_kept_t   *kept;
    ngx_http_artifact_terms_t  *terms;

    terms = &stream->terms;
    view = &stream->view;

    if (terms->choose || terms->url
        || (terms->format->flags & ART_FORMAT_CALL_ID))
    {
        return NGX_DECLINED;
    }

    stream->made = made;

    ngx_http_artifact_memo_reader(stream);

    kept = ngx_http_artifact_open_cache_kept(terms->keeper, &stream->key, made);

    if (kept == NULL) {
        return NGX_DECLINED;
    }

    view->decision = kept->decision;

    if (ngx_http_artifact_is_limited(stream)) {
        return NGX_DECLINED;
    }

    view->mime = kept->key.mime;
    view->kind = kept->key.kind;
    view->size = kept->key.size;
    view->size_known = 1;

    envelope = &terms->envelope;

    if (ngx_http_artifact_kept_put(r, stream, envelope->before.data,
                                   envelope->before.len)
        != NGX_OK
        || ngx_http_artifact_kept_put(r, stream, kept->answer.data,
                                      kept->answer.len)
           != NGX_OK
        || ngx_http_artifact_kept_put(r, stream, envelope->after.data,
                                      envelope->after.len)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    stream->source = terms->keeper;
    stream->state = NGX_HTTP_ARTIFACT_STREAM_END;

    ngx_http_artifact_classify_count(kept->from, kept->contradicted);

    ngx_http_artifact_log_decision(r, stream);

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_kept_put(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, const void *data, size_t len)
{
    ngx_buf_t  *b;

    if (len == 0) {
        return NGX_OK;
    }

    b = ngx_calloc_buf(r->pool);
    if (b == NULL) {
        return NGX_ERROR;
    }

    b->pos = (u_char *) data;
    b->last = b->pos + len;
    b->memory = 1;

    return ngx_http_artifact_bufs_put(r->pool, &stream->bufs, b);
}


/*
 * Whether the answer depends on a limit that is not the location's.  How long a
 * conversion is may only be what somebody says, so any limit may cut it.
 */

static ngx_uint_t
ngx_http_artifact_is_limited(ngx_http_artifact_stream_t *stream)
{
    art_decision_t             *decision;
    ngx_http_artifact_terms_t  *terms;

    terms = &stream->terms;
    decision = &stream->view.decision;

    if (decision->routing != ART_ROUTING_TEXT || decision->described) {
        return 0;
    }

    if (stream->part) {
        return ngx_http_artifact_text_max(terms) > 0
               || terms->format->text_max > 0;
    }

    return terms->text_max > 0
           && art_render_may_cut(&stream->view, (uint64_t) terms->text_max);
}


static ngx_int_t
ngx_http_artifact_render_memory(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    u_char  *scratch, *hold;

    scratch = ngx_pnalloc(r->pool, stream->render->room);
    if (scratch == NULL) {
        return NGX_ERROR;
    }

    hold = NULL;

    if (stream->render->hold_room) {
        hold = ngx_palloc(r->pool, stream->render->hold_room);
        if (hold == NULL) {
            return NGX_ERROR;
        }
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact stream: %uz bytes of memory, %uz held",
                   stream->render->room, stream->render->hold_room);

    art_render_memory(stream->render, scratch, hold);

    return NGX_OK;
}


static void
ngx_http_artifact_render_cleanup(void *data)
{
    ngx_http_artifact_stream_t *stream = data;

    ngx_http_artifact_count(ART_COUNT_READ, NULL, (uint64_t) stream->consumed);

    art_render_close(stream->render);
}


ngx_int_t
ngx_http_artifact_send_local(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_buf_t                   *b;
    ngx_int_t                    rc;
    ngx_chain_t                  out;
    ngx_http_artifact_source_t  *source;

    source = ctx->source;

    /*
     * everything is allocated before the header is sent: nginx's page of an
     * error is not to take the source for its own
     */

    b = ngx_calloc_buf(r->pool);
    if (b == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    b->file = ngx_pcalloc(r->pool, sizeof(ngx_file_t));
    if (b->file == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    source->offered = 1;

    rc = ngx_http_send_header(r);

    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        return rc;
    }

    *b->file = source->file;

    if (ngx_http_artifact_stream_needs_content(ctx->stream)) {
        ngx_http_artifact_set_directio(r, b->file, source->size);

        b->file_pos = 0;
        b->file_last = ngx_http_artifact_read_size(ctx, source->size);
        b->in_file = b->file_last ? 1 : 0;
    }

    b->last_buf = (r == r->main) ? 1 : 0;
    b->last_in_chain = 1;
    b->sync = (b->last_buf || b->in_file) ? 0 : 1;

    out.buf = b;
    out.next = NULL;

    return ngx_http_output_filter(r, &out);
}


/* A text that will be truncated is read only as far as it may be needed. */

static off_t
ngx_http_artifact_read_size(ngx_http_artifact_ctx_t *ctx, off_t size)
{
    off_t  limit;

    limit = ngx_http_artifact_stream_input_limit(ctx->stream);

    return limit && limit < size ? limit : size;
}


/* As ngx_open_cached_file() does for other files. */

static void
ngx_http_artifact_set_directio(ngx_http_request_t *r, ngx_file_t *file,
    off_t size)
{
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (clcf->read_ahead
        && size > NGX_HTTP_ARTIFACT_READ_AHEAD_MIN
        && ngx_read_ahead(file->fd, clcf->read_ahead) == NGX_ERROR)
    {
        ngx_log_error(NGX_LOG_ALERT, r->connection->log, ngx_errno,
                      ngx_read_ahead_n " \"%V\" failed", &file->name);
    }

    if (clcf->directio <= size) {

        if (ngx_directio_on(file->fd) == NGX_FILE_ERROR) {
            ngx_log_error(NGX_LOG_ALERT, r->connection->log, ngx_errno,
                          ngx_directio_on_n " \"%V\" failed", &file->name);

        } else {
            ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                           "http artifact directio: \"%V\"", &file->name);

            file->directio = 1;
        }
    }
}
