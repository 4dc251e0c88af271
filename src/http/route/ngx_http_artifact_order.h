
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Where the body filters stand among those of other modules.
 */


#ifndef NGX_HTTP_ARTIFACT_ORDER_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_ORDER_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * Puts the body filters at their places in the list of the cycle's modules,
 * where others that were loaded later stand between.
 */

void ngx_http_artifact_set_order(ngx_cycle_t *cycle);


extern ngx_module_t  ngx_http_artifact_filter_module;
extern ngx_module_t  ngx_http_artifact_wait_filter_module;
extern ngx_module_t  ngx_http_artifact_extract_filter_module;
extern ngx_module_t  ngx_http_artifact_offload_filter_module;


#endif /* NGX_HTTP_ARTIFACT_ORDER_H_INCLUDED_ */
