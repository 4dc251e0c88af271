
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Reading a request's body into a file piece by piece: at most one buffer is in
 * memory, and nothing is read while it is being written.
 */


#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_task.h"
#include "http/write/ngx_http_artifact_write.h"
#include "store/write/ngx_artifact_write_steps.h"


/*
 * After a failure, at most so much more of the body is read to keep the
 * connection; if there is even more, the connection is closed.
 */

#define NGX_HTTP_ARTIFACT_DRAIN  (1024 * 1024)


static ngx_int_t ngx_http_artifact_upload_failed(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write, ngx_int_t status);
static void ngx_http_artifact_upload_begin(ngx_http_request_t *r);
static void ngx_http_artifact_upload_run(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_upload_read(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);
static off_t ngx_http_artifact_upload_length(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);
static void ngx_http_artifact_upload_used(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);
static void ngx_http_artifact_upload_end(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);


ngx_int_t
ngx_http_artifact_upload(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write)
{
    ngx_int_t  rc;

    if (r->main->reading_body || r->main->discard_body) {

        /* another handler has begun to read it and has not finished */

        ngx_http_artifact_own_body(r);
        r->main->keepalive = 0;

        (void) ngx_artifact_write_fail(&write->job, ART_ERR_BODY,
                                       "another handler reads the body");

        return ngx_http_artifact_write_answer(r, write);
    }

    write->own = (r == r->main && r->request_body == NULL);

    if (write->own) {
        ngx_http_artifact_own_body(r);
        r->request_body_no_buffering = 1;
    }

    rc = ngx_http_read_client_request_body(r, ngx_http_artifact_upload_begin);

    return rc >= NGX_HTTP_SPECIAL_RESPONSE
           ? ngx_http_artifact_upload_failed(r, write, rc) : NGX_DONE;
}


/* Answers an error of nginx's body reader, as JSON if it has a code. */

static ngx_int_t
ngx_http_artifact_upload_failed(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write, ngx_int_t status)
{
    art_error_t  error;

    error = art_error_of_http((unsigned) status);

    if (error == ART_ERR_MAX) {
        return status;
    }

    r->keepalive = 0;

    (void) ngx_artifact_write_fail(&write->job, error, NULL);

    return ngx_http_artifact_write_answer(r, write);
}


static void
ngx_http_artifact_upload_begin(ngx_http_request_t *r)
{
    r->write_event_handler = ngx_http_artifact_upload_run;

    ngx_http_artifact_upload_run(r);
}


/* Reads and writes in turn; entered again by events and by threads. */

static void
ngx_http_artifact_upload_run(ngx_http_request_t *r)
{
    ngx_int_t                   rc;
    ngx_http_artifact_ctx_t    *ctx;
    ngx_http_artifact_write_t  *write;

    if (r->aio) {
        return;
    }

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);
    write = ctx->write;

    for ( ;; ) {

        if (write->running) {
            write->running = 0;
            ngx_http_artifact_upload_used(r, write);
        }

        if (write->job.last
            || (write->job.error != ART_ERR_MAX
                && write->drained > NGX_HTTP_ARTIFACT_DRAIN))
        {
            ngx_http_artifact_upload_end(r, write);
            return;
        }

        rc = ngx_http_artifact_upload_read(r, write);

        if (rc >= NGX_HTTP_SPECIAL_RESPONSE) {
            r->write_event_handler = ngx_http_request_empty_handler;
            ngx_http_finalize_request(r,
                              ngx_http_artifact_upload_failed(r, write, rc));
            return;
        }

        if (rc == NGX_AGAIN) {
            return;
        }

        write->running = 1;

        if (write->job.error != ART_ERR_MAX) {
            continue;
        }

        /* do not blame the client for a slow disk */

        if (write->own && r->connection->read->timer_set) {
            ngx_del_timer(r->connection->read);
        }

        r->read_event_handler = ngx_http_block_reading;

        if (ngx_http_artifact_request_task(r, &write->task,
                                           ngx_artifact_write_step,
                                           &write->job)
            == NGX_AGAIN)
        {
            return;
        }
    }
}


/* Reads the next piece into job->in; sets job->last with the last one. */

static ngx_int_t
ngx_http_artifact_upload_read(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write)
{
    off_t         size;
    ngx_int_t     rc;
    ngx_chain_t  *cl;

    if (r->reading_body) {

        r->read_event_handler = ngx_http_artifact_upload_run;

        rc = ngx_http_read_unbuffered_request_body(r);

        if (rc >= NGX_HTTP_SPECIAL_RESPONSE) {
            return rc;
        }
    }

    write->job.last = !r->reading_body;
    write->job.in = r->request_body ? r->request_body->bufs : NULL;

    size = 0;

    for (cl = write->job.in; cl; cl = cl->next) {
        size += ngx_buf_size(cl->buf);
    }

    write->received += size;
    write->drained += write->job.error != ART_ERR_MAX ? size : 0;

    if (write->own && write->job.in) {
        r->request_body->bufs = NULL;
    }

    if (write->job.last) {
        r->read_event_handler = ngx_http_block_reading;
        write->job.length = ngx_http_artifact_upload_length(r, write);
    }

    return write->job.in || write->job.last ? NGX_OK : NGX_AGAIN;
}


/*
 * The size of the body, as it was announced or as nginx has counted it; -1 if
 * it is not known.  Another handler may have dropped or used some of the body
 * before a redirect: then the rest is not what the client has sent.
 */

static off_t
ngx_http_artifact_upload_length(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write)
{
    ngx_table_elt_t          *header;
    ngx_http_request_body_t  *rb;

    rb = r->request_body;
    header = r->headers_in.content_length;

    if (header) {
        return ngx_atoof(header->value.data, header->value.len);
    }

    if (rb == NULL) {
        return -1;
    }

    if (write->own) {
        return rb->rest == 0 ? write->received : -1;
    }

    /* dropped chunks are neither counted nor saved */

    return r->headers_in.content_length_n > 0 || rb->last_saved
           ? r->headers_in.content_length_n : -1;
}


/* Gives the buffers back to nginx's reader of the body. */

static void
ngx_http_artifact_upload_used(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write)
{
    ngx_chain_t  *cl, *next;

    for (cl = write->own ? write->job.in : NULL; cl; cl = next) {
        next = cl->next;

        cl->buf->pos = cl->buf->last;
        cl->buf->file_pos = cl->buf->file_last;

        ngx_free_chain(r->pool, cl);
    }

    write->job.in = NULL;
}


static void
ngx_http_artifact_upload_end(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write)
{
    r->write_event_handler = ngx_http_request_empty_handler;

    if (r->reading_body) {
        r->keepalive = 0;
    }

    ngx_http_finalize_request(r, ngx_http_artifact_write_answer(r, write));
}
