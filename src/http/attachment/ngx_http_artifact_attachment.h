
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The content handler of "artifact_message": answers a message with attachments
 * with what the model that will read it can take.
 */


#ifndef NGX_HTTP_ARTIFACT_ATTACHMENT_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_ATTACHMENT_H_INCLUDED_


#include "http/base/ngx_http_artifact_context.h"
#include "core/attachment/art_attachment.h"


/*
 * Answers a POST, and refuses other methods; returns what the content handler
 * has to return.  The answer is sent while it is made: a source is asked only
 * after the client has taken everything before it.
 */

ngx_int_t ngx_http_artifact_message(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);


/* The attachments of a message, with what became of them so far. */

const art_attachments_t *ngx_http_artifact_message_attachments(
    ngx_http_artifact_message_t *message);


/* Whether no capability map has the model that was asked for. */

ngx_uint_t ngx_http_artifact_message_is_unknown(
    ngx_http_artifact_message_t *message);


#endif /* NGX_HTTP_ARTIFACT_ATTACHMENT_H_INCLUDED_ */
