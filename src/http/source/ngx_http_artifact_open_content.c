
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A content that stays open: the descriptor with its sidecar and the evidence
 * of its first bytes, in one allocation that its users count.
 */


#include "http/source/ngx_http_artifact_open_content.h"
#include "core/meta/art_meta.h"


/* Larger sidecars are not kept with their content: this bounds the memory. */

#define NGX_HTTP_ARTIFACT_KEPT_META_MAX  4096

/* The same for what stands around it, and for a whole answer, of each key. */

#define NGX_HTTP_ARTIFACT_ENDS_MAX   4096
#define NGX_HTTP_ARTIFACT_WHOLE_MAX  8192


static u_char *ngx_http_artifact_open_content_strings(
    ngx_http_artifact_open_content_t *opened,
    ngx_http_artifact_source_t *source);
static ngx_http_artifact_memo_t *ngx_http_artifact_memo_place(
    ngx_http_artifact_source_t *source, ngx_http_artifact_memo_key_t *key);


ngx_http_artifact_open_content_t *
ngx_http_artifact_open_content_create(ngx_http_artifact_source_t *source,
    ngx_err_t err, ngx_uint_t bound)
{
    u_char                            *p;
    size_t                             len, meta;
    ngx_http_artifact_open_content_t  *opened;

    meta = art_meta_packed_size(&source->meta);

    if (meta > NGX_HTTP_ARTIFACT_KEPT_META_MAX) {
        return NULL;
    }

    len = source->id.len + source->name.len + source->last_name.len
          + source->file.name.len + 1;

    opened = ngx_alloc(sizeof(ngx_http_artifact_open_content_t) + len + meta,
                       ngx_cycle->log);
    if (opened == NULL) {
        return NULL;
    }

    ngx_memzero(opened, sizeof(ngx_http_artifact_open_content_t));

    opened->count = 1;
    opened->err = err;
    opened->bound = bound;
    opened->source = *source;

    p = ngx_http_artifact_open_content_strings(opened, source);

    (void) art_meta_pack(&source->meta, p, meta);

    if (art_meta_unpack(p, meta, &opened->source.meta) != ART_OK) {
        ngx_free(opened);
        return NULL;
    }

    if (err == 0) {

        /* the descriptor is the object's now, and the request a user of it */

        opened->count++;

        source->opened = opened;
        source->cleanup->handler = ngx_http_artifact_open_content_release;
        source->cleanup->data = opened;
    }

    return opened;
}


/* Copies what the source's strings point to; returns the end of the copies. */

static u_char *
ngx_http_artifact_open_content_strings(ngx_http_artifact_open_content_t *opened,
    ngx_http_artifact_source_t *source)
{
    u_char                      *p;
    ngx_http_artifact_source_t  *copy;

    copy = &opened->source;
    p = opened->data;

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


ngx_int_t
ngx_http_artifact_open_content_use(ngx_http_request_t *r,
    ngx_http_artifact_open_content_t *opened,
    ngx_http_artifact_source_t *source)
{
    ngx_pool_cleanup_t  *cln;

    cln = ngx_pool_cleanup_add(r->pool, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_http_artifact_open_content_release;
    cln->data = opened;

    opened->count++;

    *source = opened->source;

    source->opened = opened;
    source->cleanup = cln;
    source->file.log = r->connection->log;

    return NGX_OK;
}


void
ngx_http_artifact_open_content_release(void *data)
{
    ngx_http_artifact_open_content_t  *opened = data;

    ngx_uint_t  i;

    if (--opened->count > 0) {
        return;
    }

    for (i = 0; i < NGX_HTTP_ARTIFACT_MEMOS; i++) {
        if (opened->memos[i].ends) {
            ngx_free(opened->memos[i].ends);
        }

        if (opened->memos[i].whole) {
            ngx_free(opened->memos[i].whole);
        }
    }

    if (opened->err == 0
        && ngx_close_file(opened->source.file.fd) == NGX_FILE_ERROR)
    {
        ngx_log_error(NGX_LOG_ALERT, ngx_cycle->log, ngx_errno,
                      ngx_close_file_n " \"%V\" failed",
                      &opened->source.file.name);
    }

    ngx_free(opened);
}


ngx_int_t
ngx_http_artifact_open_content_evidence(ngx_http_artifact_source_t *source,
    art_evidence_t *evidence)
{
    if (source->opened == NULL || !source->opened->known) {
        return NGX_DECLINED;
    }

    *evidence = source->opened->evidence;

    return NGX_OK;
}


void
ngx_http_artifact_open_content_learn(ngx_http_artifact_source_t *source,
    art_evidence_t *evidence)
{
    if (source->opened) {
        source->opened->evidence = *evidence;
        source->opened->known = 1;
    }
}


ngx_uint_t
ngx_http_artifact_open_content_readable(ngx_http_artifact_source_t *source)
{
    u_char  buf[1];

    if (source->opened && source->opened->readable) {
        return 1;
    }

    if (ngx_read_file(&source->file, buf, 1, 0) == NGX_ERROR) {
        return 0;
    }

    if (source->opened) {
        source->opened->readable = 1;
    }

    return 1;
}


art_render_memo_t *
ngx_http_artifact_open_content_memo(ngx_http_artifact_source_t *source,
    ngx_http_artifact_memo_key_t *key)
{
    ngx_http_artifact_memo_t  *memo;

    memo = ngx_http_artifact_memo_place(source, key);

    if (memo == NULL) {
        return NULL;
    }

    return memo->whole ? memo->whole : memo->ends;
}


void
ngx_http_artifact_open_content_remember(ngx_http_artifact_source_t *source,
    ngx_http_artifact_memo_key_t *key, const art_render_t *render)
{
    size_t                     size;
    ngx_http_artifact_memo_t  *memo;

    size = art_render_memo_size(render);

    if (size == 0 || size > NGX_HTTP_ARTIFACT_ENDS_MAX) {
        return;
    }

    memo = ngx_http_artifact_memo_place(source, key);

    if (memo == NULL || memo->ends) {
        return;
    }

    memo->ends = ngx_alloc(size, ngx_cycle->log);
    if (memo->ends == NULL) {
        return;
    }

    art_render_memo_make(render, memo->ends);

    memo->key = *key;
}


void
ngx_http_artifact_open_content_keep(ngx_http_artifact_source_t *source,
    ngx_http_artifact_memo_key_t *key, const art_render_t *render,
    u_char *answer, size_t len)
{
    ngx_http_artifact_memo_t  *memo;

    if (ART_RENDER_CACHED_SIZE(len) > NGX_HTTP_ARTIFACT_WHOLE_MAX) {
        return;
    }

    memo = ngx_http_artifact_memo_place(source, key);

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


/* The place that has the key, else the first free one. */

static ngx_http_artifact_memo_t *
ngx_http_artifact_memo_place(ngx_http_artifact_source_t *source,
    ngx_http_artifact_memo_key_t *key)
{
    ngx_uint_t                     i;
    ngx_http_artifact_memo_t      *memo;
    ngx_http_artifact_memo_key_t  *other;

    if (source->opened == NULL) {
        return NULL;
    }

    for (i = 0; i < NGX_HTTP_ARTIFACT_MEMOS; i++) {
        memo = &source->opened->memos[i];
        other = &memo->key;

        if ((memo->ends == NULL && memo->whole == NULL)
            || (other->conf == key->conf && other->format == key->format
                && other->service == key->service
                && other->caps == key->caps))
        {
            return memo;
        }
    }

    return NULL;
}
