
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Which contents are kept open from one request to the next: one cache per
 * worker and "open_file_cache", under the rules of that directive and its
 * companions.
 */


#include "ngx_http_artifact_files.h"
#include "ngx_http_artifact_zone.h"


typedef struct {
    ngx_rbtree_node_t              node;
    ngx_queue_t                    queue;    /* the one used last is first */
    ngx_http_complex_value_t      *root;
    ngx_uint_t                     follow;
    art_str_t                      id;
    ngx_uint_t                     uses;
    time_t                         accessed;
    time_t                         created;
    ngx_http_artifact_opened_t    *opened;   /* NULL: only the uses count */
    u_char                         data[1];
} ngx_http_artifact_kept_t;


struct ngx_http_artifact_files_s {
    ngx_open_file_cache_t         *limits;   /* nginx's own, for its numbers */
    ngx_rbtree_t                   rbtree;
    ngx_rbtree_node_t              sentinel;
    ngx_queue_t                    queue;
    ngx_uint_t                     number;
};


static void ngx_http_artifact_files_cleanup(void *data);
static void ngx_http_artifact_files_insert(ngx_rbtree_node_t *temp,
    ngx_rbtree_node_t *node, ngx_rbtree_node_t *sentinel);
static ngx_http_artifact_files_t *ngx_http_artifact_files_of(
    ngx_http_artifact_ctx_t *ctx);
static void ngx_http_artifact_files_key(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_kept_t *key);
static ngx_uint_t ngx_http_artifact_lasts(ngx_err_t err);
static ngx_int_t ngx_http_artifact_kept_cmp(ngx_http_artifact_kept_t *a,
    ngx_http_artifact_kept_t *b);
static ngx_http_artifact_kept_t *ngx_http_artifact_kept_find(
    ngx_http_artifact_files_t *files, ngx_http_artifact_kept_t *key);
static ngx_http_artifact_kept_t *ngx_http_artifact_kept_add(
    ngx_http_artifact_files_t *files, ngx_http_artifact_kept_t *key);
static void ngx_http_artifact_kept_remove(ngx_http_artifact_files_t *files,
    ngx_http_artifact_kept_t *kept);
static void ngx_http_artifact_kept_expire(ngx_http_artifact_files_t *files,
    ngx_uint_t forced);


/*
 * The cache is made when configured; it is empty then, and each worker fills
 * a copy of its own.
 */

ngx_int_t
ngx_http_artifact_files_create(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf)
{
    ngx_uint_t                      i;
    ngx_pool_cleanup_t             *cln;
    ngx_http_core_loc_conf_t       *clcf;
    ngx_http_artifact_files_t      *files, **slot;
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);
    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

    if (clcf->open_file_cache == NULL || conf->root == NULL
        || conf->root->lengths)
    {
        return NGX_OK;
    }

    slot = amcf->files.elts;

    for (i = 0; i < amcf->files.nelts; i++) {

        if (slot[i]->limits == clcf->open_file_cache) {
            conf->files = slot[i];
            return NGX_OK;
        }
    }

    files = ngx_pcalloc(cf->pool, sizeof(ngx_http_artifact_files_t));
    slot = ngx_array_push(&amcf->files);
    cln = ngx_pool_cleanup_add(cf->pool, 0);

    if (files == NULL || slot == NULL || cln == NULL) {
        return NGX_ERROR;
    }

    files->limits = clcf->open_file_cache;
    ngx_rbtree_init(&files->rbtree, &files->sentinel,
                    ngx_http_artifact_files_insert);
    ngx_queue_init(&files->queue);

    cln->handler = ngx_http_artifact_files_cleanup;
    cln->data = files;

    *slot = files;
    conf->files = files;

    return NGX_OK;
}


static void
ngx_http_artifact_files_cleanup(void *data)
{
    ngx_http_artifact_files_t  *files = data;

    ngx_queue_t  *q;

    while (!ngx_queue_empty(&files->queue)) {
        q = ngx_queue_head(&files->queue);
        ngx_http_artifact_kept_remove(files,
                  ngx_queue_data(q, ngx_http_artifact_kept_t, queue));
    }
}


/* The cache of a request's location, NULL if this request is not for it. */

static ngx_http_artifact_files_t *
ngx_http_artifact_files_of(ngx_http_artifact_ctx_t *ctx)
{
    /* the metadata answer shows more of a sidecar than is kept */

    return ctx->metadata || ctx->ref.folder ? NULL : ctx->conf->files;
}


/* Everything that a file found for one request depends on. */

static void
ngx_http_artifact_files_key(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_kept_t *key)
{
    key->root = ctx->conf->root;
    key->follow = ngx_http_artifact_follows(r);
    key->id = ctx->ref.id;
    key->node.key = (ngx_rbtree_key_t) art_hash_words(ART_HASH_INIT,
                                                      key->id.data,
                                                      key->id.len);
}


ngx_int_t
ngx_http_artifact_files_get(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_err_t *err, ngx_uint_t *bound)
{
    ngx_http_core_loc_conf_t    *clcf;
    ngx_http_artifact_kept_t    *kept, key;
    ngx_http_artifact_files_t   *files;
    ngx_http_artifact_opened_t  *opened;

    files = ngx_http_artifact_files_of(ctx);
    if (files == NULL) {
        return NGX_BUSY;
    }

    ngx_http_artifact_kept_expire(files, 0);

    ngx_http_artifact_files_key(r, ctx, &key);
    kept = ngx_http_artifact_kept_find(files, &key);

    /* a write after this, and what is found next is not to be kept */

    ctx->source->generation = *ngx_http_artifact_generation(r, key.id);

    if (kept == NULL) {
        return NGX_BUSY;
    }

    kept->uses++;
    kept->accessed = ngx_time();

    ngx_queue_remove(&kept->queue);
    ngx_queue_insert_head(&files->queue, &kept->queue);

    opened = kept->opened;
    if (opened == NULL) {
        return NGX_BUSY;
    }

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (opened->source.generation != ctx->source->generation
        || ngx_time() - kept->created >= clcf->open_file_cache_valid
        || (opened->err && !clcf->open_file_cache_errors)
        || (opened->err == 0 && clcf->directio <= opened->source.size))
    {
        kept->opened = NULL;
        ngx_http_artifact_opened_release(opened);

        return NGX_BUSY;
    }

    if (opened->err) {
        *err = opened->err;
        *bound = opened->bound;

        return NGX_DECLINED;
    }

    return ngx_http_artifact_opened_use(r, opened, ctx->source);
}


/* Other errors, as of a storage that is out of reach, end by themselves. */

static ngx_uint_t
ngx_http_artifact_lasts(ngx_err_t err)
{
    return err == NGX_ENOENT || err == NGX_ENOTDIR || err == NGX_EACCES;
}


/* What was found, "err" 0, or why not, is kept if it may be. */

void
ngx_http_artifact_files_put(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_err_t err, ngx_uint_t bound)
{
    ngx_http_core_loc_conf_t    *clcf;
    ngx_http_artifact_kept_t    *kept, key;
    ngx_http_artifact_files_t   *files;
    ngx_http_artifact_source_t  *source;
    ngx_http_artifact_opened_t  *opened;

    files = ngx_http_artifact_files_of(ctx);
    if (files == NULL) {
        return;
    }

    source = ctx->source;
    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (err ? !clcf->open_file_cache_errors || !ngx_http_artifact_lasts(err)
            : clcf->directio <= source->size)
    {
        return;
    }

    ngx_http_artifact_files_key(r, ctx, &key);
    kept = ngx_http_artifact_kept_find(files, &key);

    if (kept == NULL) {
        kept = ngx_http_artifact_kept_add(files, &key);
    }

    if (kept == NULL || kept->opened
        || kept->uses < clcf->open_file_cache_min_uses)
    {
        return;
    }

    opened = ngx_http_artifact_opened_create(source, err, bound);
    if (opened == NULL) {
        return;
    }

    kept->opened = opened;
    kept->created = ngx_time();
}


static ngx_http_artifact_kept_t *
ngx_http_artifact_kept_find(ngx_http_artifact_files_t *files,
    ngx_http_artifact_kept_t *key)
{
    ngx_int_t                  rc;
    ngx_rbtree_node_t         *node;
    ngx_http_artifact_kept_t  *kept;

    node = files->rbtree.root;

    while (node != files->rbtree.sentinel) {

        if (key->node.key != node->key) {
            node = key->node.key < node->key ? node->left : node->right;
            continue;
        }

        kept = (ngx_http_artifact_kept_t *) node;
        rc = ngx_http_artifact_kept_cmp(key, kept);

        if (rc == 0) {
            return kept;
        }

        node = rc < 0 ? node->left : node->right;
    }

    return NULL;
}


static ngx_int_t
ngx_http_artifact_kept_cmp(ngx_http_artifact_kept_t *a,
    ngx_http_artifact_kept_t *b)
{
    if (a->root != b->root) {
        return a->root < b->root ? -1 : 1;
    }

    if (a->follow != b->follow) {
        return a->follow < b->follow ? -1 : 1;
    }

    return ngx_memn2cmp((u_char *) a->id.data, (u_char *) b->id.data,
                        a->id.len, b->id.len);
}


static void
ngx_http_artifact_files_insert(ngx_rbtree_node_t *temp,
    ngx_rbtree_node_t *node, ngx_rbtree_node_t *sentinel)
{
    ngx_rbtree_node_t  **p;

    for ( ;; ) {

        if (node->key != temp->key) {
            p = node->key < temp->key ? &temp->left : &temp->right;

        } else {
            p = ngx_http_artifact_kept_cmp((ngx_http_artifact_kept_t *) node,
                                           (ngx_http_artifact_kept_t *) temp)
                < 0 ? &temp->left : &temp->right;
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


static ngx_http_artifact_kept_t *
ngx_http_artifact_kept_add(ngx_http_artifact_files_t *files,
    ngx_http_artifact_kept_t *key)
{
    ngx_http_artifact_kept_t  *kept;

    if (files->number >= files->limits->max) {
        ngx_http_artifact_kept_expire(files, 1);
    }

    kept = ngx_alloc(sizeof(ngx_http_artifact_kept_t) + key->id.len,
                     ngx_cycle->log);
    if (kept == NULL) {
        return NULL;
    }

    *kept = *key;

    ngx_memcpy(kept->data, key->id.data, key->id.len);

    kept->id.data = kept->data;
    kept->uses = 1;
    kept->accessed = ngx_time();
    kept->opened = NULL;

    ngx_rbtree_insert(&files->rbtree, &kept->node);
    ngx_queue_insert_head(&files->queue, &kept->queue);
    files->number++;

    return kept;
}


static void
ngx_http_artifact_kept_remove(ngx_http_artifact_files_t *files,
    ngx_http_artifact_kept_t *kept)
{
    ngx_queue_remove(&kept->queue);
    ngx_rbtree_delete(&files->rbtree, &kept->node);
    files->number--;

    if (kept->opened) {
        ngx_http_artifact_opened_release(kept->opened);
    }

    ngx_free(kept);
}


/* The one used least recently if forced, and up to two that are inactive. */

static void
ngx_http_artifact_kept_expire(ngx_http_artifact_files_t *files,
    ngx_uint_t forced)
{
    ngx_uint_t                 n;
    ngx_queue_t               *q;
    ngx_http_artifact_kept_t  *kept;

    for (n = 0; n < 2 + forced && !ngx_queue_empty(&files->queue); n++) {

        q = ngx_queue_last(&files->queue);
        kept = ngx_queue_data(q, ngx_http_artifact_kept_t, queue);

        if ((n > 0 || !forced)
            && ngx_time() - kept->accessed <= files->limits->inactive)
        {
            return;
        }

        ngx_http_artifact_kept_remove(files, kept);
    }
}
