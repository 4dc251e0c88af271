
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The sources of references: one subrequest for each that has to be looked at,
 * and for each form in which its content is needed.
 */


#include "http/request/ngx_http_artifact_expand_steps.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/compose/ngx_http_artifact_ask.h"
#include "store/disk/ngx_artifact_str.h"


static ngx_int_t ngx_http_artifact_expand_slot(ngx_http_artifact_expand_t *ex,
    uint32_t i);
static ngx_int_t ngx_http_artifact_expand_known(
    ngx_http_artifact_expand_t *ex, uint32_t i);
static ngx_int_t ngx_http_artifact_expand_source(
    ngx_http_artifact_expand_t *ex, const art_message_slot_t *slot);
static ngx_int_t ngx_http_artifact_expand_choose(ngx_http_request_t *sr,
    ngx_http_artifact_stream_t *stream, ngx_uint_t empty, ngx_uint_t failed);
static ngx_int_t ngx_http_artifact_expand_output(ngx_http_request_t *sr,
    ngx_chain_t *out);
static ngx_int_t ngx_http_artifact_expand_take(
    ngx_http_artifact_expand_t *ex, ngx_http_request_t *sr, ngx_chain_t *out);
static ngx_uint_t ngx_http_artifact_expand_is_local(ngx_http_request_t *sr);
static void ngx_http_artifact_expand_release(ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_expand_answered(
    ngx_http_artifact_expand_t *ex, uint32_t i);


ngx_int_t
ngx_http_artifact_expand_ask(ngx_http_artifact_expand_t *ex)
{
    ngx_int_t                  rc;
    const art_message_slot_t  *slot;

    for ( /* void */ ; ex->slot < ex->scan->nslots; ex->slot++) {

        slot = art_scan_slot(ex->scan, ex->slot);

        if (slot->held != ART_HELD_REF) {
            continue;
        }

        /* local sources answer at once */

        if (ex->sr == NULL && ngx_http_artifact_turn_is_over(&ex->turn)) {
            return ngx_http_artifact_expand_yield(ex);
        }

        rc = ngx_http_artifact_expand_slot(ex, ex->slot);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_expand_slot(ngx_http_artifact_expand_t *ex, uint32_t i)
{
    ngx_int_t                  rc;
    const art_message_slot_t  *slot;

    if (ex->sr) {

        if (!ex->sr->done) {
            return NGX_AGAIN;
        }

        ngx_http_artifact_expand_release(ex);

        return ngx_http_artifact_expand_answered(ex, i);
    }

    slot = art_scan_slot(ex->scan, i);

    if (slot->malformed || ex->refs[slot->ref].missing) {
        return art_plan_source(&ex->plan, i, NULL, 0, 0) == ART_OK
               ? NGX_OK : NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ex->refs[slot->ref].known) {

        rc = ngx_http_artifact_expand_known(ex, i);

        if (rc != NGX_DECLINED) {
            return rc;
        }
    }

    rc = ngx_http_artifact_expand_lay(ex, i);

    return rc == NGX_OK ? ngx_http_artifact_expand_source(ex, slot) : rc;
}


/*
 * Of a reference that stands elsewhere, too: NGX_DECLINED if its content is
 * needed in another form.
 */

static ngx_int_t
ngx_http_artifact_expand_known(ngx_http_artifact_expand_t *ex, uint32_t i)
{
    uint32_t                         j;
    art_view_t                       view;
    const art_format_t              *format;
    const art_message_slot_t        *slot;
    ngx_http_artifact_expand_ref_t  *ref;

    slot = art_scan_slot(ex->scan, i);
    ref = &ex->refs[slot->ref];
    view = ref->view;

    if (art_plan_source(&ex->plan, i, &view, ref->empty, ref->failed)
        != ART_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    format = ex->plan.edits[i].format;

    if (format == NULL) {
        return NGX_OK;
    }

    for (j = 0; j < i; j++) {

        if (art_scan_slot(ex->scan, j)->held == ART_HELD_REF
            && art_scan_slot(ex->scan, j)->ref == slot->ref
            && ex->plan.edits[j].format == format)
        {
            ex->laying = 0;
            ex->slots[i] = ex->slots[j];
            art_plan_length(&ex->plan, i, (uint64_t) ex->slots[i].size);

            return NGX_OK;
        }
    }

    return NGX_DECLINED;
}


static ngx_int_t
ngx_http_artifact_expand_source(ngx_http_artifact_expand_t *ex,
    const art_message_slot_t *slot)
{
    ngx_int_t                   rc;
    ngx_str_t                   prefix;
    ngx_http_artifact_terms_t  *terms;

    rc = ngx_http_artifact_ask_prefix(ex->request, ex->conf, &prefix);

    if (rc == NGX_DECLINED) {
        return ngx_http_artifact_expand_refuse(ex, ART_MESSAGE_ERR_SOURCE,
                                               slot->text);
    }

    if (rc != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    terms = &ex->consumer.terms;

    terms->conf = ex->conf;
    terms->reader = &ex->reader;
    terms->format = ex->plan.format;
    terms->choose = ngx_http_artifact_expand_choose;

    ex->consumer.output = ngx_http_artifact_expand_output;
    ex->consumer.data = ex;

    ex->chosen = 0;
    ex->slots[ex->slot].begin = -1;

    ex->sr = ngx_http_artifact_ask(ex->request, &prefix, slot->text,
                                   &ex->consumer);

    return ex->sr ? NGX_AGAIN : NGX_ERROR;
}


/*
 * It is known what the content is, so what it becomes is decided: twice, if it
 * then turns out not to be readable.  Nothing is written before that is over.
 */

static ngx_int_t
ngx_http_artifact_expand_choose(ngx_http_request_t *sr,
    ngx_http_artifact_stream_t *stream, ngx_uint_t empty, ngx_uint_t failed)
{
    art_view_t                      *view;
    const art_message_slot_t        *slot;
    ngx_http_artifact_expand_t      *ex;
    ngx_http_artifact_expand_ref_t  *ref;

    ex = ngx_http_artifact_consumer(sr)->data;
    slot = art_scan_slot(ex->scan, ex->slot);
    ref = &ex->refs[slot->ref];
    view = &stream->view;

    if (view->id.len == 0) {
        view->id = slot->text;
    }

    ref->view = *view;
    ref->sr = sr;
    ref->stream = stream;
    ref->known = 1;
    ref->empty = empty & 1;
    ref->failed = failed & 1;

    if (art_plan_source(&ex->plan, ex->slot, view, ref->empty, ref->failed)
        != ART_OK)
    {
        return NGX_ERROR;
    }

    ex->chosen = 1;

    if (ex->plan.edits[ex->slot].format) {
        stream->terms.format = ex->plan.edits[ex->slot].format;

    } else {
        view->decision.described = 1;
    }

    return NGX_OK;
}


/* A subrequest that is over tells what it was of, as long as its request. */

int
ngx_http_artifact_expand_describe(void *data, const art_view_t *view,
    art_str_t *words)
{
    ngx_http_artifact_expand_t *ex = data;

    ngx_str_t                        value;
    ngx_http_artifact_expand_ref_t  *ref;

    ref = &ex->refs[art_scan_slot(ex->scan, ex->slot)->ref];
    ref->stream->view.decision = view->decision;

    if (ngx_http_artifact_lines_value(ref->sr, ex->conf->description, &value)
        != NGX_OK)
    {
        return ART_ERROR;
    }

    *words = ngx_artifact_str(&value);

    return ART_OK;
}


static ngx_int_t
ngx_http_artifact_expand_output(ngx_http_request_t *sr, ngx_chain_t *out)
{
    ngx_chain_t                 *cl;
    ngx_http_artifact_expand_t  *ex;

    ex = ngx_http_artifact_consumer(sr)->data;

    if (ex->plan.edits[ex->slot].format) {
        return ngx_http_artifact_expand_take(ex, sr, out);
    }

    for (cl = out; cl; cl = cl->next) {
        cl->buf->pos = cl->buf->last;
    }

    return NGX_OK;
}


/*
 * A file that nginx reads, or has in a cache, comes without a pause: its
 * buffers stay busy while others have their turn.  What an upstream sends comes
 * by events.  A subrequest of the source is never held up: nothing would wake
 * it.
 */

static ngx_int_t
ngx_http_artifact_expand_take(ngx_http_artifact_expand_t *ex,
    ngx_http_request_t *sr, ngx_chain_t *out)
{
    ngx_http_artifact_expand_part_t  *part;

    part = &ex->slots[ex->slot];

    if (part->begin == -1) {

        if (ngx_http_artifact_expand_lay_part(ex, ex->slot) != NGX_OK) {
            return NGX_ERROR;
        }

        part->begin = ex->parts.size;
    }

    if (ngx_http_artifact_expand_is_local(sr)
        && sr->connection->data == sr
        && ex->parts.size - part->begin > NGX_HTTP_ARTIFACT_EXPAND_ROOM
        && ngx_http_artifact_turn_is_over(&ex->turn))
    {
        /* the stream links what it sends next behind what is busy */

        if (ex->held == NULL) {
            ex->held = out;
        }

        ngx_http_artifact_turn_end(&ex->turn, sr);

        return NGX_AGAIN;
    }

    if (ngx_http_artifact_spool_put_chain(&ex->parts, ex->held) != NGX_OK) {
        return NGX_ERROR;
    }

    ex->held = NULL;

    return ngx_http_artifact_spool_put_chain(&ex->parts, out);
}


static ngx_uint_t
ngx_http_artifact_expand_is_local(ngx_http_request_t *sr)
{
#if (NGX_HTTP_CACHE)

    if (sr->cached) {
        return 1;
    }

#endif

    return sr->upstream == NULL;
}


/*
 * nginx has set the timer for sending to the client for a source that did not
 * take all at once.  Nothing is sent to the client as yet.
 */

static void
ngx_http_artifact_expand_release(ngx_http_artifact_expand_t *ex)
{
    ngx_event_t  *wev;

    wev = ex->request->connection->write;

    if (wev->timer_set && !wev->delayed) {
        ngx_del_timer(wev);
    }

    ngx_http_artifact_consumer_release(ex->sr);

    ex->sr = NULL;
    ex->held = NULL;
}


static ngx_int_t
ngx_http_artifact_expand_answered(ngx_http_artifact_expand_t *ex, uint32_t i)
{
    const art_message_slot_t         *slot;
    ngx_http_artifact_expand_part_t  *part;

    slot = art_scan_slot(ex->scan, i);
    part = &ex->slots[i];

    switch (ex->consumer.status) {

    case NGX_HTTP_OK:
        break;

    case NGX_HTTP_UNAUTHORIZED:
    case NGX_HTTP_FORBIDDEN:
    case NGX_HTTP_NOT_FOUND:
    case 410:
        ex->refs[slot->ref].missing = 1;

        return art_plan_source(&ex->plan, i, NULL, 0, 0) == ART_OK
               ? NGX_OK : NGX_HTTP_INTERNAL_SERVER_ERROR;

    default:
        return ngx_http_artifact_expand_refuse(ex, ART_MESSAGE_ERR_SOURCE,
                                               slot->text);
    }

    if (!ex->chosen) {
        return ngx_http_artifact_expand_refuse(ex, ART_MESSAGE_ERR_SOURCE,
                                               slot->text);
    }

    if (ex->plan.edits[i].format == NULL) {
        return NGX_OK;
    }

    if (!ex->consumer.whole || part->begin == -1) {
        return ngx_http_artifact_expand_refuse(ex, ART_MESSAGE_ERR_SOURCE,
                                               slot->text);
    }

    part->size = ex->parts.size - part->begin;
    art_plan_length(&ex->plan, i, (uint64_t) part->size);

    return NGX_OK;
}
