
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Subrequests whose content has a consumer, called sources here: how they are
 * created, captured after the filters, and ended.  A source is recognized by
 * the handler that is called at its end, since an internal redirect clears the
 * contexts of all modules, but not that handler.
 *
 * Before the capture the postpone filter has put the output of a source's own
 * subrequests in order, as it does for a client; the connection's active
 * request shows whose bytes they are.
 */


#include "http/route/ngx_http_artifact_consumer.h"
#include "http/base/ngx_http_artifact_context.h"
#include "http/base/ngx_http_artifact_directive.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_work.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/route/ngx_http_artifact_headers.h"
#include "http/route/ngx_http_artifact_modules.h"
#include "http/source/ngx_http_artifact_source.h"


#define ngx_http_artifact_is_white(c)                                         \
    ((c) == ' ' || ((c) >= '\t' && (c) <= '\r'))


/* As in ngx_http_image_filter_module.c, of the connection. */

#define NGX_HTTP_ARTIFACT_IMAGE_BUFFERED  0x08


static ngx_http_request_t *ngx_http_artifact_source_of(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_capture_stream(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_consumer_t *consumer);
static ngx_int_t ngx_http_artifact_capture_filters(ngx_http_request_t *r,
    ngx_http_output_header_filter_pt next);
static void ngx_http_artifact_capture_posted(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_capture_start(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer);
static ngx_uint_t ngx_http_artifact_capture_refuses(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer);
static ngx_int_t ngx_http_artifact_capture_kept(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer, ngx_http_artifact_stream_t *stream);
static ngx_file_t *ngx_http_artifact_capture_stored(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer);
static ngx_int_t ngx_http_artifact_capture_source(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer);
static ngx_int_t ngx_http_artifact_capture_changed(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static void *ngx_http_artifact_lend_ssi(ngx_http_request_t *r);
static void ngx_http_artifact_return_ssi(ngx_http_request_t *r, void *borrowed);
static void ngx_http_artifact_capture_mark(
    ngx_http_artifact_consumer_t *consumer, ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_capture_write(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer, ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_consumed(ngx_http_request_t *r, void *data,
    ngx_int_t rc);
static ngx_uint_t ngx_http_artifact_lacks_end(ngx_http_request_t *r);
static void ngx_http_artifact_consumer_end(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer);
static void ngx_http_artifact_answered(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer);
static void ngx_http_artifact_answered_log(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer);
static void ngx_http_artifact_answered_bytes(
    ngx_http_artifact_consumer_t *consumer, ngx_http_artifact_stream_t *stream,
    ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_location(ngx_http_request_t *r,
    ngx_uint_t folder);
static ngx_str_t ngx_http_artifact_location_name(ngx_http_request_t *r);
static void ngx_http_artifact_location_log(ngx_log_t *log, ngx_str_t *uri,
    ngx_str_t *location, ngx_uint_t status);
static void ngx_http_artifact_location_log_refused(ngx_http_request_t *r,
    ngx_uint_t status);
static ngx_int_t ngx_http_artifact_location_own(ngx_http_request_t *r);
static ngx_uint_t ngx_http_artifact_location_has_folder(ngx_http_request_t *r);


ngx_http_request_t *
ngx_http_artifact_consume(ngx_http_request_t *r, ngx_str_t *uri,
    ngx_str_t *args, ngx_http_artifact_consumer_t *consumer)
{
    ngx_http_request_t  *sr;

    /* all but what the caller has set; a consumer may be used again */

    ngx_memzero(&consumer->post, sizeof(ngx_http_artifact_consumer_t)
                                 - offsetof(ngx_http_artifact_consumer_t,
                                            post));

    consumer->post.handler = ngx_http_artifact_consumed;
    consumer->post.data = consumer;
    consumer->buffered = r->connection->buffered;
    consumer->headers = r->main->headers_in.headers;

    if (ngx_http_artifact_attend(r) != NGX_OK
        || ngx_http_subrequest(r, uri, args, &sr, &consumer->post,
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


/* The source that a request is, or belongs to as a subrequest; else NULL. */

static ngx_http_request_t *
ngx_http_artifact_source_of(ngx_http_request_t *r)
{
    for ( /* void */ ; r != r->main; r = r->parent) {

        if (ngx_http_artifact_consumer(r)) {
            return r;
        }
    }

    return NULL;
}


ngx_http_artifact_original_t *
ngx_http_artifact_original(ngx_http_request_t *r)
{
    r = ngx_http_artifact_source_of(r);

    return r ? ngx_http_artifact_consumer(r)->original : NULL;
}


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

    /* a handler of ours that answers with JSON does not offer its source */

    if (ctx->source && !ctx->source->offered) {
        ctx->source = NULL;
    }

#if (NGX_HTTP_CACHE)

    /* a redirect to a page clears r->cache only */

    if (r->cached && r->cache
        && r->cache->length == (off_t) r->cache->body_start)
    {
        r->headers_out.content_length_n = 0;
    }

#endif

    /* an error page may replace an answer that has begun */

    consumer->ended = 0;
    consumer->again = 0;
    consumer->why = NULL;

    /* a subrequest without bytes sends nothing, not even their end */

    consumer->empty = (r->headers_out.content_length_n == 0);

    if (status != NGX_HTTP_OK && status != NGX_HTTP_PARTIAL_CONTENT) {
        return next(r);
    }

    if (ngx_http_artifact_capture_stream(r, ctx, consumer) != NGX_OK) {
        return NGX_ERROR;
    }

    /* its own subrequests inherit this */

    r->main_filter_need_in_memory = 1;
    r->disable_not_modified = 1;

    consumer->direct = 1;

    rc = ngx_http_artifact_capture_filters(r, next);

    consumer->direct = 0;

    return rc;
}


/* The stream waits, since filters may still change the content. */

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

    /* filters examine the type, as they do for a raw answer */

    return ngx_http_artifact_raw_type_of(r, ctx->source);
}


/*
 * Filters that change the content of main requests only (addition, charset), or
 * correct the length of those only (ssi, sub, xslt), must take the source for a
 * main request while they process its header.  What they have scheduled for the
 * end of that request moves to the real main request.  None of them may
 * redirect the source.
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


/* Subrequests that a header filter has created (js) move there as well. */

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


/* The header ends here: the filters that follow would send it to the client. */

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
    ngx_int_t                    rc;
    ngx_http_artifact_stream_t  *stream;

    /* also for an error page, unless the answer before it has lent one */

    if (consumer->borrowed_ssi_ctx == NULL) {
        consumer->borrowed_ssi_ctx = ngx_http_artifact_lend_ssi(r);
    }

    stream = ngx_http_artifact_get_stream(r);

    if (stream == NULL) {
        r->header_sent = 1;
        return NGX_OK;
    }

    if (ngx_http_artifact_capture_refuses(r, consumer)) {
        r->header_sent = 1;
        ngx_http_artifact_stream_abandon(stream);

        return NGX_OK;
    }

    if (consumer->only_there) {
        r->header_sent = 1;
        consumer->whole = 1;
        ngx_http_artifact_stream_abandon(stream);

        return NGX_OK;
    }

    rc = ngx_http_artifact_capture_kept(r, consumer, stream);

    if (rc != NGX_DECLINED) {
        return rc;
    }

    if (ngx_http_artifact_capture_source(r, consumer) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact capture: \"%V\", %O bytes, wants head %d",
                   &r->uri, stream->source->size, stream->source->wanted);

    /* while the stream waits, an upstream that fails can get its error page */

    if (stream->source->wanted) {
        return NGX_OK;
    }

    r->header_sent = 1;

    return ngx_http_artifact_stream_start(r, stream);
}


/* Whether a header is not that of a content; sets what is the matter. */

static ngx_uint_t
ngx_http_artifact_capture_refuses(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer)
{
    /* a filter has refused the header: this is the error page in its place */

    if (consumer->status >= NGX_HTTP_SPECIAL_RESPONSE
        && consumer->status == r->headers_out.status)
    {
        return 1;
    }

    if (ngx_http_artifact_is_encoded(&r->headers_out.headers)) {
        consumer->why = "its body is encoded";

    } else if (r->headers_out.status != NGX_HTTP_OK
               || r->headers_out.content_offset)
    {
        consumer->why = "it is not the whole content";

    } else {
        return 0;
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact capture: \"%V\" refused, %s", &r->uri,
                   consumer->why);

    r->headers_out.status = NGX_HTTP_BAD_GATEWAY;
    consumer->failed = 1;

    return 1;
}


/*
 * Where nginx's cache has what a converter has made, the answer made of that
 * may be kept with the original: the body is not read then.
 */

static ngx_int_t
ngx_http_artifact_capture_kept(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer, ngx_http_artifact_stream_t *stream)
{
    ngx_int_t                    rc;
    ngx_file_t                  *file;
    ngx_file_info_t              info;
    ngx_table_elt_t             *disposition;
    ngx_http_artifact_made_t    *made;
    ngx_http_artifact_source_t  *keeper;

    keeper = consumer->terms.keeper;

    file = keeper && keeper->cached
           ? ngx_http_artifact_capture_stored(r, consumer) : NULL;

    if (file == NULL || ngx_fd_info(file->fd, &info) == NGX_FILE_ERROR) {
        return NGX_DECLINED;
    }

    made = ngx_palloc(r->pool, sizeof(ngx_http_artifact_made_t));
    if (made == NULL) {
        return NGX_ERROR;
    }

    ngx_http_artifact_cache_key(&made->file, 0, &info);

    made->conf = r->loc_conf;
    made->type = r->headers_out.content_type;
    made->charset = r->headers_out.charset;
    made->uri = r->uri;
    ngx_str_null(&made->disposition);

    disposition = ngx_http_artifact_find_header(&r->headers_out.headers,
                                                "Content-Disposition");
    if (disposition) {
        made->disposition = disposition->value;
    }

    rc = ngx_http_artifact_stream_kept(r, stream, made);

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact capture: \"%V\" is stored, kept %i",
                   &r->uri, rc);

    if (rc != NGX_OK) {
        return rc;
    }

    r->header_sent = 1;
    r->header_only = 1;

    consumer->consumed = (off_t) stream->view.size;
    consumer->has_text = 1;

    return ngx_http_artifact_capture_write(r, consumer, NULL);
}


/*
 * The file of nginx's cache from which all bytes of a conversion come as they
 * are, or NULL.  Filters that change them need them in memory, or do not know
 * their length any more, or send the header later.
 */

static ngx_file_t *
ngx_http_artifact_capture_stored(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer)
{
#if (NGX_HTTP_CACHE)

    if (consumer->original && consumer->direct && r->cached && r->cache
        && !r->filter_need_in_memory && !r->filter_need_temporary
        && r->headers_out.content_length_n
           == r->cache->length - (off_t) r->cache->body_start)
    {
        return &r->cache->file;
    }

#endif

    return NULL;
}


/* Creates the source from its header as the filters have left it. */

static ngx_int_t
ngx_http_artifact_capture_source(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer)
{
    ngx_int_t                 rc;
    ngx_http_artifact_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    /* a filter that sends the header later need not know the length */

    if (!consumer->direct) {
        ngx_http_clear_content_length(r);
    }

    rc = NGX_OK;

    if (ctx->source == NULL) {
        rc = ngx_http_artifact_response_source(r, ctx);

    } else if (r->headers_out.content_length_n != ctx->source->size) {
        rc = ngx_http_artifact_capture_changed(r, ctx);
    }

    ctx->stream->source = ctx->source;

    return rc;
}


/* A filter has changed a local file: only its metadata are still valid. */

static ngx_int_t
ngx_http_artifact_capture_changed(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    art_meta_t                   meta;
    ngx_http_artifact_source_t  *source;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact capture: \"%V\" was changed, type \"%V\"",
                   &r->uri, &r->headers_out.content_type);

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


/*
 * The ssi filter uses the main request's context for variables and blocks
 * without checking that there is one: the main request borrows the source's.
 * Several sources of a request may run at once: the first one's stays until the
 * last of them has ended.  Returns what is borrowed, NULL if nothing is.
 */

static void *
ngx_http_artifact_lend_ssi(ngx_http_request_t *r)
{
    void                     **borrowed;
    ngx_module_t              *ssi;
    ngx_http_artifact_ctx_t   *ctx;

    ssi = ngx_http_artifact_find_filter(NGX_HTTP_ARTIFACT_SSI);
    ctx = ngx_http_get_module_ctx(r->parent, ngx_artifact_module);

    if (ssi == NULL || ctx == NULL || r->ctx[ssi->ctx_index] == NULL) {
        return NULL;
    }

    borrowed = &r->main->ctx[ssi->ctx_index];

    if (*borrowed == NULL) {
        *borrowed = r->ctx[ssi->ctx_index];

    } else if (ctx->nborrowers == 0) {
        return NULL;
    }

    ctx->nborrowers++;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact capture: \"%V\" has SSI, %ui borrowers",
                   &r->uri, ctx->nborrowers);

    return *borrowed;
}


static void
ngx_http_artifact_return_ssi(ngx_http_request_t *r, void *borrowed)
{
    ngx_module_t             *ssi;
    ngx_http_artifact_ctx_t  *ctx;

    ssi = ngx_http_artifact_find_filter(NGX_HTTP_ARTIFACT_SSI);
    ctx = ngx_http_get_module_ctx(r->parent, ngx_artifact_module);

    if (borrowed == NULL || ctx == NULL || --ctx->nborrowers > 0) {
        return;
    }

    if (r->main->ctx[ssi->ctx_index] == borrowed) {
        r->main->ctx[ssi->ctx_index] = NULL;
    }
}


ngx_int_t
ngx_http_artifact_capture_input(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_http_request_t            *sr;
    ngx_http_artifact_consumer_t  *consumer;

    if (in) {
        consumer = ngx_http_artifact_consumer(r);

        if (consumer) {
            ngx_http_artifact_capture_mark(consumer, in);

            /* for an error of a filter nginx would close the connection */

            r->filter_finalize = 0;

        } else if (in->buf->flush && r->upstream
                   && r->upstream->cleanup == NULL)
        {
            sr = ngx_http_artifact_source_of(r);

            if (sr) {
                ngx_http_artifact_consumer_fail(ngx_http_artifact_consumer(sr),
                                                "a subrequest of it broke off");
            }
        }

        return NGX_OK;
    }

    sr = ngx_http_artifact_source_of(r);

    if (sr == NULL || !(sr->buffered & NGX_HTTP_ARTIFACT_BUFFERED)) {
        return NGX_OK;
    }

    (void) ngx_http_artifact_capture_write(sr, ngx_http_artifact_consumer(sr),
                                            NULL);

    return r == r->connection->data
           || (sr->buffered & NGX_HTTP_ARTIFACT_BUFFERED)
           ? NGX_OK : ngx_http_post_request(r->connection->data, NULL);
}


/*
 * The end of a source's own output is marked as the end of a main request,
 * since some filters recognize no other.
 */

static void
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


ngx_int_t
ngx_http_artifact_capture_body(ngx_http_request_t *r, ngx_chain_t *in)
{
    /* after postpone all output belongs to the active request */

    r = ngx_http_artifact_source_of(r == r->main ? r->connection->data : r);

    return r ? ngx_http_artifact_capture_write(r,
                                         ngx_http_artifact_consumer(r), in)
             : NGX_DECLINED;
}


/*
 * Renders "in" for the consumer; if it is NULL, continues with what the
 * consumer has left.  r->buffered has NGX_HTTP_ARTIFACT_BUFFERED while
 * something is left.  Errors are not returned, since an error of a subrequest
 * also ends the main request: the consumer finds that its content is not whole.
 */

static ngx_int_t
ngx_http_artifact_capture_write(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer, ngx_chain_t *in)
{
    ngx_int_t                    rc;
    ngx_chain_t                  first;
    ngx_http_artifact_stream_t  *stream;

    stream = ngx_http_artifact_get_stream(r);

    if (stream == NULL || stream->source == NULL || consumer->failed) {

        /* an error page, or what came before the error */

        ngx_http_artifact_drop(in);
        return NGX_OK;
    }

    if (consumer->original) {
        ngx_http_artifact_answered_bytes(consumer, stream, in);
    }

    rc = consumer->failed ? NGX_ERROR : NGX_OK;

    if (rc == NGX_OK && stream->state == NGX_HTTP_ARTIFACT_STREAM_WAIT) {

        if (ngx_http_artifact_stream_hold(r, stream, &in) == NGX_AGAIN) {
            return NGX_OK;
        }

        r->header_sent = 1;

        first.buf = ngx_http_artifact_stream_held(r, stream);
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
ngx_http_artifact_consumer_fail(ngx_http_artifact_consumer_t *consumer,
    const char *why)
{
    consumer->failed = 1;
    consumer->whole = 0;
    consumer->why = why;
}


/*
 * nginx calls this before each attempt to end the subrequest: several times if
 * output is left, or if an error has a page.  Errors that would also end the
 * main request are left to the consumer; others may get their "error_page".
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
        ngx_http_artifact_answered(r, consumer);

        /* nor does the length count for the location of an error's page */

        r->discard_body = (consumer->original != NULL);

        return rc;
    }

    /* the client has left: everything ends */

    if (rc == NGX_HTTP_CLIENT_CLOSED_REQUEST && r->connection->error) {
        return rc;
    }

    consumer->status = r->headers_out.status;
    ngx_http_artifact_answered(r, consumer);

    if (rc != NGX_OK && rc != NGX_AGAIN) {

        /* nobody waits for the output of a source that failed */

        r->buffered = 0;
        consumer->ended = 0;
    }

    if (r->buffered || r->postponed) {
        return NGX_OK;
    }

    /* only its header was sent, or its end was lost on the way */

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
 * Whether the addition filter still waits for the end of a source's content: it
 * drops its context once it has seen the end.  The end is lost if a filter
 * before it (gunzip, lua) marks an end of its own, which is marked differently
 * in a subrequest.
 */

static ngx_uint_t
ngx_http_artifact_lacks_end(ngx_http_request_t *r)
{
    ngx_module_t  *addition;

    addition = ngx_http_artifact_find_filter(NGX_HTTP_ARTIFACT_ADDITION);

    return addition && r->ctx[addition->ctx_index];
}


/*
 * Only now is it certain that nothing follows: no bytes that a filter holds, no
 * subrequests, and no end that a filter has marked too early.
 */

static void
ngx_http_artifact_consumer_end(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer)
{
    ngx_chain_t                  in;
    ngx_http_artifact_stream_t  *stream;

    stream = ngx_http_artifact_get_stream(r);

    if (consumer->ended && ngx_http_artifact_lacks_end(r)) {
        ngx_http_artifact_consumer_fail(consumer,
                                     "a filter has not come to the end of it");
    }

    if (stream && consumer->ended && stream->last == NULL) {

        in.buf = ngx_calloc_buf(r->pool);
        in.next = NULL;

        if (in.buf) {
            in.buf->sync = 1;
            stream->last = in.buf;

            (void) ngx_http_artifact_capture_write(r, consumer, &in);
        }

        if (r->buffered) {
            return;
        }
    }

    /* the image filter does not clear its flag if an image is truncated */

    if (!(consumer->buffered & NGX_HTTP_ARTIFACT_IMAGE_BUFFERED)) {
        r->connection->buffered &= ~NGX_HTTP_ARTIFACT_IMAGE_BUFFERED;
    }

    ngx_http_artifact_return_ssi(r, consumer->borrowed_ssi_ctx);
    consumer->borrowed_ssi_ctx = NULL;

    /* headers_more sets the main request's list to that of a subrequest */

    r->main->headers_in.headers = consumer->headers;

    consumer->no_source = consumer->missing && !consumer->found;
    consumer->missing = consumer->missing && consumer->found;

    ngx_http_artifact_answered_log(r, consumer);
}


void
ngx_http_artifact_consumer_release(ngx_http_request_t *r)
{
    ngx_chain_t                 *cl;
    ngx_pool_cleanup_t          *cln;
    ngx_http_artifact_source_t  *source;
    ngx_http_artifact_stream_t  *stream;

    stream = ngx_http_artifact_get_stream(r);

    if (stream == NULL) {
        return;
    }

    for (cl = stream->bufs.free; cl; cl = cl->next) {
        (void) ngx_pfree(r->pool, cl->buf->start);
    }

    stream->bufs.free = NULL;

    source = stream->source;
    cln = source ? source->cleanup : NULL;

    /* a cached content is still in use, and so are its strings */

    if (cln && cln->handler == ngx_pool_cleanup_file) {
        cln->handler(cln->data);
        cln->handler = NULL;
    }
}


/*
 * Finds out whether an artifact is missing, or the location that was asked is
 * no source at all ("no_source").  An error may have a page, which may be a
 * source as well: one source that has answered is enough.  Of a conversion
 * neither is asked.
 */

static void
ngx_http_artifact_answered(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer)
{
    ngx_int_t                 rc;
    ngx_uint_t                status;
    ngx_http_artifact_ctx_t  *ctx;

    status = consumer->status;

    if (consumer->original) {
        return;
    }

    consumer->missing = status == NGX_HTTP_UNAUTHORIZED
                        || status == NGX_HTTP_FORBIDDEN
                        || status == NGX_HTTP_NOT_FOUND
                        || status == 410;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    consumer->expired = consumer->missing && ctx && ctx->expired_at;

    /* the page of an error that keeps its status is no source */

    if (!consumer->missing || consumer->found
        || (r->err_status && consumer->no_source))
    {
        return;
    }

    rc = ngx_http_artifact_location(r, consumer->folder);

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact place: \"%V\" answered with %ui, source %i",
                   &r->uri, status, rc);

    if (rc == NGX_OK) {
        consumer->found = 1;
        ngx_http_artifact_location_log_refused(r, status);

    } else if (!consumer->no_source) {
        consumer->no_source = 1;
        consumer->logged = (rc == NGX_ABORT);
        consumer->uri = r->uri;
        consumer->location = ngx_http_artifact_location_name(r);
    }
}


/*
 * After the end: logs a failure, and sets consumer->why.  A missing content is
 * none: the reader is told about it.  What the failure of a conversion means is
 * left to who has asked for it.
 */

static void
ngx_http_artifact_answered_log(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer)
{
    ngx_uint_t   status;
    const char  *why;

    status = consumer->status;

    ngx_log_debug5(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact consumed: \"%V\", status %ui, whole %d, "
                   "missing %d, no source %d", &r->uri, status, consumer->whole,
                   consumer->missing, consumer->no_source);

    if (consumer->original == NULL) {
        ngx_http_artifact_count_time(ART_COUNT_SOURCE_WAIT, r);
    }

    if (consumer->whole || consumer->missing) {
        return;
    }

    if (consumer->no_source) {

        if (!consumer->logged) {
            ngx_http_artifact_location_log(r->connection->log, &consumer->uri,
                                           &consumer->location, status);
        }

        return;
    }

    why = consumer->why;

    if (why) {
        /* it is known */

    } else if (status != NGX_HTTP_OK) {
        why = "it did not answer with 200";

    } else if (!consumer->ended) {
        why = "it broke off";

    } else {
        why = consumer->failed ? "its content was not rendered"
                               : "a filter did not pass it on";
    }

    consumer->why = why;

    if (consumer->original) {
        return;
    }

    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "source \"%V%s%V\" of an artifact failed: %s (status %ui)",
                  &r->uri, r->args.len ? "?" : "", &r->args, why, status);
}


/*
 * Looks at the bytes of a conversion before they are rendered, and stops one
 * that is too long.
 */

static void
ngx_http_artifact_answered_bytes(ngx_http_artifact_consumer_t *consumer,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in)
{
    u_char  *p;

    for ( /* void */ ; in; in = in->next) {
        consumer->consumed += ngx_buf_size(in->buf);

        if (!ngx_buf_in_memory(in->buf)) {
            continue;
        }

        for (p = in->buf->pos; p < in->buf->last && !consumer->has_text; p++) {
            consumer->has_text = !ngx_http_artifact_is_white(*p);
        }
    }

    if (!consumer->has_text) {
        stream->made = NULL;
    }

    if (consumer->most && consumer->consumed > consumer->most) {
        consumer->too_long = 1;
        consumer->failed = 1;
        consumer->why = "it is too long";

        ngx_http_artifact_upstream_stop(stream->upstream);
    }
}


/*
 * Whether it is an artifact that is missing if a request was answered with 404
 * (or 401, 403, 410).  NGX_OK: the request came to a handler of references, to
 * another handler, to an upstream, or to a folder that exists; "folder" tells
 * that it may be for a file in one.  NGX_DECLINED: the location has no
 * artifacts; its status is that of "return", of no location at all, or of a
 * folder that is missing.  NGX_ABORT: the location's data root cannot be used,
 * which has been logged.
 */

static ngx_int_t
ngx_http_artifact_location(ngx_http_request_t *r, ngx_uint_t folder)
{
    ngx_http_artifact_loc_conf_t  *alcf;

    /* an upstream may have sent the request elsewhere: X-Accel-Redirect */

    if (r->upstream) {
        return NGX_OK;
    }

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    if (alcf->role == NULL) {
        return r->content_handler
               || (folder && ngx_http_artifact_location_has_folder(r))
               ? NGX_OK : NGX_DECLINED;
    }

    return ngx_http_artifact_has_refs(alcf)
           ? ngx_http_artifact_location_own(r) : NGX_DECLINED;
}


static ngx_int_t
ngx_http_artifact_location_own(ngx_http_request_t *r)
{
    ngx_http_artifact_ctx_t  *ctx;

    ctx = ngx_http_artifact_get_ctx(r);

    if (ctx == NULL || ctx->bad) {
        return NGX_DECLINED;
    }

    return ctx->rootless ? NGX_ABORT : NGX_OK;
}


/* The folder of nginx's static module, where the file would have been. */

static ngx_uint_t
ngx_http_artifact_location_has_folder(ngx_http_request_t *r)
{
    size_t            root;
    u_char           *p;
    ngx_str_t         path;
    ngx_file_info_t   info;

    if (ngx_http_map_uri_to_path(r, &path, &root, 0) == NULL) {
        return 0;
    }

    for (p = path.data + path.len; p > path.data && p[-1] != '/'; p--) {
        /* void */
    }

    *p = '\0';

    return p > path.data
           && ngx_file_info(path.data, &info) != NGX_FILE_ERROR
           && ngx_is_dir(&info);
}


/* The name of the location that has answered; empty: the server itself. */

static ngx_str_t
ngx_http_artifact_location_name(ngx_http_request_t *r)
{
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    return clcf->name;
}


/* Logs that the URI of a source led to that location, which has none. */

static void
ngx_http_artifact_location_log(ngx_log_t *log, ngx_str_t *uri,
    ngx_str_t *location, ngx_uint_t status)
{
    if (location->len == 0) {
        ngx_log_error(NGX_LOG_ERR, log, 0,
                      "source \"%V\" of an artifact failed: no location "
                      "matches it, check \"artifact_source\" (status %ui)",
                      uri, status);
        return;
    }

    ngx_log_error(NGX_LOG_ERR, log, 0,
                  "source \"%V\" of an artifact failed: location \"%V\" has "
                  "no artifacts, check \"artifact_source\" (status %ui)",
                  uri, location, status);
}


/*
 * Logs that a location which may have artifacts refused a source before its
 * handler was asked; nothing if the handler, or an upstream, has answered.
 */

static void
ngx_http_artifact_location_log_refused(ngx_http_request_t *r,
    ngx_uint_t status)
{
    ngx_str_t                      name;
    ngx_http_phase_handler_t      *ph;
    ngx_http_core_main_conf_t     *cmcf;
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);
    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);
    ph = &cmcf->phase_engine.handlers[r->phase_handler];

    if (alcf->role == NULL || r->upstream
        || ph->checker == ngx_http_core_content_phase)
    {
        return;
    }

    name = ngx_http_artifact_location_name(r);

    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "source \"%V\" of an artifact, which counts as missing, was "
                  "refused before \"%V\" of location \"%V\" (status "
                  "%ui): most headers of the client are withheld from a "
                  "source",
                  &r->uri, &ngx_http_artifact_role_directive(alcf)->name, &name,
                  status);
}
