
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The source of a message: a reference, or a workspace and a path, is opened in
 * the location's root, perhaps with the help of a thread.
 */


#include "http/mcp/ngx_http_artifact_mcp_state.h"
#include "http/source/ngx_http_artifact_source.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/mcp/art_mcp_uri.h"


/* Parses a reference, or the URI of a resource. */

typedef art_id_status_t (*ngx_http_artifact_mcp_parse_pt)(art_str_t text,
    uint8_t *buf, art_ref_t *ref);


static ngx_int_t ngx_http_artifact_mcp_open_text(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, art_str_t text,
    ngx_http_artifact_mcp_parse_pt parse, ngx_http_artifact_mcp_pt next);
static ngx_int_t ngx_http_artifact_mcp_source(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, ngx_http_artifact_mcp_pt next);
static ngx_int_t ngx_http_artifact_mcp_opened(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, ngx_int_t rc, art_error_t error);
static void ngx_http_artifact_mcp_open_again(ngx_http_request_t *r);


ngx_int_t
ngx_http_artifact_mcp_open(ngx_http_request_t *r, ngx_http_artifact_mcp_t *mcp,
    art_str_t ref, ngx_http_artifact_mcp_pt next)
{
    return ngx_http_artifact_mcp_open_text(r, mcp, ref, art_mcp_ref_parse,
                                           next);
}


ngx_int_t
ngx_http_artifact_mcp_open_given(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, ngx_http_artifact_mcp_pt next)
{
    art_mcp_value_t  *args;

    args = mcp->message.args;

    return args[ART_MCP_ARG_REF].given
           ? ngx_http_artifact_mcp_open(r, mcp, args[ART_MCP_ARG_REF].text,
                                        next)
           : ngx_http_artifact_mcp_open_path(r, mcp,
                                        args[ART_MCP_ARG_WORKSPACE].text,
                                        args[ART_MCP_ARG_PATH].text, next);
}


ngx_int_t
ngx_http_artifact_mcp_open_uri(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, art_str_t uri,
    ngx_http_artifact_mcp_pt next)
{
    return ngx_http_artifact_mcp_open_text(r, mcp, uri, art_mcp_uri_parse,
                                           next);
}


static ngx_int_t
ngx_http_artifact_mcp_open_text(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, art_str_t text,
    ngx_http_artifact_mcp_parse_pt parse, ngx_http_artifact_mcp_pt next)
{
    u_char                   *buf;
    ngx_http_artifact_ctx_t  *ctx;

    ctx = mcp->ctx;

    buf = ngx_pnalloc(r->pool, ART_MCP_URI_ROOM(text.len));
    if (buf == NULL) {
        return NGX_ERROR;
    }

    ctx->given.data = (u_char *) text.data;
    ctx->given.len = text.len;
    ctx->bad = 0;
    ctx->status = parse(text, buf, &ctx->ref);

    return ngx_http_artifact_mcp_source(r, mcp, next);
}


ngx_int_t
ngx_http_artifact_mcp_open_path(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, art_str_t workspace, art_str_t path,
    ngx_http_artifact_mcp_pt next)
{
    return ngx_http_artifact_mcp_parse_path(r, mcp, workspace, path) == NGX_OK
           ? ngx_http_artifact_mcp_source(r, mcp, next) : NGX_ERROR;
}


ngx_int_t
ngx_http_artifact_mcp_parse_path(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, art_str_t workspace, art_str_t path)
{
    u_char                   *p, *buf;
    ngx_http_artifact_ctx_t  *ctx;

    ctx = mcp->ctx;

    while (path.len > 0 && path.data[0] == '/') {
        path = art_str(path.data + 1, path.len - 1);
    }

    ctx->given.len = workspace.len + 1 + path.len;
    ctx->given.data = ngx_pnalloc(r->pool, ctx->given.len);

    buf = ngx_pnalloc(r->pool, ART_ID_ROOM(ctx->given.len));

    if (ctx->given.data == NULL || buf == NULL) {
        return NGX_ERROR;
    }

    p = ngx_cpymem(ctx->given.data, workspace.data, workspace.len);
    *p++ = '/';
    ngx_memcpy(p, path.data, path.len);

    ctx->bad = 0;
    ctx->status = art_id_component(workspace)
                  ? art_id_from_path(ngx_artifact_str(&ctx->given), buf,
                                     &ctx->ref)
                  : ART_ID_INVALID;

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_mcp_source(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, ngx_http_artifact_mcp_pt next)
{
    ngx_int_t    rc;
    art_error_t  error;

    mcp->next = next;

    rc = ngx_http_artifact_check(r, mcp->ctx, &error);

    if (rc == NGX_OK) {
        rc = ngx_http_artifact_open_source(r, mcp->ctx, &error);
    }

    return ngx_http_artifact_mcp_opened(r, mcp, rc, error);
}


static ngx_int_t
ngx_http_artifact_mcp_opened(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, ngx_int_t rc, art_error_t error)
{
    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact mcp: \"%V\" opened: %i",
                   &mcp->ctx->given, rc);

    switch (rc) {

    case NGX_OK:
        mcp->error = ART_ERR_MAX;
        break;

    case NGX_DECLINED:
        mcp->error = error;
        break;

    case NGX_AGAIN:
        r->write_event_handler = ngx_http_artifact_mcp_open_again;
        return NGX_DONE;

    default:
        return NGX_ERROR;
    }

    return mcp->next(r, mcp);
}


static void
ngx_http_artifact_mcp_open_again(ngx_http_request_t *r)
{
    ngx_int_t                 rc;
    art_error_t               error;
    ngx_http_artifact_ctx_t  *ctx;

    if (r->aio) {
        return;
    }

    r->write_event_handler = ngx_http_request_empty_handler;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    rc = ngx_http_artifact_open_source_again(r, ctx, &error);
    rc = ngx_http_artifact_mcp_opened(r, ngx_http_artifact_get_mcp(r), rc,
                                      error);

    ngx_http_artifact_mcp_finish(r, rc);
}
