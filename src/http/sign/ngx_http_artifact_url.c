
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/base/ngx_http_artifact_role.h"
#include "http/sign/ngx_http_artifact_url.h"
#include "store/disk/ngx_artifact_str.h"


static ngx_int_t ngx_http_artifact_url_others(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf, art_url_t *url);
static ngx_int_t ngx_http_artifact_url_keys(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf, art_url_t *url);
static ngx_uint_t ngx_http_artifact_url_methods(
    ngx_http_artifact_loc_conf_t *alcf);


ngx_int_t
ngx_http_artifact_url(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf, art_url_t *url)
{
    ngx_str_t  value;

    ngx_memzero(url, sizeof(art_url_t));

    if (alcf->url == NULL) {
        return NGX_OK;
    }

    if (ngx_http_complex_value(r, alcf->url, &value) != NGX_OK) {
        return NGX_ERROR;
    }

    url->prefix = ngx_artifact_str(&value);

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact url: prefix \"%V\"",
                   &value);

    if (ngx_http_artifact_url_others(r, alcf, url) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_http_artifact_url_keys(r, alcf, url);
}


static ngx_int_t
ngx_http_artifact_url_others(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf, art_url_t *url)
{
    art_str_t                  *others;
    ngx_str_t                   value;
    ngx_uint_t                  i;
    ngx_http_complex_value_t  **other;

    if (alcf->urls == NULL) {
        return NGX_OK;
    }

    others = ngx_palloc(r->pool, alcf->urls->nelts * sizeof(art_str_t));
    if (others == NULL) {
        return NGX_ERROR;
    }

    other = alcf->urls->elts;

    for (i = 0; i < alcf->urls->nelts; i++) {

        if (ngx_http_complex_value(r, other[i], &value) != NGX_OK) {
            return NGX_ERROR;
        }

        others[i] = ngx_artifact_str(&value);
    }

    url->others = others;
    url->nothers = (unsigned) alcf->urls->nelts;

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_url_keys(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf, art_url_t *url)
{
    ngx_str_t                       value;
    ngx_http_artifact_sign_conf_t  *conf;

    conf = ngx_http_artifact_conf_of(alcf, ngx_http_artifact_sign_module);

    url->keys = conf->keys;
    url->ttl = (uint64_t) conf->ttl;
    url->now = (uint64_t) ngx_time();

    if (url->keys == NULL || conf->scope == NULL) {
        return NGX_OK;
    }

    if (ngx_http_complex_value(r, conf->scope, &value) != NGX_OK) {
        return NGX_ERROR;
    }

    url->scope = ngx_artifact_str(&value);

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_url_check(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_url_status_t *status, uint64_t *exp)
{
    art_str_t  id, put, args;
    art_url_t  url;

    ngx_memzero(&url, sizeof(art_url_t));

    if (ngx_http_artifact_url_keys(r, ctx->conf, &url) != NGX_OK) {
        return NGX_ERROR;
    }

    /* all that is no content: metadata, folders, listings, changes */

    id = ctx->bad || ctx->status != ART_ID_OK || ctx->metadata
         || ctx->ref.folder
         || !(r->method & ngx_http_artifact_url_methods(ctx->conf))
         ? art_str(NULL, 0) : ctx->ref.id;

    args = ngx_artifact_str(&r->args);
    *exp = 0;

    *status = r->method == NGX_HTTP_PUT
              ? art_url_check_ticket(&url, id, args, &put)
              : art_url_check(&url, id, args, exp);

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact signature: %d, content %d, scope \"%*s\"",
                   *status, id.len > 0, url.scope.len, url.scope.data);

    return NGX_OK;
}


/* A ticket is for a new artifact. */

static ngx_uint_t
ngx_http_artifact_url_methods(ngx_http_artifact_loc_conf_t *alcf)
{
    ngx_uint_t  methods;

    methods = NGX_HTTP_GET|NGX_HTTP_HEAD;

    return alcf->writes && !ngx_http_artifact_has_paths(alcf)
           && ngx_http_artifact_is_local(alcf)
           ? methods|NGX_HTTP_PUT : methods;
}
