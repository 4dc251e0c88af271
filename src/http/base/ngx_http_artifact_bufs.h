
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The output of a filter or a handler that produces bytes: a bounded number of
 * buffers, one of which is filled while others are being sent to the client.
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


/* Initializes zeroed memory; allocates nothing yet. */

void ngx_http_artifact_bufs_init(ngx_http_artifact_bufs_t *bufs);


/*
 * Sets bufs->buf to an empty buffer of at least "size" bytes, a free one or a
 * new one of the pool.  NGX_DECLINED if "most" are busy, NGX_ERROR when out of
 * memory.
 */

ngx_int_t ngx_http_artifact_bufs_get(ngx_pool_t *pool,
    ngx_http_artifact_bufs_t *bufs, ngx_uint_t most, size_t size);


/*
 * Appends a buffer to the output; if it was bufs->buf, that becomes NULL.  The
 * second function appends a flush without bytes: one buffer serves all of them,
 * since it never changes, and without the tag it is never freed.  NGX_ERROR
 * when out of memory.
 */

ngx_int_t ngx_http_artifact_bufs_put(ngx_pool_t *pool,
    ngx_http_artifact_bufs_t *bufs, ngx_buf_t *b);
ngx_int_t ngx_http_artifact_bufs_put_flush(ngx_pool_t *pool,
    ngx_http_artifact_bufs_t *bufs);


/*
 * Holds a link of the input, which has been read and removed from its chain,
 * until all output made of it is sent: as with nginx's own filters the buffer
 * stays busy, or its owner would assume that nothing is left to be sent.  The
 * second function marks all of them as sent if no output is left;
 * ngx_http_artifact_bufs_send() also calls it.
 */

void ngx_http_artifact_bufs_keep(ngx_http_artifact_bufs_t *bufs,
    ngx_chain_t *cl);
void ngx_http_artifact_bufs_give_back(ngx_pool_t *pool,
    ngx_http_artifact_bufs_t *bufs);


/*
 * Passes the output on, or if there is none makes "output" continue with busy
 * buffers, and frees what was sent.  Returns what "output" returned.
 */

ngx_int_t ngx_http_artifact_bufs_send(ngx_http_request_t *r,
    ngx_http_artifact_bufs_t *bufs, ngx_http_output_body_filter_pt output);


#endif /* NGX_HTTP_ARTIFACT_BUFS_H_INCLUDED_ */
