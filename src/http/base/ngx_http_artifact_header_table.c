
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
    ngx_str_t  name;
    unsigned   lists;
} ngx_http_artifact_header_row_t;


static void ngx_http_artifact_header_sort(uint64_t *letters);


/* Sorted by meaning, then by name; at most 64. */

static const ngx_http_artifact_header_row_t  ngx_http_artifact_header_rows[] =
{
    /* a part of the bytes, or another coding of them */

    { ngx_string("Accept-Encoding"),     ENCODINGS },
    { ngx_string("Accept-Ranges"),       CONTENT },
    { ngx_string("Content-Encoding"),    BODY | CONTENT },
    { ngx_string("Content-Range"),       CONTENT },
    { ngx_string("If-Range"),            RANGES },
    { ngx_string("Range"),               RANGES },

    /* how many there are */

    { ngx_string("Content-Length"),      BODY },
    { ngx_string("Transfer-Encoding"),   BODY },

    /* digests of them (RFC 1864, RFC 3230, RFC 9530) */

    { ngx_string("Content-Digest"),      BODY | CONTENT | BYTES },
    { ngx_string("Content-MD5"),         BODY | CONTENT | BYTES },
    { ngx_string("Digest"),              BODY | CONTENT | BYTES },
    { ngx_string("Repr-Digest"),         BODY | CONTENT | BYTES },

    /* their version, and comparisons with it */

    { ngx_string("ETag"),                CONTENT | BYTES },
    { ngx_string("If-Match"),            RANGES },
    { ngx_string("If-Modified-Since"),   RANGES },
    { ngx_string("If-None-Match"),       RANGES },
    { ngx_string("If-Unmodified-Since"), RANGES },
    { ngx_string("Last-Modified"),       CONTENT },

    /* the name to save them under */

    { ngx_string("Content-Disposition"), CONTENT | NAME },

    /* how long to keep them */

    { ngx_string("Cache-Control"),       CACHING },
    { ngx_string("Expires"),             CACHING },

    /* who asks, by which way */

    { ngx_string("Accept-Language"),     PASSED },
    { ngx_string("Forwarded"),           PASSED },
    { ngx_string("Host"),                PASSED },
    { ngx_string("User-Agent"),          PASSED },
    { ngx_string("X-Forwarded-For"),     PASSED },
    { ngx_string("X-Forwarded-Host"),    PASSED },
    { ngx_string("X-Forwarded-Port"),    PASSED },
    { ngx_string("X-Forwarded-Proto"),   PASSED },
    { ngx_string("X-Real-IP"),           PASSED },

    /* as part of what */

    { ngx_string("B3"),                  PASSED },
    { ngx_string("Traceparent"),         PASSED },
    { ngx_string("Tracestate"),          PASSED },
    { ngx_string("X-B3-Flags"),          PASSED },
    { ngx_string("X-B3-ParentSpanId"),   PASSED },
    { ngx_string("X-B3-Sampled"),        PASSED },
    { ngx_string("X-B3-SpanId"),         PASSED },
    { ngx_string("X-B3-TraceId"),        PASSED },
    { ngx_string("X-Correlation-ID"),    PASSED },
    { ngx_string("X-Request-ID"),        PASSED },

    { ngx_null_string, 0 }
};


ngx_uint_t
ngx_http_artifact_header_among(ngx_table_elt_t *header, ngx_uint_t lists)
{
    uint64_t                               rows;
    const ngx_http_artifact_header_row_t  *row;

    /* hundreds of comparisons for each request: most are spared here */

    static uint64_t  letters[NGX_HTTP_ARTIFACT_HEADER_LETTERS];

    if (letters[0] == 0) {
        ngx_http_artifact_header_sort(letters);
    }

    if (header->key.len == 0) {
        return 0;
    }

    rows = letters[ngx_http_artifact_header_letter(header->key.data)];

    for ( /* void */ ; rows; rows &= rows - 1) {
        row = &ngx_http_artifact_header_rows[__builtin_ctzll(rows)];

        if ((row->lists & lists) && row->name.len == header->key.len
            && ngx_strncasecmp(row->name.data, header->key.data,
                               header->key.len)
               == 0)
        {
            return 1;
        }
    }

    return 0;
}


/*
 * Which rows have names with such a first letter, in either case: a bit for
 * each.  The last row is the first letter's, which no name has.
 */

static void
ngx_http_artifact_header_sort(uint64_t *letters)
{
    ngx_uint_t                             i;
    const ngx_http_artifact_header_row_t  *row;

    row = ngx_http_artifact_header_rows;

    for (i = 0; row[i].name.len; i++) {
        letters[ngx_http_artifact_header_letter(row[i].name.data)]
            |= (uint64_t) 1 << i;
    }

    letters[0] = (uint64_t) 1 << i;
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

    for (row = ngx_http_artifact_header_rows; row->name.len; row++) {

        if (!(row->lists & lists) || row->name.len != n) {
            continue;
        }

        for (i = 0; i < n; i++) {
            ch = ngx_tolower(row->name.data[i]);

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
