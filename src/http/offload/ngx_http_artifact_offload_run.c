
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The pump: a slice of the answer is read, what may go out goes out, and a
 * value that is over waits for its artifact.
 */


#include "http/offload/ngx_http_artifact_offload.h"
#include "http/base/ngx_http_artifact_zone.h"


/*
 * Free in r->buffered (ngx_http_request.h); artifact_extract, which is called
 * from here only, has the same one.  A bit of the connection's would have the
 * postpone filter wake a writer that has nothing, which is an error there.
 */

#define NGX_HTTP_ARTIFACT_OFFLOAD_BUFFERED  0x08


static ngx_int_t ngx_http_artifact_offload_pump(
    ngx_http_artifact_offload_t *ctx, ngx_uint_t wake);
static ngx_int_t ngx_http_artifact_offload_step(
    ngx_http_artifact_offload_t *ctx);
static void ngx_http_artifact_offload_stepped(void *owner);
static ngx_int_t ngx_http_artifact_offload_read(
    ngx_http_artifact_offload_t *ctx);
static void ngx_http_artifact_offload_taken(ngx_http_artifact_offload_t *ctx);
static ngx_uint_t ngx_http_artifact_offload_is_over(
    ngx_http_artifact_offload_t *ctx);
static ngx_int_t ngx_http_artifact_offload_status(
    ngx_http_artifact_offload_t *ctx, art_offload_status_t status);
static ngx_int_t ngx_http_artifact_offload_write(
    ngx_http_artifact_offload_t *ctx);
static ngx_int_t ngx_http_artifact_offload_leave(
    ngx_http_artifact_offload_t *ctx);
static ngx_int_t ngx_http_artifact_offload_end(
    ngx_http_artifact_offload_t *ctx);
static ngx_int_t ngx_http_artifact_offload_send(
    ngx_http_artifact_offload_t *ctx, ngx_uint_t wake);
static ngx_int_t ngx_http_artifact_offload_flush(
    ngx_http_artifact_offload_t *ctx);


ngx_int_t
ngx_http_artifact_offload_run(ngx_http_artifact_offload_t *ctx,
    ngx_chain_t *in)
{
    ngx_http_request_t  *r;

    r = ctx->request;

    if (ctx->failed
        || (in && ngx_chain_add_copy(r->pool, &ctx->in, in) != NGX_OK)
        || ngx_http_artifact_offload_pump(ctx, in == NULL) != NGX_OK)
    {
        ctx->failed = 1;
        return NGX_ERROR;
    }

    if (ctx->bufs.busy || ctx->in || ctx->running || ctx->replaying || ctx->over
        || (ctx->last && !ctx->ended) || ctx->behind)
    {
        r->buffered |= NGX_HTTP_ARTIFACT_OFFLOAD_BUFFERED;

    } else {
        r->buffered &= ~NGX_HTTP_ARTIFACT_OFFLOAD_BUFFERED;
    }

    return ctx->bufs.busy || ctx->running ? NGX_AGAIN : NGX_OK;
}


/*
 * What is called without input is woken up, and wakes up those behind it, which
 * may have something even if nothing of it is ours.
 */

static ngx_int_t
ngx_http_artifact_offload_pump(ngx_http_artifact_offload_t *ctx,
    ngx_uint_t wake)
{
    ngx_int_t  rc;

    rc = NGX_OK;

    for ( ;; ) {

        if ((wake || ctx->bufs.busy || rc == NGX_AGAIN
             || ctx->nout >= NGX_HTTP_ARTIFACT_OFFLOAD_BUFS)
            && ngx_http_artifact_offload_send(ctx, wake) == NGX_ERROR)
        {
            return NGX_ERROR;
        }

        wake = 0;

        /* a client that is slow holds up the reading */

        if (ctx->bufs.busy || rc == NGX_AGAIN) {
            return NGX_OK;
        }

        rc = ngx_http_artifact_offload_step(ctx);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }
    }
}


/* NGX_OK if there may be more to do, NGX_AGAIN if not. */

static ngx_int_t
ngx_http_artifact_offload_step(ngx_http_artifact_offload_t *ctx)
{
    ngx_int_t  rc;

    if (ctx->running) {
        return NGX_AGAIN;
    }

    if (ctx->replaying) {
        rc = ngx_http_artifact_offload_replay(ctx);
        ctx->replaying = (rc == NGX_OK);

        return rc == NGX_ERROR ? NGX_ERROR : NGX_OK;
    }

    if (ctx->begun && ctx->job.error != ART_ERR_MAX) {
        return ngx_http_artifact_offload_leave(ctx);
    }

    if (ctx->begun && ctx->job.published) {
        return ngx_http_artifact_offload_write(ctx);
    }

    if (ctx->over
        || (ctx->content
            && ctx->content->end - ctx->content->last
               < NGX_HTTP_ARTIFACT_OFFLOAD_SLICE))
    {
        rc = ngx_http_artifact_offload_store(ctx,
                                           ngx_http_artifact_offload_stepped);

        return rc == NGX_ERROR ? NGX_ERROR : NGX_OK;
    }

    if (ctx->in) {
        return ngx_http_artifact_offload_read(ctx);
    }

    return ctx->last && !ctx->ended ? ngx_http_artifact_offload_end(ctx)
                                    : NGX_AGAIN;
}


/*
 * A thread is done with a step.  Whoever sends the answer does not know that
 * there is more of it now, so it goes on here.
 */

static void
ngx_http_artifact_offload_stepped(void *owner)
{
    ngx_http_artifact_offload_t *ctx = owner;

    ngx_connection_t    *c;
    ngx_http_request_t  *r;

    r = ctx->request;
    c = r->connection;

    ngx_http_set_log_request(c->log, r);

    ctx->running = 0;
    ctx->content->last = ctx->content->pos;
    r->main->blocked--;

    if (!c->error) {
        (void) ngx_http_artifact_offload_run(ctx, NULL);
    }

    r->write_event_handler(r);

    ngx_http_run_posted_requests(c);
}


static ngx_int_t
ngx_http_artifact_offload_read(ngx_http_artifact_offload_t *ctx)
{
    size_t                 len, n;
    ngx_buf_t             *b;
    art_offload_status_t   status;

    b = ctx->in->buf;
    status = ART_OFFLOAD_MORE;

    if (b->in_file && !ngx_buf_in_memory(b)) {
        ngx_log_error(NGX_LOG_ERR, ctx->request->connection->log, 0,
                      "an answer to be offloaded is not in memory");
        return NGX_ERROR;
    }

    if (ctx->pos == NULL) {
        ctx->pos = b->pos;
    }

    if (ngx_buf_in_memory(b) && ctx->pos < b->last) {
        len = ngx_min((size_t) (b->last - ctx->pos),
                      NGX_HTTP_ARTIFACT_OFFLOAD_SLICE);

        status = art_offload_feed(ctx->off, ctx->pos, len, &n);
        ctx->pos += n;
    }

    if (!ngx_buf_in_memory(b) || ctx->pos == b->last) {
        ngx_http_artifact_offload_taken(ctx);
    }

    return ngx_http_artifact_offload_status(ctx, status);
}


/* A buffer of the input has been read. */

static void
ngx_http_artifact_offload_taken(ngx_http_artifact_offload_t *ctx)
{
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    cl = ctx->in;
    b = cl->buf;

    if (b->flush && ngx_buf_special(b)) {

        /* an upstream that has failed ends with one */

        ctx->flush_alone = 1;
        ctx->last |= ngx_http_artifact_offload_is_over(ctx);

    } else {
        ctx->flush |= b->flush;
    }

    /* the first of several slices ends its own chain only */

    ctx->last |= b->last_buf || b->last_in_chain;
    ctx->last_buf |= b->last_buf;
    ctx->last_in_chain |= b->last_in_chain;

    ctx->pos = NULL;
    ctx->in = cl->next;

    ngx_http_artifact_bufs_keep(&ctx->bufs, cl);
}


/* The upstream has come to its end, whatever that was. */

static ngx_uint_t
ngx_http_artifact_offload_is_over(ngx_http_artifact_offload_t *ctx)
{
    return ctx->upstream && ctx->upstream->cleanup == NULL;
}


static ngx_int_t
ngx_http_artifact_offload_status(ngx_http_artifact_offload_t *ctx,
    art_offload_status_t status)
{
    switch (status) {

    case ART_OFFLOAD_MORE:
        return ctx->rest ? ngx_http_artifact_offload_leave(ctx) : NGX_OK;

    case ART_OFFLOAD_OVER:
        ctx->over = 1;
        return ctx->rest ? ngx_http_artifact_offload_leave(ctx) : NGX_OK;

    case ART_OFFLOAD_NONE:

        if (ctx->off->base64.digits >= ctx->off->min && !ctx->off->other) {
            ngx_log_error(NGX_LOG_WARN, ctx->request->connection->log, 0,
                          "what seems to be base64 in the answer is not sound, "
                          "it stays");
        }

        return ngx_http_artifact_offload_leave(ctx);

    default:
        return NGX_ERROR;
    }
}


/* The artifact is there: what stands for it goes out. */

static ngx_int_t
ngx_http_artifact_offload_write(ngx_http_artifact_offload_t *ctx)
{
    art_offload_made_t  made;

    if (ngx_http_artifact_offload_stored(ctx, &made) != NGX_OK
        || art_offload_made(ctx->off, &made) != ART_OK)
    {
        return NGX_ERROR;
    }

    ngx_http_artifact_count_one(ART_COUNT_OFFLOADED, ART_COUNT_STORED);

    ngx_http_artifact_offload_abandon(ctx);
    ngx_http_artifact_offload_forget(ctx);

    return NGX_OK;
}


/* The value goes out as it came. */

static ngx_int_t
ngx_http_artifact_offload_leave(ngx_http_artifact_offload_t *ctx)
{
    ngx_artifact_write_job_t  *job;

    job = &ctx->job;

    if (ctx->rest || (ctx->begun && job->error != ART_ERR_MAX)) {
        ngx_http_artifact_count_one(ART_COUNT_OFFLOADED, ART_COUNT_NOT_STORED);

        ngx_log_error(NGX_LOG_WARN, ctx->request->connection->log,
                      ctx->rest ? 0 : job->err,
                      "base64 of the answer is no artifact, it stays%s%s",
                      !ctx->rest && job->action ? ": " : "",
                      !ctx->rest && job->action ? job->action : "");
    }

    ngx_http_artifact_offload_abandon(ctx);
    ctx->replaying = 1;

    return art_offload_left(ctx->off) == ART_OK ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_http_artifact_offload_end(ngx_http_artifact_offload_t *ctx)
{
    ngx_buf_t  *b;

    if (art_offload_end(ctx->off) == ART_OFFLOAD_NONE) {
        return ngx_http_artifact_offload_leave(ctx);
    }

    ctx->ended = 1;

    if (!ctx->last_buf && !ctx->last_in_chain) {
        return NGX_OK;
    }

    b = ngx_calloc_buf(ctx->request->pool);

    if (b == NULL
        || ngx_http_artifact_bufs_put(ctx->request->pool, &ctx->bufs, b)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    b->sync = !ctx->last_buf;
    b->last_buf = ctx->last_buf;
    b->last_in_chain = 1;

    ctx->buf = NULL;
    ctx->flush_alone = 0;

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_offload_send(ngx_http_artifact_offload_t *ctx,
    ngx_uint_t wake)
{
    ngx_int_t            rc;
    ngx_http_request_t  *r;

    r = ctx->request;

    if (ngx_http_artifact_offload_flush(ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    if (ctx->bufs.out == NULL && ctx->bufs.busy == NULL && !wake) {
        ngx_http_artifact_bufs_give_back(r->pool, &ctx->bufs);
        return NGX_OK;
    }

    r->buffered &= ~NGX_HTTP_ARTIFACT_OFFLOAD_BUFFERED;

    rc = ngx_http_artifact_bufs_send(r, &ctx->bufs, ctx->next);

    ctx->behind = (r->buffered & NGX_HTTP_ARTIFACT_OFFLOAD_BUFFERED) != 0;
    ctx->buf = NULL;
    ctx->nout = 0;

    return rc;
}


/*
 * A flush without bytes goes on without any: behind the header, or from an
 * upstream that has failed, whose end artifact_extract has to tell from the
 * flush of an event; that one comes behind all that was held.
 */

static ngx_int_t
ngx_http_artifact_offload_flush(ngx_http_artifact_offload_t *ctx)
{
    if (ctx->buf) {
        ctx->buf->flush |= ctx->flush | ctx->off->events;
        ctx->flush = 0;
    }

    if (!ctx->flush_alone || (ctx->last && !ctx->ended)) {
        return NGX_OK;
    }

    ctx->flush_alone = 0;

    return ngx_http_artifact_bufs_put_flush(ctx->request->pool, &ctx->bufs);
}
