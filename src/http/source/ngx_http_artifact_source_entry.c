
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The metadata of one workspace file: its entry in "{workspace}.meta.json",
 * found by the index where there is one, and what the journals say since.
 */


#include "http/source/ngx_http_artifact_source.h"
#include "http/source/ngx_http_artifact_source_meta.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/metadata/ngx_artifact_metadata.h"
#include "core/meta/art_meta_pack.h"
#include "core/meta/art_meta_workspace.h"
#include "core/journal/art_journal.h"


typedef struct {
    ngx_http_artifact_ctx_t       *ctx;
    ngx_artifact_metadata_t        document;
} ngx_http_artifact_entry_t;


static ngx_int_t ngx_http_artifact_entry_find(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry, art_str_t key, art_str_t more,
    ngx_uint_t *found);
static ngx_int_t ngx_http_artifact_entry_block(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry, art_str_t key, art_str_t more,
    ngx_str_t *block);
static ngx_int_t ngx_http_artifact_entry_apply(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry, art_str_t key, ngx_str_t *block);
static art_meta_status_t ngx_http_artifact_entry_read(
    ngx_artifact_metadata_t *document, art_str_t key, art_meta_t *meta);
static art_meta_status_t ngx_http_artifact_entry_scan(
    ngx_artifact_metadata_t *document, art_str_t key, art_meta_t *meta);
static void ngx_http_artifact_entry_brief(
    ngx_http_artifact_entry_t *entry, art_meta_t *meta);


ngx_int_t
ngx_http_artifact_read_entry(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_fd_t folder, ngx_str_t *name)
{
    u_char                     *buf;
    art_str_t                   key;
    ngx_int_t                   rc;
    ngx_uint_t                  found;
    ngx_http_artifact_entry_t   entry;

    entry.ctx = ctx;

    ngx_artifact_metadata_init(&entry.document, r->connection->log,
                               folder, ctx->ref.workspace, name);
    entry.document.index.brief = !ctx->metadata;

    rc = ngx_http_artifact_entry_find(r, &entry, ctx->ref.path, ctx->ref.id,
                                      &found);

    if (rc == NGX_OK && !found
        && ngx_strlchr((u_char *) ctx->ref.path.data,
                       (u_char *) ctx->ref.path.data + ctx->ref.path.len,
                       '\\'))
    {
        buf = ngx_pnalloc(r->pool, ctx->ref.path.len);

        if (buf == NULL) {
            rc = NGX_ERROR;

        } else if (art_meta_other_key(ctx->ref.path, buf, &key)) {
            rc = ngx_http_artifact_entry_find(r, &entry, key, key, &found);
        }
    }

    ngx_artifact_metadata_close(&entry.document);

    return rc;
}


static ngx_int_t
ngx_http_artifact_entry_find(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry, art_str_t key, art_str_t more,
    ngx_uint_t *found)
{
    ngx_str_t  block;

    *found = 0;

    if (ngx_http_artifact_entry_block(r, entry, key, more, &block) != NGX_OK
        || ngx_http_artifact_entry_apply(r, entry, key, &block) != NGX_OK)
    {
        return NGX_ERROR;
    }

    *found = (block.data[0] == ART_META_OK);

    return *found ? ngx_http_artifact_use_meta(entry->ctx, &block) : NGX_OK;
}


/* What the document says, as a block: from the cache if it has that version */

static ngx_int_t
ngx_http_artifact_entry_block(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry, art_str_t key, art_str_t more,
    ngx_str_t *block)
{
    ngx_int_t                      rc;
    art_meta_t                     meta;
    ngx_uint_t                     type;
    ngx_file_info_t                info;
    art_meta_status_t              status;
    ngx_artifact_metadata_t       *document;
    ngx_http_artifact_cache_key_t  version;

    document = &entry->document;

    if (fstatat(document->folder, (char *) document->name->data, &info,
                AT_SYMLINK_NOFOLLOW)
        == -1)
    {
        if (ngx_errno != NGX_ENOENT && ngx_errno != NGX_ENAMETOOLONG) {
            ngx_log_error(NGX_LOG_WARN, r->connection->log, ngx_errno,
                          "artifact metadata \"%V\" cannot be read",
                          document->name);
        }

        return ngx_http_artifact_keep_meta(r, ART_META_ABSENT, NULL, block);
    }

    type = entry->ctx->metadata ? NGX_HTTP_ARTIFACT_CACHE_META
                                : NGX_HTTP_ARTIFACT_CACHE_BRIEF;

    ngx_http_artifact_cache_key(&version, type, &info);

    if (ngx_is_file(&info)) {
        rc = ngx_http_artifact_cache_get(r, &version, more, block);

        if (rc != NGX_DECLINED) {
            return rc;
        }
    }

    ngx_set_errno(0);

    status = ngx_http_artifact_entry_read(document, key, &meta);

    if (ngx_http_artifact_no_memory(status, &meta)) {
        return NGX_ERROR;
    }

    if (status == ART_META_OK) {
        ngx_http_artifact_entry_brief(entry, &meta);
    }

    if (ngx_http_artifact_keep_meta(r, status, &meta, block) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_artifact_cache_meta(r, &version, &document->info, more, block);

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_entry_apply(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry, art_str_t key, ngx_str_t *block)
{
    art_str_t            *journals;
    art_meta_t            meta;
    ngx_uint_t            i, changed;
    art_meta_status_t     status;
    art_journal_record_t  record;

    changed = 0;
    journals = entry->document.journals;

    for (i = 0; i < 2; i++) {
        changed |= art_journal_find(journals[i], key, &record);
    }

    if (!changed) {
        return NGX_OK;
    }

    ngx_memzero(&meta, sizeof(art_meta_t));

    status = (art_meta_status_t) block->data[0];

    if (status == ART_META_OK
        && art_meta_unpack(block->data + 1, block->len - 1, &meta) != ART_OK)
    {
        status = ART_META_ABSENT;
    }

    for (i = 0; i < 2; i++) {
        if (status == ART_META_CORRUPT) {
            status = ART_META_ABSENT;   /* a new document is begun */
        }

        status = art_journal_apply(journals[i], key, status, &meta);
    }

    if (status == ART_META_OK) {
        ngx_http_artifact_entry_brief(entry, &meta);
    }

    return ngx_http_artifact_keep_meta(r, status, &meta, block);
}


/* Only the metadata answer shows a file's history. */

static void
ngx_http_artifact_entry_brief(ngx_http_artifact_entry_t *entry,
    art_meta_t *meta)
{
    if (!entry->ctx->metadata) {
        meta->modified_by = art_str(NULL, 0);
        meta->extra = art_str(NULL, 0);
    }
}


/*
 * ART_META_CORRUPT also if it cannot be read: its information names no version
 * then.
 */

static art_meta_status_t
ngx_http_artifact_entry_read(ngx_artifact_metadata_t *document,
    art_str_t key, art_meta_t *meta)
{
    art_meta_status_t  status;

    /* open, if this is the second key to be looked for */

    if (document->fd == NGX_INVALID_FILE
        && ngx_artifact_metadata_open(document) != NGX_OK)
    {
        return ART_META_CORRUPT;
    }

    if (ngx_artifact_metadata_find(document, key, &status, meta)
        == NGX_OK)
    {
        return status;
    }

    status = ngx_http_artifact_entry_scan(document, key, meta);

    if (status == ART_META_CORRUPT) {
        ngx_artifact_metadata_corrupt(document);
    }

    return status;
}


static art_meta_status_t
ngx_http_artifact_entry_scan(ngx_artifact_metadata_t *document,
    art_str_t key, art_meta_t *meta)
{
    ngx_int_t          rc;
    ngx_str_t          text;
    art_meta_status_t  status;

    rc = ngx_artifact_metadata_load(document, &text);

    if (rc == NGX_ERROR) {
        ngx_memzero(&document->info, sizeof(ngx_file_info_t));
    }

    if (rc != NGX_OK) {
        return ART_META_CORRUPT;
    }

    status = art_meta_parse_key(ngx_artifact_str(&text), key,
                                document->index.brief, meta);

    ngx_artifact_metadata_unload(document, &text);

    return status;
}
