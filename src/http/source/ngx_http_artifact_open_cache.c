
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Contents that stay open from one request to the next: one cache per worker
 * and "open_file_cache", under the rules of that directive and its companions.
 * An entry, the descriptor with its sidecar and what is known about its bytes,
 * is one allocation with a reference count.
 */


#include "http/source/ngx_http_artifact_open_cache.h"
#include "http/base/ngx_http_artifact_context.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/base/art_hash.h"
#include "core/meta/art_meta.h"


/* Larger sidecars are not cached: this bounds the memory. */

#define NGX_HTTP_ARTIFACT_CACHED_META_MAX  4096

/*
 * The same for each memo: for head and tail, for a whole answer, and for one
 * that was made of a conversion.
 */

#define NGX_HTTP_ARTIFACT_ENDS_MAX   4096
#define NGX_HTTP_ARTIFACT_WHOLE_MAX  8192
#define NGX_HTTP_ARTIFACT_KEPT_MAX   16384

/*
 * Of a content, memos for kinds of readers, and for what it is converted to;
 * as many answers are kept of the latter.
 */

#define NGX_HTTP_ARTIFACT_READERS    6
#define NGX_HTTP_ARTIFACT_PARTS      4
#define NGX_HTTP_ARTIFACT_MEMOS                                               \
    (NGX_HTTP_ARTIFACT_READERS + NGX_HTTP_ARTIFACT_PARTS)

/* The users of a content that only one request has: the cache, and that one. */

#define NGX_HTTP_ARTIFACT_CACHED_ALONE  2


/* The answer to one kind of reader, or its bytes around the content. */

typedef struct {
    ngx_http_artifact_memo_key_t   key;
    art_render_memo_t             *ends;     /* head and tail */
    art_render_memo_t             *whole;    /* a short answer */
} ngx_http_artifact_memo_t;


/* An open content, or the reason why it could not be opened. */

struct ngx_http_artifact_cached_s {
    ngx_uint_t                     count;    /* of its users */
    ngx_err_t                      err;
    ngx_uint_t                     bound;    /* the workspace exists */
    ngx_uint_t                     closed;   /* only requests use it */
    ngx_http_artifact_source_t     source;
    ngx_http_artifact_facts_t      facts;
    ngx_http_artifact_memo_t       memos[NGX_HTTP_ARTIFACT_MEMOS];
    ngx_http_artifact_kept_t      *kept[NGX_HTTP_ARTIFACT_PARTS];
    u_char                         data[1];  /* names, then the sidecar */
};


/* The key is everything on which the file found for one request depends. */

typedef struct {
    ngx_str_node_t                 sn;       /* root, layout, links followed,
                                                id */
    ngx_queue_t                    queue;    /* last used first */
    ngx_uint_t                     uses;
    ngx_msec_t                     accessed;
    ngx_msec_t                     created;
    ngx_http_artifact_cached_t    *cached;   /* NULL: only the uses count */
    u_char                         data[1];
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
    ngx_http_artifact_open_entry_t *entry);
static void ngx_http_artifact_open_cache_close(
    ngx_http_artifact_open_entry_t *entry);
static void ngx_http_artifact_open_cache_expire(
    ngx_http_artifact_open_cache_t *cache, ngx_uint_t forced);
static ngx_http_artifact_cached_t *ngx_http_artifact_cached_create(
    ngx_http_artifact_source_t *source, ngx_err_t err, ngx_uint_t bound);
static u_char *ngx_http_artifact_cached_strings(
    ngx_http_artifact_cached_t *cached, ngx_http_artifact_source_t *source);
static ngx_int_t ngx_http_artifact_cached_use(ngx_http_request_t *r,
    ngx_http_artifact_cached_t *cached, ngx_http_artifact_source_t *source);
static void ngx_http_artifact_cached_release(void *data);
static ngx_http_artifact_memo_t *ngx_http_artifact_memo_of(
    ngx_http_artifact_source_t *source, ngx_http_artifact_memo_key_t *key);
static ngx_uint_t ngx_http_artifact_memo_is(ngx_http_artifact_memo_key_t *one,
    ngx_http_artifact_memo_key_t *other);
static ngx_uint_t ngx_http_artifact_memo_for(ngx_http_artifact_memo_key_t *one,
    ngx_http_artifact_memo_key_t *other);
static size_t ngx_http_artifact_kept_size(ngx_http_artifact_kept_t *kept);
static ngx_http_artifact_kept_t *ngx_http_artifact_kept_copy(
    ngx_http_artifact_kept_t *kept);
static u_char *ngx_http_artifact_kept_str(u_char *p, ngx_str_t *copy,
    const void *data, size_t len);
static ngx_uint_t ngx_http_artifact_made_is(ngx_http_artifact_made_t *one,
    ngx_http_artifact_made_t *other);
static ngx_uint_t ngx_http_artifact_same(ngx_str_t *one, ngx_str_t *other);


/*
 * A cache is created with the configuration, empty; each worker fills its own
 * copy.
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
    ngx_http_artifact_open_cache_t *cache = data;

    ngx_queue_t                     *q;
    ngx_http_artifact_open_entry_t  *entry;

    while (!ngx_queue_empty(&cache->queue)) {
        q = ngx_queue_head(&cache->queue);
        entry = ngx_queue_data(q, ngx_http_artifact_open_entry_t, queue);
        ngx_http_artifact_open_cache_remove(cache, entry);
    }
}


/* The cache for a request; NULL if there is none, or it is not used. */

static ngx_http_artifact_open_cache_t *
ngx_http_artifact_open_cache_of(ngx_http_artifact_ctx_t *ctx)
{
    /* the metadata answer shows more of a sidecar than is cached */

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
    if (cache == NULL || ctx->standin.len > 0) {
        return NGX_BUSY;
    }

    rc = ngx_http_artifact_open_cache_lookup(r, ctx, cache, err, bound);

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact open file cache: \"%*s\", found %i",
                   ctx->ref.id.len, ctx->ref.id.data, rc);

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
    uint32_t                         hash;
    ngx_str_t                        key;
    ngx_http_core_loc_conf_t        *clcf;
    ngx_http_artifact_cached_t      *cached;
    ngx_http_artifact_open_entry_t  *entry;

    ngx_http_artifact_open_cache_expire(cache, 0);

    if (ngx_http_artifact_open_cache_key(r, ctx, &key, &hash) != NGX_OK) {
        return NGX_ERROR;
    }

    entry = (ngx_http_artifact_open_entry_t *)
            ngx_str_rbtree_lookup(&cache->rbtree, &key, hash);

    /* if a write follows, what is opened next is not cached */

    ctx->source->generation = *ngx_http_artifact_generation(r, ctx->ref.id);

    if (entry == NULL) {
        return NGX_BUSY;
    }

    entry->uses++;
    entry->accessed = ngx_current_msec;

    ngx_queue_remove(&entry->queue);
    ngx_queue_insert_head(&cache->queue, &entry->queue);

    cached = entry->cached;
    if (cached == NULL) {
        return NGX_BUSY;
    }

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (cached->source.generation != ctx->source->generation
        || ngx_http_artifact_open_age(entry->created)
           >= clcf->open_file_cache_valid
        || (cached->err && !clcf->open_file_cache_errors)
        || art_meta_expired(&cached->source.meta, ngx_http_artifact_now())
        || (cached->err == 0 && clcf->directio <= cached->source.size))
    {
        ngx_http_artifact_open_cache_close(entry);

        return NGX_BUSY;
    }

    if (cached->err) {
        *err = cached->err;
        *bound = cached->bound;

        ctx->source->file.name = cached->source.file.name;

        return NGX_DECLINED;
    }

    return ngx_http_artifact_cached_use(r, cached, ctx->source);
}


/* Seconds; they do not depend on the machine's clock. */

static time_t
ngx_http_artifact_open_age(ngx_msec_t since)
{
    return (time_t) ((ngx_current_msec - since) / 1000);
}


/* Other errors, such as those of an unreachable storage, may pass. */

static ngx_uint_t
ngx_http_artifact_open_error_lasts(ngx_err_t err)
{
    return err == NGX_ENOENT || err == NGX_ENOTDIR || err == NGX_EACCES;
}


void
ngx_http_artifact_open_cache_put(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_err_t err, ngx_uint_t bound)
{
    uint32_t                         hash;
    ngx_str_t                        key;
    ngx_http_core_loc_conf_t        *clcf;
    ngx_http_artifact_source_t      *source;
    ngx_http_artifact_cached_t      *cached;
    ngx_http_artifact_open_entry_t  *entry;
    ngx_http_artifact_open_cache_t  *cache;

    cache = ngx_http_artifact_open_cache_of(ctx);
    if (cache == NULL || ctx->standin.len > 0) {
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

    entry = (ngx_http_artifact_open_entry_t *)
            ngx_str_rbtree_lookup(&cache->rbtree, &key, hash);

    if (entry == NULL) {
        entry = ngx_http_artifact_open_cache_add(cache, &key, hash);
    }

    if (entry == NULL || entry->cached
        || entry->uses < clcf->open_file_cache_min_uses)
    {
        return;
    }

    cached = ngx_http_artifact_cached_create(source, err, bound);
    if (cached == NULL) {
        return;
    }

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, r->connection->log, err,
                   "http artifact open file cache: \"%*s\" added, %ui entries",
                   ctx->ref.id.len, ctx->ref.id.data, cache->number);

    entry->cached = cached;
    entry->created = ngx_current_msec;

    if (err == 0) {
        ngx_http_artifact_count_open(1);
    }
}


static ngx_http_artifact_open_entry_t *
ngx_http_artifact_open_cache_add(ngx_http_artifact_open_cache_t *cache,
    ngx_str_t *key, uint32_t hash)
{
    ngx_http_artifact_open_entry_t  *entry;

    if (cache->number >= cache->limits->max) {
        ngx_http_artifact_open_cache_expire(cache, 1);
    }

    entry = ngx_calloc(sizeof(ngx_http_artifact_open_entry_t) + key->len,
                       ngx_cycle->log);
    if (entry == NULL) {
        return NULL;
    }

    ngx_memcpy(entry->data, key->data, key->len);

    entry->sn.node.key = hash;
    entry->sn.str.data = entry->data;
    entry->sn.str.len = key->len;
    entry->uses = 1;
    entry->accessed = ngx_current_msec;

    ngx_rbtree_insert(&cache->rbtree, &entry->sn.node);
    ngx_queue_insert_head(&cache->queue, &entry->queue);
    cache->number++;

    return entry;
}


static void
ngx_http_artifact_open_cache_remove(ngx_http_artifact_open_cache_t *cache,
    ngx_http_artifact_open_entry_t *entry)
{
    ngx_queue_remove(&entry->queue);
    ngx_rbtree_delete(&cache->rbtree, &entry->sn.node);
    cache->number--;

    if (entry->cached) {
        ngx_http_artifact_open_cache_close(entry);
    }

    ngx_free(entry);
}


static void
ngx_http_artifact_open_cache_close(ngx_http_artifact_open_entry_t *entry)
{
    if (entry->cached->err == 0) {
        ngx_http_artifact_count_open(-1);
    }

    entry->cached->closed = 1;

    ngx_http_artifact_cached_release(entry->cached);
    entry->cached = NULL;
}


/* Removes the least recently used entry if forced, and up to two inactive. */

static void
ngx_http_artifact_open_cache_expire(ngx_http_artifact_open_cache_t *cache,
    ngx_uint_t forced)
{
    ngx_uint_t                       n;
    ngx_queue_t                     *q;
    ngx_http_artifact_open_entry_t  *entry;

    for (n = 0; n < 2 + forced && !ngx_queue_empty(&cache->queue); n++) {

        q = ngx_queue_last(&cache->queue);
        entry = ngx_queue_data(q, ngx_http_artifact_open_entry_t, queue);

        if ((n > 0 || !forced)
            && ngx_http_artifact_open_age(entry->accessed)
               <= cache->limits->inactive)
        {
            return;
        }

        ngx_http_artifact_open_cache_remove(cache, entry);
    }
}


static ngx_http_artifact_cached_t *
ngx_http_artifact_cached_create(ngx_http_artifact_source_t *source,
    ngx_err_t err, ngx_uint_t bound)
{
    u_char                      *p;
    size_t                       len, meta;
    ngx_http_artifact_cached_t  *cached;

    meta = art_meta_packed_size(&source->meta);

    if (meta > NGX_HTTP_ARTIFACT_CACHED_META_MAX) {
        return NULL;
    }

    len = source->id.len + source->name.len + source->last_name.len
          + source->file.name.len + 1;

    cached = ngx_alloc(sizeof(ngx_http_artifact_cached_t) + len + meta,
                       ngx_cycle->log);
    if (cached == NULL) {
        return NULL;
    }

    ngx_memzero(cached, sizeof(ngx_http_artifact_cached_t));

    cached->count = 1;
    cached->err = err;
    cached->bound = bound;
    cached->source = *source;
    ngx_str_null(&cached->source.root);

    p = ngx_http_artifact_cached_strings(cached, source);

    (void) art_meta_pack(&source->meta, p, meta);

    if (art_meta_unpack(p, meta, &cached->source.meta) != ART_OK) {
        ngx_free(cached);
        return NULL;
    }

    if (err == 0) {

        /* the last user closes the descriptor; the request is one of them */

        cached->count++;

        source->cached = cached;
        source->facts = &cached->facts;
        source->cleanup->handler = ngx_http_artifact_cached_release;
        source->cleanup->data = cached;
    }

    return cached;
}


/* Copies the strings of the source; returns the end of the copies. */

static u_char *
ngx_http_artifact_cached_strings(ngx_http_artifact_cached_t *cached,
    ngx_http_artifact_source_t *source)
{
    u_char                      *p;
    ngx_http_artifact_source_t  *copy;

    copy = &cached->source;
    p = cached->data;

    copy->id.data = p;
    p = ngx_cpymem(p, source->id.data, source->id.len);

    copy->name.data = p;
    p = ngx_cpymem(p, source->name.data, source->name.len);

    copy->last_name.data = p;
    p = ngx_cpymem(p, source->last_name.data, source->last_name.len);

    copy->file.name.data = p;
    p = ngx_cpymem(p, source->file.name.data, source->file.name.len);
    *p++ = '\0';

    return p;
}


static ngx_int_t
ngx_http_artifact_cached_use(ngx_http_request_t *r,
    ngx_http_artifact_cached_t *cached,
    ngx_http_artifact_source_t *source)
{
    ngx_pool_cleanup_t  *cln;

    cln = ngx_pool_cleanup_add(r->pool, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_http_artifact_cached_release;
    cln->data = cached;

    cached->count++;

    *source = cached->source;

    source->cached = cached;
    source->facts = &cached->facts;
    source->cleanup = cln;
    source->file.log = r->connection->log;

    return NGX_OK;
}


static void
ngx_http_artifact_cached_release(void *data)
{
    ngx_http_artifact_cached_t *cached = data;

    ngx_uint_t  i;

    if (--cached->count > 0) {
        return;
    }

    for (i = 0; i < NGX_HTTP_ARTIFACT_MEMOS; i++) {
        ngx_free(cached->memos[i].ends);
        ngx_free(cached->memos[i].whole);
    }

    for (i = 0; i < NGX_HTTP_ARTIFACT_PARTS; i++) {
        ngx_free(cached->kept[i]);
    }

    if (cached->err == 0
        && ngx_close_file(cached->source.file.fd) == NGX_FILE_ERROR)
    {
        ngx_log_error(NGX_LOG_ALERT, ngx_cycle->log, ngx_errno,
                      ngx_close_file_n " \"%V\" failed",
                      &cached->source.file.name);
    }

    ngx_free(cached);
}


art_render_memo_t *
ngx_http_artifact_open_cache_memo(ngx_http_artifact_source_t *source,
    ngx_http_artifact_memo_key_t *key)
{
    ngx_http_artifact_memo_t  *memo;

    memo = ngx_http_artifact_memo_of(source, key);

    if (memo == NULL) {
        return NULL;
    }

    return memo->whole ? memo->whole : memo->ends;
}


void
ngx_http_artifact_open_cache_put_ends(ngx_http_artifact_source_t *source,
    ngx_http_artifact_memo_key_t *key, const art_render_t *render)
{
    size_t                     size;
    ngx_http_artifact_memo_t  *memo;

    size = art_render_memo_size(render);

    if (size == 0 || size > NGX_HTTP_ARTIFACT_ENDS_MAX) {
        return;
    }

    memo = ngx_http_artifact_memo_of(source, key);

    if (memo == NULL || memo->ends) {
        return;
    }

    memo->ends = ngx_alloc(size + key->mime.len, ngx_cycle->log);
    if (memo->ends == NULL) {
        return;
    }

    art_render_memo_make(render, memo->ends);

    memo->key = *key;
    memo->key.mime.data = (u_char *) memo->ends + size;

    if (key->mime.len > 0) {
        ngx_memcpy((u_char *) memo->ends + size, key->mime.data,
                   key->mime.len);
    }
}


void
ngx_http_artifact_open_cache_put_answer(ngx_http_artifact_source_t *source,
    ngx_http_artifact_memo_key_t *key, const art_render_t *render,
    u_char *answer, size_t len)
{
    ngx_http_artifact_memo_t  *memo;

    if (ART_RENDER_CACHED_SIZE(len) > NGX_HTTP_ARTIFACT_WHOLE_MAX) {
        return;
    }

    memo = ngx_http_artifact_memo_of(source, key);

    if (memo == NULL || memo->whole) {
        return;
    }

    memo->whole = ngx_alloc(ART_RENDER_CACHED_SIZE(len), ngx_cycle->log);
    if (memo->whole == NULL) {
        return;
    }

    art_render_memo_answer(render, answer, len, memo->whole);

    memo->key = *key;
}


/* The memo with this key, or the first free one; NULL if all are in use. */

static ngx_http_artifact_memo_t *
ngx_http_artifact_memo_of(ngx_http_artifact_source_t *source,
    ngx_http_artifact_memo_key_t *key)
{
    ngx_uint_t                 i, n;
    ngx_http_artifact_memo_t  *memo;

    if (source->cached == NULL) {
        return NULL;
    }

    n = NGX_HTTP_ARTIFACT_READERS;
    memo = source->cached->memos;

    if (key->mime.len > 0) {
        memo += n;
        n = NGX_HTTP_ARTIFACT_PARTS;
    }

    for (i = 0; i < n; i++) {

        if ((memo[i].ends == NULL && memo[i].whole == NULL)
            || ngx_http_artifact_memo_is(&memo[i].key, key))
        {
            return &memo[i];
        }
    }

    return NULL;
}


static ngx_uint_t
ngx_http_artifact_memo_is(ngx_http_artifact_memo_key_t *one,
    ngx_http_artifact_memo_key_t *other)
{
    return ngx_http_artifact_memo_for(one, other)
           && one->kind == other->kind && one->size == other->size
           && one->charset == other->charset
           && art_str_eq(one->mime, other->mime);
}


/* Whether the readers get the same answers of the same content. */

static ngx_uint_t
ngx_http_artifact_memo_for(ngx_http_artifact_memo_key_t *one,
    ngx_http_artifact_memo_key_t *other)
{
    return one->conf == other->conf && one->format == other->format
           && one->service == other->service && one->caps == other->caps
           && one->unknown == other->unknown;
}


ngx_http_artifact_kept_t *
ngx_http_artifact_open_cache_kept(ngx_http_artifact_source_t *original,
    ngx_http_artifact_memo_key_t *key, ngx_http_artifact_made_t *made)
{
    ngx_uint_t                  i;
    ngx_http_artifact_kept_t  **kept;

    if (original->cached == NULL) {
        return NULL;
    }

    kept = original->cached->kept;

    for (i = 0; i < NGX_HTTP_ARTIFACT_PARTS && kept[i]; i++) {

        if (ngx_http_artifact_made_is(&kept[i]->made, made)
            && ngx_http_artifact_memo_for(&kept[i]->key, key))
        {
            return kept[i];
        }
    }

    return NULL;
}


/*
 * In place of the answer of an older file, or the last one.  While nobody else
 * uses the original, nobody has these bytes.
 */

void
ngx_http_artifact_open_cache_keep(ngx_http_artifact_source_t *original,
    ngx_http_artifact_kept_t *kept)
{
    ngx_uint_t                   i;
    ngx_http_artifact_kept_t    *copy, **at;
    ngx_http_artifact_cached_t  *cached;

    cached = original->cached;

    if (cached == NULL || cached->closed
        || ngx_http_artifact_kept_size(kept) > NGX_HTTP_ARTIFACT_KEPT_MAX
        || !ngx_http_artifact_cache_key_lasts(&kept->made.file))
    {
        return;
    }

    at = cached->kept;

    for (i = 0; i < NGX_HTTP_ARTIFACT_PARTS - 1; i++, at++) {

        if (*at == NULL
            || (ngx_http_artifact_memo_for(&(*at)->key, &kept->key)
                && (*at)->made.conf == kept->made.conf
                && ngx_http_artifact_same(&(*at)->made.uri, &kept->made.uri)))
        {
            break;
        }
    }

    if (*at && cached->count > NGX_HTTP_ARTIFACT_CACHED_ALONE) {
        return;
    }

    copy = ngx_http_artifact_kept_copy(kept);

    if (copy) {
        ngx_free(*at);
        *at = copy;
    }
}


/* Bytes of its strings; headers of a converter are among them. */

static size_t
ngx_http_artifact_kept_size(ngx_http_artifact_kept_t *kept)
{
    return kept->key.mime.len + kept->made.type.len + kept->made.charset.len
           + kept->made.uri.len + kept->made.disposition.len
           + kept->answer.len;
}


/* In one allocation; NULL when out of memory. */

static ngx_http_artifact_kept_t *
ngx_http_artifact_kept_copy(ngx_http_artifact_kept_t *kept)
{
    u_char                    *p;
    ngx_str_t                  mime;
    ngx_http_artifact_kept_t  *copy;

    copy = ngx_alloc(sizeof(ngx_http_artifact_kept_t)
                     + ngx_http_artifact_kept_size(kept), ngx_cycle->log);
    if (copy == NULL) {
        return NULL;
    }

    *copy = *kept;

    p = (u_char *) (copy + 1);

    p = ngx_http_artifact_kept_str(p, &mime, kept->key.mime.data,
                                   kept->key.mime.len);
    p = ngx_http_artifact_kept_str(p, &copy->made.type, kept->made.type.data,
                                   kept->made.type.len);
    p = ngx_http_artifact_kept_str(p, &copy->made.charset,
                                   kept->made.charset.data,
                                   kept->made.charset.len);
    p = ngx_http_artifact_kept_str(p, &copy->made.uri, kept->made.uri.data,
                                   kept->made.uri.len);
    p = ngx_http_artifact_kept_str(p, &copy->made.disposition,
                                   kept->made.disposition.data,
                                   kept->made.disposition.len);
    (void) ngx_http_artifact_kept_str(p, &copy->answer, kept->answer.data,
                                      kept->answer.len);

    copy->key.mime.data = mime.data;

    return copy;
}


static u_char *
ngx_http_artifact_kept_str(u_char *p, ngx_str_t *copy, const void *data,
    size_t len)
{
    copy->data = p;
    copy->len = len;

    return len > 0 ? ngx_cpymem(p, data, len) : p;
}


static ngx_uint_t
ngx_http_artifact_made_is(ngx_http_artifact_made_t *one,
    ngx_http_artifact_made_t *other)
{
    return ngx_memcmp(&one->file, &other->file,
                      sizeof(ngx_http_artifact_cache_key_t)) == 0
           && one->conf == other->conf
           && ngx_http_artifact_same(&one->type, &other->type)
           && ngx_http_artifact_same(&one->charset, &other->charset)
           && ngx_http_artifact_same(&one->uri, &other->uri)
           && ngx_http_artifact_same(&one->disposition, &other->disposition);
}


static ngx_uint_t
ngx_http_artifact_same(ngx_str_t *one, ngx_str_t *other)
{
    return art_str_eq(ngx_artifact_str(one), ngx_artifact_str(other));
}
