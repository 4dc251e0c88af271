
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A message with attachments: its sources.  Their parts go on as if they were
 * the answers of subrequests, which they are: nginx keeps the order, and the
 * client's pace.
 */


#include "http/base/ngx_http_artifact_zone.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/compose/ngx_http_artifact_ask.h"
#include "http/route/ngx_http_artifact_consumer.h"
#include "http/route/ngx_http_artifact_route.h"
#include "store/disk/ngx_artifact_str.h"


static ngx_int_t ngx_http_artifact_message_choose(ngx_http_request_t *sr,
    ngx_http_artifact_stream_t *stream, ngx_uint_t empty, ngx_uint_t failed);
static ngx_int_t ngx_http_artifact_message_output(ngx_http_request_t *sr,
    ngx_chain_t *out);


#define ngx_http_artifact_message_item(message)                               \
    (&(message)->message.items[(message)->reply.at])


ngx_int_t
ngx_http_artifact_message_ask(ngx_http_artifact_message_t *message)
{
    ngx_event_t                *wev;
    ngx_http_request_t         *r;
    ngx_http_artifact_terms_t  *terms;

    r = message->request;

    if (message->unsafe) {
        ngx_http_artifact_message_item(message)->outcome = ART_ATTACHED_GONE;
        return NGX_OK;
    }

    terms = &message->consumer.terms;

    terms->conf = message->conf;
    terms->reader = &message->reader;
    terms->format = message->format->in_message ? message->format->in_message
                                                : message->format;
    terms->choose = ngx_http_artifact_message_choose;

    if ((terms->format->flags & ART_FORMAT_CALL_ID)
        && ngx_http_artifact_tool_call_id(r, &terms->tool_call_id) != NGX_OK)
    {
        return NGX_ERROR;
    }

    message->consumer.output = ngx_http_artifact_message_output;
    message->consumer.data = message;
    message->begun = 0;

    /* the client has all there is, and waits as long as the source takes */

    wev = r->connection->write;

    if (wev->timer_set && !wev->delayed) {
        ngx_del_timer(wev);
    }

    message->sr = ngx_http_artifact_ask(r, &message->prefix,
                                 ngx_http_artifact_message_item(message)->id,
                                 &message->consumer);

    return message->sr ? NGX_AGAIN : NGX_ERROR;
}


static ngx_int_t
ngx_http_artifact_message_choose(ngx_http_request_t *sr,
    ngx_http_artifact_stream_t *stream, ngx_uint_t empty, ngx_uint_t failed)
{
    ngx_str_t                     words;
    art_attachment_t             *item;
    ngx_http_artifact_message_t  *message;

    message = ngx_http_artifact_consumer(sr)->data;
    item = ngx_http_artifact_message_item(message);

    if (art_reply_decide(&message->reply, &stream->view, empty & 1,
                         &message->pool)
        != ART_OK)
    {
        return NGX_ERROR;
    }

    if (art_attachment_is_unsupported(item)
        && message->conf->description)
    {
        if (ngx_http_artifact_lines_value(sr, message->conf->description,
                                          &words)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        item->words = ngx_artifact_str(&words);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_message_output(ngx_http_request_t *sr, ngx_chain_t *out)
{
    ngx_chain_t                  *cl;
    ngx_http_artifact_message_t  *message;

    message = ngx_http_artifact_consumer(sr)->data;

    if (ngx_http_artifact_message_item(message)->outcome != ART_ATTACHED_PART)
    {
        ngx_http_artifact_drop(out);
        return NGX_OK;
    }

    for (cl = out; cl; cl = cl->next) {
        message->begun |= ngx_buf_size(cl->buf) > 0;
    }

    return ngx_http_artifact_capture_pass(sr, out);
}


ngx_int_t
ngx_http_artifact_message_asked(ngx_http_artifact_message_t *message)
{
    art_attachment_t    *item;
    ngx_http_request_t  *sr;

    sr = message->sr;
    item = ngx_http_artifact_message_item(message);

    message->sr = NULL;

    if (item->outcome == ART_ATTACHED_PART && message->consumer.whole) {
        ngx_http_artifact_consumer_release(sr);
        return NGX_OK;
    }

    if (message->begun) {
        ngx_log_error(NGX_LOG_ERR, sr->connection->log, 0,
                      "the source of an attachment broke off");
        ngx_http_artifact_count(ART_COUNT_SOURCES_FAILED, NULL, 1);
        return NGX_ERROR;
    }

    ngx_http_artifact_consumer_release(sr);

    switch (message->consumer.status) {

    case NGX_HTTP_OK:

        if (item->outcome != ART_ATTACHED_DESCRIBED) {
            item->outcome = ART_ATTACHED_UNREAD;
        }

        break;

    case NGX_HTTP_UNAUTHORIZED:
    case NGX_HTTP_FORBIDDEN:
    case NGX_HTTP_NOT_FOUND:
    case 410:
        item->outcome = ART_ATTACHED_GONE;
        break;

    default:
        ngx_http_artifact_count(ART_COUNT_SOURCES_FAILED, NULL, 1);
        item->outcome = ART_ATTACHED_UNREAD;
    }

    return NGX_OK;
}


void
ngx_http_artifact_message_log(ngx_http_artifact_message_t *message)
{
    uint32_t  i;

    for (i = 0; i < message->message.n; i++) {
        ngx_http_artifact_count_one(ART_COUNT_ATTACHMENTS,
                                    message->message.items[i].outcome);
    }
}
