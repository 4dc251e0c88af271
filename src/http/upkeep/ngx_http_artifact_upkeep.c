
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/upkeep/ngx_http_artifact_upkeep.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/upkeep/ngx_artifact_upkeep.h"


/* A root that is a constant, and the threads for it. */

typedef struct {
    art_str_t     root;
    void         *pool;
} ngx_http_artifact_root_t;


typedef struct {
    ngx_array_t  *roots;
} ngx_http_artifact_upkeep_conf_t;


extern ngx_module_t  ngx_http_artifact_upkeep_module;


static void *ngx_http_artifact_upkeep_create_conf(ngx_conf_t *cf);
static ngx_int_t ngx_http_artifact_upkeep_init(ngx_cycle_t *cycle);
static void ngx_http_artifact_upkeep_exit(ngx_cycle_t *cycle);
static void ngx_http_artifact_folded(ngx_int_t rc);
static void ngx_http_artifact_expired(ngx_uint_t removed, ngx_uint_t errors);


static ngx_command_t  ngx_http_artifact_upkeep_commands[] = {
      ngx_null_command
};


static ngx_http_module_t  ngx_http_artifact_upkeep_module_ctx = {
    .create_main_conf = ngx_http_artifact_upkeep_create_conf
};


ngx_module_t  ngx_http_artifact_upkeep_module = {
    NGX_MODULE_V1,
    &ngx_http_artifact_upkeep_module_ctx,  /* module context */
    ngx_http_artifact_upkeep_commands,     /* module directives */
    NGX_HTTP_MODULE,                       /* module type */
    NULL,                                  /* init master */
    NULL,                                  /* init module */
    ngx_http_artifact_upkeep_init,         /* init process */
    NULL,                                  /* init thread */
    NULL,                                  /* exit thread */
    ngx_http_artifact_upkeep_exit,         /* exit process */
    NULL,                                  /* exit master */
    NGX_MODULE_V1_PADDING
};


static void *
ngx_http_artifact_upkeep_create_conf(ngx_conf_t *cf)
{
    return ngx_pcalloc(cf->pool, sizeof(ngx_http_artifact_upkeep_conf_t));
}


ngx_int_t
ngx_http_artifact_upkeep_root(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf)
{
    ngx_str_t                         name;
    ngx_http_artifact_root_t         *root;
    ngx_http_artifact_upkeep_conf_t  *umcf;
#if (NGX_THREADS)
    ngx_http_core_loc_conf_t         *clcf;
#endif

    if (conf->root->lengths) {
        return NGX_OK;
    }

    umcf = ngx_http_conf_get_module_main_conf(cf,
                                              ngx_http_artifact_upkeep_module);

    if (umcf->roots == NULL) {
        umcf->roots = ngx_array_create(cf->pool, 4,
                                       sizeof(ngx_http_artifact_root_t));
        if (umcf->roots == NULL) {
            return NGX_ERROR;
        }
    }

    root = ngx_array_push(umcf->roots);

    if (root == NULL
        || ngx_http_artifact_concat(cf->pool, &name,
                                    ngx_artifact_str(&conf->root->value),
                                    art_cstr(""))
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    root->root = ngx_artifact_str(&name);
    root->pool = NULL;

#if (NGX_THREADS)
    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

    if (clcf->aio == NGX_HTTP_AIO_THREADS) {
        root->pool = clcf->thread_pool;
    }
#endif

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_upkeep_init(ngx_cycle_t *cycle)
{
    ngx_uint_t                        i;
    ngx_http_artifact_root_t         *root;
    ngx_http_artifact_upkeep_conf_t  *umcf;

    ngx_artifact_sweep_init();
    ngx_artifact_fold_timer_init(ngx_http_artifact_folded);
    ngx_artifact_expire_init(ngx_http_artifact_expired);

    if (ngx_process != NGX_PROCESS_WORKER && ngx_process != NGX_PROCESS_SINGLE)
    {
        return NGX_OK;
    }

    umcf = ngx_http_cycle_get_module_main_conf(cycle,
                                              ngx_http_artifact_upkeep_module);

    if (umcf == NULL || umcf->roots == NULL) {
        return NGX_OK;
    }

    root = umcf->roots->elts;

    for (i = 0; i < umcf->roots->nelts; i++) {
        ngx_log_debug2(NGX_LOG_DEBUG_HTTP, cycle->log, 0,
                       "http artifact sweep: \"%*s\"",
                       root[i].root.len, root[i].root.data);

        ngx_artifact_sweep(root[i].root, root[i].pool);
        ngx_artifact_expire(root[i].root, root[i].pool);
    }

    return NGX_OK;
}


static void
ngx_http_artifact_upkeep_exit(ngx_cycle_t *cycle)
{
    ngx_artifact_fold_timer_finish();
}


static void
ngx_http_artifact_folded(ngx_int_t rc)
{
    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, ngx_cycle->log, 0,
                   "http artifact folded: %i", rc);

    ngx_http_artifact_count_one(ART_COUNT_FOLDS,
                                rc == NGX_OK ? ART_COUNT_FOLDED
                                             : ART_COUNT_NOT_FOLDED);
}


static void
ngx_http_artifact_expired(ngx_uint_t removed, ngx_uint_t errors)
{
    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ngx_cycle->log, 0,
                   "http artifact expired: %ui removed, %ui errors",
                   removed, errors);

    ngx_http_artifact_count(ART_COUNT_EXPIRED, NULL, removed);
    ngx_http_artifact_count(ART_COUNT_EXPIRED_FAILED, NULL, errors);
}
