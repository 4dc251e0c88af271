
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The metadata of one workspace file: its entry in "{workspace}.meta.json",
 * found by the index where there is one, and what the journals say since.
 */


#include "ngx_http_artifact_sidecar.h"
#include "ngx_http_artifact_journal.h"


/* Larger documents without an index are taken for corrupt: they are read. */

#define NGX_HTTP_ARTIFACT_DOCUMENT_MAX  (16 * 1024 * 1024)


typedef struct {
    ngx_http_artifact_ctx_t     *ctx;
    ngx_fd_t                     folder;
    ngx_str_t                   *name;       /* of the document */
    ngx_http_artifact_text_t     journals[2];  /* the older one first */
} ngx_http_artifact_entry_t;


static void ngx_http_artifact_entry_journals(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry);
static void ngx_http_artifact_entry_journal(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry, const char *suffix,
    ngx_http_artifact_text_t *text);
static ngx_int_t ngx_http_artifact_entry_find(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry, art_str_t key, art_str_t more,
    ngx_uint_t *found);
static ngx_int_t ngx_http_artifact_entry_block(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry, art_str_t key, art_str_t more,
    ngx_str_t *block);
static ngx_int_t ngx_http_artifact_entry_apply(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry, art_str_t key, ngx_str_t *block);
static art_meta_status_t ngx_http_artifact_entry_read(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry, art_str_t key, art_meta_t *meta,
    ngx_file_info_t *info);
static art_meta_status_t ngx_http_artifact_entry_scan(ngx_fd_t document,
    ngx_file_info_t *info, art_str_t key, art_meta_t *meta);
static void ngx_http_artifact_entry_brief(
    ngx_http_artifact_entry_t *entry, art_meta_t *meta);


ngx_int_t
ngx_http_artifact_read_entry(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_fd_t folder, ngx_str_t *name)
{
    u_char                      *buf;
    art_str_t                    key;
    ngx_int_t                    rc;
    ngx_uint_t                   found;
    ngx_http_artifact_entry_t    entry;

    ngx_memzero(&entry, sizeof(ngx_http_artifact_entry_t));

    entry.ctx = ctx;
    entry.folder = folder;
    entry.name = name;

    /* before the document: what is not in them any more is in it */

    ngx_http_artifact_entry_journals(r, &entry);

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

    ngx_http_artifact_journal_free(&entry.journals[0]);
    ngx_http_artifact_journal_free(&entry.journals[1]);

    return rc;
}


/* Records move from the one to the other: read in their direction. */

static void
ngx_http_artifact_entry_journals(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry)
{
    ngx_http_artifact_text_t  *older, *newer;

    older = &entry->journals[0];
    newer = &entry->journals[1];

    ngx_http_artifact_entry_journal(r, entry, NGX_HTTP_ARTIFACT_JOURNAL,
                                    newer);
    ngx_http_artifact_entry_journal(r, entry, NGX_HTTP_ARTIFACT_FOLDING,
                                    older);

    if (older->ino == newer->ino) {
        ngx_http_artifact_journal_free(newer);
    }
}


static void
ngx_http_artifact_entry_journal(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry, const char *suffix,
    ngx_http_artifact_text_t *text)
{
    char             name[sizeof(NGX_HTTP_ARTIFACT_SERVICE)
                          + NGX_HTTP_ARTIFACT_JOURNAL_NAME];
    ngx_file_info_t  info;

    ngx_memcpy(name, NGX_HTTP_ARTIFACT_SERVICE "/",
               sizeof(NGX_HTTP_ARTIFACT_SERVICE));

    ngx_http_artifact_journal_name(name + sizeof(NGX_HTTP_ARTIFACT_SERVICE),
                                   entry->ctx->ref.workspace, suffix);

    /* most have nothing but their first record */

    if (fstatat(entry->folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0
        && info.st_size <= ART_JOURNAL_HEAD)
    {
        return;
    }

    if (ngx_http_artifact_journal_load(entry->folder, name, text) != NGX_OK
        && ngx_errno != NGX_ENOENT && ngx_errno != NGX_ENOTDIR
        && ngx_errno != NGX_ENAMETOOLONG)
    {
        ngx_log_error(NGX_LOG_WARN, r->connection->log, ngx_errno,
                      "artifact journal of \"%V\" cannot be read",
                      entry->name);
    }
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
    ngx_int_t                       rc;
    art_meta_t                      meta;
    ngx_uint_t                      type;
    ngx_file_info_t                 info;
    art_meta_status_t               status;
    ngx_http_artifact_cache_key_t   version;

    if (fstatat(entry->folder, (char *) entry->name->data, &info,
                AT_SYMLINK_NOFOLLOW)
        == -1)
    {
        if (ngx_errno != NGX_ENOENT && ngx_errno != NGX_ENAMETOOLONG) {
            ngx_log_error(NGX_LOG_WARN, r->connection->log, ngx_errno,
                          "artifact metadata \"%V\" cannot be read",
                          entry->name);
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

    status = ngx_http_artifact_entry_read(r, entry, key, &meta, &info);

    if (status == ART_META_OK) {
        ngx_http_artifact_entry_brief(entry, &meta);
    }

    if (ngx_http_artifact_keep_meta(r, status, &meta, block) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_artifact_cache_meta(r, &version, &info, more, block);

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_entry_apply(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry, art_str_t key, ngx_str_t *block)
{
    art_str_t             journal;
    art_meta_t            meta;
    ngx_uint_t            i, changed;
    art_meta_status_t     status;
    art_journal_record_t  record;

    changed = 0;

    for (i = 0; i < 2; i++) {
        journal = art_str(entry->journals[i].data, entry->journals[i].len);
        changed |= art_journal_find(journal, key, &record);
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
        journal = art_str(entry->journals[i].data, entry->journals[i].len);

        if (status == ART_META_CORRUPT) {
            status = ART_META_ABSENT;   /* a new document is begun */
        }

        status = art_journal_apply(journal, key, status, &meta);
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


/* ART_META_CORRUPT also if it cannot be read: "info" names no version then. */

static art_meta_status_t
ngx_http_artifact_entry_read(ngx_http_request_t *r,
    ngx_http_artifact_entry_t *entry, art_str_t key, art_meta_t *meta,
    ngx_file_info_t *info)
{
    ngx_fd_t           document, service;
    ngx_int_t          rc;
    art_meta_status_t  status;

    document = ngx_http_artifact_openat(entry->folder,
                                        (char *) entry->name->data, O_RDONLY,
                                        1);

    if (document == NGX_INVALID_FILE) {
        ngx_log_error(NGX_LOG_WARN, r->connection->log, ngx_errno,
                      "artifact metadata \"%V\" cannot be opened",
                      entry->name);

        ngx_memzero(info, sizeof(ngx_file_info_t));
        return ART_META_CORRUPT;
    }

    service = openat(entry->folder, NGX_HTTP_ARTIFACT_SERVICE,
                     O_PATH|O_DIRECTORY|O_NOFOLLOW|O_CLOEXEC);

    rc = NGX_DECLINED;

    if (ngx_fd_info(document, info) == NGX_FILE_ERROR || !ngx_is_file(info)) {
        ngx_memzero(info, sizeof(ngx_file_info_t));

    } else if (service != NGX_INVALID_FILE) {
        rc = ngx_http_artifact_index_find(service, document, info,
                                          entry->ctx->ref.workspace, key,
                                          &status, meta);
    }

    if (rc == NGX_DECLINED) {
        status = ngx_http_artifact_entry_scan(document, info, key, meta);

        if (status == ART_META_CORRUPT) {
            ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                          "artifact metadata \"%V\" is corrupt, too large, "
                          "or not a file", entry->name);
        }
    }

    (void) ngx_close_file(document);

    if (service != NGX_INVALID_FILE) {
        (void) ngx_close_file(service);
    }

    return status;
}


/* Searches the document, in memory that leaves no traces in the heap. */

static art_meta_status_t
ngx_http_artifact_entry_scan(ngx_fd_t document, ngx_file_info_t *info,
    art_str_t key, art_meta_t *meta)
{
    size_t              size, len;
    ssize_t             n;
    u_char             *text;
    art_meta_status_t   status;

    size = (size_t) ngx_file_size(info);

    if (size == 0 || size > NGX_HTTP_ARTIFACT_DOCUMENT_MAX) {
        return ART_META_CORRUPT;
    }

    text = mmap(NULL, size, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS,
                -1, 0);

    if (text == MAP_FAILED) {
        ngx_memzero(info, sizeof(ngx_file_info_t));
        return ART_META_CORRUPT;
    }

    for (len = 0; len < size; len += (size_t) n) {

        n = pread(document, text + len, size - len, (off_t) len);

        if (n == -1 && ngx_errno == NGX_EINTR) {
            n = 0;
            continue;
        }

        if (n <= 0) {
            break;
        }
    }

    status = art_meta_parse_key(art_str(text, len), key, meta);

    (void) munmap(text, size);

    return status;
}
