
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The upstream of a stream.  While the header waits nginx believes that it
 * went out, and keeps to itself how an upstream failed: what it calls on the
 * way is wrapped.
 */


#include "http/route/ngx_http_artifact_upstream.h"


/* Of a response of at most this length the rest is read, too. */

#define NGX_HTTP_ARTIFACT_REST_MAX  65536


/* What was wrapped. */

typedef struct {
    ngx_http_upstream_t               *upstream;
    ngx_http_artifact_stream_t        *stream;

    ngx_int_t                        (*init)(void *data);
    void                              *data;
    ngx_int_t                        (*filter)(void *data, ssize_t bytes);
    ngx_event_pipe_input_filter_pt     pipe_filter;
    void                             (*finalize)(ngx_http_request_t *r,
                                                 ngx_int_t rc);
    ngx_uint_t                         broken;
} ngx_http_artifact_watch_t;


static ngx_int_t ngx_http_artifact_watch_init(void *data);
static ngx_int_t ngx_http_artifact_watch_filter(void *data, ssize_t bytes);
static ngx_int_t ngx_http_artifact_watch_pipe_filter(ngx_event_pipe_t *p,
    ngx_buf_t *buf);
static void ngx_http_artifact_watch_finalize(ngx_http_request_t *r,
    ngx_int_t rc);
static ngx_http_artifact_watch_t *ngx_http_artifact_watch_find(
    ngx_http_request_t *r);
static void ngx_http_artifact_watch_cleanup(void *data);


ngx_int_t
ngx_http_artifact_upstream_follow(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    ngx_pool_cleanup_t         *cln;
    ngx_http_upstream_t        *u;
    ngx_http_artifact_watch_t  *watch;

    u = r->upstream;

    if (u == NULL || u->cleanup == NULL) {
        return NGX_OK;
    }

    stream->upstream = u;

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_artifact_watch_t));
    if (cln == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_http_artifact_watch_cleanup;

    watch = cln->data;
    ngx_memzero(watch, sizeof(ngx_http_artifact_watch_t));

    watch->upstream = u;
    watch->stream = stream;

    watch->finalize = u->finalize_request;
    u->finalize_request = ngx_http_artifact_watch_finalize;

    /* the filters are set by their initialization, which is still to come */

    watch->init = u->input_filter_init;
    u->input_filter_init = ngx_http_artifact_watch_init;

    if (u->buffering) {
        watch->data = u->pipe->input_ctx;
        u->pipe->input_ctx = watch;

    } else {
        watch->data = u->input_filter_ctx;
        u->input_filter_ctx = watch;
    }

    return NGX_OK;
}


/*
 * Not called where nginx puts filters of its own in place of none: they do not
 * fail.
 */

static ngx_int_t
ngx_http_artifact_watch_init(void *data)
{
    ngx_http_artifact_watch_t *watch = data;

    ngx_int_t             rc;
    ngx_http_upstream_t  *u;

    u = watch->upstream;

    if (u->buffering) {
        u->pipe->input_ctx = watch->data;
    }

    rc = watch->init ? watch->init(watch->data) : NGX_OK;

    if (u->buffering) {
        watch->pipe_filter = u->pipe->input_filter;
        u->pipe->input_filter = ngx_http_artifact_watch_pipe_filter;

    } else {
        watch->filter = u->input_filter;
        u->input_filter = ngx_http_artifact_watch_filter;
    }

    return rc;
}


/*
 * An input filter fails when what came is no chunk, record or frame, or a frame
 * that ends the stream (RST_STREAM, GOAWAY).  nginx would end the client's
 * connection at once, with what was not sent yet: as an error of the upstream's
 * connection, it ends the response as any other does.
 */

static ngx_int_t
ngx_http_artifact_watch_filter(void *data, ssize_t bytes)
{
    ngx_http_artifact_watch_t *watch = data;

    ngx_int_t  rc;

    rc = watch->filter(watch->data, bytes);

    if (rc == NGX_ERROR) {
        watch->upstream->error = 1;
        return NGX_OK;
    }

    return rc;
}


static ngx_int_t
ngx_http_artifact_watch_pipe_filter(ngx_event_pipe_t *p, ngx_buf_t *buf)
{
    ngx_int_t                   rc;
    ngx_http_artifact_watch_t  *watch;

    watch = ngx_http_artifact_watch_find(p->output_ctx);

    if (watch->broken) {

        /* the pipe hands over what it has read besides: no chunks any more */

        return NGX_OK;
    }

    rc = watch->pipe_filter(p, buf);

    if (rc == NGX_ERROR) {
        watch->broken = 1;
        p->upstream_error = 1;

        return NGX_OK;
    }

    return rc;
}


/*
 * The connection is still there.  A silence while nginx buffers comes as 502
 * here, else as 504.
 */

static void
ngx_http_artifact_watch_finalize(ngx_http_request_t *r, ngx_int_t rc)
{
    ngx_connection_t           *c;
    ngx_http_artifact_watch_t  *watch;

    watch = ngx_http_artifact_watch_find(r);
    c = watch->upstream->peer.connection;

    if (c && c->read->timedout) {
        watch->stream->timedout = 1;
    }

    watch->finalize(r, rc);
}


/* An error's page may have cleared the contexts of all modules. */

static ngx_http_artifact_watch_t *
ngx_http_artifact_watch_find(ngx_http_request_t *r)
{
    ngx_pool_cleanup_t         *cln;
    ngx_http_artifact_watch_t  *watch;

    for (cln = r->pool->cleanup; /* void */ ; cln = cln->next) {

        if (cln->handler == ngx_http_artifact_watch_cleanup) {
            watch = cln->data;

            if (watch->upstream == r->upstream) {
                return watch;
            }
        }
    }
}


static void
ngx_http_artifact_watch_cleanup(void *data)
{
    /* a mark to be found by */
}


/*
 * An end before the length that was declared is none: FastCGI takes any end of
 * the connection for that of the body.
 */

ngx_uint_t
ngx_http_artifact_upstream_is_cut(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in)
{
    off_t       size;
    ngx_uint_t  last;

    if (stream->upstream == NULL || r->method == NGX_HTTP_HEAD) {
        return 0;
    }

    last = 0;
    size = stream->upstream->headers_in.content_length_n;

    for ( /* void */ ; in; in = in->next) {
        stream->came += ngx_buf_size(in->buf);

        if (in->buf->last_buf || in->buf->last_in_chain) {
            last = 1;
        }
    }

    if (!last || stream->came >= size
        || stream->state == NGX_HTTP_ARTIFACT_STREAM_END)
    {
        return 0;
    }

    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "upstream ended after %O of %O bytes", stream->came, size);
    return 1;
}


/*
 * The flush that an upstream ends with when it has failed: it is finalized by
 * then.  nginx believes that the header went out.
 */

ngx_uint_t
ngx_http_artifact_upstream_has_failed(ngx_http_artifact_stream_t *stream,
    ngx_chain_t *in)
{
    return in->buf->flush && stream->upstream
           && stream->upstream->cleanup == NULL;
}


/*
 * It may have gigabytes to follow: unless a cache or proxy_store takes them, it
 * ends here.  A connection that has not come to the end of the response is not
 * used again: u->keepalive is set there only.  A short rest costs less than a
 * new connection.
 */

void
ngx_http_artifact_upstream_end(ngx_http_upstream_t *u)
{
    if (u == NULL
        || (u->headers_in.content_length_n >= 0
            && u->headers_in.content_length_n <= NGX_HTTP_ARTIFACT_REST_MAX)
        || (u->buffering && u->pipe->cacheable))
    {
        return;
    }

    if (u->buffering) {
        u->pipe->upstream_done = 1;

    } else {
        u->length = 0;
    }
}
