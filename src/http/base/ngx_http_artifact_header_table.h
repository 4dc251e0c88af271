
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The one table of headers that are dropped, withheld or passed on by name.
 */


#ifndef NGX_HTTP_ARTIFACT_HEADER_TABLE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_HEADER_TABLE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>


/*
 * Lists that a header is in, bits.  In requests:
 *
 *     RANGES     withheld from a source whose answer is rendered: they ask for
 *                other bytes, or compare its tag with one that was made here
 *     ENCODINGS  withheld likewise, and from an upstream whose answer is read
 *     BODY       describe the bytes of a body, so they are false of a new one
 *     PASSED     all that the source of an artifact gets: who asks, by which
 *                way, in which language, as part of what; any other may hold a
 *                key, of the model's API, a gateway or a session
 *
 * In answers:
 *
 *     CONTENT    describe the bytes of a source, and are false of a rendering
 *     BYTES      describe the bytes of an answer that changes on its way
 *     NAME       names the page that an error replaces
 */

typedef enum {
    NGX_HTTP_ARTIFACT_HEADERS_RANGES = 0x01,
    NGX_HTTP_ARTIFACT_HEADERS_ENCODINGS = 0x02,
    NGX_HTTP_ARTIFACT_HEADERS_BODY = 0x04,
    NGX_HTTP_ARTIFACT_HEADERS_PASSED = 0x08,
    NGX_HTTP_ARTIFACT_HEADERS_CONTENT = 0x10,
    NGX_HTTP_ARTIFACT_HEADERS_BYTES = 0x20,
    NGX_HTTP_ARTIFACT_HEADERS_NAME = 0x40
} ngx_http_artifact_headers_e;


/* Whether a header is in one of the lists. */

ngx_uint_t ngx_http_artifact_header_among(ngx_table_elt_t *header,
    ngx_uint_t lists);


/* Whether a variable is "http_...", the value of a header in the lists. */

ngx_uint_t ngx_http_artifact_is_variable_of(ngx_str_t *name, ngx_uint_t lists);


/* Drops all headers in the lists from an answer. */

void ngx_http_artifact_drop_headers(ngx_http_request_t *r, ngx_uint_t lists);


/*
 * Takes all headers in the lists out of a request, whose proxies would send a
 * header that is only marked as dropped.  They are pushed to "taken", an array
 * of ngx_table_elt_t, if that is not NULL.  The list of headers is made anew:
 * elements of the old one stay for those who point to them, and a part of a
 * list must not become empty, or it would be read past its end.  NGX_ERROR when
 * out of memory: nothing has changed then.
 */

ngx_int_t ngx_http_artifact_take_headers(ngx_http_request_t *r,
    ngx_uint_t lists, ngx_array_t *taken);


#endif /* NGX_HTTP_ARTIFACT_HEADER_TABLE_H_INCLUDED_ */
