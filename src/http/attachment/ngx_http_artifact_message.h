
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The content of "artifact_message": a message with attachments, which is
 * answered with what the model that is to read it can take.
 */


#ifndef NGX_HTTP_ARTIFACT_MESSAGE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_MESSAGE_H_INCLUDED_


#include "http/base/ngx_http_artifact_context.h"


/*
 * Answers a POST, and refuses all else; the value is for the content handler
 * to return.  The answer goes out while it is made: what a client does not
 * take, no source is asked for.
 */

ngx_int_t ngx_http_artifact_message(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);


/* Counts, when the request ends, what became of each attachment. */

void ngx_http_artifact_message_tell(ngx_http_artifact_message_t *message);


#endif /* NGX_HTTP_ARTIFACT_MESSAGE_H_INCLUDED_ */
