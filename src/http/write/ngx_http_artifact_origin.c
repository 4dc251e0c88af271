
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/write/ngx_http_artifact_origin.h"
#include "http/base/ngx_http_artifact_directive.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/base/ngx_http_artifact_util.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/answer/art_origin.h"


typedef struct {
    ngx_array_t                *origins;     /* ngx_http_complex_value_t */
    ngx_array_t                *names;       /* ngx_http_server_name_t */
} ngx_http_artifact_origin_conf_t;


extern ngx_module_t  ngx_http_artifact_origin_module;


static void *ngx_http_artifact_origin_create_conf(ngx_conf_t *cf);
static char *ngx_http_artifact_origin_merge_conf(ngx_conf_t *cf, void *parent,
    void *child);
static char *ngx_http_artifact_set_origin(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static ngx_uint_t ngx_http_artifact_is_origin(ngx_str_t *value);
static ngx_int_t ngx_http_artifact_origin_names(ngx_conf_t *cf,
    ngx_http_artifact_origin_conf_t *conf);
static ngx_uint_t ngx_http_artifact_origin_is_own(art_str_t host,
    ngx_http_artifact_origin_conf_t *conf);


/* Each is another name of the other. */

static ngx_command_t  ngx_http_artifact_origin_commands[] = {

    { ngx_string("artifact_origin"),
      NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_http_artifact_set_origin,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      "artifact_mcp_origin" },

    { ngx_string("artifact_mcp_origin"),
      NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_http_artifact_set_origin,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      "artifact_origin" },

      ngx_null_command
};


static ngx_http_module_t  ngx_http_artifact_origin_module_ctx = {
    .create_loc_conf = ngx_http_artifact_origin_create_conf,
    .merge_loc_conf = ngx_http_artifact_origin_merge_conf
};


ngx_module_t  ngx_http_artifact_origin_module =
    NGX_HTTP_ARTIFACT_MODULE(&ngx_http_artifact_origin_module_ctx,
                             ngx_http_artifact_origin_commands);


static void *
ngx_http_artifact_origin_create_conf(ngx_conf_t *cf)
{
    return ngx_pcalloc(cf->pool, sizeof(ngx_http_artifact_origin_conf_t));
}


static char *
ngx_http_artifact_origin_merge_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_artifact_origin_conf_t *prev = parent;
    ngx_http_artifact_origin_conf_t *conf = child;

    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_conf_get_module_loc_conf(cf, ngx_artifact_module);

    if (conf->origins == NULL) {
        conf->origins = prev->origins;
    }

    if (ngx_http_artifact_has_origins(alcf)
        && ngx_http_artifact_origin_names(cf, conf) != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


static char *
ngx_http_artifact_set_origin(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_artifact_origin_conf_t *olcf = conf;

    ngx_str_t                      *value;
    ngx_uint_t                      i;
    ngx_http_complex_value_t       *origin;
    ngx_http_artifact_loc_conf_t   *alcf;
    ngx_http_artifact_directive_t  *other;

    value = cf->args->elts;
    alcf = ngx_http_conf_get_module_loc_conf(cf, ngx_artifact_module);
    other = ngx_http_artifact_directive(alcf, cmd->post);

    if (other != NULL) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"%V\" directive is duplicate, it is another name "
                           "of \"%V\"", &value[0], &other->name);
        return NGX_CONF_ERROR;
    }

    if (olcf->origins == NULL) {
        olcf->origins = ngx_array_create(cf->pool, cf->args->nelts - 1,
                                         sizeof(ngx_http_complex_value_t));
        if (olcf->origins == NULL) {
            return NGX_CONF_ERROR;
        }
    }

    for (i = 1; i < cf->args->nelts; i++) {

        if (!ngx_http_artifact_is_origin(&value[i])) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                               "invalid origin \"%V\" in \"%V\" directive, it "
                               "must have the form \"https://host\" or "
                               "\"https://host:port\", without a path, or be "
                               "\"*\" or \"null\"", &value[i], &value[0]);
            return NGX_CONF_ERROR;
        }

        origin = ngx_array_push(olcf->origins);
        if (origin == NULL) {
            return NGX_CONF_ERROR;
        }

        if (ngx_http_artifact_compile(cf, &value[i], origin) != NGX_OK) {
            return NGX_CONF_ERROR;
        }
    }

    return ngx_http_artifact_directive_add(cf) ? NGX_CONF_OK : NGX_CONF_ERROR;
}


/* What a value with variables will be is not known. */

static ngx_uint_t
ngx_http_artifact_is_origin(ngx_str_t *value)
{
    art_str_t  text;

    text = ngx_artifact_str(value);

    return ngx_http_script_variables_count(value) > 0
           || art_str_is(text, "*") || art_str_is(text, "null")
           || art_origin_host(text).len > 0;
}


ngx_uint_t
ngx_http_artifact_has_origins(ngx_http_artifact_loc_conf_t *conf)
{
    return conf->role && conf->role->posts
           && (conf->writes || !ngx_http_artifact_has_refs(conf));
}


/* Copies the names of the server, which nginx frees with the configuration. */

static ngx_int_t
ngx_http_artifact_origin_names(ngx_conf_t *cf,
    ngx_http_artifact_origin_conf_t *conf)
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
    ngx_http_artifact_loc_conf_t *alcf, ngx_str_t *origin)
{
    art_str_t                         host;
    ngx_str_t                         value;
    ngx_uint_t                        i;
    ngx_http_complex_value_t         *values;
    ngx_http_artifact_origin_conf_t  *conf;

    conf = ngx_http_artifact_conf_of(alcf, ngx_http_artifact_origin_module);
    host = art_origin_host(ngx_artifact_str(origin));

    if (host.len > 0 && (art_origin_is_loopback(host)
                         || ngx_http_artifact_origin_is_own(host, conf)))
    {
        return NGX_OK;
    }

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact origin \"%V\" is not the server's own",
                   origin);

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
    ngx_http_artifact_origin_conf_t *conf)
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
