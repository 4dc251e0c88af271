
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The directives and the configuration.  The name of this module is the name of
 * the shared object.
 */


#include "http/module/ngx_http_artifact_module.h"
#include "http/base/ngx_http_artifact_directive.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/base/ngx_http_artifact_set.h"
#include "http/base/ngx_http_artifact_variable.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/source/ngx_http_artifact_classify.h"
#include "http/source/ngx_http_artifact_open_cache.h"
#include "http/route/ngx_http_artifact_modules.h"
#include "http/compose/ngx_http_artifact_ask.h"
#include "http/serve/ngx_http_artifact_serve.h"
#include "store/disk/ngx_artifact_task.h"
#include "core/expand/art_expand_slot.h"


static ngx_int_t ngx_http_artifact_preinit(ngx_conf_t *cf);
static ngx_int_t ngx_http_artifact_init(ngx_conf_t *cf);
static void *ngx_http_artifact_create_main_conf(ngx_conf_t *cf);
static char *ngx_http_artifact_init_main_conf(ngx_conf_t *cf, void *conf);
static void *ngx_http_artifact_create_loc_conf(ngx_conf_t *cf);
static char *ngx_http_artifact_merge_loc_conf(ngx_conf_t *cf, void *parent,
    void *child);
static void ngx_http_artifact_merge_value(ngx_http_complex_value_t **conf,
    ngx_http_complex_value_t *prev, ngx_http_complex_value_t *value);
static ngx_int_t ngx_http_artifact_finish_loc_conf(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf);


static ngx_conf_enum_t  ngx_http_artifact_routes[] = {
    { ngx_string("off"), NGX_HTTP_ARTIFACT_ROUTE_OFF },
    { ngx_string("on"), NGX_HTTP_ARTIFACT_ROUTE_ON },
    { ngx_string("always"), NGX_HTTP_ARTIFACT_ROUTE_ALWAYS },
    { ngx_null_string, 0 }
};


static ngx_conf_enum_t  ngx_http_artifact_languages[] = {
    { ngx_string("zh"), ART_LANG_ZH },
    { ngx_string("en"), ART_LANG_EN },
    { ngx_null_string, 0 }
};


static ngx_conf_num_bounds_t  ngx_http_artifact_refs_bounds = {
    ngx_conf_check_num_bounds, 0, ART_MESSAGE_SLOTS_MAX
};


static ngx_command_t  ngx_http_artifact_commands[] = {

    { ngx_string("artifact_capabilities"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_capabilities,
      NGX_HTTP_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("artifact_zone"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_zone,
      NGX_HTTP_MAIN_CONF_OFFSET,
      offsetof(ngx_http_artifact_main_conf_t, zone_size),
      NULL },

    { ngx_string("artifact_service"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_complex,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_loc_conf_t, service),
      NULL },

    { ngx_string("artifact_accept"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_accept,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_loc_conf_t, accept),
      NULL },

    { ngx_string("artifact_route"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_enum,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_loc_conf_t, route),
      &ngx_http_artifact_routes },

    { ngx_string("artifact_format"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_format,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_loc_conf_t, format),
      NULL },

    { ngx_string("artifact_language"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_enum,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_loc_conf_t, language),
      &ngx_http_artifact_languages },

    { ngx_string("artifact_description"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_complex,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_loc_conf_t, description),
      NULL },

    { ngx_string("artifact_verify"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_FLAG,
      ngx_conf_set_flag_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_loc_conf_t, verify),
      &ngx_http_artifact_noted },

    { ngx_string("artifact_inline_max"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_off,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_loc_conf_t, inline_max),
      NULL },

    { ngx_string("artifact_text_max"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_off,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_loc_conf_t, text_max),
      NULL },

    { ngx_string("artifact_offload_min"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_size,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_loc_conf_t, offload_min),
      NULL },

    { ngx_string("artifact_source"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_source,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_loc_conf_t, source),
      NULL },

    { ngx_string("artifact_url"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_url,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_loc_conf_t, url),
      NULL },

    { ngx_string("artifact_delivery"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_delivery,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_loc_conf_t, delivery),
      NULL },

    { ngx_string("artifact_refs_max"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_num,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_loc_conf_t, refs_max),
      &ngx_http_artifact_refs_bounds },

    { ngx_string("artifact_body_max"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_off,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_loc_conf_t, body_max),
      NULL },

    { ngx_string("artifact_root"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_root,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_loc_conf_t, root),
      NULL },

    { ngx_string("artifact_layout"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE12,
      ngx_http_artifact_set_layout,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("artifact"),
      NGX_HTTP_LOC_CONF|NGX_CONF_NOARGS,
      ngx_http_artifact_set_role,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      (void *) &ngx_http_artifact_reference_role },

    { ngx_string("artifact_workspace"),
      NGX_HTTP_LOC_CONF|NGX_CONF_NOARGS,
      ngx_http_artifact_set_role,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      (void *) &ngx_http_artifact_workspace_role },

    { ngx_string("artifact_decode"),
      NGX_HTTP_LOC_CONF|NGX_CONF_FLAG,
      ngx_http_artifact_set_decode,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      (void *) &ngx_http_artifact_decode_role },

      ngx_null_command
};


static ngx_http_module_t  ngx_http_artifact_module_ctx = {
    ngx_http_artifact_preinit,             /* preconfiguration */
    ngx_http_artifact_init,                /* postconfiguration */

    ngx_http_artifact_create_main_conf,    /* create main configuration */
    ngx_http_artifact_init_main_conf,      /* init main configuration */

    NULL,                                  /* create server configuration */
    NULL,                                  /* merge server configuration */

    ngx_http_artifact_create_loc_conf,     /* create location configuration */
    ngx_http_artifact_merge_loc_conf       /* merge location configuration */
};


ngx_module_t  ngx_artifact_module = {
    NGX_MODULE_V1,
    &ngx_http_artifact_module_ctx,         /* module context */
    ngx_http_artifact_commands,            /* module directives */
    NGX_HTTP_MODULE,                       /* module type */
    NULL,                                  /* init master */
    ngx_http_artifact_counters_attach,     /* init module */
    ngx_http_artifact_counters_begin,      /* init process */
    NULL,                                  /* init thread */
    NULL,                                  /* exit thread */
    NULL,                                  /* exit process */
    NULL,                                  /* exit master */
    NGX_MODULE_V1_PADDING
};


static ngx_int_t
ngx_http_artifact_preinit(ngx_conf_t *cf)
{
    ngx_http_artifact_set_order(cf->cycle);

    return ngx_http_artifact_variables_add(cf, ngx_http_artifact_variables);
}


static ngx_int_t
ngx_http_artifact_init(ngx_conf_t *cf)
{
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);

    if (ngx_http_artifact_finish_maps(cf, amcf) != NGX_OK) {
        return NGX_ERROR;
    }

    if (!amcf->used) {
        return NGX_OK;
    }

    ngx_artifact_task_stack(cf->log);

    if (ngx_http_artifact_zone_create(cf, amcf) != NGX_OK
        || ngx_http_artifact_init_magic(cf, amcf) != NGX_OK
        || ngx_http_artifact_ask_init(cf) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ngx_http_artifact_add_handler(cf, NGX_HTTP_PREACCESS_PHASE,
                                      ngx_http_artifact_preaccess_handler)
        != NGX_OK
        || ngx_http_artifact_add_handler(cf, NGX_HTTP_PRECONTENT_PHASE,
                                         ngx_http_artifact_precontent_handler)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    return NGX_OK;
}


static void *
ngx_http_artifact_create_main_conf(ngx_conf_t *cf)
{
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_pcalloc(cf->pool, sizeof(ngx_http_artifact_main_conf_t));
    if (amcf == NULL) {
        return NULL;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     amcf->capmap = NULL;
     *     amcf->magic = NULL;
     *     amcf->zone = NULL;
     *     amcf->counters = NULL;
     *     amcf->service = NULL;
     *     amcf->accept = NULL;
     *     amcf->source = NULL;
     *     amcf->prefixes = NULL;
     *     amcf->warned = NULL;
     *     amcf->used = 0;
     *     amcf->status = 0;
     */

    amcf->zone_size = NGX_CONF_UNSET_SIZE;

    if (ngx_array_init(&amcf->caches, cf->pool, 4,
                       sizeof(ngx_http_artifact_open_cache_t *))
        != NGX_OK)
    {
        return NULL;
    }

    return amcf;
}


static char *
ngx_http_artifact_init_main_conf(ngx_conf_t *cf, void *conf)
{
    ngx_http_artifact_main_conf_t *amcf = conf;

    ngx_conf_init_size_value(amcf->zone_size, 4 * 1024 * 1024);

    if (ngx_http_artifact_merge_complex(cf, &amcf->service, NULL,
                                        "$http_x_llm_service")
        != NGX_OK
        || ngx_http_artifact_merge_complex(cf, &amcf->accept, NULL,
                                           "$http_x_llm_capabilities")
           != NGX_OK
        || ngx_http_artifact_merge_complex(cf, &amcf->source, NULL,
                                           "/artifacts/")
           != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


static void *
ngx_http_artifact_create_loc_conf(ngx_conf_t *cf)
{
    ngx_http_artifact_loc_conf_t  *conf;

    conf = ngx_pcalloc(cf->pool, sizeof(ngx_http_artifact_loc_conf_t));
    if (conf == NULL) {
        return NULL;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     conf->role = NULL;
     *     conf->prefix = { 0, NULL };
     *     conf->inspect = { 0, NULL };
     *     conf->service = NULL;
     *     conf->accept = NULL;
     *     conf->format = NULL;
     *     conf->description = NULL;
     *     conf->root = NULL;
     *     conf->layout = NULL;
     *     conf->source = NULL;
     *     conf->url = NULL;
     *     conf->urls = NULL;
     *     conf->delivery = NULL;
     *     conf->directives = NULL;
     */

    conf->route = NGX_CONF_UNSET_UINT;
    conf->language = NGX_CONF_UNSET_UINT;
    conf->verify = NGX_CONF_UNSET;
    conf->inline_max = NGX_CONF_UNSET;
    conf->text_max = NGX_CONF_UNSET;
    conf->body_max = NGX_CONF_UNSET;
    conf->refs_max = NGX_CONF_UNSET;
    conf->offload_min = NGX_CONF_UNSET_SIZE;

    return conf;
}


static char *
ngx_http_artifact_merge_loc_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_artifact_loc_conf_t *prev = parent;
    ngx_http_artifact_loc_conf_t *conf = child;

    ngx_http_conf_ctx_t            *ctx;
    ngx_http_artifact_main_conf_t  *amcf;

    ctx = cf->ctx;
    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);

    conf->loc_conf = ctx->loc_conf;

    ngx_http_artifact_merge_value(&conf->service, prev->service,
                                  amcf->service);
    ngx_http_artifact_merge_value(&conf->accept, prev->accept, amcf->accept);
    ngx_http_artifact_merge_value(&conf->format, prev->format, NULL);
    ngx_http_artifact_merge_value(&conf->description, prev->description, NULL);
    ngx_http_artifact_merge_value(&conf->root, prev->root, NULL);
    conf->layout = conf->layout ? conf->layout : prev->layout;
    ngx_http_artifact_merge_value(&conf->source, prev->source, amcf->source);

    if (conf->url == NULL) {
        conf->url = prev->url;
        conf->urls = prev->urls;
    }

    ngx_http_artifact_merge_value(&conf->delivery, prev->delivery, NULL);

    ngx_conf_merge_uint_value(conf->route, prev->route,
                              NGX_HTTP_ARTIFACT_ROUTE_OFF);
    ngx_conf_merge_uint_value(conf->language, prev->language, ART_LANG_ZH);
    ngx_conf_merge_value(conf->verify, prev->verify, 1);
    ngx_conf_merge_off_value(conf->inline_max, prev->inline_max,
                             20 * 1024 * 1024);
    ngx_conf_merge_off_value(conf->text_max, prev->text_max, 0);
    ngx_conf_merge_off_value(conf->body_max, prev->body_max,
                             64 * 1024 * 1024);
    ngx_conf_merge_value(conf->refs_max, prev->refs_max, 64);
    ngx_conf_merge_size_value(conf->offload_min, prev->offload_min,
                              16 * 1024);

    ngx_http_artifact_inherit_role(cf, prev, conf);
    ngx_http_artifact_directive_inherit(prev, conf);

    return ngx_http_artifact_finish_loc_conf(cf, conf) == NGX_OK
           ? NGX_CONF_OK : NGX_CONF_ERROR;
}


static void
ngx_http_artifact_merge_value(ngx_http_complex_value_t **conf,
    ngx_http_complex_value_t *prev, ngx_http_complex_value_t *value)
{
    if (*conf == NULL) {
        *conf = prev ? prev : value;
    }
}


/* Completes a location's configuration once it is merged. */

static ngx_int_t
ngx_http_artifact_finish_loc_conf(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf)
{
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);

    if ((conf->role && !conf->role->light)
        || conf->route != NGX_HTTP_ARTIFACT_ROUTE_OFF)
    {
        amcf->used = 1;
    }

    if (!ngx_http_artifact_is_local(conf) || conf->root == NULL
        || conf->root->lengths)
    {
        return NGX_OK;
    }

    return ngx_http_artifact_open_cache_create(cf, conf);
}
