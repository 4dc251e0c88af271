
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The metadata of a content: "{id}.meta", or for a workspace's file its entry
 * in "{workspace}.meta.json", found by the index if there is one, with later
 * changes from the journals.
 */


#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_work.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/source/ngx_http_artifact_source.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/metadata/ngx_artifact_metadata.h"
#include "core/base/art_hash.h"
#include "core/journal/art_journal.h"
#include "core/meta/art_meta.h"
#include "core/text/art_utf8.h"


/*
 * Documents of more bytes are read in a thread: an entry found by the index may
 * have a long history; without an index, the document is searched.
 */

#define NGX_HTTP_ARTIFACT_ENTRY_AT_ONCE  65536

/* Sidecars that were warned about, as far as a process remembers them. */

#define NGX_HTTP_ARTIFACT_WARNED  64


struct ngx_http_artifact_entry_s {
    ngx_http_artifact_ctx_t       *ctx;
    ngx_str_t                      name;
    ngx_artifact_metadata_t        document;
    art_str_t                      key;
    art_str_t                      more;       /* of the key in the cache */
    ngx_http_artifact_cache_key_t  version;
    ngx_artifact_task_t            task;

    /* the entry in the document, and as the journals have changed it */

    art_meta_status_t              status;
    art_meta_status_t              now_status;
    art_meta_t                     meta;
    art_meta_t                     now;
    ngx_err_t                      err;

    unsigned                       other:1;    /* the other key is used */
    unsigned                       read:1;     /* "meta" has to be freed */
    unsigned                       changed:1;  /* and so has "now" */
};


static ngx_int_t ngx_http_artifact_parse_meta(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_fd_t folder, ngx_str_t *name,
    ngx_http_artifact_cache_key_t *key);
static void ngx_http_artifact_warn_forever(ngx_http_request_t *r,
    ngx_str_t *root, ngx_str_t *name);
static ngx_int_t ngx_http_artifact_entry_other(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry);
static ngx_int_t ngx_http_artifact_entry_find(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry);
static ngx_int_t ngx_http_artifact_entry_cached(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry, ngx_str_t *block);
static ngx_int_t ngx_http_artifact_entry_read(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry);
static void ngx_http_artifact_entry_run(void *data, ngx_log_t *log);
static void ngx_http_artifact_entry_set(ngx_http_artifact_entry_t *entry,
    art_meta_status_t status);
static void ngx_http_artifact_entry_apply(ngx_http_artifact_entry_t *entry,
    art_meta_status_t status, art_meta_t *meta);
static ngx_int_t ngx_http_artifact_entry_store(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry, ngx_str_t *block);
static ngx_int_t ngx_http_artifact_entry_pack(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry, art_meta_status_t status,
    art_meta_t *meta, ngx_str_t *block);
static void ngx_http_artifact_entry_close(void *data);
static ngx_uint_t ngx_http_artifact_no_memory(art_meta_status_t status,
    art_meta_t *meta);
static ngx_int_t ngx_http_artifact_pack_meta(ngx_http_request_t *r,
    art_meta_status_t status, art_meta_t *meta, ngx_str_t *block);
static void ngx_http_artifact_cache_meta(ngx_http_request_t *r,
    ngx_http_artifact_cache_key_t *key, ngx_file_info_t *info, art_str_t more,
    ngx_str_t *block);
static ngx_int_t ngx_http_artifact_use_meta(ngx_http_artifact_ctx_t *ctx,
    ngx_str_t *block);


/*
 * Metadata that are missing, unreadable or corrupt count as none.  The shared
 * zone has parsed sidecars, by their versions.
 */

ngx_int_t
ngx_http_artifact_read_meta(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_fd_t folder, ngx_str_t *name)
{
    ngx_int_t                       rc;
    ngx_str_t                       block;
    ngx_file_info_t                 info;
    ngx_http_artifact_cache_key_t   key;

    if (fstatat(folder, (char *) name->data, &info, AT_SYMLINK_NOFOLLOW)
        == -1)
    {
        if (ngx_errno != ENOENT && ngx_errno != ENOTDIR
            && ngx_errno != ENAMETOOLONG)
        {
            ngx_log_error(NGX_LOG_ERR, r->connection->log, ngx_errno,
                          "fstatat() \"%V/artifacts/%V\" failed",
                          &ctx->source->root, name);
        }

        ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                       "http artifact sidecar: no \"%V\"",
                       ngx_http_artifact_shown(ctx, name));

        return NGX_DECLINED;
    }

    ngx_http_artifact_cache_key(&key, NGX_HTTP_ARTIFACT_CACHE_META, &info);

    if (ngx_is_file(&info)) {
        rc = ngx_http_artifact_cache_get(r, &key,
                                         ngx_http_artifact_stored_id(ctx),
                                         &block);

        if (rc == NGX_OK) {
            ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                           "http artifact sidecar: \"%V\", zone hit",
                           ngx_http_artifact_shown(ctx, name));

            return ngx_http_artifact_use_meta(ctx, &block);
        }

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }
    }

    return ngx_http_artifact_parse_meta(r, ctx, folder, name, &key);
}


static ngx_int_t
ngx_http_artifact_parse_meta(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_fd_t folder, ngx_str_t *name,
    ngx_http_artifact_cache_key_t *key)
{
    ngx_str_t          text, block;
    art_meta_t         meta;
    ngx_file_info_t    info;
    art_meta_status_t  status;

    ngx_set_errno(0);

    if (ngx_artifact_load_sidecar(r->connection->log, folder,
                                  &ctx->source->root, name, &info, &text)
        != NGX_OK)
    {
        return ngx_errno == NGX_ENOMEM ? NGX_ERROR : NGX_OK;
    }

    ngx_set_errno(0);

    status = art_meta_parse(ngx_artifact_str(&text), &meta);

    if (ngx_http_artifact_no_memory(status, &meta)) {
        ngx_free(text.data);
        return NGX_ERROR;
    }

    if (status == ART_META_CORRUPT) {
        ngx_artifact_corrupt_sidecar(r->connection->log, &ctx->source->root,
                                     name, &text);
    }

    ngx_free(text.data);

    if (status == ART_META_OK && meta.forever) {
        ngx_http_artifact_warn_forever(r, &ctx->source->root, name);
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact sidecar: \"%V\" read, status %d",
                   ngx_http_artifact_shown(ctx, name), (int) status);

    if (ngx_http_artifact_pack_meta(r, status, &meta, &block) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_artifact_cache_meta(r, key, &info,
                                 ngx_http_artifact_stored_id(ctx), &block);

    return ngx_http_artifact_use_meta(ctx, &block);
}


/*
 * A sidecar may be read again and again, as one that was just written is not
 * cached: the process knows the last ones.
 */

static void
ngx_http_artifact_warn_forever(ngx_http_request_t *r, ngx_str_t *root,
    ngx_str_t *name)
{
    uint64_t         hash, *slot;
    static uint64_t  warned[NGX_HTTP_ARTIFACT_WARNED];

    hash = art_hash(ART_HASH_INIT, root->data, root->len);
    hash = art_hash(hash, name->data, name->len);

    slot = &warned[hash % NGX_HTTP_ARTIFACT_WARNED];

    if (*slot == hash) {
        return;
    }

    *slot = hash;

    ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                  "\"expiresAt\" in \"%V/artifacts/%V\" is not a time of "
                  "RFC 3339, the artifact never expires", root, name);
}


ngx_int_t
ngx_http_artifact_read_entry(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_fd_t folder, ngx_str_t *name)
{
    ngx_pool_cleanup_t         *cln;
    ngx_http_artifact_entry_t  *entry;

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_artifact_entry_t));
    if (cln == NULL) {
        return NGX_ERROR;
    }

    entry = cln->data;
    ngx_memzero(entry, sizeof(ngx_http_artifact_entry_t));

    entry->name = *name;

    ngx_artifact_metadata_init(&entry->document, r->connection->log,
                               &ctx->source->root, folder, ctx->ref.workspace,
                               &entry->name);
    entry->document.index.brief = !ctx->metadata;

    entry->ctx = ctx;
    entry->key = ctx->ref.path;
    entry->more = ctx->ref.id;

    cln->handler = ngx_http_artifact_entry_close;

    ctx->entry = entry;

    return ngx_http_artifact_read_entry_again(r, ctx);
}


ngx_int_t
ngx_http_artifact_read_entry_again(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_int_t                   rc;
    ngx_http_artifact_entry_t  *entry;

    entry = ctx->entry;
    entry->document.log = r->connection->log;

    rc = ngx_http_artifact_entry_find(r, entry);

    if (rc == NGX_DECLINED && !entry->other) {
        rc = ngx_http_artifact_entry_other(r, entry);

        if (rc == NGX_OK) {
            rc = ngx_http_artifact_entry_find(r, entry);
        }
    }

    if (rc != NGX_AGAIN) {
        ngx_http_artifact_entry_close(entry);
        ctx->entry = NULL;
    }

    return rc == NGX_DECLINED ? NGX_OK : rc;
}


/* NGX_DECLINED if there is no other key. */

static ngx_int_t
ngx_http_artifact_entry_other(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry)
{
    u_char     *buf;
    art_str_t   path;

    path = entry->ctx->ref.path;

    if (memchr(path.data, '\\', path.len) == NULL) {
        return NGX_DECLINED;
    }

    buf = ngx_pnalloc(r->pool, path.len);
    if (buf == NULL) {
        return NGX_ERROR;
    }

    (void) art_meta_other_key(path, buf, &entry->key);

    entry->more = entry->key;
    entry->other = 1;

    return NGX_OK;
}


/* NGX_DECLINED if there is no such entry. */

static ngx_int_t
ngx_http_artifact_entry_find(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry)
{
    ngx_int_t   rc;
    ngx_str_t   block, now;
    ngx_uint_t  changed;

    ngx_str_null(&now);
    ngx_str_null(&block);

    rc = entry->read ? NGX_OK
                     : ngx_http_artifact_entry_cached(r, entry, &block);

    if (rc == NGX_DECLINED) {
        rc = ngx_http_artifact_entry_read(r, entry);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    changed = entry->changed;

    if (changed) {
        entry->changed = 0;
        rc = ngx_http_artifact_entry_pack(r, entry, entry->now_status,
                                          &entry->now, &now);
    }

    if (rc == NGX_OK && entry->read) {
        rc = ngx_http_artifact_entry_store(r, entry, &block);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact entry: \"%*s\" of \"%V\"%s",
                   entry->key.len, entry->key.data, &entry->name,
                   changed ? ", changed by the journal" : "");

    if (changed) {
        block = now;
    }

    return block.len && block.data[0] == ART_META_OK
           ? ngx_http_artifact_use_meta(entry->ctx, &block) : NGX_DECLINED;
}


/*
 * Returns the entry of the document as a block, if the shared zone has it for
 * this version, which is set, or if there is no document.
 */

static ngx_int_t
ngx_http_artifact_entry_cached(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry, ngx_str_t *block)
{
    ngx_int_t                 rc;
    art_meta_t                meta;
    ngx_uint_t                type;
    ngx_file_info_t           info;
    art_meta_status_t         status;
    ngx_artifact_metadata_t  *document;

    ngx_memzero(&meta, sizeof(art_meta_t));

    document = &entry->document;

    if (document->fd != NGX_INVALID_FILE) {
        info = document->info;

    } else if (fstatat(document->folder, (char *) document->name->data, &info,
                       AT_SYMLINK_NOFOLLOW)
               == -1)
    {
        if (ngx_errno != NGX_ENOENT && ngx_errno != NGX_ENAMETOOLONG) {
            ngx_log_error(NGX_LOG_ERR, r->connection->log, ngx_errno,
                          "fstatat() \"%V/workspaces/%V\" failed",
                          document->root, document->name);
        }

        ngx_http_artifact_entry_apply(entry, ART_META_ABSENT, &meta);

        return ngx_http_artifact_pack_meta(r, ART_META_ABSENT, NULL, block);
    }

    type = entry->ctx->metadata ? NGX_HTTP_ARTIFACT_CACHE_META
                                : NGX_HTTP_ARTIFACT_CACHE_BRIEF;

    ngx_http_artifact_cache_key(&entry->version, type, &info);

    if (!ngx_is_file(&info)) {
        return NGX_DECLINED;
    }

    rc = ngx_http_artifact_cache_get(r, &entry->version, entry->more, block);

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact entry: zone %s",
                   rc == NGX_OK ? "hit" : "miss");

    if (rc != NGX_OK) {
        return rc;
    }

    status = (art_meta_status_t) block->data[0];

    if (status == ART_META_OK
        && art_meta_unpack(block->data + 1, block->len - 1, &meta) != ART_OK)
    {
        status = ART_META_ABSENT;
    }

    ngx_http_artifact_entry_apply(entry, status, &meta);

    return NGX_OK;
}


/* The document is already open if this is the second key. */

static ngx_int_t
ngx_http_artifact_entry_read(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry)
{
    ngx_artifact_metadata_t  *document;

    document = &entry->document;

    ngx_set_errno(0);

    if (document->fd == NGX_INVALID_FILE
        && ngx_artifact_metadata_open(document) != NGX_OK)
    {
        ngx_http_artifact_entry_set(entry, ART_META_CORRUPT);
        return NGX_OK;
    }

    if (ngx_file_size(&document->info) > NGX_HTTP_ARTIFACT_ENTRY_AT_ONCE) {
        ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                       "http artifact entry: task for %O bytes of \"%V\"",
                       ngx_file_size(&document->info), &entry->name);

        return ngx_http_artifact_request_task(r, &entry->task,
                                              ngx_http_artifact_entry_run,
                                              entry);
    }

    ngx_http_artifact_entry_run(entry, r->connection->log);

    return NGX_OK;
}


static void
ngx_http_artifact_entry_run(void *data, ngx_log_t *log)
{
    ngx_http_artifact_entry_t *entry = data;

    art_meta_status_t  status;

    entry->document.log = log;

    ngx_set_errno(0);

    status = ngx_artifact_metadata_entry(&entry->document, entry->key,
                                         &entry->meta);

    ngx_http_artifact_entry_set(entry, status);
}


static void
ngx_http_artifact_entry_set(ngx_http_artifact_entry_t *entry,
    art_meta_status_t status)
{
    entry->err = ngx_errno;
    entry->status = status;
    entry->read = 1;

    ngx_http_artifact_entry_apply(entry, status, &entry->meta);
}


/* Applies the records of the journals; "now" may share strings with "meta". */

static void
ngx_http_artifact_entry_apply(ngx_http_artifact_entry_t *entry,
    art_meta_status_t status, art_meta_t *meta)
{
    art_str_t            *journals;
    ngx_uint_t            i;
    art_journal_record_t  record;

    journals = entry->document.journals;

    for (i = 0; i < 2; i++) {
        entry->changed |= art_journal_find(journals[i], entry->key, &record);
    }

    if (!entry->changed) {
        return;
    }

    ngx_memzero(&entry->now, sizeof(art_meta_t));

    if (status == ART_META_OK) {
        entry->now = *meta;
        entry->now.memory = NULL;
    }

    for (i = 0; i < 2; i++) {
        if (status == ART_META_CORRUPT) {
            status = ART_META_ABSENT;   /* a new document is begun */
        }

        status = art_journal_apply(journals[i], entry->key, status,
                                   &entry->now);
    }

    entry->now_status = status;
}


/* Packs an entry that was read into a block, which is cached. */

static ngx_int_t
ngx_http_artifact_entry_store(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry, ngx_str_t *block)
{
    entry->read = 0;

    ngx_set_errno(entry->err);

    if (ngx_http_artifact_no_memory(entry->status, &entry->meta)
        || ngx_http_artifact_entry_pack(r, entry, entry->status, &entry->meta,
                                        block)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_http_artifact_cache_meta(r, &entry->version, &entry->document.info,
                                 entry->more, block);
    return NGX_OK;
}


/* Only the metadata answer shows a file's history. */

static ngx_int_t
ngx_http_artifact_entry_pack(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry, art_meta_status_t status,
    art_meta_t *meta, ngx_str_t *block)
{
    if (status == ART_META_OK && !entry->ctx->metadata) {
        meta->modified_by = art_str(NULL, 0);
        meta->extra = art_str(NULL, 0);
    }

    return ngx_http_artifact_pack_meta(r, status, meta, block);
}


static void
ngx_http_artifact_entry_close(void *data)
{
    ngx_http_artifact_entry_t *entry = data;

    ngx_artifact_metadata_close(&entry->document);

    if (entry->read && entry->status == ART_META_OK) {
        art_meta_free(&entry->meta);
    }

    if (entry->changed && entry->now_status == ART_META_OK) {
        art_meta_free(&entry->now);
    }

    entry->read = 0;
    entry->changed = 0;
}


/*
 * Whether memory was missing, by the errno of malloc(), which must have been
 * set to 0.  Then *meta is freed and must not be cached, since jansson omits a
 * character for which it has no memory.
 */

static ngx_uint_t
ngx_http_artifact_no_memory(art_meta_status_t status, art_meta_t *meta)
{
    if (ngx_errno != NGX_ENOMEM) {
        return 0;
    }

    if (status == ART_META_OK) {
        art_meta_free(meta);
    }

    return 1;
}


/*
 * Packs metadata into a block of the request's pool, a byte of status and the
 * packed record, and frees them.
 */

static ngx_int_t
ngx_http_artifact_pack_meta(ngx_http_request_t *r, art_meta_status_t status,
    art_meta_t *meta, ngx_str_t *block)
{
    block->len = 1 + (status == ART_META_OK ? art_meta_packed_size(meta) : 0);
    block->data = ngx_pnalloc(r->pool, block->len);

    if (block->data) {
        block->data[0] = (u_char) status;

        if (status == ART_META_OK) {
            (void) art_meta_pack(meta, block->data + 1, block->len - 1);
        }
    }

    if (status == ART_META_OK) {
        art_meta_free(meta);
    }

    return block->data ? NGX_OK : NGX_ERROR;
}


/*
 * Puts a block into the shared zone, unless the file that was read ("info") is
 * newer than the version of the key.
 */

static void
ngx_http_artifact_cache_meta(ngx_http_request_t *r,
    ngx_http_artifact_cache_key_t *key, ngx_file_info_t *info,
    art_str_t more, ngx_str_t *block)
{
    ngx_http_artifact_cache_key_t  now;

    ngx_http_artifact_cache_key(&now, (ngx_uint_t) key->type, info);

    if (ngx_memcmp(&now, key, sizeof(ngx_http_artifact_cache_key_t)) == 0) {
        ngx_http_artifact_cache_put(r, key, more, block);
    }
}


static ngx_int_t
ngx_http_artifact_use_meta(ngx_http_artifact_ctx_t *ctx, ngx_str_t *block)
{
    if (block->len == 0 || block->data[0] != ART_META_OK) {
        return NGX_OK;
    }

    if (art_meta_unpack(block->data + 1, block->len - 1, &ctx->source->meta)
        != ART_OK)
    {
        ngx_memzero(&ctx->source->meta, sizeof(art_meta_t));
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_set_name(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source)
{
    u_char     *p;
    art_str_t   name;
    ngx_str_t   line;

    name = source->meta.name;

    if (name.len == 0) {
        name = ngx_artifact_str(&source->last_name);
    }

    if (ngx_http_artifact_line(r->pool, name, &line) != NGX_OK) {
        return NGX_ERROR;
    }

    source->name = ngx_artifact_str(&line);

    if (line.len > ART_UTF8_FILE_NAME_MAX) {
        p = ngx_pnalloc(r->pool, ART_UTF8_FILE_NAME_MAX);
        if (p == NULL) {
            return NGX_ERROR;
        }

        source->name = art_utf8_file_name(source->name, p,
                                          ART_UTF8_FILE_NAME_MAX);
    }

    return NGX_OK;
}
