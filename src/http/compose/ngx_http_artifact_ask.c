
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/compose/ngx_http_artifact_ask.h"
#include "http/base/ngx_http_artifact_util.h"


static ngx_int_t ngx_http_artifact_ask_headers(ngx_http_request_t *r,
    ngx_http_request_t *sr);


/* What a source does not get; the last ones are the key of a model's API. */

static const char *const  ngx_http_artifact_ask_hidden[] = {
    "Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since",
    "If-Unmodified-Since", "Accept-Encoding",
    "Content-Length", "Content-Type", "Content-Range", "Content-Encoding",
    "Content-MD5", "Content-Digest", "Digest", "Repr-Digest",
    "Transfer-Encoding", "TE", "Trailer", "Expect", "Upgrade",
    "Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key", NULL
};


ngx_http_request_t *
ngx_http_artifact_ask(ngx_http_request_t *r, ngx_str_t *prefix, art_str_t id,
    ngx_http_artifact_consumer_t *consumer)
{
    ngx_str_t            uri, args;
    ngx_http_request_t  *sr;

    ngx_str_null(&args);

    /* the URI of a subrequest is a decoded one: who proxies it, encodes it */

    if (ngx_http_artifact_concat(r->pool, &uri,
                                 art_str(prefix->data, prefix->len), id)
        != NGX_OK)
    {
        return NULL;
    }

    sr = ngx_http_artifact_consume(r, &uri, &args, consumer);
    if (sr == NULL) {
        return NULL;
    }

    /* a body of its own, or a proxy would send that of the request */

    sr->request_body = ngx_pcalloc(r->pool, sizeof(ngx_http_request_body_t));

    if (sr->request_body == NULL
        || ngx_http_artifact_ask_headers(r, sr) != NGX_OK)
    {
        return NULL;
    }

    return sr;
}


/* nginx's own pointers to what is hidden go, too. */

static ngx_int_t
ngx_http_artifact_ask_headers(ngx_http_request_t *r, ngx_http_request_t *sr)
{
    ngx_http_headers_in_t  *in;

    in = &sr->headers_in;
    *in = r->headers_in;

    in->range = NULL;
    in->if_range = NULL;
    in->if_match = NULL;
    in->if_none_match = NULL;
    in->if_modified_since = NULL;
    in->if_unmodified_since = NULL;
#if (NGX_HTTP_GZIP || NGX_HTTP_HEADERS)
    in->accept_encoding = NULL;
#endif
    in->content_length = NULL;
    in->content_type = NULL;
    in->content_range = NULL;
    in->transfer_encoding = NULL;
    in->te = NULL;
    in->expect = NULL;
    in->upgrade = NULL;
    in->authorization = NULL;

    in->content_length_n = -1;
    in->chunked = 0;

    return ngx_http_artifact_take_headers(r->pool, &in->headers,
                                          ngx_http_artifact_ask_hidden, NULL);
}
