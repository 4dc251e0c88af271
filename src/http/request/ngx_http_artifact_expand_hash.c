
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The digest of the body as it goes out: what a cache can take for its key.
 */


#include "http/request/ngx_http_artifact_expand_steps.h"

#include <openssl/evp.h>


static ngx_int_t ngx_http_artifact_expand_hash_end(
    ngx_http_artifact_expand_t *ex);


ngx_int_t
ngx_http_artifact_expand_hash(ngx_http_artifact_expand_t *ex)
{
    u_char                         *data;
    ssize_t                         n;
    ngx_http_request_t             *r;
    ngx_http_artifact_main_conf_t  *amcf;

    r = ex->request;
    amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);

    if (!amcf->hashes) {
        return NGX_OK;
    }

    if (ex->digest == NULL) {
        ex->body = r->request_body ? r->request_body->bufs : NULL;
        ex->digest = EVP_MD_CTX_new();

        if (ex->digest == NULL
            || EVP_DigestInit_ex(ex->digest, EVP_sha256(), NULL) != 1
            || ngx_http_artifact_expand_rewind(ex) != NGX_OK)
        {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }
    }

    do {
        n = ngx_http_artifact_body_read(&ex->at, NGX_HTTP_ARTIFACT_EXPAND_ROOM,
                                        &data);

        if (n == 0) {
            return ngx_http_artifact_expand_hash_end(ex);
        }

        if (n == NGX_ERROR
            || EVP_DigestUpdate(ex->digest, data, (size_t) n) != 1)
        {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }

    } while (!ngx_http_artifact_turn_is_over(&ex->turn));

    return ngx_http_artifact_expand_yield(ex);
}


static ngx_int_t
ngx_http_artifact_expand_hash_end(ngx_http_artifact_expand_t *ex)
{
    u_char  digest[NGX_HTTP_ARTIFACT_EXPAND_HASH / 2];

    if (EVP_DigestFinal_ex(ex->digest, digest, NULL) != 1) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ex->hash = ngx_pnalloc(ex->request->pool, NGX_HTTP_ARTIFACT_EXPAND_HASH);

    if (ex->hash == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    (void) ngx_hex_dump(ex->hash, digest, sizeof(digest));

    return NGX_OK;
}
