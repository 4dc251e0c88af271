
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/base/ngx_http_artifact_header_table.h"
#include "http/base/ngx_http_artifact_util.h"


#define RANGES     NGX_HTTP_ARTIFACT_HEADERS_RANGES
#define ENCODINGS  NGX_HTTP_ARTIFACT_HEADERS_ENCODINGS
#define BODY       NGX_HTTP_ARTIFACT_HEADERS_BODY
#define PASSED     NGX_HTTP_ARTIFACT_HEADERS_PASSED
#define CONTENT    NGX_HTTP_ARTIFACT_HEADERS_CONTENT
#define BYTES      NGX_HTTP_ARTIFACT_HEADERS_BYTES
#define NAME       NGX_HTTP_ARTIFACT_HEADERS_NAME
#define CACHING    NGX_HTTP_ARTIFACT_HEADERS_CACHING


/* Letters differ in their last five bits. */

#define NGX_HTTP_ARTIFACT_HEADER_LETTERS  32

#define ngx_http_artifact_header_letter(name)  ((name)[0] & 0x1f)


typedef struct {
    const char  *name;
    unsigned     lists;
} ngx_http_artifact_header_row_t;


static void ngx_http_artifact_header_count(ngx_uint_t *letters);


/* Sorted by meaning, then by name. */

static const ngx_http_artifact_header_row_t  ngx_http_artifact_header_rows[] =
{
    /* a part of the bytes, or another coding of them */

    { "Accept-Encoding",     ENCODINGS },
    { "Accept-Ranges",       CONTENT },
    { "Content-Encoding",    BODY | CONTENT },
    { "Content-Range",       CONTENT },
    { "If-Range",            RANGES },
    { "Range",               RANGES },

    /* how many there are */

    { "Content-Length",      BODY },
    { "Transfer-Encoding",   BODY },

    /* digests of them (RFC 1864, RFC 3230, RFC 9530) */

    { "Content-Digest",      BODY | CONTENT | BYTES },
    { "Content-MD5",         BODY | CONTENT | BYTES },
    { "Digest",              BODY | CONTENT | BYTES },
    { "Repr-Digest",         BODY | CONTENT | BYTES },

    /* their version, and comparisons with it */

    { "ETag",                CONTENT | BYTES },
    { "If-Match",            RANGES },
    { "If-Modified-Since",   RANGES },
    { "If-None-Match",       RANGES },
    { "If-Unmodified-Since", RANGES },
    { "Last-Modified",       CONTENT },

    /* the name to save them under */

    { "Content-Disposition", CONTENT | NAME },

    /* how long to keep them */

    { "Cache-Control",       CACHING },
    { "Expires",             CACHING },

    /* who asks, by which way */

    { "Accept-Language",     PASSED },
    { "Forwarded",           PASSED },
    { "Host",                PASSED },
    { "User-Agent",          PASSED },
    { "X-Forwarded-For",     PASSED },
    { "X-Forwarded-Host",    PASSED },
    { "X-Forwarded-Port",    PASSED },
    { "X-Forwarded-Proto",   PASSED },
    { "X-Real-IP",           PASSED },

    /* as part of what */

    { "B3",                  PASSED },
    { "Traceparent",         PASSED },
    { "Tracestate",          PASSED },
    { "X-B3-Flags",          PASSED },
    { "X-B3-ParentSpanId",   PASSED },
    { "X-B3-Sampled",        PASSED },
    { "X-B3-SpanId",         PASSED },
    { "X-B3-TraceId",        PASSED },
    { "X-Correlation-ID",    PASSED },
    { "X-Request-ID",        PASSED },

    { NULL,                  0 }
};


ngx_uint_t
ngx_http_artifact_header_among(ngx_table_elt_t *header, ngx_uint_t lists)
{
    const ngx_http_artifact_header_row_t  *row;

    /* hundreds of comparisons for each request: most are spared here */

    static ngx_uint_t  letters[NGX_HTTP_ARTIFACT_HEADER_LETTERS];

    if (letters[0] == 0) {
        ngx_http_artifact_header_count(letters);
    }

    if (header->key.len == 0
        || !(letters[ngx_http_artifact_header_letter(header->key.data)]
             & lists))
    {
        return 0;
    }

    for (row = ngx_http_artifact_header_rows; row->name; row++) {

        if ((row->lists & lists)
            && ngx_http_artifact_header_is(header, row->name))
        {
            return 1;
        }
    }

    return 0;
}


/*
 * Which lists have names with such a first letter, in either case.  No name
 * begins with what would be counted as the first one.
 */

static void
ngx_http_artifact_header_count(ngx_uint_t *letters)
{
    const ngx_http_artifact_header_row_t  *row;

    letters[0] = 1;

    for (row = ngx_http_artifact_header_rows; row->name; row++) {
        letters[ngx_http_artifact_header_letter(row->name)] |= row->lists;
    }
}


ngx_uint_t
ngx_http_artifact_is_variable_of(ngx_str_t *name, ngx_uint_t lists)
{
    size_t                                 i, n;
    u_char                                 ch;
    const ngx_http_artifact_header_row_t  *row;

    if (name->len < 5 || ngx_strncmp(name->data, "http_", 5) != 0) {
        return 0;
    }

    n = name->len - 5;

    for (row = ngx_http_artifact_header_rows; row->name; row++) {

        if (!(row->lists & lists) || ngx_strlen(row->name) != n) {
            continue;
        }

        for (i = 0; i < n; i++) {
            ch = ngx_tolower(row->name[i]);

            if (name->data[5 + i] != (ch == '-' ? '_' : ch)) {
                break;
            }
        }

        if (i == n) {
            return 1;
        }
    }

    return 0;
}


void
ngx_http_artifact_drop_headers(ngx_http_request_t *r, ngx_uint_t lists)
{
    ngx_uint_t        n;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *header;

    n = 0;
    part = &r->headers_out.headers.part;

    while ((header = ngx_http_artifact_next_header(&part, &n))) {
        if (ngx_http_artifact_header_among(header, lists)) {
            header->hash = 0;

            ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                           "http artifact header is dropped: \"%V\"",
                           &header->key);
        }
    }
}


ngx_int_t
ngx_http_artifact_take_headers(ngx_http_request_t *r, ngx_uint_t lists,
    ngx_array_t *taken)
{
    ngx_uint_t        n, old;
    ngx_list_t        kept, *headers;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *header, *to;

    headers = &r->headers_in.headers;

    if (ngx_list_init(&kept, r->pool, 20, sizeof(ngx_table_elt_t)) != NGX_OK) {
        return NGX_ERROR;
    }

    n = 0;
    part = &headers->part;
    old = taken ? taken->nelts : 0;

    while ((header = ngx_http_artifact_next_header(&part, &n))) {

        if (!ngx_http_artifact_header_among(header, lists)) {
            to = ngx_list_push(&kept);

        } else if (taken) {
            to = ngx_array_push(taken);

        } else {
            continue;
        }

        if (to == NULL) {

            if (taken) {
                taken->nelts = old;
            }

            return NGX_ERROR;
        }

        *to = *header;
    }

    *headers = kept;

    if (kept.last == &kept.part) {
        headers->last = &headers->part;
    }

    return NGX_OK;
}
