
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Private to http/attachment.
 */


#ifndef NGX_HTTP_ARTIFACT_MESSAGE_INT_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_MESSAGE_INT_H_INCLUDED_


#include "http/attachment/ngx_http_artifact_message.h"
#include "http/base/ngx_http_artifact_bufs.h"
#include "http/base/ngx_http_artifact_context.h"
#include "http/base/ngx_http_artifact_work.h"
#include "http/route/ngx_http_artifact_consumer.h"
#include "core/attachment/art_attachment_reply.h"


/* The largest message, in bytes. */

#define NGX_HTTP_ARTIFACT_MESSAGE_MAX  (1024 * 1024)


struct ngx_http_artifact_message_s {
    ngx_http_request_t            *request;
    ngx_http_artifact_loc_conf_t  *conf;
    const art_format_t            *format;
    art_pool_t                     pool;         /* the request's */
    art_attachments_t              message;
    ngx_http_artifact_reader_t     reader;

    ngx_http_artifact_turn_t       turn;
    art_reply_t                    reply;
    art_reply_step_t               step;
    unsigned                       due:1;        /* the step, still */

    /* the source that is being asked */

    ngx_str_t                      prefix;       /* artifact_source's value */
    ngx_http_request_t            *sr;
    ngx_http_artifact_consumer_t   consumer;
    unsigned                       unsafe:1;     /* so is the prefix */
    unsigned                       begun:1;      /* bytes of it went out */

    /* what is written in between */

    ngx_http_artifact_bufs_t       bufs;
};


/*
 * Asks for the attachment that the reply has come to; what comes of it goes
 * straight to the client.  NGX_AGAIN: message->sr is done some time.  NGX_OK:
 * there is nothing to ask for.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_message_ask(ngx_http_artifact_message_t *message);


/*
 * After that, its outcome is in the list.  NGX_ERROR if it broke off in the
 * middle of a part.
 */

ngx_int_t ngx_http_artifact_message_asked(
    ngx_http_artifact_message_t *message);


/* Sends the header, and then all that the client takes, until the end. */

void ngx_http_artifact_message_send(ngx_http_request_t *r);


#endif /* NGX_HTTP_ARTIFACT_MESSAGE_INT_H_INCLUDED_ */
