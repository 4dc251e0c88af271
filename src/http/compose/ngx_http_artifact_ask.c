
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/compose/ngx_http_artifact_ask.h"
#include "http/base/ngx_http_artifact_header_table.h"
#include "http/base/ngx_http_artifact_util.h"
#include "store/disk/ngx_artifact_str.h"


/* What is asked for where nobody may learn the id. */

#define NGX_HTTP_ARTIFACT_ASK_STANDIN  "standin"


static ngx_int_t ngx_http_artifact_ask_line(ngx_http_request_t *r,
    ngx_http_request_t *sr);
static ngx_int_t ngx_http_artifact_ask_headers(ngx_http_request_t *r,
    ngx_http_request_t *sr);
static ngx_int_t ngx_http_artifact_ask_point(ngx_http_request_t *r,
    ngx_http_request_t *sr, ngx_table_elt_t *header, ngx_table_elt_t *passed);
static ngx_int_t ngx_http_artifact_ask_variables(ngx_http_request_t *r,
    ngx_http_request_t *sr);
static ngx_array_t *ngx_http_artifact_ask_own(ngx_http_request_t *r);
static ngx_uint_t ngx_http_artifact_ask_is_own(ngx_str_t *name);


/* nginx's pointers to some of the headers that a source gets. */

static const size_t  ngx_http_artifact_ask_pointers[] = {
    offsetof(ngx_http_headers_in_t, host),
    offsetof(ngx_http_headers_in_t, user_agent),
#if (NGX_HTTP_REALIP)
    offsetof(ngx_http_headers_in_t, x_real_ip),
#endif
#if (NGX_HTTP_HEADERS)
    offsetof(ngx_http_headers_in_t, accept_language),
#endif
};


static ngx_str_t  ngx_http_artifact_ask_head = ngx_string("HEAD");


/*
 * Variables whose values a source shares with the request: its own headers do
 * not show who has logged in, and it would have another $request_id.  That is
 * made of random numbers, so only where the configuration uses it.
 */

static ngx_str_t  ngx_http_artifact_ask_shared[] = {
    ngx_string("remote_user"), ngx_string("request_id"), ngx_null_string
};

static ngx_int_t  ngx_http_artifact_ask_indexes[
    sizeof(ngx_http_artifact_ask_shared) / sizeof(ngx_str_t)];


ngx_int_t
ngx_http_artifact_ask_init(ngx_conf_t *cf)
{
    ngx_str_t                  *name;
    ngx_uint_t                  i, n;
    ngx_http_variable_t        *v;
    ngx_http_core_main_conf_t  *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);

    v = cmcf->variables.elts;

    for (i = 0; ngx_http_artifact_ask_shared[i].len; i++) {
        name = &ngx_http_artifact_ask_shared[i];

        for (n = 0; n < cmcf->variables.nelts; n++) {

            if (art_str_eq(ngx_artifact_str(&v[n].name),
                           ngx_artifact_str(name)))
            {
                break;
            }
        }

        ngx_http_artifact_ask_indexes[i] = n < cmcf->variables.nelts
                                           ? (ngx_int_t) n : NGX_ERROR;
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_ask_prefix(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf, ngx_str_t *prefix)
{
    ngx_str_t   uri, args;
    ngx_uint_t  flags;

    if (ngx_http_complex_value(r, alcf->source, prefix) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact source: prefix \"%V\"",
                   prefix);

    if (ngx_http_artifact_lacks_variable(r, alcf->source, prefix)) {
        return NGX_DECLINED;
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
    art_str_t                 name;
    ngx_str_t                 uri, args;
    ngx_http_request_t       *sr;
    ngx_http_artifact_ctx_t  *ctx;

    ngx_str_null(&args);

    name = consumer->standin ? art_cstr(NGX_HTTP_ARTIFACT_ASK_STANDIN) : id;

    /* the URI of a subrequest is decoded: a proxy encodes it */

    if (ngx_http_artifact_concat(r->pool, &uri,
                                 art_str(prefix->data, prefix->len), name)
        != NGX_OK)
    {
        return NULL;
    }

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact ask: \"%V\"", &uri);

    sr = ngx_http_artifact_ask_uri(r, &uri, &args, consumer);

    if (sr && consumer->only_there) {
        sr->method = NGX_HTTP_HEAD;
        sr->method_name = ngx_http_artifact_ask_head;
        sr->header_only = 1;
    }

    if (sr && consumer->standin) {
        ctx = ngx_pcalloc(r->pool, sizeof(ngx_http_artifact_ctx_t));
        if (ctx == NULL) {
            return NULL;
        }

        ctx->standin = id;
        ngx_http_set_ctx(sr, ctx, ngx_artifact_module);
    }

    if (sr) {
        consumer->folder = prefix->data[prefix->len - 1] == '/';
    }

    return sr;
}


ngx_http_request_t *
ngx_http_artifact_ask_uri(ngx_http_request_t *r, ngx_str_t *uri,
    ngx_str_t *args, ngx_http_artifact_consumer_t *consumer)
{
    ngx_http_request_t  *sr;

    sr = ngx_http_artifact_consume(r, uri, args, consumer);
    if (sr == NULL) {
        return NULL;
    }

    /* a body of its own, or a proxy would send that of the request */

    sr->request_body = ngx_pcalloc(r->pool, sizeof(ngx_http_request_body_t));

    if (sr->request_body == NULL
        || ngx_http_artifact_ask_headers(r, sr) != NGX_OK
        || ngx_http_artifact_ask_line(r, sr) != NGX_OK
        || ngx_http_artifact_ask_variables(r, sr) != NGX_OK)
    {
        return NULL;
    }

    return sr;
}


/* Hides the URI of the request: Gemini's arguments include the API key. */

static ngx_int_t
ngx_http_artifact_ask_line(ngx_http_request_t *r, ngx_http_request_t *sr)
{
    u_char     *p;
    uintptr_t   escape;

    ngx_str_null(&sr->request_line);

    escape = 2 * ngx_escape_uri(NULL, sr->uri.data, sr->uri.len,
                                NGX_ESCAPE_URI);

    p = ngx_pnalloc(r->pool, sr->uri.len + escape);
    if (p == NULL) {
        return NGX_ERROR;
    }

    sr->unparsed_uri.data = p;
    sr->unparsed_uri.len = sr->uri.len + escape;

    if (escape == 0) {
        ngx_memcpy(p, sr->uri.data, sr->uri.len);

    } else {
        ngx_escape_uri(p, sr->uri.data, sr->uri.len, NGX_ESCAPE_URI);
    }

    return NGX_OK;
}


/* Copies the headers that a source gets, with nginx's pointers to them. */

static ngx_int_t
ngx_http_artifact_ask_headers(ngx_http_request_t *r, ngx_http_request_t *sr)
{
    ngx_uint_t              n;
    ngx_list_part_t        *part;
    ngx_table_elt_t        *header, *passed;
    ngx_http_headers_in_t  *in;

    in = &sr->headers_in;

    ngx_memzero(in, sizeof(ngx_http_headers_in_t));

    if (ngx_list_init(&in->headers, r->pool, 8, sizeof(ngx_table_elt_t))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    n = 0;
    part = &r->headers_in.headers.part;

    while ((header = ngx_http_artifact_next_header(&part, &n))) {

        if (!ngx_http_artifact_header_among(header,
                                            NGX_HTTP_ARTIFACT_HEADERS_PASSED))
        {
            continue;
        }

        passed = ngx_list_push(&in->headers);
        if (passed == NULL) {
            return NGX_ERROR;
        }

        *passed = *header;

        if (ngx_http_artifact_ask_point(r, sr, header, passed) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    in->server = r->headers_in.server;
    in->content_length_n = -1;
    in->keep_alive_n = -1;

    return NGX_OK;
}


/*
 * The pointers refer to the source's own copy: a module that sets a header of
 * the source (lua, headers_more) must not change the request's.
 */

static ngx_int_t
ngx_http_artifact_ask_point(ngx_http_request_t *r, ngx_http_request_t *sr,
    ngx_table_elt_t *header, ngx_table_elt_t *passed)
{
    size_t      offset;
    ngx_uint_t  i, n;

#if (NGX_HTTP_X_FORWARDED_FOR)

    ngx_table_elt_t  **forwarded;

#endif

    n = sizeof(ngx_http_artifact_ask_pointers) / sizeof(size_t);

    for (i = 0; i < n; i++) {
        offset = ngx_http_artifact_ask_pointers[i];

        if (*(ngx_table_elt_t **) ((u_char *) &r->headers_in + offset)
            == header)
        {
            *(ngx_table_elt_t **) ((u_char *) &sr->headers_in + offset)
                = passed;
        }
    }

#if (nginx_version >= 1023000)
    passed->next = NULL;
#endif

#if (NGX_HTTP_X_FORWARDED_FOR)

    if (!ngx_http_artifact_header_is(header, "X-Forwarded-For")) {
        return NGX_OK;
    }

#if (nginx_version >= 1023000)

    forwarded = &sr->headers_in.x_forwarded_for;

    while (*forwarded) {
        forwarded = &(*forwarded)->next;
    }

#else

    if (sr->headers_in.x_forwarded_for.nalloc == 0
        && ngx_array_init(&sr->headers_in.x_forwarded_for, r->pool, 1,
                          sizeof(ngx_table_elt_t *))
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    forwarded = ngx_array_push(&sr->headers_in.x_forwarded_for);
    if (forwarded == NULL) {
        return NGX_ERROR;
    }

#endif

    *forwarded = passed;

#endif

    return NGX_OK;
}


/*
 * A subrequest shares the values of variables with its request.  The cached
 * value of a header's variable would show the source what is hidden from it, or
 * hide it from the request.  So a source has values of its own: those of
 * headers and of the URI are not evaluated yet, the others are the request's.
 */

static ngx_int_t
ngx_http_artifact_ask_variables(ngx_http_request_t *r, ngx_http_request_t *sr)
{
    ngx_uint_t                  i, n, *index;
    ngx_array_t                *own;
    ngx_http_core_main_conf_t  *cmcf;

    for (i = 0; ngx_http_artifact_ask_shared[i].len; i++) {

        if (ngx_http_artifact_ask_indexes[i] != NGX_ERROR) {
            (void) ngx_http_get_indexed_variable(r,
                               (ngx_uint_t) ngx_http_artifact_ask_indexes[i]);
        }
    }

    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);

    n = cmcf->variables.nelts;

    own = ngx_http_artifact_ask_own(r);
    sr->variables = ngx_palloc(r->pool,
                               n * sizeof(ngx_http_variable_value_t));

    if (own == NULL || sr->variables == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(sr->variables, r->variables,
               n * sizeof(ngx_http_variable_value_t));

    index = own->elts;

    for (i = 0; i < own->nelts; i++) {
        ngx_memzero(&sr->variables[index[i]],
                    sizeof(ngx_http_variable_value_t));
    }

    return NGX_OK;
}


/*
 * Found when they are first needed: while the configuration is read, modules
 * still add variables.
 */

static ngx_array_t *
ngx_http_artifact_ask_own(ngx_http_request_t *r)
{
    ngx_uint_t                      i, *index;
    ngx_array_t                    *own;
    ngx_http_variable_t            *v;
    ngx_http_core_main_conf_t      *cmcf;
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);

    if (amcf->own) {
        return amcf->own;
    }

    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);
    own = ngx_array_create(cmcf->variables.pool, 8, sizeof(ngx_uint_t));

    if (own == NULL) {
        return NULL;
    }

    v = cmcf->variables.elts;

    for (i = 0; i < cmcf->variables.nelts; i++) {

        if (!ngx_http_artifact_ask_is_own(&v[i].name)) {
            continue;
        }

        index = ngx_array_push(own);
        if (index == NULL) {
            return NULL;
        }

        *index = i;
    }

    amcf->own = own;

    return own;
}


static ngx_uint_t
ngx_http_artifact_ask_is_own(ngx_str_t *name)
{
    art_str_t  own;

    own = ngx_artifact_str(name);

    return (name->len > 5 && ngx_strncmp(name->data, "http_", 5) == 0)
           || (name->len > 7 && ngx_strncmp(name->data, "cookie_", 7) == 0)
           || art_str_eq(own, art_cstr("content_length"))
           || art_str_eq(own, art_cstr("content_type"))
           || art_str_eq(own, art_cstr("request"))
           || art_str_eq(own, art_cstr("request_uri"));
}


void
ngx_http_artifact_ask_no_timer(ngx_http_request_t *r)
{
    ngx_event_t  *wev;

    wev = r->connection->write;

    if (wev->timer_set && !wev->delayed) {
        ngx_del_timer(wev);
    }
}
