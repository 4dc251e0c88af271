
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Bodies written to a spool, in memory while they are short, then in one file.
 */


#ifndef NGX_HTTP_ARTIFACT_SPOOL_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_SPOOL_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>


/*
 * At most "client_body_buffer_size" bytes are in memory.  A longer body is in a
 * file of "client_body_temp_path" as a whole, from offset 0: nginx can send a
 * body again, to the next peer of an upstream, only if it is in one piece.  The
 * file is closed with the request, or by ngx_http_artifact_spool_release().
 */

typedef struct {
    ngx_http_request_t  *request;
    ngx_temp_file_t     *file;           /* NULL while memory is enough */
    u_char              *buf;
    size_t               len;            /* in the buffer */
    size_t               room;
    off_t                size;           /* in memory and file */
} ngx_http_artifact_spool_t;


/* Initializes an empty spool of the request; allocates nothing yet. */

void ngx_http_artifact_spool_init(ngx_http_artifact_spool_t *spool,
    ngx_http_request_t *r);


/*
 * Append bytes, or the buffers of a chain, which must be in memory and are used
 * up.  NGX_ERROR when out of memory, or when the file cannot be written, which
 * is logged.
 */

ngx_int_t ngx_http_artifact_spool_put(ngx_http_artifact_spool_t *spool,
    const u_char *data, size_t len);
ngx_int_t ngx_http_artifact_spool_put_chain(ngx_http_artifact_spool_t *spool,
    ngx_chain_t *in);


/*
 * Returns the content as the body of a request: a chain of one buffer, NULL if
 * it is empty.  Nothing may be appended any more.  NGX_ERROR as above.
 */

ngx_int_t ngx_http_artifact_spool_end(ngx_http_artifact_spool_t *spool,
    ngx_chain_t **out);


/* Frees memory and file before the request ends; the spool is empty again. */

void ngx_http_artifact_spool_release(ngx_http_artifact_spool_t *spool);


#endif /* NGX_HTTP_ARTIFACT_SPOOL_H_INCLUDED_ */
