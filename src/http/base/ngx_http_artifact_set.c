
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/base/ngx_http_artifact_directive.h"
#include "http/base/ngx_http_artifact_set.h"
#include "store/disk/ngx_artifact_str.h"


#define NGX_HTTP_ARTIFACT_A_SIZE  "a size, such as \"64k\" or \"20m\""


char *
ngx_http_artifact_set_complex(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    char  *rv;

    rv = ngx_http_set_complex_value_slot(cf, cmd, conf);

    if (rv != NGX_CONF_OK) {
        return rv;
    }

    return ngx_http_artifact_directive_add(cf) ? NGX_CONF_OK : NGX_CONF_ERROR;
}


char *
ngx_http_artifact_set_enum(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t                    *value;
    ngx_conf_enum_t              *e;
    ngx_http_artifact_choices_t   choices;

    value = cf->args->elts;

    for (e = cmd->post; e->name.len > 0; e++) {

        if (e->name.len == value[1].len
            && ngx_strcasecmp(e->name.data, value[1].data) == 0)
        {
            if (ngx_http_artifact_directive_add(cf) == NULL) {
                return NGX_CONF_ERROR;
            }

            return ngx_conf_set_enum_slot(cf, cmd, conf);
        }
    }

    choices.p = choices.text;

    for (e = cmd->post; e->name.len > 0; e++) {
        ngx_http_artifact_choice(&choices, ngx_artifact_str(&e->name),
                                 e[1].name.len == 0);
    }

    return ngx_http_artifact_set_invalid(cf, (char *) choices.text);
}


char *
ngx_http_artifact_set_size(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t  *value;

    value = cf->args->elts;

    if (ngx_parse_size(&value[1]) == NGX_ERROR) {
        return ngx_http_artifact_set_invalid(cf, NGX_HTTP_ARTIFACT_A_SIZE);
    }

    return ngx_conf_set_size_slot(cf, cmd, conf);
}


char *
ngx_http_artifact_set_off(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t  *value;

    value = cf->args->elts;

    if (ngx_parse_offset(&value[1]) == NGX_ERROR) {
        return ngx_http_artifact_set_invalid(cf, NGX_HTTP_ARTIFACT_A_SIZE);
    }

    return ngx_conf_set_off_slot(cf, cmd, conf);
}


char *
ngx_http_artifact_set_num(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    u_char                  text[64];
    ngx_str_t              *value;
    ngx_int_t               n;
    ngx_conf_num_bounds_t  *bounds;

    value = cf->args->elts;
    bounds = cmd->post;
    n = ngx_atoi(value[1].data, value[1].len);

    if (n == NGX_ERROR || n < bounds->low || n > bounds->high) {
        ngx_sprintf(text, "a number from %i to %i%Z", bounds->low,
                    bounds->high);
        return ngx_http_artifact_set_invalid(cf, (char *) text);
    }

    return ngx_conf_set_num_slot(cf, cmd, conf);
}


/* Ids are put behind it: "/artifacts" would make "/artifactsabc". */

char *
ngx_http_artifact_set_prefix(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_artifact_loc_conf_t *alcf = conf;

    char                      *rv;
    ngx_str_t                 *value;
    ngx_http_complex_value_t  *prefix;

    rv = ngx_http_artifact_set_complex(cf, cmd, conf);

    prefix = *(ngx_http_complex_value_t **) ((char *) conf + cmd->offset);

    if (rv != NGX_CONF_OK || prefix->lengths != NULL) {
        return rv;
    }

    value = &prefix->value;

    if (value->len > 0 && art_char_alnum(value->data[value->len - 1])) {
        ngx_http_artifact_log_error(cf, NGX_LOG_WARN, alcf->directives, 0,
                                    "\"%V\" \"%V\" does not end in \"/\": the "
                                    "artifact \"abc\" would be \"%Vabc\"",
                                    &cmd->name, value, value);
    }

    return NGX_CONF_OK;
}


ngx_int_t
ngx_http_artifact_compile(ngx_conf_t *cf, ngx_str_t *text,
    ngx_http_complex_value_t *value)
{
    ngx_http_compile_complex_value_t  ccv;

    ngx_memzero(&ccv, sizeof(ngx_http_compile_complex_value_t));

    ccv.cf = cf;
    ccv.value = text;
    ccv.complex_value = value;

    return ngx_http_compile_complex_value(&ccv);
}


ngx_int_t
ngx_http_artifact_add_handler(ngx_conf_t *cf, ngx_uint_t phase,
    ngx_http_handler_pt handler)
{
    ngx_http_handler_pt        *h;
    ngx_http_core_main_conf_t  *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);

    h = ngx_array_push(&cmcf->phases[phase].handlers);
    if (h == NULL) {
        return NGX_ERROR;
    }

    *h = handler;

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_merge_complex(ngx_conf_t *cf,
    ngx_http_complex_value_t **conf, ngx_http_complex_value_t *prev,
    const char *text)
{
    ngx_str_t  source;

    if (*conf == NULL) {
        *conf = prev;
    }

    if (*conf || text == NULL) {
        return NGX_OK;
    }

    source.data = (u_char *) text;
    source.len = ngx_strlen(text);

    *conf = ngx_pcalloc(cf->pool, sizeof(ngx_http_complex_value_t));

    return *conf ? ngx_http_artifact_compile(cf, &source, *conf) : NGX_ERROR;
}


char *
ngx_http_artifact_set_invalid(ngx_conf_t *cf, const char *must)
{
    ngx_str_t  *value;

    value = cf->args->elts;

    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                       "invalid value \"%V\" in \"%V\" directive, it must be "
                       "%s", &value[1], &value[0], must);

    return NGX_CONF_ERROR;
}


void
ngx_http_artifact_choice(ngx_http_artifact_choices_t *choices, art_str_t name,
    ngx_uint_t last)
{
    const char  *before;

    before = choices->p == choices->text ? "" : last ? " or " : ", ";

    choices->p = ngx_slprintf(choices->p,
                              choices->text + sizeof(choices->text) - 1,
                              "%s\"%*s\"", before, name.len, name.data);
    *choices->p = '\0';
}
