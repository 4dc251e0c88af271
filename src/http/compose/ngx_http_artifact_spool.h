
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A body in the making: in memory while it is short, then in one file.
 */


#ifndef NGX_HTTP_ARTIFACT_SPOOL_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_SPOOL_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>


/*
 * In memory are at most "client_body_buffer_size" bytes, beyond which all of it
 * is in a file of "client_body_temp_path", from its offset 0: nginx sends a
 * body again, to the next peer of an upstream, only if it is one or the other.
 * The file goes with the request, or with ngx_http_artifact_spool_release().
 */

typedef struct {
    ngx_http_request_t  *request;
    ngx_temp_file_t     *file;           /* NULL as long as none is needed */
    u_char              *buf;
    size_t               len;            /* in the buffer */
    size_t               room;
    off_t                size;           /* of all */
} ngx_http_artifact_spool_t;


/* An empty one, in memory of the request.  Allocates nothing yet. */

void ngx_http_artifact_spool_init(ngx_http_artifact_spool_t *spool,
    ngx_http_request_t *r);


/*
 * Put bytes, the buffers of a chain, which are in memory and used up by it, or
 * bytes of a body behind what is there: NGX_ERROR when out of memory, or when
 * the file cannot be written, which is logged.
 */

ngx_int_t ngx_http_artifact_spool_put(ngx_http_artifact_spool_t *spool,
    const u_char *data, size_t len);
ngx_int_t ngx_http_artifact_spool_put_chain(ngx_http_artifact_spool_t *spool,
    ngx_chain_t *in);


/*
 * What is there, as the body of a request: a chain of one buffer, or of none if
 * it is empty.  Nothing may be put any more.  NGX_ERROR likewise.
 */

ngx_int_t ngx_http_artifact_spool_end(ngx_http_artifact_spool_t *spool,
    ngx_chain_t **out);


/* Gives back memory and file, before the request ends: nobody reads it. */

void ngx_http_artifact_spool_release(ngx_http_artifact_spool_t *spool);


#endif /* NGX_HTTP_ARTIFACT_SPOOL_H_INCLUDED_ */
