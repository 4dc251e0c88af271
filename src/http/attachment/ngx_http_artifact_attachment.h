
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


/* The role of a location with "artifact_message". */

extern const ngx_http_artifact_role_t  ngx_http_artifact_message_role;


/* The attachments of a message, with what became of them so far. */

const art_attachments_t *ngx_http_artifact_message_attachments(
    ngx_http_artifact_message_t *message);


#endif /* NGX_HTTP_ARTIFACT_ATTACHMENT_H_INCLUDED_ */
