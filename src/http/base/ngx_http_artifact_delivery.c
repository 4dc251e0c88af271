
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/base/ngx_http_artifact_delivery.h"
#include "http/base/ngx_http_artifact_util.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/format/art_delivery.h"


static ngx_uint_t ngx_http_artifact_is_absolute(const art_url_t *url);


ngx_int_t
ngx_http_artifact_delivers(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf, const art_url_t *url,
    ngx_uint_t *by_url)
{
    ngx_str_t       value;
    art_delivery_t  delivery;

    *by_url = 0;

    if (alcf->delivery == NULL) {
        return NGX_OK;
    }

    if (ngx_http_complex_value(r, alcf->delivery, &value) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact delivery: \"%V\"",
                   &value);

    delivery = art_delivery_find(ngx_artifact_str(&value));

    if (delivery == ART_DELIVERY_MAX) {

        if (ngx_http_artifact_line(r->pool, ngx_artifact_str(&value), &value)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                      "unknown artifact delivery \"%V\", \"inline\" is used",
                      &value);
        return NGX_OK;
    }

    if (delivery == ART_DELIVERY_INLINE) {
        return NGX_OK;
    }

    if (!ngx_http_artifact_is_absolute(url)) {

        if (ngx_http_artifact_line(r->pool, url->prefix, &value) != NGX_OK) {
            return NGX_ERROR;
        }

        ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                      "artifact delivery is \"url\", and \"artifact_url\" is "
                      "\"%V\", which nobody can fetch, \"inline\" is used",
                      &value);
        return NGX_OK;
    }

    *by_url = 1;

    return NGX_OK;
}


static ngx_uint_t
ngx_http_artifact_is_absolute(const art_url_t *url)
{
    size_t  i;

    for (i = 0; i + 2 < url->prefix.len; i++) {
        if (ngx_memcmp(url->prefix.data + i, "://", 3) == 0) {
            return i > 0;
        }
    }

    return 0;
}
