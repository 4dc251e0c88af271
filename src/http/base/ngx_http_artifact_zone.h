
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the workers share.
 */


#ifndef NGX_HTTP_ARTIFACT_ZONE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_ZONE_H_INCLUDED_


#include "http/base/ngx_http_artifact.h"


/*
 * The cache in shared memory: small blocks under binary keys, the oldest
 * pushed out when it is full.  The key names a version of a file; its change
 * time is part of it, since the other can be set by anyone.  "more" is a part
 * of the key, too.  ngx_http_artifact_cache_get() copies the block into the
 * pool; NGX_DECLINED if there is none.
 */

typedef struct {
    uint64_t                    type;        /* what the block is */
    uint64_t                    dev;
    uint64_t                    ino;
    int64_t                     mtime[2];    /* seconds, nanoseconds */
    int64_t                     ctime[2];
    int64_t                     size;
} ngx_http_artifact_cache_key_t;


/*
 * A zone outlives the module that filled it: what its blocks mean must not
 * change under a number.
 */

#define NGX_HTTP_ARTIFACT_CACHE_META      2
#define NGX_HTTP_ARTIFACT_CACHE_BRIEF     3  /* without the history */
#define NGX_HTTP_ARTIFACT_CACHE_EVIDENCE  4

void ngx_http_artifact_cache_key(ngx_http_artifact_cache_key_t *key,
    ngx_uint_t type, ngx_file_info_t *info);
ngx_int_t ngx_http_artifact_cache_get(ngx_http_request_t *r,
    ngx_http_artifact_cache_key_t *key, art_str_t more, ngx_str_t *block);
void ngx_http_artifact_cache_put(ngx_http_request_t *r,
    ngx_http_artifact_cache_key_t *key, art_str_t more, ngx_str_t *block);


/*
 * A number that every write to a content changes, for all workers to see what
 * they know of it from before is not true any more.  Some contents share one.
 */

ngx_atomic_t *ngx_http_artifact_generation(ngx_http_request_t *r,
    art_str_t id);


ngx_int_t ngx_http_artifact_zone_create(ngx_conf_t *cf,
    ngx_http_artifact_main_conf_t *amcf);


#endif /* NGX_HTTP_ARTIFACT_ZONE_H_INCLUDED_ */
