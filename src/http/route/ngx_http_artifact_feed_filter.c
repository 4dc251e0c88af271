
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The body filter before copy, in the header filter's module: of a file that
 * is a response's source (nginx's own static one, or a cached object) no more
 * is read than the answer needs.  The copy filter would read all of it, also
 * to throw it away.
 */


#include "http/base/ngx_http_artifact.h"


/* Free in r->buffered (ngx_http_request.h). */

#define NGX_HTTP_ARTIFACT_FEED_BUFFERED  0x08


static ngx_int_t ngx_http_artifact_feed_filter(ngx_http_request_t *r,
    ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_feed_head(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_buf_t *b);
static ngx_int_t ngx_http_artifact_feed_rest(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);


static ngx_http_output_body_filter_pt  ngx_http_next_body_filter;


void
ngx_http_artifact_feed_init(void)
{
    ngx_http_next_body_filter = ngx_http_top_body_filter;
    ngx_http_top_body_filter = ngx_http_artifact_feed_filter;
}


static ngx_int_t
ngx_http_artifact_feed_filter(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_buf_t                *b;
    ngx_int_t                 rc;
    ngx_http_artifact_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    if (ctx == NULL || r != r->main || ctx->source == NULL
        || ctx->source->local)
    {
        return ngx_http_next_body_filter(r, in);
    }

    if (ctx->rest == NULL) {

        if (in == NULL || !ctx->waiting) {
            return ngx_http_next_body_filter(r, in);
        }

        b = in->buf;

        if (in->next || !b->in_file || ngx_buf_in_memory(b)
            || b->file_last - b->file_pos <= ART_SNIFF_MAX
            || ctx->source->head_len > 0)
        {
            return ngx_http_next_body_filter(r, in);
        }

        rc = ngx_http_artifact_feed_head(r, ctx, b);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

    } else {

        if (in && ngx_chain_add_copy(r->pool, &ctx->rest, in) != NGX_OK) {
            return NGX_ERROR;
        }

        /* a read that another thread does may have come to its end */

        rc = ngx_http_next_body_filter(r, NULL);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }
    }

    if (ctx->waiting) {
        return NGX_AGAIN;
    }

    return ngx_http_artifact_feed_rest(r, ctx);
}


/* Passes the first bytes on, and keeps the rest until they have decided. */

static ngx_int_t
ngx_http_artifact_feed_head(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_buf_t *b)
{
    ngx_buf_t    *head, *rest;
    ngx_chain_t   out, *cl;

    head = ngx_palloc(r->pool, sizeof(ngx_buf_t));
    rest = ngx_palloc(r->pool, sizeof(ngx_buf_t));
    cl = ngx_alloc_chain_link(r->pool);

    if (head == NULL || rest == NULL || cl == NULL) {
        return NGX_ERROR;
    }

    *head = *b;
    *rest = *b;

    head->file_last = b->file_pos + ART_SNIFF_MAX;
    head->last_buf = 0;
    head->last_in_chain = 0;

    rest->file_pos = head->file_last;
    b->file_pos = b->file_last;

    cl->buf = rest;
    cl->next = NULL;

    ctx->rest = cl;
    r->buffered |= NGX_HTTP_ARTIFACT_FEED_BUFFERED;

    out.buf = head;
    out.next = NULL;

    return ngx_http_next_body_filter(r, &out);
}


static ngx_int_t
ngx_http_artifact_feed_rest(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    off_t         limit;
    ngx_buf_t    *b;
    ngx_chain_t  *rest;

    rest = ctx->rest;

    ctx->rest = NULL;
    r->buffered &= ~NGX_HTTP_ARTIFACT_FEED_BUFFERED;

    if (r->header_only || ctx->drop || ctx->body == NULL
        || ctx->body->render.state == ART_RENDER_DONE)
    {
        return r->connection->buffered ? NGX_AGAIN : NGX_OK;
    }

    b = rest->buf;
    limit = (off_t) art_render_input_limit(&ctx->body->render);

    if (limit && b->file_last - b->file_pos > limit - ART_SNIFF_MAX) {
        b->file_last = b->file_pos + limit - ART_SNIFF_MAX;
    }

    return ngx_http_next_body_filter(r, rest);
}
