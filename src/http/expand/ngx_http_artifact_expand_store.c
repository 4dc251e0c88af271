
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A medium of a request on its way to the store: hashed, looked up, written.
 * In threads if there are any, else in turns: there it knows no request.
 */


#include "http/base/ngx_http_artifact_context.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/expand/ngx_http_artifact_expand_standin.h"
#include "http/write/ngx_http_artifact_write.h"
#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/upkeep/ngx_artifact_upkeep.h"
#include "core/media/art_media.h"
#include "core/ref/art_ref_file.h"


/* Milliseconds of a thread's work, after which the request is looked at. */

#define NGX_HTTP_ARTIFACT_STANDIN_MOST  20

/* What a run may begin with, before its base64. */

#define NGX_HTTP_ARTIFACT_STANDIN_HEAD  (6 * ART_FIND_PREFIX)

#define NGX_HTTP_ARTIFACT_STANDIN_BOTH  3


/* Bytes of a text that are read at once. */

#define NGX_HTTP_ARTIFACT_TEXT_PIECE  32768


static void ngx_http_artifact_standin_run(void *data, ngx_log_t *log);
static ngx_int_t ngx_http_artifact_standin_begin(
    ngx_http_artifact_standins_t *st, ngx_http_artifact_standin_t *item);
static ngx_int_t ngx_http_artifact_standin_found(
    ngx_http_artifact_standins_t *st, ngx_http_artifact_standin_t *item,
    const ngx_http_artifact_part_t *part);
static ngx_int_t ngx_http_artifact_standin_open(
    ngx_http_artifact_standins_t *st, ngx_http_artifact_standin_t *item);
static ngx_int_t ngx_http_artifact_standin_prefix(
    ngx_http_artifact_standins_t *st, ngx_http_artifact_standin_t *item);
static ngx_uint_t ngx_http_artifact_standin_denies(art_standin_t kind,
    const u_char *p, const u_char *comma);
static void ngx_http_artifact_standin_job(ngx_http_artifact_standins_t *st,
    ngx_http_artifact_standin_t *item);
static void ngx_http_artifact_standin_start(ngx_http_artifact_standins_t *st,
    ngx_http_artifact_standin_t *item);
static void ngx_http_artifact_standin_print(ngx_http_artifact_standins_t *st,
    ngx_http_artifact_standin_t *item, const art_message_slot_t *slot);
static ngx_int_t ngx_http_artifact_standin_hash(
    ngx_http_artifact_standins_t *st, ngx_http_artifact_standin_t *item);
static ngx_uint_t ngx_http_artifact_standin_is_long(
    ngx_http_artifact_standins_t *st);
static ngx_int_t ngx_http_artifact_standin_look(
    ngx_http_artifact_standins_t *st, ngx_http_artifact_standin_t *item);
static ngx_int_t ngx_http_artifact_standin_write(
    ngx_http_artifact_standins_t *st, ngx_http_artifact_standin_t *item);
static ngx_int_t ngx_http_artifact_standin_put(
    ngx_http_artifact_standins_t *st, size_t n);
static ngx_int_t ngx_http_artifact_standin_append(
    ngx_http_artifact_standins_t *st, size_t n);
static ngx_int_t ngx_http_artifact_standin_read(
    ngx_http_artifact_standins_t *st, ngx_http_artifact_standin_t *item,
    size_t *n);
static ngx_int_t ngx_http_artifact_standin_publish(
    ngx_http_artifact_standins_t *st, ngx_http_artifact_standin_t *item);
static ngx_int_t ngx_http_artifact_standin_file(
    ngx_http_artifact_standins_t *st, size_t *n);
static ngx_int_t ngx_http_artifact_standin_text(
    ngx_http_artifact_standins_t *st, size_t *n);
static ngx_int_t ngx_http_artifact_standin_feed(
    ngx_http_artifact_standins_t *st, const u_char *p, size_t len);
static int ngx_http_artifact_standin_sink(void *data, const uint8_t *p,
    size_t len);
static unsigned ngx_http_artifact_standin_digits(const u_char *p, size_t len);
static size_t ngx_http_artifact_standin_decode(
    ngx_http_artifact_standins_t *st, ngx_http_artifact_standin_t *item,
    const u_char *p, size_t len);


ngx_int_t
ngx_http_artifact_store_create(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_standins_t **values)
{
    ngx_http_artifact_standins_t  *st;

    st = ngx_pcalloc(ex->request->pool, sizeof(ngx_http_artifact_standins_t));
    if (st == NULL) {
        return NGX_ERROR;
    }

    st->expand = ex;

    ngx_artifact_write_init(&st->job);

    *values = st;

    return NGX_OK;
}


void
ngx_http_artifact_store_close(ngx_http_artifact_standins_t *st)
{
    ngx_pool_t  *pool;

    if (st == NULL) {
        return;
    }

    ngx_artifact_write_close(&st->job);

    /* nginx has taken the pool away when it is destroyed */

    pool = st->expand->request->pool;

    if (st->out && pool) {
        (void) ngx_pfree(pool, st->out);
        st->out = NULL;
    }
}


ngx_int_t
ngx_http_artifact_standins_open(ngx_http_artifact_standins_t *st)
{
    ngx_int_t                         rc;
    ngx_http_request_t               *r;
    ngx_http_artifact_ctx_t          *ctx;
    ngx_http_artifact_expand_conf_t  *elcf;

    r = st->expand->request;
    elcf = st->expand->directives;

    ctx = ngx_http_artifact_get_ctx(r);
    if (ctx == NULL) {
        return NGX_ERROR;
    }

    rc = ngx_http_artifact_root(r, ctx, &st->root);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    st->rootless = (rc == NGX_DECLINED);

    if (elcf->scope
        && ngx_http_complex_value(r, elcf->scope, &st->scope) != NGX_OK)
    {
        return NGX_ERROR;
    }

    st->in = st->expand->buf;
    st->out = ngx_palloc(r->pool, NGX_HTTP_ARTIFACT_EXPAND_ROOM);

    if (st->out == NULL) {
        return NGX_ERROR;
    }

    if (st->expand->renderings == NULL
        && ngx_http_artifact_spool_end(&st->expand->rendered,
                                       &st->expand->renderings)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    st->most = ngx_http_artifact_task_pool(r) ? NGX_HTTP_ARTIFACT_STANDIN_MOST
                                              : NGX_ARTIFACT_TURN;
    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_standins_work(ngx_http_artifact_standins_t *st,
    ngx_http_artifact_standin_t *item)
{
    ngx_http_request_t  *r;

    r = st->expand->request;

    if (st->posted && r->aio) {
        return NGX_AGAIN;
    }

    st->posted = 0;

    if (st->step == NGX_HTTP_ARTIFACT_STANDIN_DONE) {
        st->step = NGX_HTTP_ARTIFACT_STANDIN_BEGIN;
        return NGX_OK;
    }

    if (ngx_http_artifact_turn_is_over(&st->expand->turn)) {
        return NGX_BUSY;
    }

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact store: value %uD of %uD, step %d",
                   st->next, st->nitems, st->step);

    if (ngx_http_artifact_request_task(r, &st->task,
                                       ngx_http_artifact_standin_run, st)
        == NGX_AGAIN)
    {
        st->posted = 1;
        return NGX_AGAIN;
    }

    if (st->step == NGX_HTTP_ARTIFACT_STANDIN_DONE) {
        st->step = NGX_HTTP_ARTIFACT_STANDIN_BEGIN;
        return NGX_OK;
    }

    return NGX_BUSY;
}


void
ngx_http_artifact_standins_stored(ngx_http_artifact_standins_t *st,
    ngx_http_artifact_standin_t *item)
{
    ngx_http_request_t        *r;
    ngx_artifact_write_job_t  *job;

    job = &st->job;
    r = st->expand->request;

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact store: \"%s\", %uL bytes, same:%d, "
                   "compared:%d",
                   job->id, item->size, job->same, job->compared);

    /* it may have been deleted or expired, and known to be missing */

    if (job->published || job->extended) {
        (void) ngx_atomic_fetch_add(ngx_http_artifact_generation(r,
                                                      art_cstr(job->id)), 1);
    }

    (void) ngx_artifact_sweep(job->root, ngx_http_artifact_task_pool(r));

    if (job->expires) {
        ngx_artifact_expire(job->root, ngx_http_artifact_task_pool(r), 0);
    }

    st->count++;
    st->bytes += item->size;
}


/* Each step leads to another one; what has failed is over. */

static void
ngx_http_artifact_standin_run(void *data, ngx_log_t *log)
{
    ngx_http_artifact_standins_t *st = data;

    uint64_t                      until;
    ngx_int_t                     rc;
    ngx_http_artifact_standin_t  *item;

    st->job.log = log;

    item = &st->items[st->next];
    until = ngx_artifact_ticks() + st->most * 1000;

    do {
        switch (st->step) {

        case NGX_HTTP_ARTIFACT_STANDIN_BEGIN:
            rc = ngx_http_artifact_standin_begin(st, item);
            break;

        case NGX_HTTP_ARTIFACT_STANDIN_HASH:
            rc = ngx_http_artifact_standin_hash(st, item);
            break;

        case NGX_HTTP_ARTIFACT_STANDIN_LOOK:
            rc = ngx_http_artifact_standin_look(st, item);
            break;

        default:  /* NGX_HTTP_ARTIFACT_STANDIN_WRITE */
            rc = ngx_http_artifact_standin_write(st, item);
        }

        if (rc != NGX_OK) {
            ngx_artifact_write_close(&st->job);
            st->step = NGX_HTTP_ARTIFACT_STANDIN_DONE;
        }

    } while (st->step != NGX_HTTP_ARTIFACT_STANDIN_DONE
             && ngx_artifact_ticks() < until);
}


static ngx_int_t
ngx_http_artifact_standin_begin(ngx_http_artifact_standins_t *st,
    ngx_http_artifact_standin_t *item)
{
    size_t                     n;
    ngx_http_artifact_part_t  *part;

    ngx_http_artifact_standin_job(st, item);
    st->part = NULL;

    /* what was rendered is in the store */

    if (item->text && item->rendered) {
        ngx_http_artifact_standin_start(st, item);
        st->step = NGX_HTTP_ARTIFACT_STANDIN_HASH;

        return NGX_OK;
    }

    if (st->rootless) {
        return ngx_artifact_write_fail(&st->job, ART_ERR_WRITE,
                                       "no artifact_root");
    }

    if (ngx_http_artifact_standin_prefix(st, item) != NGX_OK) {
        return NGX_ERROR;
    }

    part = ngx_http_artifact_known_part(st, item);

    if (part && !part->fresh) {
        return ngx_http_artifact_standin_found(st, item, part);
    }

    st->part = part;

    /* what was read is decoded before that, but for a piece of a text */

    n = item->text ? NGX_HTTP_ARTIFACT_TEXT_PIECE : 0;

    st->job.recent.buf = st->in + n;
    st->job.recent.room = NGX_HTTP_ARTIFACT_EXPAND_ROOM - n;

    return ngx_http_artifact_standin_open(st, item);
}


/* As it came in, the value was compared with what is stored. */

static ngx_int_t
ngx_http_artifact_standin_found(ngx_http_artifact_standins_t *st,
    ngx_http_artifact_standin_t *item, const ngx_http_artifact_part_t *part)
{
    ngx_artifact_write_job_t *job = &st->job;

    ngx_memcpy(job->hmac, part->hmac, NGX_ARTIFACT_HMAC);
    ngx_memcpy(job->recent.hmac, part->hmac, NGX_ARTIFACT_HMAC);

    job->size = (off_t) item->size;
    job->summed = 1;
    job->recent.found = 1;
    job->recent.size = job->size;
    job->recent.pos = job->size;

    st->step = NGX_HTTP_ARTIFACT_STANDIN_LOOK;

    return ngx_artifact_content_open(job);
}


static ngx_int_t
ngx_http_artifact_standin_open(ngx_http_artifact_standins_t *st,
    ngx_http_artifact_standin_t *item)
{
    if (ngx_artifact_content_open(&st->job) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_artifact_standin_start(st, item);

    st->job.hint = item->span.end - item->span.pos;
    st->step = NGX_HTTP_ARTIFACT_STANDIN_HASH;

    return NGX_OK;
}


/*
 * The beginning of a data URL stays, and so does all of it if it declares
 * something else.  In a text it may have escapes.
 */

static ngx_int_t
ngx_http_artifact_standin_prefix(ngx_http_artifact_standins_t *st,
    ngx_http_artifact_standin_t *item)
{
    u_char                      *p, *comma;
    ssize_t                      n;
    const art_message_slot_t    *slot;
    ngx_http_artifact_expand_t  *ex;

    if (item->text) {
        return NGX_OK;
    }

    ex = st->expand;
    slot = art_scan_slot(ex->scan, item->slot);

    if (slot->held != ART_HELD_RUN) {
        return NGX_OK;
    }

    ngx_http_artifact_body_init(&st->body, ex->body, st->in,
                                NGX_HTTP_ARTIFACT_EXPAND_ROOM);
    ngx_http_artifact_body_skip(&st->body, (off_t) item->span.pos);

    n = ngx_http_artifact_body_read(&st->body, NGX_HTTP_ARTIFACT_STANDIN_HEAD,
                                    &p);

    if (n <= 0) {
        return ngx_artifact_write_fail(&st->job, ART_ERR_WRITE, "read");
    }

    comma = ngx_strlchr(p, p + ngx_min((uint64_t) n, item->span.end
                                                     - item->span.pos), ',');

    if ((p[0] | 0x20) != 'd' || comma == NULL) {
        return NGX_OK;
    }

    item->span.pos += (uint64_t) (comma + 1 - p);
    item->denied = !item->forged
                   && ngx_http_artifact_standin_denies(item->kind, p, comma);

    return item->denied ? NGX_ERROR : NGX_OK;
}


/* "data:", a type, perhaps parameters, and ";base64". */

static ngx_uint_t
ngx_http_artifact_standin_denies(art_standin_t kind, const u_char *p,
    const u_char *comma)
{
    size_t            n;
    uint8_t           text[ART_FIND_PREFIX];
    art_str_t         declared;
    art_media_type_t  type;

    n = 0;

    for (p += sizeof("data:") - 1; p < comma && n < sizeof(text); p++) {

        if (*p == ';') {
            break;
        }

        if (*p != '\\') {
            text[n++] = *p;
        }
    }

    declared = art_str(text, n);

    if (n == 0 || art_str_is(declared, "image/jpg")) {
        return n > 0;
    }

    art_media_parse(declared, &type);

    return type.len > 0
           && !art_str_eq(art_str(type.buf, type.len), art_standin_mime(kind));
}


/* A job for a value, which has opened nothing. */

static void
ngx_http_artifact_standin_job(ngx_http_artifact_standins_t *st,
    ngx_http_artifact_standin_t *item)
{
    ngx_log_t                       *log;
    ngx_artifact_write_job_t        *job;
    ngx_http_artifact_write_conf_t  *conf;

    job = &st->job;
    log = job->log;
    conf = ngx_http_artifact_conf_of(st->expand->conf,
                                     ngx_http_artifact_write_module);

    ngx_memzero(job, sizeof(ngx_artifact_write_job_t));
    ngx_artifact_write_init(job);

    job->log = log;
    job->root = ngx_artifact_str(&st->root);
    job->layout = ngx_http_artifact_layout(st->expand->conf);
    job->sync = conf->sync & 1;
    job->lifetime = (uint64_t) conf->expires * 1000;
    job->artifact = 1;
    job->by_content = 1;
    ngx_artifact_uuid(job->id);

    if (item->text) {
        job->text = 1;
        job->agent = st->agent;
        job->message = st->message;
        job->mime = art_cstr("text/plain");
        job->kind = job->mime;
        job->extension_len = art_ref_name_extension(art_str(NULL, 0),
                                                    job->mime,
                                                    job->extension).len;
        return;
    }

    /* without an extension, no other name leads past the metadata */

    job->standin = 1;
    job->scope = ngx_artifact_str(&st->scope);
    job->mime = art_standin_mime(item->kind);
    job->kind = job->mime;
}


/* Begins to read the value. */

static void
ngx_http_artifact_standin_start(ngx_http_artifact_standins_t *st,
    ngx_http_artifact_standin_t *item)
{
    size_t                       n;
    u_char                       none[1];
    ngx_chain_t                 *from;
    const uint8_t               *p;
    const art_message_slot_t    *slot;
    ngx_http_artifact_expand_t  *ex;

    ex = st->expand;

    if (st->part) {
        st->pos = 0;
        st->end = item->size;
        return;
    }

    st->pos = item->span.pos;
    st->end = item->span.end;

    from = item->rendered ? ex->renderings : ex->body;

    if (item->text) {
        ngx_http_artifact_body_init(&st->body, from, st->in,
                                    NGX_HTTP_ARTIFACT_TEXT_PIECE);
        ngx_http_artifact_body_skip(&st->body, (off_t) st->pos);

        art_excerpt_init(&st->excerpt, st->limits.head, st->limits.tail,
                         st->ends, ngx_http_artifact_standin_sink, st);
        st->inner_next = 0;
        st->nout = 0;

        return;
    }

    slot = art_scan_slot(ex->scan, item->slot);

    if (slot->held == ART_HELD_STANDIN) {
        ngx_http_artifact_standin_print(st, item, slot);
        from = &st->source;
    }

    ngx_http_artifact_body_init(&st->body, from, st->in,
                                NGX_HTTP_ARTIFACT_EXPAND_ROOM);
    ngx_http_artifact_body_skip(&st->body, (off_t) st->pos);

    ngx_memzero(&st->decode, sizeof(art_base64_decode_t));
    ngx_memzero(&st->clean, sizeof(art_find_decode_t));
    st->digits = 0;

    /* base64 alone might look like the beginning of a data URL */

    p = (const uint8_t *) "data:,";
    n = sizeof("data:,") - 1;

    (void) art_find_decode(&st->clean, none, sizeof(none), &p, &n);
}


/*
 * The source of a stand-in that is all of a string, and may have anything in
 * front of it.
 */

static void
ngx_http_artifact_standin_print(ngx_http_artifact_standins_t *st,
    ngx_http_artifact_standin_t *item, const art_message_slot_t *slot)
{
    art_standin_print(item->kind, slot->text.data, st->forged);

    ngx_memzero(&st->buf, sizeof(ngx_buf_t));

    st->buf.pos = st->forged;
    st->buf.last = st->forged + art_standin_len(item->kind);
    st->buf.memory = 1;

    st->source.buf = &st->buf;
    st->source.next = NULL;

    st->pos = 0;
    st->end = art_standin_len(item->kind);
}


static ngx_int_t
ngx_http_artifact_standin_hash(ngx_http_artifact_standins_t *st,
    ngx_http_artifact_standin_t *item)
{
    size_t  n;

    if (ngx_http_artifact_standin_read(st, item, &n) != NGX_OK) {
        return NGX_ERROR;
    }

    if (st->pos == st->end) {
        st->step = NGX_HTTP_ARTIFACT_STANDIN_LOOK;
    }

    return ngx_http_artifact_standin_put(st, n);
}


/* An excerpt of base64 is of no use. */

static ngx_uint_t
ngx_http_artifact_standin_is_long(ngx_http_artifact_standins_t *st)
{
    return st->excerpt.size >= st->limits.size
           && !art_solid_is(&st->excerpt.solid);
}


/*
 * What is not what it seemed to be is hashed by another job, and what is new,
 * and was not written as it was hashed, is written by one: these read it again,
 * but for a text of which all is in st->out.
 */

static ngx_int_t
ngx_http_artifact_standin_look(ngx_http_artifact_standins_t *st,
    ngx_http_artifact_standin_t *item)
{
    u_char     hmac[NGX_ARTIFACT_HMAC];
    ngx_int_t  rc;

    if (item->text && !ngx_http_artifact_standin_is_long(st)) {
        item->denied = 1;
        return NGX_ERROR;
    }

    if (item->text && item->rendered) {
        st->step = NGX_HTTP_ARTIFACT_STANDIN_DONE;
        return NGX_OK;
    }

    if (!item->rendered && !item->text
        && (uint64_t) st->job.size != item->size)
    {
        return ngx_artifact_write_fail(&st->job, ART_ERR_WRITE,
                                       "its length changed");
    }

    item->size = (uint64_t) st->job.size;

    rc = ngx_artifact_content_known(&st->job);

    if (rc == NGX_DECLINED) {
        ngx_http_artifact_standin_job(st, item);
        return ngx_http_artifact_standin_open(st, item);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    if (st->job.same || st->job.published) {
        st->step = NGX_HTTP_ARTIFACT_STANDIN_DONE;
        return NGX_OK;
    }

    ngx_memcpy(hmac, st->job.hmac, NGX_ARTIFACT_HMAC);

    ngx_http_artifact_standin_job(st, item);

    if (!item->text || st->nout < item->size) {
        ngx_http_artifact_standin_start(st, item);
    }

    ngx_memcpy(st->job.hmac, hmac, NGX_ARTIFACT_HMAC);
    st->job.summed = 1;

    st->step = NGX_HTTP_ARTIFACT_STANDIN_WRITE;

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_standin_write(ngx_http_artifact_standins_t *st,
    ngx_http_artifact_standin_t *item)
{
    size_t  n;

    if (st->part) {
        return ngx_http_artifact_standin_publish(st, item);
    }

    n = st->nout;

    if (st->pos < st->end
        && ngx_http_artifact_standin_read(st, item, &n) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (st->pos == st->end) {
        st->step = NGX_HTTP_ARTIFACT_STANDIN_DONE;
    }

    return ngx_http_artifact_standin_append(st, n);
}


/* Takes "n" bytes of a value that is hashed or written. */

static ngx_int_t
ngx_http_artifact_standin_put(ngx_http_artifact_standins_t *st, size_t n)
{
    ngx_int_t                     rc;
    ngx_artifact_write_job_t     *job;
    ngx_http_artifact_standin_t  *item;

    job = &st->job;
    item = &st->items[st->next];

    if (st->step == NGX_HTTP_ARTIFACT_STANDIN_WRITE) {
        return ngx_http_artifact_standin_append(st, n);
    }

    rc = NGX_OK;

    if (!item->text) {
        rc = ngx_artifact_content_add(job, st->out, n);

    } else if (!item->rendered) {

        /* one that fits, or of which two begin alike, is more often known */

        if (job->size == 0) {
            job->saves = st->step == NGX_HTTP_ARTIFACT_STANDIN_HASH
                         && job->recent.buf != NULL
                         && !art_solid_may_be(&st->excerpt.solid);
        }

        rc = ngx_artifact_content_add(job, st->out, n);
    }

    job->size += (off_t) n;

    return rc;
}


static ngx_int_t
ngx_http_artifact_standin_append(ngx_http_artifact_standins_t *st, size_t n)
{
    ngx_artifact_write_job_t  *job;

    job = &st->job;

    ngx_memzero(&st->content, sizeof(ngx_buf_t));

    st->content.pos = st->out;
    st->content.last = st->out + n;
    st->content.memory = 1;

    st->chain.buf = &st->content;
    st->chain.next = NULL;

    job->in = &st->chain;
    job->last = st->step == NGX_HTTP_ARTIFACT_STANDIN_DONE;
    job->length = (off_t) st->items[st->next].size;

    ngx_artifact_write_step(job, job->log);

    return job->error == ART_ERR_MAX ? NGX_OK : NGX_ERROR;
}


/* What came in was written already. */

static ngx_int_t
ngx_http_artifact_standin_publish(ngx_http_artifact_standins_t *st,
    ngx_http_artifact_standin_t *item)
{
    ngx_artifact_write_job_t *job = &st->job;

    if (ngx_artifact_content_open(job) != NGX_OK) {
        return NGX_ERROR;
    }

    /* the body may have to be made whole from this file yet */

    job->temp.fd = fcntl(st->part->temp.fd, F_DUPFD_CLOEXEC, 0);

    if (job->temp.fd == NGX_INVALID_FILE) {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "fcntl");
    }

    ngx_memcpy(job->temp.name, st->part->temp.name, sizeof(job->temp.name));

    job->size = (off_t) item->size;
    job->length = job->size;
    job->last = 1;

    st->step = NGX_HTTP_ARTIFACT_STANDIN_DONE;

    ngx_artifact_write_step(job, job->log);

    return job->error == ART_ERR_MAX ? NGX_OK : NGX_ERROR;
}


/*
 * Decodes some more of the value into st->out: *n bytes that are to be taken.
 * Those of a text are taken once there is no more room, or all are there.
 */

static ngx_int_t
ngx_http_artifact_standin_read(ngx_http_artifact_standins_t *st,
    ngx_http_artifact_standin_t *item, size_t *n)
{
    u_char   *p;
    ssize_t   read;

    *n = 0;

    if (item->text) {
        return ngx_http_artifact_standin_text(st, n);
    }

    if (st->part) {
        return ngx_http_artifact_standin_file(st, n);
    }

    read = ngx_http_artifact_body_read(&st->body,
                                       (size_t) ngx_min(st->end - st->pos,
                                              NGX_HTTP_ARTIFACT_EXPAND_ROOM
                                              - ART_FIND_LAG),
                                       &p);
    if (read <= 0) {
        return ngx_artifact_write_fail(&st->job, ART_ERR_WRITE, "read");
    }

    st->pos += (uint64_t) read;

    if (!item->plain && !item->rendered && !item->forged) {
        st->digits |= ngx_http_artifact_standin_digits(p, (size_t) read);
    }

    if (st->digits == NGX_HTTP_ARTIFACT_STANDIN_BOTH) {
        return ngx_artifact_write_fail(&st->job, ART_ERR_BODY,
                                       "it is of two alphabets");
    }

    *n = ngx_http_artifact_standin_decode(st, item, p, (size_t) read);

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_standin_file(ngx_http_artifact_standins_t *st, size_t *n)
{
    size_t   size;
    ssize_t  read;

    size = (size_t) ngx_min(st->end - st->pos, NGX_HTTP_ARTIFACT_EXPAND_ROOM);

    read = ngx_artifact_read_all(st->part->temp.fd, st->out, size,
                                 (off_t) st->pos);

    if (read != (ssize_t) size) {
        return ngx_artifact_write_fail(&st->job, read == NGX_ERROR
                                                 ? ART_ERR_MAX : ART_ERR_WRITE,
                                       "read");
    }

    st->pos += size;
    *n = size;

    return NGX_OK;
}


/* Reads some more of a text, up to what replaces a medium in it, or that. */

static ngx_int_t
ngx_http_artifact_standin_text(ngx_http_artifact_standins_t *st, size_t *n)
{
    u_char           *p;
    ssize_t           read;
    uint64_t          end;
    ngx_int_t         rc;
    art_splice_op_t  *op;

    op = st->inner_next < st->ninner ? &st->inner[st->inner_next] : NULL;

    if (op && op->pos == st->pos) {
        st->pos += op->skip;
        st->inner_next++;

        ngx_http_artifact_body_skip(&st->body, (off_t) st->pos);
        rc = ngx_http_artifact_standin_feed(st, op->text.data, op->text.len);

    } else {
        end = op ? op->pos : st->end;

        read = ngx_http_artifact_body_read(&st->body,
                                  (size_t) ngx_min(end - st->pos,
                                               NGX_HTTP_ARTIFACT_TEXT_PIECE),
                                  &p);
        if (read <= 0) {
            return ngx_artifact_write_fail(&st->job, ART_ERR_WRITE, "read");
        }

        st->pos += (uint64_t) read;
        rc = ngx_http_artifact_standin_feed(st, p, (size_t) read);
    }

    if (rc != NGX_OK || st->pos < st->end) {
        return rc;
    }

    if (art_excerpt_end(&st->excerpt) != ART_OK) {
        return NGX_ERROR;
    }

    *n = st->nout;

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_standin_feed(ngx_http_artifact_standins_t *st,
    const u_char *p, size_t len)
{
    size_t  n;

    for ( /* void */ ; len > 0; len -= n, p += n) {
        n = ngx_min(len, ART_EXCERPT_STEP);

        if (art_excerpt_feed(&st->excerpt, p, n) != ART_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* Fails if what was taken has failed. */

static int
ngx_http_artifact_standin_sink(void *data, const uint8_t *p, size_t len)
{
    ngx_http_artifact_standins_t *st = data;

    size_t  n;

    n = NGX_HTTP_ARTIFACT_EXPAND_ROOM - st->nout;

    if (len > n) {
        ngx_memcpy(st->out + st->nout, p, n);

        if (ngx_http_artifact_standin_put(st, NGX_HTTP_ARTIFACT_EXPAND_ROOM)
            != NGX_OK)
        {
            return ART_ERROR;
        }

        st->nout = 0;
        p += n;
        len -= n;
    }

    ngx_memcpy(st->out + st->nout, p, len);
    st->nout += len;

    return ART_OK;
}


/* Whose alphabet it is (RFC 4648): the bits of the standard and of URLs. */

static unsigned
ngx_http_artifact_standin_digits(const u_char *p, size_t len)
{
    unsigned  digits;

    digits = 0;

    if (memchr(p, '+', len) || memchr(p, '/', len)) {
        digits |= 1;
    }

    if (memchr(p, '-', len) || memchr(p, '_', len)) {
        digits |= 2;
    }

    return digits;
}


static size_t
ngx_http_artifact_standin_decode(ngx_http_artifact_standins_t *st,
    ngx_http_artifact_standin_t *item, const u_char *p, size_t len)
{
    size_t         n;
    ngx_uint_t     last;
    const uint8_t *src;

    last = st->pos == st->end;

    if (item->plain || item->rendered) {
        n = art_base64_decode(&st->decode, st->out, p, len);

        return last ? n + art_base64_decode_end(&st->decode, st->out + n) : n;
    }

    src = p;
    n = art_find_decode(&st->clean, st->out, NGX_HTTP_ARTIFACT_EXPAND_ROOM,
                        &src, &len);

    return last ? n + art_find_decode_end(&st->clean, item->size, st->out + n)
                : n;
}
