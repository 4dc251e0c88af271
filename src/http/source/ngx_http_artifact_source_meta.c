
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Reading sidecars: "{id}.meta", and what those share with the metadata of
 * workspaces.
 */


#include "http/source/ngx_http_artifact_source_meta.h"
#include "http/source/ngx_http_artifact_source.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/metadata/ngx_artifact_metadata.h"
#include "core/meta/art_meta.h"


static ngx_int_t ngx_http_artifact_parse_meta(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_fd_t folder, ngx_str_t *name,
    ngx_http_artifact_cache_key_t *key);


/*
 * Metadata that is missing, unreadable or corrupt is as good as
 * none; the version of the sidecar that was parsed once is in the cache.
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
            ngx_log_error(NGX_LOG_WARN, r->connection->log, ngx_errno,
                          "artifact metadata \"%V\" cannot be read", name);
        }

        return NGX_DECLINED;
    }

    ngx_http_artifact_cache_key(&key, NGX_HTTP_ARTIFACT_CACHE_META, &info);

    if (ngx_is_file(&info)) {
        rc = ngx_http_artifact_cache_get(r, &key, ctx->ref.id, &block);

        if (rc == NGX_OK) {
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

    if (ngx_artifact_load_sidecar(r->connection->log, folder, name, &info,
                                  &text)
        != NGX_OK)
    {
        return ngx_errno == NGX_ENOMEM ? NGX_ERROR : NGX_OK;
    }

    ngx_set_errno(0);

    status = art_meta_parse(ngx_artifact_str(&text), &meta);

    ngx_free(text.data);

    if (ngx_http_artifact_no_memory(status, &meta)) {
        return NGX_ERROR;
    }

    if (status == ART_META_CORRUPT) {
        ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                      "artifact metadata \"%V\" is corrupt", name);
    }

    if (ngx_http_artifact_keep_meta(r, status, &meta, &block) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_artifact_cache_meta(r, key, &info, ctx->ref.id, &block);

    return ngx_http_artifact_use_meta(ctx, &block);
}


/*
 * malloc() has told so in errno, and what was read must not be kept, corrupt or
 * not: jansson leaves out a character for which it has no room.
 */

ngx_uint_t
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


/* The block is one byte of status and the packed record. */

ngx_int_t
ngx_http_artifact_keep_meta(ngx_http_request_t *r, art_meta_status_t status,
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


/* What was read may be newer than what was looked at before. */

void
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


ngx_int_t
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
