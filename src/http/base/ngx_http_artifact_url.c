
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/base/ngx_http_artifact_url.h"
#include "store/disk/ngx_artifact_str.h"


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

    return NGX_OK;
}
