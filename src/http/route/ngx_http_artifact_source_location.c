
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/route/ngx_http_artifact_source_location.h"
#include "http/base/ngx_http_artifact_context.h"
#include "http/base/ngx_http_artifact_directive.h"
#include "http/base/ngx_http_artifact_role.h"


static ngx_int_t ngx_http_artifact_location_own(ngx_http_request_t *r);
static ngx_uint_t ngx_http_artifact_location_has_folder(ngx_http_request_t *r);


ngx_int_t
ngx_http_artifact_location(ngx_http_request_t *r, ngx_uint_t folder)
{
    ngx_http_artifact_loc_conf_t  *alcf;

    /* an upstream may have sent the request elsewhere: X-Accel-Redirect */

    if (r->upstream) {
        return NGX_OK;
    }

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    if (alcf->role == NULL) {
        return r->content_handler
               || (folder && ngx_http_artifact_location_has_folder(r))
               ? NGX_OK : NGX_DECLINED;
    }

    return ngx_http_artifact_has_refs(alcf)
           ? ngx_http_artifact_location_own(r) : NGX_DECLINED;
}


static ngx_int_t
ngx_http_artifact_location_own(ngx_http_request_t *r)
{
    ngx_http_artifact_ctx_t  *ctx;

    ctx = ngx_http_artifact_get_ctx(r);

    if (ctx == NULL || ctx->bad) {
        return NGX_DECLINED;
    }

    return ctx->rootless ? NGX_ABORT : NGX_OK;
}


/* The folder of nginx's static module, where the file would have been. */

static ngx_uint_t
ngx_http_artifact_location_has_folder(ngx_http_request_t *r)
{
    size_t            root;
    u_char           *p;
    ngx_str_t         path;
    ngx_file_info_t   info;

    if (ngx_http_map_uri_to_path(r, &path, &root, 0) == NULL) {
        return 0;
    }

    for (p = path.data + path.len; p > path.data && p[-1] != '/'; p--) {
        /* void */
    }

    *p = '\0';

    return p > path.data
           && ngx_file_info(path.data, &info) != NGX_FILE_ERROR
           && ngx_is_dir(&info);
}


ngx_str_t
ngx_http_artifact_location_name(ngx_http_request_t *r)
{
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    return clcf->name;
}


void
ngx_http_artifact_location_log(ngx_log_t *log, ngx_str_t *uri,
    ngx_str_t *location, ngx_uint_t status)
{
    if (location->len == 0) {
        ngx_log_error(NGX_LOG_ERR, log, 0,
                      "source \"%V\" of an artifact failed: no location "
                      "matches it, check \"artifact_source\" (status %ui)",
                      uri, status);
        return;
    }

    ngx_log_error(NGX_LOG_ERR, log, 0,
                  "source \"%V\" of an artifact failed: location \"%V\" has "
                  "no artifacts, check \"artifact_source\" (status %ui)",
                  uri, location, status);
}


void
ngx_http_artifact_location_log_refused(ngx_http_request_t *r,
    ngx_uint_t status)
{
    ngx_str_t                      name;
    ngx_http_phase_handler_t      *ph;
    ngx_http_core_main_conf_t     *cmcf;
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);
    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);
    ph = &cmcf->phase_engine.handlers[r->phase_handler];

    if (alcf->role == NULL || r->upstream
        || ph->checker == ngx_http_core_content_phase)
    {
        return;
    }

    name = ngx_http_artifact_location_name(r);

    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "source \"%V\" of an artifact, which counts as missing, was "
                  "refused before \"%V\" of location \"%V\" (status "
                  "%ui): most headers of the client are withheld from a "
                  "source",
                  &r->uri, &ngx_http_artifact_role_directive(alcf)->name, &name,
                  status);
}
