
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The order of the body filters, whatever is loaded after this module, and
 * nginx's own filters.
 */


#include "http/route/ngx_http_artifact_modules.h"


/*
 * ngx_module_order (see "config") orders a module among those that are present
 * when it is loaded.  A module that is loaded later and asks for the same
 * position gets in between: brotli would compress the content instead of the
 * JSON, and subs_filter would see the first bytes before their header.
 */

typedef struct {
    ngx_module_t               *module;
    const char                **before;      /* the first of these */
} ngx_http_artifact_order_t;


static ngx_uint_t ngx_http_artifact_find_module(ngx_cycle_t *cycle,
    const char *name);
static void ngx_http_artifact_move_module(ngx_cycle_t *cycle,
    ngx_module_t *module, ngx_uint_t before);


static const char  *ngx_http_artifact_before_merged[] = {
    "ngx_http_postpone_filter_module",
    "ngx_http_ssi_filter_module",
    "ngx_http_charset_filter_module",
    "ngx_http_xslt_filter_module",
    "ngx_http_image_filter_module",
    "ngx_http_sub_filter_module",
    "ngx_http_addition_filter_module",
    "ngx_http_gunzip_filter_module",
    "ngx_http_userid_filter_module",
    "ngx_http_headers_filter_module",
    NULL
};


static const char  *ngx_http_artifact_before_copy[] = {
    "ngx_http_copy_filter_module",
    NULL
};


static ngx_http_artifact_order_t  ngx_http_artifact_order[] = {
    { &ngx_http_artifact_filter_module, ngx_http_artifact_before_merged },
    { &ngx_http_artifact_derive_filter_module,
      ngx_http_artifact_before_copy },
    { &ngx_http_artifact_wait_filter_module, ngx_http_artifact_before_copy },
    { &ngx_http_artifact_response_filter_module,
      ngx_http_artifact_before_copy },
    { NULL, NULL }
};


/* By ngx_http_artifact_filter_e. */

static const char *const  ngx_http_artifact_filter_names[] = {
    "ngx_http_ssi_filter_module",
    "ngx_http_addition_filter_module",
    "ngx_http_gunzip_filter_module"
};


static ngx_module_t  *ngx_http_artifact_filters[NGX_HTTP_ARTIFACT_FILTERS];


/*
 * nginx installs filters in the order of the list, after it has read all of the
 * configuration.  This runs before that, while nginx is at this module's own
 * entry of the list, which never moves.
 */

void
ngx_http_artifact_set_order(ngx_cycle_t *cycle)
{
    ngx_uint_t                  i, n, first;
    ngx_http_artifact_order_t  *order;

    for (order = ngx_http_artifact_order; order->module; order++) {

        first = cycle->modules_n;

        for (i = 0; order->before[i]; i++) {
            n = ngx_http_artifact_find_module(cycle, order->before[i]);
            first = ngx_min(first, n);
        }

        if (first < cycle->modules_n) {
            ngx_http_artifact_move_module(cycle, order->module, first);
        }
    }

    for (i = 0; i < NGX_HTTP_ARTIFACT_FILTERS; i++) {
        n = ngx_http_artifact_find_module(cycle,
                                          ngx_http_artifact_filter_names[i]);

        ngx_http_artifact_filters[i] = n < cycle->modules_n
                                       ? cycle->modules[n] : NULL;
    }
}


/* The index of a module by its name, or the number of modules. */

static ngx_uint_t
ngx_http_artifact_find_module(ngx_cycle_t *cycle, const char *name)
{
    ngx_uint_t  i;

    for (i = 0; i < cycle->modules_n; i++) {
        if (ngx_strcmp(cycle->modules[i]->name, name) == 0) {
            break;
        }
    }

    return i;
}


/* Moves a module back in the list, right before the one at "before". */

static void
ngx_http_artifact_move_module(ngx_cycle_t *cycle, ngx_module_t *module,
    ngx_uint_t before)
{
    ngx_uint_t  i;

    for (i = 0; i + 1 < before; i++) {

        if (cycle->modules[i] == module) {
            cycle->modules[i] = cycle->modules[i + 1];
            cycle->modules[i + 1] = module;
        }
    }
}


ngx_module_t *
ngx_http_artifact_find_filter(ngx_http_artifact_filter_e filter)
{
    return ngx_http_artifact_filters[filter];
}
