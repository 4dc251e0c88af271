
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/compose/ngx_http_artifact_ask.h"
#include "http/base/ngx_http_artifact_util.h"


static ngx_int_t ngx_http_artifact_ask_headers(ngx_http_request_t *r,
    ngx_http_request_t *sr);
static ngx_int_t ngx_http_artifact_ask_variables(ngx_http_request_t *r,
    ngx_http_request_t *sr);
static ngx_uint_t ngx_http_artifact_ask_is_own(ngx_str_t *name);


/* What a source does not get; the last ones are the key of a model's API. */

static const char *const  ngx_http_artifact_ask_hidden[] = {
    "Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since",
    "If-Unmodified-Since", "Accept-Encoding",
    "Content-Length", "Content-Type", "Content-Range", "Content-Encoding",
    "Content-MD5", "Content-Digest", "Digest", "Repr-Digest",
    "Transfer-Encoding", "TE", "Trailer", "Expect", "Upgrade",
    "Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key",
    "X-Amz-Security-Token", NULL
};


ngx_int_t
ngx_http_artifact_ask_prefix(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf, ngx_str_t *prefix)
{
    ngx_str_t   uri, args;
    ngx_uint_t  flags;

    if (ngx_http_complex_value(r, alcf->source, prefix) != NGX_OK) {
        return NGX_ERROR;
    }

    uri = *prefix;
    flags = NGX_HTTP_LOG_UNSAFE;

    return ngx_http_parse_unsafe_uri(r, &uri, &args, &flags) == NGX_OK
           ? NGX_OK : NGX_DECLINED;
}


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
        || ngx_http_artifact_ask_headers(r, sr) != NGX_OK
        || ngx_http_artifact_ask_variables(r, sr) != NGX_OK)
    {
        return NULL;
    }

    /* the arguments of the request may be a key, as Gemini's are */

    sr->unparsed_uri = sr->uri;
    ngx_str_null(&sr->request_line);

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


/*
 * A subrequest shares the values of variables with its request.  One of a
 * header, once looked at, would show the source what is hidden from it, or hide
 * it from the request itself: so the subrequest has values of its own, where
 * those of headers and of the URI are not known yet.
 */

static ngx_int_t
ngx_http_artifact_ask_variables(ngx_http_request_t *r, ngx_http_request_t *sr)
{
    ngx_uint_t                  i, n;
    ngx_http_variable_t        *v;
    ngx_http_core_main_conf_t  *cmcf;

    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);

    v = cmcf->variables.elts;
    n = cmcf->variables.nelts;

    sr->variables = ngx_palloc(r->pool,
                               n * sizeof(ngx_http_variable_value_t));
    if (sr->variables == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(sr->variables, r->variables,
               n * sizeof(ngx_http_variable_value_t));

    for (i = 0; i < n; i++) {
        if (ngx_http_artifact_ask_is_own(&v[i].name)) {
            ngx_memzero(&sr->variables[i],
                        sizeof(ngx_http_variable_value_t));
        }
    }

    return NGX_OK;
}


static ngx_uint_t
ngx_http_artifact_ask_is_own(ngx_str_t *name)
{
    ngx_uint_t  i;

    static const ngx_str_t  names[] = {
        ngx_string("content_length"), ngx_string("content_type"),
        ngx_string("request"), ngx_string("request_uri")
    };

    if (name->len > 5 && ngx_strncmp(name->data, "http_", 5) == 0) {
        return 1;
    }

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (name->len == names[i].len
            && ngx_strncmp(name->data, names[i].data, name->len) == 0)
        {
            return 1;
        }
    }

    return 0;
}
