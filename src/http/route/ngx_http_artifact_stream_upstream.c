
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The upstream of a stream: while the header waits, nginx assumes that it was
 * sent, and does not report how an upstream failed, so the functions that nginx
 * calls meanwhile are wrapped.
 */


#include "http/route/ngx_http_artifact_stream.h"


/* Responses up to this length are read to the end. */

#define NGX_HTTP_ARTIFACT_REST_MAX  65536


/* The wrapped functions and their data. */

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
static ngx_uint_t ngx_http_artifact_upstream_is_short(
    ngx_http_upstream_t *u);


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

    /* the initialization is yet to come and sets the filters */

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


/* Not called if nginx sets filters of its own, which cannot fail. */

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
 * An input filter fails on a malformed chunk, record or frame, and on a frame
 * that ends the stream (RST_STREAM, GOAWAY).  nginx would close the client's
 * connection at once and lose what has not been sent yet.  If it is reported as
 * an error of the upstream's connection, the response ends as with any other.
 */

static ngx_int_t
ngx_http_artifact_watch_filter(void *data, ssize_t bytes)
{
    ngx_http_artifact_watch_t *watch = data;

    ngx_int_t  rc;

    rc = watch->filter(watch->data, bytes);

    if (rc == NGX_ERROR) {
        ngx_log_debug0(NGX_LOG_DEBUG_HTTP, watch->upstream->peer.log, 0,
                       "http artifact upstream: input filter failed");

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

        /* what else the pipe has read is also passed here: it is not valid */

        return NGX_OK;
    }

    rc = watch->pipe_filter(p, buf);

    if (rc == NGX_ERROR) {
        ngx_log_debug0(NGX_LOG_DEBUG_HTTP, p->log, 0,
                       "http artifact upstream: pipe input filter failed");

        watch->broken = 1;
        p->upstream_error = 1;

        return NGX_OK;
    }

    return rc;
}


/*
 * The connection still exists and shows a timeout, for which "rc" is 502 while
 * nginx buffers, else 504.
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

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact upstream: finalized, %i, timed out %d",
                   rc, watch->stream->timedout);

    watch->finalize(r, rc);
}


/* An error page may have cleared the contexts of all modules. */

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
    /* only the handler's address matters: it marks the watch */
}


/*
 * Gigabytes may follow: unless a cache or proxy_store takes them, the upstream
 * ends here.  Its connection cannot be reused before the end of the response,
 * where u->keepalive is set; but reading a short rest costs less than a new
 * connection.
 */

void
ngx_http_artifact_upstream_end(ngx_http_upstream_t *u)
{
    if (ngx_http_artifact_upstream_is_short(u)
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


static ngx_uint_t
ngx_http_artifact_upstream_is_short(ngx_http_upstream_t *u)
{
    return u == NULL
           || (u->headers_in.content_length_n >= 0
               && u->headers_in.content_length_n
                  <= NGX_HTTP_ARTIFACT_REST_MAX);
}


void
ngx_http_artifact_upstream_leave(ngx_http_upstream_t *u)
{
    if (ngx_http_artifact_upstream_is_short(u)) {
        return;
    }

    if (u->buffering && u->pipe->cacheable) {
        ngx_http_artifact_upstream_stop(u);

    } else {
        ngx_http_artifact_upstream_end(u);
    }
}


void
ngx_http_artifact_upstream_stop(ngx_http_upstream_t *u)
{
    if (u == NULL) {
        return;
    }

    if (u->buffering) {
        u->pipe->upstream_error = 1;

    } else {
        u->length = 0;
    }
}
