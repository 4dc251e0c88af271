
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The content handler of "artifact_services": queries of the capability maps.
 */


#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/base/ngx_http_artifact_util.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/base/art_hash.h"
#include "core/capability/art_capmap.h"
#include "core/answer/art_counters.h"
#include "core/answer/art_listing.h"
#include "core/answer/art_services.h"


static ngx_int_t ngx_http_artifact_services(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_services_args(ngx_http_request_t *r,
    const art_capmap_t *map, ngx_http_artifact_ctx_t *ctx,
    art_services_query_t *query, art_error_t *error);
static ngx_int_t ngx_http_artifact_services_etag(ngx_http_request_t *r,
    art_out_t *out);


static const ngx_http_artifact_role_t  ngx_http_artifact_services_role = {
    .uri = NGX_HTTP_ARTIFACT_URI_NAME,
    .counter = ART_COUNT_BY_SERVICES,
    .handler = ngx_http_artifact_services,
    .light = 1
};


static ngx_command_t  ngx_http_artifact_services_commands[] = {

    { ngx_string("artifact_services"),
      NGX_HTTP_LOC_CONF|NGX_CONF_NOARGS,
      ngx_http_artifact_set_role,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      (void *) &ngx_http_artifact_services_role },

      ngx_null_command
};


static ngx_http_module_t  ngx_http_artifact_services_module_ctx = {
    .preconfiguration = NULL
};


ngx_module_t  ngx_http_artifact_services_module =
    NGX_HTTP_ARTIFACT_MODULE(&ngx_http_artifact_services_module_ctx,
                             ngx_http_artifact_services_commands);


static ngx_int_t
ngx_http_artifact_services(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_int_t                       rc;
    art_out_t                       out;
    art_error_t                     error;
    const art_capmap_t             *map;
    art_services_query_t            query;
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);
    map = amcf->capmap;

    /* "data" is NULL if "location /services" matched "/servicesabc" */

    ngx_memzero(&query, sizeof(art_services_query_t));

    if (ctx->given.data == NULL
        || art_services_locate(map, ngx_artifact_str(&ctx->given), &query)
           != ART_OK)
    {
        ctx->given.len = query.id.len;

        ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                       "http artifact services: \"%V\" not found",
                       &ctx->given);

        if (ctx->given.len > 0) {
            ngx_http_artifact_reader_warn(r->connection->log,
                                          ngx_artifact_str(&ctx->given),
                                          "a query for it finds nothing");
        }

        return ngx_http_artifact_send_error(r, ctx, ART_ERR_SERVICE);
    }

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact services: \"%*s\", query %d",
                   query.id.len, query.id.data, query.what);

    rc = ngx_http_artifact_services_args(r, map, ctx, &query, &error);

    if (rc == NGX_DECLINED) {
        return ngx_http_artifact_send_error(r, ctx, error);
    }

    if (rc == NGX_ERROR) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_services_print(&out, map, &query);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    if (out.data == NULL
        || ngx_http_artifact_services_etag(r, &out) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return ngx_http_artifact_send_json(r, ctx, NGX_HTTP_OK, &out);
}


/* Arguments that do not affect the answer are ignored. */

static ngx_int_t
ngx_http_artifact_services_args(ngx_http_request_t *r,
    const art_capmap_t *map, ngx_http_artifact_ctx_t *ctx,
    art_services_query_t *query, art_error_t *error)
{
    ngx_str_t  capability, direction, limit, after;

    if (query->what == ART_SERVICES_ONE || query->what == ART_SERVICES_CAPS) {
        return NGX_OK;
    }

    if (ngx_http_artifact_arg(r, "capability", &capability) != NGX_OK
        || ngx_http_artifact_arg(r, "direction", &direction) != NGX_OK
        || ngx_http_artifact_arg(r, "limit", &limit) != NGX_OK
        || ngx_http_artifact_arg(r, "after", &after) != NGX_OK)
    {
        return NGX_ERROR;
    }

    *error = ART_ERR_ARGUMENT;

    if (direction.len > 0
        && art_services_direction(ngx_artifact_str(&direction),
                                  &query->direction)
           != ART_OK)
    {
        return NGX_DECLINED;
    }

    if (query->what == ART_SERVICES_CAP) {
        return NGX_OK;
    }

    query->capability = ngx_artifact_str(&capability);

    if (limit.len > 0
        && art_page_limit(ngx_artifact_str(&limit), &query->limit)
           != ART_OK)
    {
        return NGX_DECLINED;
    }

    if (after.len == 0) {
        return NGX_OK;
    }

    query->first = art_services_after(map, ngx_artifact_str(&after));

    if (query->first == 0) {
        ctx->given = after;
        *error = ART_ERR_SERVICE;
        return NGX_DECLINED;
    }

    return NGX_OK;
}


/*
 * The tag is a hash of the whole answer, so it changes only with the answer,
 * whichever worker answers and however often the configuration is reloaded.
 */

static ngx_int_t
ngx_http_artifact_services_etag(ngx_http_request_t *r, art_out_t *out)
{
    ngx_str_t                  value;
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (!clcf->etag) {
        return NGX_OK;
    }

    value.data = ngx_pnalloc(r->pool, 18);
    if (value.data == NULL) {
        return NGX_ERROR;
    }

    value.len = ngx_sprintf(value.data, "\"%016xL\"",
                            art_hash_words(ART_HASH_INIT, out->data,
                                           out->len))
                - value.data;

    r->headers_out.etag = ngx_http_artifact_push_header(r, "ETag", &value);

    return r->headers_out.etag ? NGX_OK : NGX_ERROR;
}
