
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The variables.  Those of the URI have their values from the rewrite phase on,
 * those of the answer once it is being made.
 */


#include "http/module/ngx_http_artifact_module.h"
#include "http/base/ngx_http_artifact_context.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_directive.h"
#include "http/source/ngx_http_artifact_classify.h"
#include "http/source/ngx_http_artifact_source.h"
#include "http/route/ngx_http_artifact_consumer.h"
#include "http/route/ngx_http_artifact_stream.h"
#include "http/expand/ngx_http_artifact_expand.h"
#include "http/attachment/ngx_http_artifact_attachment.h"
#include "store/disk/ngx_artifact_str.h"


/* A variable's text, of a source that has been classified; or no text. */

typedef art_str_t (*ngx_http_artifact_answer_text_pt)(
    ngx_http_artifact_ctx_t *ctx);


static ngx_int_t ngx_http_artifact_given_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_artifact_ref_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_artifact_key_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_artifact_name_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_artifact_answer_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_http_artifact_ctx_t *ngx_http_artifact_answer_ctx(
    ngx_http_request_t *r);
static art_str_t ngx_http_artifact_mime(ngx_http_artifact_ctx_t *ctx);
static art_str_t ngx_http_artifact_mime_source(ngx_http_artifact_ctx_t *ctx);
static art_str_t ngx_http_artifact_binary_type(ngx_http_artifact_ctx_t *ctx);
static art_str_t ngx_http_artifact_content_type(ngx_http_artifact_ctx_t *ctx);
static art_kind_t ngx_http_artifact_kind(ngx_http_artifact_ctx_t *ctx);
static art_str_t ngx_http_artifact_routing(ngx_http_artifact_ctx_t *ctx);
static art_str_t ngx_http_artifact_reason(ngx_http_artifact_ctx_t *ctx);
static art_str_t ngx_http_artifact_text(const char *text);
static ngx_int_t ngx_http_artifact_pixels_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_artifact_version_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_artifact_service_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_artifact_capabilities_variable(
    ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_artifact_derived_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_artifact_reasons_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static void ngx_http_artifact_asked_reasons(ngx_http_request_t *r,
    art_reasons_t *reasons);
static ngx_int_t ngx_http_artifact_reasons_line(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, art_reasons_t *reasons);
static void ngx_http_artifact_routed_reason(ngx_http_artifact_ctx_t *ctx,
    art_reasons_t *reasons);


ngx_http_variable_t  ngx_http_artifact_variables[] = {

    { ngx_string("artifact_ref"), NULL, ngx_http_artifact_given_variable,
      0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_id"), NULL, ngx_http_artifact_ref_variable,
      offsetof(art_ref_t, id), NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_workspace"), NULL, ngx_http_artifact_ref_variable,
      offsetof(art_ref_t, workspace), NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_path"), NULL, ngx_http_artifact_ref_variable,
      offsetof(art_ref_t, path), NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_key"), NULL, ngx_http_artifact_key_variable,
      0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_name"), NULL, ngx_http_artifact_name_variable,
      0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_mime"), NULL, ngx_http_artifact_answer_variable,
      (uintptr_t) ngx_http_artifact_mime,
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_mime_source"), NULL,
      ngx_http_artifact_answer_variable,
      (uintptr_t) ngx_http_artifact_mime_source,
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_binary_type"), NULL,
      ngx_http_artifact_answer_variable,
      (uintptr_t) ngx_http_artifact_binary_type,
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_pixels"), NULL, ngx_http_artifact_pixels_variable,
      0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_content_type"), NULL,
      ngx_http_artifact_answer_variable,
      (uintptr_t) ngx_http_artifact_content_type,
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_routing"), NULL, ngx_http_artifact_answer_variable,
      (uintptr_t) ngx_http_artifact_routing,
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_reason"), NULL, ngx_http_artifact_answer_variable,
      (uintptr_t) ngx_http_artifact_reason,
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_derived"), NULL, ngx_http_artifact_derived_variable,
      0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

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
ngx_http_artifact_given_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_http_artifact_ctx_t  *ctx;

    ctx = ngx_http_artifact_get_ctx(ngx_http_artifact_variable_owner(r));
    if (ctx == NULL) {
        return NGX_ERROR;
    }

    if (ctx->standin.len > 0) {
        v->not_found = 1;
        return NGX_OK;
    }

    return ngx_http_artifact_variable_text(r, v,
                                           ngx_artifact_str(&ctx->given));
}


/* A member of a reference that is well-formed. */

static ngx_int_t
ngx_http_artifact_ref_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_http_artifact_ctx_t  *ctx;

    ctx = ngx_http_artifact_get_ctx(ngx_http_artifact_variable_owner(r));
    if (ctx == NULL) {
        return NGX_ERROR;
    }

    if (ctx->bad || ctx->status != ART_ID_OK || ctx->standin.len > 0) {
        v->not_found = 1;
        return NGX_OK;
    }

    return ngx_http_artifact_variable_text(r, v,
                               *(art_str_t *) ((u_char *) &ctx->ref + data));
}


static ngx_int_t
ngx_http_artifact_key_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    art_out_t                 out;
    ngx_http_artifact_ctx_t  *ctx;

    ctx = ngx_http_artifact_get_ctx(ngx_http_artifact_variable_owner(r));
    if (ctx == NULL) {
        return NGX_ERROR;
    }

    if (ctx->bad || ctx->status != ART_ID_OK || ctx->standin.len > 0) {
        v->not_found = 1;
        return NGX_OK;
    }

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_id_key(&out, &ctx->ref);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    if (out.data == NULL) {
        return NGX_ERROR;
    }

    ngx_http_artifact_variable_set(v, art_str(out.data, out.len));

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_name_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_http_artifact_ctx_t  *ctx;

    ctx = ngx_http_artifact_answer_ctx(r);

    return ngx_http_artifact_variable_text(r, v, ctx ? ctx->source->name
                                                     : art_str(NULL, 0));
}


static ngx_int_t
ngx_http_artifact_answer_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_http_artifact_ctx_t           *ctx;
    ngx_http_artifact_answer_text_pt   text;

    ctx = ngx_http_artifact_answer_ctx(r);

    if (ctx == NULL || !ctx->source->classified) {
        v->not_found = 1;
        return NGX_OK;
    }

    text = (ngx_http_artifact_answer_text_pt) data;

    return ngx_http_artifact_variable_text(r, v, text(ctx));
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
ngx_http_artifact_mime(ngx_http_artifact_ctx_t *ctx)
{
    art_verdict_t  *verdict;

    verdict = &ctx->source->verdict;

    return art_str(verdict->type.buf, verdict->type.len);
}


static art_str_t
ngx_http_artifact_mime_source(ngx_http_artifact_ctx_t *ctx)
{
    return ngx_http_artifact_text(art_from_name(ctx->source->verdict.from));
}


static art_str_t
ngx_http_artifact_binary_type(ngx_http_artifact_ctx_t *ctx)
{
    art_kind_t  kind;

    kind = ngx_http_artifact_kind(ctx);

    return ngx_http_artifact_text(kind != ART_KIND_TEXT ? art_kind_name(kind)
                                                        : NULL);
}


static art_str_t
ngx_http_artifact_content_type(ngx_http_artifact_ctx_t *ctx)
{
    return ngx_http_artifact_text(
                          art_content_type_name(ngx_http_artifact_kind(ctx)));
}


/* A routed answer may have read an image as text. */

static art_kind_t
ngx_http_artifact_kind(ngx_http_artifact_ctx_t *ctx)
{
    if (ctx->stream
        && ctx->stream->view.decision.routing != ART_ROUTING_RAW)
    {
        return ctx->stream->view.decision.kind;
    }

    return ctx->source->verdict.kind;
}


static art_str_t
ngx_http_artifact_routing(ngx_http_artifact_ctx_t *ctx)
{
    art_routing_t  routing;

    routing = ART_ROUTING_RAW;

    if (ctx->stream) {
        routing = ctx->stream->view.decision.routing;
    }

    return ngx_http_artifact_text(art_routing_name(routing));
}


static art_str_t
ngx_http_artifact_reason(ngx_http_artifact_ctx_t *ctx)
{
    art_reason_t  reason;

    reason = ART_REASON_NONE;

    if (ctx->stream) {
        reason = ngx_http_artifact_stream_reason(ctx->stream);
    }

    return ngx_http_artifact_text(art_reason_name(reason));
}


static art_str_t
ngx_http_artifact_text(const char *text)
{
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
    ngx_int_t                      rc;
    ngx_str_t                      version;
    ngx_http_artifact_ctx_t       *ctx;
    ngx_http_artifact_original_t  *original;

    original = ngx_http_artifact_original(r);

    if (original && original->request) {
        r = original->request;
    }

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    if (ctx == NULL || ctx->source == NULL) {
        r = ngx_http_artifact_variable_owner(r);
    }

    if (original == NULL) {
        rc = ngx_http_artifact_version(r, &version);

    } else if (original->digest.len > 0) {
        rc = ngx_http_artifact_version_told(r,
                                         ngx_artifact_str(&original->digest),
                                         original->mime, &version);

    } else {
        rc = ngx_http_artifact_version_sent(r, original->mime, &version);
    }

    if (rc != NGX_OK) {
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

    reader = ngx_http_artifact_expand_reader(r);

    if (reader == NULL) {
        reader = ngx_http_artifact_get_reader(r);
    }

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


/* What was made of a routed answer, or of parts of a request or message. */

static ngx_int_t
ngx_http_artifact_derived_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    art_reasons_t             reasons;
    ngx_http_artifact_ctx_t  *ctx;
    u_char                    buf[ART_REASONS_MAX];

    ctx = ngx_http_artifact_answer_ctx(r);

    if (ctx && ctx->source->classified) {
        return ngx_http_artifact_variable_text(r, v, ctx->stream
                                                     ? ctx->stream->derived
                                                     : art_str(NULL, 0));
    }

    art_reasons_init(&reasons, buf);
    reasons.derived = 1;

    ngx_http_artifact_asked_reasons(r, &reasons);

    return ngx_http_artifact_reasons_line(r, v, &reasons);
}


/* The same, and what became words. */

static ngx_int_t
ngx_http_artifact_reasons_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    art_reasons_t             reasons;
    ngx_http_artifact_ctx_t  *ctx;
    u_char                    buf[ART_REASONS_MAX];

    art_reasons_init(&reasons, buf);

    ngx_http_artifact_asked_reasons(r, &reasons);

    ctx = ngx_http_get_module_ctx(r->main, ngx_artifact_module);

    if (ctx && ctx->stream && ctx->source) {
        ngx_http_artifact_routed_reason(ctx, &reasons);
    }

    return ngx_http_artifact_reasons_line(r, v, &reasons);
}


/* Of an expanded request, or a message. */

static void
ngx_http_artifact_asked_reasons(ngx_http_request_t *r, art_reasons_t *reasons)
{
    const art_attachments_t  *message;

    ngx_http_artifact_expand_reasons(r, reasons);

    message = ngx_http_artifact_message_attachments(r->main);

    if (message) {
        art_attachment_reasons(message, reasons);
    }
}


static ngx_int_t
ngx_http_artifact_reasons_line(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, art_reasons_t *reasons)
{
    u_char     *p;
    art_str_t   line;

    line = art_reasons_end(reasons);

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
    art_reason_t                 reason;
    const art_decision_t        *decision;
    ngx_http_artifact_stream_t  *stream;

    stream = ctx->stream;
    decision = &stream->view.decision;
    reason = ngx_http_artifact_stream_reason(stream);

    if (decision->described) {
        art_reasons_add(reasons, ctx->source->id, decision->kind,
                        reason == ART_REASON_NONE ? "empty"
                                                  : art_reason_name(reason));

    } else if (stream->derived.len > 0) {
        art_reasons_derived(reasons, ctx->source->id, decision->kind,
                            stream->derived);
    }
}
