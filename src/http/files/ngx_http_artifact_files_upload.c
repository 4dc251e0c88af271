
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * An upload: its form is read as it comes, and the bytes of its file are
 * written from nginx's own buffers, without a copy, to the temporary file of a
 * new artifact.  For threads they are collected, since it takes longer to wake
 * one than to write such a buffer.  Only when the whole form was read and is
 * valid, the artifact is published.
 */


#include "http/files/ngx_http_artifact_files_state.h"
#include "http/base/ngx_http_artifact_body_reader.h"
#include "http/write/ngx_http_artifact_origin.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/source/ngx_http_artifact_classify.h"
#include "http/write/ngx_http_artifact_write.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/write/ngx_artifact_write.h"
#include "core/files/art_upload.h"
#include "core/json/art_json_put.h"
#include "core/media/art_classify.h"
#include "core/meta/art_meta.h"


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
    ngx_http_request_t               *request;
    ngx_http_artifact_files_t        *files;
    ngx_http_artifact_write_t        *write;
    ngx_http_artifact_body_reader_t   reader;
    ngx_buf_t                        *buffer;      /* for a thread, or NULL */
    ngx_uint_t                        nruns;
    ngx_buf_t                         runs[NGX_HTTP_ARTIFACT_FILES_RUNS];
    ngx_chain_t                       links[NGX_HTTP_ARTIFACT_FILES_RUNS];
    size_t                            nhead;       /* first bytes of the file */
    u_char                            head[ART_SNIFF_MAX];
    unsigned                          running:1;   /* a step of the job runs */
    art_upload_t                      form;        /* the largest part */
};


static ngx_http_artifact_files_upload_t *ngx_http_artifact_files_upload_create(
    ngx_http_request_t *r, ngx_http_artifact_files_t *files);
static ngx_int_t ngx_http_artifact_files_upload_check(ngx_http_request_t *r,
    ngx_http_artifact_files_upload_t *up, ngx_int_t *rc);
static ngx_int_t ngx_http_artifact_files_upload_status(ngx_http_request_t *r,
    ngx_http_artifact_files_upload_t *up, ngx_int_t status);
static void ngx_http_artifact_files_upload_run(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_files_upload_feed(ngx_http_request_t *r,
    void *data);
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

    rc = ngx_http_artifact_body_reader_start(&up->reader, r);

    if (rc == NGX_BUSY) {
        (void) ngx_artifact_write_fail(&up->write->job, ART_ERR_BODY,
                                       "another handler reads the body");

        return ngx_http_artifact_files_upload_answer(r, up);
    }

    return rc == NGX_DONE ? NGX_DONE
                          : ngx_http_artifact_files_upload_status(r, up, rc);
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

    up->reader.run = ngx_http_artifact_files_upload_run;
    up->reader.feed = ngx_http_artifact_files_upload_feed;
    up->reader.data = up;
    up->reader.most = NGX_HTTP_ARTIFACT_FILES_SLICE;

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

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact files: upload, thread %d",
                   up->buffer != NULL);

    job->artifact = 1;
    ngx_artifact_uuid(job->id);

    return NGX_OK;
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


/* Reads the body piece by piece; called again by events and by threads. */

static void
ngx_http_artifact_files_upload_run(ngx_http_request_t *r)
{
    ngx_int_t                          rc;
    ngx_http_artifact_files_upload_t  *up;

    if (r->aio) {
        return;
    }

    up = ngx_http_artifact_get_files(r)->upload;

    rc = ngx_http_artifact_body_reader_run(&up->reader, r);

    if (rc == NGX_AGAIN) {
        return;
    }

    if (rc == NGX_OK) {
        rc = ngx_http_artifact_files_upload_end(r, up);

    } else if (rc >= NGX_HTTP_SPECIAL_RESPONSE) {
        rc = ngx_http_artifact_files_upload_status(r, up, rc);
    }

    ngx_http_artifact_files_finish(r, rc);
}


/* Reads and writes what has come of the body. */

static ngx_int_t
ngx_http_artifact_files_upload_feed(ngx_http_request_t *r, void *data)
{
    ngx_http_artifact_files_upload_t *up = data;

    u_char   *p;
    ssize_t   n;

    if (up->running) {
        up->running = 0;
        ngx_http_artifact_files_upload_empty(up);
    }

    for ( ;; ) {

        if (ngx_http_artifact_turn_is_over(&up->files->turn)) {
            ngx_http_artifact_body_reader_pause(&up->reader, r);
            ngx_http_artifact_turn_end(&up->files->turn, r);
            return NGX_AGAIN;
        }

        n = 1;

        while (n > 0 && !ngx_http_artifact_files_upload_full(up)) {
            n = ngx_http_artifact_body_reader_read(&up->reader, &p);

            if (n > 0) {
                ngx_http_artifact_files_upload_take(up, p, (size_t) n);
            }

            /* the next slice takes the place of this one */

            if (!up->reader.own && !up->buffer) {
                break;
            }
        }

        if (n == NGX_ERROR) {
            return NGX_ERROR;
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
    if (up->write->job.error != ART_ERR_MAX
        || art_upload_feed(&up->form, p, n) != ART_OK)
    {
        ngx_http_artifact_body_reader_fail(&up->reader);
    }
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

    if (up->reader.failed || job->error != ART_ERR_MAX) {
        ngx_http_artifact_files_upload_empty(up);
        return NGX_OK;
    }

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact files: %ui pieces are written",
                   up->nruns);

    job->in = up->links;

    ngx_http_artifact_body_reader_pause(&up->reader, r);

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


/* The body was read: what it has makes a file, or an error. */

static ngx_int_t
ngx_http_artifact_files_upload_end(ngx_http_request_t *r,
    ngx_http_artifact_files_upload_t *up)
{
    uint64_t                   lifetime;
    ngx_artifact_write_job_t  *job;

    job = &up->write->job;

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact files: %O bytes of a form, %uL of a file, "
                   "failed:%d drained %O", up->reader.received, up->form.size,
                   up->reader.failed, up->reader.drained);

    if (job->error != ART_ERR_MAX) {
        return ngx_http_artifact_files_upload_answer(r, up);
    }

    if (up->reader.failed || art_upload_end(&up->form) != ART_OK) {

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

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact files: part \"%*s\", declared \"%*s\"",
                   up->form.name.len, up->form.name.data, up->form.type.len,
                   up->form.type.data);

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
    ngx_http_artifact_files_t  *files;

    if (r->aio) {
        return;
    }

    files = ngx_http_artifact_get_files(r);

    r->write_event_handler = ngx_http_request_empty_handler;

    ngx_http_artifact_files_finish(r,
                     ngx_http_artifact_files_upload_answer(r, files->upload));
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
