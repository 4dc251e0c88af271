
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The directives and the configuration.  The name of this module is the name of
 * the shared object.
 */


#include "http/module/ngx_http_artifact_module.h"
#include "http/base/ngx_http_artifact_directive.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/compose/ngx_http_artifact_ask.h"
#include "http/route/ngx_http_artifact_modules.h"
#include "http/serve/ngx_http_artifact_serve.h"
#include "http/source/ngx_http_artifact_classify.h"
#include "http/source/ngx_http_artifact_open_cache.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/disk/ngx_artifact_task.h"
#include "core/api/art_api_format.h"
#include "core/expand/art_expand_slot.h"
#include "core/format/art_delivery.h"


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
static char *ngx_http_artifact_set_zone(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static char *ngx_http_artifact_set_format(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static char *ngx_http_artifact_set_delivery(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static char *ngx_http_artifact_set_accept(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static char *ngx_http_artifact_set_source(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static char *ngx_http_artifact_set_url(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static char *ngx_http_artifact_set_root(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static char *ngx_http_artifact_set_layout(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static char *ngx_http_artifact_unknown_format(ngx_conf_t *cf);
static void ngx_http_artifact_check_accept(ngx_conf_t *cf,
    ngx_http_artifact_directive_t *directive);
static ngx_int_t ngx_http_artifact_layout_value(ngx_str_t *value,
    const char *name, art_ref_layout_t *layout);


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


/*
 * The handlers of directives that hold values.  All refuse a value with a
 * message that names the directive, the value and the choices.
 */

static char *
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


static char *
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

static char *
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

static char *
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


static char *
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

static char *
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

static char *
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


static char *
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
