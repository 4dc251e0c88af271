
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The content handler of "artifact_message": answers a message with attachments
 * with what the model that will read it can take.
 */


#ifndef NGX_HTTP_ARTIFACT_ATTACHMENT_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_ATTACHMENT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "http/base/ngx_http_artifact_context.h"
#include "core/attachment/art_attachment.h"


/*
 * The attachments of a request's message, with what became of them so far; NULL
 * if it has none.
 */

const art_attachments_t *ngx_http_artifact_message_attachments(
    ngx_http_request_t *r);


/* For whom a request's message is; NULL if it has none. */

const ngx_http_artifact_reader_t *ngx_http_artifact_message_for(
    ngx_http_request_t *r);


#endif /* NGX_HTTP_ARTIFACT_ATTACHMENT_H_INCLUDED_ */
