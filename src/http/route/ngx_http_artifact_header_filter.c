
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The early header filter: it runs before not_modified, so that conditional
 * requests are compared with what is sent, and decides whether a content is
 * sent raw, as JSON, or not at all.  The body filter of the same nginx module,
 * "feed", runs before copy and limits what is read of files.
 */


#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_header_table.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/source/ngx_http_artifact_source.h"
#include "http/route/ngx_http_artifact_cache_key.h"
#include "http/route/ngx_http_artifact_consumer.h"
#include "http/route/ngx_http_artifact_headers.h"
#include "http/route/ngx_http_artifact_modules.h"
#include "http/route/ngx_http_artifact_stream.h"
#include "http/sign/ngx_http_artifact_url.h"
#include "store/disk/ngx_artifact_str.h"


#define NGX_HTTP_ARTIFACT_FEED_PIECE  32768


static ngx_int_t ngx_http_artifact_header_filter(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_local_header(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_response_header(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf);
static ngx_int_t ngx_http_artifact_route_response(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_other_status(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf);
static art_error_t ngx_http_artifact_is_unfit(ngx_http_request_t *r);
static ngx_uint_t ngx_http_artifact_is_gunzipped(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_test_routed(ngx_http_request_t *r,
    ngx_uint_t *routed);
static ngx_http_artifact_stream_t *ngx_http_artifact_make_stream(
    ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_get_terms(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_terms_t *terms);
static ngx_int_t ngx_http_artifact_refuse(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t error);
static ngx_int_t ngx_http_artifact_replace_page(ngx_http_request_t *r);
static ngx_uint_t ngx_http_artifact_is_error_page(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_replace_bad_uri(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_replace(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t error);
static ngx_int_t ngx_http_artifact_header_filter_init(ngx_conf_t *cf);
static void ngx_http_artifact_feed_init(void);
static ngx_int_t ngx_http_artifact_feed_filter(ngx_http_request_t *r,
    ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_feed_broken(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_feed(ngx_http_request_t *r,
    ngx_chain_t *in);
static void ngx_http_artifact_feed_stored(
    ngx_http_artifact_source_t *source, ngx_chain_t *in);
static ngx_uint_t ngx_http_artifact_feed_wants(
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_feed_head(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_buf_t *b);
static ngx_int_t ngx_http_artifact_feed_piece(ngx_http_request_t *r,
    ngx_buf_t *rest, off_t size);
static ngx_int_t ngx_http_artifact_feed_rest(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);
static ngx_int_t ngx_http_artifact_feed_end(ngx_http_request_t *r,
    ngx_chain_t *rest);


static ngx_http_output_body_filter_pt  ngx_http_next_body_filter;


static ngx_http_module_t  ngx_http_artifact_header_filter_module_ctx = {
    .postconfiguration = ngx_http_artifact_header_filter_init
};


ngx_module_t  ngx_http_artifact_header_filter_module =
    NGX_HTTP_ARTIFACT_MODULE(&ngx_http_artifact_header_filter_module_ctx, NULL);


static ngx_http_output_header_filter_pt  ngx_http_next_header_filter;


static ngx_int_t
ngx_http_artifact_header_filter(ngx_http_request_t *r)
{
    ngx_http_artifact_ctx_t       *ctx;
    ngx_http_artifact_consumer_t  *consumer;
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    if (ngx_http_artifact_decodes(alcf)) {
        ngx_http_artifact_check_cache_key(r);
    }

    consumer = ngx_http_artifact_consumer(r);

    if (consumer) {
        ngx_http_artifact_drop_no_codings(r);

        return ngx_http_artifact_capture_begin(r, consumer,
                                               ngx_http_next_header_filter);
    }

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    if (r == r->main
        && (alcf->role || alcf->requests || (ctx && ctx->failed))
        && ngx_http_artifact_replace_page(r) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (r->err_status == NGX_HTTP_BAD_REQUEST && r->uri.len == 0
        && ngx_http_artifact_replace_bad_uri(r) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    if (ctx && ctx->answered) {
        return ngx_http_next_header_filter(r);
    }

    if (ctx && ctx->source && ctx->source->local) {

        /* with any status, as an error page; but not nginx's own pages */

        if (!ctx->source->offered) {
            return ngx_http_next_header_filter(r);
        }

        ctx->source->offered = 0;

        return ngx_http_artifact_local_header(r, ctx);
    }

    if (r == r->main
        && (alcf->route != NGX_HTTP_ARTIFACT_ROUTE_OFF
            || ngx_http_artifact_decodes(alcf)))
    {
        return ngx_http_artifact_response_header(r, alcf);
    }

    return ngx_http_next_header_filter(r);
}


/* A file of our own: all is known, except for what its first bytes show. */

static ngx_int_t
ngx_http_artifact_local_header(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_int_t                    rc;
    ngx_uint_t                   routed;
    ngx_http_artifact_stream_t  *stream;

    routed = 0;

    if (r == r->main && ngx_http_artifact_test_routed(r, &routed) != NGX_OK) {
        return NGX_ERROR;
    }

    if (routed) {
        stream = ngx_http_artifact_make_stream(r, ctx);

        return stream ? ngx_http_artifact_send_routed_header(r, stream)
                      : NGX_ERROR;
    }

    rc = ngx_http_artifact_raw_headers(r, ctx->source);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (rc == NGX_DECLINED) {
        return ngx_http_artifact_refuse(r, ctx, ART_ERR_READ);
    }

    return ngx_http_next_header_filter(r);
}


/* Any other response: a file, or an upstream's answer. */

static ngx_int_t
ngx_http_artifact_response_header(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf)
{
    art_error_t               error;
    ngx_uint_t                routed, status;
    ngx_http_artifact_ctx_t  *ctx;

    status = r->headers_out.status;

    if (status != NGX_HTTP_OK && status != NGX_HTTP_PARTIAL_CONTENT
        && (status != NGX_HTTP_NOT_FOUND || r->upstream == NULL
            || !ngx_http_artifact_decodes(alcf)))
    {
        return ngx_http_artifact_other_status(r, alcf);
    }

    ctx = ngx_http_artifact_get_ctx(r);
    if (ctx == NULL) {
        return NGX_ERROR;
    }

    if (status == NGX_HTTP_NOT_FOUND) {
        return ngx_http_artifact_refuse(r, ctx, ART_ERR_NOT_FOUND);
    }

    routed = 0;

    if (r == r->main && ngx_http_artifact_test_routed(r, &routed) != NGX_OK) {
        return NGX_ERROR;
    }

    if (!routed) {

        if (ngx_http_artifact_decodes(alcf)
            && ngx_http_artifact_raw_safety(r) != NGX_OK)
        {
            return NGX_ERROR;
        }

        return ngx_http_next_header_filter(r);
    }

    ngx_http_artifact_drop_no_codings(r);

    error = ngx_http_artifact_is_unfit(r);

    if (error == ART_ERR_MAX) {
        return ngx_http_artifact_route_response(r, ctx);
    }

    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "response cannot be routed: %s",
                  error == ART_ERR_PARTIAL ? "it is not the whole content"
                                           : "its body is encoded");

    return ngx_http_artifact_refuse(r, ctx, error);
}


/* The source is known by its headers, or its first bytes are awaited. */

static ngx_int_t
ngx_http_artifact_route_response(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_uint_t                   coded;
    ngx_http_artifact_stream_t  *stream;

    coded = ngx_http_artifact_is_gunzipped(r);

    if (coded) {
        ngx_http_clear_content_length(r);

#if (NGX_HTTP_GZIP)

        /* as if the client did not accept gzip; this is tested again later */

        r->gzip_tested = 1;
        r->gzip_ok = 0;

#endif
    }

    if (ngx_http_artifact_response_source(r, ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    ctx->source->coded = coded & 1;

    stream = ngx_http_artifact_make_stream(r, ctx);
    if (stream == NULL) {
        return NGX_ERROR;
    }

    if (!ctx->source->wanted) {
        return ngx_http_artifact_send_routed_header(r, stream);
    }

    /* set now: the copy filter checks it before the header is sent */

    ngx_http_artifact_need_in_memory(r);

    return NGX_OK;
}


/* Passed on, with safety headers if a store's 200 serves as an error page. */

static ngx_int_t
ngx_http_artifact_other_status(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf)
{
    if (r->upstream
        && r->upstream->headers_in.status_n == NGX_HTTP_OK
        && ngx_http_artifact_decodes(alcf)
        && ngx_http_artifact_raw_safety(r) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_next_header_filter(r);
}


/* Why a response cannot be rendered; ART_ERR_MAX if it can. */

static art_error_t
ngx_http_artifact_is_unfit(ngx_http_request_t *r)
{
    if (r->headers_out.status == NGX_HTTP_PARTIAL_CONTENT
        || r->headers_out.content_offset)
    {
        return ART_ERR_PARTIAL;
    }

    return ngx_http_artifact_is_encoded(&r->headers_out.headers)
           && !ngx_http_artifact_is_gunzipped(r) ? ART_ERR_ENCODED
                                                 : ART_ERR_MAX;
}


/*
 * Whether the gunzip filter will decode the answer, as it does for clients that
 * do not accept gzip.  Its configuration is private: the offset of the flag is
 * taken from its directive.
 */

static ngx_uint_t
ngx_http_artifact_is_gunzipped(ngx_http_request_t *r)
{
    char             *conf;
    ngx_module_t     *module;
    ngx_command_t    *cmd;
    ngx_table_elt_t  *header;

    module = ngx_http_artifact_find_filter(NGX_HTTP_ARTIFACT_GUNZIP);
    header = r->headers_out.content_encoding;

    if (module == NULL || module->commands == NULL || header == NULL
        || !art_str_is(ngx_artifact_str(&header->value), "gzip"))
    {
        return 0;
    }

    conf = r->loc_conf[module->ctx_index];

    for (cmd = module->commands; cmd->name.len; cmd++) {

        if (cmd->set == ngx_conf_set_flag_slot
            && ngx_strcmp(cmd->name.data, "gunzip") == 0)
        {
            return *(ngx_flag_t *) (conf + cmd->offset) == 1;
        }
    }

    return 0;
}


/* The Vary header is the same for all readers, also if routing is not. */

static ngx_int_t
ngx_http_artifact_test_routed(ngx_http_request_t *r, ngx_uint_t *routed)
{
    ngx_http_artifact_loc_conf_t  *alcf;

    static ngx_str_t  both = ngx_string("X-LLM-Service, X-LLM-Capabilities");

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    if (ngx_http_artifact_is_routed(r, routed) != NGX_OK) {
        return NGX_ERROR;
    }

    if (alcf->route == NGX_HTTP_ARTIFACT_ROUTE_OFF) {
        return NGX_OK;
    }

    /* no header can change a constant value ("lengths" is NULL) */

    if (alcf->service->lengths && alcf->accept->lengths
        && ngx_http_artifact_find_header(&r->headers_out.headers, "Vary")
           == NULL)
    {
        return ngx_http_artifact_add_header(r, "Vary", &both);
    }

    if (alcf->service->lengths
        && ngx_http_artifact_vary(r, "X-LLM-Service") != NGX_OK)
    {
        return NGX_ERROR;
    }

    return alcf->accept->lengths
           ? ngx_http_artifact_vary(r, "X-LLM-Capabilities") : NGX_OK;
}


static ngx_http_artifact_stream_t *
ngx_http_artifact_make_stream(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_http_artifact_stream_t  *stream;

    stream = ngx_http_artifact_stream_create(r, ctx);

    if (stream == NULL) {
        return NULL;
    }

    if (ngx_http_artifact_upstream_follow(r, stream) != NGX_OK
        || ngx_http_artifact_get_terms(r, ctx, &stream->terms) != NGX_OK)
    {
        return NULL;
    }

    return stream;
}


/*
 * Sets the terms of an answer to the request itself, from its location and
 * reader.
 */

static ngx_int_t
ngx_http_artifact_get_terms(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_terms_t *terms)
{
    art_url_t  *url;

    terms->conf = ctx->conf;
    terms->reader = ctx->reader;

    if (ngx_http_artifact_named_format(r, ctx->conf, ctx->reader->service,
                                       &terms->format)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact terms: format \"%s\"",
                   terms->format->name);

    ngx_str_null(&terms->tool_call_id);
    terms->url = NULL;

    /* a content without an id has no URL under the prefix */

    if ((terms->format->flags & ART_FORMAT_LINK) && ctx->conf->url
        && !ctx->bad && ctx->status == ART_ID_OK)
    {
        url = ngx_palloc(r->pool, sizeof(art_url_t));

        if (url == NULL
            || ngx_http_artifact_url(r, ctx->conf, url) != NGX_OK)
        {
            return NGX_ERROR;
        }

        terms->url = art_url_given(url) ? url : NULL;
    }

    return terms->format->flags & ART_FORMAT_CALL_ID
           ? ngx_http_artifact_tool_call_id(r, &terms->tool_call_id) : NGX_OK;
}


ngx_int_t
ngx_http_artifact_send_routed_header(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    if (ngx_http_artifact_stream_start(r, stream) != NGX_OK
        || ngx_http_artifact_routed_headers(r, stream) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_next_header_filter(r);
}


/* Sends an error instead of the response, whose own headers are dropped. */

static ngx_int_t
ngx_http_artifact_refuse(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx,
    art_error_t error)
{
    ngx_http_clean_header(r);

    if (ngx_http_artifact_replace(r, ctx, error) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_http_next_header_filter(r);
}


/*
 * nginx answers some of its own errors with a page, from filters whose request
 * has lost its contexts by then: the page becomes JSON.
 */

static ngx_int_t
ngx_http_artifact_replace_page(ngx_http_request_t *r)
{
    ngx_int_t                      rc;
    art_error_t                    error;
    ngx_http_artifact_ctx_t       *ctx;
    ngx_http_artifact_loc_conf_t  *alcf;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);
    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    if (ctx && ctx->failed) {
        error = ctx->converts ? ART_ERR_CONVERSION : ART_ERR_STORAGE;

        if (r->headers_out.status == NGX_HTTP_GATEWAY_TIME_OUT) {
            error = ART_ERR_TIMEOUT;
        }

    } else {
        error = art_error_of_http((unsigned) r->headers_out.status);

        if (alcf->role == NULL && error != ART_ERR_TOO_LARGE) {
            return NGX_OK;
        }
    }

    if (error == ART_ERR_MAX || r->err_status != r->headers_out.status
        || ngx_http_artifact_is_error_page(r))
    {
        return NGX_OK;
    }

    ctx = ngx_http_artifact_get_ctx(r);
    if (ctx == NULL) {
        return NGX_ERROR;
    }

    rc = ngx_http_artifact_replace(r, ctx, error);

    if (rc != NGX_OK) {
        return rc == NGX_DECLINED ? NGX_OK : rc;
    }

    ngx_http_artifact_drop_headers(r, NGX_HTTP_ARTIFACT_HEADERS_NAME);

    return alcf->role && alcf->role->vary
           ? ngx_http_artifact_vary(r, alcf->role->vary) : NGX_OK;
}


/*
 * Whether the answer is that of an "error_page".  nginx sets r->error_page also
 * if the location has one for other statuses only, and not at all where they
 * are recursive; this module sets it when it reads the body.  A redirect counts
 * in r->uri_changes; behind one of another kind the page may still be nginx's.
 * A page of another server is a Location.
 */

static ngx_uint_t
ngx_http_artifact_is_error_page(ngx_http_request_t *r)
{
    ngx_str_t  *type;

    static ngx_str_t  page = ngx_string("text/html");

    type = &r->headers_out.content_type;

    if (r->headers_out.location) {
        return 1;
    }

    return r->uri_changes <= NGX_HTTP_MAX_URI_CHANGES
           && (r->error_page || type->len != page.len
               || ngx_memcmp(type->data, page.data, page.len) != 0);
}


/*
 * nginx refuses a URI that climbs above the root, or contains a NUL, before it
 * looks for a location: the location is found by the URI's raw text.
 */

static ngx_int_t
ngx_http_artifact_replace_bad_uri(ngx_http_request_t *r)
{
    u_char                         *last;
    ngx_str_t                      *prefix;
    ngx_uint_t                      i;
    ngx_http_artifact_ctx_t        *ctx;
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);

    if (amcf->prefixes == NULL || r->uri_start == NULL || r->uri_end == NULL
        || r->error_page)
    {
        return NGX_OK;
    }

    last = ngx_strlchr(r->uri_start, r->uri_end, '?');

    if (last == NULL) {
        last = r->uri_end;
    }

    prefix = amcf->prefixes->elts;

    for (i = 0; i < amcf->prefixes->nelts; i++) {

        if (last - r->uri_start < (ssize_t) prefix[i].len
            || ngx_strncmp(r->uri_start, prefix[i].data, prefix[i].len) != 0)
        {
            continue;
        }

        ctx = ngx_http_artifact_get_ctx(r);
        if (ctx == NULL) {
            return NGX_ERROR;
        }

        ctx->given.data = r->uri_start + prefix[i].len;
        ctx->given.len = (size_t) (last - ctx->given.data);

        ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                       "http artifact bad request below \"%V\"", &prefix[i]);

        return ngx_http_artifact_replace(r, ctx, ART_ERR_INVALID_ID);
    }

    return NGX_OK;
}


/*
 * The header becomes the error's; the body filter replaces the body.
 * NGX_DECLINED, with nothing changed, if the error has no shape here.
 */

static ngx_int_t
ngx_http_artifact_replace(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx,
    art_error_t error)
{
    ngx_buf_t                   *b;
    ngx_int_t                    rc;
    art_out_t                    out;
    ngx_http_artifact_stream_t  *stream;

    rc = ngx_http_artifact_set_error(r, ctx, error, &out);

    if (rc != NGX_OK) {
        return rc;
    }

    b = ngx_calloc_buf(r->pool);
    stream = ngx_http_artifact_stream_create(r, ctx);

    if (b == NULL || stream == NULL) {
        return NGX_ERROR;
    }

    b->pos = out.data;
    b->last = out.data + out.len;
    b->memory = 1;
    b->last_buf = 1;
    b->last_in_chain = 1;

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact stream: replace, status %ui",
                   r->headers_out.status);

    stream->state = NGX_HTTP_ARTIFACT_STREAM_REPLACE;
    stream->replacement = b;

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_header_filter_init(ngx_conf_t *cf)
{
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);

    if (amcf->used) {
        ngx_http_next_header_filter = ngx_http_top_header_filter;
        ngx_http_top_header_filter = ngx_http_artifact_header_filter;

        ngx_http_artifact_feed_init();
    }

    return NGX_OK;
}


/* Adds the body filter that feeds files to streams, before copy. */

static void
ngx_http_artifact_feed_init(void)
{
    ngx_http_next_body_filter = ngx_http_top_body_filter;
    ngx_http_top_body_filter = ngx_http_artifact_feed_filter;
}


/*
 * nginx takes an error of any filter for an error of the connection, which also
 * ends the main request: an error of a source's filter is handled here.  A
 * filter that asks for an error page must not get "error_page": nginx would
 * redirect the source, whose handler is still at work, and count on the error
 * to end both.
 */

static ngx_int_t
ngx_http_artifact_feed_filter(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_int_t                      rc;
    ngx_uint_t                     error_page;
    ngx_http_artifact_stream_t    *stream;
    ngx_http_artifact_consumer_t  *consumer;

    consumer = ngx_http_artifact_consumer(r);

    if (consumer == NULL) {
        return ngx_http_artifact_feed(r, in);
    }

    if (consumer->broken) {
        ngx_http_artifact_drop(in);
        return ngx_http_artifact_feed_broken(r);
    }

    error_page = r->error_page;
    r->error_page = 1;

    rc = ngx_http_artifact_feed(r, in);

    r->error_page = error_page & 1;

    if (rc != NGX_ERROR) {
        return rc;
    }

    consumer->broken = 1;

    ngx_http_artifact_consumer_fail(consumer, consumer->why
                                              ? consumer->why
                                              : "a filter failed");
    ngx_http_artifact_drop(in);
    r->buffered = 0;

    stream = ngx_http_artifact_get_stream(r);

    if (stream) {
        ngx_http_artifact_stream_abandon(stream);
        ngx_http_artifact_upstream_end(stream->upstream);
    }

    return NGX_OK;
}


/*
 * A source that has failed while it was not yet its turn has output left in the
 * postpone filter, such as an error page, and may have subrequests there.  That
 * filter is not called any more, so its work is done here: the output is
 * dropped, and the subrequests end one after the other.
 */

static ngx_int_t
ngx_http_artifact_feed_broken(ngx_http_request_t *r)
{
    ngx_http_postponed_request_t  *pr;

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact feed: broken off, \"%V\"", &r->uri);

    /* nginx would take the end for an error of the connection */

    r->filter_finalize = 0;

    while (r == r->connection->data && r->postponed) {
        pr = r->postponed;
        r->postponed = pr->next;

        if (pr->request) {
            r->connection->data = pr->request;
            return ngx_http_post_request(pr->request, NULL);
        }

        ngx_http_artifact_drop(pr->out);
    }

    return NGX_OK;
}


/*
 * If a response's source is a file (of nginx's static module, or a cached
 * object), no more of it is read than the answer needs: the copy filter would
 * read all of it, even if the bytes are dropped afterwards.
 */

static ngx_int_t
ngx_http_artifact_feed(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_int_t                    rc;
    ngx_http_artifact_stream_t  *stream;

    stream = ngx_http_artifact_get_stream(r);

    if (stream == NULL || stream->source == NULL || stream->source->local) {
        return ngx_http_next_body_filter(r, in);
    }

    if (stream->rest == NULL) {

        if (in && stream->state == NGX_HTTP_ARTIFACT_STREAM_WAIT) {
            ngx_http_artifact_feed_stored(stream->source, in);
        }

        if (!ngx_http_artifact_feed_wants(stream, in)) {
            return ngx_http_next_body_filter(r, in);
        }

        rc = ngx_http_artifact_feed_head(r, stream, in->buf);

    } else {

        if (in && ngx_chain_add_copy(r->pool, &stream->rest, in) != NGX_OK) {
            return NGX_ERROR;
        }

        /* a thread may have finished reading */

        rc = ngx_http_next_body_filter(r, NULL);
    }

    /*
     * a filter of a source may need more input before it passes anything on,
     * and an image before its size is known
     */

    while (rc != NGX_ERROR && stream->rest
           && (stream->part || stream->source->head_room > ART_SNIFF_MAX)
           && stream->state == NGX_HTTP_ARTIFACT_STREAM_WAIT
           && stream->rest->next == NULL
           && !(r->buffered & NGX_HTTP_COPY_BUFFERED)
           && stream->rest->buf->file_last - stream->rest->buf->file_pos
              > NGX_HTTP_ARTIFACT_FEED_PIECE)
    {
        rc = ngx_http_artifact_feed_piece(r, stream->rest->buf,
                                          NGX_HTTP_ARTIFACT_FEED_PIECE);
    }

    /* a filter that marked an end of its own may have let the rest pass */

    if (rc == NGX_ERROR || stream->rest == NULL) {
        return rc;
    }

    if (stream->state == NGX_HTTP_ARTIFACT_STREAM_WAIT
        && ((!stream->part && stream->source->head_room <= ART_SNIFF_MAX)
            || (r->buffered & NGX_HTTP_COPY_BUFFERED)))
    {
        return NGX_AGAIN;
    }

    return ngx_http_artifact_feed_rest(r, stream);
}


/*
 * Notes where all bytes of a response are: in a file.  Filters that change any
 * do not know the length any more.  What is read past the cache of the system
 * cannot be read in pieces.
 */

static void
ngx_http_artifact_feed_stored(ngx_http_artifact_source_t *source,
    ngx_chain_t *in)
{
    ngx_buf_t  *b;

    b = in->buf;

    if (source->head_len == 0 && b->in_file && !ngx_buf_in_memory(b)
        && !b->file->directio && b->file_last - b->file_pos == source->size)
    {
        source->stored = b->file;
        source->stored_at = b->file_pos;
    }
}


/*
 * Whether this is a file whose first bytes are awaited.  What a consumer gets
 * is seldom described, and read at once if that is one piece.
 */

static ngx_uint_t
ngx_http_artifact_feed_wants(ngx_http_artifact_stream_t *stream,
    ngx_chain_t *in)
{
    ngx_buf_t  *b;

    if (in == NULL || in->next
        || stream->state != NGX_HTTP_ARTIFACT_STREAM_WAIT
        || stream->source->head_len > 0)
    {
        return 0;
    }

    b = in->buf;

    return b->in_file && !ngx_buf_in_memory(b)
           && b->file_last - b->file_pos
              > (stream->part ? NGX_HTTP_ARTIFACT_FEED_PIECE : ART_SNIFF_MAX);
}


/* Passes the first bytes on, and holds the rest until they are classified. */

static ngx_int_t
ngx_http_artifact_feed_head(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_buf_t *b)
{
    ngx_buf_t    *rest;
    ngx_chain_t  *cl;

    rest = ngx_palloc(r->pool, sizeof(ngx_buf_t));
    cl = ngx_alloc_chain_link(r->pool);

    if (rest == NULL || cl == NULL) {
        return NGX_ERROR;
    }

    *rest = *b;
    b->file_pos = b->file_last;

    cl->buf = rest;
    cl->next = NULL;

    stream->rest = cl;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact feed: first %d of %O bytes", ART_SNIFF_MAX,
                   rest->file_last - rest->file_pos);

    return ngx_http_artifact_feed_piece(r, rest, ART_SNIFF_MAX);
}


static ngx_int_t
ngx_http_artifact_feed_piece(ngx_http_request_t *r, ngx_buf_t *rest, off_t size)
{
    ngx_buf_t    *piece;
    ngx_chain_t   out;

    piece = ngx_palloc(r->pool, sizeof(ngx_buf_t));
    if (piece == NULL) {
        return NGX_ERROR;
    }

    *piece = *rest;

    piece->file_last = rest->file_pos + size;
    piece->last_buf = 0;
    piece->last_in_chain = 0;

    rest->file_pos = piece->file_last;

    out.buf = piece;
    out.next = NULL;

    return ngx_http_next_body_filter(r, &out);
}


static ngx_int_t
ngx_http_artifact_feed_rest(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    off_t         limit;
    ngx_buf_t    *b;
    ngx_chain_t  *rest;

    rest = stream->rest;
    stream->rest = NULL;

    if (stream->state == NGX_HTTP_ARTIFACT_STREAM_DERIVE) {
        return ngx_http_artifact_feed_end(r, rest);
    }

    if (r->header_only
        || (stream->state != NGX_HTTP_ARTIFACT_STREAM_RENDER && !stream->part
            && stream->state != NGX_HTTP_ARTIFACT_STREAM_WAIT)
        || stream->state == NGX_HTTP_ARTIFACT_STREAM_END)
    {
        return NGX_OK;
    }

    b = rest->buf;
    limit = ngx_http_artifact_stream_input_limit(stream);

    if (limit && b->file_last - b->file_pos > limit - ART_SNIFF_MAX) {
        b->file_last = b->file_pos + limit - ART_SNIFF_MAX;
    }

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact feed: other %O bytes",
                   b->file_last - b->file_pos);

    return ngx_http_next_body_filter(r, rest);
}


/* None of the rest is needed, except that it may be the end. */

static ngx_int_t
ngx_http_artifact_feed_end(ngx_http_request_t *r, ngx_chain_t *rest)
{
    while (rest && !rest->buf->last_buf) {
        rest = rest->next;
    }

    if (rest == NULL) {
        return NGX_OK;
    }

    rest->buf->in_file = 0;

    return ngx_http_next_body_filter(r, rest);
}
