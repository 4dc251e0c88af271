
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Contents: resources/read, for programs, and the tool read_artifact, routed
 * for the model that asks.  Both are rendered by the stream of http/route, with
 * the envelope of the message around it.
 */


#include "http/mcp/ngx_http_artifact_mcp_state.h"
#include "http/sign/ngx_http_artifact_url.h"
#include "http/convert/ngx_http_artifact_convert.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/source/ngx_http_artifact_source.h"
#include "http/route/ngx_http_artifact_stream.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/json/art_json_error.h"
#include "core/mcp/art_mcp_contents.h"


/* Bytes of an envelope, if its id is short. */

#define NGX_HTTP_ARTIFACT_MCP_ENVELOPE  768


static ngx_int_t ngx_http_artifact_mcp_resource_opened(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);
static ngx_int_t ngx_http_artifact_mcp_resource_error(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);
static ngx_int_t ngx_http_artifact_mcp_resource_large(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);
static ngx_int_t ngx_http_artifact_mcp_read_opened(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);
static ngx_uint_t ngx_http_artifact_mcp_is_text(
    ngx_http_artifact_stream_t *stream);
static ngx_int_t ngx_http_artifact_mcp_read_failed(ngx_http_request_t *r,
    art_error_t error);
static ngx_http_artifact_stream_t *ngx_http_artifact_mcp_stream(
    ngx_http_request_t *r, ngx_http_artifact_mcp_t *mcp,
    const art_format_t *format);
static ngx_int_t ngx_http_artifact_mcp_envelope(
    ngx_http_artifact_mcp_t *mcp, art_envelope_t *envelope,
    unsigned resource);
static ngx_int_t ngx_http_artifact_mcp_send_stream(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, ngx_http_artifact_stream_t *stream);


ngx_int_t
ngx_http_artifact_mcp_resource(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    return ngx_http_artifact_mcp_open_uri(r, mcp, mcp->message.uri,
                                       ngx_http_artifact_mcp_resource_opened);
}


static ngx_int_t
ngx_http_artifact_mcp_resource_opened(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    ngx_http_artifact_ctx_t     *ctx;
    ngx_http_artifact_stream_t  *stream;

    ctx = mcp->ctx;

    if (mcp->error != ART_ERR_MAX) {
        return ngx_http_artifact_mcp_resource_error(r, mcp);
    }

    if (ctx->conf->inline_max && ctx->source->size > ctx->conf->inline_max) {
        return ngx_http_artifact_mcp_resource_large(r, mcp);
    }

    stream = ngx_http_artifact_mcp_stream(r, mcp, &art_mcp_contents);
    if (stream == NULL) {
        return NGX_ERROR;
    }

    /* a program gets all of it */

    stream->terms.text_max = ctx->conf->text_max ? -1 : 0;

    if (ngx_http_artifact_stream_start(r, stream) != NGX_OK) {
        return NGX_ERROR;
    }

    if (stream->view.decision.reason != ART_REASON_NONE) {

        /* it cannot be read */

        ctx->stream = NULL;
        mcp->error = ART_ERR_READ;

        return ngx_http_artifact_mcp_resource_error(r, mcp);
    }

    return ngx_http_artifact_mcp_send_stream(r, mcp, stream);
}


static ngx_int_t
ngx_http_artifact_mcp_resource_error(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    art_out_t        out;
    ngx_uint_t       missing;
    art_mcp_error_t  error;

    missing = art_error_status(mcp->error) == NGX_HTTP_NOT_FOUND
              || mcp->error == ART_ERR_INVALID_ID
              || mcp->error == ART_ERR_TRAVERSAL;

    if (missing && mcp->message.members[ART_MCP_MEMBER_URI].cut) {

        /* it was too long to be kept */

        art_mcp_error_missing(&mcp->message, &error, art_str(NULL, 0));

        return ngx_http_artifact_mcp_error(r, mcp, &error);
    }

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        if (missing) {
            art_mcp_contents_missing(&out, mcp->message.uri);

        } else {
            art_error_words(&out, mcp->error, mcp->message.uri,
                            (art_lang_t) mcp->ctx->conf->language);
        }
    } while (ngx_http_artifact_print_again(r->pool, &out));

    if (out.data == NULL) {
        return NGX_ERROR;
    }

    if (missing) {
        art_mcp_error_missing(&mcp->message, &error, mcp->message.uri);
        error.data = art_str(out.data, out.len);

        return ngx_http_artifact_mcp_error(r, mcp, &error);
    }

    art_mcp_error_set(&error, NGX_HTTP_OK, ART_RPC_INTERNAL, "Internal error",
                      art_str(out.data, out.len));

    return ngx_http_artifact_mcp_error(r, mcp, &error);
}


static ngx_int_t
ngx_http_artifact_mcp_resource_large(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    art_out_t                    out;
    art_url_t                    url;
    art_mcp_error_t              error;
    ngx_http_artifact_source_t  *source;

    source = mcp->ctx->source;

    if (ngx_http_artifact_url(r, mcp->ctx->conf, &url) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_mcp_contents_large(&out, source->id, (uint64_t) source->size,
                               &url);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    if (out.data == NULL) {
        return NGX_ERROR;
    }

    art_mcp_error_set(&error, NGX_HTTP_OK, ART_RPC_PARAMS,
                      "Invalid params: the resource is too large",
                      art_str(NULL, 0));

    error.data = art_str(out.data, out.len);

    return ngx_http_artifact_mcp_error(r, mcp, &error);
}


ngx_int_t
ngx_http_artifact_mcp_read(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    return ngx_http_artifact_mcp_open_given(r, mcp,
                                         ngx_http_artifact_mcp_read_opened);
}


static ngx_int_t
ngx_http_artifact_mcp_read_opened(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    uint64_t                     max;
    ngx_http_artifact_ctx_t     *ctx;
    ngx_http_artifact_terms_t   *terms;
    ngx_http_artifact_stream_t  *stream;

    ctx = mcp->ctx;

    if (mcp->error != ART_ERR_MAX) {
        return ngx_http_artifact_mcp_read_error(r, mcp);
    }

    if (mcp->message.args[ART_MCP_ARG_LINES].given
        || mcp->message.args[ART_MCP_ARG_BYTES].given
        || mcp->message.args[ART_MCP_ARG_GREP].given)
    {
        return ngx_http_artifact_mcp_lines(r, mcp);
    }

    stream = ngx_http_artifact_mcp_stream(r, mcp, &art_mcp_read);
    if (stream == NULL) {
        return NGX_ERROR;
    }

    terms = &stream->terms;
    max = ngx_http_artifact_mcp_text_max(mcp);

    terms->text_max = (off_t) max;
    terms->failed = ngx_http_artifact_mcp_read_failed;

    /*
     * Without a URL: what the model cannot take is described.  A resource_link
     * breaks clients (docs/mcp.md).
     */

    if (ngx_http_artifact_stream_start(r, stream) != NGX_OK) {
        return NGX_ERROR;
    }

    if (ngx_http_artifact_mcp_is_text(stream)
        && art_render_may_cut(&stream->view, max))
    {
        ctx->stream = NULL;
        return ngx_http_artifact_mcp_lines_whole(r, mcp, max);
    }

    return ngx_http_artifact_mcp_send_stream(r, mcp, stream);
}


/* Whether a stream that was started sends a text as it is stored. */

static ngx_uint_t
ngx_http_artifact_mcp_is_text(ngx_http_artifact_stream_t *stream)
{
    return stream->state == NGX_HTTP_ARTIFACT_STREAM_RENDER
           && stream->render->form == ART_FORM_TEXT
           && stream->derivable == NULL;
}


/* A conversion has failed: called by http/derive. */

static ngx_int_t
ngx_http_artifact_mcp_read_failed(ngx_http_request_t *r, art_error_t error)
{
    ngx_http_artifact_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    return ngx_http_artifact_mcp_tool_error(r, ngx_http_artifact_get_mcp(r),
                                            error,
                                            ngx_artifact_str(&ctx->given));
}


/* A stream of the open source, which has not been started. */

static ngx_http_artifact_stream_t *
ngx_http_artifact_mcp_stream(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, const art_format_t *format)
{
    ngx_http_artifact_ctx_t     *ctx;
    ngx_http_artifact_terms_t   *terms;
    ngx_http_artifact_stream_t  *stream;

    ctx = mcp->ctx;

    stream = ngx_http_artifact_stream_create(r, ctx);
    if (stream == NULL) {
        return NULL;
    }

    terms = &stream->terms;

    terms->conf = ctx->conf;
    terms->reader = ngx_http_artifact_get_reader(r);
    terms->format = format;

    if (terms->reader == NULL
        || ngx_http_artifact_mcp_envelope(mcp, &terms->envelope,
                                          format == &art_mcp_contents)
           != NGX_OK)
    {
        return NULL;
    }

    return stream;
}


static ngx_int_t
ngx_http_artifact_mcp_envelope(ngx_http_artifact_mcp_t *mcp,
    art_envelope_t *envelope, unsigned resource)
{
    size_t       n[2];
    art_out_t    out;
    ngx_pool_t  *pool;
    ngx_uint_t   may_cut;

    pool = mcp->request->pool;

    /* most are short: measuring them costs more than the memory */

    out = art_out(ngx_pnalloc(pool, NGX_HTTP_ARTIFACT_MCP_ENVELOPE),
                  NGX_HTTP_ARTIFACT_MCP_ENVELOPE);

    if (out.data == NULL) {
        return NGX_ERROR;
    }

    /*
     * a text that is cut here was made of the content: the content itself is
     * sent line by line if it may be too long
     */

    may_cut = !resource && ngx_http_artifact_rules(mcp->ctx->conf) != NULL;

    do {
        art_mcp_contents_head(&out, &mcp->message, resource);
        n[0] = out.len;

        if (may_cut) {
            art_mcp_contents_cut(&out, mcp->ctx->source->id,
                                 (art_lang_t) mcp->ctx->conf->language);
        }

        n[1] = out.len;

        art_mcp_contents_tail(&out);

        if (out.len > out.room) {
            out.data = NULL;
        }
    } while (ngx_http_artifact_print_again(pool, &out));

    if (out.data == NULL) {
        return NGX_ERROR;
    }

    envelope->before = art_str(out.data, n[0]);
    envelope->cut = art_str(out.data + n[0], n[1] - n[0]);
    envelope->after = art_str(out.data + n[1], out.len - n[1]);

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_mcp_send_stream(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, ngx_http_artifact_stream_t *stream)
{
    off_t  length;

    /* another form of the content has another length */

    length = stream->derivable ? -1 : stream->length;

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact mcp: content, answer of %O bytes",
                   length);

    if (ngx_http_artifact_mcp_headers(r, mcp, length) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_http_artifact_send_local(r, mcp->ctx);
}
