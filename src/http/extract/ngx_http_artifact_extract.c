
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/base/ngx_http_artifact.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/extract/ngx_http_artifact_extract.h"


/* While one buffer is on its way to the client, the other is filled. */

#define NGX_HTTP_ARTIFACT_EXTRACT_BUFS    2
#define NGX_HTTP_ARTIFACT_EXTRACT_EVENTS  4096
#define NGX_HTTP_ARTIFACT_EXTRACT_JSON    16384

#define NGX_HTTP_ARTIFACT_EXTRACT_BUFFERED  0x08


static void ngx_http_artifact_extract_cleanup(void *data);
static ngx_int_t ngx_http_artifact_extract_run(ngx_http_request_t *r,
    ngx_http_artifact_extract_t *extract);
static void ngx_http_artifact_extract_gave_up(ngx_http_request_t *r,
    art_declare_gave_up_t why);
static ngx_int_t ngx_http_artifact_extract_copy(ngx_http_request_t *r,
    ngx_http_artifact_extract_t *extract);
static void ngx_http_artifact_extract_feed(
    ngx_http_artifact_extract_t *extract);
static void ngx_http_artifact_extract_taken(
    ngx_http_artifact_extract_t *extract);
static ngx_int_t ngx_http_artifact_extract_put_rest(ngx_http_request_t *r,
    ngx_http_artifact_extract_t *extract);


ngx_http_artifact_extract_t *
ngx_http_artifact_extract_create(ngx_http_request_t *r, const art_api_t *api,
    ngx_uint_t events)
{
    ngx_pool_cleanup_t            *cln;
    ngx_http_artifact_extract_t   *extract;
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_artifact_extract_t));
    if (cln == NULL) {
        return NULL;
    }

    extract = cln->data;
    ngx_memzero(extract, sizeof(ngx_http_artifact_extract_t));

    extract->events = events;
    ngx_http_artifact_bufs_init(&extract->bufs);

    art_declare_init(&extract->declare, api, events,
                     alcf->extract == NGX_HTTP_ARTIFACT_EXTRACT_STRIP);

    cln->handler = ngx_http_artifact_extract_cleanup;

    return extract;
}


static void
ngx_http_artifact_extract_cleanup(void *data)
{
    ngx_http_artifact_extract_t *extract = data;

    ngx_http_artifact_count(ART_COUNT_DECLARED, NULL, extract->declare.nitems);

    art_declare_done(&extract->declare);
}


ngx_int_t
ngx_http_artifact_extract_write(ngx_http_request_t *r,
    ngx_http_artifact_extract_t *extract, ngx_chain_t *in,
    ngx_http_output_body_filter_pt output)
{
    ngx_int_t  rc, run;

    if (in && ngx_chain_add_copy(r->pool, &extract->in, in) != NGX_OK) {
        return NGX_ERROR;
    }

    do {
        run = ngx_http_artifact_extract_run(r, extract);

        if (run == NGX_ERROR) {
            return NGX_ERROR;
        }

        rc = NGX_OK;
        ngx_http_artifact_bufs_give_back(r->pool, &extract->bufs);

        if (extract->bufs.out || extract->bufs.busy || in == NULL) {

            rc = ngx_http_artifact_bufs_send(r, &extract->bufs, output);

            if (rc == NGX_ERROR) {
                return NGX_ERROR;
            }
        }

        /* NGX_DECLINED: all buffers are taken */

    } while (run == NGX_DECLINED && extract->bufs.free);

    if (extract->in) {
        r->buffered |= NGX_HTTP_ARTIFACT_EXTRACT_BUFFERED;

    } else {
        r->buffered &= ~NGX_HTTP_ARTIFACT_EXTRACT_BUFFERED;
    }

    return rc;
}


/* Reads the input until it is used up, or there is no buffer to write to. */

static ngx_int_t
ngx_http_artifact_extract_run(ngx_http_request_t *r,
    ngx_http_artifact_extract_t *extract)
{
    int        more;
    ngx_int_t  rc;

    for ( ;; ) {
        rc = ngx_http_artifact_extract_copy(r, extract);

        if (rc != NGX_OK) {
            return rc;
        }

        if (!extract->fed) {

            if (extract->in == NULL) {
                return ngx_http_artifact_extract_put_rest(r, extract);
            }

            ngx_http_artifact_extract_feed(extract);
        }

        more = art_declare_next(&extract->declare, &extract->rest);

        if (more == ART_ERROR) {
            ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                          "no memory for what is declared in an answer");
            return NGX_ERROR;
        }

        if (extract->declare.gave_up != extract->told) {
            extract->told = extract->declare.gave_up;
            ngx_http_artifact_extract_gave_up(r, extract->told);
        }

        if (more == 0) {
            ngx_http_artifact_extract_taken(extract);
        }
    }
}


static void
ngx_http_artifact_extract_gave_up(ngx_http_request_t *r,
    art_declare_gave_up_t why)
{
    switch (why) {

    case ART_DECLARE_LARGE:
        ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                      "upstream sent a block of artifacts of more than %uz "
                      "bytes, which is passed over", (size_t) ART_BLOCK_MAX);
        break;

    case ART_DECLARE_LONG:
        ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                      "upstream sent a block of artifacts in more than %uz "
                      "bytes of events, which is left in the answer",
                      (size_t) ART_DECLARE_HELD);
        break;

    default:  /* ART_DECLARE_STUCK */
        ngx_log_error(NGX_LOG_ALERT, r->connection->log, 0,
                      "what was held of an answer was not let go before its "
                      "end");
    }
}


/* Writes what there is to write. */

static ngx_int_t
ngx_http_artifact_extract_copy(ngx_http_request_t *r,
    ngx_http_artifact_extract_t *extract)
{
    size_t      n;
    ngx_int_t   rc;
    ngx_buf_t  *b;

    while (extract->rest.len > 0) {

        if (extract->bufs.buf == NULL) {
            rc = ngx_http_artifact_bufs_get(r->pool, &extract->bufs,
                                    NGX_HTTP_ARTIFACT_EXTRACT_BUFS,
                                    extract->events
                                    ? NGX_HTTP_ARTIFACT_EXTRACT_EVENTS
                                    : NGX_HTTP_ARTIFACT_EXTRACT_JSON);
            if (rc != NGX_OK) {
                return rc;
            }
        }

        b = extract->bufs.buf;
        n = ngx_min(extract->rest.len, (size_t) (b->end - b->last));

        b->last = ngx_cpymem(b->last, extract->rest.data, n);

        extract->rest.data += n;
        extract->rest.len -= n;

        if (b->last == b->end
            && ngx_http_artifact_bufs_put(r->pool, &extract->bufs, b) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/*
 * The next buffer of the input.  An upstream that fails ends with a flush by
 * itself, and is finalized by then: what is held goes out, as with any other
 * end.
 */

static void
ngx_http_artifact_extract_feed(ngx_http_artifact_extract_t *extract)
{
    size_t      len;
    ngx_buf_t  *b;

    b = extract->in->buf;
    len = ngx_buf_in_memory(b) ? (size_t) (b->last - b->pos) : 0;

    art_declare_feed(&extract->declare, b->pos, len,
                     b->last_buf || b->last_in_chain
                     || (b->flush && ngx_buf_special(b)
                         && extract->in->next == NULL && extract->upstream
                         && extract->upstream->cleanup == NULL));
    extract->fed = 1;
}


/* It has been read, and goes back when what came of it has been sent. */

static void
ngx_http_artifact_extract_taken(ngx_http_artifact_extract_t *extract)
{
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    cl = extract->in;
    b = cl->buf;

    extract->flush |= b->flush;
    extract->last_buf |= b->last_buf;
    extract->last_in_chain |= b->last_in_chain;
    extract->fed = 0;

    extract->in = cl->next;

    ngx_http_artifact_bufs_keep(&extract->bufs, cl);
}


/*
 * What there is goes on at once, events with a flush, or gzip would keep them.
 * An end or a flush without bytes has a buffer of its own, without the tag, so
 * that it never comes back.
 */

static ngx_int_t
ngx_http_artifact_extract_put_rest(ngx_http_request_t *r,
    ngx_http_artifact_extract_t *extract)
{
    ngx_buf_t  *b;

    b = extract->bufs.buf;

    if (b == NULL || b->last == b->pos) {

        if (!extract->last_buf && !extract->last_in_chain) {

            if (!extract->flush) {
                return NGX_OK;
            }

            extract->flush = 0;

            return ngx_http_artifact_bufs_put_flush(r->pool, &extract->bufs);
        }

        b = ngx_calloc_buf(r->pool);
        if (b == NULL) {
            return NGX_ERROR;
        }

        b->sync = !extract->last_buf;
    }

    b->flush = extract->flush || (extract->events && !extract->last_buf);
    b->last_buf = extract->last_buf;
    b->last_in_chain = extract->last_in_chain;

    extract->flush = 0;
    extract->last_buf = 0;
    extract->last_in_chain = 0;

    return ngx_http_artifact_bufs_put(r->pool, &extract->bufs, b);
}
