
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Where directives stand, and messages about them.
 */


#include "http/base/ngx_http_artifact_directive.h"
#include "http/base/ngx_http_artifact.h"
#include "http/base/ngx_http_artifact_util.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/text/art_percent.h"


#define NGX_HTTP_ARTIFACT_A_SIZE  "a size, such as \"64k\" or \"20m\""


static char *ngx_http_artifact_note(ngx_conf_t *cf, void *post, void *data);
static ngx_uint_t ngx_http_artifact_place_warned(ngx_conf_t *cf, u_char *text,
    size_t len);


ngx_conf_post_t  ngx_http_artifact_noted = { ngx_http_artifact_note };


static char *
ngx_http_artifact_note(ngx_conf_t *cf, void *post, void *data)
{
    return ngx_http_artifact_directive_add(cf) ? NGX_CONF_OK : NGX_CONF_ERROR;
}


ngx_http_artifact_directive_t *
ngx_http_artifact_directive_add(ngx_conf_t *cf)
{
    ngx_str_t                      *name;
    ngx_http_artifact_loc_conf_t   *alcf;
    ngx_http_artifact_directive_t  *directive;

    alcf = ngx_http_conf_get_module_loc_conf(cf, ngx_artifact_module);

    directive = ngx_pcalloc(cf->pool, sizeof(ngx_http_artifact_directive_t));
    if (directive == NULL) {
        return NULL;
    }

    name = cf->args->elts;

    directive->name = *name;
    directive->line = cf->conf_file->line;
    directive->next = alcf->directives;

    /* a directive of the command line's "-g" is in no file */

    if (cf->conf_file->file.fd != NGX_INVALID_FILE) {
        directive->file = cf->conf_file->file.name;
    }

    alcf->directives = directive;

    return directive;
}


void
ngx_http_artifact_directive_inherit(ngx_http_artifact_loc_conf_t *prev,
    ngx_http_artifact_loc_conf_t *conf)
{
    ngx_http_artifact_directive_t  **last;

    last = &conf->directives;

    while (*last != NULL) {
        last = &(*last)->next;
    }

    *last = prev->directives;
}


ngx_http_artifact_directive_t *
ngx_http_artifact_directive(ngx_http_artifact_loc_conf_t *conf,
    const char *name)
{
    ngx_http_artifact_directive_t  *directive;

    for (directive = conf->directives;
         directive != NULL && ngx_strcmp(directive->name.data, name) != 0;
         directive = directive->next)
    {
        /* void */
    }

    return directive;
}


ngx_http_artifact_directive_t *
ngx_http_artifact_role_directive(ngx_http_artifact_loc_conf_t *conf)
{
    ngx_http_artifact_directive_t  *directive;

    for (directive = conf->directives;
         directive != NULL && !directive->role;
         directive = directive->next)
    {
        /* void */
    }

    return directive;
}


void
ngx_http_artifact_log_error(ngx_conf_t *cf, ngx_uint_t level,
    ngx_http_artifact_directive_t *directive, ngx_err_t err, const char *fmt,
    ...)
{
    u_char   *p, *last, text[NGX_MAX_CONF_ERRSTR];
    va_list   args;

    last = text + NGX_MAX_CONF_ERRSTR;

    va_start(args, fmt);
    p = ngx_vslprintf(text, last, fmt, args);
    va_end(args);

    if (err) {
        p = ngx_log_errno(p, last, err);
    }

    if (directive != NULL && directive->file.len > 0) {
        p = ngx_slprintf(p, last, " in %V:%ui", &directive->file,
                         directive->line);

    } else if (directive != NULL) {
        p = ngx_slprintf(p, last, " in command line");
    }

    if (level == NGX_LOG_WARN
        && ngx_http_artifact_place_warned(cf, text, (size_t) (p - text)))
    {
        return;
    }

    ngx_log_error(level, cf->log, 0, "%*s", (size_t) (p - text), text);
}


/* Whether a warning was logged before; else it is noted. */

static ngx_uint_t
ngx_http_artifact_place_warned(ngx_conf_t *cf, u_char *text, size_t len)
{
    ngx_str_t                      *warning;
    ngx_uint_t                      i;
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);

    if (amcf->warned == NULL) {
        amcf->warned = ngx_array_create(cf->temp_pool, 4, sizeof(ngx_str_t));

        if (amcf->warned == NULL) {
            return 0;
        }
    }

    warning = amcf->warned->elts;

    for (i = 0; i < amcf->warned->nelts; i++) {
        if (warning[i].len == len
            && ngx_memcmp(warning[i].data, text, len) == 0)
        {
            return 1;
        }
    }

    warning = ngx_array_push(amcf->warned);

    if (warning == NULL) {
        return 0;
    }

    warning->len = len;
    warning->data = ngx_pnalloc(cf->temp_pool, len);

    if (warning->data == NULL) {
        warning->len = 0;
        return 0;
    }

    ngx_memcpy(warning->data, text, len);

    return 0;
}


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

    before = last ? " or " : ", ";

    if (choices->p == choices->text) {
        before = "";
    }

    choices->p = ngx_slprintf(choices->p,
                              choices->text + sizeof(choices->text) - 1,
                              "%s\"%*s\"", before, name.len, name.data);
    *choices->p = '\0';
}


ngx_int_t
ngx_http_artifact_variables_add(ngx_conf_t *cf, ngx_http_variable_t *v)
{
    ngx_http_variable_t  *var;

    for ( /* void */ ; v->name.len; v++) {

        var = ngx_http_add_variable(cf, &v->name, v->flags);
        if (var == NULL) {
            return NGX_ERROR;
        }

        var->get_handler = v->get_handler;
        var->data = v->data;
    }

    return NGX_OK;
}


ngx_uint_t
ngx_http_artifact_variable_is_used(ngx_conf_t *cf, const char *name)
{
    ngx_uint_t                  i;
    ngx_http_variable_t        *v;
    ngx_http_core_main_conf_t  *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);
    v = cmcf->variables.elts;

    for (i = 0; i < cmcf->variables.nelts; i++) {
        if (v[i].name.len == ngx_strlen(name)
            && ngx_strncmp(v[i].name.data, name, v[i].name.len) == 0)
        {
            return 1;
        }
    }

    return 0;
}


ngx_int_t
ngx_http_artifact_variable_text(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, art_str_t text)
{
    art_out_t  out;

    ngx_memzero(&out, sizeof(art_out_t));

    art_percent_controls(&out, text);

    if (out.len == text.len) {
        ngx_http_artifact_variable_set(v, text);
        return NGX_OK;
    }

    if (!ngx_http_artifact_print_again(r->pool, &out)) {
        return NGX_ERROR;
    }

    art_percent_controls(&out, text);
    ngx_http_artifact_variable_set(v, art_str(out.data, out.len));

    return NGX_OK;
}


void
ngx_http_artifact_variable_set(ngx_http_variable_value_t *v, art_str_t value)
{
    if (value.data == NULL) {
        v->not_found = 1;
        return;
    }

    v->data = (u_char *) value.data;
    v->len = (unsigned) value.len;
    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;
}


ngx_http_request_t *
ngx_http_artifact_variable_owner(ngx_http_request_t *r)
{
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    return alcf->role == NULL ? r->main : r;
}
