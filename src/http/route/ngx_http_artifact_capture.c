
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * How the content of a source is taken.  The postpone filter has put the output
 * of its own subrequests in order by then, as it does for a client; whose bytes
 * they are, the connection's active request tells.
 */


#include "http/route/ngx_http_artifact_capture.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/route/ngx_http_artifact_filters.h"
#include "http/route/ngx_http_artifact_raw.h"
#include "http/route/ngx_http_artifact_upstream.h"
#include "http/source/ngx_http_artifact_source.h"


static ngx_int_t ngx_http_artifact_capture_stream(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_consumer_t *consumer);
static ngx_int_t ngx_http_artifact_capture_filters(ngx_http_request_t *r,
    ngx_http_output_header_filter_pt next);
static void ngx_http_artifact_capture_posted(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_capture_start(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer);
static ngx_int_t ngx_http_artifact_capture_source(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer);
static ngx_int_t ngx_http_artifact_capture_changed(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);


ngx_int_t
ngx_http_artifact_capture_begin(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer,
    ngx_http_output_header_filter_pt next)
{
    ngx_int_t                 rc;
    ngx_uint_t                status;
    ngx_http_artifact_ctx_t  *ctx;

    status = r->headers_out.status;

    ctx = ngx_http_artifact_get_ctx(r);
    if (ctx == NULL) {
        return NGX_ERROR;
    }

    /* JSON of a handler of ours is what it answers, not what it has opened */

    if (ctx->source && !ctx->source->offered) {
        ctx->source = NULL;
    }

#if (NGX_HTTP_CACHE)

    if (r->cached && r->cache->length == (off_t) r->cache->body_start) {
        r->headers_out.content_length_n = 0;
    }

#endif

    /* an error's page may come in place of another answer */

    consumer->ended = 0;
    consumer->again = 0;
    consumer->why = NULL;

    /* of what has no bytes a subrequest sends nothing, not even their end */

    consumer->empty = (r->headers_out.content_length_n == 0);

    if (status != NGX_HTTP_OK && status != NGX_HTTP_PARTIAL_CONTENT) {
        return next(r);
    }

    if (ngx_http_artifact_capture_stream(r, ctx, consumer) != NGX_OK) {
        return NGX_ERROR;
    }

    /* subrequests of its own inherit this */

    r->main_filter_need_in_memory = 1;
    r->disable_not_modified = 1;

    consumer->direct = 1;

    rc = ngx_http_artifact_capture_filters(r, next);

    consumer->direct = 0;

    return rc;
}


/* It waits, as what the source is, filters may change. */

static ngx_int_t
ngx_http_artifact_capture_stream(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_consumer_t *consumer)
{
    ngx_http_artifact_stream_t  *stream;

    stream = ngx_http_artifact_stream_create(r, ctx);

    if (stream == NULL
        || ngx_http_artifact_upstream_follow(r, stream) != NGX_OK)
    {
        return NGX_ERROR;
    }

    stream->terms = consumer->terms;

    if (ctx->source == NULL) {
        return NGX_OK;
    }

    ctx->source->offered = 0;

    /* filters look at the type, as they do at that of a raw answer */

    return ngx_http_artifact_raw_type_of(r, ctx->source);
}


/*
 * Filters that work on the content of main requests only (addition, charset),
 * or correct the length of those only (ssi, sub, xslt), have to take the source
 * for one, while they look at its header.  What they would have done at the end
 * of that request is left to the real one.  None of them may redirect it.
 */

static ngx_int_t
ngx_http_artifact_capture_filters(ngx_http_request_t *r,
    ngx_http_output_header_filter_pt next)
{
    ngx_int_t             rc;
    ngx_uint_t            error_page;
    ngx_http_cleanup_t  **cln;
    ngx_http_request_t   *main;

    main = r->main;
    error_page = r->error_page;

    r->main = r;
    r->error_page = 1;

    rc = next(r);

    r->error_page = error_page & 1;
    r->main = main;

    if (r->cleanup) {

        for (cln = &r->cleanup; *cln; cln = &(*cln)->next) { /* void */ }

        *cln = main->cleanup;
        main->cleanup = r->cleanup;
        r->cleanup = NULL;
    }

    ngx_http_artifact_capture_posted(r);

    return rc;
}


/* Subrequests that a header filter has made (js) are the real one's, too. */

static void
ngx_http_artifact_capture_posted(ngx_http_request_t *r)
{
    ngx_http_request_t         *main;
    ngx_http_posted_request_t  *pr, **last;

    main = r->main;

    for (last = &main->posted_requests; *last; last = &(*last)->next) {
        /* void */
    }

    *last = r->posted_requests;
    r->posted_requests = NULL;

    for (pr = *last; pr; pr = pr->next) {
        pr->request->main = main;
    }

    main->count += r->count;
    r->count = 0;
}


/* It ends here: the filters behind would send it to the client. */

ngx_int_t
ngx_http_artifact_capture_header(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer)
{
    ngx_int_t            rc;
    ngx_http_request_t  *main;

    main = r->main;

    r->main = r->parent->main;

    rc = ngx_http_artifact_capture_start(r, consumer);

    r->main = main;

    return rc;
}


static ngx_int_t
ngx_http_artifact_capture_start(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer)
{
    ngx_http_artifact_ctx_t     *ctx;
    ngx_http_artifact_stream_t  *stream;

    /* the page of an error, too; it goes on with what another answer lent */

    if (consumer->lent == NULL) {
        consumer->lent = ngx_http_artifact_lend(r);
    }

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);
    stream = ctx ? ctx->stream : NULL;

    if (stream == NULL) {
        r->header_sent = 1;
        return NGX_OK;
    }

    if (ngx_http_artifact_is_encoded(r)) {
        consumer->why = "its body is encoded";

    } else if (r->headers_out.status != NGX_HTTP_OK
               || r->headers_out.content_offset)
    {
        consumer->why = "it is not the whole content";
    }

    if (consumer->why) {
        r->header_sent = 1;
        r->headers_out.status = NGX_HTTP_BAD_GATEWAY;
        ngx_http_artifact_stream_abandon(stream);

        consumer->failed = 1;

        return NGX_OK;
    }

    if (ngx_http_artifact_capture_source(r, consumer) != NGX_OK) {
        return NGX_ERROR;
    }

    stream->source = ctx->source;

    /* while it waits, an upstream that fails may still have its error page */

    if (stream->source->wanted) {
        return NGX_OK;
    }

    r->header_sent = 1;

    return ngx_http_artifact_stream_start(r, stream);
}


/* What the source is, by its header as the filters have left it. */

static ngx_int_t
ngx_http_artifact_capture_source(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer)
{
    ngx_http_artifact_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    /* who keeps the header until the body has come need not tell a length */

    if (!consumer->direct) {
        ngx_http_clear_content_length(r);
    }

    if (ctx->source == NULL) {
        return ngx_http_artifact_response_source(r, ctx);
    }

    return r->headers_out.content_length_n == ctx->source->size
           ? NGX_OK : ngx_http_artifact_capture_changed(r, ctx);
}


/* A file of our own that a filter has changed: only its metadata is its own. */

static ngx_int_t
ngx_http_artifact_capture_changed(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    art_meta_t                   meta;
    ngx_http_artifact_source_t  *source;

    meta = ctx->source->meta;

    if (ngx_http_artifact_response_source(r, ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    source = ctx->source;

    meta.type = source->meta.type;
    meta.mime = art_str(NULL, 0);
    meta.extension = art_str(NULL, 0);

    source->meta = meta;

    return ngx_http_artifact_set_name(r, source);
}


ngx_http_request_t *
ngx_http_artifact_capture_of(ngx_http_request_t *r)
{
    for ( /* void */ ; r != r->main; r = r->parent) {

        if (ngx_http_artifact_consumer(r)) {
            return r;
        }
    }

    return NULL;
}


void
ngx_http_artifact_capture_mark(ngx_http_artifact_consumer_t *consumer,
    ngx_chain_t *in)
{
    for ( /* void */ ; in; in = in->next) {

        if (in->buf->last_in_chain || in->buf->last_buf) {
            in->buf->last_buf = 1;
            in->buf->last_in_chain = 0;

            consumer->ended = 1;
        }
    }
}


void
ngx_http_artifact_capture_break(ngx_http_request_t *r)
{
    ngx_http_artifact_consumer_t  *consumer;

    r = ngx_http_artifact_capture_of(r);

    if (r) {
        consumer = ngx_http_artifact_consumer(r);

        consumer->failed = 1;
        consumer->whole = 0;
        consumer->why = "a subrequest of it broke off";
    }
}
