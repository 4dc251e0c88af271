
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The fourth step: the sources of references are asked, one after the other,
 * each by a subrequest.  A reference that occurs again is asked for again only
 * if its content is needed in another form.
 */


#include "http/expand/ngx_http_artifact_expand_state.h"
#include "http/compose/ngx_http_artifact_ask.h"


static ngx_int_t ngx_http_artifact_expand_slot(ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_expand_known(ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_expand_source(ngx_http_artifact_expand_t *ex,
    const art_message_slot_t *slot);
static ngx_int_t ngx_http_artifact_expand_choose(ngx_http_request_t *sr,
    ngx_http_artifact_stream_t *stream, ngx_uint_t empty, ngx_uint_t failed);
static ngx_int_t ngx_http_artifact_expand_output(ngx_http_request_t *sr,
    ngx_chain_t *out);
static ngx_uint_t ngx_http_artifact_expand_is_local(ngx_http_request_t *sr);
static ngx_int_t ngx_http_artifact_expand_answered(
    ngx_http_artifact_expand_t *ex);


ngx_int_t
ngx_http_artifact_expand_ask(ngx_http_artifact_expand_t *ex)
{
    ngx_int_t  rc;

    for ( /* void */ ; ex->slot < ex->nslots; ex->slot++) {

        if (art_scan_slot(ex->scan, ex->slot)->held != ART_HELD_REF) {
            continue;
        }

        /* local sources answer at once */

        if (ex->sr == NULL && ngx_http_artifact_turn_is_over(&ex->turn)) {
            return NGX_BUSY;
        }

        rc = ex->sr ? ngx_http_artifact_expand_answered(ex)
                    : ngx_http_artifact_expand_slot(ex);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_expand_slot(ngx_http_artifact_expand_t *ex)
{
    ngx_int_t                  rc;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(ex->scan, ex->slot);

    if (slot->malformed || ex->refs[slot->ref].missing) {
        return ngx_http_artifact_expand_decide(ex, ex->slot, NULL, 0, 0);
    }

    if (ex->refs[slot->ref].known) {
        rc = ngx_http_artifact_expand_known(ex);

        if (rc != NGX_DECLINED) {
            return rc;
        }
    }

    rc = ngx_http_artifact_expand_write_to(ex, ex->slot);

    return rc == NGX_OK ? ngx_http_artifact_expand_source(ex, slot) : rc;
}


/*
 * Handles a reference whose source is known: NGX_DECLINED if its content is
 * needed and is not there yet in this form.
 */

static ngx_int_t
ngx_http_artifact_expand_known(ngx_http_artifact_expand_t *ex)
{
    uint32_t                         i, j;
    art_view_t                       view;
    const art_format_t              *format;
    const art_message_slot_t        *slot, *other;
    ngx_http_artifact_expand_ref_t  *ref;

    i = ex->slot;
    slot = art_scan_slot(ex->scan, i);
    ref = &ex->refs[slot->ref];
    view = ref->view;

    if (ngx_http_artifact_expand_decide(ex, i, &view, ref->empty, ref->failed)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    format = ex->plan.edits[i].format;

    if (format == NULL) {
        return NGX_OK;
    }

    for (j = 0; j < i; j++) {
        other = art_scan_slot(ex->scan, j);

        if (other->held == ART_HELD_REF && other->ref == slot->ref
            && ex->plan.edits[j].format == format)
        {
            ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                           "http artifact expand: slot %uD has the rendering "
                           "of slot %uD", i, j);

            ex->in_order = 0;
            ex->parts[i] = ex->parts[j];
            art_plan_length(&ex->plan, i, (uint64_t) ex->parts[i].size);

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
        ex->error = ART_MESSAGE_ERR_SOURCE;
        ex->error_ref = slot->text;
        return NGX_ABORT;
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    terms = &ex->consumer.terms;

    terms->conf = ex->conf;
    terms->reader = &ex->reader;
    terms->format = ex->plan.format;
    terms->choose = ngx_http_artifact_expand_choose;

    ex->consumer.output = ngx_http_artifact_expand_output;
    ex->consumer.data = ex;

    ex->chosen = 0;
    ex->parts[ex->slot].begin = -1;

    ex->sr = ngx_http_artifact_ask(ex->request, &prefix, slot->text,
                                   &ex->consumer);

    if (ex->sr == NULL) {
        ex->stuck = 1;
        return NGX_ERROR;
    }

    return NGX_AGAIN;
}


/*
 * Called by the stream of the subrequest once the source is known, and again if
 * it then turns out not to be readable.  It only decides.
 */

static ngx_int_t
ngx_http_artifact_expand_choose(ngx_http_request_t *sr,
    ngx_http_artifact_stream_t *stream, ngx_uint_t empty, ngx_uint_t failed)
{
    art_view_t                      *view;
    const art_format_t              *format;
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

    if (ngx_http_artifact_expand_decide(ex, ex->slot, view, empty, failed)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ex->chosen = 1;
    format = ex->plan.edits[ex->slot].format;

    if (format) {
        stream->terms.format = format;

    } else {
        view->decision.described = 1;
    }

    return NGX_OK;
}


/*
 * Takes a rendering.  The bytes before it in its part are appended here rather
 * than in a step: they depend on the decision, and the rendering follows that
 * at once.  If it waited for a step, it would have to be copied once more.
 *
 * A file that nginx reads or has in a cache comes without a pause: its buffers
 * stay busy while others have their turn.  What an upstream sends comes by
 * events.  A subrequest of the source is never held up, since nothing would
 * wake it.
 */

static ngx_int_t
ngx_http_artifact_expand_output(ngx_http_request_t *sr, ngx_chain_t *out)
{
    ngx_http_artifact_expand_t       *ex;
    ngx_http_artifact_expand_part_t  *part;

    ex = ngx_http_artifact_consumer(sr)->data;
    part = &ex->parts[ex->slot];

    if (ex->plan.edits[ex->slot].format == NULL) {
        ngx_http_artifact_drop(out);
        return NGX_OK;
    }

    if (part->begin == -1) {

        if (ngx_http_artifact_expand_write_lead(ex) != NGX_OK) {
            return NGX_ERROR;
        }

        part->begin = ex->rendered.size;
    }

    if (ngx_http_artifact_expand_is_local(sr)
        && sr->connection->data == sr
        && ex->rendered.size - part->begin > NGX_HTTP_ARTIFACT_EXPAND_ROOM
        && ngx_http_artifact_turn_is_over(&ex->turn))
    {
        /* the stream links what it sends next to the end of the busy chain */

        if (ex->busy == NULL) {
            ex->busy = out;
        }

        ngx_http_artifact_turn_end(&ex->turn, sr);

        return NGX_AGAIN;
    }

    if (ngx_http_artifact_spool_put_chain(&ex->rendered, ex->busy) != NGX_OK) {
        return NGX_ERROR;
    }

    ex->busy = NULL;

    return ngx_http_artifact_spool_put_chain(&ex->rendered, out);
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


static ngx_int_t
ngx_http_artifact_expand_answered(ngx_http_artifact_expand_t *ex)
{
    const art_message_slot_t         *slot;
    ngx_http_artifact_expand_part_t  *part;

    if (!ex->sr->done) {
        return NGX_AGAIN;
    }

    ngx_http_artifact_ask_no_timer(ex->request);
    ngx_http_artifact_consumer_release(ex->sr);

    ex->sr = NULL;
    ex->busy = NULL;

    slot = art_scan_slot(ex->scan, ex->slot);
    part = &ex->parts[ex->slot];

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact expand: slot %uD answered with %ui, whole %d",
                   ex->slot, ex->consumer.status, ex->consumer.whole);

    if (ngx_http_artifact_ask_is_missing(&ex->consumer)) {
        ex->refs[slot->ref].missing = 1;

        return ngx_http_artifact_expand_decide(ex, ex->slot, NULL, 0, 0);
    }

    if (ex->consumer.status == NGX_HTTP_OK && ex->chosen) {

        if (ex->plan.edits[ex->slot].format == NULL) {
            return NGX_OK;
        }

        if (ex->consumer.whole && part->begin != -1) {
            part->size = ex->rendered.size - part->begin;
            art_plan_length(&ex->plan, ex->slot, (uint64_t) part->size);

            return NGX_OK;
        }
    }

    ex->error = ART_MESSAGE_ERR_SOURCE;
    ex->error_ref = slot->text;

    return NGX_ABORT;
}
