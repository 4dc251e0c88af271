
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The bytes of a request body that nginx has read, in memory or in a file.
 */


#ifndef NGX_HTTP_ARTIFACT_BODY_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_BODY_H_INCLUDED_


#include "http/compose/ngx_http_artifact_spool.h"


/* A place in a chain of buffers, which stay as they are. */

typedef struct {
    ngx_chain_t  *cl;            /* NULL: behind the last byte */
    off_t         begin;         /* of its buffer, in the body */
    off_t         pos;           /* in the body */
    u_char       *buf;           /* for bytes of a file */
    size_t        room;
} ngx_http_artifact_body_t;


/*
 * The beginning of a chain; "buf", "room" bytes, is the caller's, for what is
 * in a file.
 */

void ngx_http_artifact_body_init(ngx_http_artifact_body_t *body,
    ngx_chain_t *cl, u_char *buf, size_t room);


/* All bytes of a chain. */

off_t ngx_http_artifact_body_size(ngx_chain_t *cl);


/*
 * The next bytes, at most "most" of them, where they are in memory, or read
 * into the buffer, until the next call: their number, 0 at the end, NGX_ERROR
 * if the file cannot be read, or is shorter than it was, which is logged.
 */

ssize_t ngx_http_artifact_body_read(ngx_http_artifact_body_t *body,
    size_t most, u_char **data);


/* Goes to an offset that is not before the current one. */

void ngx_http_artifact_body_skip(ngx_http_artifact_body_t *body, off_t pos);


/*
 * Makes what was spooled the request's body, for whoever sends it on: with its
 * length, not coded, in no chunks, and without digests of what it was.  So say
 * the variables of nginx, too, but for $request_body, which stays.  The file of
 * the old body is closed.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_body_replace(ngx_http_request_t *r,
    ngx_http_artifact_spool_t *spool);


#endif /* NGX_HTTP_ARTIFACT_BODY_H_INCLUDED_ */
