
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/request/ngx_http_artifact_expand_state.h"
#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_zone.h"

#include <openssl/evp.h>


static void ngx_http_artifact_expand_cleanup(void *data);


/*
 * An internal redirect clears the contexts of modules, but not the pool, in
 * which each source leaves cleanups of its own: it is not searched each time.
 */

ngx_http_artifact_expand_t *
ngx_http_artifact_expand(ngx_http_request_t *r)
{
    ngx_pool_cleanup_t          *cln;
    ngx_http_artifact_ctx_t     *ctx;
    ngx_http_artifact_expand_t  *ex;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    if (ctx && ctx->expand) {
        return ctx->expand->left ? NULL : ctx->expand;
    }

    for (cln = r->pool->cleanup; cln; cln = cln->next) {

        if (cln->handler != ngx_http_artifact_expand_cleanup) {
            continue;
        }

        ex = cln->data;

        if (ctx) {
            ctx->expand = ex;
        }

        return ex->left ? NULL : ex;
    }

    return NULL;
}


ngx_http_artifact_expand_t *
ngx_http_artifact_expand_create(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf)
{
    ngx_pool_cleanup_t          *cln;
    ngx_http_artifact_ctx_t     *ctx;
    ngx_http_artifact_expand_t  *ex;

    ctx = ngx_http_artifact_get_ctx(r);
    if (ctx == NULL) {
        return NULL;
    }

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_artifact_expand_t));
    if (cln == NULL) {
        return NULL;
    }

    ex = cln->data;
    ngx_memzero(ex, sizeof(ngx_http_artifact_expand_t));

    ex->request = r;
    ex->conf = alcf;

    if (ngx_http_artifact_turn_init(&ex->turn, r) != NGX_OK) {
        return NULL;
    }

    ngx_http_artifact_spool_init(&ex->decoded, r);
    ngx_http_artifact_spool_init(&ex->parts, r);
    ngx_http_artifact_spool_init(&ex->out, r);

    cln->handler = ngx_http_artifact_expand_cleanup;
    ctx->expand = ex;

    return ex;
}


static void
ngx_http_artifact_expand_cleanup(void *data)
{
    ngx_http_artifact_expand_t *ex = data;

    EVP_MD_CTX_free(ex->digest);
}


ngx_int_t
ngx_http_artifact_expand_rewind(ngx_http_artifact_expand_t *ex)
{
    if (ex->buf == NULL) {
        ex->buf = ngx_palloc(ex->request->pool,
                             NGX_HTTP_ARTIFACT_EXPAND_ROOM);
        if (ex->buf == NULL) {
            return NGX_ERROR;
        }
    }

    ngx_http_artifact_body_init(&ex->at, ex->body, ex->buf,
                                NGX_HTTP_ARTIFACT_EXPAND_ROOM);

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_expand_yield(ngx_http_artifact_expand_t *ex)
{
    ngx_http_artifact_turn_end(&ex->turn, ex->request);

    return NGX_AGAIN;
}


void
ngx_http_artifact_expand_end(ngx_http_artifact_expand_t *ex)
{
    ngx_uint_t                  i;
    ngx_http_artifact_spool_t  *spools[3];

    ex->done = 1;

    if (ex->decode) {
        ngx_http_artifact_decode_end(ex->decode);
        ex->decode = NULL;
    }

    spools[0] = &ex->decoded;
    spools[1] = &ex->parts;
    spools[2] = &ex->out;

    for (i = 0; i < 3; i++) {
        if (spools[i] != ex->sent) {
            ngx_http_artifact_spool_release(spools[i]);
        }
    }

    EVP_MD_CTX_free(ex->digest);
    ex->digest = NULL;

    if (ex->buf) {
        (void) ngx_pfree(ex->request->pool, ex->buf);
        ex->buf = NULL;
    }

    ex->body = NULL;
    ex->rendered = NULL;
}


ngx_int_t
ngx_http_artifact_expand_refuse(ngx_http_artifact_expand_t *ex,
    art_message_error_t error, art_str_t ref)
{
    ngx_int_t                 rc;
    art_out_t                 out;
    ngx_uint_t                status;
    ngx_http_request_t       *r;
    ngx_http_artifact_ctx_t  *ctx;

    r = ex->request;

    ngx_http_artifact_expand_end(ex);

    if (error == ART_MESSAGE_ERR_SOURCE) {
        ngx_http_artifact_count(ART_COUNT_SOURCES_FAILED, NULL, 1);
    }

    status = art_message_error_status(error);

    if (ngx_http_artifact_has_error_page(r, status)) {

        /* the body is whole, and as it came: its location may expand it */

        ex->left = 1;
        return (ngx_int_t) status;
    }

    ctx = ngx_http_artifact_get_ctx(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (error == ART_MESSAGE_ERR_CODING
        && ngx_http_artifact_add_header(r, "Accept-Encoding",
                                        &ngx_http_artifact_decodes)
           != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_message_error_print(&out, error, ref, ex->api,
                                (art_lang_t) ex->conf->language);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    rc = ngx_http_artifact_send_json(r, ctx, status, &out);

    ngx_http_finalize_request(r, rc);

    return NGX_DONE;
}
