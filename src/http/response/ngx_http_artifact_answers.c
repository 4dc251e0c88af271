
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The module of models' answers: its directives.
 */


#include "http/base/ngx_http_artifact_directive.h"
#include "http/base/ngx_http_artifact_context.h"
#include "http/expand/ngx_http_artifact_expand.h"
#include "http/texts/ngx_http_artifact_texts.h"
#include "http/response/ngx_http_artifact_response.h"
#include "http/upkeep/ngx_http_artifact_upkeep.h"


static ngx_int_t ngx_http_artifact_answers_preinit(ngx_conf_t *cf);
static ngx_int_t ngx_http_artifact_answers_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static void *ngx_http_artifact_answers_create_main_conf(ngx_conf_t *cf);
static void *ngx_http_artifact_answers_create_conf(ngx_conf_t *cf);
static char *ngx_http_artifact_answers_merge_conf(ngx_conf_t *cf, void *parent,
    void *child);
static ngx_int_t ngx_http_artifact_answers_root(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *alcf,
    ngx_http_artifact_answers_conf_t *conf);


static ngx_conf_enum_t  ngx_http_artifact_extracts[] = {
    { ngx_string("off"), NGX_HTTP_ARTIFACT_EXTRACT_OFF },
    { ngx_string("on"), NGX_HTTP_ARTIFACT_EXTRACT_ON },
    { ngx_string("strip"), NGX_HTTP_ARTIFACT_EXTRACT_STRIP },
    { ngx_null_string, 0 }
};


static ngx_conf_enum_t  ngx_http_artifact_offloads[] = {
    { ngx_string("off"), NGX_HTTP_ARTIFACT_OFFLOAD_OFF },
    { ngx_string("on"), NGX_HTTP_ARTIFACT_OFFLOAD_ON },
    { ngx_string("link"), NGX_HTTP_ARTIFACT_OFFLOAD_LINK },
    { ngx_null_string, 0 }
};


static ngx_command_t  ngx_http_artifact_answers_commands[] = {

    { ngx_string("artifact_extract"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_enum,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_answers_conf_t, extract),
      &ngx_http_artifact_extracts },

    { ngx_string("artifact_offload"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_enum,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_answers_conf_t, offload),
      &ngx_http_artifact_offloads },

      ngx_null_command
};


static ngx_http_variable_t  ngx_http_artifact_answers_variables[] = {

    { ngx_string("artifact_offloaded"), NULL,
      ngx_http_artifact_answers_variable,
      0,
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_offloaded_bytes"), NULL,
      ngx_http_artifact_answers_variable,
      1,
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

      ngx_http_null_variable
};


static ngx_http_module_t  ngx_http_artifact_answers_module_ctx = {
    .preconfiguration = ngx_http_artifact_answers_preinit,
    .create_main_conf = ngx_http_artifact_answers_create_main_conf,
    .create_loc_conf = ngx_http_artifact_answers_create_conf,
    .merge_loc_conf = ngx_http_artifact_answers_merge_conf
};


ngx_module_t  ngx_http_artifact_answers_module =
    NGX_HTTP_ARTIFACT_MODULE(&ngx_http_artifact_answers_module_ctx,
                             ngx_http_artifact_answers_commands);


static ngx_int_t
ngx_http_artifact_answers_preinit(ngx_conf_t *cf)
{
    return ngx_http_artifact_variables_add(cf,
                                          ngx_http_artifact_answers_variables);
}


/* Values of the request and of its answer, or their bytes. */

static ngx_int_t
ngx_http_artifact_answers_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    u_char                            *p;
    ngx_int_t                          rc;
    uint64_t                           n[2];
    ngx_http_artifact_ctx_t           *ctx;
    ngx_http_artifact_answers_conf_t  *conf;

    v->not_found = 1;

    r = r->main;
    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);
    conf = ngx_http_get_module_loc_conf(r, ngx_http_artifact_answers_module);

    n[0] = ctx ? ctx->offloaded : 0;
    n[1] = ctx ? ctx->offloaded_bytes : 0;

    rc = ngx_http_artifact_expand_offloaded(r, &n[0], &n[1]);

    if (rc != NGX_OK && conf->stores == NULL && n[0] == 0) {
        return NGX_OK;
    }

    p = ngx_pnalloc(r->pool, NGX_INT64_LEN);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_http_artifact_variable_set(v,
                   art_str(p, (size_t) (ngx_sprintf(p, "%uL", n[data]) - p)));
    return NGX_OK;
}


static void *
ngx_http_artifact_answers_create_main_conf(ngx_conf_t *cf)
{
    return ngx_pcalloc(cf->pool,
                       sizeof(ngx_http_artifact_answers_main_conf_t));
}


static void *
ngx_http_artifact_answers_create_conf(ngx_conf_t *cf)
{
    ngx_http_artifact_answers_conf_t  *conf;

    conf = ngx_pcalloc(cf->pool, sizeof(ngx_http_artifact_answers_conf_t));
    if (conf == NULL) {
        return NULL;
    }

    conf->extract = NGX_CONF_UNSET_UINT;
    conf->offload = NGX_CONF_UNSET_UINT;

    return conf;
}


static char *
ngx_http_artifact_answers_merge_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_artifact_answers_conf_t *prev = parent;
    ngx_http_artifact_answers_conf_t *conf = child;

    ngx_http_artifact_loc_conf_t           *alcf;
    ngx_http_artifact_main_conf_t          *amcf;
    ngx_http_artifact_directive_t          *directive;
    ngx_http_artifact_texts_conf_t         *texts;
    ngx_http_artifact_answers_main_conf_t  *rmcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);
    alcf = ngx_http_conf_get_module_loc_conf(cf, ngx_artifact_module);
    texts = ngx_http_conf_get_module_loc_conf(cf,
                                              ngx_http_artifact_texts_module);
    rmcf = ngx_http_conf_get_module_main_conf(cf,
                                             ngx_http_artifact_answers_module);

    ngx_conf_merge_uint_value(conf->extract, prev->extract,
                              NGX_HTTP_ARTIFACT_EXTRACT_OFF);
    ngx_conf_merge_uint_value(conf->offload, prev->offload,
                              NGX_HTTP_ARTIFACT_OFFLOAD_OFF);

    if (conf->offload) {
        conf->stores = "artifact_offload";

    } else if (!texts->off) {
        conf->stores = "artifact_offload_text";
    }

    if (!conf->extract && conf->stores == NULL) {
        return NGX_CONF_OK;
    }

    if (conf->extract && alcf->route != NGX_HTTP_ARTIFACT_ROUTE_OFF) {
        directive = ngx_http_artifact_directive(alcf, "artifact_extract");

        ngx_http_artifact_log_error(cf, NGX_LOG_EMERG, directive, 0,
                                    "\"artifact_extract\" and "
                                    "\"artifact_route\" cannot be used in one "
                                    "location, set one of them to \"off\": a "
                                    "routed answer is not a model's");
        return NGX_CONF_ERROR;
    }

    amcf->used = 1;
    rmcf->used = 1;
    alcf->answers = 1;

    if (conf->stores
        && ngx_http_artifact_answers_root(cf, alcf, conf) != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


/* A server's own configuration counts only if it has no locations. */

static ngx_int_t
ngx_http_artifact_answers_root(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *alcf, ngx_http_artifact_answers_conf_t *conf)
{
    ngx_http_core_loc_conf_t       *clcf;
    ngx_http_artifact_directive_t  *directive;

    if (alcf->root) {
        return ngx_http_artifact_upkeep_root(cf, alcf);
    }

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

    if (clcf->name.len == 0 && !clcf->noname) {
        return NGX_OK;
    }

    directive = ngx_http_artifact_directive(alcf, conf->stores);

    ngx_http_artifact_log_error(cf, NGX_LOG_EMERG, directive, 0,
                                "\"%s\" in location \"%V\" requires "
                                "\"artifact_root\"", conf->stores,
                                &clcf->name);
    return NGX_ERROR;
}
