
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The setters of directives that all features share.
 */


#include "http/module/ngx_http_artifact_module.h"
#include "http/base/ngx_http_artifact_directive.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/base/ngx_http_artifact_set.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/api/art_api_format.h"
#include "core/derive/art_derive.h"
#include "core/format/art_delivery.h"


static char *ngx_http_artifact_unknown_format(ngx_conf_t *cf);
static void ngx_http_artifact_check_accept(ngx_conf_t *cf,
    ngx_http_artifact_directive_t *directive);
static ngx_int_t ngx_http_artifact_derive_types(ngx_conf_t *cf,
    art_derive_rule_t *rule);
static void *ngx_http_artifact_conf_alloc(void *data, size_t size);
static ngx_uint_t ngx_http_artifact_is_uri(ngx_str_t *value);
static ngx_int_t ngx_http_artifact_layout_value(ngx_str_t *value,
    const char *name, art_ref_layout_t *layout);


char *
ngx_http_artifact_set_zone(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    u_char      text[64];
    ssize_t     size;
    ngx_str_t  *value;

    value = cf->args->elts;
    size = ngx_parse_size(&value[1]);

    if (size == NGX_ERROR || size < (ssize_t) (8 * ngx_pagesize)) {
        ngx_sprintf(text, "a size of at least %uzk%Z",
                    8 * ngx_pagesize / 1024);
        return ngx_http_artifact_set_invalid(cf, (char *) text);
    }

    return ngx_conf_set_size_slot(cf, cmd, conf);
}


char *
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


char *
ngx_http_artifact_set_derive(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_artifact_loc_conf_t *alcf = conf;

    ngx_str_t                       *value;
    art_derive_rule_t               *rule;
    ngx_http_artifact_main_conf_t   *amcf;
    ngx_http_artifact_derive_uri_t  *uri;

    value = cf->args->elts;

    if (!ngx_http_artifact_is_uri(&value[3])) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "invalid URI \"%V\" in \"%V\" directive, it must "
                           "begin with \"/\" or a variable and have no "
                           "\"..\"", &value[3], &value[0]);
        return NGX_CONF_ERROR;
    }

    if (cf->args->nelts == 5 && ngx_strcmp(value[4].data, "body") != 0) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "invalid parameter \"%V\" in \"%V\" directive, it "
                           "must be \"body\"", &value[4], &value[0]);
        return NGX_CONF_ERROR;
    }

    if (alcf->derive == NULL) {
        alcf->derive = ngx_array_create(cf->pool, 4,
                                        sizeof(art_derive_rule_t));
        if (alcf->derive == NULL) {
            return NGX_CONF_ERROR;
        }
    }

    rule = ngx_array_push(alcf->derive);
    uri = ngx_pcalloc(cf->pool, sizeof(ngx_http_artifact_derive_uri_t));

    if (rule == NULL || uri == NULL) {
        return NGX_CONF_ERROR;
    }

    ngx_memzero(rule, sizeof(art_derive_rule_t));

    rule->body = (cf->args->nelts == 5);
    rule->data = uri;

    if (ngx_http_artifact_derive_types(cf, rule) != NGX_OK
        || ngx_http_artifact_compile(cf, &value[3], &uri->value) != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    uri->directive = ngx_http_artifact_directive_add(cf);
    if (uri->directive == NULL) {
        return NGX_CONF_ERROR;
    }


    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);
    amcf->derives = 1;

    return NGX_CONF_OK;
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


char *
ngx_http_artifact_set_format(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t  *value;

    value = cf->args->elts;

    if (ngx_http_script_variables_count(&value[1]) == 0 && value[1].len > 0
        && art_format_find(ngx_artifact_str(&value[1])) == NULL)
    {
        return ngx_http_artifact_unknown_format(cf);
    }

    return ngx_http_artifact_set_complex(cf, cmd, conf);
}


/* The same. */

char *
ngx_http_artifact_set_delivery(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t  *value;

    value = cf->args->elts;

    if (ngx_http_script_variables_count(&value[1]) > 0
        || (value[1].len > 0
            && art_delivery_find(ngx_artifact_str(&value[1]))
               != ART_DELIVERY_MAX))
    {
        return ngx_http_artifact_set_complex(cf, cmd, conf);
    }

    return ngx_http_artifact_set_invalid(cf, "\"inline\" or \"url\"");
}


/* Only a constant can be checked; unknown words in it have no effect. */

char *
ngx_http_artifact_set_accept(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_artifact_loc_conf_t *alcf = conf;

    char  *rv;

    rv = ngx_http_artifact_set_complex(cf, cmd, conf);

    if (rv == NGX_CONF_OK && alcf->accept->lengths == NULL) {
        ngx_http_artifact_check_accept(cf, alcf->directives);
    }

    return rv;
}


char *
ngx_http_artifact_set_source(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_artifact_loc_conf_t *alcf = conf;

    char       *rv;
    ngx_str_t  *value;

    rv = ngx_http_artifact_set_prefix(cf, cmd, conf);

    if (rv != NGX_CONF_OK || alcf->source->lengths != NULL) {
        return rv;
    }

    value = &alcf->source->value;

    if (value->len > 0 && value->data[0] != '/') {
        ngx_http_artifact_log_error(cf, NGX_LOG_WARN, alcf->directives, 0,
                                    "\"artifact_source\" \"%V\" does not begin "
                                    "with \"/\": no location matches it",
                                    value);
    }

    return NGX_CONF_OK;
}


/* A query would take the id, and a signed URL has one of its own. */

char *
ngx_http_artifact_set_url(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t  *value;

    value = cf->args->elts;

    if (ngx_strlchr(value[1].data, value[1].data + value[1].len, '?')
        || ngx_strlchr(value[1].data, value[1].data + value[1].len, '#'))
    {
        return ngx_http_artifact_set_invalid(cf, "a URL without a query or a "
                                         "fragment");
    }

    return ngx_http_artifact_set_prefix(cf, cmd, conf);
}


/* A constant relative root is below the prefix, like that of "root". */

char *
ngx_http_artifact_set_root(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t  *value;

    value = cf->args->elts;

    if (value[1].len == 0) {
        return "is empty";
    }

    if (value[1].data[0] != '$'
        && ngx_conf_full_name(cf->cycle, &value[1], 0) != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    return ngx_http_artifact_set_complex(cf, cmd, conf);
}


char *
ngx_http_artifact_set_layout(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_artifact_loc_conf_t *alcf = conf;

    ngx_str_t              *value;
    ngx_artifact_layout_t  *layout;

    if (alcf->layout) {
        return "is duplicate";
    }

    layout = ngx_pcalloc(cf->pool, sizeof(ngx_artifact_layout_t));
    if (layout == NULL) {
        return NGX_CONF_ERROR;
    }

    alcf->layout = layout;
    value = cf->args->elts;

    if (ngx_strcmp(value[1].data, "flat") != 0
        && (ngx_http_artifact_layout_value(&value[1], "levels=",
                                           &layout->layout)
            != NGX_OK
            || layout->layout.n == 0))
    {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "invalid layout \"%V\" in \"%V\" directive, it must "
                           "be \"flat\" or \"levels=\" with one to three "
                           "numbers of digits, 1 or 2, as \"1:2\"",
                           &value[1], &value[0]);
        return NGX_CONF_ERROR;
    }

    /* a store that gets levels was flat, unless "from=" says otherwise */

    layout->changes = (layout->layout.n > 0);

    if (cf->args->nelts == 2) {
        return NGX_CONF_OK;
    }

    if (ngx_strcmp(value[2].data, "from=none") == 0) {
        layout->changes = 0;
        return NGX_CONF_OK;
    }

    if (ngx_http_artifact_layout_value(&value[2], "from=", &layout->old)
        != NGX_OK)
    {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "invalid parameter \"%V\" in \"%V\" directive, it "
                           "must be \"from=flat\", \"from=none\" or \"from=\" "
                           "with one to three numbers of digits, 1 or 2, as "
                           "\"1:2\"", &value[2], &value[0]);
        return NGX_CONF_ERROR;
    }

    layout->changes = ngx_memcmp(&layout->layout, &layout->old,
                                 sizeof(art_ref_layout_t))
                      != 0;

    return NGX_CONF_OK;
}


static char *
ngx_http_artifact_unknown_format(ngx_conf_t *cf)
{
    unsigned                      i;
    ngx_str_t                    *value;
    const art_format_t           *format;
    ngx_http_artifact_choices_t   choices;

    value = cf->args->elts;
    choices.p = choices.text;

    for (i = 0; (format = art_format_row(i)) != NULL; i++) {
        ngx_http_artifact_choice(&choices, art_cstr(format->name),
                                 art_format_row(i + 1) == NULL);
    }

    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                       "unknown format \"%V\" in \"%V\" directive, it must be "
                       "%s", &value[1], &value[0], choices.text);

    return NGX_CONF_ERROR;
}


static void
ngx_http_artifact_check_accept(ngx_conf_t *cf,
    ngx_http_artifact_directive_t *directive)
{
    unsigned                      bit;
    ngx_str_t                    *value;
    art_str_t                     list, word;
    ngx_http_artifact_choices_t   choices;

    value = cf->args->elts;
    list = ngx_artifact_str(&value[1]);
    choices.p = choices.text;

    for (bit = ART_CAP_TEXT; bit <= ART_CAP_PDF; bit <<= 1) {
        ngx_http_artifact_choice(&choices, art_capability_name(bit),
                                 bit == ART_CAP_PDF);
    }

    while (art_capability_unknown(&list, &word)) {
        ngx_http_artifact_log_error(cf, NGX_LOG_WARN, directive, 0,
                                    "unknown capability \"%*s\" in "
                                    "\"artifact_accept\" directive, it must be "
                                    "%s", word.len, word.data, choices.text);
    }
}


static ngx_int_t
ngx_http_artifact_layout_value(ngx_str_t *value, const char *name,
    art_ref_layout_t *layout)
{
    size_t  len;

    len = ngx_strlen(name);

    return value->len >= len && ngx_strncmp(value->data, name, len) == 0
           && art_ref_layout_parse(art_str(value->data + len,
                                           value->len - len), layout)
              == ART_OK
           ? NGX_OK : NGX_DECLINED;
}
