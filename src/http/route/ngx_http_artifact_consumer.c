
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Subrequests whose content has a consumer.  What tells them from others is
 * the handler that is called at their end: an internal redirect clears the
 * contexts of all modules, but not that.
 */


#include "http/route/ngx_http_artifact_consumer.h"


static ngx_int_t ngx_http_artifact_consumed(ngx_http_request_t *r, void *data,
    ngx_int_t rc);


ngx_http_request_t *
ngx_http_artifact_consume(ngx_http_request_t *r, ngx_str_t *uri,
    ngx_str_t *args, ngx_http_artifact_consumer_t *consumer)
{
    ngx_http_request_t  *sr;

    consumer->post.handler = ngx_http_artifact_consumed;
    consumer->post.data = consumer;
    consumer->status = 0;
    consumer->whole = 0;
    consumer->mixed = 0;

    if (ngx_http_subrequest(r, uri, args, &sr, &consumer->post,
                            NGX_HTTP_SUBREQUEST_WAITED)
        != NGX_OK)
    {
        return NULL;
    }

    return sr;
}


ngx_http_artifact_consumer_t *
ngx_http_artifact_consumer(ngx_http_request_t *r)
{
    if (r == r->main || r->post_subrequest == NULL
        || r->post_subrequest->handler != ngx_http_artifact_consumed)
    {
        return NULL;
    }

    return r->post_subrequest->data;
}


/*
 * nginx calls this before each try to end the subrequest, so more than once if
 * output is left, or an error has a page.  What would end the main request,
 * too, is the consumer's affair; an error may still get its "error_page".
 */

static ngx_int_t
ngx_http_artifact_consumed(ngx_http_request_t *r, void *data, ngx_int_t rc)
{
    ngx_http_artifact_consumer_t  *consumer = data;

    if (rc < NGX_HTTP_SPECIAL_RESPONSE) {
        consumer->status = r->headers_out.status;
        return NGX_OK;
    }

    consumer->status = (ngx_uint_t) rc;

    if (rc == NGX_HTTP_CLOSE || rc == NGX_HTTP_REQUEST_TIME_OUT
        || rc == NGX_HTTP_CLIENT_CLOSED_REQUEST)
    {
        return NGX_OK;
    }

    return rc;
}
