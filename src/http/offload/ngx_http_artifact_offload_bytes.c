
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The bytes of an answer: those that go out, and those that are put aside.
 */


#include "http/offload/ngx_http_artifact_offload.h"


static ngx_int_t ngx_http_artifact_offload_get_buf(
    ngx_http_artifact_offload_t *ctx);


int
ngx_http_artifact_offload_out(void *data, const uint8_t *p, size_t len)
{
    ngx_http_artifact_offload_t *ctx = data;

    size_t  n;

    while (len > 0) {

        if ((ctx->buf == NULL || ctx->buf->last == ctx->buf->end)
            && ngx_http_artifact_offload_get_buf(ctx) != NGX_OK)
        {
            return ART_ERROR;
        }

        n = ngx_min(len, (size_t) (ctx->buf->end - ctx->buf->last));

        ctx->buf->last = ngx_cpymem(ctx->buf->last, p, n);
        p += n;
        len -= n;
    }

    return ART_OK;
}


/* A buffer at the end of what goes out; the reader bounds their number. */

static ngx_int_t
ngx_http_artifact_offload_get_buf(ngx_http_artifact_offload_t *ctx)
{
    ngx_pool_t  *pool;

    pool = ctx->request->pool;

    if (ngx_http_artifact_bufs_get(pool, &ctx->bufs, (ngx_uint_t) -1,
                                   NGX_HTTP_ARTIFACT_OFFLOAD_BUF)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ctx->buf = ctx->bufs.buf;
    ctx->nout++;

    return ngx_http_artifact_bufs_put(pool, &ctx->bufs, ctx->buf);
}


/*
 * What a full disk does not take, of one slice at most and of what was held
 * before it, stays in memory: the value goes out as it came.
 */

int
ngx_http_artifact_offload_raw(void *data, const uint8_t *p, size_t len)
{
    ngx_http_artifact_offload_t *ctx = data;

    if (ctx->rest == NULL) {

        if (ngx_http_artifact_spool_put(&ctx->raw, p, len) == NGX_OK) {
            return ART_OK;
        }

        if (ctx->spare == NULL) {
            ctx->spare = ngx_create_temp_buf(ctx->request->pool,
                                             NGX_HTTP_ARTIFACT_OFFLOAD_SLICE
                                             + ART_OFFLOAD_HELD);
        }

        ctx->rest = ctx->spare;
    }

    if (ctx->rest == NULL
        || len > (size_t) (ctx->rest->end - ctx->rest->last))
    {
        return ART_ERROR;
    }

    ctx->rest->last = ngx_cpymem(ctx->rest->last, p, len);

    return ART_OK;
}


ngx_int_t
ngx_http_artifact_offload_replay(ngx_http_artifact_offload_t *ctx)
{
    off_t                       left;
    ssize_t                     n;
    ngx_http_artifact_spool_t  *raw;

    raw = &ctx->raw;
    left = (raw->file ? raw->file->offset : 0) - ctx->replayed;

    if (left > 0) {

        if (ngx_http_artifact_offload_get_buf(ctx) != NGX_OK) {
            return NGX_ERROR;
        }

        n = ngx_read_file(&raw->file->file, ctx->buf->last,
                          (size_t) ngx_min(left,
                                     (off_t) NGX_HTTP_ARTIFACT_OFFLOAD_BUF),
                          ctx->replayed);

        if (n <= 0) {
            return NGX_ERROR;
        }

        ctx->buf->last += n;
        ctx->replayed += n;

        return NGX_OK;
    }

    if (ngx_http_artifact_offload_out(ctx, raw->buf, raw->len) != ART_OK
        || (ctx->rest
            && ngx_http_artifact_offload_out(ctx, ctx->rest->pos,
                                 (size_t) (ctx->rest->last - ctx->rest->pos))
               != ART_OK))
    {
        return NGX_ERROR;
    }

    ngx_http_artifact_offload_forget(ctx);

    return NGX_DONE;
}


void
ngx_http_artifact_offload_forget(ngx_http_artifact_offload_t *ctx)
{
    ctx->raw.size = 0;
    ctx->raw.len = 0;

    if (ctx->raw.file) {
        ctx->raw.file->offset = 0;
    }

    if (ctx->rest) {
        ctx->rest->last = ctx->rest->pos;
        ctx->rest = NULL;
    }

    ctx->replayed = 0;
}
