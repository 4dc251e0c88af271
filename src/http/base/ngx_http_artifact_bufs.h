
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The output of a filter or a handler that makes bytes: a bounded number of
 * buffers, one of which is filled while others are on their way to the client.
 */


#ifndef NGX_HTTP_ARTIFACT_BUFS_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_BUFS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>


typedef struct {
    ngx_chain_t    *out;             /* to be sent */
    ngx_chain_t   **last_out;
    ngx_chain_t    *free;
    ngx_chain_t    *busy;
    ngx_chain_t    *read;            /* input that the output is made of */
    ngx_buf_t      *buf;             /* being filled, or NULL */
    ngx_buf_t      *flushing;        /* a flush without bytes */
    ngx_uint_t      n;               /* of buffers allocated */
} ngx_http_artifact_bufs_t;


/* Initializes memory that is zeroed; allocates nothing yet. */

void ngx_http_artifact_bufs_init(ngx_http_artifact_bufs_t *bufs);


/*
 * Sets bufs->buf to an empty buffer of at least "size" bytes, a free one or a
 * new one of the pool.  NGX_DECLINED if "most" are on their way, NGX_ERROR when
 * out of memory.
 */

ngx_int_t ngx_http_artifact_bufs_get(ngx_pool_t *pool,
    ngx_http_artifact_bufs_t *bufs, ngx_uint_t most, size_t size);


/*
 * Appends a buffer to the output; bufs->buf becomes NULL if it was that one.
 * The second function appends a flush without bytes: one buffer serves all of
 * them, since it never changes, and without the tag it is never freed.
 * NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_bufs_put(ngx_pool_t *pool,
    ngx_http_artifact_bufs_t *bufs, ngx_buf_t *b);
ngx_int_t ngx_http_artifact_bufs_put_flush(ngx_pool_t *pool,
    ngx_http_artifact_bufs_t *bufs);


/*
 * Holds a link of the input, which has been read and taken off its chain, while
 * anything made of it is on its way: as with nginx's own filters the buffer
 * stays busy, or its owner would believe that nothing is left to be sent.  The
 * second function marks all of them as sent if nothing is on its way any more;
 * ngx_http_artifact_bufs_send() calls it, too.
 */

void ngx_http_artifact_bufs_keep(ngx_http_artifact_bufs_t *bufs,
    ngx_chain_t *cl);
void ngx_http_artifact_bufs_give_back(ngx_pool_t *pool,
    ngx_http_artifact_bufs_t *bufs);


/*
 * Passes the output on, or without any makes "output" go on with what is on its
 * way, and frees what was sent.  Returns what "output" returned.
 */

ngx_int_t ngx_http_artifact_bufs_send(ngx_http_request_t *r,
    ngx_http_artifact_bufs_t *bufs, ngx_http_output_body_filter_pt output);


#endif /* NGX_HTTP_ARTIFACT_BUFS_H_INCLUDED_ */
