
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The tools that write.  Their content comes before it is known what it is for:
 * the message may end with its path, its tool or its method.  It goes to a
 * temporary file piece by piece while the message is read, as the body of a PUT
 * does; what the message asks for is done with the file when all of it was
 * checked.  Without that, the file is removed.
 */


#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_work.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/mcp/ngx_http_artifact_mcp_state.h"
#include "http/write/ngx_http_artifact_write.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/write/ngx_artifact_write.h"
#include "core/answer/art_headers.h"
#include "core/json/art_json_escape.h"
#include "core/mcp/art_mcp_request.h"
#include "core/media/art_media.h"
#include "core/meta/art_meta.h"
#include "core/text/art_base64.h"


/*
 * Bytes of content in memory, and the room that has to be left for those of a
 * slice of the body: no more than it has, and some that were held back.
 */

#define NGX_HTTP_ARTIFACT_MCP_CONTENT  65536
#define NGX_HTTP_ARTIFACT_MCP_ROOM     (NGX_HTTP_ARTIFACT_MCP_SLICE + 64)


struct ngx_http_artifact_mcp_write_s {
    ngx_http_artifact_write_t    *write;
    unsigned                      argument;  /* that the content comes from */
    art_base64_decode_t           base64;
    ngx_buf_t                    *content;   /* not written yet */
    ngx_chain_t                   chain;
    off_t                         size;      /* with what was written */
    unsigned                      running:1; /* a step of the job runs */
};


static ngx_http_artifact_mcp_write_t *ngx_http_artifact_mcp_write_create(
    ngx_http_artifact_mcp_t *mcp);
static ngx_int_t ngx_http_artifact_mcp_content(ngx_http_artifact_mcp_t *mcp,
    unsigned argument);
static ngx_int_t ngx_http_artifact_mcp_write_call(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);
static ngx_int_t ngx_http_artifact_mcp_write_target(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);
static void ngx_http_artifact_mcp_write_name(ngx_http_artifact_mcp_t *mcp);
static ngx_int_t ngx_http_artifact_mcp_write_match(
    ngx_http_artifact_mcp_t *mcp);
static void ngx_http_artifact_mcp_write_type(ngx_http_artifact_mcp_t *mcp);
static void ngx_http_artifact_mcp_written(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_mcp_write_answer(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);
static void ngx_http_artifact_mcp_write_count(ngx_artifact_write_job_t *job);
static ngx_int_t ngx_http_artifact_mcp_write_refuse(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, ngx_str_t *etag);
static ngx_int_t ngx_http_artifact_mcp_write_result(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, ngx_str_t *etag);


int
ngx_http_artifact_mcp_write_piece(void *data, unsigned argument,
    const uint8_t *p, size_t n, unsigned last)
{
    ngx_http_artifact_mcp_t *mcp = data;

    u_char                         *dst;
    ngx_buf_t                      *b;
    ngx_http_artifact_mcp_write_t  *w;

    if (ngx_http_artifact_mcp_content(mcp, argument) != NGX_OK) {
        return ART_ERROR;
    }

    w = mcp->write;
    b = w->content;

    /* of two contents, which will be refused, one is dropped */

    if (argument != w->argument || w->write->job.error != ART_ERR_MAX) {
        return ART_OK;
    }

    if ((size_t) (b->end - b->last) < n + 3) {
        ngx_log_error(NGX_LOG_ALERT, mcp->request->connection->log, 0,
                      "no room for %uz bytes of a message's content", n);
        return ART_ERROR;
    }

    dst = b->last;

    if (argument == ART_MCP_ARG_BASE64) {
        b->last += last ? art_base64_decode_end(&w->base64, dst)
                        : art_base64_decode(&w->base64, dst, p, n);

        if (w->base64.bad) {
            (void) ngx_artifact_write_fail(&w->write->job, ART_ERR_ARGUMENT,
                                           NULL);
        }

    } else if (n > 0) {
        b->last = ngx_cpymem(dst, p, n);
    }

    w->size += b->last - dst;

    return ART_OK;
}


static ngx_http_artifact_mcp_write_t *
ngx_http_artifact_mcp_write_create(ngx_http_artifact_mcp_t *mcp)
{
    ngx_artifact_write_job_t       *job;
    ngx_http_artifact_mcp_write_t  *w;

    w = ngx_pcalloc(mcp->request->pool, sizeof(ngx_http_artifact_mcp_write_t));
    if (w == NULL) {
        return NULL;
    }

    w->write = ngx_http_artifact_write_create(mcp->request, mcp->ctx);
    if (w->write == NULL) {
        return NULL;
    }

    job = &w->write->job;

    if (ngx_http_artifact_write_place(mcp->request, w->write) != NGX_OK) {
        return job->error == ART_ERR_MAX ? NULL : w;
    }

    ngx_artifact_uuid(job->id);

    return w;
}


/* Makes what a content needs with its first piece. */

static ngx_int_t
ngx_http_artifact_mcp_content(ngx_http_artifact_mcp_t *mcp, unsigned argument)
{
    ngx_http_artifact_mcp_write_t  *w;

    if (mcp->write) {
        return NGX_OK;
    }

    w = ngx_http_artifact_mcp_write_create(mcp);
    if (w == NULL) {
        return NGX_ERROR;
    }

    w->content = ngx_create_temp_buf(mcp->request->pool,
                                     NGX_HTTP_ARTIFACT_MCP_CONTENT);
    if (w->content == NULL) {
        return NGX_ERROR;
    }

    w->chain.buf = w->content;
    w->argument = argument;

    /* where the file is expected to go, if its tool has been named by now */

    w->write->job.artifact = art_mcp_tool_so_far(&mcp->message)
                             == ART_MCP_SAVE_ARTIFACT;

    mcp->write = w;

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_mcp_write_drain(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    ngx_buf_t                      *b;
    ngx_http_artifact_mcp_write_t  *w;

    w = mcp->write;
    b = w->content;

    if (w->running || w->write->job.error != ART_ERR_MAX) {
        w->running = 0;
        b->last = b->pos;
    }

    if (b->end - b->last >= NGX_HTTP_ARTIFACT_MCP_ROOM) {
        return NGX_OK;
    }

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact mcp: %O bytes of content", w->size);

    w->write->job.in = &w->chain;

    ngx_http_artifact_body_reader_pause(&mcp->reader, r);

    if (ngx_http_artifact_request_task(r, &w->write->task,
                                       ngx_artifact_write_step,
                                       &w->write->job)
        == NGX_AGAIN)
    {
        w->running = 1;
        return NGX_AGAIN;
    }

    b->last = b->pos;

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_mcp_write_file(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    ngx_artifact_write_job_t  *job;

    job = &mcp->write->write->job;

    job->artifact = 0;

    if (ngx_http_artifact_mcp_write_target(r, mcp) != NGX_OK
        || ngx_http_artifact_mcp_write_match(mcp) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_http_artifact_mcp_write_type(mcp);

    return ngx_http_artifact_mcp_write_call(r, mcp);
}


ngx_int_t
ngx_http_artifact_mcp_save_artifact(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    ngx_http_artifact_mcp_write_name(mcp);
    ngx_http_artifact_mcp_write_type(mcp);
    ngx_http_artifact_write_artifact(mcp->write->write);

    return ngx_http_artifact_mcp_write_call(r, mcp);
}


ngx_int_t
ngx_http_artifact_mcp_delete_file(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    mcp->write = ngx_http_artifact_mcp_write_create(mcp);
    if (mcp->write == NULL) {
        return NGX_ERROR;
    }

    mcp->write->write->job.remove = 1;

    if (ngx_http_artifact_mcp_write_target(r, mcp) != NGX_OK
        || ngx_http_artifact_mcp_write_match(mcp) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_artifact_mcp_write_call(r, mcp);
}


static ngx_int_t
ngx_http_artifact_mcp_write_call(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    ngx_artifact_write_job_t       *job;
    ngx_http_artifact_mcp_write_t  *w;

    w = mcp->write;
    job = &w->write->job;

    if (job->error != ART_ERR_MAX) {
        return ngx_http_artifact_mcp_write_answer(r, mcp);
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact mcp: write of %O bytes, remove %d",
                   w->size, job->remove);

    job->in = w->content ? &w->chain : NULL;
    job->length = w->size;

    /* what was begun is done even if the client leaves */

    r->read_event_handler = ngx_http_block_reading;
    r->write_event_handler = ngx_http_artifact_mcp_written;

    if (ngx_http_artifact_request_task(r, &w->write->task,
                                       job->remove ? ngx_artifact_write_remove
                                                   : ngx_artifact_write_finish,
                                       job)
        == NGX_AGAIN)
    {
        return NGX_DONE;
    }

    r->write_event_handler = ngx_http_request_empty_handler;

    return ngx_http_artifact_mcp_write_answer(r, mcp);
}


/* The file of a workspace; what is wrong with it is in the job. */

static ngx_int_t
ngx_http_artifact_mcp_write_target(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    art_str_t                   workspace, path;
    ngx_http_artifact_write_t  *write;

    write = mcp->write->write;
    workspace = mcp->message.args[ART_MCP_ARG_WORKSPACE].text;
    path = mcp->message.args[ART_MCP_ARG_PATH].text;

    if (ngx_http_artifact_mcp_parse_path(r, mcp, workspace, path) != NGX_OK) {
        return NGX_ERROR;
    }

    /* who reads may be generous */

    if (path.len > 0 && path.data[0] == '/') {
        (void) ngx_artifact_write_fail(&write->job, ART_ERR_TRAVERSAL, NULL);

    } else {
        (void) ngx_http_artifact_write_target(r, write);
    }

    return NGX_OK;
}


/* The name of an artifact, if it has one. */

static void
ngx_http_artifact_mcp_write_name(ngx_http_artifact_mcp_t *mcp)
{
    art_str_t                  name;
    ngx_artifact_write_job_t  *job;

    job = &mcp->write->write->job;
    name = mcp->message.args[ART_MCP_ARG_NAME].text;

    if (name.len > 0 && !art_id_component(name)) {
        (void) ngx_artifact_write_fail(job, ART_ERR_NAME, NULL);
        return;
    }

    job->path = name;
}


/*
 * The type is that of the arguments, of the name, or of any text or bytes.  A
 * model is not asked for what it would only guess, too.
 */

static void
ngx_http_artifact_mcp_write_type(ngx_http_artifact_mcp_t *mcp)
{
    uint8_t                    extension[ART_MEDIA_EXT_MAX];
    const art_media_t         *media;
    ngx_artifact_write_job_t  *job;

    job = &mcp->write->write->job;

    if (mcp->message.args[ART_MCP_ARG_MIME_TYPE].text.len > 0) {
        job->mime = mcp->message.args[ART_MCP_ARG_MIME_TYPE].text;

        if (!art_meta_type_valid(job->mime)) {
            (void) ngx_artifact_write_fail(job, ART_ERR_MIME, NULL);
        }

        return;
    }

    media = art_media_by_extension(art_media_extension(job->path, extension));

    if (media) {
        job->mime = art_cstr(media->mime);

    } else if (mcp->write->argument == ART_MCP_ARG_CONTENT) {
        job->mime = art_cstr("text/plain");

    } else {
        job->mime = art_cstr("application/octet-stream");
    }
}


/* As If-Match; a tag may be without its quotes. */

static ngx_int_t
ngx_http_artifact_mcp_write_match(ngx_http_artifact_mcp_t *mcp)
{
    u_char                    *p;
    art_str_t                  tag;
    art_mcp_value_t           *value;
    ngx_artifact_write_job_t  *job;

    value = &mcp->message.args[ART_MCP_ARG_IF_MATCH];

    if (!value->given) {
        return NGX_OK;
    }

    job = &mcp->write->write->job;
    tag = value->text;

    job->preconds[ART_IF_MATCH] = ngx_palloc(mcp->request->pool,
                                             sizeof(art_str_t));
    if (job->preconds[ART_IF_MATCH] == NULL) {
        return NGX_ERROR;
    }

    if (!art_str_eq(tag, art_cstr("*"))
        && (tag.len == 0 || tag.data[tag.len - 1] != '"'))
    {
        p = ngx_pnalloc(mcp->request->pool, tag.len + 2);
        if (p == NULL) {
            return NGX_ERROR;
        }

        p[0] = '"';
        p[tag.len + 1] = '"';

        if (tag.len > 0) {
            ngx_memcpy(p + 1, tag.data, tag.len);
        }

        tag = art_str(p, tag.len + 2);
    }

    *job->preconds[ART_IF_MATCH] = tag;
    job->npreconds[ART_IF_MATCH] = 1;

    return NGX_OK;
}


static void
ngx_http_artifact_mcp_written(ngx_http_request_t *r)
{
    if (r->aio) {
        return;
    }

    r->write_event_handler = ngx_http_request_empty_handler;

    ngx_http_artifact_mcp_finish(r,
                                 ngx_http_artifact_mcp_write_answer(r,
                                              ngx_http_artifact_get_mcp(r)));
}


static ngx_int_t
ngx_http_artifact_mcp_write_answer(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    ngx_str_t                  etag;
    ngx_artifact_write_job_t  *job;

    job = &mcp->write->write->job;

    ngx_artifact_write_close(job);

    ngx_http_artifact_write_ended(r, mcp->write->write);
    ngx_http_artifact_mcp_write_count(job);

    if (ngx_http_artifact_write_etag(r, mcp->write->write, &etag) != NGX_OK) {
        return NGX_ERROR;
    }

    return job->error == ART_ERR_MAX
           ? ngx_http_artifact_mcp_write_result(r, mcp, &etag)
           : ngx_http_artifact_mcp_write_refuse(r, mcp, &etag);
}


static void
ngx_http_artifact_mcp_write_count(ngx_artifact_write_job_t *job)
{
    unsigned  at[2];

    at[0] = job->remove ? ART_COUNT_DELETE
            : job->artifact ? ART_COUNT_POST : ART_COUNT_PUT;

    if (job->error == ART_ERR_MAX) {
        at[1] = job->meta_failed ? ART_COUNT_INCOMPLETE
                : job->created ? ART_COUNT_CREATED : ART_COUNT_CHANGED;

        ngx_http_artifact_count(ART_COUNT_WRITTEN, NULL,
                                (uint64_t) job->size);

    } else {
        at[1] = art_error_status(job->error) < NGX_HTTP_INTERNAL_SERVER_ERROR
                ? ART_COUNT_REFUSED : ART_COUNT_FAILED;
    }

    ngx_http_artifact_count(ART_COUNT_WRITES, at, 1);
}


/* The words for an error, and what they are about. */

static ngx_int_t
ngx_http_artifact_mcp_write_refuse(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, ngx_str_t *etag)
{
    art_str_t                  what;
    ngx_str_t                  now;
    art_error_t                error;
    art_mcp_value_t           *args;
    ngx_artifact_write_job_t  *job;

    job = &mcp->write->write->job;
    args = mcp->message.args;
    error = job->error;

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, job->err,
                   "http artifact mcp: write refused with %d",
                   error);

    what = job->artifact ? args[ART_MCP_ARG_NAME].text
                         : args[ART_MCP_ARG_PATH].text;

    if (error == ART_ERR_ARGUMENT) {
        what = art_cstr("base64");

    } else if (error == ART_ERR_MIME) {
        error = ART_ERR_ARGUMENT;
        what = art_cstr("mime_type");

    } else if (error == ART_ERR_PRECONDITION && etag->len > 0) {

        if (ngx_http_artifact_concat(r->pool, &now, art_cstr("ETag: "),
                                     ngx_artifact_str(etag))
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        what = ngx_artifact_str(&now);
    }

    return ngx_http_artifact_mcp_tool_error(r, mcp, error, what);
}


/* A PUT's or a POST's answer with the tag, as a structure and as its text. */

static ngx_int_t
ngx_http_artifact_mcp_write_result(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, ngx_str_t *etag)
{
    art_out_t  json, out;

    if (ngx_http_artifact_write_print(r, mcp->write->write, etag, &json)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_out_cstr(&out, "\"content\":[{\"type\":\"text\",\"text\":\"");
        art_json_string(&out, art_str(json.data, json.len), 1);
        art_out_cstr(&out, "\"}],\"structuredContent\":");
        art_out_mem(&out, json.data, json.len);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    return ngx_http_artifact_mcp_result(r, mcp, ART_MCP_UNCACHED, &out);
}
