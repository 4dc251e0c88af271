
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The stage of a model's answer that writes base64 to the store, as is done
 * with the body of a POST: decoded, piece by piece into a file, in threads if
 * there are any, and published with the last piece.  Until then the original
 * value is kept, since it is sent as it came if it cannot be stored.
 */


#include "http/base/ngx_http_artifact_context.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/source/ngx_http_artifact_classify.h"
#include "http/compose/ngx_http_artifact_spool.h"
#include "http/expand/ngx_http_artifact_expand.h"
#include "http/response/ngx_http_artifact_response.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/disk/ngx_artifact_task.h"
#include "store/upkeep/ngx_artifact_sweep.h"
#include "store/write/ngx_artifact_write.h"
#include "core/json/art_json_escape.h"
#include "core/media/art_classify.h"
#include "core/media/art_sniff.h"
#include "core/meta/art_meta.h"
#include "core/offload/art_offload.h"
#include "core/ref/art_ref_file.h"


#define NGX_HTTP_ARTIFACT_OFFLOAD_SLICE    8192      /* read at once */
#define NGX_HTTP_ARTIFACT_OFFLOAD_CONTENT  32768     /* written at once */
#define NGX_HTTP_ARTIFACT_OFFLOAD_OUT      16384     /* given at once */


/*
 *     READ --> WRITE or PUBLISH --> RUNNING --> WRITTEN --> READ
 *     READ or WRITTEN --> REPLAY --> READ    if a value is not stored
 *
 * Without threads nothing is ever RUNNING.
 */

typedef enum {
    NGX_HTTP_ARTIFACT_OFFLOAD_READ = 0,
    NGX_HTTP_ARTIFACT_OFFLOAD_WRITE,      /* content of a value */
    NGX_HTTP_ARTIFACT_OFFLOAD_PUBLISH,    /* the rest of it: it is complete */
    NGX_HTTP_ARTIFACT_OFFLOAD_RUNNING,    /* a thread does that */
    NGX_HTTP_ARTIFACT_OFFLOAD_WRITTEN,    /* the result is in "job" */
    NGX_HTTP_ARTIFACT_OFFLOAD_REPLAY      /* the value is sent as it came */
} ngx_http_artifact_offload_state_e;


typedef struct {
    ngx_http_request_t                 *request;
    ngx_http_artifact_loc_conf_t       *conf;
    ngx_http_artifact_turn_t            turn;
    ngx_http_artifact_offload_state_e   state;

    art_offload_t                       off;
    ngx_http_artifact_piece_t           in;      /* the part not read yet */
    ngx_buf_t                          *out;

    /* the value as it came; what the spool could not take is in "rest" */

    ngx_http_artifact_spool_t           raw;
    ngx_buf_t                          *rest;
    ngx_buf_t                          *rest_buf;
    off_t                               replayed;

    /* the decoded value; "job" is valid if "begun" is set */

    ngx_str_t                           root;
    ngx_buf_t                          *content;
    ngx_chain_t                         content_chain;
    off_t                               size;
    art_evidence_t                      evidence;
    ngx_artifact_write_job_t            job;
    ngx_artifact_task_t                 task;
    unsigned                            begun:1;
} ngx_http_artifact_offload_t;


static void ngx_http_artifact_offload_feed(void *data,
    ngx_http_artifact_piece_t *piece);
static ngx_int_t ngx_http_artifact_offload_next(void *data, art_str_t *bytes);
static ngx_int_t ngx_http_artifact_offload_read(
    ngx_http_artifact_offload_t *ctx);
static ngx_int_t ngx_http_artifact_offload_decide(
    ngx_http_artifact_offload_t *ctx, art_offload_status_t status);
static ngx_int_t ngx_http_artifact_offload_leave(
    ngx_http_artifact_offload_t *ctx);
static ngx_int_t ngx_http_artifact_offload_replay(
    ngx_http_artifact_offload_t *ctx, art_str_t *bytes);
static int ngx_http_artifact_offload_out(void *data, const uint8_t *p,
    size_t len);
static int ngx_http_artifact_offload_raw(void *data, const uint8_t *p,
    size_t len);
static int ngx_http_artifact_offload_content(void *data, const uint8_t *p,
    size_t len);
static u_char *ngx_http_artifact_offload_room(
    ngx_http_artifact_offload_t *ctx, size_t len);
static void ngx_http_artifact_offload_forget(ngx_http_artifact_offload_t *ctx);
static ngx_int_t ngx_http_artifact_offload_write(
    ngx_http_artifact_offload_t *ctx);
static void ngx_http_artifact_offload_done(void *owner);
static ngx_int_t ngx_http_artifact_offload_written(
    ngx_http_artifact_offload_t *ctx);
static ngx_int_t ngx_http_artifact_offload_begin(
    ngx_http_artifact_offload_t *ctx);
static void ngx_http_artifact_offload_sniff(ngx_http_artifact_offload_t *ctx);
static ngx_int_t ngx_http_artifact_offload_type(
    ngx_http_artifact_offload_t *ctx);
static ngx_int_t ngx_http_artifact_offload_made(
    ngx_http_artifact_offload_t *ctx, art_offload_made_t *made);
static ngx_int_t ngx_http_artifact_offload_string(ngx_pool_t *pool,
    art_str_t a, art_str_t b, art_str_t *json);
static void ngx_http_artifact_offload_close(void *data);


const art_api_t *
ngx_http_artifact_offload_api(ngx_http_request_t *r)
{
    ngx_str_t                      format;
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    if (!alcf->offload || r != r->main
        || alcf->route != NGX_HTTP_ARTIFACT_ROUTE_OFF)
    {
        return NULL;
    }

    ngx_str_null(&format);

    if (alcf->format
        && ngx_http_complex_value(r, alcf->format, &format) != NGX_OK)
    {
        return NULL;
    }

    return art_api_of_base64(ngx_http_artifact_request_path(r),
                             ngx_artifact_str(&format));
}


ngx_int_t
ngx_http_artifact_offload_create(ngx_http_request_t *r,
    const art_api_t *api, ngx_uint_t events,
    ngx_http_artifact_resume_pt resume, ngx_http_artifact_stage_t *stage)
{
    art_offload_sink_t            sink;
    ngx_pool_cleanup_t           *cln;
    ngx_http_artifact_offload_t  *ctx;

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_artifact_offload_t));
    if (cln == NULL) {
        return NGX_ERROR;
    }

    ctx = cln->data;
    ngx_memzero(ctx, sizeof(ngx_http_artifact_offload_t));

    ctx->request = r;
    ctx->conf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    if (ngx_http_artifact_turn_init(&ctx->turn, r) != NGX_OK) {
        return NGX_ERROR;
    }

    ctx->turn.resume = resume;

    ngx_http_artifact_spool_init(&ctx->raw, r);

    sink.out = ngx_http_artifact_offload_out;
    sink.raw = ngx_http_artifact_offload_raw;
    sink.content = ngx_http_artifact_offload_content;
    sink.data = ctx;

    art_offload_init(&ctx->off, api, (unsigned) events,
                     (uint64_t) ctx->conf->offload_min, &sink);

    cln->handler = ngx_http_artifact_offload_close;

    stage->feed = ngx_http_artifact_offload_feed;
    stage->next = ngx_http_artifact_offload_next;
    stage->data = ctx;

    return NGX_OK;
}


static void
ngx_http_artifact_offload_feed(void *data, ngx_http_artifact_piece_t *piece)
{
    ngx_http_artifact_offload_t *ctx = data;

    ctx->in = *piece;
}


/* Sets *bytes to what is in the buffer, or in the spool during a replay. */

static ngx_int_t
ngx_http_artifact_offload_next(void *data, art_str_t *bytes)
{
    ngx_http_artifact_offload_t *ctx = data;

    ngx_int_t   rc;
    ngx_buf_t  *out;

    bytes->len = 0;

    if (ctx->out) {
        ctx->out->last = ctx->out->pos;
    }

    do {
        switch (ctx->state) {

        case NGX_HTTP_ARTIFACT_OFFLOAD_READ:
            rc = ngx_http_artifact_offload_read(ctx);
            break;

        case NGX_HTTP_ARTIFACT_OFFLOAD_RUNNING:
            return NGX_AGAIN;

        case NGX_HTTP_ARTIFACT_OFFLOAD_WRITTEN:
            rc = ngx_http_artifact_offload_written(ctx);
            break;

        case NGX_HTTP_ARTIFACT_OFFLOAD_REPLAY:
            rc = ngx_http_artifact_offload_replay(ctx, bytes);
            break;

        default:  /* WRITE, PUBLISH */
            rc = ngx_http_artifact_offload_write(ctx);
        }

        out = ctx->out;

        if (out && out->last > out->pos) {
            *bytes = art_str(out->pos, (size_t) (out->last - out->pos));
        }

    } while (rc == NGX_OK && bytes->len == 0);

    return rc;
}


static ngx_int_t
ngx_http_artifact_offload_read(ngx_http_artifact_offload_t *ctx)
{
    size_t                 n;
    art_str_t             *in;
    art_offload_status_t   status;

    in = &ctx->in.bytes;

    if (in->len > 0) {

        /* a value gives no output, so no full socket ends this loop */

        if (ngx_http_artifact_turn_is_over(&ctx->turn)) {
            ngx_http_artifact_turn_end(&ctx->turn, ctx->request);
            return NGX_AGAIN;
        }

        n = ngx_min(in->len, NGX_HTTP_ARTIFACT_OFFLOAD_SLICE);
        status = art_offload_feed(&ctx->off, in->data, n, &n);

        in->data += n;
        in->len -= n;

        return ngx_http_artifact_offload_decide(ctx, status);
    }

    if (!ctx->in.last) {
        return NGX_DECLINED;
    }

    /* once more if the answer ends within a value, after that was replayed */

    status = art_offload_end(&ctx->off);
    ctx->in.last = (status == ART_OFFLOAD_NONE);

    return status == ART_OFFLOAD_NONE ? ngx_http_artifact_offload_leave(ctx)
           : status == ART_OFFLOAD_FAILED ? NGX_ERROR : NGX_OK;
}


/* Decides about a value after some of it, or all of it, has been read. */

static ngx_int_t
ngx_http_artifact_offload_decide(ngx_http_artifact_offload_t *ctx,
    art_offload_status_t status)
{
    ngx_buf_t  *content;

    if (status == ART_OFFLOAD_FAILED) {
        return NGX_ERROR;
    }

    if (status == ART_OFFLOAD_NONE && art_offload_is_unsound(&ctx->off)) {
        ngx_log_error(NGX_LOG_WARN, ctx->request->connection->log, 0,
                      "apparent base64 in the answer is not sound, "
                      "it is left as it is");
    }

    if (status == ART_OFFLOAD_NONE || ctx->rest) {
        return ngx_http_artifact_offload_leave(ctx);
    }

    content = ctx->content;

    if (status == ART_OFFLOAD_OVER) {
        ctx->state = NGX_HTTP_ARTIFACT_OFFLOAD_PUBLISH;

    } else if (content && content->end - content->last
                          < NGX_HTTP_ARTIFACT_OFFLOAD_SLICE)
    {
        ctx->state = NGX_HTTP_ARTIFACT_OFFLOAD_WRITE;
    }

    return NGX_OK;
}


/* Sends the value as it came. */

static ngx_int_t
ngx_http_artifact_offload_leave(ngx_http_artifact_offload_t *ctx)
{
    const char                *action;
    ngx_artifact_write_job_t  *job;

    job = &ctx->job;
    action = ctx->rest ? NULL : job->action;

    if (ctx->rest || (ctx->begun && job->error != ART_ERR_MAX)) {
        ngx_http_artifact_count_one(ART_COUNT_OFFLOADED, ART_COUNT_NOT_STORED);

        ngx_log_error(NGX_LOG_WARN, ctx->request->connection->log,
                      ctx->rest ? 0 : job->err,
                      "base64 in the answer was not stored, "
                      "it is left as it is%s%s%s",
                      action ? ": " : "", action ? action : "",
                      action ? ngx_http_artifact_job_path(ctx->request, job)
                             : (u_char *) "");
    }

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, ctx->request->connection->log, 0,
                   "http artifact offload: %O bytes left as they came",
                   ctx->raw.size);

    ngx_http_artifact_offload_close(ctx);
    ctx->state = NGX_HTTP_ARTIFACT_OFFLOAD_REPLAY;

    return art_offload_left(&ctx->off) == ART_OK ? NGX_OK : NGX_ERROR;
}


/* Gives some of the value: from the spool's file or buffer, or the rest. */

static ngx_int_t
ngx_http_artifact_offload_replay(ngx_http_artifact_offload_t *ctx,
    art_str_t *bytes)
{
    off_t                       pos, size;
    u_char                     *p;
    ssize_t                     n;
    ngx_http_artifact_spool_t  *raw;

    raw = &ctx->raw;
    pos = ctx->replayed;
    size = raw->file ? raw->file->offset : 0;

    if (pos < size) {
        n = (ssize_t) ngx_min(size - pos,
                              (off_t) NGX_HTTP_ARTIFACT_OFFLOAD_OUT);

        p = ngx_http_artifact_offload_room(ctx, (size_t) n);
        if (p == NULL) {
            return NGX_ERROR;
        }

        n = ngx_read_file(&raw->file->file, p, (size_t) n, pos);

        if (n <= 0) {
            return NGX_ERROR;
        }

        *bytes = art_str(p, (size_t) n);

    } else if (pos < size + (off_t) raw->len) {
        *bytes = art_str(raw->buf, raw->len);

    } else if (ctx->rest && ctx->rest->pos < ctx->rest->last) {
        *bytes = art_str(ctx->rest->pos,
                         (size_t) (ctx->rest->last - ctx->rest->pos));
        ctx->rest->pos = ctx->rest->last;

    } else {
        ngx_http_artifact_offload_forget(ctx);
        ctx->state = NGX_HTTP_ARTIFACT_OFFLOAD_READ;
    }

    ctx->replayed += (off_t) bytes->len;

    return NGX_OK;
}


/* The sinks of the decoder: ART_ERROR when out of memory. */

static int
ngx_http_artifact_offload_out(void *data, const uint8_t *p, size_t len)
{
    ngx_http_artifact_offload_t *ctx = data;

    u_char  *last;

    last = ngx_http_artifact_offload_room(ctx, len);
    if (last == NULL) {
        return ART_ERROR;
    }

    ctx->out->last = ngx_cpymem(last, p, len);

    return ART_OK;
}


/*
 * If the spool cannot be written (the disk is full), what it could not take, at
 * most one slice and what was held before it, stays in memory: the value is
 * sent as it came.
 */

static int
ngx_http_artifact_offload_raw(void *data, const uint8_t *p, size_t len)
{
    ngx_http_artifact_offload_t *ctx = data;

    if (ctx->rest == NULL) {

        if (ngx_http_artifact_spool_put(&ctx->raw, p, len) == NGX_OK) {
            return ART_OK;
        }

        if (ctx->rest_buf == NULL) {
            ctx->rest_buf = ngx_create_temp_buf(ctx->request->pool,
                                                NGX_HTTP_ARTIFACT_OFFLOAD_SLICE
                                                + ART_OFFLOAD_HELD);
        }

        ctx->rest = ctx->rest_buf;
    }

    if (ctx->rest == NULL
        || len > (size_t) (ctx->rest->end - ctx->rest->last))
    {
        return ART_ERROR;
    }

    ctx->rest->last = ngx_cpymem(ctx->rest->last, p, len);

    return ART_OK;
}


static int
ngx_http_artifact_offload_content(void *data, const uint8_t *p, size_t len)
{
    ngx_http_artifact_offload_t *ctx = data;

    if (ctx->content == NULL) {
        ctx->content = ngx_create_temp_buf(ctx->request->pool,
                                           NGX_HTTP_ARTIFACT_OFFLOAD_CONTENT);
    }

    /* a slice is never larger than the free space */

    if (ctx->content == NULL
        || len > (size_t) (ctx->content->end - ctx->content->last))
    {
        return ART_ERROR;
    }

    ctx->content->last = ngx_cpymem(ctx->content->last, p, len);
    ctx->size += (off_t) len;

    return ART_OK;
}


/*
 * Free space in the output buffer; a larger buffer is needed only where
 * artifact_url is long.  NULL when out of memory.
 */

static u_char *
ngx_http_artifact_offload_room(ngx_http_artifact_offload_t *ctx, size_t len)
{
    size_t      used;
    ngx_buf_t  *b, *old;

    old = ctx->out;

    if (old && (size_t) (old->end - old->last) >= len) {
        return old->last;
    }

    used = old ? (size_t) (old->last - old->pos) : 0;

    b = ngx_create_temp_buf(ctx->request->pool,
                            ngx_max(2 * used + len,
                                    NGX_HTTP_ARTIFACT_OFFLOAD_OUT));
    if (b == NULL) {
        return NULL;
    }

    if (old) {
        b->last = ngx_cpymem(b->last, old->pos, used);
        (void) ngx_pfree(ctx->request->pool, old->start);
    }

    ctx->out = b;

    return b->last;
}


/* Empties the memory of a value's original bytes for the next value. */

static void
ngx_http_artifact_offload_forget(ngx_http_artifact_offload_t *ctx)
{
    ctx->raw.size = 0;
    ctx->raw.len = 0;

    if (ctx->raw.file) {
        ctx->raw.file->offset = 0;
    }

    if (ctx->rest) {
        ctx->rest->pos = ctx->rest->start;
        ctx->rest->last = ctx->rest->start;
        ctx->rest = NULL;
    }

    ctx->replayed = 0;
}


/*
 * Writes the content so far; if the value is complete, the whole content
 * becomes an artifact.
 */

static ngx_int_t
ngx_http_artifact_offload_write(ngx_http_artifact_offload_t *ctx)
{
    ngx_uint_t                 last;
    ngx_artifact_write_job_t  *job;

    job = &ctx->job;
    last = (ctx->state == NGX_HTTP_ARTIFACT_OFFLOAD_PUBLISH);

    if (!ctx->begun && ngx_http_artifact_offload_begin(ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    ctx->state = NGX_HTTP_ARTIFACT_OFFLOAD_WRITTEN;

    if (job->error != ART_ERR_MAX) {
        return NGX_OK;
    }

    if (last && ngx_http_artifact_offload_type(ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    ctx->content_chain.buf = ctx->content;

    job->in = &ctx->content_chain;
    job->last = last & 1;
    job->length = ctx->size;

    ctx->task.run = ngx_artifact_write_step;
    ctx->task.done = ngx_http_artifact_offload_done;
    ctx->task.data = job;
    ctx->task.owner = ctx;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ctx->request->connection->log, 0,
                   "http artifact offload: %O bytes written, last:%ui",
                   ctx->size, last);

    if (ngx_artifact_task_post(&ctx->task,
                               ngx_http_artifact_task_pool(ctx->request))
        == NGX_OK)
    {
        ctx->state = NGX_HTTP_ARTIFACT_OFFLOAD_RUNNING;
        ctx->request->main->blocked++;

        return NGX_OK;
    }

    ngx_artifact_write_step(job, ctx->request->connection->log);

    return NGX_OK;
}


static void
ngx_http_artifact_offload_done(void *owner)
{
    ngx_http_artifact_offload_t *ctx = owner;

    ngx_connection_t    *c;
    ngx_http_request_t  *r;

    r = ctx->request;
    c = r->connection;

    ngx_http_set_log_request(c->log, r);

    ctx->state = NGX_HTTP_ARTIFACT_OFFLOAD_WRITTEN;
    r->main->blocked--;

    if (c->error) {

        /*
         * if a subrequest has ended the request meanwhile, nginx leaves the
         * rest to that one, which nobody calls any more
         */

        ngx_http_finalize_request(r, NGX_ERROR);

    } else {
        ctx->turn.resume(r);

        r->write_event_handler(r);
    }

    ngx_http_run_posted_requests(c);
}


/* Once the artifact is stored, its reference is sent. */

static ngx_int_t
ngx_http_artifact_offload_written(ngx_http_artifact_offload_t *ctx)
{
    art_offload_made_t  made;

    if (ctx->job.error != ART_ERR_MAX) {
        return ngx_http_artifact_offload_leave(ctx);
    }

    ctx->content->last = ctx->content->pos;
    ctx->state = NGX_HTTP_ARTIFACT_OFFLOAD_READ;

    if (!ctx->job.published) {
        return NGX_OK;
    }

    if (ngx_http_artifact_offload_made(ctx, &made) != NGX_OK
        || art_offload_made(&ctx->off, &made) != ART_OK)
    {
        return NGX_ERROR;
    }

    ngx_http_artifact_count_one(ART_COUNT_OFFLOADED, ART_COUNT_STORED);

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ctx->request->connection->log, 0,
                   "http artifact offload: %O bytes stored as \"%s\"",
                   ctx->job.size, ctx->job.id);

    ngx_http_artifact_offload_close(ctx);
    ngx_http_artifact_offload_forget(ctx);

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_offload_begin(ngx_http_artifact_offload_t *ctx)
{
    ngx_int_t                  rc;
    ngx_http_request_t        *r;
    ngx_http_artifact_ctx_t   *module;
    ngx_artifact_write_job_t  *job;

    r = ctx->request;
    job = &ctx->job;

    ngx_memzero(job, sizeof(ngx_artifact_write_job_t));
    ngx_artifact_write_init(job);

    ctx->begun = 1;
    job->sync = ctx->conf->sync & 1;

    module = ngx_http_artifact_get_ctx(r);
    if (module == NULL) {
        return NGX_ERROR;
    }

    if (ctx->root.len == 0) {
        rc = ngx_http_artifact_root(r, module, &ctx->root);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (rc == NGX_DECLINED) {
            ngx_str_null(&ctx->root);
            (void) ngx_artifact_write_fail(job, ART_ERR_MAX,
                                           "no artifact_root");
            return NGX_OK;
        }
    }

    job->layout = ngx_http_artifact_layout(ctx->conf);
    job->root = ngx_artifact_str(&ctx->root);
    ngx_artifact_uuid(job->id);

    ngx_http_artifact_offload_sniff(ctx);

    if (ngx_http_artifact_id_value(r, ctx->conf->agent, &job->agent)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_artifact_id_value(r, ctx->conf->message_id, &job->message);
}


/* Collects the evidence of the content's first bytes. */

static void
ngx_http_artifact_offload_sniff(ngx_http_artifact_offload_t *ctx)
{
    size_t        len;
    ngx_buf_t    *b;
    art_claims_t  claims;

    b = ctx->content;
    len = (size_t) (b->last - b->pos);

    art_sniff(b->pos, len,
              ctx->state == NGX_HTTP_ARTIFACT_OFFLOAD_PUBLISH, &ctx->evidence);

    ngx_memzero(&claims, sizeof(art_claims_t));
    claims.declared[0] = art_str(ctx->off.declared, ctx->off.declared_len);

    if (art_classify_wants_magic(&claims, &ctx->evidence)) {
        ngx_http_artifact_ask_magic(ctx->request, b->pos,
                                    ngx_min(len, ART_SNIFF_MAX),
                                    &ctx->evidence);
    }
}


/* The type of the content, and with it the extension of the file. */

static ngx_int_t
ngx_http_artifact_offload_type(ngx_http_artifact_offload_t *ctx)
{
    u_char                    *p;
    art_str_t                  mime;
    art_claims_t               claims;
    art_verdict_t              verdict;
    ngx_artifact_write_job_t  *job;

    job = &ctx->job;

    ngx_memzero(&claims, sizeof(art_claims_t));
    claims.declared[0] = art_str(ctx->off.declared, ctx->off.declared_len);

    (void) art_classify(&claims, &ctx->evidence, &verdict);

    /* as declared, with its parameters, unless it is something else */

    mime = verdict.from == ART_FROM_METADATA
           && art_meta_type_valid(claims.declared[0])
           ? claims.declared[0] : art_str(verdict.type.buf, verdict.type.len);

    p = ngx_pnalloc(ctx->request->pool, mime.len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(p, mime.data, mime.len);

    job->mime = art_str(p, mime.len);
    job->extension_len = art_ref_name_extension(art_str(NULL, 0), job->mime,
                                                job->extension).len;
    return NGX_OK;
}


/* The reference to the artifact, its name and its type, as JSON strings. */

static ngx_int_t
ngx_http_artifact_offload_made(ngx_http_artifact_offload_t *ctx,
    art_offload_made_t *made)
{
    art_str_t                  id, extension, prefix;
    ngx_str_t                  url;
    ngx_pool_t                *pool;
    ngx_artifact_write_job_t  *job;

    job = &ctx->job;
    pool = ctx->request->pool;
    id = art_cstr(job->id);

    ngx_artifact_sweep(job->root, ngx_http_artifact_task_pool(ctx->request));

    ngx_str_null(&url);

    if (ctx->conf->url
        && ngx_http_complex_value(ctx->request, ctx->conf->url, &url)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    prefix = url.len ? ngx_artifact_str(&url) : art_cstr("artifact:");

    ngx_memzero(made, sizeof(art_offload_made_t));
    made->size = (uint64_t) job->size;

    extension = art_str(job->extension, job->extension_len);

    if (ngx_http_artifact_offload_string(pool, prefix, id, &made->uri)
        != NGX_OK
        || ngx_http_artifact_offload_string(pool, id, extension, &made->name)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (art_str_eq(job->mime, art_cstr("application/octet-stream"))) {
        return NGX_OK;
    }

    return ngx_http_artifact_offload_string(pool, job->mime, art_cstr(""),
                                            &made->mime);
}


/* Two strings as one JSON string, with its quotes. */

static ngx_int_t
ngx_http_artifact_offload_string(ngx_pool_t *pool, art_str_t a, art_str_t b,
    art_str_t *json)
{
    art_out_t  out;

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_out_char(&out, '"');
        art_json_string(&out, a, 1);
        art_json_string(&out, b, 1);
        art_out_char(&out, '"');
    } while (ngx_http_artifact_print_again(pool, &out));

    *json = art_str(out.data, out.len);

    return out.data ? NGX_OK : NGX_ERROR;
}


/*
 * Ends the work on a value, also at the end of the request: what was written
 * but not published is removed.
 */

static void
ngx_http_artifact_offload_close(void *data)
{
    ngx_http_artifact_offload_t *ctx = data;

    if (ctx->begun) {
        ngx_artifact_write_close(&ctx->job);
    }

    if (ctx->content) {
        ctx->content->last = ctx->content->pos;
    }

    ctx->begun = 0;
    ctx->size = 0;
}
