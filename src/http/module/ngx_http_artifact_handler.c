
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The content handler of "artifact" and "artifact_workspace": a source of a
 * file with metadata.  What becomes of it is the route filter's business.
 */


#include "http/module/ngx_http_artifact_handler.h"
#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/source/ngx_http_artifact_classify.h"
#include "http/source/ngx_http_artifact_source.h"
#include "http/route/ngx_http_artifact_stream.h"
#include "http/attachment/ngx_http_artifact_message.h"
#include "http/list/ngx_http_artifact_list.h"
#include "http/write/ngx_http_artifact_write.h"
#include "http/services/ngx_http_artifact_services.h"
#include "http/inspector/ngx_http_artifact_inspector.h"
#include "http/status/ngx_http_artifact_status.h"
#include "store/disk/ngx_artifact_area.h"
#include "core/meta/art_meta.h"


/* Smaller files are read at once anyway (as in ngx_open_file_cache.c). */

#define NGX_HTTP_ARTIFACT_READ_AHEAD_MIN  (128 * 1024)

/* How often files are warned about whose times are to come; milliseconds. */

#define NGX_HTTP_ARTIFACT_WARN_AHEAD      3600000


static ngx_int_t ngx_http_artifact_open_next(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_int_t rc, art_error_t error);
static void ngx_http_artifact_open_again(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_send_content(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_send_metadata(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_set_validators(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);
static void ngx_http_artifact_warn_ahead(ngx_http_request_t *r, time_t mtime);
static off_t ngx_http_artifact_read_size(ngx_http_artifact_ctx_t *ctx,
    off_t size);
static void ngx_http_artifact_set_directio(ngx_http_request_t *r,
    ngx_file_t *file, off_t size);


ngx_int_t
ngx_http_artifact_handler(ngx_http_request_t *r)
{
    ngx_int_t                 rc;
    art_error_t               error;
    ngx_http_artifact_ctx_t  *ctx;

    ctx = ngx_http_artifact_get_ctx(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ctx->conf->uri == NGX_HTTP_ARTIFACT_MESSAGE) {
        return ngx_http_artifact_message(r, ctx);
    }

    if (r->method & ngx_http_artifact_methods(ctx)
        & ~(NGX_HTTP_GET|NGX_HTTP_HEAD))
    {
        return ngx_http_artifact_write_handler(r, ctx);
    }

    if (!(r->method & (NGX_HTTP_GET|NGX_HTTP_HEAD))) {
        return ngx_http_artifact_send_error(r, ctx, ART_ERR_METHOD);
    }

    if (ctx->conf->uri == NGX_HTTP_ARTIFACT_SERVICES) {
        return ngx_http_artifact_services(r, ctx);
    }

    if (ctx->conf->uri == NGX_HTTP_ARTIFACT_STATUS) {
        return ngx_http_artifact_status(r, ctx);
    }

    if (ctx->conf->uri == NGX_HTTP_ARTIFACT_INSPECTOR) {
        return ngx_http_artifact_inspector(r, ctx);
    }

    if (ctx->conf->index) {
        rc = ngx_http_artifact_list_handler(r, ctx);

        if (rc != NGX_DECLINED) {
            return rc;
        }
    }

    if (ngx_http_artifact_check(r, ctx, &error) != NGX_OK) {
        return ngx_http_artifact_send_error(r, ctx, error);
    }

    rc = ngx_http_artifact_open_source(r, ctx, &error);

    return ngx_http_artifact_open_next(r, ctx, rc, error);
}


/* What the content handler returns for what opening the source did. */

static ngx_int_t
ngx_http_artifact_open_next(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_int_t rc, art_error_t error)
{
    switch (rc) {

    case NGX_OK:
        return ngx_http_artifact_send_content(r, ctx);

    case NGX_AGAIN:
        r->write_event_handler = ngx_http_artifact_open_again;
        r->main->count++;

        return NGX_DONE;

    case NGX_DECLINED:
        return error == ART_ERR_NOT_FOUND && ctx->conf->index
               && ctx->conf->uri == NGX_HTTP_ARTIFACT_PATH
               ? ngx_http_artifact_list_missing(r, ctx)
               : ngx_http_artifact_send_error(r, ctx, error);

    default:
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }
}


static void
ngx_http_artifact_open_again(ngx_http_request_t *r)
{
    ngx_int_t                 rc;
    art_error_t               error;
    ngx_http_artifact_ctx_t  *ctx;

    if (r->aio) {

        /* the client takes more of an earlier answer, or has gone */

        return;
    }

    r->write_event_handler = ngx_http_request_empty_handler;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    rc = ngx_http_artifact_open_source_again(r, ctx, &error);

    ngx_http_finalize_request(r,
                              ngx_http_artifact_open_next(r, ctx, rc, error));
}


static ngx_int_t
ngx_http_artifact_send_content(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_buf_t                   *b;
    ngx_int_t                    rc;
    ngx_chain_t                  out;
    ngx_http_artifact_source_t  *source;

    source = ctx->source;

    if (ctx->metadata) {

        return ngx_http_artifact_send_metadata(r, ctx);
    }

    rc = ngx_http_artifact_discard_body(r);

    if (rc != NGX_OK) {
        return rc;
    }

    /* all is allocated before the header goes out */

    b = ngx_calloc_buf(r->pool);
    if (b == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    b->file = ngx_pcalloc(r->pool, sizeof(ngx_file_t));
    if (b->file == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ngx_http_artifact_set_validators(r, source) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    source->offered = 1;

    rc = ngx_http_send_header(r);

    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        return rc;
    }

    *b->file = source->file;

    if (ngx_http_artifact_stream_needs_content(ctx->stream)) {
        ngx_http_artifact_set_directio(r, b->file, source->size);

        b->file_pos = 0;
        b->file_last = ngx_http_artifact_read_size(ctx, source->size);
        b->in_file = b->file_last ? 1 : 0;
    }

    b->last_buf = (r == r->main) ? 1 : 0;
    b->last_in_chain = 1;
    b->sync = (b->last_buf || b->in_file) ? 0 : 1;

    out.buf = b;
    out.next = NULL;

    return ngx_http_output_filter(r, &out);
}


static ngx_int_t
ngx_http_artifact_send_metadata(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    art_out_t                    out;
    art_meta_known_t             known;
    ngx_http_artifact_source_t  *source;

    source = ctx->source;

    if (ngx_http_artifact_classify(r, source, ctx->conf->verify)
        == NGX_ERROR)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    known.id = source->id;
    known.workspace = source->workspace;
    known.path = source->path;
    known.name = source->name;
    known.mime = art_str(source->verdict.type.buf, source->verdict.type.len);
    known.size = (uint64_t) source->size;

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_meta_print(&out, &source->meta, &known);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    return ngx_http_artifact_send_json(r, ctx, NGX_HTTP_OK, &out);
}


/* Of a text that will be cut, no more is read than may be needed. */

static off_t
ngx_http_artifact_read_size(ngx_http_artifact_ctx_t *ctx, off_t size)
{
    off_t  limit;

    limit = ngx_http_artifact_stream_input_limit(ctx->stream);

    return limit && limit < size ? limit : size;
}


/*
 * A strong tag has to change with every change: the seconds that nginx's own
 * tags are made of are too coarse for files that agents write.  A time that is
 * to come is replaced by that of the answer (RFC 9110, section 8.8.2.1).
 */

static ngx_int_t
ngx_http_artifact_set_validators(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source)
{
    ngx_table_elt_t           *etag;
    ngx_http_core_loc_conf_t  *clcf;

    r->headers_out.status = NGX_HTTP_OK;
    r->headers_out.content_length_n = source->size;
    r->headers_out.last_modified_time = ngx_file_mtime(&source->info);
    r->allow_ranges = 1;

    if (r->headers_out.last_modified_time > ngx_time()) {
        ngx_http_artifact_warn_ahead(r, r->headers_out.last_modified_time);
        r->headers_out.last_modified_time = ngx_time();
    }

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (!clcf->etag) {
        return NGX_OK;
    }

    etag = ngx_list_push(&r->headers_out.headers);
    if (etag == NULL) {
        return NGX_ERROR;
    }

    etag->hash = 1;
#if (nginx_version >= 1023000)
    etag->next = NULL;
#endif
    ngx_str_set(&etag->key, "ETag");

    etag->value.data = ngx_pnalloc(r->pool, NGX_ARTIFACT_ETAG_LEN);
    if (etag->value.data == NULL) {
        etag->hash = 0;
        return NGX_ERROR;
    }

    etag->value.len = ngx_artifact_etag(etag->value.data, &source->info);

    r->headers_out.etag = etag;

    return NGX_OK;
}


/* An operator has to know, but not with each request. */

static void
ngx_http_artifact_warn_ahead(ngx_http_request_t *r, time_t mtime)
{
    time_t  ahead;

    static ngx_uint_t  warned;
    static ngx_msec_t  since;

    ahead = mtime - ngx_time();

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "artifact is modified %T s ahead of the clock", ahead);

    if (ahead <= NGX_ARTIFACT_AHEAD
        || (warned
            && ngx_current_msec - since < NGX_HTTP_ARTIFACT_WARN_AHEAD))
    {
        return;
    }

    warned = 1;
    since = ngx_current_msec;

    ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                  "artifact was written when the clock was %T s ahead of "
                  "what it is now; there may be others", ahead);
}


/* As ngx_open_cached_file() does for other files. */

static void
ngx_http_artifact_set_directio(ngx_http_request_t *r, ngx_file_t *file,
    off_t size)
{
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (clcf->read_ahead
        && size > NGX_HTTP_ARTIFACT_READ_AHEAD_MIN
        && ngx_read_ahead(file->fd, clcf->read_ahead) == NGX_ERROR)
    {
        ngx_log_error(NGX_LOG_ALERT, r->connection->log, ngx_errno,
                      ngx_read_ahead_n " \"%V\" failed", &file->name);
    }

    if (clcf->directio <= size) {

        if (ngx_directio_on(file->fd) == NGX_FILE_ERROR) {
            ngx_log_error(NGX_LOG_ALERT, r->connection->log, ngx_errno,
                          ngx_directio_on_n " \"%V\" failed", &file->name);

        } else {
            file->directio = 1;
        }
    }
}
