
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/route/ngx_http_artifact_answered.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/route/ngx_http_artifact_source_location.h"


#define ngx_http_artifact_is_white(c)                                         \
    ((c) == ' ' || ((c) >= '\t' && (c) <= '\r'))


void
ngx_http_artifact_answered(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer)
{
    ngx_int_t                 rc;
    ngx_uint_t                status;
    ngx_http_artifact_ctx_t  *ctx;

    status = consumer->status;

    if (consumer->original) {
        return;
    }

    consumer->missing = status == NGX_HTTP_UNAUTHORIZED
                        || status == NGX_HTTP_FORBIDDEN
                        || status == NGX_HTTP_NOT_FOUND
                        || status == 410;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    consumer->expired = consumer->missing && ctx && ctx->expired_at;

    /* the page of an error that keeps its status is no source */

    if (!consumer->missing || consumer->found
        || (r->err_status && consumer->astray))
    {
        return;
    }

    rc = ngx_http_artifact_location(r, consumer->folder);

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact place: \"%V\" answered with %ui: %s",
                   &r->uri, status,
                   rc == NGX_OK ? "a source"
                   : rc == NGX_ABORT ? "no data root" : "no source");

    if (rc == NGX_OK) {
        consumer->found = 1;
        ngx_http_artifact_location_log_refused(r, status);

    } else if (!consumer->astray) {
        consumer->astray = 1;
        consumer->logged = (rc == NGX_ABORT);
        consumer->uri = r->uri;
        consumer->location = ngx_http_artifact_location_name(r);
    }
}


void
ngx_http_artifact_answered_log(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer)
{
    ngx_uint_t   status;
    const char  *why;

    status = consumer->status;

    ngx_log_debug5(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact consumed: \"%V\", status %ui, whole %d, "
                   "missing %d, astray %d", &r->uri, status, consumer->whole,
                   consumer->missing, consumer->astray);

    if (consumer->original == NULL) {
        ngx_http_artifact_count_time(ART_COUNT_SOURCE_WAIT, r);
    }

    if (consumer->whole || consumer->missing) {
        return;
    }

    if (consumer->astray) {

        if (!consumer->logged) {
            ngx_http_artifact_location_log(r->connection->log, &consumer->uri,
                                           &consumer->location, status);
        }

        return;
    }

    why = consumer->why;

    if (why) {
        /* it is known */

    } else if (status != NGX_HTTP_OK) {
        why = "it did not answer with 200";

    } else if (!consumer->ended) {
        why = "it broke off";

    } else {
        why = consumer->failed ? "its content was not rendered"
                               : "a filter did not pass it on";
    }

    consumer->why = why;

    if (consumer->original) {
        return;
    }

    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "source \"%V%s%V\" of an artifact failed: %s (status %ui)",
                  &r->uri, r->args.len ? "?" : "", &r->args, why, status);
}


void
ngx_http_artifact_answered_bytes(ngx_http_artifact_consumer_t *consumer,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in)
{
    u_char  *p;

    for ( /* void */ ; in; in = in->next) {
        consumer->taken += ngx_buf_size(in->buf);

        if (!ngx_buf_in_memory(in->buf)) {
            continue;
        }

        for (p = in->buf->pos; p < in->buf->last && !consumer->inked; p++) {
            consumer->inked = !ngx_http_artifact_is_white(*p);
        }
    }

    if (consumer->most && consumer->taken > consumer->most) {
        consumer->too_long = 1;
        consumer->failed = 1;
        consumer->why = "it is too long";

        ngx_http_artifact_upstream_stop(stream->upstream);
    }
}
