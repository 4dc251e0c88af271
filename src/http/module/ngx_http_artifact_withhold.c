
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/module/ngx_http_artifact_withhold.h"

#include "http/base/ngx_http_artifact_util.h"


/* What was taken, of which request. */

typedef struct {
    ngx_http_request_t  *request;
    ngx_table_elt_t     *range;
    ngx_table_elt_t     *if_range;
    ngx_array_t          headers;        /* of ngx_table_elt_t */
} ngx_http_artifact_withheld_t;


static ngx_http_artifact_withheld_t *ngx_http_artifact_withheld(
    ngx_http_request_t *r);
static ngx_http_artifact_withheld_t *ngx_http_artifact_withheld_make(
    ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_put_back(
    ngx_http_artifact_withheld_t *withheld);
static void ngx_http_artifact_withheld_cleanup(void *data);


static const char *const  ngx_http_artifact_withheld_names[] = {
    "Range", "If-Range", "If-Match", "If-None-Match", "Accept-Encoding",
    "If-Modified-Since", "If-Unmodified-Since", NULL
};


ngx_uint_t
ngx_http_artifact_has_withheld(ngx_http_request_t *r)
{
    ngx_uint_t        n;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *header;

    n = 0;
    part = &r->headers_in.headers.part;

    do {
        header = ngx_http_artifact_next_header(&part, &n);
    } while (header
             && !ngx_http_artifact_header_among(header,
                                        ngx_http_artifact_withheld_names));

    return header != NULL;
}


ngx_int_t
ngx_http_artifact_withhold_encodings(ngx_http_request_t *r)
{
    ngx_http_artifact_withheld_t  *withheld;

    static const char *const  names[] = { "Accept-Encoding", NULL };

    withheld = ngx_http_artifact_withheld_make(r);

    return withheld
           ? ngx_http_artifact_take_headers(r->pool, &r->headers_in.headers,
                                            names, &withheld->headers)
           : NGX_ERROR;
}


ngx_int_t
ngx_http_artifact_withhold(ngx_http_request_t *r)
{
    ngx_http_artifact_withheld_t  *withheld;

    withheld = ngx_http_artifact_withheld_make(r);

    if (withheld == NULL
        || ngx_http_artifact_take_headers(r->pool, &r->headers_in.headers,
                                          ngx_http_artifact_withheld_names,
                                          &withheld->headers)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (r->headers_in.range) {
        withheld->range = r->headers_in.range;
        withheld->if_range = r->headers_in.if_range;

        r->headers_in.range = NULL;
        r->headers_in.if_range = NULL;
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_give_back(ngx_http_request_t *r)
{
    ngx_http_artifact_withheld_t  *withheld;

    withheld = ngx_http_artifact_withheld(r);

    return withheld ? ngx_http_artifact_put_back(withheld) : NGX_OK;
}


/* Redirects clear the contexts of all modules, but no cleanups. */

static ngx_http_artifact_withheld_t *
ngx_http_artifact_withheld(ngx_http_request_t *r)
{
    ngx_http_cleanup_t            *cln;
    ngx_http_artifact_withheld_t  *withheld;

    for (cln = r->main->cleanup; cln; cln = cln->next) {
        if (cln->handler == ngx_http_artifact_withheld_cleanup) {
            withheld = cln->data;

            if (withheld->request == r) {
                return withheld;
            }
        }
    }

    return NULL;
}


static ngx_http_artifact_withheld_t *
ngx_http_artifact_withheld_make(ngx_http_request_t *r)
{
    ngx_http_cleanup_t            *cln;
    ngx_http_artifact_withheld_t  *withheld;

    withheld = ngx_http_artifact_withheld(r);

    if (withheld) {
        return withheld;
    }

    cln = ngx_http_cleanup_add(r, sizeof(ngx_http_artifact_withheld_t));
    if (cln == NULL) {
        return NULL;
    }

    withheld = cln->data;

    ngx_memzero(withheld, sizeof(ngx_http_artifact_withheld_t));
    withheld->request = r;

    if (ngx_array_init(&withheld->headers, r->pool, 4,
                       sizeof(ngx_table_elt_t))
        != NGX_OK)
    {
        return NULL;
    }

    cln->handler = ngx_http_artifact_withheld_cleanup;

    return withheld;
}


static ngx_int_t
ngx_http_artifact_put_back(ngx_http_artifact_withheld_t *withheld)
{
    ngx_uint_t           i;
    ngx_table_elt_t     *header, *headers;
    ngx_http_request_t  *r;

    r = withheld->request;
    headers = withheld->headers.elts;

    for (i = 0; i < withheld->headers.nelts; i++) {
        header = ngx_list_push(&r->headers_in.headers);
        if (header == NULL) {
            return NGX_ERROR;
        }

        *header = headers[i];
    }

    withheld->headers.nelts = 0;

    if (withheld->range) {
        r->headers_in.range = withheld->range;
        r->headers_in.if_range = withheld->if_range;
        withheld->range = NULL;
    }

    return NGX_OK;
}


/* nginx runs it before it writes the log, and has forgotten it then. */

static void
ngx_http_artifact_withheld_cleanup(void *data)
{
    (void) ngx_http_artifact_put_back(data);
}
