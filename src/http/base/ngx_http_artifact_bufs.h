
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Output of a filter or a handler that makes bytes: a bounded number of
 * buffers, one of which is filled while others are on their way to the client.
 */


#ifndef NGX_HTTP_ARTIFACT_BUFS_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_BUFS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>


typedef struct {
    ngx_chain_t    *out;             /* to be handed over */
    ngx_chain_t   **last_out;
    ngx_chain_t    *free;
    ngx_chain_t    *busy;
    ngx_chain_t    *read;            /* input that they are made of */
    ngx_buf_t      *buf;             /* being filled, or NULL */
    ngx_buf_t      *flushing;        /* a flush without bytes */
    ngx_uint_t      n;               /* that there are */
} ngx_http_artifact_bufs_t;


/* Empty ones, in memory that is zero; nothing is allocated yet. */

void ngx_http_artifact_bufs_init(ngx_http_artifact_bufs_t *bufs);


/*
 * Sets bufs->buf to an empty buffer of at least "size" bytes, one that has come
 * back or a new one of the pool: NGX_DECLINED if "most" are on their way,
 * NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_bufs_get(ngx_pool_t *pool,
    ngx_http_artifact_bufs_t *bufs, ngx_uint_t most, size_t size);


/*
 * Puts a buffer at the end of what is to be handed over; bufs->buf is NULL then
 * if it was that one.  The second one puts a flush without bytes: one buffer
 * does for all, it is never changed, and without the tag it never comes back.
 * NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_bufs_put(ngx_pool_t *pool,
    ngx_http_artifact_bufs_t *bufs, ngx_buf_t *b);
ngx_int_t ngx_http_artifact_bufs_put_flush(ngx_pool_t *pool,
    ngx_http_artifact_bufs_t *bufs);


/*
 * Keeps a link of the input, which has been read and is taken off its chain,
 * while anything made of it is on its way: as with nginx's own filters the
 * buffer stays busy, or its owner would believe that nothing is left to be
 * sent.  The second one marks all of them as sent if nothing is on its way any
 * more; it is called when what is handed over has been sent.
 */

void ngx_http_artifact_bufs_keep(ngx_http_artifact_bufs_t *bufs,
    ngx_chain_t *cl);
void ngx_http_artifact_bufs_give_back(ngx_pool_t *pool,
    ngx_http_artifact_bufs_t *bufs);


/*
 * Hands over what was put, or without any pushes on what is on its way, and
 * takes back what was sent.  Returns what "output" said.
 */

ngx_int_t ngx_http_artifact_bufs_send(ngx_http_request_t *r,
    ngx_http_artifact_bufs_t *bufs, ngx_http_output_body_filter_pt output);


#endif /* NGX_HTTP_ARTIFACT_BUFS_H_INCLUDED_ */
