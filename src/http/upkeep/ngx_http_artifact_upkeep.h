
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Upkeep of data roots, on the side of processes: one that starts cleans up
 * what a crash left, and one that ends folds what remains to be folded.
 */


#ifndef NGX_HTTP_ARTIFACT_UPKEEP_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_UPKEEP_H_INCLUDED_


#include "http/base/ngx_http_artifact.h"


/*
 * While the configuration is read: records the root of a location that writes.
 * Those that its variables lead to are looked for, unless it begins with one.
 * NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_upkeep_root(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf);


#endif /* NGX_HTTP_ARTIFACT_UPKEEP_H_INCLUDED_ */
