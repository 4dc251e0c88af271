
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/base/ngx_http_artifact_util.h"
#include "store/disk/ngx_artifact_beneath.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/media/art_media.h"


static ngx_int_t ngx_http_artifact_add_allow(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_error_text(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t error, art_out_t *out);
static ngx_int_t ngx_http_artifact_too_large(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_out_t *out);
static void ngx_http_artifact_set_text(ngx_http_request_t *r, ngx_str_t *type,
    art_out_t *out);
static void ngx_http_artifact_set_type(ngx_http_request_t *r, ngx_str_t *type);


static ngx_str_t  ngx_http_artifact_json = ngx_string("application/json");


ngx_int_t
ngx_http_artifact_send_error(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t error)
{
    art_out_t   out;
    ngx_uint_t  status;

    status = art_error_status(error);
    ctx->refused = art_error_code(error);

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact error: %ui", status);

    if (error == ART_ERR_METHOD
        && ngx_http_artifact_add_allow(r, ctx) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ngx_http_artifact_has_error_page(r, status)) {
        return (ngx_int_t) status;
    }

    if (ngx_http_artifact_error_text(r, ctx, error, &out) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return ngx_http_artifact_send_json(r, ctx, status, &out);
}


static ngx_int_t
ngx_http_artifact_add_allow(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_str_t   *value;
    ngx_uint_t   methods;

    static ngx_str_t  readable = ngx_string("GET, HEAD");
    static ngx_str_t  writable = ngx_string("GET, HEAD, PUT, DELETE");
    static ngx_str_t  creatable = ngx_string("GET, HEAD, POST");
    static ngx_str_t  message = ngx_string("POST");
    static ngx_str_t  mcp = ngx_string("POST, OPTIONS");

    methods = ngx_http_artifact_methods(ctx);

    if (methods & NGX_HTTP_PUT) {
        value = &writable;

    } else if (methods & NGX_HTTP_OPTIONS) {
        value = &mcp;

    } else if (!(methods & NGX_HTTP_GET)) {
        value = &message;

    } else {
        value = methods & NGX_HTTP_POST ? &creatable : &readable;
    }

    return ngx_http_artifact_add_header(r, "Allow", value);
}


ngx_int_t
ngx_http_artifact_set_error(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t error, art_out_t *out)
{
    ngx_int_t  rc;

    rc = error == ART_ERR_TOO_LARGE
         ? ngx_http_artifact_too_large(r, ctx, out)
         : ngx_http_artifact_error_text(r, ctx, error, out);

    if (rc != NGX_OK) {
        return rc;
    }

    r->headers_out.status = art_error_status(error);
    r->headers_out.status_line.len = 0;

    ngx_http_artifact_set_text(r, &ngx_http_artifact_json, out);

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_error_text(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t error, art_out_t *out)
{
    art_str_t   ref;
    art_lang_t  lang;

    ref = ngx_artifact_str(&ctx->given);
    lang = (art_lang_t) ctx->conf->language;

    ngx_memzero(out, sizeof(art_out_t));

    do {
        art_error_print(out, error, ref, lang);
    } while (ngx_http_artifact_print_again(r->pool, out));

    return out->data ? NGX_OK : NGX_ERROR;
}


/*
 * A body that is larger than nginx takes is refused before, or while, the
 * location's handler reads it: in the shape that the handler's clients know.
 */

static ngx_int_t
ngx_http_artifact_too_large(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_out_t *out)
{
    const ngx_http_artifact_role_t  *role;

    role = ctx->conf->role;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact body: %O bytes are too large, handler:%d",
                   r->headers_in.content_length_n, role != NULL);

    if (role == NULL) {
        return ctx->conf->requests ? ctx->conf->requests(r, out) : NGX_DECLINED;
    }

    return role->too_large
           ? role->too_large(r, out)
           : ngx_http_artifact_error_text(r, ctx, ART_ERR_TOO_LARGE, out);
}


ngx_int_t
ngx_http_artifact_discard_body(ngx_http_request_t *r)
{
    if (r->headers_in.content_length_n > 0 || r->headers_in.chunked) {

        ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                       "http artifact body: discarded, %O bytes, chunked:%d",
                       r->headers_in.content_length_n, r->headers_in.chunked);

        ngx_http_artifact_own_body(r);

        if (r->headers_in.expect && !r->expect_tested) {

            /* the client may send it or not */

            r->expect_tested = 1;
            r->keepalive = 0;
        }
    }

    return ngx_http_discard_request_body(r);
}


void
ngx_http_artifact_own_body(ngx_http_request_t *r)
{
    r->main->error_page = 1;
}


ngx_uint_t
ngx_http_artifact_has_error_page(ngx_http_request_t *r, ngx_uint_t status)
{
    ngx_uint_t                 i;
    ngx_http_err_page_t       *page;
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (clcf->error_pages == NULL || r->error_page) {
        return 0;
    }

    page = clcf->error_pages->elts;

    for (i = 0; i < clcf->error_pages->nelts; i++) {
        if (page[i].status == (ngx_int_t) status) {
            return 1;
        }
    }

    return 0;
}


ngx_int_t
ngx_http_artifact_send_json(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_uint_t status, art_out_t *out)
{
    return ngx_http_artifact_send_text(r, ctx, status, &ngx_http_artifact_json,
                                       out);
}


ngx_int_t
ngx_http_artifact_send_text(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_uint_t status, ngx_str_t *type,
    art_out_t *out)
{
    ngx_buf_t    *b;
    ngx_int_t     rc;
    ngx_chain_t   cl;

    rc = ngx_http_artifact_discard_body(r);

    if (rc != NGX_OK) {
        return rc;
    }

    b = ngx_calloc_buf(r->pool);

    if (b == NULL || out->data == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ctx->answered = 1;

    r->headers_out.status = status;
    ngx_http_artifact_set_text(r, type, out);

    rc = ngx_http_send_header(r);

    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        return rc;
    }

    b->pos = out->data;
    b->last = out->data + out->len;
    b->memory = 1;
    b->last_buf = (r == r->main) ? 1 : 0;
    b->last_in_chain = 1;

    cl.buf = b;
    cl.next = NULL;

    return ngx_http_output_filter(r, &cl);
}


static void
ngx_http_artifact_set_text(ngx_http_request_t *r, ngx_str_t *type,
    art_out_t *out)
{
    ngx_http_artifact_set_type(r, type);

    ngx_http_clear_content_length(r);
    r->headers_out.content_length_n = (off_t) out->len;
}


ngx_uint_t
ngx_http_artifact_is_json_type(ngx_http_request_t *r)
{
    art_media_type_t  type;

    /* set here and not changed since */

    if (r->headers_out.content_type.data == ngx_http_artifact_json.data) {
        return 1;
    }

    art_media_parse(ngx_artifact_str(&r->headers_out.content_type), &type);

    return art_media_traits(art_str(type.buf, type.len)).flags & ART_MEDIA_JSON;
}


void
ngx_http_artifact_set_json_type(ngx_http_request_t *r)
{
    ngx_http_artifact_set_type(r, &ngx_http_artifact_json);
}


static void
ngx_http_artifact_set_type(ngx_http_request_t *r, ngx_str_t *type)
{
    r->headers_out.content_type = *type;
    r->headers_out.content_type_len = r->headers_out.content_type.len;
    r->headers_out.content_type_lowcase = NULL;
    ngx_str_null(&r->headers_out.charset);
}


ngx_uint_t
ngx_http_artifact_absent_level(ngx_http_request_t *r)
{
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    return r != r->main && clcf->log_not_found ? NGX_LOG_ERR : NGX_LOG_INFO;
}


art_error_t
ngx_http_artifact_open_error(ngx_http_request_t *r, ngx_err_t err,
    ngx_uint_t bound, ngx_str_t *path)
{
    ngx_uint_t   level;
    art_error_t  error;

    switch (err) {

    case NGX_ENOENT:
    case NGX_ENOTDIR:
    case NGX_ENAMETOOLONG:
    case NGX_ELOOP:
    case NGX_EXDEV:
    case NGX_EISDIR:
    case ENXIO:                  /* a socket, or a device without a driver */
    case ENODEV:
        level = ngx_http_artifact_absent_level(r);
        error = bound ? ART_ERR_NOT_FOUND : ART_ERR_NOT_BOUND;
        break;

    case NGX_EACCES:
    case NGX_EPERM:
        level = NGX_LOG_ERR;
        error = ART_ERR_PERMISSION;
        break;

    default:
        level = NGX_LOG_CRIT;
        error = ngx_artifact_unreachable(err) ? ART_ERR_STORAGE : ART_ERR_READ;
    }

    if (path->len > 0) {
        ngx_log_error(level, r->connection->log, err,
                      ngx_open_file_n " \"%V\" failed", path);
    }

    return error;
}


void
ngx_http_artifact_finish(ngx_http_request_t *r, ngx_int_t rc)
{
    if (rc == NGX_DONE) {
        return;
    }

    /* before the header nginx answers an error with its page */

    if (rc == NGX_ERROR && !r->header_sent) {
        rc = NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_finalize_request(r, rc);
}
