
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Which contents are kept open from one request to the next: one cache per
 * worker and "open_file_cache", under the rules of that directive and its
 * companions.
 */


#include "http/source/ngx_http_artifact_open_cache.h"
#include "http/base/ngx_http_artifact_counters.h"
#include "http/base/ngx_http_artifact_root.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/source/ngx_http_artifact_open_content.h"
#include "http/source/ngx_http_artifact_source.h"
#include "core/base/art_hash.h"


/* The key is everything that a file found for one request depends on. */

typedef struct {
    ngx_str_node_t                     sn;       /* root, layout, links
                                                    followed, id */
    ngx_queue_t                        queue;    /* used last: first */
    ngx_uint_t                         uses;
    ngx_msec_t                         accessed;
    ngx_msec_t                         created;
    ngx_http_artifact_open_content_t  *opened;   /* NULL: only the uses count */
    u_char                             data[1];
} ngx_http_artifact_open_entry_t;


struct ngx_http_artifact_open_cache_s {
    ngx_open_file_cache_t         *limits;   /* nginx's own, for its numbers */
    ngx_rbtree_t                   rbtree;
    ngx_rbtree_node_t              sentinel;
    ngx_queue_t                    queue;
    ngx_uint_t                     number;
};


static void ngx_http_artifact_open_cache_cleanup(void *data);
static ngx_http_artifact_open_cache_t *ngx_http_artifact_open_cache_of(
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_open_cache_key(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_str_t *key, uint32_t *hash);
static ngx_int_t ngx_http_artifact_open_cache_lookup(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_open_cache_t *cache,
    ngx_err_t *err, ngx_uint_t *bound);
static time_t ngx_http_artifact_open_age(ngx_msec_t since);
static ngx_uint_t ngx_http_artifact_open_error_lasts(ngx_err_t err);
static ngx_http_artifact_open_entry_t *ngx_http_artifact_open_cache_add(
    ngx_http_artifact_open_cache_t *cache, ngx_str_t *key, uint32_t hash);
static void ngx_http_artifact_open_cache_remove(
    ngx_http_artifact_open_cache_t *cache,
    ngx_http_artifact_open_entry_t *kept);
static void ngx_http_artifact_open_cache_close(
    ngx_http_artifact_open_entry_t *kept);
static void ngx_http_artifact_open_cache_expire(
    ngx_http_artifact_open_cache_t *cache, ngx_uint_t forced);


/*
 * The cache is made when configured; it is empty then, and each worker fills
 * a copy of its own.
 */

ngx_int_t
ngx_http_artifact_open_cache_create(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf)
{
    ngx_uint_t                       i;
    ngx_pool_cleanup_t              *cln;
    ngx_http_core_loc_conf_t        *clcf;
    ngx_http_artifact_main_conf_t   *amcf;
    ngx_http_artifact_open_cache_t  *cache, **slot;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);
    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

    if (clcf->open_file_cache == NULL) {
        return NGX_OK;
    }

    slot = amcf->caches.elts;

    for (i = 0; i < amcf->caches.nelts; i++) {

        if (slot[i]->limits == clcf->open_file_cache) {
            conf->cache = slot[i];
            return NGX_OK;
        }
    }

    cache = ngx_pcalloc(cf->pool, sizeof(ngx_http_artifact_open_cache_t));
    slot = ngx_array_push(&amcf->caches);
    cln = ngx_pool_cleanup_add(cf->pool, 0);

    if (cache == NULL || slot == NULL || cln == NULL) {
        return NGX_ERROR;
    }

    cache->limits = clcf->open_file_cache;
    ngx_rbtree_init(&cache->rbtree, &cache->sentinel,
                    ngx_str_rbtree_insert_value);
    ngx_queue_init(&cache->queue);

    cln->handler = ngx_http_artifact_open_cache_cleanup;
    cln->data = cache;

    *slot = cache;
    conf->cache = cache;

    return NGX_OK;
}


static void
ngx_http_artifact_open_cache_cleanup(void *data)
{
    ngx_http_artifact_open_cache_t  *cache = data;

    ngx_queue_t  *q;

    while (!ngx_queue_empty(&cache->queue)) {
        q = ngx_queue_head(&cache->queue);
        ngx_http_artifact_open_cache_remove(cache,
                  ngx_queue_data(q, ngx_http_artifact_open_entry_t, queue));
    }
}


/* The cache of a request's location, NULL if this request is not for it. */

static ngx_http_artifact_open_cache_t *
ngx_http_artifact_open_cache_of(ngx_http_artifact_ctx_t *ctx)
{
    /* the metadata answer shows more of a sidecar than is kept */

    return ctx->metadata || ctx->ref.folder ? NULL : ctx->conf->cache;
}


static ngx_int_t
ngx_http_artifact_open_cache_key(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_str_t *key, uint32_t *hash)
{
    u_char     *p;
    uintptr_t   from[2];

    from[0] = (uintptr_t) ctx->conf->root;
    from[1] = (uintptr_t) ctx->conf->layout;

    key->len = sizeof(from) + 1 + ctx->ref.id.len;

    p = ngx_pnalloc(r->pool, key->len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    key->data = p;

    p = ngx_cpymem(p, from, sizeof(from));
    *p++ = (u_char) ngx_http_artifact_follows(r);
    ngx_memcpy(p, ctx->ref.id.data, ctx->ref.id.len);

    *hash = (uint32_t) art_hash_words(ART_HASH_INIT, key->data, key->len);

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_open_cache_get(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_err_t *err, ngx_uint_t *bound)
{
    ngx_int_t                        rc;
    ngx_http_artifact_open_cache_t  *cache;

    cache = ngx_http_artifact_open_cache_of(ctx);
    if (cache == NULL) {
        return NGX_BUSY;
    }

    rc = ngx_http_artifact_open_cache_lookup(r, ctx, cache, err, bound);

    ngx_http_artifact_count_one(ART_COUNT_LOOKUPS,
                                rc == NGX_OK || rc == NGX_DECLINED
                                ? ART_COUNT_HIT : ART_COUNT_MISS);

    return rc;
}


static ngx_int_t
ngx_http_artifact_open_cache_lookup(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_open_cache_t *cache,
    ngx_err_t *err, ngx_uint_t *bound)
{
    uint32_t                           hash;
    ngx_str_t                          key;
    ngx_http_core_loc_conf_t          *clcf;
    ngx_http_artifact_open_entry_t    *kept;
    ngx_http_artifact_open_content_t  *opened;

    ngx_http_artifact_open_cache_expire(cache, 0);

    if (ngx_http_artifact_open_cache_key(r, ctx, &key, &hash) != NGX_OK) {
        return NGX_ERROR;
    }

    kept = (ngx_http_artifact_open_entry_t *)
           ngx_str_rbtree_lookup(&cache->rbtree, &key, hash);

    /* a write after this, and what is found next is not to be kept */

    ctx->source->generation = *ngx_http_artifact_generation(r, ctx->ref.id);

    if (kept == NULL) {
        return NGX_BUSY;
    }

    kept->uses++;
    kept->accessed = ngx_current_msec;

    ngx_queue_remove(&kept->queue);
    ngx_queue_insert_head(&cache->queue, &kept->queue);

    opened = kept->opened;
    if (opened == NULL) {
        return NGX_BUSY;
    }

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (opened->source.generation != ctx->source->generation
        || ngx_http_artifact_open_age(kept->created)
           >= clcf->open_file_cache_valid
        || (opened->err && !clcf->open_file_cache_errors)
        || (opened->err == 0 && clcf->directio <= opened->source.size))
    {
        ngx_http_artifact_open_cache_close(kept);

        return NGX_BUSY;
    }

    if (opened->err) {
        *err = opened->err;
        *bound = opened->bound;

        return NGX_DECLINED;
    }

    return ngx_http_artifact_open_content_use(r, opened, ctx->source);
}


/* Seconds; whoever sets the machine's clock does not make it longer. */

static time_t
ngx_http_artifact_open_age(ngx_msec_t since)
{
    return (time_t) ((ngx_current_msec - since) / 1000);
}


/* Other errors, as of a storage that is out of reach, end by themselves. */

static ngx_uint_t
ngx_http_artifact_open_error_lasts(ngx_err_t err)
{
    return err == NGX_ENOENT || err == NGX_ENOTDIR || err == NGX_EACCES;
}


/* What was found, "err" 0, or why not, is kept if it may be. */

void
ngx_http_artifact_open_cache_put(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_err_t err, ngx_uint_t bound)
{
    uint32_t                           hash;
    ngx_str_t                          key;
    ngx_http_core_loc_conf_t          *clcf;
    ngx_http_artifact_source_t        *source;
    ngx_http_artifact_open_entry_t    *kept;
    ngx_http_artifact_open_cache_t    *cache;
    ngx_http_artifact_open_content_t  *opened;

    cache = ngx_http_artifact_open_cache_of(ctx);
    if (cache == NULL) {
        return;
    }

    source = ctx->source;
    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (err) {

        if (!clcf->open_file_cache_errors
            || !ngx_http_artifact_open_error_lasts(err))
        {
            return;
        }

    } else if (clcf->directio <= source->size) {
        return;
    }

    if (ngx_http_artifact_open_cache_key(r, ctx, &key, &hash) != NGX_OK) {
        return;
    }

    kept = (ngx_http_artifact_open_entry_t *)
           ngx_str_rbtree_lookup(&cache->rbtree, &key, hash);

    if (kept == NULL) {
        kept = ngx_http_artifact_open_cache_add(cache, &key, hash);
    }

    if (kept == NULL || kept->opened
        || kept->uses < clcf->open_file_cache_min_uses)
    {
        return;
    }

    opened = ngx_http_artifact_open_content_create(source, err, bound);
    if (opened == NULL) {
        return;
    }

    kept->opened = opened;
    kept->created = ngx_current_msec;

    if (err == 0) {
        ngx_http_artifact_count_open(1);
    }
}


static ngx_http_artifact_open_entry_t *
ngx_http_artifact_open_cache_add(ngx_http_artifact_open_cache_t *cache,
    ngx_str_t *key, uint32_t hash)
{
    ngx_http_artifact_open_entry_t  *kept;

    if (cache->number >= cache->limits->max) {
        ngx_http_artifact_open_cache_expire(cache, 1);
    }

    kept = ngx_calloc(sizeof(ngx_http_artifact_open_entry_t) + key->len,
                      ngx_cycle->log);
    if (kept == NULL) {
        return NULL;
    }

    ngx_memcpy(kept->data, key->data, key->len);

    kept->sn.node.key = hash;
    kept->sn.str.data = kept->data;
    kept->sn.str.len = key->len;
    kept->uses = 1;
    kept->accessed = ngx_current_msec;

    ngx_rbtree_insert(&cache->rbtree, &kept->sn.node);
    ngx_queue_insert_head(&cache->queue, &kept->queue);
    cache->number++;

    return kept;
}


static void
ngx_http_artifact_open_cache_remove(ngx_http_artifact_open_cache_t *cache,
    ngx_http_artifact_open_entry_t *kept)
{
    ngx_queue_remove(&kept->queue);
    ngx_rbtree_delete(&cache->rbtree, &kept->sn.node);
    cache->number--;

    if (kept->opened) {
        ngx_http_artifact_open_cache_close(kept);
    }

    ngx_free(kept);
}


static void
ngx_http_artifact_open_cache_close(ngx_http_artifact_open_entry_t *kept)
{
    if (kept->opened->err == 0) {
        ngx_http_artifact_count_open(-1);
    }

    ngx_http_artifact_open_content_release(kept->opened);
    kept->opened = NULL;
}


/* The one used least recently if forced, and up to two that are inactive. */

static void
ngx_http_artifact_open_cache_expire(ngx_http_artifact_open_cache_t *cache,
    ngx_uint_t forced)
{
    ngx_uint_t                       n;
    ngx_queue_t                     *q;
    ngx_http_artifact_open_entry_t  *kept;

    for (n = 0; n < 2 + forced && !ngx_queue_empty(&cache->queue); n++) {

        q = ngx_queue_last(&cache->queue);
        kept = ngx_queue_data(q, ngx_http_artifact_open_entry_t, queue);

        if ((n > 0 || !forced)
            && ngx_http_artifact_open_age(kept->accessed)
               <= cache->limits->inactive)
        {
            return;
        }

        ngx_http_artifact_open_cache_remove(cache, kept);
    }
}
