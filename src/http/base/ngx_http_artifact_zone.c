
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The shared zone: a tree of small blocks under binary keys, and a queue that
 * keeps the ones used last.  And a zone for what old and new workers have to
 * share whatever happens to the first one's size.
 */


#include "http/base/ngx_http_artifact_zone.h"
#include "http/base/ngx_http_artifact_counters.h"
#include "store/disk/ngx_artifact_area.h"
#include "core/base/art_hash.h"
#include "core/ref/art_id.h"


/* A block that does not fit after so many evictions is not kept. */

#define NGX_HTTP_ARTIFACT_EVICTIONS  8

/* Room for any ".meta"; larger blocks would push out too much. */

#define NGX_HTTP_ARTIFACT_BLOCK_MAX  (80 * 1024)


/* "color" overlays the tree node's; the key and the block follow. */

typedef struct {
    u_char           color;
    u_char           dummy;
    u_short          key_len;
    uint32_t         len;
    ngx_queue_t      queue;
    u_char           data[1];
} ngx_http_artifact_node_t;


#define NGX_HTTP_ARTIFACT_GENERATIONS  256


typedef struct {
    ngx_rbtree_t       rbtree;
    ngx_rbtree_node_t  sentinel;
    ngx_queue_t        queue;
} ngx_http_artifact_shctx_t;


static ngx_shm_zone_t *ngx_http_artifact_zone_add(ngx_conf_t *cf,
    const char *name, size_t size, ngx_shm_zone_init_pt init,
    ngx_http_artifact_main_conf_t *amcf);
static ngx_int_t ngx_http_artifact_zone_init(ngx_shm_zone_t *zone,
    void *data);
static ngx_int_t ngx_http_artifact_generations_init(ngx_shm_zone_t *zone,
    void *data);
static void ngx_http_artifact_rbtree_insert(ngx_rbtree_node_t *temp,
    ngx_rbtree_node_t *node, ngx_rbtree_node_t *sentinel);
static ngx_int_t ngx_http_artifact_full_key(ngx_http_request_t *r,
    ngx_http_artifact_cache_key_t *key, art_str_t more, ngx_str_t *full);
static ngx_int_t ngx_http_artifact_node_cmp(ngx_http_artifact_node_t *an,
    ngx_str_t *key);
static ngx_rbtree_node_t *ngx_http_artifact_lookup(
    ngx_http_artifact_shctx_t *sh, ngx_uint_t hash, ngx_str_t *key);
static ngx_rbtree_node_t *ngx_http_artifact_alloc(ngx_slab_pool_t *shpool,
    ngx_http_artifact_shctx_t *sh, size_t size);
static void ngx_http_artifact_remove(ngx_slab_pool_t *shpool,
    ngx_http_artifact_shctx_t *sh, ngx_rbtree_node_t *node);


/*
 * nginx makes a zone anew when its size changes.  While old workers end, the
 * generations must be those that new workers look at.
 */

ngx_int_t
ngx_http_artifact_zone_create(ngx_conf_t *cf,
    ngx_http_artifact_main_conf_t *amcf)
{
    amcf->zone = ngx_http_artifact_zone_add(cf, "artifact", amcf->zone_size,
                                            ngx_http_artifact_zone_init, amcf);

    amcf->generations = ngx_http_artifact_zone_add(cf, "artifact_generations",
                                          8 * ngx_pagesize,
                                          ngx_http_artifact_generations_init,
                                          amcf);

    return amcf->zone && amcf->generations ? NGX_OK : NGX_ERROR;
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
ngx_http_artifact_zone_init(ngx_shm_zone_t *zone, void *data)
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
    shpool->log_nomem = 0;       /* a full cache is a cache at work */

    ngx_rbtree_init(&sh->rbtree, &sh->sentinel,
                    ngx_http_artifact_rbtree_insert);
    ngx_queue_init(&sh->queue);

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


ngx_int_t
ngx_http_artifact_cache_get(ngx_http_request_t *r,
    ngx_http_artifact_cache_key_t *key, art_str_t more, ngx_str_t *block)
{
    ngx_int_t                       rc;
    ngx_str_t                       full;
    ngx_uint_t                      hash;
    ngx_slab_pool_t                *shpool;
    ngx_rbtree_node_t              *node;
    ngx_http_artifact_node_t       *an;
    ngx_http_artifact_shctx_t      *sh;
    ngx_http_artifact_main_conf_t  *amcf;

    if (ngx_http_artifact_full_key(r, key, more, &full) != NGX_OK) {
        return NGX_ERROR;
    }

    amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);
    shpool = (ngx_slab_pool_t *) amcf->zone->shm.addr;
    sh = shpool->data;
    hash = (ngx_uint_t) art_hash_words(ART_HASH_INIT, full.data, full.len);
    rc = NGX_DECLINED;

    ngx_shmtx_lock(&shpool->mutex);

    node = ngx_http_artifact_lookup(sh, hash, &full);

    if (node) {
        an = (ngx_http_artifact_node_t *) &node->color;

        block->len = an->len;
        block->data = ngx_pnalloc(r->pool, an->len);

        if (block->data) {
            ngx_memcpy(block->data, an->data + an->key_len, an->len);
            rc = NGX_OK;

        } else {
            rc = NGX_ERROR;
        }

        ngx_queue_remove(&an->queue);
        ngx_queue_insert_head(&sh->queue, &an->queue);
    }

    ngx_shmtx_unlock(&shpool->mutex);

    return rc;
}


void
ngx_http_artifact_cache_put(ngx_http_request_t *r,
    ngx_http_artifact_cache_key_t *key, art_str_t more, ngx_str_t *block)
{
    ngx_str_t                       full;
    ngx_uint_t                      hash;
    ngx_slab_pool_t                *shpool;
    ngx_rbtree_node_t              *node;
    ngx_http_artifact_node_t       *an;
    ngx_http_artifact_shctx_t      *sh;
    ngx_http_artifact_main_conf_t  *amcf;

    /*
     * A file may change twice within one tick of the clock: while that is
     * possible, its times do not name one version.
     */

    if (ngx_artifact_is_recent(key->mtime[0], ngx_time(), 2)
        || ngx_artifact_is_recent(key->ctime[0], ngx_time(), 2)
        || block->len > NGX_HTTP_ARTIFACT_BLOCK_MAX
        || ngx_http_artifact_full_key(r, key, more, &full) != NGX_OK)
    {
        return;
    }

    amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);
    shpool = (ngx_slab_pool_t *) amcf->zone->shm.addr;
    sh = shpool->data;
    hash = (ngx_uint_t) art_hash_words(ART_HASH_INIT, full.data, full.len);

    ngx_shmtx_lock(&shpool->mutex);

    node = ngx_http_artifact_lookup(sh, hash, &full);

    if (node) {
        ngx_http_artifact_remove(shpool, sh, node);
    }

    node = ngx_http_artifact_alloc(shpool, sh,
                                   offsetof(ngx_rbtree_node_t, color)
                                   + offsetof(ngx_http_artifact_node_t, data)
                                   + full.len + block->len);

    if (node) {
        node->key = hash;

        an = (ngx_http_artifact_node_t *) &node->color;
        an->key_len = (u_short) full.len;
        an->len = (uint32_t) block->len;

        ngx_memcpy(an->data, full.data, full.len);
        ngx_memcpy(an->data + full.len, block->data, block->len);

        ngx_rbtree_insert(&sh->rbtree, node);
        ngx_queue_insert_head(&sh->queue, &an->queue);
    }

    ngx_shmtx_unlock(&shpool->mutex);
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


static ngx_rbtree_node_t *
ngx_http_artifact_lookup(ngx_http_artifact_shctx_t *sh, ngx_uint_t hash,
    ngx_str_t *key)
{
    ngx_int_t           rc;
    ngx_rbtree_node_t  *node;

    node = sh->rbtree.root;

    while (node != sh->rbtree.sentinel) {

        if (hash != node->key) {
            node = hash < node->key ? node->left : node->right;
            continue;
        }

        rc = ngx_http_artifact_node_cmp(
                           (ngx_http_artifact_node_t *) &node->color, key);

        if (rc == 0) {
            return node;
        }

        node = rc < 0 ? node->left : node->right;
    }

    return NULL;
}


static ngx_int_t
ngx_http_artifact_node_cmp(ngx_http_artifact_node_t *an, ngx_str_t *key)
{
    return ngx_memn2cmp(key->data, an->data, key->len, an->key_len);
}


static void
ngx_http_artifact_rbtree_insert(ngx_rbtree_node_t *temp,
    ngx_rbtree_node_t *node, ngx_rbtree_node_t *sentinel)
{
    ngx_str_t                  key;
    ngx_rbtree_node_t        **p;
    ngx_http_artifact_node_t  *an;

    an = (ngx_http_artifact_node_t *) &node->color;
    key.data = an->data;
    key.len = an->key_len;

    for ( ;; ) {

        if (node->key != temp->key) {
            p = node->key < temp->key ? &temp->left : &temp->right;

        } else {
            p = ngx_http_artifact_node_cmp(
                         (ngx_http_artifact_node_t *) &temp->color, &key) < 0
                ? &temp->left : &temp->right;
        }

        if (*p == sentinel) {
            break;
        }

        temp = *p;
    }

    *p = node;
    node->parent = temp;
    node->left = sentinel;
    node->right = sentinel;
    ngx_rbt_red(node);
}


static ngx_rbtree_node_t *
ngx_http_artifact_alloc(ngx_slab_pool_t *shpool,
    ngx_http_artifact_shctx_t *sh, size_t size)
{
    ngx_uint_t                 n;
    ngx_queue_t               *q;
    ngx_rbtree_node_t         *node;
    ngx_http_artifact_node_t  *an;

    for (n = 0; n <= NGX_HTTP_ARTIFACT_EVICTIONS; n++) {

        node = ngx_slab_alloc_locked(shpool, size);

        if (node || ngx_queue_empty(&sh->queue)) {
            return node;
        }

        q = ngx_queue_last(&sh->queue);
        an = ngx_queue_data(q, ngx_http_artifact_node_t, queue);

        ngx_http_artifact_count(ART_COUNT_ZONE_EVICTIONS, NULL, 1);

        ngx_http_artifact_remove(shpool, sh, (ngx_rbtree_node_t *)
                     ((u_char *) an - offsetof(ngx_rbtree_node_t, color)));
    }

    return NULL;
}


static void
ngx_http_artifact_remove(ngx_slab_pool_t *shpool,
    ngx_http_artifact_shctx_t *sh, ngx_rbtree_node_t *node)
{
    ngx_http_artifact_node_t  *an;

    an = (ngx_http_artifact_node_t *) &node->color;

    ngx_queue_remove(&an->queue);
    ngx_rbtree_delete(&sh->rbtree, node);
    ngx_slab_free_locked(shpool, node);
}
