
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What workers share: a cache, the generations of contents, the counters.
 */


#ifndef NGX_HTTP_ARTIFACT_ZONE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_ZONE_H_INCLUDED_


#include "http/base/ngx_http_artifact.h"
#include "core/answer/art_counters.h"


/*
 * Creates the shared zones; that of the counters only if amcf->status.
 * Failures are logged.
 */

ngx_int_t ngx_http_artifact_zone_create(ngx_conf_t *cf,
    ngx_http_artifact_main_conf_t *amcf);


/*
 * The cache in shared memory: small blocks with binary keys; the oldest ones
 * are evicted when it is full.  The key identifies a version of a file, also by
 * its change time, since anyone can set the modification time.  "more" is also
 * part of the key.  ngx_http_artifact_cache_get() copies the block into the
 * pool: NGX_DECLINED if there is none, NGX_ERROR when out of memory.
 *
 * A file may change twice within one tick of the clock: a key lasts, and a
 * block is kept, only when that has become impossible.
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
 * A zone outlives the module that filled it: a number must not be reused for
 * blocks of another format.
 */

#define NGX_HTTP_ARTIFACT_CACHE_META      2
#define NGX_HTTP_ARTIFACT_CACHE_BRIEF     3  /* without the history */
#define NGX_HTTP_ARTIFACT_CACHE_EVIDENCE  4

void ngx_http_artifact_cache_key(ngx_http_artifact_cache_key_t *key,
    ngx_uint_t type, ngx_file_info_t *info);
ngx_uint_t ngx_http_artifact_cache_key_lasts(
    ngx_http_artifact_cache_key_t *key);
ngx_int_t ngx_http_artifact_cache_get(ngx_http_request_t *r,
    ngx_http_artifact_cache_key_t *key, art_str_t more, ngx_str_t *block);
void ngx_http_artifact_cache_put(ngx_http_request_t *r,
    ngx_http_artifact_cache_key_t *key, art_str_t more, ngx_str_t *block);


/*
 * A number that every write to a content changes, so that all workers notice
 * that what they know of the content is out of date.  Some contents share one.
 */

ngx_atomic_t *ngx_http_artifact_generation(ngx_http_request_t *r,
    art_str_t id);


/*
 * Adds to a counter; "at" is as in art_counters_index(), NULL without labels.
 * Takes no lock, and does nothing unless some location has "artifact_status".
 */

void ngx_http_artifact_count(art_count_t family, const unsigned *at,
    uint64_t n);
void ngx_http_artifact_count_one(art_count_t family, unsigned value);


/*
 * The value of the label "handler" for a location; NGX_DECLINED if its requests
 * are not counted.
 */

ngx_int_t ngx_http_artifact_count_by(ngx_http_artifact_loc_conf_t *alcf,
    unsigned *handler);


/*
 * Adds the time since a request or subrequest began to a histogram, for the
 * handler of the main request.
 */

void ngx_http_artifact_count_time(art_count_t family, ngx_http_request_t *r);


/* Counts a file that this process keeps open (1), or has closed (-1). */

void ngx_http_artifact_count_open(ngx_int_t change);


/*
 * The sums of all workers, in memory of the request's pool, by the indexes of
 * *counters.  NULL when out of memory.
 */

uint64_t *ngx_http_artifact_counts(ngx_http_request_t *r,
    const art_counters_t **counters);


/*
 * To be called for each configuration that takes effect, and by each process
 * that starts.
 */

ngx_int_t ngx_http_artifact_counters_attach(ngx_cycle_t *cycle);
ngx_int_t ngx_http_artifact_counters_begin(ngx_cycle_t *cycle);


#endif /* NGX_HTTP_ARTIFACT_ZONE_H_INCLUDED_ */
