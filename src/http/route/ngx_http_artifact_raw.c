
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Raw answers: the headers that the content itself does not bring.
 */


#include "http/route/ngx_http_artifact_raw.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/source/ngx_http_artifact_classify.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/answer/art_headers.h"


static ngx_int_t ngx_http_artifact_raw_once(ngx_http_request_t *r,
    const char *name, ngx_str_t *value);
static ngx_int_t ngx_http_artifact_raw_type(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);
static ngx_int_t ngx_http_artifact_raw_disposition(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);
static ngx_uint_t ngx_http_artifact_wants_download(ngx_http_request_t *r);


ngx_int_t
ngx_http_artifact_raw_headers(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source)
{
    ngx_int_t  rc;

    rc = ngx_http_artifact_classify(r, source, 0);

    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_http_artifact_raw_type(r, source) != NGX_OK
        || ngx_http_artifact_raw_disposition(r, source) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_artifact_raw_safety(r);
}


ngx_int_t
ngx_http_artifact_raw_type_of(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source)
{
    return ngx_http_artifact_find_type(r, source, 0) == NGX_ERROR
           ? NGX_ERROR : ngx_http_artifact_raw_type(r, source);
}


ngx_int_t
ngx_http_artifact_raw_safety(ngx_http_request_t *r)
{
    art_media_type_t    type;
    art_media_traits_t  traits;

    static ngx_str_t  nosniff = ngx_string("nosniff");
    static ngx_str_t  sandbox = ngx_string("sandbox");

    if (ngx_http_artifact_raw_once(r, "X-Content-Type-Options", &nosniff)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    art_media_parse(ngx_artifact_str(&r->headers_out.content_type), &type);
    traits = art_media_traits(art_str(type.buf, type.len));

    /* a generic type (len 0) is not executed, since it is not sniffed */

    if (type.len > 0 && (traits.flags & ART_MEDIA_ACTIVE)
        && ngx_http_artifact_raw_once(r, "Content-Security-Policy", &sandbox)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    return NGX_OK;
}


/* Adds a header, unless an upstream has sent the same. */

static ngx_int_t
ngx_http_artifact_raw_once(ngx_http_request_t *r, const char *name,
    ngx_str_t *value)
{
    ngx_uint_t        n;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *header;

    n = 0;
    part = &r->headers_out.headers.part;

    while ((header = ngx_http_artifact_next_header(&part, &n))) {

        if (header->value.len == value->len
            && ngx_strncasecmp(header->value.data, value->data, value->len)
               == 0
            && ngx_http_artifact_header_is(header, name))
        {
            return NGX_OK;
        }
    }

    return ngx_http_artifact_add_header(r, name, value);
}


/* A declared charset stays with its type; nginx's own "charset" is not added */

static ngx_int_t
ngx_http_artifact_raw_type(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source)
{
    u_char         *p;
    art_str_t       charset;
    ngx_str_t      *type;
    art_verdict_t  *verdict;

    verdict = &source->verdict;
    type = &r->headers_out.content_type;

    type->len = verdict->type.len;

    charset = verdict->type.charset;

    if (charset.len > 0) {
        type->len += sizeof("; charset=") - 1 + charset.len;
    }

    type->data = ngx_pnalloc(r->pool, type->len);
    if (type->data == NULL) {
        return NGX_ERROR;
    }

    p = ngx_cpymem(type->data, verdict->type.buf, verdict->type.len);

    if (type->len > verdict->type.len) {
        p = ngx_cpymem(p, "; charset=", sizeof("; charset=") - 1);
        ngx_memcpy(p, charset.data, charset.len);
    }

    /* what an X-Accel-Redirect brought along was meant for another body */

    if (r->headers_out.accept_ranges) {
        r->headers_out.accept_ranges->hash = 0;
        r->headers_out.accept_ranges = NULL;
    }

    ngx_str_null(&r->headers_out.charset);
    r->headers_out.content_type_len = verdict->type.len;
    r->headers_out.content_type_lowcase = NULL;

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_raw_disposition(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source)
{
    art_out_t   out;
    ngx_str_t   value;
    ngx_uint_t  attachment;

    if (ngx_http_artifact_find_header(&r->headers_out.headers,
                                           "Content-Disposition")) {

        /* set by who redirected here, X-Accel-Redirect passes it on */

        return NGX_OK;
    }

    attachment = ngx_http_artifact_wants_download(r);

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_disposition(&out, source->name, (unsigned) attachment);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    if (out.data == NULL) {
        return NGX_ERROR;
    }

    value.data = out.data;
    value.len = out.len;

    return ngx_http_artifact_add_header(r, "Content-Disposition", &value);
}


/* "?download", with any value or none, among other arguments. */

static ngx_uint_t
ngx_http_artifact_wants_download(ngx_http_request_t *r)
{
    u_char  *p, *last, *end;

    static ngx_str_t  name = ngx_string("download");

    last = r->args.data + r->args.len;

    for (p = r->args.data; p < last; p = end + 1) {

        end = ngx_strlchr(p, last, '&');
        if (end == NULL) {
            end = last;
        }

        if ((size_t) (end - p) >= name.len
            && ngx_strncmp(p, name.data, name.len) == 0
            && (p + name.len == end || p[name.len] == '='))
        {
            return 1;
        }
    }

    return 0;
}
