
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The variables.  Those of the URI have their values from the rewrite phase on,
 * those of the answer once it is being made.
 */


#include "http/module/ngx_http_artifact_module.h"
#include "http/base/ngx_http_artifact_context.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_variable.h"
#include "http/source/ngx_http_artifact_classify.h"
#include "http/source/ngx_http_artifact_source.h"
#include "http/route/ngx_http_artifact_consumer.h"
#include "http/route/ngx_http_artifact_stream.h"
#include "http/expand/ngx_http_artifact_expand.h"
#include "http/attachment/ngx_http_artifact_attachment.h"
#include "store/disk/ngx_artifact_str.h"


typedef enum {
    NGX_HTTP_ARTIFACT_VAR_REF = 0,
    NGX_HTTP_ARTIFACT_VAR_ID,
    NGX_HTTP_ARTIFACT_VAR_WORKSPACE,
    NGX_HTTP_ARTIFACT_VAR_PATH,
    NGX_HTTP_ARTIFACT_VAR_KEY,
    NGX_HTTP_ARTIFACT_VAR_NAME,
    NGX_HTTP_ARTIFACT_VAR_MIME,
    NGX_HTTP_ARTIFACT_VAR_MIME_SOURCE,
    NGX_HTTP_ARTIFACT_VAR_BINARY_TYPE,
    NGX_HTTP_ARTIFACT_VAR_CONTENT_TYPE,
    NGX_HTTP_ARTIFACT_VAR_ROUTING,
    NGX_HTTP_ARTIFACT_VAR_REASON,
    NGX_HTTP_ARTIFACT_VAR_DERIVED
} ngx_http_artifact_var_e;


static ngx_int_t ngx_http_artifact_uri_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_artifact_set_key(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, art_ref_t *ref);
static ngx_int_t ngx_http_artifact_answer_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_http_artifact_ctx_t *ngx_http_artifact_answer_ctx(
    ngx_http_request_t *r);
static art_str_t ngx_http_artifact_answer_value(ngx_http_artifact_ctx_t *ctx,
    uintptr_t data);
static ngx_int_t ngx_http_artifact_pixels_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_artifact_version_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_artifact_service_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_artifact_capabilities_variable(
    ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_artifact_reasons_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static void ngx_http_artifact_routed_reason(ngx_http_artifact_ctx_t *ctx,
    art_reasons_t *reasons);


ngx_http_variable_t  ngx_http_artifact_variables[] = {

    { ngx_string("artifact_ref"), NULL, ngx_http_artifact_uri_variable,
      NGX_HTTP_ARTIFACT_VAR_REF, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_id"), NULL, ngx_http_artifact_uri_variable,
      NGX_HTTP_ARTIFACT_VAR_ID, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_workspace"), NULL, ngx_http_artifact_uri_variable,
      NGX_HTTP_ARTIFACT_VAR_WORKSPACE, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_path"), NULL, ngx_http_artifact_uri_variable,
      NGX_HTTP_ARTIFACT_VAR_PATH, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_key"), NULL, ngx_http_artifact_uri_variable,
      NGX_HTTP_ARTIFACT_VAR_KEY, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_name"), NULL, ngx_http_artifact_answer_variable,
      NGX_HTTP_ARTIFACT_VAR_NAME, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_mime"), NULL, ngx_http_artifact_answer_variable,
      NGX_HTTP_ARTIFACT_VAR_MIME, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_mime_source"), NULL,
      ngx_http_artifact_answer_variable,
      NGX_HTTP_ARTIFACT_VAR_MIME_SOURCE, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_binary_type"), NULL,
      ngx_http_artifact_answer_variable,
      NGX_HTTP_ARTIFACT_VAR_BINARY_TYPE, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_pixels"), NULL, ngx_http_artifact_pixels_variable,
      0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_content_type"), NULL,
      ngx_http_artifact_answer_variable,
      NGX_HTTP_ARTIFACT_VAR_CONTENT_TYPE, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_routing"), NULL, ngx_http_artifact_answer_variable,
      NGX_HTTP_ARTIFACT_VAR_ROUTING, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_reason"), NULL, ngx_http_artifact_answer_variable,
      NGX_HTTP_ARTIFACT_VAR_REASON, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_derived"), NULL, ngx_http_artifact_answer_variable,
      NGX_HTTP_ARTIFACT_VAR_DERIVED, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_version"), NULL,
      ngx_http_artifact_version_variable,
      0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_reasons"), NULL, ngx_http_artifact_reasons_variable,
      0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_service"), NULL,
      ngx_http_artifact_service_variable,
      0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_capabilities"), NULL,
      ngx_http_artifact_capabilities_variable,
      0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

      ngx_http_null_variable
};


static ngx_int_t
ngx_http_artifact_uri_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_http_artifact_ctx_t  *ctx;

    ctx = ngx_http_artifact_get_ctx(ngx_http_artifact_variable_owner(r));
    if (ctx == NULL) {
        return NGX_ERROR;
    }

    if (data == NGX_HTTP_ARTIFACT_VAR_REF) {
        return ngx_http_artifact_variable_text(r, v,
                                               ngx_artifact_str(&ctx->given));
    }

    if (ctx->bad || ctx->status != ART_ID_OK) {
        v->not_found = 1;
        return NGX_OK;
    }

    switch (data) {

    case NGX_HTTP_ARTIFACT_VAR_ID:
        return ngx_http_artifact_variable_text(r, v, ctx->ref.id);

    case NGX_HTTP_ARTIFACT_VAR_WORKSPACE:
        return ngx_http_artifact_variable_text(r, v, ctx->ref.workspace);

    case NGX_HTTP_ARTIFACT_VAR_PATH:
        return ngx_http_artifact_variable_text(r, v, ctx->ref.path);

    default:  /* NGX_HTTP_ARTIFACT_VAR_KEY */
        return ngx_http_artifact_set_key(r, v, &ctx->ref);
    }
}


static ngx_int_t
ngx_http_artifact_set_key(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, art_ref_t *ref)
{
    art_out_t  out;

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_id_key(&out, ref);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    if (out.data == NULL) {
        return NGX_ERROR;
    }

    ngx_http_artifact_variable_set(v, art_str(out.data, out.len));

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_answer_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_http_artifact_ctx_t  *ctx;

    ctx = ngx_http_artifact_answer_ctx(r);

    if (ctx == NULL) {
        v->not_found = 1;
        return NGX_OK;
    }

    return ngx_http_artifact_variable_text(r, v,
                                    ngx_http_artifact_answer_value(ctx, data));
}


/*
 * The context with the source, or NULL.  Nothing is known before the source is
 * opened, so no context is created; a subrequest for an artifact has its own
 * source.
 */

static ngx_http_artifact_ctx_t *
ngx_http_artifact_answer_ctx(ngx_http_request_t *r)
{
    ngx_http_artifact_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    if (ctx == NULL || ctx->source == NULL) {
        ctx = ngx_http_get_module_ctx(ngx_http_artifact_variable_owner(r),
                                      ngx_artifact_module);
    }

    return ctx != NULL && ctx->source != NULL ? ctx : NULL;
}


static art_str_t
ngx_http_artifact_answer_value(ngx_http_artifact_ctx_t *ctx, uintptr_t data)
{
    art_kind_t       kind;
    const char      *text;
    art_verdict_t   *verdict;
    art_decision_t   decision;

    if (data == NGX_HTTP_ARTIFACT_VAR_NAME) {
        return ctx->source->name;
    }

    if (!ctx->source->classified) {
        return art_str(NULL, 0);
    }

    text = NULL;

    /* a routed answer may have read an image as text */

    ngx_memzero(&decision, sizeof(art_decision_t));

    verdict = &ctx->source->verdict;

    if (ctx->stream) {
        decision = ctx->stream->view.decision;
    }

    kind = decision.routing == ART_ROUTING_RAW ? verdict->kind : decision.kind;

    switch (data) {

    case NGX_HTTP_ARTIFACT_VAR_MIME:
        return art_str(verdict->type.buf, verdict->type.len);

    case NGX_HTTP_ARTIFACT_VAR_DERIVED:
        return ctx->stream ? ctx->stream->derived : art_str(NULL, 0);

    case NGX_HTTP_ARTIFACT_VAR_MIME_SOURCE:
        text = art_from_name(verdict->from);
        break;

    case NGX_HTTP_ARTIFACT_VAR_BINARY_TYPE:
        if (kind != ART_KIND_TEXT) {
            text = art_kind_name(kind);
        }
        break;

    case NGX_HTTP_ARTIFACT_VAR_CONTENT_TYPE:
        text = art_content_type_name(kind);
        break;

    case NGX_HTTP_ARTIFACT_VAR_ROUTING:
        text = art_routing_name(decision.routing);
        break;

    default:  /* NGX_HTTP_ARTIFACT_VAR_REASON */
        text = art_reason_name(decision.reason);
    }

    return text ? art_cstr(text) : art_str(NULL, 0);
}


/* An image is measured when the variable is first used. */

static ngx_int_t
ngx_http_artifact_pixels_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    u_char                      *p;
    ngx_http_artifact_ctx_t     *ctx;
    ngx_http_artifact_source_t  *source;

    ctx = ngx_http_artifact_answer_ctx(r);

    if (ctx == NULL) {
        v->not_found = 1;
        return NGX_OK;
    }

    source = ctx->source;

    ngx_http_artifact_measure(r, source);

    if (source->width == 0) {
        v->not_found = 1;
        return NGX_OK;
    }

    p = ngx_pnalloc(r->pool, 2 * NGX_INT32_LEN + 1);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_http_artifact_variable_set(v,
           art_str(p, (size_t) (ngx_sprintf(p, "%uDx%uD", source->width,
                                            source->height) - p)));

    return NGX_OK;
}


/*
 * Where a converter is asked, it is that of the content to be converted, and of
 * the type that the converter is told.
 */

static ngx_int_t
ngx_http_artifact_version_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_str_t                      version;
    ngx_http_artifact_ctx_t       *ctx;
    ngx_http_artifact_original_t  *original;

    original = ngx_http_artifact_original(r);

    if (original && original->request) {
        r = original->request;
    }

    if (original && original->digest.len > 0) {
        version = original->digest;

    } else {
        ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

        if (ctx == NULL || ctx->source == NULL) {
            r = ngx_http_artifact_variable_owner(r);
        }

        if (ngx_http_artifact_version(r, &version) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    if (original
        && ngx_http_artifact_version_told(r, ngx_artifact_str(&version),
                                          original->mime, &version)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_http_artifact_variable_set(v, ngx_artifact_str(&version));

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_service_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_http_artifact_reader_t  *reader;

    reader = ngx_http_artifact_get_reader(r);
    if (reader == NULL) {
        return NGX_ERROR;
    }

    return ngx_http_artifact_variable_text(r, v, reader->service
                                          ? reader->service->id
                                          : ngx_artifact_str(&reader->asked));
}


/* The names in effect, "text,vision". */

static ngx_int_t
ngx_http_artifact_capabilities_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    unsigned                     i;
    art_out_t                    out;
    const art_caps_t            *caps;
    ngx_http_artifact_reader_t  *reader;

    reader = ngx_http_artifact_get_reader(r);
    if (reader == NULL) {
        return NGX_ERROR;
    }

    if (reader->accept.len > 0) {
        return ngx_http_artifact_variable_text(r, v,
                                           ngx_artifact_str(&reader->accept));
    }

    if (reader->service == NULL) {
        ngx_http_artifact_variable_set(v, art_cstr("text"));
        return NGX_OK;
    }

    caps = &reader->service->input;

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        for (i = 0; i < caps->nnames; i++) {

            if (i > 0) {
                art_out_char(&out, ',');
            }

            art_out_str(&out, caps->names[i]);
        }

    } while (ngx_http_artifact_print_again(r->pool, &out));

    if (out.data == NULL) {
        return NGX_ERROR;
    }

    return ngx_http_artifact_variable_text(r, v, art_str(out.data, out.len));
}


/* What became words, of a request, a message or a routed answer. */

static ngx_int_t
ngx_http_artifact_reasons_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    u_char                   *p;
    art_str_t                 line;
    art_reasons_t             reasons;
    const art_attachments_t  *message;
    ngx_http_artifact_ctx_t  *ctx;
    u_char                    buf[ART_REASONS_MAX];

    art_reasons_init(&reasons, buf);

    ngx_http_artifact_expand_reasons(r, &reasons);

    ctx = ngx_http_get_module_ctx(r->main, ngx_artifact_module);

    message = ngx_http_artifact_message_attachments(r->main);

    if (message) {
        art_attachment_reasons(message, &reasons);
    }

    if (ctx && ctx->stream && ctx->source) {
        ngx_http_artifact_routed_reason(ctx, &reasons);
    }

    line = art_reasons_end(&reasons);

    if (line.len == 0) {
        v->not_found = 1;
        return NGX_OK;
    }

    p = ngx_pnalloc(r->pool, line.len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(p, line.data, line.len);
    ngx_http_artifact_variable_set(v, art_str(p, line.len));

    return NGX_OK;
}


static void
ngx_http_artifact_routed_reason(ngx_http_artifact_ctx_t *ctx,
    art_reasons_t *reasons)
{
    const art_decision_t  *decision;

    decision = &ctx->stream->view.decision;

    if (decision->described) {
        art_reasons_add(reasons, ctx->source->id, decision->kind,
                        decision->reason == ART_REASON_NONE
                        ? "empty" : art_reason_name(decision->reason));
    }
}
