
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Answers to messages, and what a browser has to know about them: what its
 * page may send and see (CORS).
 */


#include "http/mcp/ngx_http_artifact_mcp_state.h"
#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/route/ngx_http_artifact_stream.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/mcp/art_mcp_contents.h"


static ngx_int_t ngx_http_artifact_mcp_empty(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, ngx_uint_t status);
static ngx_int_t ngx_http_artifact_mcp_cors(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);


void
ngx_http_artifact_mcp_finish(ngx_http_request_t *r, ngx_int_t rc)
{
    ngx_http_artifact_ctx_t  *ctx;

    if (rc == NGX_DONE) {
        return;
    }

    /*
     * before the header nginx answers an error with its page, but its chunked
     * filter, which may have failed, would take that for a part of the answer
     */

    if (rc == NGX_ERROR && !r->header_sent && !r->chunked) {
        rc = NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    /* ... which is not the content that a stream was made for */

    ctx = ngx_http_artifact_get_mcp(r)->ctx;

    if (rc >= NGX_HTTP_SPECIAL_RESPONSE && !r->header_sent && ctx->stream
        && ctx->stream->state <= NGX_HTTP_ARTIFACT_STREAM_RENDER)
    {
        ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                       "http artifact mcp: error %i, its stream is dropped",
                       rc);

        ctx->stream = NULL;
    }

    ngx_http_finalize_request(r, rc);
}


ngx_int_t
ngx_http_artifact_mcp_send(ngx_http_request_t *r, ngx_http_artifact_mcp_t *mcp,
    ngx_uint_t status, art_out_t *out)
{
    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact mcp: answer with %ui, %uz bytes",
                   status, out->len);

    /* a message is never "not modified" */

    r->disable_not_modified = 1;

    if (ngx_http_artifact_mcp_cors(r, mcp) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return ngx_http_artifact_send_json(r, mcp->ctx, status, out);
}


ngx_int_t
ngx_http_artifact_mcp_result(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, art_mcp_cache_t cache, art_out_t *json)
{
    art_out_t  out;

    if (json->data == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_mcp_print_result_head(&out, &mcp->message, cache);
        art_out_mem(&out, json->data, json->len);
        art_mcp_print_result_tail(&out);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    mcp->outcome = ART_COUNT_MCP_RESULT;

    return ngx_http_artifact_mcp_send(r, mcp, NGX_HTTP_OK, &out);
}


ngx_int_t
ngx_http_artifact_mcp_error(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, const art_mcp_error_t *error)
{
    art_out_t  out;

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact mcp: error %d, %ud, %s", error->code,
                   error->status, error->message);

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_mcp_print_error(&out, &mcp->message, error);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    mcp->outcome = error->status == NGX_HTTP_OK ? ART_COUNT_MCP_ERROR
                                                : ART_COUNT_MCP_REFUSED;

    return ngx_http_artifact_mcp_send(r, mcp, error->status, &out);
}


ngx_int_t
ngx_http_artifact_mcp_tool_words(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, art_str_t text, ngx_uint_t is_error)
{
    art_out_t  out;

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_mcp_print_words(&out, &mcp->message, text, is_error & 1);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    mcp->outcome = is_error ? ART_COUNT_MCP_WORDS : ART_COUNT_MCP_RESULT;

    return ngx_http_artifact_mcp_send(r, mcp, NGX_HTTP_OK, &out);
}


/* What tools of servers returned may have had a time to live. */

ngx_int_t
ngx_http_artifact_mcp_read_error(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    art_out_t   out;
    art_str_t   what;
    art_lang_t  lang;

    what = ngx_artifact_str(&mcp->ctx->given);

    if (mcp->error != ART_ERR_NOT_FOUND
        || mcp->ctx->ref.kind != ART_ID_REGULAR)
    {
        return ngx_http_artifact_mcp_tool_error(r, mcp, mcp->error, what);
    }

    lang = (art_lang_t) mcp->ctx->conf->language;

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_error_words(&out, mcp->error, what, lang);
        art_mcp_contents_gone(&out, lang);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    return out.data ? ngx_http_artifact_mcp_tool_words(r, mcp,
                                            art_str(out.data, out.len), 1)
                    : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


ngx_int_t
ngx_http_artifact_mcp_tool_error(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, art_error_t error, art_str_t what)
{
    art_out_t   out;
    art_lang_t  lang;

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact mcp: tool error %d of \"%*s\"",
                   error, what.len, what.data);

    lang = (art_lang_t) mcp->ctx->conf->language;

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_error_words(&out, error, what, lang);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    return out.data ? ngx_http_artifact_mcp_tool_words(r, mcp,
                                            art_str(out.data, out.len), 1)
                    : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


ngx_int_t
ngx_http_artifact_mcp_headers(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, off_t length)
{
    r->disable_not_modified = 1;
    r->headers_out.status = NGX_HTTP_OK;

    ngx_http_artifact_set_json_type(r);
    ngx_http_clear_content_length(r);

    r->headers_out.content_length_n = length;

    if (ngx_http_artifact_mcp_cors(r, mcp) != NGX_OK) {
        return NGX_ERROR;
    }

    mcp->ctx->answered = 1;
    mcp->outcome = ART_COUNT_MCP_RESULT;

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_mcp_options(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    ngx_str_t        *allowed;
    ngx_table_elt_t  *header;

    static ngx_str_t  methods = ngx_string("POST, OPTIONS");
    static ngx_str_t  headers = ngx_string("Content-Type, Accept, "
                                           "Authorization, "
                                           "MCP-Protocol-Version, Mcp-Method, "
                                           "Mcp-Name, Mcp-Session-Id, "
                                           "Last-Event-ID");
    static ngx_str_t  age = ngx_string("86400");

    header = ngx_http_artifact_find_header(&r->headers_in.headers,
                                           "Access-Control-Request-Headers");
    allowed = header ? &header->value : &headers;

    if (ngx_http_artifact_add_header(r, "Allow", &methods) != NGX_OK
        || ngx_http_artifact_add_header(r, "Access-Control-Allow-Methods",
                                        &methods)
           != NGX_OK
        || ngx_http_artifact_add_header(r, "Access-Control-Allow-Headers",
                                        allowed)
           != NGX_OK
        || ngx_http_artifact_add_header(r, "Access-Control-Max-Age", &age)
           != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return ngx_http_artifact_mcp_empty(r, mcp, NGX_HTTP_NO_CONTENT);
}


ngx_int_t
ngx_http_artifact_mcp_accepted(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    mcp->outcome = ART_COUNT_MCP_RESULT;

    return ngx_http_artifact_mcp_empty(r, mcp, NGX_HTTP_ACCEPTED);
}


static ngx_int_t
ngx_http_artifact_mcp_empty(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, ngx_uint_t status)
{
    ngx_int_t  rc;

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact mcp: answer with %ui, no body",
                   status);

    rc = ngx_http_artifact_discard_body(r);

    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_http_artifact_mcp_cors(r, mcp) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    mcp->ctx->answered = 1;

    r->headers_out.status = status;
    r->header_only = 1;

    ngx_http_clear_content_length(r);

    if (status != NGX_HTTP_NO_CONTENT) {
        r->headers_out.content_length_n = 0;
    }

    return ngx_http_send_header(r);
}


/* The page has been admitted: it may read the answer. */

static ngx_int_t
ngx_http_artifact_mcp_cors(ngx_http_request_t *r, ngx_http_artifact_mcp_t *mcp)
{
    static ngx_str_t  vary = ngx_string("Origin");
    static ngx_str_t  exposed = ngx_string("WWW-Authenticate, "
                                           "MCP-Protocol-Version");

    if (mcp->origin.data == NULL) {
        return NGX_OK;
    }

    if (ngx_http_artifact_add_header(r, "Vary", &vary) != NGX_OK
        || ngx_http_artifact_add_header(r, "Access-Control-Allow-Origin",
                                        &mcp->origin)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_artifact_add_header(r, "Access-Control-Expose-Headers",
                                        &exposed);
}
