
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Subrequests whose content has a consumer.  What tells them from others is
 * the handler that is called at their end: an internal redirect clears the
 * contexts of all modules, but not that.
 */


#include "http/route/ngx_http_artifact_consumer.h"
#include "http/route/ngx_http_artifact_filters.h"


/* As in ngx_http_image_filter_module.c, of the connection. */

#define NGX_HTTP_ARTIFACT_IMAGE_BUFFERED  0x08


static void ngx_http_artifact_consumer_end(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer);
static void ngx_http_artifact_consumer_tell(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer);
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
    consumer->buffered = r->connection->buffered;
    consumer->why = NULL;
    consumer->lent = NULL;
    consumer->headers = r->main->headers_in.headers;
    consumer->whole = 0;
    consumer->failed = 0;
    consumer->broken = 0;
    consumer->direct = 0;
    consumer->empty = 0;
    consumer->ended = 0;
    consumer->again = 0;

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
    /* a main request has none */

    if (r->post_subrequest == NULL
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
    ngx_chain_t                  first;
    ngx_http_artifact_ctx_t     *ctx;
    ngx_http_artifact_stream_t  *stream;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);
    stream = ctx ? ctx->stream : NULL;

    if (stream == NULL || stream->source == NULL || consumer->failed) {

        /* an error's page, or what came before an error */

        ngx_http_artifact_drop(in);
        return NGX_OK;
    }

    rc = NGX_OK;

    if (stream->state == NGX_HTTP_ARTIFACT_STREAM_WAIT) {

        if (ngx_http_artifact_stream_take(stream, &in) == NGX_AGAIN) {
            return NGX_OK;
        }

        r->header_sent = 1;

        first.buf = ngx_http_artifact_stream_taken(r, stream);
        first.next = in;

        if (first.buf == NULL
            || ngx_http_artifact_stream_start(r, stream) != NGX_OK)
        {
            rc = NGX_ERROR;

        } else {
            in = &first;
        }
    }

    if (rc == NGX_OK) {
        rc = ngx_http_artifact_stream_write(r, stream, in, consumer->output);
    }

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
        consumer->ended = 0;
    }

    if (r->buffered || r->postponed) {
        return NGX_OK;
    }

    /* nothing but its header was sent, or the end was lost on the way */

    if ((consumer->empty && !consumer->ended && rc == NGX_OK)
        || (consumer->ended && !consumer->again
            && ngx_http_artifact_lacks_end(r)))
    {
        consumer->again = 1;

        (void) ngx_http_send_special(r, NGX_HTTP_LAST);
    }

    if (!r->buffered && r->postponed == NULL) {
        ngx_http_artifact_consumer_end(r, consumer);
    }

    return NGX_OK;
}


/*
 * Only now is it certain that nothing more comes: of a filter that holds bytes,
 * of another that marks an end of its own, of subrequests.
 */

static void
ngx_http_artifact_consumer_end(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer)
{
    ngx_chain_t                  in;
    ngx_http_artifact_ctx_t     *ctx;
    ngx_http_artifact_stream_t  *stream;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);
    stream = ctx ? ctx->stream : NULL;

    if (consumer->ended && ngx_http_artifact_lacks_end(r)) {
        consumer->failed = 1;
        consumer->whole = 0;
        consumer->why = "a filter has not come to the end of it";
    }

    if (stream && consumer->ended && stream->last == NULL) {

        in.buf = ngx_calloc_buf(r->pool);
        in.next = NULL;

        if (in.buf) {
            in.buf->sync = 1;
            stream->last = in.buf;

            (void) ngx_http_artifact_consumer_write(r, consumer, &in);
        }

        if (r->buffered) {
            return;
        }
    }

    /* the image filter forgets its own where an image is cut */

    if (!(consumer->buffered & NGX_HTTP_ARTIFACT_IMAGE_BUFFERED)) {
        r->connection->buffered &= ~NGX_HTTP_ARTIFACT_IMAGE_BUFFERED;
    }

    ngx_http_artifact_take_back(r, consumer->lent);

    /* headers_more gives the main request the list of its subrequest */

    r->main->headers_in.headers = consumer->headers;

    ngx_http_artifact_consumer_tell(r, consumer);
}


/* A content that is missing is no failure: the reader is told so. */

static void
ngx_http_artifact_consumer_tell(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer)
{
    ngx_uint_t   status;
    const char  *why;

    status = consumer->status;

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "artifact source \"%V\": status %ui, whole %d",
                   &r->uri, status, consumer->whole);

    if (consumer->whole || status == NGX_HTTP_NOT_FOUND || status == 410
        || status == NGX_HTTP_UNAUTHORIZED || status == NGX_HTTP_FORBIDDEN)
    {
        return;
    }

    why = consumer->why;

    if (why == NULL) {
        why = status != NGX_HTTP_OK ? "it did not answer with 200"
              : !consumer->ended ? "it broke off"
              : consumer->failed ? "its content was not rendered"
              : "a filter did not pass it on";
    }

    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "source \"%V?%V\" of an artifact failed: %s (status %ui)",
                  &r->uri, &r->args, why, status);
}
