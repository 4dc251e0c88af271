
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The content handler of "artifact_status", and the counters that a request
 * changes when it ends.
 */


#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/route/ngx_http_artifact_stream.h"
#include "http/expand/ngx_http_artifact_expand.h"
#include "http/attachment/ngx_http_artifact_attachment.h"
#include "http/write/ngx_http_artifact_write.h"
#include "http/mcp/ngx_http_artifact_mcp.h"
#include "http/files/ngx_http_artifact_files.h"
#include "http/status/ngx_http_artifact_status.h"
#include "store/disk/ngx_artifact_str.h"


typedef struct {
    ngx_str_t    name;
    ngx_str_t    type;
    void       (*print)(art_out_t *out, const art_counters_t *counters,
                        const uint64_t *values);
} ngx_http_artifact_status_form_t;


static ngx_http_artifact_status_form_t *ngx_http_artifact_status_form(
    ngx_str_t *name);
static ngx_uint_t ngx_http_artifact_log_status(ngx_http_request_t *r);
static void ngx_http_artifact_log_routed(ngx_http_artifact_stream_t *stream,
    unsigned handler);
static void ngx_http_artifact_log_message(
    ngx_http_artifact_message_t *message);
static void ngx_http_artifact_log_write(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf, ngx_http_artifact_write_t *write,
    ngx_uint_t status);


/* The first one is the default. */

static ngx_http_artifact_status_form_t  ngx_http_artifact_status_forms[] = {

    { ngx_string("prometheus"),
      ngx_string("text/plain; version=0.0.4; charset=utf-8"),
      art_counters_text },

    { ngx_string("json"), ngx_string("application/json"), art_counters_json },

    { ngx_null_string, ngx_null_string, NULL }
};


ngx_int_t
ngx_http_artifact_status(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx)
{
    uint64_t                         *values;
    art_out_t                         out;
    ngx_str_t                         name;
    const art_counters_t             *counters;
    ngx_http_artifact_status_form_t  *form;

    static ngx_str_t  no_store = ngx_string("no-store");

    if (ngx_http_artifact_arg(r, "format", &name) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    form = ngx_http_artifact_status_form(&name);

    if (form == NULL) {
        return ngx_http_artifact_send_error(r, ctx, ART_ERR_ARGUMENT);
    }

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact status: format \"%V\"", &form->name);

    values = ngx_http_artifact_counts(r, &counters);

    if (values == NULL
        || ngx_http_artifact_add_header(r, "Cache-Control", &no_store)
           != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        form->print(&out, counters, values);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    return ngx_http_artifact_send_text(r, ctx, NGX_HTTP_OK, &form->type, &out);
}


static ngx_http_artifact_status_form_t *
ngx_http_artifact_status_form(ngx_str_t *name)
{
    ngx_http_artifact_status_form_t  *form;

    form = ngx_http_artifact_status_forms;

    if (name->len == 0) {
        return form;
    }

    for ( /* void */ ; form->print; form++) {

        if (art_str_eq(ngx_artifact_str(name), ngx_artifact_str(&form->name))) {
            return form;
        }
    }

    return NULL;
}


ngx_int_t
ngx_http_artifact_log_handler(ngx_http_request_t *r)
{
    unsigned                       at[2];
    ngx_uint_t                     status;
    ngx_http_artifact_ctx_t       *ctx;
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    if (r != r->main || ngx_http_artifact_count_by(alcf, &at[0]) != NGX_OK) {
        return NGX_OK;
    }

    status = ngx_http_artifact_log_status(r);
    at[1] = art_count_status((unsigned) status);

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact request counted: handler %ud, status %ui",
                   at[0], status);

    ngx_http_artifact_count(ART_COUNT_REQUESTS, at, 1);
    ngx_http_artifact_count(ART_COUNT_SENT, at, (uint64_t) r->connection->sent);

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    if (ctx && ctx->stream) {
        ngx_http_artifact_log_routed(ctx->stream, at[0]);
    }

    if (ctx && ctx->message) {
        ngx_http_artifact_log_message(ctx->message);
    }

    if (ctx && ctx->mcp) {
        ngx_http_artifact_mcp_log(ctx->mcp);
    }

    if (ctx && ctx->files && alcf->uri == NGX_HTTP_ARTIFACT_FILES) {
        ngx_http_artifact_files_log(ctx->files, status);
    }

    ngx_http_artifact_log_write(r, alcf, ctx ? ctx->write : NULL, status);

    if (alcf->expand || alcf->argument) {
        ngx_http_artifact_expand_log(r);
    }

    return NGX_OK;
}


/* The value of $status. */

static ngx_uint_t
ngx_http_artifact_log_status(ngx_http_request_t *r)
{
    return r->err_status ? r->err_status : r->headers_out.status;
}


/*
 * Counts the decision, even if only a part of the answer was sent.  There is no
 * decision if the client left while the first bytes were awaited.
 */

static void
ngx_http_artifact_log_routed(ngx_http_artifact_stream_t *stream,
    unsigned handler)
{
    unsigned         at[ART_COUNT_LABELS];
    art_decision_t  *decision;

    decision = &stream->view.decision;

    if (decision->routing == ART_ROUTING_RAW) {
        return;
    }

    at[0] = art_format_number(stream->terms.format);
    at[1] = decision->kind;
    at[2] = decision->routing;
    at[3] = decision->reason;

    ngx_http_artifact_count(ART_COUNT_ROUTED, at, 1);

    if (stream->terms.reader->unknown) {
        ngx_http_artifact_count_one(ART_COUNT_UNKNOWN, handler);
    }
}


static void
ngx_http_artifact_log_message(ngx_http_artifact_message_t *message)
{
    uint32_t                  i;
    const art_attachments_t  *attachments;

    if (ngx_http_artifact_message_is_unknown(message)) {
        ngx_http_artifact_count_one(ART_COUNT_UNKNOWN, ART_COUNT_BY_MESSAGE);
    }

    attachments = ngx_http_artifact_message_attachments(message);

    for (i = 0; i < attachments->n; i++) {
        ngx_http_artifact_count_one(ART_COUNT_ATTACHMENTS,
                                    attachments->items[i].outcome);
    }
}


static void
ngx_http_artifact_log_write(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf, ngx_http_artifact_write_t *write,
    ngx_uint_t status)
{
    unsigned  at[2];

    if (!alcf->write
        || !(r->method & (NGX_HTTP_PUT|NGX_HTTP_DELETE|NGX_HTTP_POST))
        || (alcf->uri != NGX_HTTP_ARTIFACT_REFERENCE
            && alcf->uri != NGX_HTTP_ARTIFACT_PATH))
    {
        return;
    }

    at[0] = r->method == NGX_HTTP_PUT ? ART_COUNT_PUT
            : r->method == NGX_HTTP_DELETE ? ART_COUNT_DELETE : ART_COUNT_POST;

    if (write && status >= NGX_HTTP_OK && status < NGX_HTTP_SPECIAL_RESPONSE)
    {
        at[1] = write->job.meta_failed ? ART_COUNT_INCOMPLETE
                : write->job.created ? ART_COUNT_CREATED : ART_COUNT_CHANGED;

        ngx_http_artifact_count(ART_COUNT_WRITTEN, NULL,
                                (uint64_t) write->job.size);

    } else {
        at[1] = status < NGX_HTTP_INTERNAL_SERVER_ERROR ? ART_COUNT_REFUSED
                                                        : ART_COUNT_FAILED;
    }

    ngx_http_artifact_count(ART_COUNT_WRITES, at, 1);
}
