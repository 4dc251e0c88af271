
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/compose/ngx_http_artifact_spool.h"


static ngx_int_t ngx_http_artifact_spool_open(
    ngx_http_artifact_spool_t *spool);
static ngx_int_t ngx_http_artifact_spool_write(
    ngx_http_artifact_spool_t *spool, u_char *data, size_t len);


void
ngx_http_artifact_spool_init(ngx_http_artifact_spool_t *spool,
    ngx_http_request_t *r)
{
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    ngx_memzero(spool, sizeof(ngx_http_artifact_spool_t));

    spool->request = r;
    spool->room = clcf->client_body_buffer_size;
}


ngx_int_t
ngx_http_artifact_spool_put(ngx_http_artifact_spool_t *spool,
    const u_char *data, size_t len)
{
    if (spool->buf == NULL) {
        spool->buf = ngx_palloc(spool->request->pool, spool->room);

        if (spool->buf == NULL) {
            return NGX_ERROR;
        }
    }

    spool->size += (off_t) len;

    if (len > spool->room - spool->len) {

        if (ngx_http_artifact_spool_write(spool, spool->buf, spool->len)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        spool->len = 0;
    }

    /* long pieces are written directly */

    if (len > spool->room) {
        return ngx_http_artifact_spool_write(spool, (u_char *) data, len);
    }

    if (len > 0) {
        ngx_memcpy(spool->buf + spool->len, data, len);
        spool->len += len;
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_spool_put_chain(ngx_http_artifact_spool_t *spool,
    ngx_chain_t *in)
{
    ngx_buf_t  *b;

    for ( /* void */ ; in; in = in->next) {

        b = in->buf;

        if (ngx_buf_in_memory(b)) {

            if (ngx_http_artifact_spool_put(spool, b->pos,
                                            (size_t) (b->last - b->pos))
                != NGX_OK)
            {
                return NGX_ERROR;
            }

            b->pos = b->last;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_spool_write(ngx_http_artifact_spool_t *spool, u_char *data,
    size_t len)
{
    ssize_t      n;
    ngx_buf_t    b;
    ngx_chain_t  out;

    if (len == 0) {
        return NGX_OK;
    }

    if (spool->file == NULL && ngx_http_artifact_spool_open(spool) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_memzero(&b, sizeof(ngx_buf_t));

    b.temporary = 1;
    b.pos = data;
    b.last = data + len;

    out.buf = &b;
    out.next = NULL;

    n = ngx_write_chain_to_temp_file(spool->file, &out);

    if (n == NGX_ERROR) {
        return NGX_ERROR;
    }

    spool->file->offset += n;

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_spool_open(ngx_http_artifact_spool_t *spool)
{
    ngx_temp_file_t           *tf;
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_get_module_loc_conf(spool->request, ngx_http_core_module);

    tf = ngx_pcalloc(spool->request->pool, sizeof(ngx_temp_file_t));
    if (tf == NULL) {
        return NGX_ERROR;
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, spool->request->connection->log, 0,
                   "http artifact spool: to a file after %uz bytes, \"%V\"",
                   spool->len, &spool->request->uri);

    tf->file.fd = NGX_INVALID_FILE;
    tf->file.log = spool->request->connection->log;
    tf->path = clcf->client_body_temp_path;
    tf->pool = spool->request->pool;

    spool->file = tf;

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_spool_end(ngx_http_artifact_spool_t *spool,
    ngx_chain_t **out)
{
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    *out = NULL;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, spool->request->connection->log, 0,
                   "http artifact spool: %O bytes, in a file:%d",
                   spool->size, spool->file != NULL);

    if (spool->size == 0) {
        return NGX_OK;
    }

    b = ngx_calloc_buf(spool->request->pool);
    cl = ngx_alloc_chain_link(spool->request->pool);

    if (b == NULL || cl == NULL) {
        return NGX_ERROR;
    }

    if (spool->file) {

        if (ngx_http_artifact_spool_write(spool, spool->buf, spool->len)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        (void) ngx_pfree(spool->request->pool, spool->buf);
        spool->buf = NULL;

        b->in_file = 1;
        b->file = &spool->file->file;
        b->file_last = spool->size;

    } else {
        b->temporary = 1;
        b->start = spool->buf;
        b->pos = spool->buf;
        b->last = spool->buf + spool->len;
        b->end = spool->buf + spool->room;
    }

    cl->buf = b;
    cl->next = NULL;
    *out = cl;

    return NGX_OK;
}


void
ngx_http_artifact_spool_release(ngx_http_artifact_spool_t *spool)
{
    ngx_pool_t  *pool;

    pool = spool->request->pool;

    if (spool->file && spool->file->file.fd != NGX_INVALID_FILE) {
        ngx_pool_run_cleanup_file(pool, spool->file->file.fd);
        spool->file->file.fd = NGX_INVALID_FILE;
    }

    if (spool->buf) {
        (void) ngx_pfree(pool, spool->buf);
    }

    ngx_http_artifact_spool_init(spool, spool->request);
}
