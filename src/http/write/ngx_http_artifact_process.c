
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Writes, on the side of processes: a process that starts cleans up what a
 * crash left, and one that ends folds what remains to be folded.
 */


#include "http/write/ngx_http_artifact_write.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/upkeep/ngx_artifact_fold_timer.h"
#include "store/upkeep/ngx_artifact_sweep.h"


static void ngx_http_artifact_folded(ngx_int_t rc);


typedef struct {
    art_str_t                    root;
    void                        *pool;
} ngx_http_artifact_write_root_t;


ngx_int_t
ngx_http_artifact_write_root(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf)
{
    ngx_str_t                        name;
    ngx_http_artifact_write_root_t  *root;
    ngx_http_artifact_main_conf_t   *amcf;
#if (NGX_THREADS)
    ngx_http_core_loc_conf_t        *clcf;
#endif

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);

    if (amcf->roots == NULL) {
        amcf->roots = ngx_array_create(cf->pool, 4,
                                       sizeof(ngx_http_artifact_write_root_t));
        if (amcf->roots == NULL) {
            return NGX_ERROR;
        }
    }

    root = ngx_array_push(amcf->roots);

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


ngx_int_t
ngx_http_artifact_init_process(ngx_cycle_t *cycle)
{
    ngx_uint_t                       i;
    ngx_http_artifact_write_root_t  *root;
    ngx_http_artifact_main_conf_t   *amcf;

    ngx_http_artifact_counters_begin();
    ngx_artifact_fold_timer_init(ngx_http_artifact_folded);
    ngx_artifact_sweep_init();

    if (ngx_process != NGX_PROCESS_WORKER && ngx_process != NGX_PROCESS_SINGLE)
    {
        return NGX_OK;
    }

    amcf = ngx_http_cycle_get_module_main_conf(cycle, ngx_artifact_module);

    if (amcf == NULL || amcf->roots == NULL) {
        return NGX_OK;
    }

    root = amcf->roots->elts;

    for (i = 0; i < amcf->roots->nelts; i++) {
        ngx_log_debug2(NGX_LOG_DEBUG_HTTP, cycle->log, 0,
                       "http artifact sweep: \"%*s\"",
                       root[i].root.len, root[i].root.data);

        ngx_artifact_sweep(root[i].root, root[i].pool);
    }

    return NGX_OK;
}


void
ngx_http_artifact_exit_process(ngx_cycle_t *cycle)
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
