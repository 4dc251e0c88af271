
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Subrequests whose content has a consumer.  What tells them from others is
 * the handler that is called at their end: an internal redirect clears the
 * contexts of all modules, but not that.
 */


#include "http/route/ngx_http_artifact_consumer.h"


/* Free in r->buffered (ngx_http_request.h). */

#define NGX_HTTP_ARTIFACT_BUFFERED  0x08


static ngx_int_t ngx_http_artifact_consumed(ngx_http_request_t *r, void *data,
    ngx_int_t rc);


ngx_http_request_t *
ngx_http_artifact_consume(ngx_http_request_t *r, ngx_str_t *uri,
    ngx_str_t *args, ngx_http_artifact_consumer_t *consumer)
{
    ngx_http_request_t  *sr;

    consumer->post.handler = ngx_http_artifact_consumed;
    consumer->post.data = consumer;
    consumer->status = 0;
    consumer->whole = 0;
    consumer->failed = 0;

    if (ngx_http_subrequest(r, uri, args, &sr, &consumer->post,
                            NGX_HTTP_SUBREQUEST_WAITED)
        != NGX_OK)
    {
        return NULL;
    }

    return sr;
}


ngx_http_artifact_consumer_t *
ngx_http_artifact_consumer(ngx_http_request_t *r)
{
    if (r == r->main || r->post_subrequest == NULL
        || r->post_subrequest->handler != ngx_http_artifact_consumed)
    {
        return NULL;
    }

    return r->post_subrequest->data;
}


ngx_int_t
ngx_http_artifact_consumer_write(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer, ngx_chain_t *in)
{
    ngx_int_t                    rc;
    ngx_http_artifact_ctx_t     *ctx;
    ngx_http_artifact_stream_t  *stream;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);
    stream = ctx ? ctx->stream : NULL;

    if (stream == NULL || consumer->failed
        || (stream->state != NGX_HTTP_ARTIFACT_STREAM_RENDER
            && stream->state != NGX_HTTP_ARTIFACT_STREAM_END))
    {
        /* an error's page, or what came before an error */

        ngx_http_artifact_drop(in);
        return NGX_OK;
    }

    rc = ngx_http_artifact_stream_write(r, stream, in, consumer->output);

    if (rc == NGX_ERROR) {
        consumer->failed = 1;

        ngx_http_artifact_drop(in);
        ngx_http_artifact_stream_abandon(stream);

        rc = NGX_OK;
    }

    if (stream->in || stream->bufs.busy) {
        r->buffered |= NGX_HTTP_ARTIFACT_BUFFERED;

    } else {
        r->buffered &= ~NGX_HTTP_ARTIFACT_BUFFERED;
    }

    consumer->whole = stream->state == NGX_HTTP_ARTIFACT_STREAM_END
                      && stream->bufs.busy == NULL && !consumer->failed;

    return rc;
}


ngx_int_t
ngx_http_artifact_consumer_write_empty(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer)
{
    ngx_buf_t    *b;
    ngx_chain_t   in;

    b = ngx_calloc_buf(r->pool);
    if (b == NULL) {
        return NGX_ERROR;
    }

    b->sync = 1;
    b->last_in_chain = 1;

    in.buf = b;
    in.next = NULL;

    return ngx_http_artifact_consumer_write(r, consumer, &in);
}


void
ngx_http_artifact_consumer_release(ngx_http_request_t *r)
{
    ngx_chain_t                 *cl;
    ngx_pool_cleanup_t          *cln;
    ngx_http_artifact_ctx_t     *ctx;
    ngx_http_artifact_source_t  *source;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    if (ctx == NULL || ctx->stream == NULL) {
        return;
    }

    for (cl = ctx->stream->bufs.free; cl; cl = cl->next) {
        (void) ngx_pfree(r->pool, cl->buf->start);
    }

    ctx->stream->bufs.free = NULL;

    source = ctx->stream->source;
    cln = source ? source->cleanup : NULL;

    /* what is kept open stays in use: its strings are */

    if (cln && cln->handler == ngx_pool_cleanup_file) {
        cln->handler(cln->data);
        cln->handler = NULL;
    }
}


/*
 * nginx calls this before each try to end the subrequest, so more than once if
 * output is left, or an error has a page.  What would end the main request,
 * too, is the consumer's affair; an error may still get its "error_page".
 */

static ngx_int_t
ngx_http_artifact_consumed(ngx_http_request_t *r, void *data, ngx_int_t rc)
{
    ngx_http_artifact_consumer_t  *consumer = data;

    if (rc >= NGX_HTTP_SPECIAL_RESPONSE && rc != NGX_HTTP_CLOSE
        && rc != NGX_HTTP_REQUEST_TIME_OUT
        && rc != NGX_HTTP_CLIENT_CLOSED_REQUEST)
    {
        consumer->status = (ngx_uint_t) rc;
        return rc;
    }

    /* whose client has left ends as a whole */

    if (rc == NGX_HTTP_CLIENT_CLOSED_REQUEST && r->connection->error) {
        return rc;
    }

    consumer->status = r->headers_out.status;

    if (rc != NGX_OK && rc != NGX_AGAIN) {

        /* it has failed: nobody waits for output that is left */

        r->buffered = 0;
    }

    return NGX_OK;
}
