
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * An upload: its form is read as it comes, and the bytes of its file are
 * written from nginx's own buffers, without a copy, to the temporary file of a
 * new artifact.  For threads they are collected, since it takes longer to wake
 * one than to write such a buffer.  Only when the whole form was read and is
 * valid, the artifact is published.
 */


#include "http/files/ngx_http_artifact_files.h"
#include "http/files/ngx_http_artifact_files_state.h"
#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_origin.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/compose/ngx_http_artifact_spool.h"
#include "http/source/ngx_http_artifact_classify.h"
#include "http/write/ngx_http_artifact_write.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/write/ngx_artifact_write.h"
#include "core/files/art_upload.h"
#include "core/json/art_json_put.h"
#include "core/media/art_classify.h"
#include "core/meta/art_meta.h"


/*
 * After a failure, at most this much more of the body is read to keep the
 * connection, which is closed if there is even more.
 */

#define NGX_HTTP_ARTIFACT_FILES_DRAIN  (1024 * 1024)

/* Bytes of the body that are read at a time, at most. */

#define NGX_HTTP_ARTIFACT_FILES_SLICE  65536

/*
 * Bytes collected for a thread, and the room that has to be left for a slice,
 * and for what seemed to be a delimiter before it.
 */

#define NGX_HTTP_ARTIFACT_FILES_BUFFER  (256 * 1024)
#define NGX_HTTP_ARTIFACT_FILES_SPACE                                         \
    (NGX_HTTP_ARTIFACT_FILES_SLICE + ART_MULTIPART_DELIMITER)

/*
 * Runs of bytes that are written at a time: one for each buffer of the body,
 * with those that seemed to be a delimiter up to three.
 */

#define NGX_HTTP_ARTIFACT_FILES_RUNS   64
#define NGX_HTTP_ARTIFACT_FILES_ROOM   4


/* About 24 KB, 256 KB more with threads, 64 KB if the body is in a file. */

struct ngx_http_artifact_files_upload_s {
    ngx_http_request_t         *request;
    ngx_http_artifact_files_t  *files;
    ngx_http_artifact_write_t  *write;
    ngx_http_artifact_body_t    body;        /* what was read and is left */
    u_char                     *slice;       /* for bytes of a file */
    off_t                       received;
    off_t                       drained;     /* bytes after a failure */
    ngx_buf_t                  *buffer;      /* for a thread, or NULL */
    ngx_uint_t                  nruns;
    ngx_buf_t                   runs[NGX_HTTP_ARTIFACT_FILES_RUNS];
    ngx_chain_t                 links[NGX_HTTP_ARTIFACT_FILES_RUNS];
    size_t                      nhead;       /* first bytes of the file */
    u_char                      head[ART_SNIFF_MAX];
    unsigned                    own:1;       /* this module reads the body */
    unsigned                    reading:1;   /* more of it may come */
    unsigned                    taken:1;     /* nginx's buffers are */
    unsigned                    failed:1;    /* no more of it is needed */
    unsigned                    running:1;   /* a step of the job runs */
    art_upload_t                form;        /* the largest part */
};


static ngx_http_artifact_files_upload_t *ngx_http_artifact_files_upload_create(
    ngx_http_request_t *r, ngx_http_artifact_files_t *files);
static ngx_int_t ngx_http_artifact_files_upload_check(ngx_http_request_t *r,
    ngx_http_artifact_files_upload_t *up, ngx_int_t *rc);
static ngx_int_t ngx_http_artifact_files_upload_busy(ngx_http_request_t *r,
    ngx_http_artifact_files_upload_t *up);
static ngx_int_t ngx_http_artifact_files_upload_status(ngx_http_request_t *r,
    ngx_http_artifact_files_upload_t *up, ngx_int_t status);
static void ngx_http_artifact_files_upload_begin(ngx_http_request_t *r);
static void ngx_http_artifact_files_upload_run(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_files_upload_piece(ngx_http_request_t *r,
    ngx_http_artifact_files_upload_t *up);
static ngx_int_t ngx_http_artifact_files_upload_feed(ngx_http_request_t *r,
    ngx_http_artifact_files_upload_t *up);
static void ngx_http_artifact_files_upload_take(
    ngx_http_artifact_files_upload_t *up, u_char *p, size_t n);
static int ngx_http_artifact_files_upload_bytes(void *data, const uint8_t *p,
    size_t len);
static ngx_uint_t ngx_http_artifact_files_upload_full(
    ngx_http_artifact_files_upload_t *up);
static void ngx_http_artifact_files_upload_empty(
    ngx_http_artifact_files_upload_t *up);
static ngx_int_t ngx_http_artifact_files_upload_write(ngx_http_request_t *r,
    ngx_http_artifact_files_upload_t *up);
static void ngx_http_artifact_files_upload_used(ngx_http_request_t *r,
    ngx_http_artifact_files_upload_t *up);
static ngx_int_t ngx_http_artifact_files_upload_end(ngx_http_request_t *r,
    ngx_http_artifact_files_upload_t *up);
static ngx_int_t ngx_http_artifact_files_upload_type(ngx_http_request_t *r,
    ngx_http_artifact_files_upload_t *up);
static ngx_int_t ngx_http_artifact_files_upload_name(ngx_http_request_t *r,
    ngx_http_artifact_files_upload_t *up);
static void ngx_http_artifact_files_upload_written(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_files_upload_answer(ngx_http_request_t *r,
    ngx_http_artifact_files_upload_t *up);


ngx_int_t
ngx_http_artifact_files_upload(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files)
{
    ngx_int_t                          rc;
    ngx_http_artifact_files_upload_t  *up;

    /* a subrequest has the body of its parent */

    if (r != r->main) {
        return ngx_http_artifact_files_error(r, files->ctx, ART_ERR_METHOD);
    }

    /* any page may send a form to any server */

    rc = ngx_http_artifact_check_request_origin(r, files->ctx->conf);

    if (rc == NGX_DECLINED) {
        return ngx_http_artifact_files_error(r, files->ctx,
                                             ART_ERR_PERMISSION);
    }

    if (rc != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    up = ngx_http_artifact_files_upload_create(r, files);
    if (up == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ngx_http_artifact_files_upload_check(r, up, &rc) != NGX_OK) {
        return rc;
    }

    if (r->reading_body || r->discard_body) {
        return ngx_http_artifact_files_upload_busy(r, up);
    }

    up->own = (r->request_body == NULL);
    up->reading = 1;

    if (up->own) {
        ngx_http_artifact_own_body(r);
        r->request_body_no_buffering = 1;
    }

    rc = ngx_http_read_client_request_body(r,
                                         ngx_http_artifact_files_upload_begin);

    return rc >= NGX_HTTP_SPECIAL_RESPONSE
           ? ngx_http_artifact_files_upload_status(r, up, rc) : NGX_DONE;
}


static ngx_http_artifact_files_upload_t *
ngx_http_artifact_files_upload_create(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files)
{
    ngx_http_artifact_files_upload_t  *up;

    up = ngx_palloc(r->pool, sizeof(ngx_http_artifact_files_upload_t));
    if (up == NULL) {
        return NULL;
    }

    /* art_upload_init() does the rest */

    ngx_memzero(up, offsetof(ngx_http_artifact_files_upload_t, form));

    up->request = r;
    up->files = files;
    up->write = ngx_http_artifact_write_create(r, files->ctx);

    files->upload = up;

    return up->write ? up : NULL;
}


/*
 * What the header decides; NGX_DECLINED if it was answered: *rc is what the
 * content handler returns.
 */

static ngx_int_t
ngx_http_artifact_files_upload_check(ngx_http_request_t *r,
    ngx_http_artifact_files_upload_t *up, ngx_int_t *rc)
{
    art_str_t                   type;
    art_file_error_t            error;
    ngx_artifact_write_job_t   *job;
    ngx_http_artifact_files_t  *files;

    files = up->files;
    job = &up->write->job;
    type = r->headers_in.content_type
           ? ngx_artifact_str(&r->headers_in.content_type->value)
           : art_str(NULL, 0);

    if (art_upload_init(&up->form, type, ngx_http_artifact_files_upload_bytes,
                        up)
        != ART_OK)
    {
        *rc = ngx_http_artifact_files_refuse(r, files, &up->form.error);
        return NGX_DECLINED;
    }

    if (ngx_http_artifact_is_encoded(&r->headers_in.headers)) {
        ngx_memzero(&error, sizeof(art_file_error_t));

        error.reason = ART_FILE_BODY;
        error.detail = art_cstr("it has a Content-Encoding");

        *rc = ngx_http_artifact_files_refuse(r, files, &error);
        return NGX_DECLINED;
    }

    if (ngx_http_artifact_write_place(r, up->write) != NGX_OK) {
        *rc = job->error == ART_ERR_MAX
              ? NGX_HTTP_INTERNAL_SERVER_ERROR
              : ngx_http_artifact_files_upload_answer(r, up);
        return NGX_DECLINED;
    }

    if (ngx_http_artifact_task_pool(r)) {

        up->buffer = ngx_create_temp_buf(r->pool,
                                         NGX_HTTP_ARTIFACT_FILES_BUFFER);
        if (up->buffer == NULL) {
            *rc = NGX_HTTP_INTERNAL_SERVER_ERROR;
            return NGX_DECLINED;
        }

        up->links[0].buf = up->buffer;
    }

    job->artifact = 1;
    ngx_artifact_uuid(job->id);

    return NGX_OK;
}


/* Another handler has begun to read the body and has not finished. */

static ngx_int_t
ngx_http_artifact_files_upload_busy(ngx_http_request_t *r,
    ngx_http_artifact_files_upload_t *up)
{
    ngx_http_artifact_own_body(r);
    r->keepalive = 0;

    (void) ngx_artifact_write_fail(&up->write->job, ART_ERR_BODY,
                                   "another handler reads the body");

    return ngx_http_artifact_files_upload_answer(r, up);
}


/* An error of nginx's body reader; for a client that has left, the status. */

static ngx_int_t
ngx_http_artifact_files_upload_status(ngx_http_request_t *r,
    ngx_http_artifact_files_upload_t *up, ngx_int_t status)
{
    art_error_t  error;

    error = art_error_of_http((unsigned) status);

    if (error == ART_ERR_MAX) {
        return status;
    }

    r->keepalive = 0;

    (void) ngx_artifact_write_fail(&up->write->job, error, NULL);

    return ngx_http_artifact_files_upload_answer(r, up);
}


static void
ngx_http_artifact_files_upload_begin(ngx_http_request_t *r)
{
    r->write_event_handler = ngx_http_artifact_files_upload_run;

    ngx_http_artifact_files_upload_run(r);
}


/* Reads the body piece by piece; called again by events and by threads. */

static void
ngx_http_artifact_files_upload_run(ngx_http_request_t *r)
{
    ngx_int_t                          rc;
    ngx_http_artifact_ctx_t           *ctx;
    ngx_http_artifact_files_upload_t  *up;

    if (r->aio) {
        return;
    }

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);
    up = ctx->files->upload;

    do {
        rc = ngx_http_artifact_files_upload_feed(r, up);

        if (rc != NGX_OK || !up->reading) {
            break;
        }

        rc = ngx_http_artifact_files_upload_piece(r, up);

    } while (rc == NGX_OK);

    if (rc == NGX_AGAIN) {
        return;
    }

    r->write_event_handler = ngx_http_request_empty_handler;

    if (rc == NGX_OK) {
        rc = ngx_http_artifact_files_upload_end(r, up);

    } else if (rc >= NGX_HTTP_SPECIAL_RESPONSE) {
        rc = ngx_http_artifact_files_upload_status(r, up, rc);
    }

    ngx_http_artifact_files_finish(r, rc);
}


/*
 * Reads the next piece of the body from the client: NGX_OK, NGX_AGAIN, or a
 * status of nginx's.
 */

static ngx_int_t
ngx_http_artifact_files_upload_piece(ngx_http_request_t *r,
    ngx_http_artifact_files_upload_t *up)
{
    ngx_int_t     rc;
    ngx_chain_t  *in;

    ngx_http_artifact_files_upload_used(r, up);

    if (r->reading_body) {

        r->read_event_handler = ngx_http_artifact_files_upload_run;

        rc = ngx_http_read_unbuffered_request_body(r);

        if (rc >= NGX_HTTP_SPECIAL_RESPONSE) {
            return rc;
        }
    }

    in = r->request_body ? r->request_body->bufs : NULL;

    if (in == NULL && r->reading_body) {
        return NGX_AGAIN;
    }

    up->reading = r->reading_body;
    up->taken = (in != NULL);

    if (!up->own && up->slice == NULL) {

        /* it may be in a file */

        up->slice = ngx_palloc(r->pool, NGX_HTTP_ARTIFACT_FILES_SLICE);
        if (up->slice == NULL) {
            return NGX_ERROR;
        }
    }

    ngx_http_artifact_body_init(&up->body, in, up->slice,
                                NGX_HTTP_ARTIFACT_FILES_SLICE);

    return NGX_OK;
}


/*
 * Reads and writes what has come of the body: NGX_OK, also if nothing more is
 * needed, or NGX_AGAIN if it is called again later.
 */

static ngx_int_t
ngx_http_artifact_files_upload_feed(ngx_http_request_t *r,
    ngx_http_artifact_files_upload_t *up)
{
    u_char   *p;
    ssize_t   n;

    if (up->running) {
        up->running = 0;
        ngx_http_artifact_files_upload_empty(up);
    }

    for ( ;; ) {

        if (ngx_http_artifact_turn_is_over(&up->files->turn)) {
            r->read_event_handler = ngx_http_block_reading;
            ngx_http_artifact_turn_end(&up->files->turn, r);
            return NGX_AGAIN;
        }

        n = 1;

        while (n > 0 && !ngx_http_artifact_files_upload_full(up)) {
            n = ngx_http_artifact_body_read(&up->body,
                                            NGX_HTTP_ARTIFACT_FILES_SLICE, &p);

            if (n > 0) {
                ngx_http_artifact_files_upload_take(up, p, (size_t) n);
            }

            /* the next slice takes the place of this one */

            if (up->slice && !up->buffer) {
                break;
            }
        }

        if (n == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (up->drained > NGX_HTTP_ARTIFACT_FILES_DRAIN) {
            up->reading = 0;
            return NGX_OK;
        }

        if (up->buffer ? ngx_http_artifact_files_upload_full(up) : up->nruns)
        {
            if (ngx_http_artifact_files_upload_write(r, up) == NGX_AGAIN) {
                return NGX_AGAIN;
            }

        } else if (n == 0) {
            return NGX_OK;
        }
    }
}


static void
ngx_http_artifact_files_upload_take(ngx_http_artifact_files_upload_t *up,
    u_char *p, size_t n)
{
    up->received += (off_t) n;

    if (!up->failed && up->write->job.error == ART_ERR_MAX) {
        up->failed = art_upload_feed(&up->form, p, n) != ART_OK;
        return;
    }

    up->failed = 1;
    up->drained += (off_t) n;
}


/* The bytes stay where they are until they are written. */

static int
ngx_http_artifact_files_upload_bytes(void *data, const uint8_t *p, size_t len)
{
    ngx_http_artifact_files_upload_t *up = data;

    size_t        n;
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    n = ngx_min(len, sizeof(up->head) - up->nhead);

    if (n > 0) {
        ngx_memcpy(up->head + up->nhead, p, n);
        up->nhead += n;
    }

    if (up->buffer) {
        up->buffer->last = ngx_cpymem(up->buffer->last, p, len);
        return ART_OK;
    }

    b = up->nruns ? &up->runs[up->nruns - 1] : NULL;

    if (b && b->last == p) {
        b->last += len;
        return ART_OK;
    }

    if (up->nruns == NGX_HTTP_ARTIFACT_FILES_RUNS) {
        ngx_log_error(NGX_LOG_ALERT, up->request->connection->log, 0,
                      "no room for %uz bytes of an upload", len);
        return ART_ERROR;
    }

    b = &up->runs[up->nruns];
    cl = &up->links[up->nruns];

    ngx_memzero(b, sizeof(ngx_buf_t));

    b->memory = 1;
    b->pos = (u_char *) p;
    b->last = b->pos + len;

    cl->buf = b;
    cl->next = NULL;

    if (up->nruns > 0) {
        up->links[up->nruns - 1].next = cl;
    }

    up->nruns++;

    return ART_OK;
}


/* Whether no more should be read before what there is was written. */

static ngx_uint_t
ngx_http_artifact_files_upload_full(ngx_http_artifact_files_upload_t *up)
{
    return up->buffer
           ? up->buffer->end - up->buffer->last < NGX_HTTP_ARTIFACT_FILES_SPACE
           : up->nruns + NGX_HTTP_ARTIFACT_FILES_ROOM
             > NGX_HTTP_ARTIFACT_FILES_RUNS;
}


static void
ngx_http_artifact_files_upload_empty(ngx_http_artifact_files_upload_t *up)
{
    up->nruns = 0;

    if (up->buffer) {
        up->buffer->last = up->buffer->pos;
    }
}


/* NGX_OK, or NGX_AGAIN while a thread writes. */

static ngx_int_t
ngx_http_artifact_files_upload_write(ngx_http_request_t *r,
    ngx_http_artifact_files_upload_t *up)
{
    ngx_artifact_write_job_t  *job;

    job = &up->write->job;

    if (up->failed || job->error != ART_ERR_MAX) {
        ngx_http_artifact_files_upload_empty(up);
        return NGX_OK;
    }

    job->in = up->links;

    /* a slow disk must not count as a slow client */

    if (up->own && r->connection->read->timer_set) {
        ngx_del_timer(r->connection->read);
    }

    r->read_event_handler = ngx_http_block_reading;

    if (ngx_http_artifact_request_task(r, &up->write->task,
                                       ngx_artifact_write_step, job)
        == NGX_AGAIN)
    {
        up->running = 1;
        return NGX_AGAIN;
    }

    ngx_http_artifact_files_upload_empty(up);

    return NGX_OK;
}


/* Returns the buffers to nginx's reader of the body. */

static void
ngx_http_artifact_files_upload_used(ngx_http_request_t *r,
    ngx_http_artifact_files_upload_t *up)
{
    ngx_chain_t  *cl, *next;

    if (!up->own || !up->taken) {
        return;
    }

    up->taken = 0;

    for (cl = r->request_body->bufs; cl; cl = next) {
        next = cl->next;

        cl->buf->pos = cl->buf->last;
        cl->buf->file_pos = cl->buf->file_last;

        ngx_free_chain(r->pool, cl);
    }

    r->request_body->bufs = NULL;
}


/* The body was read: what it has makes a file, or an error. */

static ngx_int_t
ngx_http_artifact_files_upload_end(ngx_http_request_t *r,
    ngx_http_artifact_files_upload_t *up)
{
    uint64_t                   lifetime;
    ngx_artifact_write_job_t  *job;

    job = &up->write->job;

    ngx_http_artifact_files_upload_used(r, up);

    if (r->reading_body) {
        r->keepalive = 0;
    }

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact files: %O bytes of a form, %uL of a file, "
                   "failed:%d drained %O", up->received, up->form.size,
                   up->failed, up->drained);

    if (job->error != ART_ERR_MAX) {
        return ngx_http_artifact_files_upload_answer(r, up);
    }

    if (up->failed || art_upload_end(&up->form) != ART_OK) {

        ngx_artifact_write_close(job);

        return up->form.error.reason == ART_FILE_SOUND
               ? NGX_HTTP_INTERNAL_SERVER_ERROR
               : ngx_http_artifact_files_refuse(r, up->files,
                                                &up->form.error);
    }

    if (ngx_http_artifact_files_upload_type(r, up) != NGX_OK
        || ngx_http_artifact_files_upload_name(r, up) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_artifact_write_artifact(up->write);

    job->in = up->buffer ? up->links : NULL;
    job->length = (off_t) up->form.size;

    lifetime = up->form.lifetime * 1000;

    if (lifetime && (job->lifetime == 0 || lifetime < job->lifetime)) {
        job->lifetime = lifetime;
    }

    /* what was begun is done even if the client leaves */

    r->read_event_handler = ngx_http_block_reading;
    r->write_event_handler = ngx_http_artifact_files_upload_written;

    if (ngx_http_artifact_request_task(r, &up->write->task,
                                       ngx_artifact_write_finish, job)
        == NGX_AGAIN)
    {
        return NGX_DONE;
    }

    r->write_event_handler = ngx_http_request_empty_handler;

    return ngx_http_artifact_files_upload_answer(r, up);
}


/* What was declared, unless that says nothing: then what the bytes are. */

static ngx_int_t
ngx_http_artifact_files_upload_type(ngx_http_request_t *r,
    ngx_http_artifact_files_upload_t *up)
{
    u_char          *p;
    art_meta_t       meta;
    art_claims_t     claims;
    art_verdict_t    verdict;
    art_evidence_t   evidence;

    ngx_memzero(&meta, sizeof(art_meta_t));

    if (art_meta_type_valid(up->form.type)) {
        meta.type = up->form.type;
    }

    meta.name = up->form.name;

    ngx_memzero(&claims, sizeof(art_claims_t));
    claims.declared[0] = meta.type;

    if (art_classify(&claims, NULL, &verdict) == ART_OK) {
        up->write->job.mime = meta.type;
        return NGX_OK;
    }

    ngx_http_artifact_claims(r, &meta, up->form.name, &claims);

    art_sniff(up->head, up->nhead, up->form.size == up->nhead, &evidence);

    if (art_classify_wants_magic(&claims, &evidence)) {
        ngx_http_artifact_ask_magic(r, up->head, up->nhead, &evidence);
    }

    (void) art_classify(&claims, &evidence, &verdict);

    p = ngx_pnalloc(r->pool, verdict.type.len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(p, verdict.type.buf, verdict.type.len);
    up->write->job.mime = art_str(p, verdict.type.len);

    return NGX_OK;
}


/* The name, one made of the type if there is none, and the purpose. */

static ngx_int_t
ngx_http_artifact_files_upload_name(ngx_http_request_t *r,
    ngx_http_artifact_files_upload_t *up)
{
    art_out_t                  out;
    art_str_t                  purpose;
    art_json_put_t             put;
    ngx_artifact_write_job_t  *job;

    job = &up->write->job;
    job->path = up->form.name;

    if (job->path.len == 0) {
        ngx_memzero(&out, sizeof(art_out_t));

        do {
            art_file_unnamed(&out, job->mime);
        } while (ngx_http_artifact_print_again(r->pool, &out));

        if (out.data == NULL) {
            return NGX_ERROR;
        }

        job->path = art_str(out.data, out.len);
    }

    purpose = up->form.purpose.len ? up->form.purpose
                                   : art_cstr(ART_FILE_PURPOSE);

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_json_put_init(&put, &out, 0);
        art_json_put_object(&put, NULL);
        art_json_put_string(&put, NGX_ARTIFACT_FILES_PURPOSE, purpose);
        art_json_put_end(&put);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    job->upload = art_str(out.data, out.len);

    return out.data ? NGX_OK : NGX_ERROR;
}


static void
ngx_http_artifact_files_upload_written(ngx_http_request_t *r)
{
    ngx_http_artifact_ctx_t  *ctx;

    if (r->aio) {
        return;
    }

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    r->write_event_handler = ngx_http_request_empty_handler;

    ngx_http_artifact_files_finish(r,
                           ngx_http_artifact_files_upload_answer(r,
                                                         ctx->files->upload));
}


/* The job is done or has failed. */

static ngx_int_t
ngx_http_artifact_files_upload_answer(ngx_http_request_t *r,
    ngx_http_artifact_files_upload_t *up)
{
    art_file_t                 file;
    art_media_type_t           type;
    ngx_artifact_write_job_t  *job;

    job = &up->write->job;

    ngx_artifact_write_close(job);
    ngx_http_artifact_write_ended(r, up->write);

    if (job->error != ART_ERR_MAX) {
        return ngx_http_artifact_files_error(r, up->files->ctx, job->error);
    }

    art_media_parse(job->mime, &type);

    ngx_http_artifact_count(ART_COUNT_WRITTEN, NULL, (uint64_t) job->size);

    ngx_memzero(&file, sizeof(art_file_t));

    file.id = art_cstr(job->id);
    file.name = job->path;
    file.type = art_str(type.buf, type.len);
    file.purpose = up->form.purpose;
    file.size = (uint64_t) job->size;
    file.created = job->time;
    file.expires = job->expires;

    return ngx_http_artifact_files_object(r, up->files, &file);
}
