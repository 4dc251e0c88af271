
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Long texts that leave a request (docs/offload.md): which, and the excerpts
 * that are left of them.
 */


#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/expand/ngx_http_artifact_expand_standin.h"
#include "http/texts/ngx_http_artifact_texts.h"
#include "http/write/ngx_http_artifact_write.h"
#include "core/expand/art_expand_edit.h"


static ngx_uint_t ngx_http_artifact_longs_may_be(
    ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_longs_again(ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_longs_store(ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_longs_begin(ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_longs_open(ngx_http_artifact_expand_t *ex);
static ngx_uint_t ngx_http_artifact_longs_item(ngx_http_artifact_expand_t *ex,
    const art_span_t *span, ngx_http_artifact_standin_t *item);
static ngx_int_t ngx_http_artifact_longs_edits(ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_longs_inner(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_standin_t *item);
static size_t ngx_http_artifact_longs_from(const art_splice_op_t *ops,
    size_t n, uint64_t pos);
static ngx_int_t ngx_http_artifact_longs_next(ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_longs_made(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_standin_t *item);
static ngx_int_t ngx_http_artifact_longs_rendered(
    ngx_http_artifact_expand_t *ex, ngx_http_artifact_standin_t *item);
static ngx_int_t ngx_http_artifact_longs_print(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_standin_t *item);
static ngx_int_t ngx_http_artifact_longs_text(ngx_http_artifact_expand_t *ex,
    art_str_t head, art_str_t id, const art_excerpt_tail_t *tail,
    art_str_t end, art_str_t *text);
static void ngx_http_artifact_longs_left(ngx_http_artifact_standins_t *st);
static void ngx_http_artifact_longs_count(art_count_offload_t outcome);


/* A body may be scanned again. */

ngx_int_t
ngx_http_artifact_longs_scan(ngx_http_artifact_expand_t *ex,
    art_scan_conf_t *conf)
{
    ngx_int_t                        rc;
    ngx_http_request_t              *r;
    ngx_http_artifact_standins_t    *st;
    ngx_http_artifact_texts_conf_t  *texts;

    r = ex->request;
    texts = ngx_http_get_module_loc_conf(r, ngx_http_artifact_texts_module);

    if (texts->off || conf->prompt_only || ex->argument
        || ex->api->results == NULL)
    {
        return NGX_OK;
    }

    if (ex->longs == NULL) {

        if (ngx_http_artifact_store_create(ex, &ex->longs) != NGX_OK) {
            return NGX_ERROR;
        }

        rc = ngx_http_artifact_texts_limits(r, texts, &ex->longs->limits);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        ex->longs->over = (rc == NGX_DECLINED);
    }

    st = ex->longs;

    if (st->over) {
        return NGX_OK;
    }

    /* a short body has no long text, but may have a reference to one */

    if (ex->directives->expand != NGX_HTTP_ARTIFACT_EXPAND_ON
        && r->headers_in.content_length_n >= 0 && ex->decoded.size == 0
        && r->headers_in.content_length_n < (off_t) st->limits.size)
    {
        return NGX_OK;
    }

    conf->long_min = st->limits.size;

    return NGX_OK;
}


/*
 * Most bodies have no string that is long, and no reference that may become
 * one: they need not be read again to find out which strings are results.
 */

ngx_int_t
ngx_http_artifact_longs_walk(ngx_http_artifact_expand_t *ex)
{
    u_char    *data;
    ssize_t    n;
    uint64_t   pos;

    if (ex->scanning != NGX_HTTP_ARTIFACT_SCAN_TEXTS) {

        if (!ngx_http_artifact_longs_may_be(ex)) {
            return NGX_OK;
        }

        ex->scanning = NGX_HTTP_ARTIFACT_SCAN_TEXTS;

        if (ngx_http_artifact_longs_again(ex) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    do {
        n = ngx_http_artifact_body_read(&ex->cursor,
                                        NGX_HTTP_ARTIFACT_SCAN_PIECE, &data);
        if (n == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (n == 0) {
            return NGX_OK;
        }

        pos = art_long_feed(ex->texts, data, (size_t) n, &ex->scan->longs);
        ngx_http_artifact_body_skip(&ex->cursor, (off_t) pos);

    } while (!ngx_http_artifact_turn_is_over(&ex->turn));

    return NGX_BUSY;
}


static ngx_uint_t
ngx_http_artifact_longs_may_be(ngx_http_artifact_expand_t *ex)
{
    ngx_uint_t  i;

    if (ex->scan->conf.long_min == 0
        || (ex->standins && ex->standins->foreign))
    {
        return 0;
    }

    if (ex->scan->longs.n > 0) {
        return 1;
    }

    for (i = 0; i < ex->nslots; i++) {
        if (art_scan_slot(ex->scan, (uint32_t) i)->held == ART_HELD_REF) {
            return 1;
        }
    }

    return 0;
}


static ngx_int_t
ngx_http_artifact_longs_again(ngx_http_artifact_expand_t *ex)
{
    art_scan_conf_t                 *conf;
    ngx_http_artifact_texts_conf_t  *texts;

    conf = &ex->scan->conf;
    texts = ngx_http_get_module_loc_conf(ex->request,
                                         ngx_http_artifact_texts_module);

    ex->texts = ngx_palloc(ex->request->pool, sizeof(art_long_t));
    if (ex->texts == NULL) {
        return NGX_ERROR;
    }

    art_long_init(ex->texts, ex->api, &conf->url, conf->long_min,
                  texts->always, &ex->pool, conf->seed);

    return ngx_http_artifact_expand_rewind(ex);
}


/* The step: texts may have media in them. */

ngx_int_t
ngx_http_artifact_expand_store(ngx_http_artifact_expand_t *ex)
{
    ngx_int_t  rc;

    rc = ngx_http_artifact_standins_store(ex);

    return rc == NGX_OK ? ngx_http_artifact_longs_store(ex) : rc;
}


/* What cannot be stored stays as it came. */

static ngx_int_t
ngx_http_artifact_longs_store(ngx_http_artifact_expand_t *ex)
{
    ngx_int_t                      rc;
    ngx_http_artifact_standins_t  *st;

    st = ex->longs;

    if (st == NULL || st->over || !ngx_http_artifact_longs_are(ex)) {
        return NGX_OK;
    }

    if (!st->chosen && ngx_http_artifact_longs_begin(ex) != NGX_OK) {
        return NGX_ERROR;
    }

    while (st->next < st->nitems) {
        rc = ngx_http_artifact_longs_next(ex);

        if (rc != NGX_OK) {
            return rc;
        }

        st->next++;
    }

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact texts: %uD of %uD, %uL bytes, more:%d",
                   st->count, st->nitems, st->bytes, ex->texts->full);

    st->over = 1;

    return NGX_OK;
}


/* Chooses the texts, in their order. */

static ngx_int_t
ngx_http_artifact_longs_begin(ngx_http_artifact_expand_t *ex)
{
    uint32_t                       i;
    ngx_http_artifact_standin_t   *item;
    ngx_http_artifact_standins_t  *st;

    st = ex->longs;
    st->chosen = 1;

    st->items = ngx_pcalloc(ex->request->pool, ex->texts->n
                                        * sizeof(ngx_http_artifact_standin_t));
    if (st->items == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < ex->texts->n; i++) {
        item = &st->items[st->nitems];

        if (ngx_http_artifact_longs_item(ex, &ex->texts->texts[i], item)) {
            item->text = 1;
            st->nitems++;
        }
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact text: %uD of %uD may be long", st->nitems,
                   ex->texts->n);

    if (st->nitems == 0) {
        return NGX_OK;
    }

    if (ex->aws_signed) {
        ngx_log_error(NGX_LOG_WARN, ex->request->connection->log, 0,
                      "long texts stay in a request that is signed");
        st->nitems = 0;
        return NGX_OK;
    }

    return ngx_http_artifact_longs_open(ex);
}


static ngx_int_t
ngx_http_artifact_longs_open(ngx_http_artifact_expand_t *ex)
{
    ngx_pool_t                      *pool;
    ngx_http_artifact_standins_t    *st;
    ngx_http_artifact_write_conf_t  *conf;

    st = ex->longs;
    pool = ex->request->pool;
    conf = ngx_http_artifact_conf_of(ex->conf, ngx_http_artifact_write_module);

    st->ops = ngx_palloc(pool, st->nitems * sizeof(art_splice_op_t));
    st->ends = ngx_palloc(pool, art_excerpt_memory(st->limits.head,
                                                   st->limits.tail));

    if (st->ops == NULL || st->ends == NULL
        || ngx_http_artifact_id_value(ex->request, conf->agent, &st->agent)
           != NGX_OK
        || ngx_http_artifact_id_value(ex->request, conf->message_id,
                                      &st->message)
           != NGX_OK
        || ngx_http_artifact_longs_edits(ex) != NGX_OK
        || ngx_http_artifact_expand_rewind(ex) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ex->in_order = 0;

    return ngx_http_artifact_standins_open(st);
}


/*
 * Whether a string can be long: as it stands, or as the text that a reference
 * became.
 */

static ngx_uint_t
ngx_http_artifact_longs_item(ngx_http_artifact_expand_t *ex,
    const art_span_t *span, ngx_http_artifact_standin_t *item)
{
    uint32_t                          from, to, middle;
    const art_message_slot_t         *slot;
    ngx_http_artifact_expand_ref_t   *ref;
    ngx_http_artifact_expand_part_t  *part;

    item->span = *span;

    if (span->end - span->pos >= ex->longs->limits.size) {
        return 1;
    }

    from = 0;
    to = ex->nslots;

    while (from < to) {
        middle = (from + to) / 2;

        if (art_scan_slot(ex->scan, middle)->part.pos < span->pos) {
            from = middle + 1;

        } else {
            to = middle;
        }
    }

    if (from == 0) {
        return 0;
    }

    item->slot = from - 1;
    slot = art_scan_slot(ex->scan, item->slot);

    if (slot->held != ART_HELD_REF || slot->part.end < span->end
        || ex->plan.edits[item->slot].becomes != ART_BECOMES_TEXT)
    {
        return 0;
    }

    part = &ex->parts[item->slot];
    ref = &ex->refs[slot->ref];

    if (part->size <= part->head + part->tail || part->cut || !ref->known
        || ref->view.workspace.len > 0)
    {
        return 0;
    }

    item->rendered = 1;
    item->span.pos = (uint64_t) (part->begin + part->head);
    item->span.end = (uint64_t) (part->begin + part->size - part->tail);

    return 1;
}


/* What becomes of media and markers in the body, in order. */

static ngx_int_t
ngx_http_artifact_longs_edits(ngx_http_artifact_expand_t *ex)
{
    uint64_t                       total;
    art_splice_t                   splice;
    ngx_http_artifact_standins_t  *st;

    st = ex->longs;

    if (ex->nslots > 0
        && art_edit_ops(&ex->plan, 0, ex->nslots, &st->edits, &st->nedits)
           != ART_OK)
    {
        return NGX_ERROR;
    }

    if (ex->standins
        && ngx_http_artifact_standins_ops(ex, &st->edits, &st->nedits)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    return art_splice_init(&splice, st->edits, st->nedits, ex->scan->len,
                           &total)
           == ART_OK ? NGX_OK : NGX_ERROR;
}


/*
 * Finds what replaces media in a text.  NGX_DECLINED if that is content, and
 * the text has to stay.
 */

static ngx_int_t
ngx_http_artifact_longs_inner(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_standin_t *item)
{
    size_t                         i, end;
    ngx_http_artifact_standins_t  *st;

    st = ex->longs;

    st->ninner = 0;

    if (item->rendered) {
        return NGX_OK;
    }

    i = ngx_http_artifact_longs_from(st->edits, st->nedits, item->span.pos);
    end = ngx_http_artifact_longs_from(st->edits, st->nedits, item->span.end);

    st->inner = st->edits + i;
    st->ninner = end - i;

    /* a string that is replaced as such is no text of the client's own */

    if (i > 0 && st->edits[i - 1].pos + st->edits[i - 1].skip > item->span.pos)
    {
        return NGX_DECLINED;
    }

    for ( /* void */ ; i < end; i++) {

        if (st->edits[i].slot != ART_SPLICE_NO_SLOT || st->edits[i].own_end
            || st->edits[i].text.len > NGX_HTTP_ARTIFACT_TEXT_INNER
            || st->edits[i].pos + st->edits[i].skip > item->span.end)
        {
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


/* The first operation at or behind a position. */

static size_t
ngx_http_artifact_longs_from(const art_splice_op_t *ops, size_t n,
    uint64_t pos)
{
    size_t  from, to, middle;

    from = 0;
    to = n;

    while (from < to) {
        middle = (from + to) / 2;

        if (ops[middle].pos < pos) {
            from = middle + 1;

        } else {
            to = middle;
        }
    }

    return from;
}


static ngx_int_t
ngx_http_artifact_longs_next(ngx_http_artifact_expand_t *ex)
{
    ngx_int_t                      rc;
    ngx_http_artifact_standin_t   *item;
    ngx_http_artifact_standins_t  *st;

    st = ex->longs;
    item = &st->items[st->next];

    if (!st->begun && ngx_http_artifact_longs_inner(ex, item) != NGX_OK) {
        return NGX_OK;
    }

    st->begun = 1;

    rc = ngx_http_artifact_standins_work(st, item);

    if (rc != NGX_OK) {
        return rc;
    }

    st->begun = 0;

    if (item->denied) {
        return NGX_OK;
    }

    if (st->job.error == ART_ERR_MAX) {
        return ngx_http_artifact_longs_made(ex, item);
    }

    ngx_http_artifact_longs_left(st);

    return NGX_OK;
}


/* The text is in the store. */

static ngx_int_t
ngx_http_artifact_longs_made(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_standin_t *item)
{
    ngx_http_artifact_ctx_t       *ctx;
    ngx_http_artifact_standins_t  *st;

    st = ex->longs;

    if (item->rendered) {
        return ngx_http_artifact_longs_rendered(ex, item);
    }

    ctx = ngx_http_artifact_get_ctx(ex->request);

    ngx_http_artifact_standins_stored(st, item);
    ngx_http_artifact_longs_count(ART_COUNT_STORED);

    if (ctx) {
        ctx->offloaded++;
        ctx->offloaded_bytes += item->size;
    }

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact texts: %uL bytes are artifact \"%s\", "
                   "known:%d",
                   item->size, st->job.id, st->job.same);

    return ngx_http_artifact_longs_print(ex, item);
}


/* The middle of a text that a reference became. */

static ngx_int_t
ngx_http_artifact_longs_rendered(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_standin_t *item)
{
    art_str_t                         id, head, none;
    art_excerpt_tail_t                tail;
    ngx_http_artifact_standins_t     *st;
    ngx_http_artifact_expand_part_t  *part;

    st = ex->longs;
    part = &ex->parts[item->slot];
    id = ex->refs[art_scan_slot(ex->scan, item->slot)->ref].view.id;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact texts: slot %uD, %uL bytes of an artifact",
                   item->slot, st->excerpt.size);

    head = art_excerpt_head(&st->excerpt);
    none = art_str(NULL, 0);

    art_excerpt_tail(&st->excerpt, &tail);

    if (ngx_http_artifact_longs_text(ex, none, id, &tail, none, &part->standin)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    part->head += (off_t) head.len;
    part->base64 = part->size - part->head - part->tail
                   - (off_t) tail.bytes.len;

    art_plan_length(&ex->plan, item->slot,
                    (uint64_t) (part->size - part->base64)
                    + part->standin.len);

    return NGX_OK;
}


/* The middle of a text goes; all of one that has had media in it. */

static ngx_int_t
ngx_http_artifact_longs_print(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_standin_t *item)
{
    size_t                         i;
    art_str_t                      head, end;
    art_splice_op_t               *op;
    art_excerpt_tail_t             tail;
    ngx_http_artifact_standins_t  *st;

    st = ex->longs;
    op = &st->ops[st->nops++];

    head = art_excerpt_head(&st->excerpt);
    art_excerpt_tail(&st->excerpt, &tail);
    end = tail.bytes;

    ngx_memzero(op, sizeof(art_splice_op_t));

    op->pos = item->span.pos;
    op->skip = item->span.end - item->span.pos;
    op->slot = ART_SPLICE_NO_SLOT;

    if (st->ninner == 0) {
        op->pos += head.len;
        op->skip -= head.len + end.len;
        head.len = 0;
        end.len = 0;
    }

    if (ngx_http_artifact_longs_text(ex, head, art_cstr(st->job.id), &tail, end,
                                     &op->text)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    op->length = op->text.len;

    if (ex->plan.edits == NULL) {
        return NGX_OK;
    }

    ex->plan.more += op->length - op->skip;

    /* what goes with the text has been counted */

    for (i = 0; i < st->ninner; i++) {
        ex->plan.more += st->inner[i].skip - st->inner[i].length;
    }

    return NGX_OK;
}


/* The sentence about an artifact, between both ends, in memory of its size. */

static ngx_int_t
ngx_http_artifact_longs_text(ngx_http_artifact_expand_t *ex, art_str_t head,
    art_str_t id, const art_excerpt_tail_t *tail, art_str_t end,
    art_str_t *text)
{
    u_char     *p, sentence[ART_EXCERPT_SENTENCE];
    art_out_t   out;

    out = art_out(sentence, sizeof(sentence));
    art_excerpt_print(&out, &ex->longs->excerpt, tail, id,
                      (art_lang_t) ex->conf->language);

    p = ngx_pnalloc(ex->request->pool, head.len + out.len + end.len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    *text = art_str(p, head.len + out.len + end.len);

    out = art_out(p, text->len);
    art_out_str(&out, head);
    art_out_str(&out, art_str(sentence, text->len - head.len - end.len));
    art_out_str(&out, end);

    return NGX_OK;
}


static void
ngx_http_artifact_longs_left(ngx_http_artifact_standins_t *st)
{
    ngx_uint_t                 level;
    ngx_http_request_t        *r;
    ngx_artifact_write_job_t  *job;

    job = &st->job;
    r = st->expand->request;
    level = job->file ? NGX_LOG_ERR : NGX_LOG_WARN;

    ngx_http_artifact_longs_count(ART_COUNT_NOT_STORED);

    ngx_log_error(level, r->connection->log, job->err,
                  "a long text in the request was not stored, "
                  "it is left as it is%s",
                  ngx_http_artifact_job_failure(r, job));
}


/* What is in a text that is replaced goes with it. */

ngx_int_t
ngx_http_artifact_longs_ops(ngx_http_artifact_expand_t *ex,
    art_splice_op_t **ops, size_t *nops)
{
    art_splice_op_t               *all;
    ngx_http_artifact_standins_t  *st;

    st = ex->longs;

    if (st->nops == 0) {
        return NGX_OK;
    }

    all = ngx_palloc(ex->request->pool,
                     (*nops + st->nops) * sizeof(art_splice_op_t));
    if (all == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(all, st->ops, st->nops * sizeof(art_splice_op_t));

    *nops = art_splice_join(all, st->nops, *ops, *nops);
    *ops = all;

    return NGX_OK;
}


static void
ngx_http_artifact_longs_count(art_count_offload_t outcome)
{
    unsigned  at[2];

    at[0] = ART_COUNT_OFFLOADED_TEXT;
    at[1] = outcome;

    ngx_http_artifact_count(ART_COUNT_OFFLOADED, at, 1);
}
