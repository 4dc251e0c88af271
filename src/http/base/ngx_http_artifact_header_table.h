
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The table of headers that are dropped, withheld or passed on by name.
 */


#ifndef NGX_HTTP_ARTIFACT_HEADER_TABLE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_HEADER_TABLE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>


/*
 * The lists that a header is in, as bits.  In requests:
 *
 *     RANGES     withheld from a source whose answer is rendered: they ask for
 *                other bytes, or compare its tag with one that was made here
 *     ENCODINGS  withheld from such a source, and from an upstream whose answer
 *                is read
 *     BODY       describe the bytes of a body, so they are wrong for a new one
 *     PASSED     the only ones that the source of an artifact gets: who asks,
 *                by which way, in which language, as part of what; any other
 *                may hold a key, of the model's API, a gateway or a session
 *
 * In answers:
 *
 *     CONTENT    describe the bytes of a source, and are wrong for a rendering
 *     BYTES      describe the bytes of an answer that is changed here
 *     NAME       names the page that an error replaces
 *     CACHING    say how long an answer may be kept
 */

typedef enum {
    NGX_HTTP_ARTIFACT_HEADERS_RANGES = 0x01,
    NGX_HTTP_ARTIFACT_HEADERS_ENCODINGS = 0x02,
    NGX_HTTP_ARTIFACT_HEADERS_BODY = 0x04,
    NGX_HTTP_ARTIFACT_HEADERS_PASSED = 0x08,
    NGX_HTTP_ARTIFACT_HEADERS_CONTENT = 0x10,
    NGX_HTTP_ARTIFACT_HEADERS_BYTES = 0x20,
    NGX_HTTP_ARTIFACT_HEADERS_NAME = 0x40,
    NGX_HTTP_ARTIFACT_HEADERS_CACHING = 0x80
} ngx_http_artifact_headers_e;


/* Whether a header is in one of the lists. */

ngx_uint_t ngx_http_artifact_header_among(ngx_table_elt_t *header,
    ngx_uint_t lists);


/* Whether a variable is "http_..." for a header in one of the lists. */

ngx_uint_t ngx_http_artifact_is_variable_of(ngx_str_t *name, ngx_uint_t lists);


/* Drops all headers in the lists from an answer. */

void ngx_http_artifact_drop_headers(ngx_http_request_t *r, ngx_uint_t lists);


/*
 * Removes all headers in the lists from a request: proxies would send a header
 * that is only marked as dropped.  They are appended to "taken", an array of
 * ngx_table_elt_t, unless that is NULL.  The list of headers is created anew:
 * elements of the old one stay for those who point to them, and a part of a
 * list must not become empty, or it would be read past its end.  NGX_ERROR when
 * out of memory: then nothing has changed.
 */

ngx_int_t ngx_http_artifact_take_headers(ngx_http_request_t *r,
    ngx_uint_t lists, ngx_array_t *taken);


#endif /* NGX_HTTP_ARTIFACT_HEADER_TABLE_H_INCLUDED_ */
