
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * "artifact", "artifact_workspace" and "artifact_decode": a file is sent with
 * its metadata, and the filters of http/route decide what becomes of it.
 */


#include "http/serve/ngx_http_artifact_serve.h"
#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/source/ngx_http_artifact_classify.h"
#include "http/source/ngx_http_artifact_source.h"
#include "http/route/ngx_http_artifact_stream.h"
#include "http/list/ngx_http_artifact_list.h"
#include "http/write/ngx_http_artifact_ticket.h"
#include "http/write/ngx_http_artifact_write.h"
#include "store/disk/ngx_artifact_area.h"
#include "core/answer/art_counters.h"
#include "core/meta/art_meta.h"


/* Milliseconds between two warnings about files with times in the future. */

#define NGX_HTTP_ARTIFACT_WARN_AHEAD      3600000


static ngx_int_t ngx_http_artifact_serve(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_open_next(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_int_t rc, art_error_t error);
static void ngx_http_artifact_open_again(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_open_failed(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t error);
static ngx_int_t ngx_http_artifact_send_content(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_send_metadata(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_set_validators(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);
static ngx_int_t ngx_http_artifact_content_date(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);
static ngx_int_t ngx_http_artifact_content_etag(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source, ngx_str_t *etag);
static void ngx_http_artifact_warn_ahead(ngx_http_request_t *r, time_t mtime);


const ngx_http_artifact_role_t  ngx_http_artifact_reference_role = {
    .uri = NGX_HTTP_ARTIFACT_URI_ID,
    .counter = ART_COUNT_BY_ARTIFACT,
    .handler = ngx_http_artifact_serve,
    .log = ngx_http_artifact_write_count,
    .asked = 1,
    .local = 1,
    .posts = 1
};


const ngx_http_artifact_role_t  ngx_http_artifact_workspace_role = {
    .uri = NGX_HTTP_ARTIFACT_URI_PATH,
    .counter = ART_COUNT_BY_WORKSPACE,
    .handler = ngx_http_artifact_serve,
    .log = ngx_http_artifact_write_count,
    .asked = 1,
    .local = 1
};


const ngx_http_artifact_role_t  ngx_http_artifact_decode_role = {
    .uri = NGX_HTTP_ARTIFACT_URI_ID,
    .counter = ART_COUNT_BY_DECODE
};


char *
ngx_http_artifact_set_decode(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t  *value;

    value = cf->args->elts;

    if (ngx_strcasecmp(value[1].data, (u_char *) "off") == 0) {
        return NGX_CONF_OK;
    }

    if (ngx_strcasecmp(value[1].data, (u_char *) "on") != 0) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "invalid value \"%V\" in \"%V\" directive, "
                           "it must be \"on\" or \"off\"",
                           &value[1], &cmd->name);
        return NGX_CONF_ERROR;
    }

    return ngx_http_artifact_set_role(cf, cmd, conf);
}


/* The content handler of references and paths. */

static ngx_int_t
ngx_http_artifact_serve(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx)
{
    ngx_int_t  rc;

    if (ngx_http_artifact_asks_ticket(r, ctx)) {
        return ngx_http_artifact_ticket_handler(r, ctx);
    }

    if (ctx->ticket
        || (r->method & ngx_http_artifact_methods(ctx)
            & ~(NGX_HTTP_GET|NGX_HTTP_HEAD)))
    {
        return ngx_http_artifact_write_handler(r, ctx);
    }

    if (!(r->method & (NGX_HTTP_GET|NGX_HTTP_HEAD))) {
        return ngx_http_artifact_send_error(r, ctx, ART_ERR_METHOD);
    }

    rc = NGX_DECLINED;

    if (ngx_http_artifact_lists(ctx->conf)) {
        rc = ngx_http_artifact_list_handler(r, ctx);
    }

    return rc == NGX_DECLINED ? ngx_http_artifact_serve_open(r, ctx) : rc;
}


ngx_int_t
ngx_http_artifact_serve_open(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_int_t    rc;
    art_error_t  error;

    if (ngx_http_artifact_check(r, ctx, &error) != NGX_OK) {
        return ngx_http_artifact_open_failed(r, ctx, error);
    }

    rc = ngx_http_artifact_open_source(r, ctx, &error);

    return ngx_http_artifact_open_next(r, ctx, rc, error);
}


/* What the content handler returns after the source was opened, or was not. */

static ngx_int_t
ngx_http_artifact_open_next(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_int_t rc, art_error_t error)
{
    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact serve: opened: %i",
                   rc);

    switch (rc) {

    case NGX_OK:
        return ngx_http_artifact_send_content(r, ctx);

    case NGX_AGAIN:
        r->write_event_handler = ngx_http_artifact_open_again;
        r->main->count++;

        return NGX_DONE;

    case NGX_DECLINED:
        return error == ART_ERR_NOT_FOUND && ngx_http_artifact_lists(ctx->conf)
               && ngx_http_artifact_has_paths(ctx->conf)
               ? ngx_http_artifact_list_missing(r, ctx)
               : ngx_http_artifact_open_failed(r, ctx, error);

    default:
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }
}


static ngx_int_t
ngx_http_artifact_open_failed(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t error)
{
    return ctx->conf->role->error
           ? ctx->conf->role->error(r, ctx, error)
           : ngx_http_artifact_send_error(r, ctx, error);
}


static void
ngx_http_artifact_open_again(ngx_http_request_t *r)
{
    ngx_int_t                 rc;
    art_error_t               error;
    ngx_http_artifact_ctx_t  *ctx;

    if (r->aio) {

        /* the client takes more of an earlier answer, or has left */

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
    ngx_int_t  rc;

    if (ctx->metadata) {
        return ngx_http_artifact_send_metadata(r, ctx);
    }

    if (ctx->conf->role->has && !ctx->conf->role->has(ctx)) {
        ctx->source = NULL;

        return ngx_http_artifact_open_failed(r, ctx, ART_ERR_NOT_FOUND);
    }

    rc = ngx_http_artifact_discard_body(r);

    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_http_artifact_set_validators(r, ctx->source) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return ngx_http_artifact_send_local(r, ctx);
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

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact serve: metadata of \"%V\"",
                   &ctx->given);

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


/*
 * A strong tag must differ after every change: nginx's own tags are made of
 * seconds, which are too coarse for files that agents write.  A time in the
 * future is replaced by that of the answer (RFC 9110, section 8.8.2.1).
 */

static ngx_int_t
ngx_http_artifact_set_validators(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source)
{
    ngx_str_t                  etag;
    ngx_http_core_loc_conf_t  *clcf;

    r->headers_out.status = NGX_HTTP_OK;
    r->headers_out.content_length_n = source->size;
    r->headers_out.last_modified_time = ngx_file_mtime(&source->info);
    r->allow_ranges = 1;

    if (r->headers_out.last_modified_time > ngx_time()) {
        ngx_http_artifact_warn_ahead(r, r->headers_out.last_modified_time);
        r->headers_out.last_modified_time = ngx_time();

    } else if (source->facts
               && ngx_http_artifact_content_date(r, source) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact serve: %O bytes, modified %T",
                   source->size, r->headers_out.last_modified_time);

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (!clcf->etag) {
        return NGX_OK;
    }

    if (ngx_http_artifact_content_etag(r, source, &etag) != NGX_OK) {
        return NGX_ERROR;
    }

    r->headers_out.etag = ngx_http_artifact_push_header(r, "ETag", &etag);

    return r->headers_out.etag ? NGX_OK : NGX_ERROR;
}


/* Date and tag of a content are printed once while it is cached. */

static ngx_int_t
ngx_http_artifact_content_date(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source)
{
    ngx_str_t                   date;
    ngx_http_artifact_facts_t  *facts;

    facts = source->facts;

    if (facts->date_len == 0) {
        facts->date_len = (size_t)
                          (ngx_http_time(facts->date,
                                         r->headers_out.last_modified_time)
                           - facts->date);
    }

    date.data = facts->date;
    date.len = facts->date_len;

    r->headers_out.last_modified =
        ngx_http_artifact_push_header(r, "Last-Modified", &date);

    return r->headers_out.last_modified ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_http_artifact_content_etag(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source, ngx_str_t *etag)
{
    ngx_http_artifact_facts_t  *facts;

    facts = source->facts;

    if (facts) {

        if (facts->etag_len == 0) {
            facts->etag_len = ngx_artifact_etag(facts->etag, &source->info);
        }

        etag->data = facts->etag;
        etag->len = facts->etag_len;

        return NGX_OK;
    }

    etag->data = ngx_pnalloc(r->pool, NGX_ARTIFACT_ETAG_LEN);
    if (etag->data == NULL) {
        return NGX_ERROR;
    }

    etag->len = ngx_artifact_etag(etag->data, &source->info);

    return NGX_OK;
}


/* Warns operators, but not for each request. */

static void
ngx_http_artifact_warn_ahead(ngx_http_request_t *r, time_t mtime)
{
    time_t  ahead;

    static ngx_uint_t  warned;
    static ngx_msec_t  since;

    ahead = mtime - ngx_time();

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact modified %T s ahead of the clock", ahead);

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
                      "its present time; there may be others", ahead);
}
