
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The content handler of "artifact_status", and the counters that a request
 * changes when it ends.
 */


#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/base/ngx_http_artifact_directive.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/route/ngx_http_artifact_stream.h"
#include "store/disk/ngx_artifact_str.h"


typedef struct {
    ngx_str_t    name;
    ngx_str_t    type;
    void       (*print)(art_out_t *out, const art_counters_t *counters,
                        const uint64_t *values);
} ngx_http_artifact_status_form_t;


static ngx_int_t ngx_http_artifact_status_init(ngx_conf_t *cf);
static ngx_int_t ngx_http_artifact_status(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static char *ngx_http_artifact_status_set(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf);
static ngx_http_artifact_status_form_t *ngx_http_artifact_status_form(
    ngx_str_t *name);
static ngx_int_t ngx_http_artifact_log_handler(ngx_http_request_t *r);
static ngx_uint_t ngx_http_artifact_log_status(ngx_http_request_t *r);
static void ngx_http_artifact_log_routed(ngx_http_artifact_stream_t *stream,
    unsigned handler);


/* The first one is the default. */

static ngx_http_artifact_status_form_t  ngx_http_artifact_status_forms[] = {

    { ngx_string("prometheus"),
      ngx_string("text/plain; version=0.0.4; charset=utf-8"),
      art_counters_text },

    { ngx_string("json"), ngx_string("application/json"), art_counters_json },

    { ngx_null_string, ngx_null_string, NULL }
};


static const ngx_http_artifact_role_t  ngx_http_artifact_status_role = {
    .uri = NGX_HTTP_ARTIFACT_URI_NAME,
    .counter = NGX_HTTP_ARTIFACT_NOBODY,
    .handler = ngx_http_artifact_status,
    .set = ngx_http_artifact_status_set
};


static ngx_command_t  ngx_http_artifact_status_commands[] = {

    { ngx_string("artifact_status"),
      NGX_HTTP_LOC_CONF|NGX_CONF_NOARGS,
      ngx_http_artifact_set_role,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      (void *) &ngx_http_artifact_status_role },

      ngx_null_command
};


static ngx_http_module_t  ngx_http_artifact_status_module_ctx = {
    .postconfiguration = ngx_http_artifact_status_init
};


ngx_module_t  ngx_http_artifact_status_module =
    NGX_HTTP_ARTIFACT_MODULE(&ngx_http_artifact_status_module_ctx,
                             ngx_http_artifact_status_commands);


static ngx_int_t
ngx_http_artifact_status_init(ngx_conf_t *cf)
{
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);

    if (!amcf->status) {
        return NGX_OK;
    }

    return ngx_http_artifact_add_handler(cf, NGX_HTTP_LOG_PHASE,
                                         ngx_http_artifact_log_handler);
}


/* Without such a location nothing is counted. */

static char *
ngx_http_artifact_status_set(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf)
{
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);
    amcf->status = 1;

    return NGX_CONF_OK;
}


static ngx_int_t
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


static ngx_int_t
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

    if (alcf->role && alcf->role->log) {
        alcf->role->log(r, ctx, status);
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
    at[3] = ngx_http_artifact_stream_reason(stream);

    ngx_http_artifact_count(ART_COUNT_ROUTED, at, 1);

    if (stream->terms.reader->unknown) {
        ngx_http_artifact_count_one(ART_COUNT_UNKNOWN, handler);
    }
}
