
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Media that leave a request in front of a gateway (docs/standins.md): which,
 * and the stand-ins that take the place of their base64.
 */


#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/expand/ngx_http_artifact_expand_standin.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/text/art_base64.h"


static ngx_int_t ngx_http_artifact_standins_begin(
    ngx_http_artifact_expand_t *ex);
static ngx_uint_t ngx_http_artifact_standins_slot(
    ngx_http_artifact_standins_t *st, uint32_t i,
    ngx_http_artifact_standin_t *item);
static ngx_uint_t ngx_http_artifact_standins_rendered(
    ngx_http_artifact_standins_t *st, uint32_t i,
    ngx_http_artifact_standin_t *item);
static ngx_uint_t ngx_http_artifact_standins_own(
    ngx_http_artifact_standins_t *st, uint32_t i,
    ngx_http_artifact_standin_t *item);
static ngx_uint_t ngx_http_artifact_standins_forged(
    ngx_http_artifact_standins_t *st, uint32_t i,
    ngx_http_artifact_standin_t *item);
static ngx_int_t ngx_http_artifact_standins_next(
    ngx_http_artifact_standins_t *st);
static ngx_int_t ngx_http_artifact_standins_made(
    ngx_http_artifact_standins_t *st, ngx_http_artifact_standin_t *item);
static void ngx_http_artifact_standins_left(ngx_http_artifact_standins_t *st,
    ngx_http_artifact_standin_t *item);
static ngx_int_t ngx_http_artifact_standins_print(
    ngx_http_artifact_standins_t *st, ngx_http_artifact_standin_t *item);
static void ngx_http_artifact_standins_count(art_standin_t kind,
    unsigned outcome);


ngx_int_t
ngx_http_artifact_standins_asked(ngx_http_request_t *r,
    ngx_http_artifact_expand_conf_t *elcf, ngx_uint_t *asked)
{
    ngx_str_t  value;

    *asked = 0;

    if (elcf->standins == NULL) {
        return NGX_OK;
    }

    if (ngx_http_complex_value(r, elcf->standins, &value) != NGX_OK) {
        return NGX_ERROR;
    }

    *asked = art_str_eq(ngx_artifact_str(&value), art_cstr("on")) & 1;

    return NGX_OK;
}


ngx_uint_t
ngx_http_artifact_standins_alone(ngx_http_artifact_expand_t *ex)
{
    return ex->directives->expand != NGX_HTTP_ARTIFACT_EXPAND_ON
           || ex->standins->foreign;
}


/* Nobody knows what is behind the place where the scan has given up. */

ngx_uint_t
ngx_http_artifact_standins_passed(ngx_http_artifact_expand_t *ex)
{
    art_scan_t    *scan;
    const char    *what;
    art_standin_t  kind;

    scan = ex->scan;
    what = NULL;

    if (scan->status == ART_SCAN_PASS && scan->refused) {
        what = "JSON in which stand-ins cannot be looked for";
    }

    for (kind = ART_STANDIN_PNG; kind < ART_STANDIN_KINDS; kind++) {

        if (scan->untouched[kind] > 0 && scan->status == ART_SCAN_OK) {
            what = "stand-ins where they cannot be replaced";
        }
    }

    if (scan->excess) {
        what = "more stand-ins than can be replaced";
    }

    if (what == NULL) {
        return 0;
    }

    ngx_log_error(NGX_LOG_ERR, ex->request->connection->log, 0,
                  "client sent %s", what);

    ex->error = ART_MESSAGE_ERR_SOURCE;

    return 1;
}


void
ngx_http_artifact_standins_foreign(ngx_http_artifact_expand_t *ex)
{
    ex->standins->foreign = 1;
    ex->prompt = NULL;
    ex->texts = NULL;
}


/*
 * What is in a part that is made anew, or in a string that is replaced, is not
 * in the body any more.
 */

ngx_int_t
ngx_http_artifact_standins_ops(ngx_http_artifact_expand_t *ex,
    art_splice_op_t **ops, size_t *nops)
{
    art_splice_op_t               *all;
    ngx_http_artifact_standins_t  *st;

    st = ex->standins;

    if (st->nops == 0) {
        return NGX_OK;
    }

    all = ngx_palloc(ex->request->pool,
                     (*nops + st->nops) * sizeof(art_splice_op_t));
    if (all == NULL) {
        return NGX_ERROR;
    }

    if (*nops > 0) {
        ngx_memcpy(all, *ops, *nops * sizeof(art_splice_op_t));
    }

    *nops = art_splice_join(all, *nops, st->ops, st->nops);
    *ops = all;

    return NGX_OK;
}


/*
 * What cannot be stored stays as it came, but for a stand-in of the
 * client's own: behind the gateway it would lead to what somebody else has
 * sent.
 */

ngx_int_t
ngx_http_artifact_standins_store(ngx_http_artifact_expand_t *ex)
{
    ngx_int_t                      rc;
    ngx_http_artifact_standins_t  *st;

    st = ex->standins;

    if (st == NULL || st->over) {
        return NGX_OK;
    }

    if (!st->chosen) {
        rc = ngx_http_artifact_standins_begin(ex);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    while (st->next < st->nitems) {
        rc = ngx_http_artifact_standins_next(st);

        if (rc != NGX_OK) {
            return rc;
        }

        st->next++;
    }

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact standins: %uD of %uD values, %uL bytes",
                   st->count, st->nitems, st->bytes);

    st->over = 1;

    return NGX_OK;
}


/* Chooses the values, in their order. */

static ngx_int_t
ngx_http_artifact_standins_begin(ngx_http_artifact_expand_t *ex)
{
    uint32_t                       i;
    ngx_pool_t                    *pool;
    ngx_http_artifact_standins_t  *st;

    st = ex->standins;
    pool = ex->request->pool;

    st->chosen = 1;

    if (ex->scan->nslots == 0) {
        return NGX_OK;
    }

    st->items = ngx_palloc(pool, ex->scan->nslots
                                 * sizeof(ngx_http_artifact_standin_t));
    if (st->items == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < ex->scan->nslots; i++) {

        if (ngx_http_artifact_standins_slot(st, i, &st->items[st->nitems])) {
            st->nitems++;
        }
    }

    if (st->nitems == 0) {
        return NGX_OK;
    }

    if (ex->aws_signed) {
        ex->error = ART_MESSAGE_ERR_SIGNED;
        return NGX_ABORT;
    }

    st->ops = ngx_palloc(pool, st->nitems * sizeof(art_splice_op_t));

    if (st->ops == NULL
        || ngx_http_artifact_expand_rewind(ex) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ex->in_order = 0;

    return ngx_http_artifact_standins_open(st);
}


/* Whether a slot has a value for the store; if it has not, counts why. */

static ngx_uint_t
ngx_http_artifact_standins_slot(ngx_http_artifact_standins_t *st, uint32_t i,
    ngx_http_artifact_standin_t *item)
{
    const art_message_slot_t    *slot;
    ngx_http_artifact_expand_t  *ex;

    ex = st->expand;
    slot = art_scan_slot(ex->scan, i);

    ngx_memzero(item, sizeof(ngx_http_artifact_standin_t));

    item->slot = i;
    item->kind = slot->like;
    item->span = slot->raw;
    item->size = slot->size;

    if (slot->standin) {
        return ngx_http_artifact_standins_forged(st, i, item);
    }

    if (st->foreign) {
        return 0;
    }

    if (slot->held == ART_HELD_REF) {
        return ngx_http_artifact_standins_rendered(st, i, item);
    }

    if (slot->held == ART_HELD_RUN) {
        item->span = slot->part;

    } else if (slot->held != ART_HELD_DATA || !slot->looked) {
        return 0;
    }

    return ngx_http_artifact_standins_own(st, i, item);
}


/* A stand-in, which is stored as a medium like any other. */

static ngx_uint_t
ngx_http_artifact_standins_forged(ngx_http_artifact_standins_t *st, uint32_t i,
    ngx_http_artifact_standin_t *item)
{
    const art_message_slot_t  *slot;

    slot = art_scan_slot(st->expand->scan, i);

    item->forged = 1;
    item->kind = slot->standin;

    if (slot->held == ART_HELD_STANDIN) {
        item->span.pos = slot->part.pos + !slot->inside;
        item->span.end = slot->part.end - !slot->inside;
        item->size = art_standin_len(slot->standin) / 4 * 3;

    } else if (slot->held == ART_HELD_RUN) {
        item->span = slot->part;
    }

    return 1;
}


/* A reference, whose content would be in the body. */

static ngx_uint_t
ngx_http_artifact_standins_rendered(ngx_http_artifact_standins_t *st,
    uint32_t i, ngx_http_artifact_standin_t *item)
{
    const art_message_edit_t         *edit;
    ngx_http_artifact_expand_t       *ex;
    ngx_http_artifact_expand_ref_t   *ref;
    ngx_http_artifact_expand_part_t  *part;

    ex = st->expand;

    if (ex->plan.edits == NULL) {
        return 0;
    }

    edit = &ex->plan.edits[i];
    part = &ex->parts[i];
    ref = &ex->refs[art_scan_slot(ex->scan, i)->ref];

    if (edit->becomes != ART_BECOMES_PART || edit->format == NULL
        || !ref->known || part->base64 == 0)
    {
        return 0;
    }

    item->kind = art_standin_of(ref->view.mime);

    if (item->kind == ART_STANDIN_NONE) {
        ngx_http_artifact_standins_count(ART_STANDIN_NONE,
                                         ART_COUNT_LEFT_KIND);
        return 0;
    }

    item->rendered = 1;
    item->span.pos = (uint64_t) (part->begin + part->head);
    item->span.end = item->span.pos + (uint64_t) part->base64;

    return 1;
}


/* A medium of the client's own. */

static ngx_uint_t
ngx_http_artifact_standins_own(ngx_http_artifact_standins_t *st, uint32_t i,
    ngx_http_artifact_standin_t *item)
{
    uint64_t                   len;
    unsigned                   flags;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(st->expand->scan, i);

    flags = slot->form ? slot->form->flags : 0;
    len = ART_BASE64_LEN(slot->size);

    /* an API that edits pictures gets no JSON from most gateways */

    if ((flags & ART_FORM_SOLE) && !(flags & ART_FORM_MEDIA)) {
        return 0;
    }

    if (slot->held == ART_HELD_DATA
        && len < st->expand->conf->offload_min)
    {
        return 0;
    }

    if (slot->broken) {
        ngx_log_error(NGX_LOG_WARN, st->expand->request->connection->log, 0,
                      "apparent base64 in the request is not sound, "
                      "it is left as it is");

        ngx_http_artifact_standins_count(item->kind, ART_COUNT_STANDIN_FAILED);
        return 0;
    }

    if (item->kind == ART_STANDIN_NONE) {
        ngx_http_artifact_standins_count(ART_STANDIN_NONE,
                                         ART_COUNT_LEFT_KIND);
        return 0;
    }

    if (len <= art_standin_len(item->kind)) {
        return 0;
    }

    if (slot->denied) {
        ngx_http_artifact_standins_count(item->kind, ART_COUNT_LEFT_TYPE);
        return 0;
    }

    if (st->nown == (ngx_uint_t) st->expand->conf->refs_max) {
        ngx_http_artifact_standins_count(item->kind, ART_COUNT_LEFT_MAXIMUM);
        return 0;
    }

    item->plain = slot->held == ART_HELD_DATA && slot->plain
                  && item->span.end - item->span.pos == len;
    st->nown++;

    return 1;
}


static ngx_int_t
ngx_http_artifact_standins_next(ngx_http_artifact_standins_t *st)
{
    ngx_int_t                     rc;
    ngx_http_artifact_standin_t  *item;
    ngx_http_artifact_expand_t   *ex;

    ex = st->expand;
    item = &st->items[st->next];

    rc = ngx_http_artifact_standins_work(st, item);

    if (rc != NGX_OK) {
        return rc;
    }

    if (item->denied) {
        ngx_http_artifact_standins_count(item->kind, ART_COUNT_LEFT_TYPE);
        return NGX_OK;
    }

    if (st->job.error == ART_ERR_MAX) {
        return ngx_http_artifact_standins_made(st, item);
    }

    ngx_http_artifact_standins_left(st, item);

    if (item->forged) {
        ex->error = ART_MESSAGE_ERR_SOURCE;
        return NGX_ABORT;
    }

    return NGX_OK;
}


/* The medium is in the store. */

static ngx_int_t
ngx_http_artifact_standins_made(ngx_http_artifact_standins_t *st,
    ngx_http_artifact_standin_t *item)
{
    ngx_artifact_write_job_t  *job;

    job = &st->job;

    ngx_http_artifact_standins_stored(st, item);

    ngx_http_artifact_standins_count(item->kind,
                                     job->same ? ART_COUNT_STANDIN_KNOWN
                                               : ART_COUNT_STANDIN_STORED);

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, st->expand->request->connection->log, 0,
                   "http artifact standins: slot %uD, \"%s\", %uL bytes: %s",
                   item->slot, art_standin_mime(item->kind).data, item->size,
                   job->same ? "known" : "stored");

    return ngx_http_artifact_standins_print(st, item);
}


static void
ngx_http_artifact_standins_left(ngx_http_artifact_standins_t *st,
    ngx_http_artifact_standin_t *item)
{
    ngx_uint_t                 level;
    ngx_http_request_t        *r;
    ngx_artifact_write_job_t  *job;

    job = &st->job;
    r = st->expand->request;
    level = job->file || item->forged ? NGX_LOG_ERR : NGX_LOG_WARN;

    ngx_http_artifact_standins_count(item->kind, ART_COUNT_STANDIN_FAILED);

    ngx_log_error(level, r->connection->log, job->err,
                  "base64 in the request was not stored, %s%s",
                  item->forged ? "and cannot pass" : "it is left as it is",
                  ngx_http_artifact_job_failure(r, job));
}


/* The stand-in, and the operation that puts it there. */

static ngx_int_t
ngx_http_artifact_standins_print(ngx_http_artifact_standins_t *st,
    ngx_http_artifact_standin_t *item)
{
    size_t                      head;
    u_char                     *p;
    art_splice_op_t            *op;
    const art_message_slot_t   *slot;
    ngx_http_artifact_expand_t  *ex;

    ex = st->expand;
    slot = art_scan_slot(ex->scan, item->slot);

    /* that of a string elsewhere has all of it */

    head = slot->held == ART_HELD_STANDIN ? slot->head.len : 0;

    item->by.len = head + art_standin_len(item->kind);

    p = ngx_pnalloc(ex->request->pool, item->by.len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    item->by.data = p;

    if (head > 0) {
        p = ngx_cpymem(p, slot->head.data, head);
    }

    art_standin_print(item->kind, (const uint8_t *) st->job.id, p);

    if (item->rendered) {
        ex->parts[item->slot].standin = item->by;

        art_plan_length(&ex->plan, item->slot,
                        (uint64_t) (ex->parts[item->slot].size
                                    - ex->parts[item->slot].base64)
                        + item->by.len);
        return NGX_OK;
    }

    op = &st->ops[st->nops++];

    ngx_memzero(op, sizeof(art_splice_op_t));

    op->pos = item->span.pos;
    op->skip = item->span.end - item->span.pos;
    op->length = item->by.len;
    op->text = item->by;
    op->slot = ART_SPLICE_NO_SLOT;

    if (ex->plan.edits) {
        ex->plan.more += op->length - op->skip;
    }

    return NGX_OK;
}


static void
ngx_http_artifact_standins_count(art_standin_t kind, unsigned outcome)
{
    unsigned  at[3];

    at[0] = ART_COUNT_FRONT;
    at[1] = kind;
    at[2] = outcome;

    ngx_http_artifact_count(ART_COUNT_STANDINS, at, 1);
}
