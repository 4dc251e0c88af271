
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The phases before the content: bad references are refused, and headers that
 * a source must not see are withheld.
 */


#include "http/module/ngx_http_artifact_module.h"
#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_header_table.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/route/ngx_http_artifact_consumer.h"
#include "http/derive/ngx_http_artifact_derive.h"
#include "http/response/ngx_http_artifact_response.h"


/* Withheld from a source whose answer will be rendered. */

#define NGX_HTTP_ARTIFACT_WITHHELD                                            \
    (NGX_HTTP_ARTIFACT_HEADERS_RANGES | NGX_HTTP_ARTIFACT_HEADERS_ENCODINGS)


typedef struct {
    ngx_http_request_t  *request;
    ngx_table_elt_t     *range;
    ngx_table_elt_t     *if_range;
    ngx_array_t          headers;        /* of ngx_table_elt_t */
} ngx_http_artifact_withheld_t;


static ngx_int_t ngx_http_artifact_will_route(ngx_http_request_t *r,
    ngx_uint_t *routed);
static ngx_uint_t ngx_http_artifact_has_withheld(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_withhold(ngx_http_request_t *r,
    ngx_uint_t encoding);
static ngx_http_artifact_withheld_t *ngx_http_artifact_withheld(
    ngx_http_request_t *r);
static ngx_http_artifact_withheld_t *ngx_http_artifact_withheld_make(
    ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_put_back(
    ngx_http_artifact_withheld_t *withheld);
static void ngx_http_artifact_withheld_cleanup(void *data);


ngx_int_t
ngx_http_artifact_preaccess_handler(ngx_http_request_t *r)
{
    art_error_t                    error;
    ngx_http_artifact_ctx_t       *ctx;
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    if (r != r->main) {
        ngx_http_artifact_derive_admit(r);
    }

    if (!ngx_http_artifact_decodes(alcf)) {
        return NGX_DECLINED;
    }

    ctx = ngx_http_artifact_get_ctx(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ngx_http_artifact_check(r, ctx, &error) == NGX_OK) {
        return NGX_DECLINED;
    }

    /* answered here: no other handler of the location may run */

    ngx_http_finalize_request(r, ngx_http_artifact_send_error(r, ctx, error));

    return NGX_DONE;
}


/* A redirect may have led from a location that routes to one that does not. */

ngx_int_t
ngx_http_artifact_precontent_handler(ngx_http_request_t *r)
{
    ngx_uint_t                         routed;
    ngx_http_artifact_withheld_t      *withheld;
    ngx_http_artifact_loc_conf_t      *alcf;
    ngx_http_artifact_answers_conf_t  *rlcf;
    ngx_http_artifact_offloads_t       offloads;

    /* a consumer's source stays one after a redirect */

    if (r == r->main) {
        withheld = ngx_http_artifact_withheld(r);

        if (withheld && ngx_http_artifact_put_back(withheld) != NGX_OK) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }
    }

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);
    rlcf = ngx_http_get_module_loc_conf(r, ngx_http_artifact_answers_module);

    /* these have no upstream, and their requests may have many headers */

    if (ngx_http_artifact_is_local(alcf)
        || !ngx_http_artifact_has_withheld(r))
    {
        return NGX_DECLINED;
    }

    if (ngx_http_artifact_will_route(r, &routed) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if ((routed
         || (rlcf->extract && r == r->main)
         || ngx_http_artifact_offload_api(r, &offloads))
        && ngx_http_artifact_withhold(r, !routed) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return NGX_DECLINED;
}


/*
 * The values of variables are restored: a map may choose the service by what
 * the upstream will answer.
 */

static ngx_int_t
ngx_http_artifact_will_route(ngx_http_request_t *r, ngx_uint_t *routed)
{
    size_t                      size;
    ngx_int_t                   rc;
    ngx_http_variable_value_t  *saved;
    ngx_http_core_main_conf_t  *cmcf;

    *routed = (ngx_http_artifact_consumer(r) != NULL);

    if (r != r->main) {
        return NGX_OK;
    }

    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);
    size = cmcf->variables.nelts * sizeof(ngx_http_variable_value_t);

    saved = ngx_palloc(r->pool, size);
    if (saved == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(saved, r->variables, size);
    rc = ngx_http_artifact_is_routed(r, routed);
    ngx_memcpy(r->variables, saved, size);

    (void) ngx_pfree(r->pool, saved);

    return rc;
}


/* Whether a request has a header that would be withheld. */

static ngx_uint_t
ngx_http_artifact_has_withheld(ngx_http_request_t *r)
{
    ngx_uint_t        n;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *header;

    n = 0;
    part = &r->headers_in.headers.part;

    while ((header = ngx_http_artifact_next_header(&part, &n))) {

        if (ngx_http_artifact_header_among(header,
                                           NGX_HTTP_ARTIFACT_WITHHELD))
        {
            return 1;
        }
    }

    return 0;
}


/*
 * Takes the headers out of the list, which proxy, FastCGI, uwsgi, SCGI and gRPC
 * send on, and where variables ($http_range) find them.  What nginx has parsed
 * stays, so that nginx compares and compresses what is sent, except for the
 * range, on which slice would act.  With "encoding" only Accept-Encoding is
 * taken.  NGX_ERROR when out of memory: then nothing has changed.
 */

static ngx_int_t
ngx_http_artifact_withhold(ngx_http_request_t *r, ngx_uint_t encoding)
{
    ngx_uint_t                     lists;
    ngx_http_artifact_withheld_t  *withheld;

    withheld = ngx_http_artifact_withheld_make(r);
    lists = encoding ? NGX_HTTP_ARTIFACT_HEADERS_ENCODINGS
                     : NGX_HTTP_ARTIFACT_WITHHELD;

    if (withheld == NULL
        || ngx_http_artifact_take_headers(r, lists, &withheld->headers)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (r->headers_in.range && !encoding) {
        withheld->range = r->headers_in.range;
        withheld->if_range = r->headers_in.if_range;

        r->headers_in.range = NULL;
        r->headers_in.if_range = NULL;
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact withheld: %ui headers, encoding only %ui",
                   withheld->headers.nelts, encoding);

    return NGX_OK;
}


/* Redirects clear the contexts of all modules, but not the cleanups. */

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

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact withheld: %ui headers are put back",
                   withheld->headers.nelts);

    withheld->headers.nelts = 0;

    if (withheld->range) {
        r->headers_in.range = withheld->range;
        r->headers_in.if_range = withheld->if_range;
        withheld->range = NULL;
    }

    return NGX_OK;
}


/* nginx runs cleanups before it writes the log, which then has the headers. */

static void
ngx_http_artifact_withheld_cleanup(void *data)
{
    (void) ngx_http_artifact_put_back(data);
}
