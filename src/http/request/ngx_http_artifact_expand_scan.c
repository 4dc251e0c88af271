
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The body as it came: decoded if it is compressed, then scanned, once.
 */


#include "http/request/ngx_http_artifact_expand_steps.h"
#include "http/request/ngx_http_artifact_prompt.h"
#include "http/base/ngx_http_artifact_util.h"
#include "store/disk/ngx_artifact_str.h"


static ngx_int_t ngx_http_artifact_expand_open(
    ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_expand_undecoded(
    ngx_http_artifact_expand_t *ex, ngx_int_t rc);
static ngx_int_t ngx_http_artifact_expand_feed(
    ngx_http_artifact_expand_t *ex);
static void *ngx_http_artifact_expand_alloc(void *data, size_t size);


ngx_int_t
ngx_http_artifact_expand_decode(ngx_http_artifact_expand_t *ex)
{
    ssize_t     n;
    ngx_int_t   rc;
    ngx_uint_t  last;

    if (ex->body == NULL) {
        rc = ngx_http_artifact_expand_open(ex);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    if (ex->decode == NULL) {
        return NGX_OK;
    }

    for ( ;; ) {

        if (ex->in_len == 0) {
            n = ngx_http_artifact_body_read(&ex->at,
                                            NGX_HTTP_ARTIFACT_EXPAND_ROOM,
                                            &ex->in);
            if (n == NGX_ERROR) {
                return NGX_HTTP_INTERNAL_SERVER_ERROR;
            }

            ex->in_len = (size_t) n;
        }

        /* what is left of a piece when it yields is not the end */

        last = ex->in_len == 0;

        rc = ngx_http_artifact_decode(ex->decode, (const u_char **) &ex->in,
                                      &ex->in_len, last, &ex->decoded,
                                      ex->conf->body_max, &ex->turn);
        if (rc != NGX_OK) {
            return ngx_http_artifact_expand_undecoded(ex, rc);
        }

        if (last) {
            break;
        }

        if (ngx_http_artifact_turn_is_over(&ex->turn)) {
            return ngx_http_artifact_expand_yield(ex);
        }
    }

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "artifact body decoded: %O bytes", ex->decoded.size);

    ngx_http_artifact_decode_end(ex->decode);
    ex->decode = NULL;

    return ngx_http_artifact_spool_end(&ex->decoded, &ex->body) == NGX_OK
           ? NGX_OK : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


static ngx_int_t
ngx_http_artifact_expand_open(ngx_http_artifact_expand_t *ex)
{
    ngx_int_t            rc;
    ngx_str_t            coding;
    ngx_table_elt_t     *header;
    ngx_http_request_t  *r;

    r = ex->request;

    ex->body = r->request_body ? r->request_body->bufs : NULL;

    /* what has no bytes is no JSON, whatever is said of its coding */

    if (ngx_http_artifact_body_size(ex->body) == 0) {
        return NGX_DECLINED;
    }

    header = ngx_http_artifact_find_header(&r->headers_in.headers,
                                           "Content-Encoding");
    ngx_str_null(&coding);

    if (header) {
        coding = header->value;
    }

    rc = ngx_http_artifact_decode_create(r, &coding, &ex->decode);

    if (rc == NGX_DECLINED) {
        return ngx_http_artifact_expand_refuse(ex, ART_MESSAGE_ERR_CODING,
                                               art_str(NULL, 0));
    }

    if (rc != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ex->decode) {
        return ngx_http_artifact_expand_rewind(ex) == NGX_OK
               ? NGX_OK : NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ngx_http_artifact_body_size(ex->body) > ex->conf->body_max) {
        return ngx_http_artifact_expand_refuse(ex, ART_MESSAGE_ERR_SIZE,
                                               art_str(NULL, 0));
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_expand_undecoded(ngx_http_artifact_expand_t *ex,
    ngx_int_t rc)
{
    switch (rc) {

    case NGX_AGAIN:
        return ngx_http_artifact_expand_yield(ex);

    case NGX_DECLINED:
        return ngx_http_artifact_expand_refuse(ex, ART_MESSAGE_ERR_ENCODING,
                                               art_str(NULL, 0));

    case NGX_ABORT:
        return ngx_http_artifact_expand_refuse(ex, ART_MESSAGE_ERR_SIZE,
                                               art_str(NULL, 0));

    default:
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }
}


ngx_int_t
ngx_http_artifact_expand_scan(ngx_http_artifact_expand_t *ex)
{
    ngx_int_t  rc;

    ex->seeing = 0;

    /* a coded body was not scanned, and may be empty */

    if (!ex->over
        && (ex->scan == NULL
            || ex->seen != ngx_http_artifact_body_size(ex->body)))
    {
        rc = ngx_http_artifact_expand_feed(ex);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    switch (art_scan_end(ex->scan)) {

    case ART_SCAN_OK:
        return ex->versioned && !ex->scan->versioned ? NGX_DECLINED : NGX_OK;

    case ART_SCAN_PASS:
        return NGX_DECLINED;

    case ART_SCAN_TOO_MANY:
        return ngx_http_artifact_expand_refuse(ex, ART_MESSAGE_ERR_REFS,
                                               art_str(NULL, 0));

    default:
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }
}


/* A body that came before it was known that it is to be scanned, or coded. */

static ngx_int_t
ngx_http_artifact_expand_feed(ngx_http_artifact_expand_t *ex)
{
    u_char   *data;
    ssize_t   n;

    if (ex->seen >= 0) {
        ex->seen = -1;

        if (ngx_http_artifact_expand_begin_scan(ex) != NGX_OK
            || ngx_http_artifact_expand_rewind(ex) != NGX_OK)
        {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }
    }

    do {
        n = ngx_http_artifact_body_read(&ex->at, NGX_HTTP_ARTIFACT_EXPAND_ROOM,
                                        &data);
        if (n == NGX_ERROR) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }

        if (n == 0 || art_scan_feed(ex->scan, data, (size_t) n) != ART_OK) {
            return NGX_OK;
        }

    } while (!ngx_http_artifact_turn_is_over(&ex->turn));

    return ngx_http_artifact_expand_yield(ex);
}


ngx_int_t
ngx_http_artifact_expand_begin_scan(ngx_http_artifact_expand_t *ex)
{
    ngx_str_t        prefix;
    art_scan_conf_t  conf;

    ngx_str_null(&prefix);

    if (ex->conf->url
        && ngx_http_complex_value(ex->request, ex->conf->url, &prefix)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ex->scan == NULL) {
        ex->scan = ngx_palloc(ex->request->pool, sizeof(art_scan_t));
        if (ex->scan == NULL) {
            return NGX_ERROR;
        }
    }

    ngx_memzero(&conf, sizeof(art_scan_conf_t));

    conf.api = ex->api;
    conf.pool.alloc = ngx_http_artifact_expand_alloc;
    conf.pool.data = ex->request;
    conf.url_prefix = ngx_artifact_str(&prefix);
    conf.refs_max = (uint32_t) ex->conf->refs_max;

    if (ngx_http_artifact_prompt_scan(ex, &conf) != NGX_OK) {
        return NGX_ERROR;
    }

    art_scan_init(ex->scan, &conf);

    return NGX_OK;
}


static void *
ngx_http_artifact_expand_alloc(void *data, size_t size)
{
    ngx_http_request_t *r = data;

    return ngx_palloc(r->pool, size);
}
