
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/compose/ngx_http_artifact_ask.h"
#include "http/base/ngx_http_artifact_util.h"


static ngx_int_t ngx_http_artifact_ask_headers(ngx_http_request_t *r,
    ngx_http_request_t *sr);
static ngx_uint_t ngx_http_artifact_ask_hides(ngx_table_elt_t *header);


/* What a source does not get, and the pointer that nginx has to it. */

#define NGX_HTTP_ARTIFACT_ASK_UNKNOWN  (size_t) -1

#define ngx_http_artifact_ask_known(field)                                    \
    offsetof(ngx_http_headers_in_t, field)

static const struct {
    const char  *name;
    size_t       offset;
} ngx_http_artifact_ask_hidden[] = {

    { "Range", ngx_http_artifact_ask_known(range) },
    { "If-Range", ngx_http_artifact_ask_known(if_range) },
    { "If-Match", ngx_http_artifact_ask_known(if_match) },
    { "If-None-Match", ngx_http_artifact_ask_known(if_none_match) },
    { "If-Modified-Since", ngx_http_artifact_ask_known(if_modified_since) },
    { "If-Unmodified-Since",
      ngx_http_artifact_ask_known(if_unmodified_since) },

#if (NGX_HTTP_GZIP || NGX_HTTP_HEADERS)
    { "Accept-Encoding", ngx_http_artifact_ask_known(accept_encoding) },
#endif

    { "Content-Length", ngx_http_artifact_ask_known(content_length) },
    { "Content-Type", ngx_http_artifact_ask_known(content_type) },
    { "Content-Range", ngx_http_artifact_ask_known(content_range) },
    { "Transfer-Encoding", ngx_http_artifact_ask_known(transfer_encoding) },
    { "TE", ngx_http_artifact_ask_known(te) },
    { "Expect", ngx_http_artifact_ask_known(expect) },
    { "Upgrade", ngx_http_artifact_ask_known(upgrade) },
    { "Content-Encoding", NGX_HTTP_ARTIFACT_ASK_UNKNOWN },
    { "Content-MD5", NGX_HTTP_ARTIFACT_ASK_UNKNOWN },
    { "Content-Digest", NGX_HTTP_ARTIFACT_ASK_UNKNOWN },
    { "Digest", NGX_HTTP_ARTIFACT_ASK_UNKNOWN },
    { "Trailer", NGX_HTTP_ARTIFACT_ASK_UNKNOWN },

    /* the key of a model's API */

    { "Authorization", ngx_http_artifact_ask_known(authorization) },
    { "X-Api-Key", NGX_HTTP_ARTIFACT_ASK_UNKNOWN },
    { "Api-Key", NGX_HTTP_ARTIFACT_ASK_UNKNOWN },
    { "X-Goog-Api-Key", NGX_HTTP_ARTIFACT_ASK_UNKNOWN }
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

    sr->method = NGX_HTTP_GET;
    sr->method_name = ngx_http_core_get_method;
    sr->header_only = 0;

    return sr;
}


static ngx_int_t
ngx_http_artifact_ask_headers(ngx_http_request_t *r, ngx_http_request_t *sr)
{
    u_char           *in;
    ngx_uint_t        i;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *header, *copy;

    sr->headers_in = r->headers_in;

    if (ngx_list_init(&sr->headers_in.headers, r->pool, 20,
                      sizeof(ngx_table_elt_t))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    for (part = &r->headers_in.headers.part; part; part = part->next) {

        header = part->elts;

        for (i = 0; i < part->nelts; i++) {

            if (header[i].hash == 0
                || ngx_http_artifact_ask_hides(&header[i]))
            {
                continue;
            }

            copy = ngx_list_push(&sr->headers_in.headers);
            if (copy == NULL) {
                return NGX_ERROR;
            }

            *copy = header[i];
        }
    }

    in = (u_char *) &sr->headers_in;

    for (i = 0; i < sizeof(ngx_http_artifact_ask_hidden)
                    / sizeof(ngx_http_artifact_ask_hidden[0]); i++)
    {
        if (ngx_http_artifact_ask_hidden[i].offset
            != NGX_HTTP_ARTIFACT_ASK_UNKNOWN)
        {
            *(ngx_table_elt_t **) (in
                              + ngx_http_artifact_ask_hidden[i].offset) = NULL;
        }
    }

    sr->headers_in.content_length_n = -1;
    sr->headers_in.chunked = 0;

    return NGX_OK;
}


static ngx_uint_t
ngx_http_artifact_ask_hides(ngx_table_elt_t *header)
{
    ngx_uint_t  i;

    for (i = 0; i < sizeof(ngx_http_artifact_ask_hidden)
                    / sizeof(ngx_http_artifact_ask_hidden[0]); i++)
    {
        if (ngx_http_artifact_header_is(header,
                                       ngx_http_artifact_ask_hidden[i].name))
        {
            return 1;
        }
    }

    return 0;
}
