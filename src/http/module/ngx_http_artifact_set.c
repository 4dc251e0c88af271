
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The setters of directives that all features share.
 */


#include "http/module/ngx_http_artifact_module.h"
#include "http/base/ngx_http_artifact_directive.h"
#include "http/base/ngx_http_artifact_set.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/api/art_api_format.h"
#include "core/format/art_delivery.h"


static char *ngx_http_artifact_unknown_format(ngx_conf_t *cf);
static void ngx_http_artifact_check_accept(ngx_conf_t *cf,
    ngx_http_artifact_directive_t *directive);
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


/*
 * A query would take the id, and a signed URL has one of its own.  All but the
 * first are only read; the first is where the directive is said to be.
 */

char *
ngx_http_artifact_set_url(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_artifact_loc_conf_t *alcf = conf;

    char                       *rv;
    ngx_str_t                  *value;
    ngx_http_complex_value_t   *first, **other;

    value = cf->args->elts;

    if (ngx_strlchr(value[1].data, value[1].data + value[1].len, '?')
        || ngx_strlchr(value[1].data, value[1].data + value[1].len, '#'))
    {
        return ngx_http_artifact_set_invalid(cf, "a URL without a query or a "
                                         "fragment");
    }

    if (alcf->url == NULL) {
        return ngx_http_artifact_set_prefix(cf, cmd, conf);
    }

    if (alcf->urls == NULL) {
        alcf->urls = ngx_array_create(cf->pool, 2, sizeof(void *));
        if (alcf->urls == NULL) {
            return NGX_CONF_ERROR;
        }
    }

    other = ngx_array_push(alcf->urls);
    if (other == NULL) {
        return NGX_CONF_ERROR;
    }

    first = alcf->url;
    alcf->url = NULL;

    rv = ngx_http_artifact_set_prefix(cf, cmd, conf);

    if (rv == NGX_CONF_OK) {
        alcf->directives = alcf->directives->next;
    }

    *other = alcf->url;
    alcf->url = first;

    return rv;
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

    if (layout == NULL || ngx_http_artifact_directive_add(cf) == NULL) {
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
