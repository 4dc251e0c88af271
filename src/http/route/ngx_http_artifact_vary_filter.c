
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The Vary header.  Names are added early, when routing is decided; after gzip
 * all lines, including those of other modules, are merged into one: before
 * 1.23.0 nginx as a cache honours only the last line.
 */


#include "http/base/ngx_http_artifact.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/route/ngx_http_artifact_filters.h"


static ngx_int_t ngx_http_artifact_vary_filter(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_merge_vary(ngx_http_request_t *r);
static ngx_uint_t ngx_http_artifact_varies(ngx_str_t *list, const char *name);
static ngx_int_t ngx_http_artifact_vary_filter_init(ngx_conf_t *cf);


static ngx_http_module_t  ngx_http_artifact_vary_filter_module_ctx = {
    .postconfiguration = ngx_http_artifact_vary_filter_init
};


ngx_module_t  ngx_http_artifact_vary_filter_module = {
    NGX_MODULE_V1,
    .ctx = &ngx_http_artifact_vary_filter_module_ctx,
    .type = NGX_HTTP_MODULE
};


static ngx_http_output_header_filter_pt  ngx_http_next_header_filter;


static ngx_int_t
ngx_http_artifact_vary_filter(ngx_http_request_t *r)
{
    ngx_http_artifact_loc_conf_t  *alcf;
#if (NGX_HTTP_GZIP)
    ngx_http_core_loc_conf_t      *clcf;
#endif

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    if (r != r->main
        || alcf->route == NGX_HTTP_ARTIFACT_ROUTE_OFF
        || ngx_http_artifact_find_header(&r->headers_out.headers, "Vary")
           == NULL)
    {
        return ngx_http_next_header_filter(r);
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

    if (ngx_http_artifact_merge_vary(r) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_http_next_header_filter(r);
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
