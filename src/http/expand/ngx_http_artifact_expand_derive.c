
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The fifth step: what would become words is converted instead, where a rule of
 * artifact_derive has another form for it.
 *
 * All sources are known by then.  Several conversions run at the same time, as
 * subrequests of one request do: what they answer reaches us one after the
 * other, in the order in which they were asked; of those that wait, nginx has
 * no more than its own buffers and files.  A rendering is a piece of
 * "rendered", so the order of the pieces does not matter.
 */


#include "http/expand/ngx_http_artifact_expand_state.h"
#include "http/convert/ngx_http_artifact_convert.h"
#include "http/compose/ngx_http_artifact_ask.h"
#include "core/answer/art_counters.h"
#include "core/expand/art_expand_derive.h"


/* The timer for sending to the client is deleted at least that often. */

#define NGX_HTTP_ARTIFACT_EXPAND_TICK  1000


static ngx_int_t ngx_http_artifact_expand_derive_begin(
    ngx_http_artifact_expand_t *ex);
static void ngx_http_artifact_expand_derive_tick(ngx_event_t *ev);
static ngx_uint_t ngx_http_artifact_expand_has_fallbacks(
    ngx_http_artifact_expand_t *ex);
static void ngx_http_artifact_expand_derive_stop(
    ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_expand_derive_run(
    ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_expand_derive_next(
    ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_expand_job_start(
    ngx_http_artifact_expand_job_t *job);
static ngx_int_t ngx_http_artifact_expand_job_same(
    ngx_http_artifact_expand_job_t *job);
static ngx_int_t ngx_http_artifact_expand_job_ask(
    ngx_http_artifact_expand_job_t *job);
static ngx_int_t ngx_http_artifact_expand_job_choose(ngx_http_request_t *sr,
    ngx_http_artifact_stream_t *stream, ngx_uint_t empty, ngx_uint_t failed);
static ngx_int_t ngx_http_artifact_expand_job_output(ngx_http_request_t *sr,
    ngx_chain_t *out);
static void ngx_http_artifact_expand_job_answered(
    ngx_http_artifact_expand_job_t *job);
static void ngx_http_artifact_expand_job_failed(
    ngx_http_artifact_expand_job_t *job);
static void ngx_http_artifact_expand_job_over(
    ngx_http_artifact_expand_job_t *job);
static ngx_int_t ngx_http_artifact_expand_derive_again(
    ngx_http_artifact_expand_t *ex);


ngx_int_t
ngx_http_artifact_expand_derive(ngx_http_artifact_expand_t *ex)
{
    ngx_int_t            rc;
    ngx_http_request_t  *r;

    r = ex->request;

    if (ex->njobs == 0) {
        return NGX_OK;
    }

    if (ex->again) {
        return ngx_http_artifact_expand_derive_again(ex);
    }

    if (!ex->deriving && ngx_http_artifact_expand_derive_begin(ex) != NGX_OK) {
        return NGX_ERROR;
    }

    rc = ngx_http_artifact_expand_derive_run(ex);

    if (rc == NGX_ERROR) {
        ex->subrequest_lost |= ex->nrunning > 0 || r->connection->data != r;
        return NGX_ERROR;
    }

    /* the next one's answer is wanted, as the postpone filter would do it */

    if (r->connection->data == r && r->postponed && r->postponed->request) {
        r->connection->data = r->postponed->request;
        r->postponed = r->postponed->next;

        if (ngx_http_post_request(r->connection->data, NULL) != NGX_OK) {
            ex->subrequest_lost = 1;
            return NGX_ERROR;
        }
    }

    if (rc != NGX_OK) {
        return rc;
    }

    if (ex->nrunning > 0 || r->connection->data != r) {
        return NGX_AGAIN;
    }

    if (ex->tick.timer_set) {
        ngx_del_timer(&ex->tick);
    }

    ngx_http_artifact_ask_no_timer(r);

    if (ex->conversion_failed) {
        ex->error = ART_MESSAGE_ERR_SOURCE;
        return NGX_ABORT;
    }

    return ngx_http_artifact_expand_derive_again(ex);
}


static ngx_int_t
ngx_http_artifact_expand_derive_begin(ngx_http_artifact_expand_t *ex)
{
    uint32_t                         i;
    ngx_http_artifact_expand_job_t  *job;

    ex->in_order = 0;
    ex->deriving = 1;
    ex->until = ngx_current_msec + ngx_http_artifact_convert(ex->conf)->timeout;

    ex->tick.handler = ngx_http_artifact_expand_derive_tick;
    ex->tick.data = ex;
    ex->tick.log = ex->request->connection->log;

    ngx_add_timer(&ex->tick,
                  ngx_min(ngx_http_artifact_convert(ex->conf)->timeout,
                          NGX_HTTP_ARTIFACT_EXPAND_TICK));

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact derive: %uD slots need another form",
                   ex->njobs);

    for (i = 0; i < ex->njobs; i++) {
        job = ex->jobs[i];

        if (job->same) {
            job->derive.content = job->same->derive.content;
        }

        if (job->own) {
            continue;
        }

        /* no rule for the first place of it may have asked for its bytes */

        if (ngx_http_artifact_derive_bytes(&job->derive) != NGX_OK) {
            return NGX_ERROR;
        }

        job->first = job->derive.rule;
    }

    return ngx_http_artifact_expand_rewind(ex);
}


/*
 * Also deletes the timer for sending to the client, which nginx sets for what
 * waits for its turn.
 */

static void
ngx_http_artifact_expand_derive_tick(ngx_event_t *ev)
{
    ngx_connection_t            *c;
    ngx_http_artifact_expand_t  *ex;

    ex = ev->data;
    c = ex->request->connection;

    ngx_http_set_log_request(c->log, ex->request);
    ngx_http_artifact_ask_no_timer(ex->request);

    ngx_add_timer(ev, NGX_HTTP_ARTIFACT_EXPAND_TICK);

    if ((ngx_msec_int_t) (ex->until - ngx_current_msec) <= 0) {

        if (!ex->late) {
            ngx_http_artifact_derive_late(ex->request, ex->conf);
        }

        ex->late = 1;
        ex->conversion_failed |= !ngx_http_artifact_expand_has_fallbacks(ex);

        ngx_http_artifact_expand_derive_stop(ex);

    } else if ((ngx_msec_t) (ex->until - ngx_current_msec)
               < NGX_HTTP_ARTIFACT_EXPAND_TICK)
    {
        ngx_add_timer(ev, ex->until - ngx_current_msec);
    }

    ngx_http_run_posted_requests(c);
}


/* Whether all that are late may become words. */

static ngx_uint_t
ngx_http_artifact_expand_has_fallbacks(ngx_http_artifact_expand_t *ex)
{
    uint32_t                         i;
    const art_derive_rule_t         *rule;
    ngx_http_artifact_expand_job_t  *job;

    for (i = 0; i < ex->njobs; i++) {
        job = ex->jobs[i];
        rule = ngx_http_artifact_derive_rule(&job->derive);

        if (!job->over && rule && !rule->words) {
            return 0;
        }
    }

    return 1;
}


static void
ngx_http_artifact_expand_derive_stop(ngx_http_artifact_expand_t *ex)
{
    uint32_t  i;

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact derive: %i conversions are stopped",
                   ex->nrunning);

    for (i = 0; i < ex->njobs; i++) {
        if (ex->jobs[i]->derive.sr) {
            ngx_http_artifact_derive_stop(ex->jobs[i]->derive.sr);
        }
    }
}


/* Takes what has ended, and asks for more. */

static ngx_int_t
ngx_http_artifact_expand_derive_run(ngx_http_artifact_expand_t *ex)
{
    uint32_t                         i;
    ngx_int_t                        rc;
    ngx_uint_t                       failed;
    ngx_http_artifact_expand_job_t  *job;

    failed = ex->conversion_failed;

    for (i = 0; i < ex->njobs; i++) {
        job = ex->jobs[i];

        if (job->derive.sr && job->derive.sr->done) {
            ngx_http_artifact_expand_job_answered(job);
        }
    }

    /* nobody waits for the others any more */

    if (ex->conversion_failed && !failed) {
        ngx_http_artifact_expand_derive_stop(ex);
    }

    while (!ex->conversion_failed
           && ex->nrunning < ngx_http_artifact_convert(ex->conf)->parallel)
    {

        if (ngx_http_artifact_turn_is_over(&ex->turn)) {
            return NGX_BUSY;
        }

        rc = ngx_http_artifact_expand_derive_next(ex);

        if (rc != NGX_OK) {
            return rc == NGX_DONE ? NGX_OK : rc;
        }
    }

    return NGX_OK;
}


/* Starts the next job that need not wait; NGX_DONE if none is left. */

static ngx_int_t
ngx_http_artifact_expand_derive_next(ngx_http_artifact_expand_t *ex)
{
    uint32_t                         i;
    ngx_http_artifact_expand_job_t  *job;

    for (i = 0; i < ex->njobs; i++) {
        job = ex->jobs[i];

        if (!job->over && job->derive.sr == NULL
            && (job->same == NULL || job->same->over))
        {
            return ngx_http_artifact_expand_job_start(job);
        }
    }

    return NGX_DONE;
}


static ngx_int_t
ngx_http_artifact_expand_job_start(ngx_http_artifact_expand_job_t *job)
{
    ngx_int_t                    rc;
    ngx_http_artifact_expand_t  *ex;

    ex = job->expand;

    if (job->own && !ex->late && job->derive.content.body == NULL) {
        rc = ngx_http_artifact_expand_job_own(job);

        /* "same" may have to be awaited */

        if (rc != NGX_OK || (job->same && !job->same->over)) {
            return rc;
        }
    }

    if (job->same) {
        rc = ngx_http_artifact_expand_job_same(job);

        if (rc != NGX_DECLINED) {
            return rc;
        }
    }

    /* nothing was ever asked for "rule" */

    if (ngx_http_artifact_derive_rule(&job->derive) == NULL) {
        ngx_http_artifact_expand_job_over(job);
        return NGX_OK;
    }

    if (ex->late) {
        ngx_http_artifact_expand_job_failed(job);
        return NGX_OK;
    }

    return ngx_http_artifact_expand_job_ask(job);
}


/*
 * Takes what was made of the same content: NGX_DECLINED if that cannot be used
 * here, as where it would have to be rendered in another form.
 */

static ngx_int_t
ngx_http_artifact_expand_job_same(ngx_http_artifact_expand_job_t *job)
{
    int                              rc;
    art_view_t                       view;
    ngx_http_artifact_expand_t      *ex;
    ngx_http_artifact_expand_job_t  *same;

    ex = job->expand;
    same = job->same;
    job->same = NULL;

    if (!same->derive.accepted) {

        if (same->first == job->first) {
            job->was.unconverted = same->was.unconverted;
            ex->plan.edits[job->slot] = job->was;

            ngx_http_artifact_derive_give_up(&job->derive);
        }

        return NGX_DECLINED;
    }

    view = same->view;
    ex->slot = job->slot;

    rc = art_message_derived(&ex->plan, job->slot, &view, 0);

    if (rc == ART_ERROR) {
        return NGX_ERROR;
    }

    if (rc == 0
        || ex->plan.edits[job->slot].format
           != ex->plan.edits[same->slot].format)
    {
        ex->plan.edits[job->slot] = job->was;
        return NGX_DECLINED;
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact derive: slot %uD has the conversion of "
                   "slot %uD", job->slot, same->slot);

    job->derive.accepted = 1;
    job->view = same->view;

    ex->parts[job->slot] = ex->parts[same->slot];
    art_plan_length(&ex->plan, job->slot,
                    (uint64_t) ex->parts[job->slot].size);

    ngx_http_artifact_expand_job_over(job);

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_expand_job_ask(ngx_http_artifact_expand_job_t *job)
{
    ngx_int_t                    rc;
    ngx_http_artifact_terms_t   *terms;
    ngx_http_artifact_expand_t  *ex;

    ex = job->expand;
    terms = &job->consumer.terms;

    terms->conf = ex->conf;
    terms->reader = ngx_http_artifact_expand_reads(ex, job->slot);
    terms->format = ex->plan.format;
    terms->choose = ngx_http_artifact_expand_job_choose;
    terms->origin = &job->origin;

    job->consumer.output = ngx_http_artifact_expand_job_output;
    job->consumer.data = job;

    ex->parts[job->slot].begin = -1;
    ex->parts[job->slot].size = 0;

    rc = ngx_http_artifact_derive_ask(&job->derive, &job->consumer);

    if (rc == NGX_DECLINED) {
        ngx_http_artifact_derive_count(&job->derive, ART_COUNT_NOT_DERIVED);
        ngx_http_artifact_expand_job_failed(job);

        return NGX_OK;
    }

    if (rc != NGX_OK) {
        ex->subrequest_lost = 1;
        return NGX_ERROR;
    }

    ex->nrunning++;

    return NGX_OK;
}


/*
 * Called by the stream of a conversion once it is known what the location has
 * answered with.
 */

static ngx_int_t
ngx_http_artifact_expand_job_choose(ngx_http_request_t *sr,
    ngx_http_artifact_stream_t *stream, ngx_uint_t empty, ngx_uint_t failed)
{
    int                              rc;
    art_view_t                      *view;
    const art_derive_rule_t         *rule;
    ngx_http_artifact_expand_t      *ex;
    ngx_http_artifact_expand_job_t  *job;

    job = ngx_http_artifact_consumer(sr)->data;
    ex = job->expand;
    view = &stream->view;
    rule = ngx_http_artifact_derive_rule(&job->derive);

    ex->plan.edits[job->slot] = job->was;
    ex->slot = job->slot;

    job->view = *view;
    job->derive.chosen = !empty;
    rc = 0;

    if (!failed && art_derive_is_made(rule, view->mime)) {
        rc = art_message_derived(&ex->plan, job->slot, view, empty & 1);

        if (rc == ART_ERROR) {
            job->derive.chosen = 0;
            return NGX_ERROR;
        }
    }

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, sr->connection->log, 0,
                   "http artifact derive: slot %uD, \"%*s\" is %staken",
                   job->slot, view->mime.len, view->mime.data,
                   rc ? "" : "not ");

    job->derive.accepted = rc & 1;

    if (rc) {
        stream->terms.format = ex->plan.edits[job->slot].format;

    } else {
        view->decision.described = 1;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_expand_job_output(ngx_http_request_t *sr, ngx_chain_t *out)
{
    ngx_http_artifact_expand_job_t  *job;

    job = ngx_http_artifact_consumer(sr)->data;

    if (!job->derive.accepted) {
        ngx_http_artifact_drop(out);
        return NGX_OK;
    }

    return ngx_http_artifact_expand_take(job->expand, job->slot, sr, out);
}


static void
ngx_http_artifact_expand_job_answered(ngx_http_artifact_expand_job_t *job)
{
    ngx_uint_t                        failed;
    ngx_http_artifact_expand_t       *ex;
    ngx_http_artifact_derive_t       *derive;
    ngx_http_artifact_expand_part_t  *part;

    ex = job->expand;
    derive = &job->derive;
    part = &ex->parts[job->slot];

    ex->busy = NULL;
    ex->nrunning--;

    switch (ngx_http_artifact_derive_ended(derive)) {

    case ART_COUNT_TAKEN:
        part->size = part->begin == -1 ? 0
                                       : ex->rendered.size - part->begin;
        art_plan_length(&ex->plan, job->slot, (uint64_t) part->size);

        ngx_http_artifact_expand_job_over(job);
        return;

    case ART_COUNT_NOT_DERIVED:
        failed = !ex->conversion_failed && !ex->late && !job->own;

        ngx_http_artifact_expand_job_failed(job);

        if (failed && ex->conversion_failed) {
            ex->error_ref = art_scan_slot(ex->scan, job->slot)->text;
        }

        return;

    default:  /* ART_COUNT_CANNOT, ART_COUNT_NOT_TAKEN */
        ex->plan.edits[job->slot] = job->was;
        derive->accepted = 0;

        if (ngx_http_artifact_derive_next(derive, derive->rule + 1) == NULL) {
            ngx_http_artifact_expand_job_over(job);
        }
    }
}


/* The slot becomes words, or the request fails. */

static void
ngx_http_artifact_expand_job_failed(ngx_http_artifact_expand_job_t *job)
{
    ngx_http_artifact_expand_t  *ex;

    ex = job->expand;

    if (!ngx_http_artifact_derive_words(&job->derive)) {
        ex->conversion_failed = 1;
        return;
    }

    job->derive.accepted = 0;
    job->was.unconverted = 1;
    ex->plan.edits[job->slot] = job->was;

    ngx_http_artifact_expand_job_over(job);
}


/* Frees the bytes of the original, unless they may be needed again. */

static void
ngx_http_artifact_expand_job_over(ngx_http_artifact_expand_job_t *job)
{
    uint32_t                     i;
    ngx_http_artifact_expand_t  *ex;

    ex = job->expand;
    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, job->expand->request->connection->log, 0,
                   "http artifact derive: slot %uD is done, taken %d",
                   job->slot, job->derive.accepted);

    job->over = 1;

    for (i = 0; i < ex->njobs; i++) {

        if (!ex->jobs[i]->over
            && ex->jobs[i]->derive.content.body == job->derive.content.body)
        {
            return;
        }
    }

    ngx_http_artifact_derive_release(&job->derive);
}


/*
 * A page for which there is no other form is the text that it would have been:
 * its source is asked again.
 */

static ngx_int_t
ngx_http_artifact_expand_derive_again(ngx_http_artifact_expand_t *ex)
{
    ngx_int_t                        rc;
    ngx_http_artifact_expand_job_t  *job;

    ex->again = 1;

    for ( /* void */ ; ex->nagain < ex->njobs; ex->nagain++) {
        job = ex->jobs[ex->nagain];

        if (job->derive.accepted || job->was.becomes != ART_BECOMES_TEXT) {
            continue;
        }

        ex->slot = job->slot;
        rc = ngx_http_artifact_expand_ask_slot(ex);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    ex->slot = ex->nslots;

    return NGX_OK;
}
