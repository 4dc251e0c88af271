
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What is to be converted: which slots, and the bytes of their originals.
 */


#include "http/convert/ngx_http_artifact_convert.h"
#include "http/expand/ngx_http_artifact_expand_state.h"
#include "http/source/ngx_http_artifact_source.h"
#include "core/expand/art_expand_derive.h"

#include <openssl/evp.h>


/* Base64 that is decoded at once. */

#define NGX_HTTP_ARTIFACT_EXPAND_PIECE  4096


static ngx_http_artifact_expand_job_t *ngx_http_artifact_expand_job(
    ngx_http_artifact_expand_t *ex, uint32_t slot,
    const art_derive_source_t *source);
static ngx_int_t ngx_http_artifact_expand_derivable_again(
    ngx_http_artifact_expand_job_t *job);
static int ngx_http_artifact_expand_takes(void *data,
    const art_derive_rule_t *rule);
static ngx_int_t ngx_http_artifact_expand_job_read(
    ngx_http_artifact_expand_job_t *job, const art_message_slot_t *slot,
    ngx_uint_t first, uint64_t end);
static ngx_int_t ngx_http_artifact_expand_job_digest(
    ngx_http_artifact_expand_job_t *job);


ngx_int_t
ngx_http_artifact_expand_derivable(ngx_http_artifact_expand_t *ex,
    const art_view_t *view, ngx_uint_t empty, ngx_http_request_t *sr,
    ngx_http_artifact_stream_t *stream)
{
    uint32_t                         slot;
    art_derive_source_t              source;
    const art_message_slot_t        *one;
    ngx_http_artifact_expand_job_t  *job;

    slot = ex->slot;
    one = art_scan_slot(ex->scan, slot);

    if (ngx_http_artifact_rules(ex->conf) == NULL || ex->again
        || ex->standins)
    {
        return NGX_DECLINED;
    }

    ngx_memzero(&source, sizeof(art_derive_source_t));
    art_plan_enter_slot(&ex->plan, slot);

    if (!art_message_derivable(&ex->plan, slot, view, empty & 1, &source)) {
        return NGX_DECLINED;
    }

    source.named = 1;
    source.bytes = sr == NULL || stream->source->local || !view->size_known
                   || view->size <= (uint64_t) ex->conf->body_max;

    job = ngx_http_artifact_expand_job(ex, slot, &source);

    if (job == NULL) {
        return NGX_ERROR;
    }

    if (ngx_http_artifact_derive_rule(&job->derive) == NULL) {
        ex->njobs--;
        return NGX_DECLINED;
    }

    job->origin = *view;
    job->derive.kind = view->kind;

    if (sr == NULL) {
        return ngx_http_artifact_expand_derivable_again(job);
    }

    ex->job = job;
    ex->in_order = 0;

    job->derive.content.id = one->text;

    /* nobody may learn where one leads, nor a converter */

    if (one->standin) {
        job->derive.content.id = art_standin_name(one->standin);
    }

    job->derive.content.original.mime = view->mime;

    return ngx_http_artifact_derive_original(&job->derive, sr, stream);
}


/* The reference has occurred before. */

static ngx_int_t
ngx_http_artifact_expand_derivable_again(ngx_http_artifact_expand_job_t *job)
{
    uint32_t                         i, ref;
    ngx_http_artifact_expand_t      *ex;
    ngx_http_artifact_expand_job_t  *other;

    ex = job->expand;
    ref = art_scan_slot(ex->scan, job->slot)->ref;

    for (i = 0; (other = ex->jobs[i]) != job; i++) {

        if (other->derive.content.id.len > 0
            && art_scan_slot(ex->scan, other->slot)->ref == ref)
        {
            job->same = other;
            ex->parts[job->slot].begin = NGX_HTTP_ARTIFACT_EXPAND_CONVERT;
            ex->in_order = 0;

            return NGX_OK;
        }
    }

    /* its source has to be asked again for the bytes */

    ex->njobs--;

    return NGX_BUSY;
}


ngx_int_t
ngx_http_artifact_expand_derivable_own(ngx_http_artifact_expand_t *ex,
    uint32_t slot)
{
    art_derive_source_t              source;
    ngx_http_artifact_expand_job_t  *job;

    ngx_memzero(&source, sizeof(art_derive_source_t));
    art_plan_enter_slot(&ex->plan, slot);

    if (!art_message_derivable(&ex->plan, slot, NULL, 0, &source)) {
        return NGX_OK;
    }

    source.bytes = 1;

    job = ngx_http_artifact_expand_job(ex, slot, &source);

    if (job == NULL
        || art_message_origin(&ex->plan, slot, &job->origin) != ART_OK)
    {
        return NGX_ERROR;
    }

    if (ngx_http_artifact_derive_rule(&job->derive) == NULL) {
        ex->njobs--;
    }

    job->own = 1;
    job->derive.kind = job->origin.kind;
    job->derive.content.original.mime = job->origin.mime;

    return NGX_OK;
}


/* A conversion of what a slot has, which so far becomes words, or a text. */

static ngx_http_artifact_expand_job_t *
ngx_http_artifact_expand_job(ngx_http_artifact_expand_t *ex, uint32_t slot,
    const art_derive_source_t *source)
{
    ngx_pool_t                      *pool;
    ngx_http_artifact_expand_job_t  *job;

    pool = ex->request->pool;

    if (ex->jobs == NULL) {
        ex->jobs = ngx_palloc(pool, ex->nslots * sizeof(void *));

        if (ex->jobs == NULL) {
            return NULL;
        }
    }

    job = ngx_pcalloc(pool, sizeof(ngx_http_artifact_expand_job_t));
    if (job == NULL) {
        return NULL;
    }

    job->expand = ex;
    job->slot = slot;
    job->was = ex->plan.edits[slot];
    job->derive.source = *source;

    ngx_http_artifact_derive_init(&job->derive, ex->request, ex->conf,
                                  ngx_http_artifact_expand_takes, job);

    (void) ngx_http_artifact_derive_next(&job->derive, 0);

    job->first = job->derive.rule;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact derive: slot %uD may be converted, rule %ud",
                   slot, job->first);

    ex->jobs[ex->njobs++] = job;

    return job;
}


static int
ngx_http_artifact_expand_takes(void *data, const art_derive_rule_t *rule)
{
    art_message_taker_t              taker;
    ngx_http_artifact_expand_job_t  *job = data;

    art_plan_enter_slot(&job->expand->plan, job->slot);

    taker.plan = &job->expand->plan;
    taker.slot = job->slot;

    return art_message_takes(&taker, rule);
}


ngx_int_t
ngx_http_artifact_expand_job_own(ngx_http_artifact_expand_job_t *job)
{
    u_char                       out[NGX_HTTP_ARTIFACT_EXPAND_PIECE];
    size_t                       n;
    uint64_t                     begin, end;
    ngx_int_t                    rc;
    const art_message_slot_t    *slot;
    ngx_http_artifact_expand_t  *ex;

    ex = job->expand;
    slot = art_scan_slot(ex->scan, job->slot);

    begin = slot->held == ART_HELD_RUN ? slot->part.pos
                                       : slot->data.pos + 1;
    end = slot->held == ART_HELD_RUN ? slot->part.end : slot->data.end - 1;

    if (job->pos == 0) {
        job->pos = begin;
        job->digest = EVP_MD_CTX_new();

        if (job->digest == NULL
            || EVP_DigestInit_ex(job->digest, EVP_sha256(), NULL) != 1)
        {
            return NGX_ERROR;
        }
    }

    while (job->pos < end) {
        rc = ngx_http_artifact_expand_job_read(job, slot, job->pos == begin,
                                               end);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    n = art_find_decode_end(&job->clean, slot->size, out);

    if (EVP_DigestUpdate(job->digest, out, n) != 1
        || ngx_http_artifact_spool_put(&job->derive.bytes, out, n) != NGX_OK
        || ngx_http_artifact_spool_end(&job->derive.bytes,
                                       &job->derive.content.body)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    job->derive.content.size = job->derive.bytes.size;

    if (job->derive.content.body == NULL) {
        ngx_http_artifact_derive_give_up(&job->derive);
        return NGX_OK;
    }

    return ngx_http_artifact_expand_job_digest(job);
}


static ngx_int_t
ngx_http_artifact_expand_job_read(ngx_http_artifact_expand_job_t *job,
    const art_message_slot_t *slot, ngx_uint_t first, uint64_t end)
{
    u_char                      *data, out[NGX_HTTP_ARTIFACT_EXPAND_PIECE];
    size_t                       n, len;
    ssize_t                      read;
    const uint8_t               *p;
    ngx_http_artifact_expand_t  *ex;
    ngx_http_artifact_body_t     body;

    ex = job->expand;

    ngx_http_artifact_body_init(&body, ex->body, ex->buf,
                                NGX_HTTP_ARTIFACT_EXPAND_ROOM);
    ngx_http_artifact_body_skip(&body, (off_t) job->pos);

    read = ngx_http_artifact_body_read(&body,
                                       (size_t) ngx_min(end - job->pos,
                                              NGX_HTTP_ARTIFACT_EXPAND_ROOM),
                                       &data);
    if (read <= 0) {
        return NGX_ERROR;
    }

    p = data;
    len = (size_t) read;
    job->pos += len;

    /* base64 alone might begin like the prefix of a data URL */

    if (first && (len < 5 || ngx_memcmp(p, "data:", 5) != 0)) {
        art_splice_own(&job->clean, slot);
    }

    while (len > 0) {
        n = art_find_decode(&job->clean, out, sizeof(out), &p, &len);

        if (EVP_DigestUpdate(job->digest, out, n) != 1
            || ngx_http_artifact_spool_put(&job->derive.bytes, out, n)
               != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return ngx_http_artifact_turn_is_over(&ex->turn) ? NGX_BUSY : NGX_OK;
}


/* The same bytes are converted once. */

static ngx_int_t
ngx_http_artifact_expand_job_digest(ngx_http_artifact_expand_job_t *job)
{
    u_char                          *hex;
    uint32_t                         i;
    u_char                           sum[NGX_HTTP_ARTIFACT_EXPAND_DIGITS / 2];
    ngx_http_artifact_expand_t      *ex;
    ngx_http_artifact_original_t    *own;
    ngx_http_artifact_expand_job_t  *other;

    ex = job->expand;

    hex = ngx_pnalloc(ex->request->pool, NGX_HTTP_ARTIFACT_EXPAND_DIGITS);

    if (hex == NULL || EVP_DigestFinal_ex(job->digest, sum, NULL) != 1) {
        return NGX_ERROR;
    }

    EVP_MD_CTX_free(job->digest);
    job->digest = NULL;

    (void) ngx_hex_dump(hex, sum, sizeof(sum));

    job->derive.content.original.digest.data = hex;
    job->derive.content.original.digest.len = NGX_HTTP_ARTIFACT_EXPAND_DIGITS;

    for (i = 0; (other = ex->jobs[i]) != job; i++) {
        own = &other->derive.content.original;

        if (other->own && own->digest.len > 0
            && ngx_memcmp(own->digest.data, hex,
                          NGX_HTTP_ARTIFACT_EXPAND_DIGITS)
               == 0
            && art_str_eq(own->mime, job->derive.content.original.mime))
        {
            job->same = other;
            return NGX_OK;
        }
    }

    return NGX_OK;
}
