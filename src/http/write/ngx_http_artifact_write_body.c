
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What a request's header tells of the body that is to be written.
 */


#include "http/base/ngx_http_artifact_util.h"
#include "http/write/ngx_http_artifact_write.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/meta/art_meta.h"


static ngx_uint_t ngx_http_artifact_is_coded(ngx_http_request_t *r);
static ngx_uint_t ngx_http_artifact_body_is_gone(ngx_http_request_t *r);


ngx_int_t
ngx_http_artifact_write_body(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write, art_error_t *error)
{
    if (r->headers_in.content_range) {
        *error = ART_ERR_PIECE;
        return NGX_DECLINED;
    }

    if (ngx_http_artifact_is_coded(r)) {
        *error = ART_ERR_MEDIA_TYPE;
        return NGX_DECLINED;
    }

    if (r->headers_in.content_type) {
        write->job.mime = ngx_artifact_str(
                                          &r->headers_in.content_type->value);
    }

    if (!art_meta_type_valid(write->job.mime)) {
        *error = ART_ERR_MIME;
        return NGX_DECLINED;
    }

    if (ngx_http_artifact_body_is_gone(r)) {
        write->job.action = "the body was discarded before a redirect";
        *error = ART_ERR_WRITE;
        return NGX_DECLINED;
    }

    /* no body is not an empty one: the file there may be worth more */

    if (r == r->main && r->headers_in.content_length_n < 0
        && !r->headers_in.chunked)
    {
        *error = ART_ERR_LENGTH;
        return NGX_DECLINED;
    }

    return NGX_OK;
}


/*
 * Nothing remembers a coding: the content would be served as what it is not.
 */

static ngx_uint_t
ngx_http_artifact_is_coded(ngx_http_request_t *r)
{
    ngx_table_elt_t  *header;

    header = ngx_http_artifact_find_header(&r->headers_in.headers,
                                           "Content-Encoding");

    return header && header->value.len
           && (header->value.len != sizeof("identity") - 1
               || ngx_strncasecmp(header->value.data, (u_char *) "identity",
                                  sizeof("identity") - 1)
                  != 0);
}


/*
 * Who refuses a request discards its body, and an "error_page" may lead here
 * nevertheless: what is left would make an empty file.
 */

static ngx_uint_t
ngx_http_artifact_body_is_gone(ngx_http_request_t *r)
{
    ngx_http_request_body_t  *rb;

    if (r != r->main) {
        return 0;
    }

#if (NGX_HTTP_V2)
    if (r->stream && r->stream->skip_data) {
        return 1;
    }
#endif

    rb = r->request_body;

    if (r->headers_in.chunked && rb) {

        /* nobody waits for it, but it has been parsed */

        return rb->chunked && rb->post_handler == NULL && rb->bufs == NULL;
    }

    return r->discard_body
           || (rb == NULL && r->headers_in.content_length
               && ngx_atoof(r->headers_in.content_length->value.data,
                            r->headers_in.content_length->value.len)
                  != r->headers_in.content_length_n);
}
