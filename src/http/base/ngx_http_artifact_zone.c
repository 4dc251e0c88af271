
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What workers share: a cache of small blocks, the generations of contents, and
 * the counters.
 */


#include "http/base/ngx_http_artifact_zone.h"
#include "http/base/ngx_http_artifact_role.h"
#include "store/disk/ngx_artifact_area.h"
#include "core/base/art_hash.h"
#include "core/ref/art_id.h"


/* A block that does not fit after so many evictions is not cached. */

#define NGX_HTTP_ARTIFACT_EVICTIONS    8

/* Room for any ".meta"; larger blocks would evict too much. */

#define NGX_HTTP_ARTIFACT_BLOCK_MAX    (80 * 1024)

#define NGX_HTTP_ARTIFACT_GENERATIONS  256

/* More workers than this share counters. */

#define NGX_HTTP_ARTIFACT_SHARES       32

#define NGX_HTTP_ARTIFACT_LINE         64


/* A block of the cache; its key, node.str, comes first in "data". */

typedef struct {
    ngx_str_node_t     node;
    ngx_queue_t        queue;
    size_t             len;
    u_char             data[1];
} ngx_http_artifact_block_t;


/* The cache: blocks by their keys, and from the newest to the oldest. */

typedef struct {
    ngx_rbtree_t       rbtree;
    ngx_rbtree_node_t  sentinel;
    ngx_queue_t        queue;
} ngx_http_artifact_shctx_t;


/*
 * Each worker adds to its own share, on its own cache lines.  During a reload
 * an old and a new worker have the same number and so the same share: additions
 * are atomic, which takes some nanoseconds on a line that nobody else writes
 * to.
 *
 * Files are closed when their process ends, even in a crash: the number of open
 * files is kept per process slot, which two processes never share.
 */

typedef struct {
    ngx_atomic_t       open[NGX_MAX_PROCESSES];
    ngx_atomic_t      *shares;
} ngx_http_artifact_counters_t;


static ngx_shm_zone_t *ngx_http_artifact_zone_add(ngx_conf_t *cf,
    const char *name, size_t size, ngx_shm_zone_init_pt init,
    ngx_http_artifact_main_conf_t *amcf);
static ngx_int_t ngx_http_artifact_cache_init(ngx_shm_zone_t *zone,
    void *data);
static ngx_int_t ngx_http_artifact_generations_init(ngx_shm_zone_t *zone,
    void *data);
static ngx_int_t ngx_http_artifact_counters_init(ngx_shm_zone_t *zone,
    void *data);
static ngx_slab_pool_t *ngx_http_artifact_cache_pool(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_full_key(ngx_http_request_t *r,
    ngx_http_artifact_cache_key_t *key, art_str_t more, ngx_str_t *full);
static ngx_http_artifact_block_t *ngx_http_artifact_cache_alloc(
    ngx_slab_pool_t *shpool, size_t size);
static void ngx_http_artifact_cache_remove(ngx_slab_pool_t *shpool,
    ngx_http_artifact_block_t *block);
static size_t ngx_http_artifact_share_size(void);
static void ngx_http_artifact_count_zone(ngx_http_request_t *r,
    uint64_t *values);


/* The same for every configuration of this module. */

static art_counters_t                 ngx_http_artifact_indexes;

static ngx_http_artifact_counters_t  *ngx_http_artifact_counters;
static ngx_atomic_t                  *ngx_http_artifact_share;
static ngx_int_t                      ngx_http_artifact_open;


/*
 * nginx creates a zone anew when its size changes.  Generations have their own
 * zone, since old and new workers must see the same ones during a reload.
 * Counters of another version of the module are not mistaken for these, since
 * their number, and so the size of their zone, differs.
 */

ngx_int_t
ngx_http_artifact_zone_create(ngx_conf_t *cf,
    ngx_http_artifact_main_conf_t *amcf)
{
    size_t  size;

    amcf->zone = ngx_http_artifact_zone_add(cf, "artifact", amcf->zone_size,
                                            ngx_http_artifact_cache_init,
                                            amcf);

    amcf->generations = ngx_http_artifact_zone_add(cf, "artifact_generations",
                                          8 * ngx_pagesize,
                                          ngx_http_artifact_generations_init,
                                          amcf);

    if (amcf->zone == NULL || amcf->generations == NULL) {
        return NGX_ERROR;
    }

    if (!amcf->status) {
        return NGX_OK;
    }

    art_counters_init(&ngx_http_artifact_indexes);

    size = NGX_HTTP_ARTIFACT_SHARES * ngx_http_artifact_share_size()
           + sizeof(ngx_http_artifact_counters_t);

    size = ngx_align(size, ngx_pagesize) + 8 * ngx_pagesize;

    amcf->counters = ngx_http_artifact_zone_add(cf, "artifact_counters", size,
                                              ngx_http_artifact_counters_init,
                                              amcf);

    return amcf->counters ? NGX_OK : NGX_ERROR;
}


static ngx_shm_zone_t *
ngx_http_artifact_zone_add(ngx_conf_t *cf, const char *name, size_t size,
    ngx_shm_zone_init_pt init, ngx_http_artifact_main_conf_t *amcf)
{
    ngx_str_t        full;
    ngx_shm_zone_t  *zone;

    full.data = (u_char *) name;
    full.len = ngx_strlen(name);

    zone = ngx_shared_memory_add(cf, &full, size, &ngx_artifact_module);

    if (zone) {
        zone->init = init;
        zone->data = amcf;
    }

    return zone;
}


static ngx_int_t
ngx_http_artifact_cache_init(ngx_shm_zone_t *zone, void *data)
{
    ngx_slab_pool_t            *shpool;
    ngx_http_artifact_shctx_t  *sh;

    shpool = (ngx_slab_pool_t *) zone->shm.addr;

    if (data || zone->shm.exists) {
        return NGX_OK;
    }

    sh = ngx_slab_calloc(shpool, sizeof(ngx_http_artifact_shctx_t));
    if (sh == NULL) {
        return NGX_ERROR;
    }

    shpool->data = sh;
    shpool->log_nomem = 0;       /* a full cache is normal */

    ngx_rbtree_init(&sh->rbtree, &sh->sentinel, ngx_str_rbtree_insert_value);
    ngx_queue_init(&sh->queue);

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_generations_init(ngx_shm_zone_t *zone, void *data)
{
    ngx_slab_pool_t  *shpool;

    shpool = (ngx_slab_pool_t *) zone->shm.addr;

    if (data || zone->shm.exists) {
        return NGX_OK;
    }

    shpool->data = ngx_slab_calloc(shpool, NGX_HTTP_ARTIFACT_GENERATIONS
                                           * sizeof(ngx_atomic_t));

    return shpool->data ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_http_artifact_counters_init(ngx_shm_zone_t *zone, void *data)
{
    ngx_slab_pool_t               *shpool;
    ngx_http_artifact_counters_t  *counters;

    shpool = (ngx_slab_pool_t *) zone->shm.addr;

    if (data || zone->shm.exists) {
        return NGX_OK;
    }

    counters = ngx_slab_calloc(shpool, sizeof(ngx_http_artifact_counters_t));
    if (counters == NULL) {
        return NGX_ERROR;
    }

    /* slabs of whole pages begin on a cache line */

    counters->shares = ngx_slab_calloc(shpool,
                                       NGX_HTTP_ARTIFACT_SHARES
                                       * ngx_http_artifact_share_size());
    if (counters->shares == NULL) {
        return NGX_ERROR;
    }

    shpool->data = counters;

    return NGX_OK;
}


void
ngx_http_artifact_cache_key(ngx_http_artifact_cache_key_t *key,
    ngx_uint_t type, ngx_file_info_t *info)
{
    ngx_memzero(key, sizeof(ngx_http_artifact_cache_key_t));

    key->type = type;
    key->dev = info->st_dev;
    key->ino = info->st_ino;
    key->mtime[0] = info->st_mtim.tv_sec;
    key->mtime[1] = info->st_mtim.tv_nsec;
    key->ctime[0] = info->st_ctim.tv_sec;
    key->ctime[1] = info->st_ctim.tv_nsec;
    key->size = info->st_size;
}


ngx_uint_t
ngx_http_artifact_cache_key_lasts(ngx_http_artifact_cache_key_t *key)
{
    return !ngx_artifact_is_recent(key->mtime[0], ngx_time(), 2)
           && !ngx_artifact_is_recent(key->ctime[0], ngx_time(), 2);
}


ngx_int_t
ngx_http_artifact_cache_get(ngx_http_request_t *r,
    ngx_http_artifact_cache_key_t *key, art_str_t more, ngx_str_t *block)
{
    uint32_t                    hash;
    ngx_int_t                   rc;
    ngx_str_t                   full;
    ngx_slab_pool_t            *shpool;
    ngx_http_artifact_block_t  *found;
    ngx_http_artifact_shctx_t  *sh;

    if (ngx_http_artifact_full_key(r, key, more, &full) != NGX_OK) {
        return NGX_ERROR;
    }

    shpool = ngx_http_artifact_cache_pool(r);
    sh = shpool->data;
    hash = (uint32_t) art_hash_words(ART_HASH_INIT, full.data, full.len);
    rc = NGX_DECLINED;

    ngx_shmtx_lock(&shpool->mutex);

    found = (ngx_http_artifact_block_t *)
                ngx_str_rbtree_lookup(&sh->rbtree, &full, hash);

    if (found) {
        block->len = found->len;
        block->data = ngx_pnalloc(r->pool, found->len);

        if (block->data) {
            ngx_memcpy(block->data, found->data + full.len, found->len);
            rc = NGX_OK;

        } else {
            rc = NGX_ERROR;
        }

        ngx_queue_remove(&found->queue);
        ngx_queue_insert_head(&sh->queue, &found->queue);
    }

    ngx_shmtx_unlock(&shpool->mutex);

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact cache: type %uL, %s", key->type,
                   rc == NGX_OK ? "hit" : "miss");

    return rc;
}


void
ngx_http_artifact_cache_put(ngx_http_request_t *r,
    ngx_http_artifact_cache_key_t *key, art_str_t more, ngx_str_t *block)
{
    uint32_t                    hash;
    ngx_str_t                   full;
    ngx_slab_pool_t            *shpool;
    ngx_http_artifact_block_t  *found;
    ngx_http_artifact_shctx_t  *sh;

    if (!ngx_http_artifact_cache_key_lasts(key)
        || block->len > NGX_HTTP_ARTIFACT_BLOCK_MAX
        || ngx_http_artifact_full_key(r, key, more, &full) != NGX_OK)
    {
        return;
    }

    shpool = ngx_http_artifact_cache_pool(r);
    sh = shpool->data;
    hash = (uint32_t) art_hash_words(ART_HASH_INIT, full.data, full.len);

    ngx_shmtx_lock(&shpool->mutex);

    found = (ngx_http_artifact_block_t *)
                ngx_str_rbtree_lookup(&sh->rbtree, &full, hash);

    if (found) {
        ngx_http_artifact_cache_remove(shpool, found);
    }

    found = ngx_http_artifact_cache_alloc(shpool,
                                   offsetof(ngx_http_artifact_block_t, data)
                                   + full.len + block->len);

    if (found) {
        found->node.node.key = hash;
        found->node.str.len = full.len;
        found->node.str.data = found->data;
        found->len = block->len;

        ngx_memcpy(found->data, full.data, full.len);
        ngx_memcpy(found->data + full.len, block->data, block->len);

        ngx_rbtree_insert(&sh->rbtree, &found->node.node);
        ngx_queue_insert_head(&sh->queue, &found->queue);
    }

    ngx_shmtx_unlock(&shpool->mutex);
}


static ngx_slab_pool_t *
ngx_http_artifact_cache_pool(ngx_http_request_t *r)
{
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);

    return (ngx_slab_pool_t *) amcf->zone->shm.addr;
}


static ngx_int_t
ngx_http_artifact_full_key(ngx_http_request_t *r,
    ngx_http_artifact_cache_key_t *key, art_str_t more, ngx_str_t *full)
{
    if (more.len > ART_ID_PATH_MAX) {
        return NGX_DECLINED;
    }

    full->len = sizeof(ngx_http_artifact_cache_key_t) + more.len;
    full->data = ngx_pnalloc(r->pool, full->len);

    if (full->data == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(full->data, key, sizeof(ngx_http_artifact_cache_key_t));
    ngx_memcpy(full->data + sizeof(ngx_http_artifact_cache_key_t), more.data,
               more.len);

    return NGX_OK;
}


static ngx_http_artifact_block_t *
ngx_http_artifact_cache_alloc(ngx_slab_pool_t *shpool, size_t size)
{
    ngx_uint_t                  n;
    ngx_queue_t                *q;
    ngx_http_artifact_block_t  *block;
    ngx_http_artifact_shctx_t  *sh;

    sh = shpool->data;

    for (n = 0; n <= NGX_HTTP_ARTIFACT_EVICTIONS; n++) {

        block = ngx_slab_alloc_locked(shpool, size);

        if (block || ngx_queue_empty(&sh->queue)) {
            return block;
        }

        q = ngx_queue_last(&sh->queue);

        ngx_http_artifact_count(ART_COUNT_ZONE_EVICTIONS, NULL, 1);

        ngx_http_artifact_cache_remove(shpool,
                       ngx_queue_data(q, ngx_http_artifact_block_t, queue));
    }

    return NULL;
}


static void
ngx_http_artifact_cache_remove(ngx_slab_pool_t *shpool,
    ngx_http_artifact_block_t *block)
{
    ngx_http_artifact_shctx_t  *sh;

    sh = shpool->data;

    ngx_queue_remove(&block->queue);
    ngx_rbtree_delete(&sh->rbtree, &block->node.node);
    ngx_slab_free_locked(shpool, block);
}


ngx_atomic_t *
ngx_http_artifact_generation(ngx_http_request_t *r, art_str_t id)
{
    ngx_uint_t                      hash;
    ngx_atomic_t                   *generations;
    ngx_slab_pool_t                *shpool;
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);
    shpool = (ngx_slab_pool_t *) amcf->generations->shm.addr;
    generations = shpool->data;
    hash = (ngx_uint_t) art_hash_words(ART_HASH_INIT, id.data, id.len);

    return &generations[hash % NGX_HTTP_ARTIFACT_GENERATIONS];
}


ngx_int_t
ngx_http_artifact_counters_attach(ngx_cycle_t *cycle)
{
    ngx_slab_pool_t                *shpool;
    ngx_http_artifact_main_conf_t  *amcf;

    ngx_http_artifact_counters = NULL;
    ngx_http_artifact_share = NULL;

    amcf = ngx_http_cycle_get_module_main_conf(cycle, ngx_artifact_module);

    if (amcf == NULL || amcf->counters == NULL) {
        return NGX_OK;
    }

    shpool = (ngx_slab_pool_t *) amcf->counters->shm.addr;

    ngx_http_artifact_counters = shpool->data;
    ngx_http_artifact_share = ngx_http_artifact_counters->shares;

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_counters_begin(ngx_cycle_t *cycle)
{
    size_t  size;

    if (ngx_http_artifact_counters == NULL) {
        return NGX_OK;
    }

    ngx_http_artifact_counters->open[ngx_process_slot] = 0;

    size = ngx_http_artifact_share_size() / sizeof(ngx_atomic_t);

    ngx_http_artifact_share = ngx_http_artifact_counters->shares
                              + ngx_worker % NGX_HTTP_ARTIFACT_SHARES * size;

    return NGX_OK;
}


void
ngx_http_artifact_count(art_count_t family, const unsigned *at, uint64_t n)
{
    unsigned  index;

    if (ngx_http_artifact_share == NULL) {
        return;
    }

    index = art_counters_index(&ngx_http_artifact_indexes, family, at);

    if (index < ngx_http_artifact_indexes.n) {
        (void) ngx_atomic_fetch_add(&ngx_http_artifact_share[index],
                                    (ngx_atomic_int_t) n);
    }
}


void
ngx_http_artifact_count_one(art_count_t family, unsigned value)
{
    ngx_http_artifact_count(family, &value, 1);
}


ngx_int_t
ngx_http_artifact_count_by(ngx_http_artifact_loc_conf_t *alcf,
    unsigned *handler)
{
    if (alcf->role) {
        *handler = alcf->role->counter;

    } else if (alcf->requests || alcf->answers) {
        *handler = ART_COUNT_BY_API;

    } else if (alcf->route != NGX_HTTP_ARTIFACT_ROUTE_OFF) {
        *handler = ART_COUNT_BY_ROUTE;

    } else {
        return NGX_DECLINED;
    }

    return *handler != NGX_HTTP_ARTIFACT_NOBODY ? NGX_OK : NGX_DECLINED;
}


void
ngx_http_artifact_count_time(art_count_t family, ngx_http_request_t *r)
{
    unsigned                       at[2];
    ngx_time_t                    *tp;
    ngx_msec_int_t                 ms;
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r->main, ngx_artifact_module);

    if (ngx_http_artifact_share == NULL
        || ngx_http_artifact_count_by(alcf, &at[0]) != NGX_OK)
    {
        return;
    }

    tp = ngx_timeofday();

    ms = (ngx_msec_int_t) ((tp->sec - r->start_sec) * 1000
                           + ((ngx_msec_int_t) tp->msec
                              - (ngx_msec_int_t) r->start_msec));

    if (ms < 0) {
        ms = 0;
    }

    at[1] = art_count_bound((uint64_t) ms);
    ngx_http_artifact_count(family, at, 1);

    at[1] = ART_COUNT_SUM;
    ngx_http_artifact_count(family, at, (uint64_t) ms);
}


void
ngx_http_artifact_count_open(ngx_int_t change)
{
    ngx_http_artifact_open += change;

    if (ngx_http_artifact_counters) {
        ngx_http_artifact_counters->open[ngx_process_slot] =
                                     (ngx_atomic_uint_t) ngx_http_artifact_open;
    }
}


uint64_t *
ngx_http_artifact_counts(ngx_http_request_t *r,
    const art_counters_t **counters)
{
    size_t         size;
    uint64_t      *values;
    ngx_uint_t     i, n;
    ngx_atomic_t  *share;

    *counters = &ngx_http_artifact_indexes;

    values = ngx_pcalloc(r->pool,
                         ngx_http_artifact_indexes.n * sizeof(uint64_t));

    if (values == NULL || ngx_http_artifact_counters == NULL) {
        return values;
    }

    size = ngx_http_artifact_share_size() / sizeof(ngx_atomic_t);

    for (n = 0; n < NGX_HTTP_ARTIFACT_SHARES; n++) {
        share = ngx_http_artifact_counters->shares + n * size;

        for (i = 0; i < ngx_http_artifact_indexes.n; i++) {
            values[i] += share[i];
        }
    }

    ngx_http_artifact_count_zone(r, values);

    return values;
}


/* Gauges, which are not sums of events. */

static void
ngx_http_artifact_count_zone(ngx_http_request_t *r, uint64_t *values)
{
    ngx_uint_t                      i;
    ngx_slab_pool_t                *shpool;
    const unsigned                 *first;
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);
    shpool = (ngx_slab_pool_t *) amcf->zone->shm.addr;
    first = ngx_http_artifact_indexes.first;

    values[first[ART_COUNT_ZONE_SIZE]] = amcf->zone->shm.size;
    values[first[ART_COUNT_ZONE_USED]] = amcf->zone->shm.size
                                         - shpool->pfree * ngx_pagesize;

    for (i = 0; i < NGX_MAX_PROCESSES; i++) {
        values[first[ART_COUNT_OPEN]] += ngx_http_artifact_counters->open[i];
    }
}


static size_t
ngx_http_artifact_share_size(void)
{
    return ngx_align(ngx_http_artifact_indexes.n * sizeof(ngx_atomic_t),
                     NGX_HTTP_ARTIFACT_LINE);
}
