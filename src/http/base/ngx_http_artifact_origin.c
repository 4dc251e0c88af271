
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/base/ngx_http_artifact_origin.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/base/ngx_http_artifact_util.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/answer/art_origin.h"


static ngx_uint_t ngx_http_artifact_origin_is_own(art_str_t host,
    ngx_http_artifact_loc_conf_t *conf);


ngx_uint_t
ngx_http_artifact_has_origins(ngx_http_artifact_loc_conf_t *conf)
{
    return conf->role && conf->role->posts
           && (conf->write || !ngx_http_artifact_has_refs(conf));
}


ngx_int_t
ngx_http_artifact_origin_names(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf)
{
    size_t                     size;
    ngx_http_server_name_t    *names;
    ngx_http_core_srv_conf_t  *cscf;

    cscf = ngx_http_conf_get_module_srv_conf(cf, ngx_http_core_module);
    size = cscf->server_names.nelts * sizeof(ngx_http_server_name_t);

    conf->names = ngx_array_create(cf->pool,
                                   ngx_max(cscf->server_names.nelts, 1),
                                   sizeof(ngx_http_server_name_t));
    if (conf->names == NULL) {
        return NGX_ERROR;
    }

    names = ngx_array_push_n(conf->names, cscf->server_names.nelts);
    if (names == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(names, cscf->server_names.elts, size);

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_check_request_origin(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *conf)
{
    ngx_table_elt_t  *header;

    header = ngx_http_artifact_find_header(&r->headers_in.headers, "Origin");

    return header ? ngx_http_artifact_check_origin(r, conf, &header->value)
                  : NGX_OK;
}


ngx_int_t
ngx_http_artifact_check_origin(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *conf, ngx_str_t *origin)
{
    art_str_t                  host;
    ngx_str_t                  value;
    ngx_uint_t                 i;
    ngx_http_complex_value_t  *values;

    host = art_origin_host(ngx_artifact_str(origin));

    if (host.len > 0 && (art_origin_is_loopback(host)
                         || ngx_http_artifact_origin_is_own(host, conf)))
    {
        return NGX_OK;
    }

    values = conf->origins ? conf->origins->elts : NULL;

    for (i = 0; values && i < conf->origins->nelts; i++) {

        if (ngx_http_complex_value(r, &values[i], &value) != NGX_OK) {
            return NGX_ERROR;
        }

        if ((value.len == 1 && value.data[0] == '*')
            || (value.len > 0 && value.len == origin->len
                && ngx_strncasecmp(value.data, origin->data, value.len) == 0))
        {
            return NGX_OK;
        }
    }

    ngx_log_error(NGX_LOG_INFO, r->connection->log, 0,
                  "origin \"%V\" is not allowed", origin);

    return NGX_DECLINED;
}


/* Whether a host is a name of the server. */

static ngx_uint_t
ngx_http_artifact_origin_is_own(art_str_t host,
    ngx_http_artifact_loc_conf_t *conf)
{
    ngx_uint_t               i;
    ngx_http_server_name_t  *names;
#if (NGX_PCRE)
    ngx_str_t                name;
#endif

    names = conf->names->elts;

    for (i = 0; i < conf->names->nelts; i++) {

#if (NGX_PCRE)

        if (names[i].regex) {
            name.data = (u_char *) host.data;
            name.len = host.len;

            if (ngx_regex_exec(names[i].regex->regex, &name, NULL, 0) >= 0) {
                return 1;
            }

            continue;
        }

#endif

        if (art_origin_has_name(host, ngx_artifact_str(&names[i].name))) {
            return 1;
        }
    }

    return 0;
}
