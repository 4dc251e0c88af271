
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * X-Accel-Redirect of a converter.  A converter reads strangers' files, one of
 * which may take it over, and nginx would serve it any internal location: an
 * artifact of another tenant as the words of a scan.  So the header is dropped
 * where nginx parses it, in answers of upstreams of all kinds and of caches.
 */


#include "http/derive/ngx_http_artifact_derive.h"


static ngx_hash_elt_t *ngx_http_artifact_redirect_find(ngx_hash_t *hash,
    ngx_str_t *name);
static ngx_int_t ngx_http_artifact_redirect_header(ngx_http_request_t *r,
    ngx_table_elt_t *h, ngx_uint_t offset);


/*
 * The hash of known headers is the configuration's own, unlike what its
 * elements refer to, which would outlive this module.
 */

ngx_int_t
ngx_http_artifact_derive_redirects(ngx_conf_t *cf)
{
    ngx_hash_elt_t                 *elt;
    ngx_http_upstream_header_t     *header;
    ngx_http_artifact_main_conf_t  *amcf;
    ngx_http_upstream_main_conf_t  *umcf;

    static ngx_str_t  name = ngx_string("x-accel-redirect");

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);
    umcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_upstream_module);

    elt = ngx_http_artifact_redirect_find(&umcf->headers_in_hash, &name);

    if (elt == NULL) {
        return NGX_OK;
    }

    header = ngx_palloc(cf->pool, sizeof(ngx_http_upstream_header_t));
    if (header == NULL) {
        return NGX_ERROR;
    }

    *header = *(ngx_http_upstream_header_t *) elt->value;

    amcf->redirect = header->handler;
    header->handler = ngx_http_artifact_redirect_header;

    elt->value = header;

    return NGX_OK;
}


/* As ngx_hash_find() does. */

static ngx_hash_elt_t *
ngx_http_artifact_redirect_find(ngx_hash_t *hash, ngx_str_t *name)
{
    ngx_hash_elt_t  *elt;

    elt = hash->buckets[ngx_hash_key(name->data, name->len) % hash->size];

    while (elt && elt->value) {

        if (elt->len == name->len
            && ngx_memcmp(elt->name, name->data, name->len) == 0)
        {
            return elt;
        }

        elt = (ngx_hash_elt_t *) ngx_align_ptr(&elt->name[0] + elt->len,
                                               sizeof(void *));
    }

    return NULL;
}


/* The rest of the answer counts, as with "proxy_ignore_headers". */

static ngx_int_t
ngx_http_artifact_redirect_header(ngx_http_request_t *r, ngx_table_elt_t *h,
    ngx_uint_t offset)
{
    ngx_http_artifact_main_conf_t  *amcf;

    if (r == r->main || ngx_http_artifact_original(r) == NULL) {
        amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);

        return amcf->redirect(r, h, offset);
    }

    if (!(r->upstream->conf->ignore_headers
          & NGX_HTTP_UPSTREAM_IGN_XA_REDIRECT))
    {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "conversion \"%V%s%V\" of an artifact: \"%V\" is not "
                      "followed", &r->uri, r->args.len ? "?" : "", &r->args,
                      &h->key);
    }

    return NGX_OK;
}
