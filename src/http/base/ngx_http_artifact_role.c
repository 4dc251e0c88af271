
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the directives that give a location its role have in common, and the
 * content handlers.
 */


#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_directive.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/base/ngx_http_artifact_work.h"


static ngx_int_t ngx_http_artifact_take_location(ngx_conf_t *cf,
    ngx_command_t *cmd, ngx_http_artifact_loc_conf_t *alcf,
    ngx_http_core_loc_conf_t *clcf);
static ngx_uint_t ngx_http_artifact_has_prefix(
    ngx_http_core_loc_conf_t *clcf);
static ngx_int_t ngx_http_artifact_add_prefix(ngx_conf_t *cf,
    ngx_str_t *name);
static ngx_int_t ngx_http_artifact_handler(ngx_http_request_t *r);


char *
ngx_http_artifact_set_role(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_core_loc_conf_t        *clcf;
    ngx_http_artifact_loc_conf_t    *alcf;
    const ngx_http_artifact_role_t  *role;

    role = cmd->post;
    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
    alcf = ngx_http_conf_get_module_loc_conf(cf, ngx_artifact_module);

    if (ngx_http_artifact_take_location(cf, cmd, alcf, clcf) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    alcf->prefix = clcf->name;

    if (role->uri != NGX_HTTP_ARTIFACT_URI_NONE) {

        if (!ngx_http_artifact_has_prefix(clcf)) {
            return "cannot be used in a named location or in a location given "
                   "by a regular expression, since these have no prefix";
        }

        if (ngx_http_artifact_add_prefix(cf, &clcf->name) != NGX_OK) {
            return NGX_CONF_ERROR;
        }
    }

    return role->set ? role->set(cf, alcf) : NGX_CONF_OK;
}


/* One directive defines the URIs of a location. */

static ngx_int_t
ngx_http_artifact_take_location(ngx_conf_t *cf, ngx_command_t *cmd,
    ngx_http_artifact_loc_conf_t *alcf, ngx_http_core_loc_conf_t *clcf)
{
    ngx_http_artifact_directive_t  *directive;

    if (alcf->role) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"%V\" directive is duplicate, \"%V\" handles the "
                           "location already", &cmd->name,
                           &ngx_http_artifact_role_directive(alcf)->name);
        return NGX_ERROR;
    }

    directive = ngx_http_artifact_directive_add(cf);
    if (directive == NULL) {
        return NGX_ERROR;
    }

    directive->role = 1;
    alcf->role = cmd->post;

    if (alcf->role->handler) {
        directive->beside = (clcf->handler != NULL);
        clcf->handler = ngx_http_artifact_handler;
    }

    return NGX_OK;
}


ngx_uint_t
ngx_http_artifact_handles(ngx_http_core_loc_conf_t *clcf)
{
    return clcf->handler == ngx_http_artifact_handler;
}


static ngx_uint_t
ngx_http_artifact_has_prefix(ngx_http_core_loc_conf_t *clcf)
{
#if (NGX_PCRE)
    if (clcf->regex) {
        return 0;
    }
#endif

    return !clcf->named;
}


/* These prefixes find URIs that nginx refuses before it has a location. */

static ngx_int_t
ngx_http_artifact_add_prefix(ngx_conf_t *cf, ngx_str_t *name)
{
    ngx_str_t                      *prefix;
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);

    if (amcf->prefixes == NULL) {
        amcf->prefixes = ngx_array_create(cf->pool, 4, sizeof(ngx_str_t));

        if (amcf->prefixes == NULL) {
            return NGX_ERROR;
        }
    }

    prefix = ngx_array_push(amcf->prefixes);
    if (prefix == NULL) {
        return NGX_ERROR;
    }

    *prefix = *name;

    return NGX_OK;
}


void
ngx_http_artifact_inherit_role(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *prev, ngx_http_artifact_loc_conf_t *conf)
{
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

    if (!clcf->noname || conf->role || prev->role == NULL) {
        return;
    }

    conf->role = prev->role;
    conf->prefix = prev->prefix;
    conf->inspect = prev->inspect;

    if (clcf->handler == NULL && conf->role->handler) {
        clcf->handler = ngx_http_artifact_handler;
    }
}


/* The content handler of all of them. */

static ngx_int_t
ngx_http_artifact_handler(ngx_http_request_t *r)
{
    ngx_http_artifact_ctx_t         *ctx;
    const ngx_http_artifact_role_t  *role;

    ctx = ngx_http_artifact_get_ctx(r);

    if (ctx == NULL
        || (r != r->main && ngx_http_artifact_attend(r) != NGX_OK))
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact handler: \"%V\"%s",
                   &ctx->given, ctx->metadata ? ", metadata" : "");

    role = ctx->conf->role;

    if (!role->asked && !(r->method & (NGX_HTTP_GET|NGX_HTTP_HEAD))) {
        return ngx_http_artifact_send_error(r, ctx, ART_ERR_METHOD);
    }

    return role->handler(r, ctx);
}
