
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The phases before the content: bad references are refused, and headers that
 * a source must not see are withheld.
 */


#include "http/module/ngx_http_artifact_phases.h"
#include "http/module/ngx_http_artifact_withhold.h"
#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_context.h"
#include "http/route/ngx_http_artifact_consumer.h"
#include "http/offload/ngx_http_artifact_offload.h"


static ngx_int_t ngx_http_artifact_will_route(ngx_http_request_t *r,
    ngx_uint_t *routed);


/* A redirect may have led from a location that routes to one that does not. */

ngx_int_t
ngx_http_artifact_precontent_handler(ngx_http_request_t *r)
{
    ngx_uint_t                     routed;
    ngx_http_artifact_loc_conf_t  *alcf;

    /* a source stays one where it is redirected to */

    if (r == r->main && ngx_http_artifact_give_back(r) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    if (alcf->uri == NGX_HTTP_ARTIFACT_REFERENCE
        || alcf->uri == NGX_HTTP_ARTIFACT_PATH
        || !ngx_http_artifact_has_withheld(r))
    {
        return NGX_DECLINED;
    }

    if (ngx_http_artifact_will_route(r, &routed) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if ((routed
         || (alcf->extract != NGX_HTTP_ARTIFACT_EXTRACT_OFF && r == r->main)
         || ngx_http_artifact_offload_api(r))
        && ngx_http_artifact_withhold(r, !routed) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return NGX_DECLINED;
}


/*
 * Nothing that is looked at here is kept: a map may choose the service by what
 * the upstream will answer.
 */

static ngx_int_t
ngx_http_artifact_will_route(ngx_http_request_t *r, ngx_uint_t *routed)
{
    size_t                      size;
    ngx_int_t                   rc;
    ngx_http_variable_value_t  *saved;
    ngx_http_core_main_conf_t  *cmcf;

    *routed = (ngx_http_artifact_consumer(r) != NULL);

    if (r != r->main) {
        return NGX_OK;
    }

    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);
    size = cmcf->variables.nelts * sizeof(ngx_http_variable_value_t);

    saved = ngx_palloc(r->pool, size);
    if (saved == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(saved, r->variables, size);
    rc = ngx_http_artifact_is_routed(r, routed);
    ngx_memcpy(r->variables, saved, size);

    (void) ngx_pfree(r->pool, saved);

    return rc;
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
