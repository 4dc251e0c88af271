
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What a routed answer says of itself, in place of what the source said of the
 * content's own bytes.
 */


#include "http/route/ngx_http_artifact_routed_headers.h"
#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_util.h"
#include "core/base/art_hash.h"


static void ngx_http_artifact_routed_length(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);
static ngx_int_t ngx_http_artifact_routed_etag(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);


ngx_int_t
ngx_http_artifact_routed_headers(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    ngx_uint_t        i;
    ngx_table_elt_t  *header;

    /* what says something of the content's own bytes */

    static const char  *stale[] = {
        "Content-Disposition", "Content-MD5", "Digest", "Repr-Digest",
        "Content-Digest", NULL
    };

    for (i = 0; stale[i]; i++) {
        while ((header = ngx_http_artifact_find_header(
                                         &r->headers_out.headers, stale[i])))
        {
            header->hash = 0;
        }
    }

    if ((stream->terms.format->flags & ART_FORMAT_CALL_ID)
        && ngx_http_artifact_vary(r, "X-Tool-Call-Id") != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_http_artifact_set_json_type(r);

    ngx_http_clear_accept_ranges(r);

    ngx_http_artifact_routed_length(r, stream);

    /* an upstream's answer that is not cached can be "not modified", too */

    r->disable_not_modified = 0;

    if (r->headers_out.last_modified
        && r->headers_out.last_modified_time == -1)
    {
        r->headers_out.last_modified_time =
                ngx_parse_http_time(r->headers_out.last_modified->value.data,
                                    r->headers_out.last_modified->value.len);
    }

    return ngx_http_artifact_routed_etag(r, stream);
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


/*
 * The content's tag, and a hash of everything else that the answer depends on.
 * Some stores send a tag without its quotes.
 */

static ngx_int_t
ngx_http_artifact_routed_etag(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    u_char           *p;
    uint64_t          hash;
    unsigned          caps;
    ngx_str_t         tag, *value;
    art_view_t       *view;
    ngx_table_elt_t  *etag;

    view = &stream->view;

    if (view->decision.reason == ART_REASON_READ) {

        /* a failure is no version of the content */

        ngx_http_clear_etag(r);
        ngx_http_clear_last_modified(r);
    }

    etag = r->headers_out.etag;

    if (etag == NULL || etag->value.len == 0) {
        return NGX_OK;
    }

    caps = stream->terms.reader->caps;

    hash = art_render_hash(&stream->render);
    hash = art_hash_words(hash, &caps, sizeof(caps));
    hash = art_hash_words(hash, &stream->terms.conf->inline_max,
                          sizeof(off_t));
    hash = art_hash_words(hash, &view->decision.max, sizeof(uint64_t));

    value = &etag->value;

    tag.data = ngx_pnalloc(r->pool, value->len + 3 + 16);
    if (tag.data == NULL) {
        return NGX_ERROR;
    }

    p = tag.data;

    if (value->data[value->len - 1] == '"') {
        p = ngx_cpymem(p, value->data, value->len - 1);

    } else {
        *p++ = '"';
        p = ngx_cpymem(p, value->data, value->len);
    }

    p = ngx_sprintf(p, "-%016xL\"", hash);

    tag.len = (size_t) (p - tag.data);
    etag->value = tag;

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_vary(ngx_http_request_t *r, const char *names)
{
    u_char           *p;
    ngx_str_t         value;
    ngx_table_elt_t  *vary;

    value.data = (u_char *) names;
    value.len = ngx_strlen(names);

    vary = ngx_http_artifact_find_header(&r->headers_out.headers, "Vary");

    if (vary == NULL || vary->value.len == 0) {
        return ngx_http_artifact_add_header(r, "Vary", &value);
    }

    p = ngx_pnalloc(r->pool, vary->value.len + 2 + value.len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    value.data = p;

    p = ngx_cpymem(p, vary->value.data, vary->value.len);
    p = ngx_cpymem(p, ", ", 2);
    p = ngx_cpymem(p, names, ngx_strlen(names));

    vary->value.data = value.data;
    vary->value.len = (size_t) (p - value.data);

    return NGX_OK;
}
