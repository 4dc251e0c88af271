
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What a routed answer says of itself, in place of what the source said of the
 * content's own bytes.
 */


#include "http/route/ngx_http_artifact_routed_headers.h"
#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/route/ngx_http_artifact_vary_filter.h"
#include "core/base/art_hash.h"


static void ngx_http_artifact_drop_stale(ngx_http_request_t *r,
    ngx_uint_t coded);
static void ngx_http_artifact_routed_time(ngx_http_request_t *r);
static void ngx_http_artifact_routed_length(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);
static ngx_int_t ngx_http_artifact_routed_etag(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);
static ngx_int_t ngx_http_artifact_opaque_tag(ngx_str_t *value,
    ngx_str_t *opaque, ngx_uint_t *weak);


ngx_int_t
ngx_http_artifact_routed_headers(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    ngx_http_artifact_drop_stale(r, stream->source->coded);

    if ((stream->terms.format->flags & ART_FORMAT_CALL_ID)
        && ngx_http_artifact_vary(r, "X-Tool-Call-Id") != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_http_artifact_set_json_type(r);

    ngx_http_artifact_routed_length(r, stream);

    /* an upstream's answer that is not cached can be "not modified", too */

    r->disable_not_modified = 0;

    ngx_http_artifact_routed_time(r);

    return ngx_http_artifact_routed_etag(r, stream);
}


/*
 * What says something of the content's own bytes, however often; of tags and
 * dates the one that counts stays.  A coding that is still to be decoded is
 * dropped by the filter that does so.
 */

static void
ngx_http_artifact_drop_stale(ngx_http_request_t *r, ngx_uint_t coded)
{
    ngx_uint_t        n;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *header;

    static const char *const  stale[] = {
        "Content-Disposition", "Content-MD5", "Digest", "Repr-Digest",
        "Content-Digest", "Content-Range", "Content-Encoding",
        "Accept-Ranges", "ETag", "Last-Modified", NULL
    };

    ngx_http_clear_accept_ranges(r);

    if (!coded) {
        r->headers_out.content_encoding = NULL;
    }

    n = 0;
    part = &r->headers_out.headers.part;

    while ((header = ngx_http_artifact_next_header(&part, &n))) {

        if (header != r->headers_out.etag
            && header != r->headers_out.last_modified
            && header != r->headers_out.content_encoding
            && ngx_http_artifact_header_among(header, stale))
        {
            header->hash = 0;
        }
    }
}


/* A date that is none is not passed on. */

static void
ngx_http_artifact_routed_time(ngx_http_request_t *r)
{
    ngx_table_elt_t  *header;

    header = r->headers_out.last_modified;

    if (header && r->headers_out.last_modified_time == -1) {
        r->headers_out.last_modified_time =
            ngx_parse_http_time(header->value.data, header->value.len);
    }

    if (r->headers_out.last_modified_time == -1) {
        ngx_http_clear_last_modified(r);
    }
}


static void
ngx_http_artifact_routed_length(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    ngx_http_artifact_source_t    *source;
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);
    source = stream->source;

    ngx_http_clear_content_length(r);

    if (!source->local && source->head == NULL
        && (alcf->verify || source->verdict.from == ART_FROM_CONTENT))
    {
        /* HEAD: what the content would have said is not known */

        ngx_http_clear_etag(r);

        return;
    }

    r->headers_out.content_length_n = stream->length;
}


/* The content's tag, and a hash of all else that the answer depends on. */

static ngx_int_t
ngx_http_artifact_routed_etag(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    u_char           *p;
    uint64_t          hash;
    unsigned          caps;
    ngx_str_t         tag, opaque;
    ngx_uint_t        weak;
    art_view_t       *view;
    ngx_table_elt_t  *etag;

    view = &stream->view;

    if (view->decision.reason == ART_REASON_READ) {

        /* a failure is no version of the content */

        ngx_http_clear_etag(r);
        ngx_http_clear_last_modified(r);
    }

    etag = r->headers_out.etag;

    if (etag == NULL
        || ngx_http_artifact_opaque_tag(&etag->value, &opaque, &weak)
           != NGX_OK)
    {
        ngx_http_clear_etag(r);
        return NGX_OK;
    }

    caps = stream->terms.reader->caps;

    hash = stream->render.hash;
    hash = art_hash_words(hash, &caps, sizeof(caps));
    hash = art_hash_words(hash, &stream->terms.conf->inline_max,
                          sizeof(off_t));
    hash = art_hash_words(hash, &view->decision.max, sizeof(uint64_t));

    tag.data = ngx_pnalloc(r->pool, opaque.len + sizeof("W/\"-\"") - 1 + 16);
    if (tag.data == NULL) {
        return NGX_ERROR;
    }

    p = ngx_sprintf(tag.data, "%s\"%V-%016xL\"", weak ? "W/" : "", &opaque,
                    hash);

    tag.len = (size_t) (p - tag.data);
    etag->value = tag;

    return NGX_OK;
}


/*
 * What stands between the quotes (RFC 9110, section 8.8.3).  Some stores send a
 * tag without any, or with spaces, which nginx compares as well; what would end
 * the tag before its end is NGX_DECLINED.
 */

static ngx_int_t
ngx_http_artifact_opaque_tag(ngx_str_t *value, ngx_str_t *opaque,
    ngx_uint_t *weak)
{
    size_t  i;

    *opaque = *value;

    /* what another module has set need not end with a zero */

    *weak = (value->len > 2 && ngx_strncmp(value->data, "W/\"", 3) == 0);

    if (*weak) {
        opaque->data += 2;
        opaque->len -= 2;
    }

    if (opaque->len >= 2 && opaque->data[0] == '"'
        && opaque->data[opaque->len - 1] == '"')
    {
        opaque->data++;
        opaque->len -= 2;

    } else if (opaque->len == 0) {
        return NGX_DECLINED;
    }

    for (i = 0; i < opaque->len; i++) {

        if (opaque->data[i] < ' ' || opaque->data[i] == '"'
            || opaque->data[i] == 0x7f)
        {
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}
