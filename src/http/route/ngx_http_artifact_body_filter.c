
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The body filters.  The early one, the wait filter next to copy, holds the
 * first bytes of a response while its header waits for them: no other filter
 * may see them, since these filters learn of the response from its header.
 *
 * The other one runs after the postpone filter, which has merged subrequests
 * into the main request's answer, and has the stream of that answer render it.
 * It also captures sources.
 */


#include "http/base/ngx_http_artifact_answer.h"
#include "http/source/ngx_http_artifact_source.h"
#include "http/route/ngx_http_artifact_consumer.h"
#include "http/route/ngx_http_artifact_headers.h"
#include "http/route/ngx_http_artifact_modules.h"


static ngx_int_t ngx_http_artifact_wait_filter(ngx_http_request_t *r,
    ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_wait(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in);
static ngx_uint_t ngx_http_artifact_is_cut(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in);
static ngx_uint_t ngx_http_artifact_has_failed(
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_fail(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_send_held(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in, ngx_chain_t *more);
static void ngx_http_artifact_peek(ngx_http_artifact_source_t *source,
    ngx_chain_t *more);
static ngx_int_t ngx_http_artifact_wait_order(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_wait_early(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *more);
static ngx_uint_t ngx_http_artifact_has_subrequest(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_wait_filter_init(ngx_conf_t *cf);
static ngx_int_t ngx_http_artifact_late_header_filter(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_body_filter(ngx_http_request_t *r,
    ngx_chain_t *in);
static ngx_chain_t *ngx_http_artifact_put_ahead(
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_too_early(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_send_replacement(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_body_filter_init(ngx_conf_t *cf);


static ngx_http_module_t  ngx_http_artifact_wait_filter_module_ctx = {
    .postconfiguration = ngx_http_artifact_wait_filter_init
};


ngx_module_t  ngx_http_artifact_wait_filter_module =
    NGX_HTTP_ARTIFACT_MODULE(&ngx_http_artifact_wait_filter_module_ctx, NULL);


static ngx_http_module_t  ngx_http_artifact_filter_module_ctx = {
    .postconfiguration = ngx_http_artifact_body_filter_init
};


ngx_module_t  ngx_http_artifact_filter_module =
    NGX_HTTP_ARTIFACT_MODULE(&ngx_http_artifact_filter_module_ctx, NULL);


static ngx_http_output_header_filter_pt  ngx_http_next_header_filter;
static ngx_http_output_body_filter_pt    ngx_http_next_body_filter;
static ngx_http_output_body_filter_pt    ngx_http_next_early_body_filter;


static ngx_int_t
ngx_http_artifact_wait_filter(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_int_t                    rc;
    ngx_uint_t                   cut;
    ngx_http_artifact_stream_t  *stream;

    if (r != r->main && ngx_http_artifact_capture_input(r, in) != NGX_OK) {
        return NGX_ERROR;
    }

    stream = ngx_http_artifact_get_stream(r);

    if (stream == NULL || in == NULL) {
        return ngx_http_next_early_body_filter(r, in);
    }

    cut = ngx_http_artifact_is_cut(r, stream, in);

    switch (stream->state) {

    case NGX_HTTP_ARTIFACT_STREAM_WAIT:

        if (cut || ngx_http_artifact_has_failed(stream, in)) {
            return ngx_http_artifact_fail(r);
        }

        rc = ngx_http_artifact_wait(r, stream, in);
        break;

    case NGX_HTTP_ARTIFACT_STREAM_END:

        /* filters in between get no input, but must be woken */

        ngx_http_artifact_drop(in);

        rc = ngx_http_next_early_body_filter(r, NULL);
        break;

    default:

        if (cut) {
            return NGX_ERROR;
        }

        rc = ngx_http_next_early_body_filter(r, in);
    }

    if (stream->state == NGX_HTTP_ARTIFACT_STREAM_END) {
        ngx_http_artifact_upstream_end(stream->upstream);

    } else if (stream->state == NGX_HTTP_ARTIFACT_STREAM_DERIVE) {
        ngx_http_artifact_upstream_leave(stream->upstream);
    }

    return rc;
}


static ngx_int_t
ngx_http_artifact_wait(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in)
{
    if (stream->part) {

        /* a source's stream waits for its first bytes after the filters */

        return ngx_http_next_early_body_filter(r, in);
    }

    if (ngx_http_artifact_has_subrequest(r)) {
        return ngx_http_artifact_wait_order(r, stream, in);
    }

    if (ngx_http_artifact_stream_hold(r, stream, &in) == NGX_AGAIN) {
        ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                       "http artifact wait: %uz bytes held",
                       stream->source->head_len);
        return NGX_OK;
    }

    return ngx_http_artifact_send_held(r, stream, in, NULL);
}


/*
 * Counts the bytes of an upstream's body to see whether it ends short of its
 * declared length.  nginx's FastCGI takes any end of the connection for the end
 * of the body.
 */

static ngx_uint_t
ngx_http_artifact_is_cut(ngx_http_request_t *r,
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
        stream->received += ngx_buf_size(in->buf);

        if (in->buf->last_buf || in->buf->last_in_chain) {
            last = 1;
        }
    }

    if (!last || stream->received >= size
        || stream->state == NGX_HTTP_ARTIFACT_STREAM_END
        || stream->state == NGX_HTTP_ARTIFACT_STREAM_DERIVE)
    {
        return 0;
    }

    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "upstream ended after %O of %O bytes",
                  stream->received, size);
    return 1;
}


/*
 * An upstream that fails ends with a flush, and is finalized by then: nginx
 * assumes that the header was sent.
 */

static ngx_uint_t
ngx_http_artifact_has_failed(ngx_http_artifact_stream_t *stream,
    ngx_chain_t *in)
{
    return in->buf->flush && stream->upstream
           && stream->upstream->cleanup == NULL;
}


/*
 * Nothing has been sent: the request is finalized with the returned status, so
 * it gets its "error_page", or else nginx's page, which the header filter
 * replaces by JSON.
 */

static ngx_int_t
ngx_http_artifact_fail(ngx_http_request_t *r)
{
    ngx_uint_t                timedout;
    ngx_http_artifact_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);
    timedout = ctx->stream->timedout;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact wait: upstream failed after %O bytes, "
                   "timed out %ui", ctx->stream->received, timedout);

    ngx_http_clean_header(r);

    ctx->stream = NULL;
    ctx->failed = 1;

    return timedout ? NGX_HTTP_GATEWAY_TIME_OUT : NGX_HTTP_BAD_GATEWAY;
}


/*
 * Sends the header, then the held bytes and the rest in "in".  "more" is what
 * is already known of the content after these.
 */

static ngx_int_t
ngx_http_artifact_send_held(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in, ngx_chain_t *more)
{
    ngx_int_t                    rc;
    ngx_chain_t                  out;
    ngx_http_artifact_source_t  *source;

    source = stream->source;

    out.buf = ngx_http_artifact_stream_held(r, stream);
    out.next = in;

    if (out.buf == NULL) {
        return NGX_ERROR;
    }

    ngx_http_artifact_peek(source, more);

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact wait: %uz first bytes, whole %d",
                   source->head_len, source->whole);

    if (source->coded && source->head_len > 0) {
        rc = ngx_http_artifact_response_decode(r, source);

        if (rc != NGX_OK) {
            return rc == NGX_DECLINED ? ngx_http_artifact_fail(r) : NGX_ERROR;
        }
    }

    if (r->method == NGX_HTTP_HEAD && source->head_len == 0) {

        /* only the headers show what the content is */

        source->head = NULL;
    }

    rc = ngx_http_artifact_send_routed_header(r, stream);

    if (rc == NGX_ERROR || rc > NGX_OK) {
        return NGX_ERROR;
    }

    if (r->header_only) {

        /* HEAD or 304: the body is dropped */

        stream->state = NGX_HTTP_ARTIFACT_STREAM_END;
        ngx_http_artifact_drop(in);

        return NGX_OK;
    }

    return ngx_http_next_early_body_filter(r, &out);
}


static void
ngx_http_artifact_peek(ngx_http_artifact_source_t *source,
    ngx_chain_t *more)
{
    size_t      n;
    ngx_buf_t  *b;

    for ( /* void */ ; more; more = more->next) {
        b = more->buf;

        n = ngx_buf_in_memory(b) ? (size_t) (b->last - b->pos) : 0;
        n = ngx_min(n, source->head_room - source->head_len);

        if (n > 0) {
            ngx_memcpy(source->head + source->head_len, b->pos, n);
            source->head_len += n;
        }

        if (b->last_buf) {
            source->whole = 1;
        }
    }
}


/*
 * A handler that mixes its own output with that of subrequests (echo_location)
 * creates them in order.  The held bytes precede a subrequest that was created
 * since, so they are sent now, ahead of what waits for it.  Bytes after a
 * subrequest that has not answered yet are not the first ones: the header has
 * to do without them.
 */

static ngx_int_t
ngx_http_artifact_wait_order(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in)
{
    ngx_int_t     rc;
    ngx_chain_t  *cl;

    for (cl = in; cl && ngx_buf_size(cl->buf) == 0; cl = cl->next) {
        /* void */
    }

    if (stream->source->head_len == 0) {

        if (cl) {
            stream->source->head = NULL;
            return ngx_http_artifact_send_held(r, stream, in, NULL);
        }

        return ngx_http_next_early_body_filter(r, in);
    }

    rc = ngx_http_artifact_wait_early(r, stream, NULL);

    if (rc != NGX_OK && rc != NGX_AGAIN) {
        return rc;
    }

    return r->header_only ? NGX_OK : ngx_http_next_early_body_filter(r, in);
}


/*
 * Sends the header of a stream that still waits, then the bytes that it holds,
 * past subrequests that were created after them.  "more", bytes that follow
 * these, is only examined.  Returns what a body filter returns.
 */

static ngx_int_t
ngx_http_artifact_wait_early(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *more)
{
    void                          *active;
    ngx_int_t                      rc;
    ngx_connection_t              *c;
    ngx_http_postponed_request_t  *postponed;

    c = r->connection;

    active = c->data;
    postponed = r->postponed;

    c->data = r;
    r->postponed = NULL;

    rc = ngx_http_artifact_send_held(r, stream, NULL, more);

    if (r->postponed || c->data != r) {
        ngx_log_error(NGX_LOG_ERR, c->log, 0,
                      "subrequest within the first bytes of an artifact, "
                      "before another one");
        return NGX_ERROR;
    }

    c->data = active;
    r->postponed = postponed;

    return rc;
}


static ngx_uint_t
ngx_http_artifact_has_subrequest(ngx_http_request_t *r)
{
    ngx_http_postponed_request_t  *pr;

    for (pr = r->postponed; pr; pr = pr->next) {

        if (pr->request && !pr->request->subrequest_in_memory) {
            return 1;
        }
    }

    return 0;
}


static ngx_int_t
ngx_http_artifact_wait_filter_init(ngx_conf_t *cf)
{
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);

    if (amcf->used) {
        ngx_http_next_early_body_filter = ngx_http_top_body_filter;
        ngx_http_top_body_filter = ngx_http_artifact_wait_filter;
    }

    return NGX_OK;
}


/*
 * A filter in between that replaces the content sets its type (image_filter) or
 * length (xslt) again: the answer is still JSON, but of another length.  A
 * filter may also set another JSON type.
 */

static ngx_int_t
ngx_http_artifact_late_header_filter(ngx_http_request_t *r)
{
    off_t                          length;
    ngx_http_artifact_stream_t    *stream;
    ngx_http_artifact_consumer_t  *consumer;

    consumer = ngx_http_artifact_consumer(r);

    if (consumer) {
        return ngx_http_artifact_capture_header(r, consumer);
    }

    stream = ngx_http_artifact_get_stream(r);

    if (stream == NULL || stream->state != NGX_HTTP_ARTIFACT_STREAM_RENDER) {
        return ngx_http_next_header_filter(r);
    }

    length = r->headers_out.content_length_n;

    if (stream->source->coded) {

        /* decoded by now: the answer's length is known; it may be gzipped */

#if (NGX_HTTP_GZIP)
        r->gzip_tested = 0;
#endif

        r->headers_out.content_length_n = stream->length;
    }

    if (r->headers_out.status != NGX_HTTP_NOT_MODIFIED
        && (!ngx_http_artifact_is_json_type(r)
            || (length != -1 && length != stream->length)))
    {
        ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                       "http artifact stream: content replaced by a filter, "
                       "\"%V\", %O bytes",
                       &r->headers_out.content_type, length);

        ngx_http_artifact_set_json_type(r);
        ngx_http_clear_content_length(r);
        ngx_http_clear_etag(r);

        stream->view.size_known = 0;
        stream->length = -1;
    }

    return ngx_http_next_header_filter(r);
}


static ngx_int_t
ngx_http_artifact_body_filter(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_int_t                    rc;
    ngx_http_artifact_stream_t  *stream;

    rc = ngx_http_artifact_capture_body(r, in);

    if (rc != NGX_DECLINED) {
        return rc;
    }

    stream = ngx_http_artifact_get_stream(r);

    if (stream == NULL || stream->state == NGX_HTTP_ARTIFACT_STREAM_DERIVED) {

        /* raw, or rendered by another stream */

        return ngx_http_next_body_filter(r, stream && in
                                   ? ngx_http_artifact_put_ahead(stream, in)
                                   : in);
    }

    switch (stream->state) {

    case NGX_HTTP_ARTIFACT_STREAM_WAIT:
        return in ? ngx_http_artifact_too_early(r, stream, in)
                  : ngx_http_next_body_filter(r, NULL);

    case NGX_HTTP_ARTIFACT_STREAM_RENDER:
        return r->header_only
               ? ngx_http_next_body_filter(r, in)
               : ngx_http_artifact_stream_write(r, stream, in,
                                                ngx_http_next_body_filter);

    case NGX_HTTP_ARTIFACT_STREAM_REPLACE:
        return in == NULL || r->header_only
               ? ngx_http_next_body_filter(r, in)
               : ngx_http_artifact_send_replacement(r, stream, in);

    default:  /* NGX_HTTP_ARTIFACT_STREAM_END, _DERIVE */

        if (in == NULL) {

            /* rendered buffers may still have to be sent */

            return ngx_http_next_body_filter(r, NULL);
        }

        ngx_http_artifact_drop(in);

        return NGX_OK;
    }
}


/* The rendering of another stream goes with the end of the answer. */

static ngx_chain_t *
ngx_http_artifact_put_ahead(ngx_http_artifact_stream_t *stream,
    ngx_chain_t *in)
{
    ngx_chain_t  *cl, *ahead;

    ahead = stream->ahead;

    if (ahead == NULL) {
        return in;
    }

    for (cl = ahead; cl->next; cl = cl->next) { /* void */ }

    cl->next = in;
    stream->ahead = NULL;

    return ahead;
}


ngx_int_t
ngx_http_artifact_capture_pass(ngx_http_request_t *r, ngx_chain_t *out)
{
    return ngx_http_next_body_filter(r->main, out);
}


/*
 * Bytes of a subrequest (echo_location) arrive while the main request's header
 * waits for its first bytes: they are the first ones, after any that the main
 * request has sent itself.
 */

static ngx_int_t
ngx_http_artifact_too_early(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in)
{
    ngx_int_t     rc;
    ngx_chain_t  *cl;

    for (cl = in; cl; cl = cl->next) {

        if (ngx_buf_size(cl->buf) > 0 || cl->buf->last_buf) {
            break;
        }
    }

    if (cl == NULL) {
        ngx_http_artifact_drop(in);
        return NGX_OK;
    }

    rc = ngx_http_artifact_wait_early(r, stream, in);

    if (rc != NGX_OK && rc != NGX_AGAIN) {
        return NGX_ERROR;
    }

    return ngx_http_artifact_body_filter(r, in);
}


/* The JSON of an error replaces the body that comes. */

static ngx_int_t
ngx_http_artifact_send_replacement(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in)
{
    ngx_chain_t  *out;

    out = ngx_alloc_chain_link(r->pool);
    if (out == NULL) {
        return NGX_ERROR;
    }

    out->buf = stream->replacement;
    out->next = NULL;

    stream->state = NGX_HTTP_ARTIFACT_STREAM_END;

    ngx_http_artifact_drop(in);

    return ngx_http_next_body_filter(r, out);
}


static ngx_int_t
ngx_http_artifact_body_filter_init(ngx_conf_t *cf)
{
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);

    if (amcf->used) {
        ngx_http_next_header_filter = ngx_http_top_header_filter;
        ngx_http_top_header_filter = ngx_http_artifact_late_header_filter;

        ngx_http_next_body_filter = ngx_http_top_body_filter;
        ngx_http_top_body_filter = ngx_http_artifact_body_filter;
    }

    return NGX_OK;
}
