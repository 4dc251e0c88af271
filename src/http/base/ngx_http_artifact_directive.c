
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Where directives stand, and messages about them.
 */


#include "http/base/ngx_http_artifact_directive.h"


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
