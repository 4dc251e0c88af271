
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Any response as a source: what its headers say and, if that is not enough,
 * its first bytes, for which the header waits.
 */


#include "http/source/ngx_http_artifact_source.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/source/ngx_http_artifact_classify.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/text/art_utf8.h"
#include "core/answer/art_headers.h"

#include <zlib.h>


static ngx_int_t ngx_http_artifact_response_type(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);
static void ngx_http_artifact_response_ref(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_source_t *source);
static ngx_int_t ngx_http_artifact_want_head(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_response_name(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);


ngx_int_t
ngx_http_artifact_response_source(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    art_media_type_t             type;
    ngx_http_artifact_source_t  *source;

    source = ngx_pcalloc(r->pool, sizeof(ngx_http_artifact_source_t));
    if (source == NULL) {
        return NGX_ERROR;
    }

    source->size = r->headers_out.content_length_n;

    /* the default type of a server declares nothing */

    art_media_parse(ngx_artifact_str(&r->headers_out.content_type), &type);

    if (type.len > 0 && ngx_http_artifact_response_type(r, source) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_artifact_response_ref(r, ctx, source);

    if (ngx_http_artifact_response_name(r, source) != NGX_OK
        || ngx_http_artifact_set_name(r, source) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ctx->source = source;

    if (ngx_http_artifact_want_head(r, ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact source: \"%*s\", %O bytes%s",
                   source->id.len, source->id.data, source->size,
                   source->wanted ? ", first bytes wanted" : "");

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_response_decode(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source)
{
    int        rc;
    u_char    *head;
    z_stream   zlib;

    head = ngx_pnalloc(r->pool, ART_SNIFF_MAX);
    if (head == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(&zlib, sizeof(z_stream));

    zlib.next_in = source->head;
    zlib.avail_in = (uInt) source->head_len;
    zlib.next_out = head;
    zlib.avail_out = ART_SNIFF_MAX;

    if (inflateInit2(&zlib, MAX_WBITS + 16) != Z_OK) {
        return NGX_ERROR;
    }

    rc = inflate(&zlib, Z_SYNC_FLUSH);

    (void) inflateEnd(&zlib);

    if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "inflate() returned %d on the first bytes of an artifact",
                      rc);
        return NGX_DECLINED;
    }

    source->head = head;
    source->head_len = ART_SNIFF_MAX - zlib.avail_out;
    source->whole = (rc == Z_STREAM_END);

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact source: %uz bytes inflated",
                   source->head_len);

    return NGX_OK;
}


/* nginx's charset filter keeps the charset apart from the type. */

static ngx_int_t
ngx_http_artifact_response_type(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source)
{
    u_char     *p;
    ngx_str_t  *type, *charset;

    type = &r->headers_out.content_type;
    charset = &r->headers_out.charset;

    source->meta.type = ngx_artifact_str(type);

    if (charset->len == 0 || type->len != r->headers_out.content_type_len) {
        return NGX_OK;
    }

    p = ngx_pnalloc(r->pool, type->len + sizeof("; charset=") - 1
                             + charset->len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    source->meta.type.data = p;

    p = ngx_sprintf(p, "%V; charset=%V", type, charset);

    source->meta.type.len = (size_t) (p - (u_char *) source->meta.type.data);

    return NGX_OK;
}


/* Sets the id from the reference or, in a location without ids, the URI. */

static void
ngx_http_artifact_response_ref(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_source_t *source)
{
    ngx_str_t  path;
    art_str_t  name;

    if (!ctx->bad && ctx->status == ART_ID_OK) {
        source->id = ctx->ref.id;
        source->workspace = ctx->ref.workspace;
        source->path = ctx->ref.path;

        name = ctx->ref.kind == ART_ID_REGULAR ? source->id : source->path;

        path.data = (u_char *) name.data;
        path.len = name.len;

    } else {
        path = r->uri;

        if (path.len > 0 && path.data[0] == '/') {
            path.data++;
            path.len--;
        }

        source->id = ngx_artifact_str(&path);
    }

    ngx_http_artifact_last_name(&path, &source->last_name);
}


/*
 * The header waits for the first bytes if these are decisive; also for HEAD,
 * since a cache or a file sends them, though an upstream may just end.
 */

static ngx_int_t
ngx_http_artifact_want_head(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_http_artifact_source_t  *source;

    source = ctx->source;

    if (!ctx->conf->verify
        && ngx_http_artifact_classify(r, source, 0) == NGX_OK
        && source->verdict.from != ART_FROM_CONTENT)
    {
        return NGX_OK;
    }

    source->head = ngx_pnalloc(r->pool, ART_SNIFF_MAX);
    if (source->head == NULL) {
        return NGX_ERROR;
    }

    if (source->size == 0) {
        source->whole = 1;
        return NGX_OK;
    }

    source->wanted = 1;

    return NGX_OK;
}


/* The file name of a Content-Disposition counts as metadata. */

static ngx_int_t
ngx_http_artifact_response_name(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source)
{
    u_char           *p;
    art_str_t         name;
    ngx_table_elt_t  *header;

    header = ngx_http_artifact_find_header(&r->headers_out.headers,
                                           "Content-Disposition");

    if (header == NULL) {
        return NGX_OK;
    }

    p = ngx_pnalloc(r->pool, header->value.len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    name = art_disposition_name(ngx_artifact_str(&header->value), p);

    if (name.len > 0) {
        name.len = art_utf8_cut(name.data, name.len, ART_META_NAME_MAX);
        source->meta.name = name;
    }

    return NGX_OK;
}
