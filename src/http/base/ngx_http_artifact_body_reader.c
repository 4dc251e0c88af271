
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Bodies of requests, piece by piece, from memory or a file.
 */


#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_body_reader.h"
#include "store/disk/ngx_artifact_area.h"
#include "core/text/art_base64.h"


/*
 * After a failure, at most this much more of the body is read to keep the
 * connection, which is closed if there is even more.
 */

#define NGX_HTTP_ARTIFACT_DRAIN  (1024 * 1024)


static ssize_t ngx_http_artifact_body_encode(ngx_http_artifact_body_t *body,
    ngx_file_t *file, off_t pos, size_t size, u_char **data);
static ngx_int_t ngx_http_artifact_body_reader_next(
    ngx_http_artifact_body_reader_t *reader, ngx_http_request_t *r);
static void ngx_http_artifact_body_reader_used(
    ngx_http_artifact_body_reader_t *reader, ngx_http_request_t *r);


/* Its address is what counts. */

u_char  ngx_http_artifact_body_encoded;


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

    if (b->tag == ngx_http_artifact_body_base64) {
        n = ngx_http_artifact_body_encode(body, b->file, b->file_pos + from,
                                          size, data);
    } else {
        n = ngx_read_file(b->file, body->buf, ngx_min(size, body->room),
                          b->file_pos + from);
        *data = body->buf;
    }

    if (n <= 0) {

        if (n == 0) {
            ngx_log_error(NGX_LOG_CRIT, b->file->log, 0,
                          "request body file \"%V\" is too short: "
                          "no byte at %O of %O",
                          &b->file->name, b->file_pos + from, b->file_last);
        }

        return NGX_ERROR;
    }

    body->pos += n;

    return n;
}


/*
 * Reads at most "size" characters from "pos" on of a file's base64.  Bytes of
 * the file are read behind the room that their base64 needs; fewer than asked
 * for are its last ones.
 */

static ssize_t
ngx_http_artifact_body_encode(ngx_http_artifact_body_t *body,
    ngx_file_t *file, off_t pos, size_t size, u_char **data)
{
    size_t         skip, groups, len, made;
    u_char        *raw;
    ssize_t        n;
    art_base64_t   st;
    const uint8_t *src;

    skip = (size_t) (pos % 4);
    groups = ngx_min((skip + size + 3) / 4, body->room / 7);
    raw = body->buf + groups * 4;

    n = ngx_artifact_read_all(file->fd, raw, groups * 3, pos / 4 * 3);

    if (n == NGX_ERROR) {
        ngx_log_error(NGX_LOG_CRIT, file->log, ngx_errno,
                      "pread() of artifact \"%V\" failed", &file->name);
        return NGX_ERROR;
    }

    src = raw;
    len = (size_t) n;
    ngx_memzero(&st, sizeof(art_base64_t));

    made = art_base64_update(&st, body->buf, groups * 4, &src, &len);
    made += art_base64_final(&st, body->buf + made, groups * 4 - made);

    *data = body->buf + skip;

    return made <= skip ? 0 : (ssize_t) ngx_min(made - skip, size);
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
ngx_http_artifact_body_reader_start(ngx_http_artifact_body_reader_t *reader,
    ngx_http_request_t *r)
{
    ngx_int_t  rc;

    if (r->main->reading_body || r->main->discard_body) {
        ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                       "http artifact body: somebody else's, discarded:%d",
                       r->main->discard_body);

        ngx_http_artifact_own_body(r);
        r->main->keepalive = 0;

        return NGX_BUSY;
    }

    reader->own = (r == r->main && r->request_body == NULL);

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact body: own:%d", reader->own);

    if (reader->own) {
        ngx_http_artifact_own_body(r);
        r->request_body_no_buffering = 1;
    }

    rc = ngx_http_read_client_request_body(r, reader->run);

    return rc >= NGX_HTTP_SPECIAL_RESPONSE ? rc : NGX_DONE;
}


ngx_int_t
ngx_http_artifact_body_reader_run(ngx_http_artifact_body_reader_t *reader,
    ngx_http_request_t *r)
{
    ngx_int_t  rc;

    r->write_event_handler = reader->run;

    for ( ;; ) {
        rc = reader->feed(r, reader->data);

        if (rc != NGX_OK
            || reader->last || reader->drained > NGX_HTTP_ARTIFACT_DRAIN)
        {
            break;
        }

        rc = ngx_http_artifact_body_reader_next(reader, r);

        if (rc != NGX_OK) {
            break;
        }
    }

    if (rc == NGX_AGAIN) {
        return NGX_AGAIN;
    }

    ngx_http_artifact_body_reader_used(reader, r);

    r->read_event_handler = ngx_http_block_reading;
    r->write_event_handler = ngx_http_request_empty_handler;

    if (r->reading_body) {
        r->keepalive = 0;
    }

    return rc;
}


/* Reads the next piece: NGX_OK, NGX_AGAIN, NGX_ERROR, or a status. */

static ngx_int_t
ngx_http_artifact_body_reader_next(ngx_http_artifact_body_reader_t *reader,
    ngx_http_request_t *r)
{
    off_t      size;
    ngx_int_t  rc;

    ngx_http_artifact_body_reader_used(reader, r);

    if (r->reading_body) {

        r->read_event_handler = reader->run;

        rc = ngx_http_read_unbuffered_request_body(r);

        if (rc >= NGX_HTTP_SPECIAL_RESPONSE) {
            return rc;
        }
    }

    reader->in = r->request_body ? r->request_body->bufs : NULL;

    if (reader->in == NULL && r->reading_body) {
        return NGX_AGAIN;
    }

    if (reader->own && reader->in) {
        r->request_body->bufs = NULL;
    }

    reader->last = !r->reading_body;

    size = ngx_http_artifact_body_size(reader->in);

    reader->received += size;
    reader->drained += reader->failed ? size : 0;

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact body: %O bytes of %O, drained %O, last:%d",
                   size, reader->received, reader->drained, reader->last);

    /* what somebody else has read may be in a file */

    if (!reader->own && reader->most && reader->left.buf == NULL) {

        reader->left.buf = ngx_palloc(r->pool, reader->most);
        if (reader->left.buf == NULL) {
            return NGX_ERROR;
        }
    }

    ngx_http_artifact_body_init(&reader->left,
                                reader->failed ? NULL : reader->in,
                                reader->left.buf, reader->most);

    return NGX_OK;
}


/* Returns the buffers to nginx's reader of the body. */

static void
ngx_http_artifact_body_reader_used(ngx_http_artifact_body_reader_t *reader,
    ngx_http_request_t *r)
{
    ngx_chain_t  *cl, *next;

    for (cl = reader->own ? reader->in : NULL; cl; cl = next) {
        next = cl->next;

        cl->buf->pos = cl->buf->last;
        cl->buf->file_pos = cl->buf->file_last;

        ngx_free_chain(r->pool, cl);
    }

    reader->in = NULL;
}


void
ngx_http_artifact_body_reader_pause(ngx_http_artifact_body_reader_t *reader,
    ngx_http_request_t *r)
{
    ngx_log_debug0(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact body: not read for now");

    if (reader->own && r->connection->read->timer_set) {
        ngx_del_timer(r->connection->read);
    }

    r->read_event_handler = ngx_http_block_reading;
}
