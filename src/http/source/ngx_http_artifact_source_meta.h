
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What reading "{id}.meta" and "{workspace}.meta.json" share.
 */


#ifndef NGX_HTTP_ARTIFACT_SIDECAR_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_SIDECAR_H_INCLUDED_


#include "http/base/ngx_http_artifact_context.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "core/meta/art_meta.h"


/*
 * Reads the sidecar "name" of an open folder into ctx->source->meta, which
 * stays empty if it is missing (NGX_DECLINED), unreadable or corrupt (NGX_OK,
 * too).  NGX_ERROR when out of memory.  The second one is for a workspace's
 * file, whose entry may be newer than the document, with NGX_OK also if it is
 * missing: NGX_AGAIN if a thread reads the document, which is large, before the
 * request's write event handler is called, and ngx_http_artifact_entry_again()
 * goes on, with the same results.
 */

ngx_int_t ngx_http_artifact_read_meta(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_fd_t folder, ngx_str_t *name);
ngx_int_t ngx_http_artifact_read_entry(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_fd_t folder, ngx_str_t *name);
ngx_int_t ngx_http_artifact_entry_again(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);


/*
 * Packs what a sidecar said into a block of the request's pool, and frees the
 * record; keeps a block in the shared zone, unless the file read ("info") is
 * another version than that of "key"; takes a block for ctx->source->meta.
 */

ngx_int_t ngx_http_artifact_keep_meta(ngx_http_request_t *r,
    art_meta_status_t status, art_meta_t *meta, ngx_str_t *block);
void ngx_http_artifact_cache_meta(ngx_http_request_t *r,
    ngx_http_artifact_cache_key_t *key, ngx_file_info_t *info,
    art_str_t more, ngx_str_t *block);
ngx_int_t ngx_http_artifact_use_meta(ngx_http_artifact_ctx_t *ctx,
    ngx_str_t *block);


/*
 * Whether memory was missing while a sidecar was read, which is no word about
 * it; *meta is freed then.  errno has to be 0 before.
 */

ngx_uint_t ngx_http_artifact_no_memory(art_meta_status_t status,
    art_meta_t *meta);


#endif /* NGX_HTTP_ARTIFACT_SIDECAR_H_INCLUDED_ */
