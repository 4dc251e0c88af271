
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Bodies of requests, piece by piece: a cursor in what nginx has read, and a
 * reader of bodies that are used while they come, in bounded memory.
 */


#ifndef NGX_HTTP_ARTIFACT_BODY_READER_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_BODY_READER_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>


/*
 * A cursor in a chain of buffers, which it does not change.  A buffer with the
 * tag below has characters of the padded base64 (RFC 4648, section 4) of a file
 * as a whole: "file_pos" and "file_last" count these.
 */

#define ngx_http_artifact_body_base64                                         \
    ((ngx_buf_tag_t) &ngx_http_artifact_body_encoded)

extern u_char  ngx_http_artifact_body_encoded;

typedef struct {
    ngx_chain_t  *cl;            /* NULL: after the last byte */
    off_t         begin;         /* of its buffer, in the body */
    off_t         pos;           /* in the body */
    u_char       *buf;           /* for bytes of a file */
    size_t        room;
} ngx_http_artifact_body_t;


/*
 * Starts at the first byte of a chain; "buf", of "room" bytes, is the caller's
 * memory for bytes of a file.
 */

void ngx_http_artifact_body_init(ngx_http_artifact_body_t *body,
    ngx_chain_t *cl, u_char *buf, size_t room);


/* The size of a whole chain in bytes. */

off_t ngx_http_artifact_body_size(ngx_chain_t *cl);


/*
 * Reads the next bytes, at most "most": sets *data to their position in memory,
 * or to the buffer, valid until the next call.  Returns their number, 0 at the
 * end, NGX_ERROR if the file cannot be read or is too short, which is logged.
 */

ssize_t ngx_http_artifact_body_read(ngx_http_artifact_body_t *body,
    size_t most, u_char **data);


/* Skips forward to an offset. */

void ngx_http_artifact_body_skip(ngx_http_artifact_body_t *body, off_t pos);


/*
 * The reader.  Its owner sets the first group of members, and the others to 0.
 *
 * "feed" is called before the first piece and with each one, and uses it up:
 * NGX_OK; NGX_AGAIN if it was not done, and the request's write event handler
 * will be called; or what the reader shall return.  It reads "left", or takes
 * "in" with all its buffers, which are nginx's again after the call that
 * returns NGX_OK.
 *
 * "run" is the owner's event handler.  It leaves when r->aio is set, else calls
 * ngx_http_artifact_body_reader_run().
 */

typedef ngx_int_t (*ngx_http_artifact_body_feed_pt)(ngx_http_request_t *r,
    void *data);

typedef struct {
    ngx_http_event_handler_pt        run;
    ngx_http_artifact_body_feed_pt   feed;
    void                            *data;     /* for "feed" */
    size_t                           most;     /* bytes that are read at a
                                                  time; 0: "left" is not used */

    ngx_chain_t                     *in;       /* the piece, may be NULL */
    ngx_http_artifact_body_t         left;     /* what of it is left */
    off_t                            received;
    off_t                            drained;  /* in pieces after a failure */
    unsigned                         own:1;    /* nobody has read it before */
    unsigned                         last:1;   /* nothing comes after "in" */
    unsigned                         failed:1; /* no more of it is needed */
} ngx_http_artifact_body_reader_t;


/*
 * Begins: NGX_DONE, and "run" has been or will be called; NGX_BUSY if another
 * handler has begun to read the body and has not finished, so that the
 * connection has to be closed; or a status of nginx's.
 */

ngx_int_t ngx_http_artifact_body_reader_start(
    ngx_http_artifact_body_reader_t *reader, ngx_http_request_t *r);


/*
 * Goes on: NGX_AGAIN, and "run" will be called again; NGX_OK at the end, or
 * when there was too much after a failure, so that the connection is closed;
 * what "feed" returned; a status of nginx's, or NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_body_reader_run(
    ngx_http_artifact_body_reader_t *reader, ngx_http_request_t *r);


/* Reads from "left" as ngx_http_artifact_body_read() does. */

static ngx_inline ssize_t
ngx_http_artifact_body_reader_read(ngx_http_artifact_body_reader_t *reader,
    u_char **data)
{
    return ngx_http_artifact_body_read(&reader->left, reader->most, data);
}


/* Whether nothing is left. */

static ngx_inline ngx_uint_t
ngx_http_artifact_body_reader_is_empty(
    ngx_http_artifact_body_reader_t *reader)
{
    ngx_http_artifact_body_skip(&reader->left, reader->left.pos);

    return reader->left.cl == NULL;
}


/*
 * No more of the body is needed.  Some of it is read and dropped, since a
 * client that cannot send all of it may not read the answer.
 */

static ngx_inline void
ngx_http_artifact_body_reader_fail(ngx_http_artifact_body_reader_t *reader)
{
    reader->failed = 1;
    reader->left.cl = NULL;
}


/*
 * Nothing is read from the client until the reader runs again, and that does
 * not count as the client's time.
 */

void ngx_http_artifact_body_reader_pause(
    ngx_http_artifact_body_reader_t *reader, ngx_http_request_t *r);


#endif /* NGX_HTTP_ARTIFACT_BODY_READER_H_INCLUDED_ */
