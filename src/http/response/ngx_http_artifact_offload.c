
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A stage of an answer that replaces values by references to artifacts.  Until
 * one is stored the original value is kept, since it is sent as it came if that
 * fails.
 */


#include "http/base/ngx_http_artifact_context.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/response/ngx_http_artifact_offload_state.h"


#define NGX_HTTP_ARTIFACT_OFFLOAD_CONTENT  32768     /* written at once */
#define NGX_HTTP_ARTIFACT_OFFLOAD_OUT      16384     /* given at once */


static ngx_int_t ngx_http_artifact_offload_next(void *data,
    ngx_http_artifact_piece_t *in, art_str_t *bytes);
static ngx_int_t ngx_http_artifact_offload_read(
    ngx_http_artifact_offload_t *ctx, ngx_http_artifact_piece_t *in);
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
static ngx_int_t ngx_http_artifact_offload_written(
    ngx_http_artifact_offload_t *ctx);
static void ngx_http_artifact_offload_sum(ngx_http_artifact_offload_t *ctx);
static void ngx_http_artifact_offload_count(ngx_http_artifact_offload_t *ctx,
    art_count_offload_t outcome);


ngx_http_artifact_offload_t *
ngx_http_artifact_offload_stage(ngx_http_request_t *r,
    const ngx_http_artifact_offload_values_t *values, size_t rest_max,
    ngx_http_artifact_resume_pt resume, ngx_http_artifact_stage_t *stage)
{
    ngx_pool_cleanup_t           *cln;
    ngx_http_artifact_offload_t  *ctx;

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_artifact_offload_t));
    if (cln == NULL) {
        return NULL;
    }

    ctx = cln->data;
    ngx_memzero(ctx, sizeof(ngx_http_artifact_offload_t));

    ctx->request = r;
    ctx->conf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);
    ctx->values = values;
    ctx->rest_max = rest_max;

    if (ngx_http_artifact_turn_init(&ctx->turn, r) != NGX_OK) {
        return NULL;
    }

    ctx->turn.resume = resume;

    ngx_http_artifact_spool_init(&ctx->raw, r);

    cln->handler = ngx_http_artifact_offload_cleanup;

    stage->next = ngx_http_artifact_offload_next;
    stage->data = ctx;
    stage->waits = (values->idle != NULL);

    return ctx;
}


void
ngx_http_artifact_offload_sinks(ngx_http_artifact_offload_t *ctx,
    art_offload_sink_t *sink)
{
    sink->out = ngx_http_artifact_offload_out;
    sink->raw = ngx_http_artifact_offload_raw;
    sink->content = ngx_http_artifact_offload_content;
    sink->data = ctx;
}


/* Sets *bytes to what is in the buffer, or in the spool during a replay. */

static ngx_int_t
ngx_http_artifact_offload_next(void *data, ngx_http_artifact_piece_t *in,
    art_str_t *bytes)
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
            rc = ngx_http_artifact_offload_read(ctx, in);
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
ngx_http_artifact_offload_read(ngx_http_artifact_offload_t *ctx,
    ngx_http_artifact_piece_t *in)
{
    size_t                n;
    art_offload_status_t  status;

    if (in->idle && ctx->values->idle) {
        ctx->values->idle(ctx);
    }

    if (in->bytes.len > 0
        || (ctx->values->lags && ctx->values->lags(ctx)))
    {
        /* a value gives no output, so no full socket ends this loop */

        if (ngx_http_artifact_turn_is_over(&ctx->turn)) {
            ngx_http_artifact_turn_end(&ctx->turn, ctx->request);
            return NGX_AGAIN;
        }

        n = ngx_min(in->bytes.len, ctx->values->slice);
        status = ctx->values->feed(ctx, in->bytes.data, n, &n);

        in->bytes.data += n;
        in->bytes.len -= n;

        return ngx_http_artifact_offload_decide(ctx, status);
    }

    if (!in->last) {
        return NGX_DECLINED;
    }

    /* once more if the answer ends within a value, after that was replayed */

    status = ctx->values->end(ctx);
    in->last = (status == ART_OFFLOAD_NONE);

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

    if (status == ART_OFFLOAD_NONE && ctx->values->refused) {
        ctx->values->refused(ctx);
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ctx->request->connection->log, 0,
                   "http artifact offload: status %d, state %d",
                   status, ctx->state);

    if (status == ART_OFFLOAD_NONE || ctx->rest) {
        return ngx_http_artifact_offload_leave(ctx);
    }

    content = ctx->content;

    if (status == ART_OFFLOAD_OVER) {
        ctx->state = NGX_HTTP_ARTIFACT_OFFLOAD_PUBLISH;

    } else if (content && (size_t) (content->end - content->last)
                          < ctx->values->content)
    {
        ctx->state = NGX_HTTP_ARTIFACT_OFFLOAD_WRITE;
    }

    return NGX_OK;
}


/* Sends the value as it came. */

static ngx_int_t
ngx_http_artifact_offload_leave(ngx_http_artifact_offload_t *ctx)
{
    size_t                     sent;
    ngx_uint_t                 level;
    ngx_artifact_write_job_t  *job;

    job = &ctx->job;

    if (ctx->rest || (ctx->begun && job->error != ART_ERR_MAX)) {
        ngx_http_artifact_offload_count(ctx, ART_COUNT_NOT_STORED);

        level = !ctx->rest && job->file ? NGX_LOG_ERR : NGX_LOG_WARN;

        ngx_log_error(level, ctx->request->connection->log,
                      ctx->rest ? 0 : job->err,
                      "%s in the answer was not stored, "
                      "it is left as it is%s", ctx->values->name,
                      ctx->rest ? (u_char *) ""
                      : ngx_http_artifact_job_failure(ctx->request, job));
    }

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, ctx->request->connection->log, 0,
                   "http artifact offload: %O bytes left as they came",
                   ctx->raw.size);

    ngx_http_artifact_offload_close(ctx);
    ctx->state = NGX_HTTP_ARTIFACT_OFFLOAD_REPLAY;

    sent = ctx->values->sent ? ctx->values->sent(ctx) : 0;
    ctx->replayed = (off_t) sent;

    if (ctx->rest && ctx->replayed > ctx->raw.size) {
        ctx->rest->pos += ctx->replayed - ctx->raw.size;
    }

    return ctx->values->left(ctx) == ART_OK ? NGX_OK : NGX_ERROR;
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
        *bytes = art_str(raw->buf + (pos - size),
                         raw->len - (size_t) (pos - size));

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
                                                ctx->rest_max);
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


/* Once the artifact is stored, its reference is sent. */

static ngx_int_t
ngx_http_artifact_offload_written(ngx_http_artifact_offload_t *ctx)
{
    if (ctx->job.error != ART_ERR_MAX) {
        return ngx_http_artifact_offload_leave(ctx);
    }

    ctx->content->last = ctx->content->pos;
    ctx->state = NGX_HTTP_ARTIFACT_OFFLOAD_READ;

    if (!ctx->job.published && !ctx->job.same) {
        return NGX_OK;
    }

    ngx_http_artifact_offload_stored(ctx);

    if (ctx->values->made(ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_artifact_offload_count(ctx, ART_COUNT_STORED);
    ngx_http_artifact_offload_sum(ctx);

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, ctx->request->connection->log, 0,
                   "http artifact offload: %O bytes stored as \"%s\", same:%d",
                   ctx->job.size, ctx->job.id, ctx->job.same);

    ngx_http_artifact_offload_close(ctx);
    ngx_http_artifact_offload_forget(ctx);

    return NGX_OK;
}


/* For variables of the request. */

static void
ngx_http_artifact_offload_sum(ngx_http_artifact_offload_t *ctx)
{
    ngx_http_artifact_ctx_t  *module;

    module = ngx_http_get_module_ctx(ctx->request, ngx_artifact_module);

    if (module) {
        module->offloaded++;
        module->offloaded_bytes += (uint64_t) ctx->job.size;
    }
}


static void
ngx_http_artifact_offload_count(ngx_http_artifact_offload_t *ctx,
    art_count_offload_t outcome)
{
    unsigned  at[2];

    at[0] = ctx->values->kind;
    at[1] = outcome;

    ngx_http_artifact_count(ART_COUNT_OFFLOADED, at, 1);
}
