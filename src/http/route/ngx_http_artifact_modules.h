
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Facts about other modules: the order of the filters, and some of nginx's own
 * filters, any of which may be missing.
 */


#ifndef NGX_HTTP_ARTIFACT_MODULES_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_MODULES_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>


/*
 * Moves the body filters to their positions in the cycle's list of modules,
 * where modules that were loaded later may have come between them; and finds
 * nginx's own filters.  Called before filters are installed.
 */

void ngx_http_artifact_set_order(ngx_cycle_t *cycle);


/* One of nginx's own filters, NULL if this nginx lacks it. */

typedef enum {
    NGX_HTTP_ARTIFACT_SSI = 0,
    NGX_HTTP_ARTIFACT_ADDITION,
    NGX_HTTP_ARTIFACT_GUNZIP,
    NGX_HTTP_ARTIFACT_FILTERS
} ngx_http_artifact_filter_e;

ngx_module_t *ngx_http_artifact_find_filter(
    ngx_http_artifact_filter_e filter);


extern ngx_module_t  ngx_http_artifact_filter_module;
extern ngx_module_t  ngx_http_artifact_derive_filter_module;
extern ngx_module_t  ngx_http_artifact_wait_filter_module;
extern ngx_module_t  ngx_http_artifact_response_filter_module;


#endif /* NGX_HTTP_ARTIFACT_MODULES_H_INCLUDED_ */
