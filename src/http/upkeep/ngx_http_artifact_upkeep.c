
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/upkeep/ngx_http_artifact_upkeep.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/upkeep/ngx_artifact_upkeep.h"


/* A root, of which variables are asterisks, and the threads for it. */

typedef struct {
    art_str_t     root;
    void         *pool;
    ngx_uint_t    pattern;
} ngx_http_artifact_root_t;


typedef struct {
    ngx_array_t  *roots;
} ngx_http_artifact_upkeep_conf_t;


extern ngx_module_t  ngx_http_artifact_upkeep_module;


static void *ngx_http_artifact_upkeep_create_conf(ngx_conf_t *cf);
static ngx_int_t ngx_http_artifact_upkeep_pattern(ngx_conf_t *cf,
    ngx_str_t *value, ngx_str_t *pattern);
static ngx_int_t ngx_http_artifact_upkeep_init(ngx_cycle_t *cycle);
static void ngx_http_artifact_upkeep_begin(ngx_http_artifact_root_t *root,
    ngx_log_t *log);
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
    ngx_int_t                         rc;
    ngx_str_t                         name;
    ngx_http_artifact_root_t         *root;
    ngx_http_artifact_upkeep_conf_t  *umcf;
#if (NGX_THREADS)
    ngx_http_core_loc_conf_t         *clcf;
#endif

    rc = conf->root->lengths
         ? ngx_http_artifact_upkeep_pattern(cf, &conf->root->value, &name)
         : ngx_http_artifact_concat(cf->pool, &name,
                                    ngx_artifact_str(&conf->root->value),
                                    art_cstr(""));
    if (rc != NGX_OK) {
        return rc == NGX_DECLINED ? NGX_OK : NGX_ERROR;
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
    if (root == NULL) {
        return NGX_ERROR;
    }

    root->root = ngx_artifact_str(&name);
    root->pool = NULL;
    root->pattern = conf->root->lengths != NULL;

#if (NGX_THREADS)
    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

    if (clcf->aio == NGX_HTTP_AIO_THREADS) {
        root->pool = clcf->thread_pool;
    }
#endif

    return NGX_OK;
}


/*
 * Makes an asterisk of each variable.  NGX_DECLINED if nothing of the path is
 * known but variables, or if it has characters that mean more in a pattern.
 */

static ngx_int_t
ngx_http_artifact_upkeep_pattern(ngx_conf_t *cf, ngx_str_t *value,
    ngx_str_t *pattern)
{
    u_char  *p, *q, *last;

    p = value->data;
    last = p + value->len;

    if (value->len == 0 || *p == '$'
        || ngx_strlchr(p, last, '*') || ngx_strlchr(p, last, '?')
        || ngx_strlchr(p, last, '[') || ngx_strlchr(p, last, '\\'))
    {
        return NGX_DECLINED;
    }

    pattern->data = ngx_pnalloc(cf->pool, value->len + 1);
    if (pattern->data == NULL) {
        return NGX_ERROR;
    }

    for (q = pattern->data; p < last; /* void */ ) {

        if (*p != '$') {
            *q++ = *p++;
            continue;
        }

        *q++ = '*';
        p++;

        while (p < last
               && (*p == '{' || *p == '_' || isalnum(*p)))
        {
            p++;
        }

        if (p < last && *p == '}') {
            p++;
        }
    }

    *q = '\0';
    pattern->len = (size_t) (q - pattern->data);

    return ngx_conf_full_name(cf->cycle, pattern, 0);
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
    ngx_artifact_roots_init();

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
        ngx_http_artifact_upkeep_begin(&root[i], cycle->log);
    }

    return NGX_OK;
}


/* One process is enough for looking for roots: it begins again if it dies. */

static void
ngx_http_artifact_upkeep_begin(ngx_http_artifact_root_t *root, ngx_log_t *log)
{
    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, log, 0,
                   "http artifact sweep: \"%*s\", pattern %ui",
                   root->root.len, root->root.data, root->pattern);

    if (!root->pattern) {
        (void) ngx_artifact_sweep(root->root, root->pool);
        ngx_artifact_expire(root->root, root->pool, 0);

    } else if (ngx_process == NGX_PROCESS_SINGLE || ngx_worker == 0) {
        ngx_artifact_roots(root->root, root->pool);
    }
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
