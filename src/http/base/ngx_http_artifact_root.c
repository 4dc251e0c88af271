
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What a location says of the data root.
 */


#include "http/base/ngx_http_artifact_root.h"
#include "http/base/ngx_http_artifact_util.h"
#include "store/disk/ngx_artifact_str.h"


/*
 * The data root as a name for system calls.  What a variable brings into it may
 * come from a client: it must not climb, and not be empty, which would be
 * nginx's own prefix.
 */

ngx_int_t
ngx_http_artifact_root(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx,
    ngx_str_t *root)
{
    u_char     *p, *end;
    ngx_str_t   value;

    ngx_str_null(&value);

    if (ctx->conf->root
        && ngx_http_complex_value(r, ctx->conf->root, &value) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (value.len == 0) {
        ngx_set_errno(ENOENT);
        return NGX_DECLINED;
    }

    if (ngx_http_artifact_concat(r->pool, root,
                                 ngx_artifact_str(&value), art_cstr(""))
        != NGX_OK
        || ngx_get_full_name(r->pool, (ngx_str_t *) &ngx_cycle->prefix, root)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ctx->conf->root->lengths == NULL) {
        return NGX_OK;
    }

    if (ngx_http_artifact_lacks_variable(r, ctx->conf->root, &value)) {
        ngx_set_errno(ENOENT);
        return NGX_DECLINED;
    }

    end = value.data + value.len;

    for (p = value.data; p < end; p++) {

        if (*p == '\0'
            || (end - p >= 2 && p[0] == '.' && p[1] == '.'
                && (p == value.data || p[-1] == '/')
                && (end - p == 2 || p[2] == '/')))
        {
            ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                          "the value of \"artifact_root\" climbs");
            ngx_set_errno(ENOENT);
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


const ngx_artifact_layout_t *
ngx_http_artifact_layout(ngx_http_artifact_loc_conf_t *conf)
{
    static const ngx_artifact_layout_t  flat;

    return conf->layout ? conf->layout : &flat;
}


ngx_uint_t
ngx_http_artifact_follows(ngx_http_request_t *r)
{
#if (NGX_HAVE_OPENAT)
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    return clcf->disable_symlinks == NGX_DISABLE_SYMLINKS_OFF;
#else
    return 1;
#endif
}
