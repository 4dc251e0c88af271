
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The phases before the content: bad references are refused, and ranges of
 * other bytes than those that will be sent are taken away.
 */


#include "http/module/ngx_http_artifact_phases.h"
#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_reader.h"


ngx_int_t
ngx_http_artifact_precontent_handler(ngx_http_request_t *r)
{
    ngx_uint_t  routed;

    if (r->headers_in.range == NULL || r != r->main) {
        return NGX_DECLINED;
    }

    if (ngx_http_artifact_is_routed(r, &routed) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (routed) {

        /* ranges are those of other bytes: slice must not see them either */

        r->headers_in.range = NULL;
        r->headers_in.if_range = NULL;
    }

    return NGX_DECLINED;
}


ngx_int_t
ngx_http_artifact_preaccess_handler(ngx_http_request_t *r)
{
    art_error_t                    error;
    ngx_http_artifact_ctx_t       *ctx;
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    if (alcf->uri != NGX_HTTP_ARTIFACT_DECODE) {
        return NGX_DECLINED;
    }

    ctx = ngx_http_artifact_get_ctx(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ngx_http_artifact_check(r, ctx, &error) == NGX_OK) {
        return NGX_DECLINED;
    }

    /* the answer is made here, nothing of the location is to follow */

    ngx_http_finalize_request(r, ngx_http_artifact_send_error(r, ctx, error));

    return NGX_DONE;
}
