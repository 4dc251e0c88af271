
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Whether the key of a cache tells what is cached apart.
 */


#ifndef NGX_HTTP_ARTIFACT_CACHE_KEY_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_CACHE_KEY_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>


/*
 * To be called with an answer below "artifact_decode": logs if it was asked for
 * in another place of the store than the last one, such as another tenant's,
 * with a key that differs by the artifact only.  Nothing is done without a
 * cache, or if the answer came from it.
 */

void ngx_http_artifact_check_cache_key(ngx_http_request_t *r);


#endif /* NGX_HTTP_ARTIFACT_CACHE_KEY_H_INCLUDED_ */
