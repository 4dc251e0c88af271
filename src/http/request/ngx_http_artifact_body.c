
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/request/ngx_http_artifact_body.h"
#include "http/base/ngx_http_artifact_util.h"


static ngx_int_t ngx_http_artifact_body_headers(ngx_http_request_t *r,
    ngx_str_t *length);


/* What would not be true of another body; its length is told anew. */

static const char *const  ngx_http_artifact_body_told[] = {
    "Content-Length", "Transfer-Encoding", "Content-Encoding", "Content-MD5",
    "Content-Digest", "Digest", "Repr-Digest", NULL
};


void
ngx_http_artifact_body_init(ngx_http_artifact_body_t *body, ngx_chain_t *cl,
    u_char *buf, size_t room)
{
    body->cl = cl;
    body->begin = 0;
    body->pos = 0;
    body->buf = buf;
    body->room = room;
}


off_t
ngx_http_artifact_body_size(ngx_chain_t *cl)
{
    off_t  size;

    size = 0;

    for ( /* void */ ; cl; cl = cl->next) {
        size += ngx_buf_size(cl->buf);
    }

    return size;
}


ssize_t
ngx_http_artifact_body_read(ngx_http_artifact_body_t *body, size_t most,
    u_char **data)
{
    off_t       from, left;
    size_t      size;
    ssize_t     n;
    ngx_buf_t  *b;

    ngx_http_artifact_body_skip(body, body->pos);

    if (body->cl == NULL) {
        return 0;
    }

    b = body->cl->buf;
    from = body->pos - body->begin;
    left = ngx_buf_size(b) - from;
    size = (size_t) ngx_min(left, (off_t) most);

    if (ngx_buf_in_memory(b)) {
        *data = b->pos + from;
        body->pos += (off_t) size;

        return (ssize_t) size;
    }

    size = ngx_min(size, body->room);
    n = ngx_read_file(b->file, body->buf, size, b->file_pos + from);

    if (n <= 0) {

        if (n == 0) {
            ngx_log_error(NGX_LOG_CRIT, b->file->log, 0,
                          "request body file \"%V\" is too short",
                          &b->file->name);
        }

        return NGX_ERROR;
    }

    *data = body->buf;
    body->pos += n;

    return n;
}


void
ngx_http_artifact_body_skip(ngx_http_artifact_body_t *body, off_t pos)
{
    off_t  size;

    body->pos = pos;

    while (body->cl) {
        size = ngx_buf_size(body->cl->buf);

        if (pos < body->begin + size) {
            return;
        }

        body->begin += size;
        body->cl = body->cl->next;
    }
}


ngx_int_t
ngx_http_artifact_body_replace(ngx_http_request_t *r,
    ngx_http_artifact_spool_t *spool)
{
    ngx_str_t                 length;
    ngx_chain_t              *cl;
    ngx_http_request_body_t  *rb;

    rb = r->request_body;

    length.data = ngx_pnalloc(r->pool, NGX_OFF_T_LEN);

    if (length.data == NULL
        || ngx_http_artifact_spool_end(spool, &cl) != NGX_OK)
    {
        return NGX_ERROR;
    }

    length.len = (size_t) (ngx_sprintf(length.data, "%O", spool->size)
                           - length.data);

    if (ngx_http_artifact_body_headers(r, &length) != NGX_OK) {
        return NGX_ERROR;
    }

    rb->bufs = cl;
    rb->buf = NULL;
    rb->temp_file = spool->file;

    r->headers_in.content_length_n = spool->size;
    r->headers_in.chunked = 0;
    r->headers_in.transfer_encoding = NULL;

    return NGX_OK;
}


/* A proxy passes on what is in the list. */

static ngx_int_t
ngx_http_artifact_body_headers(ngx_http_request_t *r, ngx_str_t *length)
{
    ngx_table_elt_t  *h;

    if (ngx_http_artifact_take_headers(r->pool, &r->headers_in.headers,
                                       ngx_http_artifact_body_told, NULL)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    h = ngx_list_push(&r->headers_in.headers);
    if (h == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(h, sizeof(ngx_table_elt_t));

    ngx_str_set(&h->key, "Content-Length");
    h->lowcase_key = (u_char *) "content-length";
    h->hash = ngx_hash_key(h->lowcase_key, h->key.len);
    h->value = *length;

    r->headers_in.content_length = h;

    return NGX_OK;
}
