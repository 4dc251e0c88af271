
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Who asks, and whether that gets JSON.
 */


#include "http/base/ngx_http_artifact_reader.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/capability/art_capability.h"
#include "core/capability/art_capmap.h"


ngx_int_t
ngx_http_artifact_is_routed(ngx_http_request_t *r, ngx_uint_t *routed)
{
    ngx_http_artifact_reader_t    *reader;
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    *routed = 0;

    if (alcf->route == NGX_HTTP_ARTIFACT_ROUTE_OFF) {
        return NGX_OK;
    }

    reader = ngx_http_artifact_get_reader(r);
    if (reader == NULL) {
        return NGX_ERROR;
    }

    *routed = !reader->empty
              || alcf->route == NGX_HTTP_ARTIFACT_ROUTE_ALWAYS;

    return NGX_OK;
}


ngx_http_artifact_reader_t *
ngx_http_artifact_get_reader(ngx_http_request_t *r)
{
    ngx_http_artifact_ctx_t        *ctx;
    ngx_http_artifact_reader_t     *reader;
    ngx_http_artifact_loc_conf_t   *alcf;
    ngx_http_artifact_main_conf_t  *amcf;

    ctx = ngx_http_artifact_get_ctx(r);

    if (ctx == NULL) {
        return NULL;
    }

    /* until there is something to read, its variables may still change */

    if (ctx->reader && ctx->source) {
        return ctx->reader;
    }

    amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);
    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    reader = ngx_pcalloc(r->pool, sizeof(ngx_http_artifact_reader_t));
    if (reader == NULL) {
        return NULL;
    }

    if (ngx_http_complex_value(r, alcf->service, &reader->asked) != NGX_OK
        || ngx_http_complex_value(r, alcf->accept, &reader->accept) != NGX_OK)
    {
        return NULL;
    }

    reader->empty = (reader->asked.len == 0 && reader->accept.len == 0);

    ngx_http_artifact_reader_find(reader, amcf->capmap);

    ctx->reader = reader;

    return reader;
}


void
ngx_http_artifact_reader_find(ngx_http_artifact_reader_t *reader,
    const art_capmap_t *map)
{
    reader->service = reader->asked.len > 0 && map
                      ? art_capmap_find(map, ngx_artifact_str(&reader->asked))
                      : NULL;

    if (reader->accept.len > 0) {
        reader->caps = art_capability_parse(ngx_artifact_str(&reader->accept));

    } else {
        reader->caps = reader->service ? reader->service->input.bits
                                       : ART_CAP_TEXT;
    }
}
