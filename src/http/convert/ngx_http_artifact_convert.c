
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/convert/ngx_http_artifact_convert.h"
#include "http/base/ngx_http_artifact_directive.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/derive/art_derive.h"


/* Conversions of one request at the same time, each with a connection. */

#define NGX_HTTP_ARTIFACT_PARALLEL_MAX  64


static void *ngx_http_artifact_convert_create_main_conf(ngx_conf_t *cf);
static void *ngx_http_artifact_convert_create_conf(ngx_conf_t *cf);
static char *ngx_http_artifact_convert_merge_conf(ngx_conf_t *cf, void *parent,
    void *child);
static char *ngx_http_artifact_set_derive(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static ngx_int_t ngx_http_artifact_derive_params(ngx_conf_t *cf,
    art_derive_rule_t *rule);
static ngx_int_t ngx_http_artifact_derive_types(ngx_conf_t *cf,
    art_derive_rule_t *rule);
static void *ngx_http_artifact_conf_alloc(void *data, size_t size);
static ngx_uint_t ngx_http_artifact_is_uri(ngx_str_t *value);
static char *ngx_http_artifact_set_msec(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);


static ngx_conf_num_bounds_t  ngx_http_artifact_parallel_bounds = {
    ngx_conf_check_num_bounds, 1, NGX_HTTP_ARTIFACT_PARALLEL_MAX
};


static ngx_command_t  ngx_http_artifact_convert_commands[] = {

    { ngx_string("artifact_derive"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE3|NGX_CONF_TAKE4
          |NGX_CONF_TAKE5,
      ngx_http_artifact_set_derive,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("artifact_derive_parallel"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_num,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_convert_conf_t, parallel),
      &ngx_http_artifact_parallel_bounds },

    { ngx_string("artifact_derive_timeout"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_msec,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_convert_conf_t, timeout),
      NULL },

      ngx_null_command
};


static ngx_http_module_t  ngx_http_artifact_convert_module_ctx = {
    .create_main_conf = ngx_http_artifact_convert_create_main_conf,
    .create_loc_conf = ngx_http_artifact_convert_create_conf,
    .merge_loc_conf = ngx_http_artifact_convert_merge_conf
};


ngx_module_t  ngx_http_artifact_convert_module =
    NGX_HTTP_ARTIFACT_MODULE(&ngx_http_artifact_convert_module_ctx,
                             ngx_http_artifact_convert_commands);


static void *
ngx_http_artifact_convert_create_main_conf(ngx_conf_t *cf)
{
    return ngx_pcalloc(cf->pool,
                       sizeof(ngx_http_artifact_convert_main_conf_t));
}


static void *
ngx_http_artifact_convert_create_conf(ngx_conf_t *cf)
{
    ngx_http_artifact_convert_conf_t  *conf;

    conf = ngx_pcalloc(cf->pool, sizeof(ngx_http_artifact_convert_conf_t));
    if (conf == NULL) {
        return NULL;
    }

    conf->parallel = NGX_CONF_UNSET;
    conf->timeout = NGX_CONF_UNSET_MSEC;

    return conf;
}


static char *
ngx_http_artifact_convert_merge_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_artifact_convert_conf_t *prev = parent;
    ngx_http_artifact_convert_conf_t *conf = child;

    if (conf->rules == NULL) {
        conf->rules = prev->rules;
    }

    ngx_conf_merge_value(conf->parallel, prev->parallel, 4);
    ngx_conf_merge_msec_value(conf->timeout, prev->timeout, 60000);

    return NGX_CONF_OK;
}


static char *
ngx_http_artifact_set_derive(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_artifact_convert_conf_t *ccf = conf;

    ngx_str_t                              *value;
    art_derive_rule_t                      *rule;
    ngx_http_artifact_derive_uri_t         *uri;
    ngx_http_artifact_convert_main_conf_t  *cmcf;

    value = cf->args->elts;

    if (!ngx_http_artifact_is_uri(&value[3])) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "invalid URI \"%V\" in \"%V\" directive, it must "
                           "begin with \"/\" or a variable and have no "
                           "\"..\"", &value[3], &value[0]);
        return NGX_CONF_ERROR;
    }

    if (ccf->rules == NULL) {
        ccf->rules = ngx_array_create(cf->pool, 4, sizeof(art_derive_rule_t));
        if (ccf->rules == NULL) {
            return NGX_CONF_ERROR;
        }
    }

    rule = ngx_array_push(ccf->rules);
    uri = ngx_pcalloc(cf->pool, sizeof(ngx_http_artifact_derive_uri_t));

    if (rule == NULL || uri == NULL) {
        return NGX_CONF_ERROR;
    }

    ngx_memzero(rule, sizeof(art_derive_rule_t));

    rule->data = uri;

    if (ngx_http_artifact_derive_params(cf, rule) != NGX_OK
        || ngx_http_artifact_derive_types(cf, rule) != NGX_OK
        || ngx_http_artifact_compile(cf, &value[3], &uri->value) != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    uri->directive = ngx_http_artifact_directive_add(cf);
    if (uri->directive == NULL) {
        return NGX_CONF_ERROR;
    }

    cmcf = ngx_http_conf_get_module_main_conf(cf,
                                             ngx_http_artifact_convert_module);
    cmcf->used = 1;

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_http_artifact_derive_params(ngx_conf_t *cf, art_derive_rule_t *rule)
{
    ngx_str_t   *value;
    ngx_uint_t   i;

    value = cf->args->elts;

    for (i = 4; i < cf->args->nelts; i++) {

        if (!rule->body && ngx_strcmp(value[i].data, "body") == 0) {
            rule->body = 1;

        } else if (!rule->words && ngx_strcmp(value[i].data, "words") == 0) {
            rule->words = 1;

        } else {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                               "invalid parameter \"%V\" in \"%V\" "
                               "directive, it must be \"body\" or "
                               "\"words\", each once",
                               &value[i], &value[0]);
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_derive_types(ngx_conf_t *cf, art_derive_rule_t *rule)
{
    art_str_t    bad;
    ngx_str_t   *value;
    art_pool_t   pool;

    value = cf->args->elts;
    pool.alloc = ngx_http_artifact_conf_alloc;
    pool.data = cf->pool;

    switch (art_derive_parse(rule, ngx_artifact_str(&value[1]),
                             ngx_artifact_str(&value[2]), &pool, &bad))
    {
    case ART_DERIVE_OK:
        return NGX_OK;

    case ART_DERIVE_FROM:
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "invalid media type \"%*s\" in \"%V\" directive, "
                           "it must be one such as \"image/heic\", a range "
                           "such as \"image/*\", or \"image\", \"audio\", "
                           "\"video\", \"document\" or \"other\"",
                           bad.len, bad.data, &value[0]);
        return NGX_ERROR;

    case ART_DERIVE_TO:
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "invalid media type \"%V\" in \"%V\" directive, "
                           "it must be one such as \"image/jpeg\"",
                           &value[2], &value[0]);
        return NGX_ERROR;

    default:  /* ART_DERIVE_MEMORY */
        return NGX_ERROR;
    }
}


static void *
ngx_http_artifact_conf_alloc(void *data, size_t size)
{
    return ngx_pnalloc(data, size);
}


static ngx_uint_t
ngx_http_artifact_is_uri(ngx_str_t *value)
{
    u_char  *p, *end;

    if (value->len == 0 || (value->data[0] != '/' && value->data[0] != '$')) {
        return 0;
    }

    end = value->data + value->len;

    for (p = value->data; p < end && *p != '?'; p++) {

        if (*p == '/' && end - p >= 3 && p[1] == '.' && p[2] == '.'
            && (end - p == 3 || p[3] == '/' || p[3] == '?'))
        {
            return 0;
        }
    }

    return 1;
}


static char *
ngx_http_artifact_set_msec(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_int_t   msec;
    ngx_str_t  *value;

    value = cf->args->elts;
    msec = ngx_parse_time(&value[1], 0);

    return msec == NGX_ERROR || msec == 0
           ? ngx_http_artifact_set_invalid(cf, "a time, such as \"30s\" or "
                                       "\"500ms\", and not 0")
           : ngx_conf_set_msec_slot(cf, cmd, conf);
}
