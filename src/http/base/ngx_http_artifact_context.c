
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The request's context: the reference that its URI holds, and its reader.
 */


#include "http/base/ngx_http_artifact_context.h"
#include "http/base/ngx_http_artifact.h"
#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_str.h"


static ngx_int_t ngx_http_artifact_keep_ctx(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_http_artifact_ctx_t *ngx_http_artifact_kept_ctx(
    ngx_http_request_t *r);
static void ngx_http_artifact_ctx_cleanup(void *data);
static ngx_int_t ngx_http_artifact_parse_uri(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_below(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf, ngx_str_t *below);


ngx_http_artifact_ctx_t *
ngx_http_artifact_get_ctx(ngx_http_request_t *r)
{
    ngx_http_artifact_ctx_t       *ctx, *kept;
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);
    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    if (ctx == NULL) {

        ctx = ngx_pcalloc(r->pool, sizeof(ngx_http_artifact_ctx_t));
        if (ctx == NULL) {
            return NULL;
        }

        ngx_http_set_ctx(r, ctx, ngx_artifact_module);

        if (alcf->uri == NGX_HTTP_ARTIFACT_NONE) {
            kept = ngx_http_artifact_kept_ctx(r);

            if (kept) {
                ctx->conf = alcf;
                ctx->uri = r->uri;
                ctx->given = kept->given;
                ctx->status = kept->status;
                ctx->ref = kept->ref;
                ctx->bad = kept->bad;

                return ctx;
            }

        } else if (ngx_http_artifact_keep_ctx(r, ctx) != NGX_OK) {
            return NULL;
        }

    } else if (ctx->source
               || (ctx->conf == alcf && ctx->uri.data == r->uri.data
                   && ctx->uri.len == r->uri.len))
    {
        return ctx;
    }

    /* new, or rewritten to another URI or location since */

    ctx->conf = alcf;
    ctx->uri = r->uri;

    if (ngx_http_artifact_parse_uri(r, ctx) != NGX_OK) {
        return NULL;
    }

    return ctx;
}


/*
 * A redirect to a named location, as to a store that is asked for what is not
 * here, clears all contexts and keeps the URI: the pool remembers.
 */

static ngx_int_t
ngx_http_artifact_keep_ctx(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx)
{
    ngx_pool_cleanup_t  *cln;

    cln = ngx_pool_cleanup_add(r->pool, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_http_artifact_ctx_cleanup;
    cln->data = ctx;

    return NGX_OK;
}


static ngx_http_artifact_ctx_t *
ngx_http_artifact_kept_ctx(ngx_http_request_t *r)
{
    ngx_pool_cleanup_t       *cln;
    ngx_http_artifact_ctx_t  *ctx;

    for (cln = r->pool->cleanup; cln; cln = cln->next) {

        if (cln->handler == ngx_http_artifact_ctx_cleanup) {
            ctx = cln->data;

            if (ctx->uri.data == r->uri.data && ctx->uri.len == r->uri.len) {
                return ctx;
            }
        }
    }

    return NULL;
}


static void
ngx_http_artifact_ctx_cleanup(void *data)
{
    /* a mark to be found by, the context goes with its pool */
}


static ngx_int_t
ngx_http_artifact_parse_uri(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    u_char     *buf;
    art_str_t   text;
    ngx_str_t   below;

    static ngx_str_t  suffix = ngx_string("/metadata");

    ngx_memzero(&ctx->ref, sizeof(art_ref_t));
    ngx_str_null(&ctx->given);

    ctx->status = ART_ID_OK;
    ctx->metadata = 0;
    ctx->bad = 1;

    if (ctx->conf->uri == NGX_HTTP_ARTIFACT_NONE
        || ctx->conf->uri == NGX_HTTP_ARTIFACT_MESSAGE
        || ngx_http_artifact_below(r, ctx->conf, &below) != NGX_OK)
    {
        return NGX_OK;
    }

    if (ctx->conf->uri == NGX_HTTP_ARTIFACT_REFERENCE
        && below.len > suffix.len
        && ngx_memcmp(below.data + below.len - suffix.len, suffix.data,
                      suffix.len) == 0)
    {
        below.len -= suffix.len;
        ctx->metadata = 1;
    }

    ctx->given = below;

    if (below.len == 0 || ctx->conf->uri >= NGX_HTTP_ARTIFACT_SERVICES) {
        return NGX_OK;
    }

    buf = ngx_pnalloc(r->pool, ART_ID_ROOM(below.len));
    if (buf == NULL) {
        return NGX_ERROR;
    }

    ctx->bad = 0;
    text = ngx_artifact_str(&below);

    if (ctx->conf->uri == NGX_HTTP_ARTIFACT_PATH) {
        ctx->status = art_id_from_path(text, buf, &ctx->ref);

    } else {
        ctx->status = art_id_parse(text, buf, &ctx->ref);
    }

    if (ctx->status == ART_ID_OK && ctx->ref.colon) {
        ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                      "artifact workspace id holds a colon");
    }

    return NGX_OK;
}


/* The part of the URI below the location that holds the handler. */

static ngx_int_t
ngx_http_artifact_below(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf, ngx_str_t *below)
{
    size_t  len;

    len = alcf->prefix.len;

    if (r->uri.len < len
        || ngx_filename_cmp(r->uri.data, alcf->prefix.data, len) != 0)
    {
        return NGX_DECLINED;
    }

    below->data = r->uri.data + len;
    below->len = r->uri.len - len;

    if (len > 0 && alcf->prefix.data[len - 1] == '/') {
        return NGX_OK;
    }

    /* "location /artifacts" matches "/artifactsabc", too */

    if (below->len > 0) {

        if (below->data[0] != '/') {
            return NGX_DECLINED;
        }

        below->data++;
        below->len--;
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_check(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx,
    art_error_t *error)
{
    if (ctx->bad) {
        *error = ART_ERR_NOT_FOUND;
        return NGX_DECLINED;
    }

    if (ctx->status == ART_ID_OK) {
        return NGX_OK;
    }

    if (ctx->status == ART_ID_TRAVERSAL) {
        ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                      "artifact reference leaves its workspace");

        *error = ART_ERR_TRAVERSAL;
        return NGX_DECLINED;
    }

    ngx_log_error(NGX_LOG_INFO, r->connection->log, 0,
                  "artifact reference is malformed");

    *error = ART_ERR_INVALID_ID;
    return NGX_DECLINED;
}


ngx_uint_t
ngx_http_artifact_methods(ngx_http_artifact_ctx_t *ctx)
{
    ngx_uint_t  methods, top;

    if (ctx->conf->uri == NGX_HTTP_ARTIFACT_MESSAGE) {
        return NGX_HTTP_POST;
    }

    methods = NGX_HTTP_GET|NGX_HTTP_HEAD;

    if (!ctx->conf->write) {
        return methods;
    }

    /* the location itself: what is not below it has no data */

    top = (ctx->bad && ctx->given.data && ctx->given.len == 0);

    if (ctx->conf->uri == NGX_HTTP_ARTIFACT_PATH) {
        return top ? methods : methods|NGX_HTTP_PUT|NGX_HTTP_DELETE;
    }

    return ctx->conf->uri == NGX_HTTP_ARTIFACT_REFERENCE
           && top && !ctx->metadata
           ? methods|NGX_HTTP_POST : methods;
}


ngx_uint_t
ngx_http_artifact_is_control(art_ref_t *ref)
{
    return art_str_eq(ref->workspace, art_cstr(NGX_ARTIFACT_CONTROL));
}
