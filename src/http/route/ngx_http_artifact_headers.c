
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The headers of an answer: for a raw one, those that the content does not come
 * with; for a routed one, those that replace the source's.
 *
 * The Vary header: names are added early, when routing is decided; after gzip
 * all lines, including those of other modules, are merged into one: before
 * 1.23.0 nginx as a cache honours only the last line.
 */


#include "http/route/ngx_http_artifact_headers.h"
#include "http/base/ngx_http_artifact.h"
#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_header_table.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/convert/ngx_http_artifact_convert.h"
#include "http/source/ngx_http_artifact_classify.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/base/art_hash.h"
#include "core/form/art_pair.h"
#include "core/answer/art_headers.h"


static ngx_int_t ngx_http_artifact_raw_classify(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);
static ngx_int_t ngx_http_artifact_raw_type(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);
static ngx_int_t ngx_http_artifact_raw_disposition(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);
static ngx_int_t ngx_http_artifact_raw_once(ngx_http_request_t *r,
    const char *name, ngx_str_t *value);
static void ngx_http_artifact_drop_stale(ngx_http_request_t *r,
    ngx_uint_t coded);
static void ngx_http_artifact_routed_time(ngx_http_request_t *r);
static void ngx_http_artifact_routed_length(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);
static ngx_int_t ngx_http_artifact_routed_etag(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);
static ngx_int_t ngx_http_artifact_derived_hash(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, uint64_t *hash);
static ngx_int_t ngx_http_artifact_opaque_tag(ngx_str_t *value,
    ngx_str_t *opaque, ngx_uint_t *weak);
static ngx_int_t ngx_http_artifact_vary_filter(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_signed_header(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_unite_vary(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_merge_vary(ngx_http_request_t *r);
static ngx_uint_t ngx_http_artifact_varies(ngx_str_t *list, const char *name);
static ngx_int_t ngx_http_artifact_vary_filter_init(ngx_conf_t *cf);


static ngx_http_module_t  ngx_http_artifact_vary_filter_module_ctx = {
    .postconfiguration = ngx_http_artifact_vary_filter_init
};


ngx_module_t  ngx_http_artifact_vary_filter_module =
    NGX_HTTP_ARTIFACT_MODULE(&ngx_http_artifact_vary_filter_module_ctx, NULL);


static ngx_http_output_header_filter_pt  ngx_http_next_header_filter;


ngx_int_t
ngx_http_artifact_raw_headers(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source)
{
    ngx_int_t  rc;

    rc = ngx_http_artifact_raw_classify(r, source);

    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_http_artifact_raw_type(r, source) != NGX_OK
        || ngx_http_artifact_raw_disposition(r, source) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact raw: type \"%V\"",
                   &r->headers_out.content_type);

    return ngx_http_artifact_raw_safety(r);
}


/*
 * Not verified, unless the location's URLs may be sent to models' APIs: these
 * are told the type that media have by their bytes, and have to find that.
 */

static ngx_int_t
ngx_http_artifact_raw_classify(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source)
{
    ngx_int_t                       rc;
    ngx_http_artifact_loc_conf_t   *alcf;
    ngx_http_artifact_main_conf_t  *amcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);
    amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);

    if (amcf->delivers && alcf->verify) {
        rc = ngx_http_artifact_classify(r, source, 1);

        if (rc != NGX_OK
            || (source->verdict.kind != ART_KIND_TEXT
                && source->verdict.kind != ART_KIND_OTHER))
        {
            return rc;
        }
    }

    return ngx_http_artifact_classify(r, source, 0);
}


ngx_int_t
ngx_http_artifact_raw_type_of(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source)
{
    return ngx_http_artifact_find_type(r, source, 0) == NGX_ERROR
           ? NGX_ERROR : ngx_http_artifact_raw_type(r, source);
}


/* nginx's own "charset" is not added to a declared type. */

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

    charset = verdict->type.charset;

    type->data = ngx_pnalloc(r->pool, verdict->type.len
                                      + sizeof("; charset=") - 1 + charset.len);
    if (type->data == NULL) {
        return NGX_ERROR;
    }

    p = ngx_cpymem(type->data, verdict->type.buf, verdict->type.len);

    if (charset.len > 0) {
        p = ngx_cpymem(p, "; charset=", sizeof("; charset=") - 1);
        p = ngx_cpymem(p, charset.data, charset.len);
    }

    type->len = (size_t) (p - type->data);

    /* an Accept-Ranges passed on by X-Accel-Redirect is another body's */

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
                                      "Content-Disposition"))
    {
        /* set by the upstream that redirected here by X-Accel-Redirect */

        return NGX_OK;
    }

    /* there is a "download", with any value or without one */

    attachment = art_query_find(ngx_artifact_str(&r->args), "download").data
                 != NULL;

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


/* Adds a header, unless an upstream has sent the same one. */

static ngx_int_t
ngx_http_artifact_raw_once(ngx_http_request_t *r, const char *name,
    ngx_str_t *value)
{
    ngx_uint_t        n;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *header;

    n = 0;
    part = &r->headers_out.headers.part;

    while ((header = ngx_http_artifact_next_named(&part, &n, name))) {

        if (header->value.len == value->len
            && ngx_strncasecmp(header->value.data, value->data, value->len)
               == 0)
        {
            return NGX_OK;
        }
    }

    return ngx_http_artifact_add_header(r, name, value);
}


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

    /* answers of upstreams that are not cached may be "not modified", too */

    r->disable_not_modified = 0;

    ngx_http_artifact_routed_time(r);

    return ngx_http_artifact_routed_etag(r, stream);
}


/*
 * Drops all headers that describe the content's own bytes; of tags and dates
 * the one that nginx uses stays.  A coding that is yet to be decoded is dropped
 * by the filter that decodes it.
 */

static void
ngx_http_artifact_drop_stale(ngx_http_request_t *r, ngx_uint_t coded)
{
    ngx_uint_t        n;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *header;

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
            && ngx_http_artifact_header_among(header,
                                          NGX_HTTP_ARTIFACT_HEADERS_CONTENT))
        {
            header->hash = 0;
        }
    }
}


/* An invalid date is dropped. */

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
        /* HEAD without the first bytes, which would have shown the type */

        ngx_http_clear_etag(r);

        return;
    }

    if (stream->derivable == NULL) {
        r->headers_out.content_length_n = stream->length;
    }
}


/* The content's tag with a hash of all else that the answer depends on. */

static ngx_int_t
ngx_http_artifact_routed_etag(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream)
{
    u_char           *p, bytes[sizeof(uint64_t)];
    uint64_t          hash;
    unsigned          caps;
    ngx_str_t         tag, opaque;
    ngx_uint_t        i, weak;
    art_view_t       *view;
    ngx_table_elt_t  *etag;

    view = &stream->view;

    if (view->decision.reason == ART_REASON_READ) {

        /* a failed read is not a version of the content */

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

    hash = stream->render->hash;
    hash = art_hash_words(hash, &caps, sizeof(caps));
    hash = art_hash_words(hash, &stream->terms.conf->inline_max,
                          sizeof(off_t));
    hash = art_hash_words(hash, &view->decision.max, sizeof(uint64_t));

    if (stream->derivable
        && ngx_http_artifact_derived_hash(r, stream, &hash) != NGX_OK)
    {
        return NGX_ERROR;
    }

    tag.data = ngx_pnalloc(r->pool, opaque.len + sizeof("W/\"-\"") - 1 + 16);
    if (tag.data == NULL) {
        return NGX_ERROR;
    }

    for (i = sizeof(bytes); i > 0; i--) {
        bytes[i - 1] = (u_char) hash;
        hash >>= 8;
    }

    p = weak ? ngx_cpymem(tag.data, "W/\"", 3) : ngx_cpymem(tag.data, "\"", 1);
    p = ngx_cpymem(p, opaque.data, opaque.len);
    *p++ = '-';
    p = ngx_hex_dump(p, bytes, sizeof(bytes));
    *p++ = '"';

    tag.len = (size_t) (p - tag.data);
    etag->value = tag;

    return NGX_OK;
}


/*
 * What is derived depends on the rule as well, and on what the converter and
 * the reader are told of the original, which words in its place need not have.
 * The answer has this tag only if its first rule leads to something.
 */

static ngx_int_t
ngx_http_artifact_derived_hash(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, uint64_t *hash)
{
    ngx_str_t                        uri;
    const art_view_t                *view;
    const art_derive_rule_t         *rule;
    ngx_http_artifact_derive_uri_t  *data;

    view = &stream->view;
    rule = ngx_http_artifact_rules(stream->terms.conf)->elts;
    rule += stream->derivable->rule;
    data = rule->data;

    if (ngx_http_complex_value(r, &data->value, &uri) != NGX_OK) {
        return NGX_ERROR;
    }

    *hash = art_hash_words(*hash, rule->to.data, rule->to.len);
    *hash = art_hash_words(*hash, uri.data, uri.len);
    *hash = art_hash_words(*hash, view->mime.data, view->mime.len);
    *hash = art_hash_words(*hash, view->name.data, view->name.len);
    *hash = art_hash_words(*hash, &view->lang, sizeof(view->lang));

    return NGX_OK;
}


/*
 * The text between the quotes (RFC 9110, section 8.8.3).  Some stores send tags
 * without quotes, or with spaces, which nginx compares all the same.
 * NGX_DECLINED for a tag with characters that would end it early.
 */

static ngx_int_t
ngx_http_artifact_opaque_tag(ngx_str_t *value, ngx_str_t *opaque,
    ngx_uint_t *weak)
{
    size_t  i;

    *opaque = *value;

    /* a value set by another module may lack the terminating zero */

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


static ngx_int_t
ngx_http_artifact_vary_filter(ngx_http_request_t *r)
{
    ngx_int_t  rc;

    if (r != r->main) {
        return ngx_http_next_header_filter(r);
    }

    if (ngx_http_artifact_unite_vary(r) != NGX_OK
        || ngx_http_artifact_signed_header(r) != NGX_OK)
    {
        return NGX_ERROR;
    }

    rc = ngx_http_next_header_filter(r);

    /*
     * no filter holds the header of an answer from here on, but that of a range
     * which is not satisfiable is refused: 416 is another answer
     */

    if (r->header_sent) {
        ngx_http_artifact_count_time(ART_COUNT_FIRST_BYTE, r);
    }

    return rc;
}


/*
 * What a signature lets pass may be kept as long as that is valid and the
 * artifact is there, and not by a cache that others share, whatever "expires"
 * and the source say: this filter runs after those of nginx.
 */

static ngx_int_t
ngx_http_artifact_signed_header(ngx_http_request_t *r)
{
    u_char                   *p;
    uint64_t                  until, now;
    ngx_str_t                 value;
    ngx_uint_t                status;
    ngx_http_artifact_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);
    status = r->headers_out.status;

    if (ctx == NULL || ctx->signed_until == 0
        || (status != NGX_HTTP_OK && status != NGX_HTTP_PARTIAL_CONTENT
            && status != NGX_HTTP_NOT_MODIFIED))
    {
        return NGX_OK;
    }

    until = ctx->signed_until;

    if (ctx->source && ctx->source->meta.until) {
        until = ngx_min(until, ctx->source->meta.until / 1000);
    }

    value.data = ngx_pnalloc(r->pool, sizeof("private, max-age=") - 1
                                      + NGX_INT64_LEN);
    if (value.data == NULL) {
        return NGX_ERROR;
    }

    /* none is left if the answer took its time */

    now = (uint64_t) ngx_time();

    p = ngx_sprintf(value.data, "private, max-age=%uL",
                    until > now ? until - now : 0);

    value.len = (size_t) (p - value.data);

    ngx_http_artifact_drop_headers(r, NGX_HTTP_ARTIFACT_HEADERS_CACHING);

    return ngx_http_artifact_add_header(r, "Cache-Control", &value);
}


static ngx_int_t
ngx_http_artifact_unite_vary(ngx_http_request_t *r)
{
    ngx_http_artifact_loc_conf_t  *alcf;
#if (NGX_HTTP_GZIP)
    ngx_http_core_loc_conf_t      *clcf;
#endif

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    if ((alcf->route == NGX_HTTP_ARTIFACT_ROUTE_OFF
         && (alcf->role == NULL || alcf->role->vary == NULL))
        || ngx_http_artifact_find_header(&r->headers_out.headers, "Vary")
           == NULL)
    {
        return NGX_OK;
    }

#if (NGX_HTTP_GZIP)

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (r->gzip_vary && clcf->gzip_vary) {

        /* nginx would add a line of its own */

        if (ngx_http_artifact_vary(r, "Accept-Encoding") != NGX_OK) {
            return NGX_ERROR;
        }

        r->gzip_vary = 0;
    }

#endif

    return ngx_http_artifact_merge_vary(r);
}


/*
 * Merges several lines into the first.  "*" among other names becomes "*"
 * alone, since nginx as a cache does not search a list for it.
 */

static ngx_int_t
ngx_http_artifact_merge_vary(ngx_http_request_t *r)
{
    size_t            len;
    u_char           *p;
    ngx_str_t         value;
    ngx_uint_t        n, lines, any;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *header, *first;

    n = 0;
    len = 0;
    any = 0;
    lines = 0;
    first = NULL;
    part = &r->headers_out.headers.part;

    while ((header = ngx_http_artifact_next_named(&part, &n, "Vary"))) {
        lines++;
        first = first ? first : header;
        len += header->value.len + 2;
    }

    if (lines < 2) {
        return NGX_OK;
    }

    value.data = ngx_pnalloc(r->pool, len);
    if (value.data == NULL) {
        return NGX_ERROR;
    }

    n = 0;
    p = value.data;
    part = &r->headers_out.headers.part;

    while ((header = ngx_http_artifact_next_named(&part, &n, "Vary"))) {

        if (p > value.data && header->value.len > 0) {
            p = ngx_cpymem(p, ", ", 2);
        }

        p = ngx_cpymem(p, header->value.data, header->value.len);

        any |= ngx_http_artifact_varies(&header->value, "*");
        header->hash = (header == first);
    }

    value.len = (size_t) (p - value.data);

    if (any) {
        ngx_str_set(&value, "*");
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact vary: \"%V\" of %ui lines", &value, lines);

    first->value = value;

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_vary(ngx_http_request_t *r, const char *name)
{
    u_char           *p;
    ngx_str_t         value;
    ngx_uint_t        n;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *header, *vary;

    n = 0;
    vary = NULL;
    part = &r->headers_out.headers.part;

    while ((header = ngx_http_artifact_next_named(&part, &n, "Vary"))) {

        if (ngx_http_artifact_varies(&header->value, name)) {
            return NGX_OK;
        }

        if (vary == NULL && header->value.len > 0) {
            vary = header;
        }
    }

    value.len = ngx_strlen(name);

    if (vary == NULL) {
        value.data = (u_char *) name;
        return ngx_http_artifact_add_header(r, "Vary", &value);
    }

    value.len += vary->value.len + 2;
    value.data = ngx_pnalloc(r->pool, value.len);

    if (value.data == NULL) {
        return NGX_ERROR;
    }

    p = ngx_cpymem(value.data, vary->value.data, vary->value.len);
    p = ngx_cpymem(p, ", ", 2);
    ngx_memcpy(p, name, ngx_strlen(name));

    vary->value = value;

    return NGX_OK;
}


/* Whether a list of names contains this one, or "*". */

static ngx_uint_t
ngx_http_artifact_varies(ngx_str_t *list, const char *name)
{
    size_t   len;
    u_char  *p, *last, *end;

    last = list->data + list->len;

    for (p = list->data; p < last; p = end) {

        for (end = p; end < last; end++) {
            if (*end == ',' || *end == ' ' || *end == '\t') {
                break;
            }
        }

        len = (size_t) (end - p);

        if ((len == 1 && *p == '*')
            || (len == ngx_strlen(name)
                && ngx_strncasecmp(p, (u_char *) name, len) == 0))
        {
            return 1;
        }

        if (end == p) {
            end++;
        }
    }

    return 0;
}


static ngx_int_t
ngx_http_artifact_vary_filter_init(ngx_conf_t *cf)
{
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);

    if (amcf->used) {
        ngx_http_next_header_filter = ngx_http_top_header_filter;
        ngx_http_top_header_filter = ngx_http_artifact_vary_filter;
    }

    return NGX_OK;
}
