
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/source/ngx_http_artifact_classify.h"
#include "http/write/ngx_http_artifact_form.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/media/art_classify.h"
#include "core/meta/art_meta.h"


/*
 * Bytes collected for a thread, and the room that has to be left for a slice,
 * and for what seemed to be a delimiter before it.
 */

#define NGX_HTTP_ARTIFACT_FORM_BUFFER  (256 * 1024)
#define NGX_HTTP_ARTIFACT_FORM_SPACE                                          \
    (NGX_HTTP_ARTIFACT_FORM_SLICE + ART_MULTIPART_DELIMITER)

#define NGX_HTTP_ARTIFACT_FORM_ROOM    4


static ngx_http_artifact_form_t *ngx_http_artifact_form_create(
    ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx,
    const ngx_http_artifact_form_owner_t *owner);
static ngx_int_t ngx_http_artifact_form_check(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form, unsigned any, ngx_int_t *rc);
static ngx_int_t ngx_http_artifact_form_status(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form, ngx_int_t status);
static void ngx_http_artifact_form_run(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_form_feed(ngx_http_request_t *r,
    void *data);
static void ngx_http_artifact_form_take(ngx_http_artifact_form_t *form,
    u_char *p, size_t n);
static int ngx_http_artifact_form_bytes(void *data, const uint8_t *p,
    size_t len);
static ngx_uint_t ngx_http_artifact_form_full(ngx_http_artifact_form_t *form);
static void ngx_http_artifact_form_empty(ngx_http_artifact_form_t *form);
static ngx_int_t ngx_http_artifact_form_write(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form);
static ngx_int_t ngx_http_artifact_form_end(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form);
static ngx_int_t ngx_http_artifact_form_type(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form);
static ngx_int_t ngx_http_artifact_form_name(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form);
static void ngx_http_artifact_form_written(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_form_answer(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form);


ngx_int_t
ngx_http_artifact_form_upload(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, const ngx_http_artifact_form_owner_t *owner,
    unsigned any)
{
    ngx_int_t                  rc;
    ngx_http_artifact_form_t  *form;

    form = ngx_http_artifact_form_create(r, ctx, owner);
    if (form == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ngx_http_artifact_form_check(r, form, any, &rc) != NGX_OK) {
        return rc;
    }

    rc = ngx_http_artifact_body_reader_start(&form->reader, r);

    if (rc == NGX_BUSY) {
        (void) ngx_artifact_write_fail(&form->write->job, ART_ERR_BODY,
                                       "another handler reads the body");

        return ngx_http_artifact_form_answer(r, form);
    }

    return rc == NGX_DONE ? NGX_DONE
                          : ngx_http_artifact_form_status(r, form, rc);
}


static ngx_http_artifact_form_t *
ngx_http_artifact_form_create(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, const ngx_http_artifact_form_owner_t *owner)
{
    ngx_http_artifact_form_t  *form;

    form = ngx_palloc(r->pool, sizeof(ngx_http_artifact_form_t));
    if (form == NULL) {
        return NULL;
    }

    /* art_upload_init() does the rest */

    ngx_memzero(form, offsetof(ngx_http_artifact_form_t, fields));

    if (ngx_http_artifact_turn_init(&form->turn, r) != NGX_OK) {
        return NULL;
    }

    form->request = r;
    form->owner = owner;
    form->write = ngx_http_artifact_write_create(r, ctx);

    if (form->write == NULL) {
        return NULL;
    }

    form->write->form = form;

    form->reader.run = ngx_http_artifact_form_run;
    form->reader.feed = ngx_http_artifact_form_feed;
    form->reader.data = form;
    form->reader.most = NGX_HTTP_ARTIFACT_FORM_SLICE;

    return form;
}


/*
 * What the header decides; NGX_DECLINED if it was answered: *rc is what the
 * content handler returns.
 */

static ngx_int_t
ngx_http_artifact_form_check(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form, unsigned any, ngx_int_t *rc)
{
    art_str_t                  type;
    art_file_error_t           error;
    ngx_artifact_write_job_t  *job;

    job = &form->write->job;
    type = r->headers_in.content_type
           ? ngx_artifact_str(&r->headers_in.content_type->value)
           : art_str(NULL, 0);

    if (art_upload_init(&form->fields, type, ngx_http_artifact_form_bytes,
                        form)
        != ART_OK)
    {
        *rc = form->owner->refuse(r, form, &form->fields.error);
        return NGX_DECLINED;
    }

    form->fields.any = any & 1;

    if (ngx_http_artifact_is_encoded(&r->headers_in.headers)) {
        ngx_memzero(&error, sizeof(art_file_error_t));

        error.reason = ART_FILE_BODY;
        error.detail = art_cstr("it has a Content-Encoding");

        *rc = form->owner->refuse(r, form, &error);
        return NGX_DECLINED;
    }

    if (ngx_http_artifact_write_place(r, form->write) != NGX_OK) {
        *rc = job->error == ART_ERR_MAX
              ? NGX_HTTP_INTERNAL_SERVER_ERROR
              : ngx_http_artifact_form_answer(r, form);
        return NGX_DECLINED;
    }

    if (ngx_http_artifact_task_pool(r)) {

        form->buffer = ngx_create_temp_buf(r->pool,
                                         NGX_HTTP_ARTIFACT_FORM_BUFFER);
        if (form->buffer == NULL) {
            *rc = NGX_HTTP_INTERNAL_SERVER_ERROR;
            return NGX_DECLINED;
        }

        form->links[0].buf = form->buffer;
    }

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact form: upload, thread %d",
                   form->buffer != NULL);

    job->artifact = 1;
    ngx_artifact_uuid(job->id);

    return NGX_OK;
}


/* An error of nginx's body reader; for a client that has left, the status. */

static ngx_int_t
ngx_http_artifact_form_status(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form, ngx_int_t status)
{
    art_error_t  error;

    error = art_error_of_http((unsigned) status);

    if (error == ART_ERR_MAX) {
        return status;
    }

    r->keepalive = 0;

    (void) ngx_artifact_write_fail(&form->write->job, error, NULL);

    return ngx_http_artifact_form_answer(r, form);
}


/* Reads the body piece by piece; called again by events and by threads. */

static void
ngx_http_artifact_form_run(ngx_http_request_t *r)
{
    ngx_int_t                   rc;
    ngx_http_artifact_form_t   *form;
    ngx_http_artifact_write_t  *write;

    if (r->aio) {
        return;
    }

    write = ngx_http_get_module_ctx(r, ngx_http_artifact_write_module);
    form = write->form;

    rc = ngx_http_artifact_body_reader_run(&form->reader, r);

    if (rc == NGX_AGAIN) {
        return;
    }

    if (rc == NGX_OK) {
        rc = ngx_http_artifact_form_end(r, form);

    } else if (rc >= NGX_HTTP_SPECIAL_RESPONSE) {
        rc = ngx_http_artifact_form_status(r, form, rc);
    }

    ngx_http_artifact_finish(r, rc);
}


/* Reads and writes what has come of the body. */

static ngx_int_t
ngx_http_artifact_form_feed(ngx_http_request_t *r, void *data)
{
    ngx_http_artifact_form_t *form = data;

    u_char   *p;
    ssize_t   n;

    if (form->running) {
        form->running = 0;
        ngx_http_artifact_form_empty(form);
    }

    for ( ;; ) {

        if (ngx_http_artifact_turn_is_over(&form->turn)) {
            ngx_http_artifact_body_reader_pause(&form->reader, r);
            ngx_http_artifact_turn_end(&form->turn, r);
            return NGX_AGAIN;
        }

        n = 1;

        while (n > 0 && !ngx_http_artifact_form_full(form)) {
            n = ngx_http_artifact_body_reader_read(&form->reader, &p);

            if (n > 0) {
                ngx_http_artifact_form_take(form, p, (size_t) n);
            }

            /* the next slice takes the place of this one */

            if (!form->reader.own && !form->buffer) {
                break;
            }
        }

        if (n == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (form->buffer ? ngx_http_artifact_form_full(form) : form->nruns)
        {
            if (ngx_http_artifact_form_write(r, form) == NGX_AGAIN) {
                return NGX_AGAIN;
            }

        } else if (n == 0) {
            return NGX_OK;
        }
    }
}


static void
ngx_http_artifact_form_take(ngx_http_artifact_form_t *form,
    u_char *p, size_t n)
{
    if (form->write->job.error != ART_ERR_MAX
        || art_upload_feed(&form->fields, p, n) != ART_OK)
    {
        ngx_http_artifact_body_reader_fail(&form->reader);
    }
}


/* The bytes stay where they are until they are written. */

static int
ngx_http_artifact_form_bytes(void *data, const uint8_t *p, size_t len)
{
    ngx_http_artifact_form_t *form = data;

    size_t        n;
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    n = ngx_min(len, sizeof(form->head) - form->nhead);

    if (n > 0) {
        ngx_memcpy(form->head + form->nhead, p, n);
        form->nhead += n;
    }

    if (form->buffer) {
        form->buffer->last = ngx_cpymem(form->buffer->last, p, len);
        return ART_OK;
    }

    b = form->nruns ? &form->runs[form->nruns - 1] : NULL;

    if (b && b->last == p) {
        b->last += len;
        return ART_OK;
    }

    if (form->nruns == NGX_HTTP_ARTIFACT_FORM_RUNS) {
        ngx_log_error(NGX_LOG_ALERT, form->request->connection->log, 0,
                      "no room for %uz bytes of an upload", len);
        return ART_ERROR;
    }

    b = &form->runs[form->nruns];
    cl = &form->links[form->nruns];

    ngx_memzero(b, sizeof(ngx_buf_t));

    b->memory = 1;
    b->pos = (u_char *) p;
    b->last = b->pos + len;

    cl->buf = b;
    cl->next = NULL;

    if (form->nruns > 0) {
        form->links[form->nruns - 1].next = cl;
    }

    form->nruns++;

    return ART_OK;
}


/* Whether no more should be read before what there is was written. */

static ngx_uint_t
ngx_http_artifact_form_full(ngx_http_artifact_form_t *form)
{
    size_t  left;

    if (form->buffer) {
        left = (size_t) (form->buffer->end - form->buffer->last);

        return left < NGX_HTTP_ARTIFACT_FORM_SPACE;
    }

    return form->nruns + NGX_HTTP_ARTIFACT_FORM_ROOM
           > NGX_HTTP_ARTIFACT_FORM_RUNS;
}


static void
ngx_http_artifact_form_empty(ngx_http_artifact_form_t *form)
{
    form->nruns = 0;

    if (form->buffer) {
        form->buffer->last = form->buffer->pos;
    }
}


/* NGX_OK, or NGX_AGAIN while a thread writes. */

static ngx_int_t
ngx_http_artifact_form_write(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form)
{
    ngx_artifact_write_job_t  *job;

    job = &form->write->job;

    if (form->reader.failed || job->error != ART_ERR_MAX) {
        ngx_http_artifact_form_empty(form);
        return NGX_OK;
    }

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact form: %ui pieces are written",
                   form->nruns);

    job->in = form->links;

    ngx_http_artifact_body_reader_pause(&form->reader, r);

    if (ngx_http_artifact_request_task(r, &form->write->task,
                                       ngx_artifact_write_step, job)
        == NGX_AGAIN)
    {
        form->running = 1;
        return NGX_AGAIN;
    }

    ngx_http_artifact_form_empty(form);

    return NGX_OK;
}


/* The body was read: what it has makes a file, or an error. */

static ngx_int_t
ngx_http_artifact_form_end(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form)
{
    uint64_t                   lifetime;
    ngx_artifact_write_job_t  *job;

    job = &form->write->job;

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact form: %O bytes of a form, %uL of a file, "
                   "failed:%d drained %O", form->reader.received,
                   form->fields.size, form->reader.failed,
                   form->reader.drained);

    if (job->error != ART_ERR_MAX) {
        return ngx_http_artifact_form_answer(r, form);
    }

    if (form->reader.failed || art_upload_end(&form->fields) != ART_OK) {

        ngx_artifact_write_close(job);

        return form->fields.error.reason == ART_FILE_SOUND
               ? NGX_HTTP_INTERNAL_SERVER_ERROR
               : form->owner->refuse(r, form, &form->fields.error);
    }

    if (ngx_http_artifact_form_type(r, form) != NGX_OK
        || ngx_http_artifact_form_name(r, form) != NGX_OK
        || (form->owner->complete
            && form->owner->complete(r, form) != NGX_OK))
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_artifact_write_artifact(form->write);

    job->in = form->buffer ? form->links : NULL;
    job->length = (off_t) form->fields.size;

    lifetime = form->fields.lifetime * 1000;

    if (lifetime && (job->lifetime == 0 || lifetime < job->lifetime)) {
        job->lifetime = lifetime;
    }

    /* what was begun is done even if the client leaves */

    r->read_event_handler = ngx_http_block_reading;
    r->write_event_handler = ngx_http_artifact_form_written;

    if (ngx_http_artifact_request_task(r, &form->write->task,
                                       ngx_artifact_write_finish, job)
        == NGX_AGAIN)
    {
        return NGX_DONE;
    }

    r->write_event_handler = ngx_http_request_empty_handler;

    return ngx_http_artifact_form_answer(r, form);
}


/* What was declared, unless that says nothing: then what the bytes are. */

static ngx_int_t
ngx_http_artifact_form_type(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form)
{
    u_char          *p;
    art_meta_t       meta;
    art_claims_t     claims;
    art_verdict_t    verdict;
    art_evidence_t   evidence;

    ngx_memzero(&meta, sizeof(art_meta_t));

    if (art_meta_type_valid(form->fields.type)) {
        meta.type = form->fields.type;
    }

    meta.name = form->fields.name;

    ngx_memzero(&claims, sizeof(art_claims_t));
    claims.declared[0] = meta.type;

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact form: part \"%*s\", declared \"%*s\"",
                   form->fields.name.len, form->fields.name.data,
                   form->fields.type.len, form->fields.type.data);

    if (art_classify(&claims, NULL, &verdict) == ART_OK) {
        form->write->job.mime = meta.type;
        return NGX_OK;
    }

    ngx_http_artifact_claims(r, &meta, form->fields.name, &claims);

    art_sniff(form->head, form->nhead, form->fields.size == form->nhead,
              &evidence);

    if (art_classify_wants_magic(&claims, &evidence)) {
        ngx_http_artifact_ask_magic(r, form->head, form->nhead, &evidence);
    }

    (void) art_classify(&claims, &evidence, &verdict);

    p = ngx_pnalloc(r->pool, verdict.type.len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(p, verdict.type.buf, verdict.type.len);
    form->write->job.mime = art_str(p, verdict.type.len);

    return NGX_OK;
}


/* The name, or one made of the type if there is none. */

static ngx_int_t
ngx_http_artifact_form_name(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form)
{
    art_out_t                  out;
    ngx_artifact_write_job_t  *job;

    job = &form->write->job;
    job->path = form->fields.name;

    if (job->path.len > 0) {
        return NGX_OK;
    }

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_file_unnamed(&out, job->mime);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    job->path = art_str(out.data, out.len);

    return out.data ? NGX_OK : NGX_ERROR;
}


static void
ngx_http_artifact_form_written(ngx_http_request_t *r)
{
    ngx_http_artifact_write_t  *write;

    if (r->aio) {
        return;
    }

    write = ngx_http_get_module_ctx(r, ngx_http_artifact_write_module);

    r->write_event_handler = ngx_http_request_empty_handler;

    ngx_http_artifact_finish(r, ngx_http_artifact_form_answer(r, write->form));
}


/* The job is done or has failed. */

static ngx_int_t
ngx_http_artifact_form_answer(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form)
{
    ngx_artifact_write_close(&form->write->job);

    return form->owner->answer(r, form);
}
