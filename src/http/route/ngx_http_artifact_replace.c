
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Errors in place of responses, and of the pages that nginx makes of its own.
 */


#include "http/route/ngx_http_artifact_replace.h"
#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/route/ngx_http_artifact_stream.h"


/*
 * nginx answers some errors of its own with a page, from filters that have
 * forgotten the request's contexts by then: the page becomes JSON.
 */

ngx_int_t
ngx_http_artifact_replace_page(ngx_http_request_t *r)
{
    art_error_t               error;
    ngx_table_elt_t          *header;
    ngx_http_artifact_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    if (ctx && ctx->failed) {
        error = r->headers_out.status == NGX_HTTP_GATEWAY_TIME_OUT
                ? ART_ERR_TIMEOUT : ART_ERR_STORAGE;

    } else {
        error = art_error_of_http((unsigned) r->headers_out.status);
    }

    if (error == ART_ERR_MAX || r->error_page
        || r->err_status != r->headers_out.status)
    {
        return NGX_OK;
    }

    ctx = ngx_http_artifact_get_ctx(r);
    if (ctx == NULL) {
        return NGX_ERROR;
    }

    header = ngx_http_artifact_find_header(&r->headers_out.headers,
                                           "Content-Disposition");
    if (header) {
        header->hash = 0;
    }

    return ngx_http_artifact_replace(r, ctx, error);
}


/*
 * A URI that climbs above the root, or with a NUL in it, is refused before any
 * location is known: its raw text tells where it was meant to go.
 */

ngx_int_t
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

        return ngx_http_artifact_replace(r, ctx, ART_ERR_INVALID_ID);
    }

    return NGX_OK;
}


/* The header becomes that of the error, the body is set for the body filter */

ngx_int_t
ngx_http_artifact_replace(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx,
    art_error_t error)
{
    ngx_buf_t                   *b;
    art_out_t                    out;
    ngx_http_artifact_stream_t  *stream;

    b = ngx_calloc_buf(r->pool);
    stream = ngx_http_artifact_stream_create(r, ctx);

    if (b == NULL || stream == NULL
        || ngx_http_artifact_set_error(r, ctx, error, &out) != NGX_OK)
    {
        return NGX_ERROR;
    }

    b->pos = out.data;
    b->last = out.data + out.len;
    b->memory = 1;
    b->last_buf = 1;
    b->last_in_chain = 1;

    ngx_http_artifact_stream_replace(stream, b);

    return NGX_OK;
}
