
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A message with attachments on its way.  Private to the room.
 */


#ifndef NGX_HTTP_ARTIFACT_MESSAGE_STATE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_MESSAGE_STATE_H_INCLUDED_


#include "http/base/ngx_http_artifact_bufs.h"
#include "http/base/ngx_http_artifact_context.h"
#include "http/base/ngx_http_artifact_work.h"
#include "http/route/ngx_http_artifact_consumer.h"
#include "core/attachment/art_attachment.h"


typedef struct ngx_http_artifact_message_s  ngx_http_artifact_message_t;


/* The state of a request, or NULL. */

#define ngx_http_artifact_get_message(r)                                      \
    ((ngx_http_artifact_message_t *)                                          \
     ngx_http_get_module_ctx(r, ngx_http_artifact_message_module))

extern ngx_module_t  ngx_http_artifact_message_module;


typedef struct ngx_http_artifact_message_derive_s
    ngx_http_artifact_message_derive_t;


struct ngx_http_artifact_message_s {
    ngx_http_request_t            *request;
    ngx_http_artifact_loc_conf_t  *conf;
    const art_format_t            *format;
    art_pool_t                     pool;         /* the request's */
    art_attachments_t              message;
    ngx_http_artifact_reader_t     reader;
    art_url_t                      url;
    ngx_uint_t                     by_url;       /* media go by it */

    ngx_http_artifact_turn_t       turn;
    art_reply_t                    reply;
    art_reply_step_t               step;
    unsigned                       due:1;        /* "step" is not over */

    /* the source that is being asked */

    ngx_str_t                      prefix;       /* artifact_source's value */
    ngx_http_request_t            *sr;
    ngx_http_artifact_consumer_t   consumer;
    unsigned                       unsafe:1;     /* it may not be asked */
    unsigned                       begun:1;      /* bytes of it were sent */

    /* its conversion; NULL while it is sent as it is, or as words */

    ngx_http_artifact_message_derive_t  *derive;
    ngx_msec_t                     until;        /* of all; 0: none yet */
    unsigned                       plain:1;      /* none can be made */

    /* what is written between the parts */

    ngx_http_artifact_bufs_t       bufs;
};


#define ngx_http_artifact_message_item(message)                               \
    (&(message)->message.items[(message)->reply.at])


/*
 * Conversions.  The first one, after the decision about a source, whose view
 * was "origin" before: sets message->derive if there is a rule for it.  The
 * second one takes what is sent meanwhile, of the original or of a conversion.
 * The third one goes on when message->sr has ended: NGX_OK if the attachment is
 * over, NGX_AGAIN while a location is asked, NGX_DECLINED if it goes on without
 * a conversion: with message->sr, or its source has to be asked again.
 * NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_message_derivable(
    ngx_http_artifact_message_t *message, ngx_http_request_t *sr,
    ngx_http_artifact_stream_t *stream, const art_view_t *origin);
ngx_int_t ngx_http_artifact_message_derive_output(
    ngx_http_artifact_message_t *message, ngx_chain_t *out);
ngx_int_t ngx_http_artifact_message_derived(
    ngx_http_artifact_message_t *message);


#endif /* NGX_HTTP_ARTIFACT_MESSAGE_STATE_H_INCLUDED_ */
