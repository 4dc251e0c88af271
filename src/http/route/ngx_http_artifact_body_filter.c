
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The body filter: it runs after the postpone filter, which has merged
 * subrequests into the main request's answer, and has the stream of that answer
 * render it.  It also captures sources.
 */


#include "http/base/ngx_http_artifact_answer.h"
#include "http/route/ngx_http_artifact_consumer.h"
#include "http/route/ngx_http_artifact_filters.h"
#include "http/route/ngx_http_artifact_modules.h"


static ngx_int_t ngx_http_artifact_late_header_filter(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_body_filter(ngx_http_request_t *r,
    ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_too_early(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_send_replacement(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_body_filter_init(ngx_conf_t *cf);


static ngx_http_module_t  ngx_http_artifact_filter_module_ctx = {
    .postconfiguration = ngx_http_artifact_body_filter_init
};


ngx_module_t  ngx_http_artifact_filter_module = {
    NGX_MODULE_V1,
    .ctx = &ngx_http_artifact_filter_module_ctx,
    .type = NGX_HTTP_MODULE
};


static ngx_http_output_header_filter_pt  ngx_http_next_header_filter;
static ngx_http_output_body_filter_pt    ngx_http_next_body_filter;


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

    if (stream == NULL) {
        return ngx_http_next_body_filter(r, in);
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

    default:  /* NGX_HTTP_ARTIFACT_STREAM_END */

        if (in == NULL) {

            /* rendered buffers may still have to be sent */

            return ngx_http_next_body_filter(r, NULL);
        }

        ngx_http_artifact_drop(in);

        return NGX_OK;
    }
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
