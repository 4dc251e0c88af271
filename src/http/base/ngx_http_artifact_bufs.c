
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/base/ngx_http_artifact.h"
#include "http/base/ngx_http_artifact_bufs.h"


void
ngx_http_artifact_bufs_init(ngx_http_artifact_bufs_t *bufs)
{
    bufs->last_out = &bufs->out;
}


ngx_int_t
ngx_http_artifact_bufs_get(ngx_pool_t *pool, ngx_http_artifact_bufs_t *bufs,
    ngx_uint_t most, size_t size)
{
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    if (bufs->free) {
        cl = bufs->free;
        bufs->free = cl->next;
        b = cl->buf;

        ngx_free_chain(pool, cl);

        if ((size_t) (b->end - b->start) >= size) {
            b->flush = 0;
            bufs->buf = b;

            return NGX_OK;
        }

        (void) ngx_pfree(pool, b->start);
        bufs->n--;
    }

    if (bufs->n == most) {
        return NGX_DECLINED;
    }

    b = ngx_create_temp_buf(pool, size);
    if (b == NULL) {
        return NGX_ERROR;
    }

    /* "recycled" keeps the writer from waiting for more before it sends */

    b->tag = (ngx_buf_tag_t) &ngx_artifact_module;
    b->recycled = 1;

    bufs->buf = b;
    bufs->n++;

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_bufs_put(ngx_pool_t *pool, ngx_http_artifact_bufs_t *bufs,
    ngx_buf_t *b)
{
    ngx_chain_t  *cl;

    cl = ngx_alloc_chain_link(pool);
    if (cl == NULL) {
        return NGX_ERROR;
    }

    cl->buf = b;
    cl->next = NULL;

    *bufs->last_out = cl;
    bufs->last_out = &cl->next;

    if (b == bufs->buf) {
        bufs->buf = NULL;
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_bufs_put_flush(ngx_pool_t *pool,
    ngx_http_artifact_bufs_t *bufs)
{
    if (bufs->flushing == NULL) {

        bufs->flushing = ngx_calloc_buf(pool);
        if (bufs->flushing == NULL) {
            return NGX_ERROR;
        }

        bufs->flushing->flush = 1;
    }

    return ngx_http_artifact_bufs_put(pool, bufs, bufs->flushing);
}


void
ngx_http_artifact_bufs_keep(ngx_http_artifact_bufs_t *bufs, ngx_chain_t *cl)
{
    cl->next = bufs->read;
    bufs->read = cl;
}


void
ngx_http_artifact_bufs_give_back(ngx_pool_t *pool,
    ngx_http_artifact_bufs_t *bufs)
{
    ngx_chain_t  *cl;

    while (bufs->read && bufs->out == NULL && bufs->busy == NULL) {
        cl = bufs->read;
        bufs->read = cl->next;

        cl->buf->pos = cl->buf->last;
        cl->buf->file_pos = cl->buf->file_last;

        ngx_free_chain(pool, cl);
    }
}


ngx_int_t
ngx_http_artifact_bufs_send(ngx_http_request_t *r,
    ngx_http_artifact_bufs_t *bufs, ngx_http_output_body_filter_pt output)
{
    ngx_int_t  rc;

    rc = output(r, bufs->out);

    if (rc != NGX_ERROR) {
        ngx_chain_update_chains(r->pool, &bufs->free, &bufs->busy, &bufs->out,
                                (ngx_buf_tag_t) &ngx_artifact_module);
        bufs->last_out = &bufs->out;

        ngx_http_artifact_bufs_give_back(r->pool, bufs);
    }

    return rc;
}
