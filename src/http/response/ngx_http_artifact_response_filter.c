
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The filters of answers from models' APIs.  An early header filter, before
 * not_modified, decides what is done with an answer and drops the headers that
 * describe its original bytes.  A body filter next to copy reads these and
 * sends what the stages make of them, so that all other filters see the new
 * answer.
 */


#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_api.h"
#include "http/base/ngx_http_artifact_bufs.h"
#include "http/base/ngx_http_artifact_header_table.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/route/ngx_http_artifact_modules.h"
#include "http/texts/ngx_http_artifact_texts.h"
#include "http/response/ngx_http_artifact_response.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/media/art_media.h"


/* While one buffer is being sent to the client, the other one is filled. */

#define NGX_HTTP_ARTIFACT_RESPONSE_BUFS    2
#define NGX_HTTP_ARTIFACT_RESPONSE_SIZE    16384
#define NGX_HTTP_ARTIFACT_RESPONSE_EVENTS  4096    /* without offload */

#define NGX_HTTP_ARTIFACT_RESPONSE_STAGES  3

/*
 * Not used by nginx in r->buffered (ngx_http_request.h).  A bit of the
 * connection's would make the postpone filter wake a writer that has nothing to
 * write, which is an error there.
 */

#define NGX_HTTP_ARTIFACT_RESPONSE_BUFFERED  0x08


/* The first buffer of the input, "in", was fed to the first stage if "fed". */

typedef struct {
    ngx_http_request_t          *request;
    ngx_http_upstream_t         *upstream;   /* at work, else NULL */

    ngx_chain_t                 *in;
    ngx_http_artifact_stage_t    stages[NGX_HTTP_ARTIFACT_RESPONSE_STAGES];
    ngx_uint_t                   nstages;
    art_str_t                    bytes;      /* left of what they gave last */
    ngx_http_artifact_bufs_t     bufs;       /* what is sent */
    size_t                       size;       /* of a buffer */

    unsigned                     events:1;
    unsigned                     fed:1;
    unsigned                     flush:1;
    unsigned                     last_buf:1;
    unsigned                     last_in_chain:1;
    unsigned                     ended:1;    /* what comes now passes */
    unsigned                     failed:1;
} ngx_http_artifact_response_t;


static ngx_int_t ngx_http_artifact_response_header_filter(
    ngx_http_request_t *r);
static ngx_uint_t ngx_http_artifact_response_is_events(ngx_http_request_t *r);
static ngx_uint_t ngx_http_artifact_response_extracts(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_response_create(ngx_http_request_t *r,
    const art_api_t *api, const ngx_http_artifact_offloads_t *offloads,
    ngx_uint_t extract, ngx_uint_t events);
static ngx_int_t ngx_http_artifact_response_stages(
    ngx_http_artifact_response_t *ctx, const art_api_t *api,
    const ngx_http_artifact_offloads_t *offloads, ngx_uint_t extract);
static ngx_int_t ngx_http_artifact_response_body_filter(ngx_http_request_t *r,
    ngx_chain_t *in);
static void ngx_http_artifact_response_resume(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_response_pump(
    ngx_http_artifact_response_t *ctx, ngx_uint_t wake);
static ngx_int_t ngx_http_artifact_response_fill(
    ngx_http_artifact_response_t *ctx);
static ngx_int_t ngx_http_artifact_response_copy(
    ngx_http_artifact_response_t *ctx);
static ngx_int_t ngx_http_artifact_response_next(
    ngx_http_artifact_response_t *ctx, ngx_uint_t n, art_str_t *bytes);
static ngx_int_t ngx_http_artifact_response_read(
    ngx_http_artifact_response_t *ctx, ngx_http_artifact_piece_t *piece);
static void ngx_http_artifact_response_taken(
    ngx_http_artifact_response_t *ctx);
static ngx_int_t ngx_http_artifact_response_put_rest(
    ngx_http_artifact_response_t *ctx);
static ngx_int_t ngx_http_artifact_response_pass(
    ngx_http_artifact_response_t *ctx);
static ngx_int_t ngx_http_artifact_response_header_init(ngx_conf_t *cf);
static ngx_int_t ngx_http_artifact_response_body_init(ngx_conf_t *cf);


static ngx_http_module_t  ngx_http_artifact_response_header_module_ctx = {
    .postconfiguration = ngx_http_artifact_response_header_init
};


ngx_module_t  ngx_http_artifact_response_header_filter_module =
    NGX_HTTP_ARTIFACT_MODULE(&ngx_http_artifact_response_header_module_ctx,
                             NULL);


static ngx_http_module_t  ngx_http_artifact_response_filter_module_ctx = {
    .postconfiguration = ngx_http_artifact_response_body_init
};


ngx_module_t  ngx_http_artifact_response_filter_module =
    NGX_HTTP_ARTIFACT_MODULE(&ngx_http_artifact_response_filter_module_ctx,
                             NULL);


static ngx_http_output_header_filter_pt  ngx_http_next_header_filter;
static ngx_http_output_body_filter_pt    ngx_http_next_body_filter;


static ngx_int_t
ngx_http_artifact_response_header_filter(ngx_http_request_t *r)
{
    ngx_uint_t                     extract, events;
    const art_api_t               *api;
    ngx_http_upstream_t           *u;
    ngx_http_artifact_ctx_t       *ctx;
    ngx_http_artifact_offloads_t   offloads;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    /* what a handler of ours has made is no model's answer */

    if (r != r->main || r->headers_out.status != NGX_HTTP_OK
        || (ctx && ctx->answered)
        || ngx_http_get_module_ctx(r, ngx_http_artifact_response_filter_module))
    {
        return ngx_http_next_header_filter(r);
    }

    api = ngx_http_artifact_offload_api(r, &offloads);
    extract = ngx_http_artifact_response_extracts(r);
    events = ngx_http_artifact_response_is_events(r);

    if ((api == NULL && !extract)
        || (!events && !ngx_http_artifact_is_json_type(r)))
    {
        return ngx_http_next_header_filter(r);
    }

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact response: events:%ui, offload:%d, "
                   "extract:%ui", events, api != NULL, extract);

    ngx_http_artifact_drop_no_codings(r);

    if (ngx_http_artifact_is_encoded(&r->headers_out.headers)) {
        ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                      "upstream sent an encoded answer, which passes as it "
                      "is: its artifacts are not extracted");
        return ngx_http_next_header_filter(r);
    }

    ngx_http_artifact_drop_headers(r, NGX_HTTP_ARTIFACT_HEADERS_BYTES);
    ngx_http_clear_content_length(r);
    ngx_http_clear_accept_ranges(r);
    r->headers_out.etag = NULL;

    /* an event is passed on as it comes, unless it is to be stored */

    u = r->upstream;

    if (events && u && !u->cacheable && !u->store) {
        u->buffering = 0;
    }

    if (r->method != NGX_HTTP_HEAD
        && ngx_http_artifact_response_create(r, api, &offloads, extract,
                                             events)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_next_header_filter(r);
}


const art_api_t *
ngx_http_artifact_offload_api(ngx_http_request_t *r,
    ngx_http_artifact_offloads_t *offloads)
{
    off_t                              length;
    ngx_str_t                          format;
    ngx_uint_t                         routed;
    const art_api_t                   *api;
    ngx_http_artifact_loc_conf_t      *alcf;
    ngx_http_artifact_texts_conf_t    *texts;
    ngx_http_artifact_answers_conf_t  *conf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);
    conf = ngx_http_get_module_loc_conf(r, ngx_http_artifact_answers_module);
    texts = ngx_http_get_module_loc_conf(r, ngx_http_artifact_texts_module);

    if (conf->stores == NULL || r != r->main
        || ngx_http_artifact_is_routed(r, &routed) != NGX_OK || routed)
    {
        return NULL;
    }

    ngx_str_null(&format);

    if (alcf->format
        && ngx_http_complex_value(r, alcf->format, &format) != NGX_OK)
    {
        return NULL;
    }

    api = art_api_of_base64(ngx_http_artifact_request_path(r),
                            ngx_artifact_str(&format));

    if (api == NULL) {
        return NULL;
    }

    offloads->media = conf->offload != NGX_HTTP_ARTIFACT_OFFLOAD_OFF;

    /* an answer that is shorter has none */

    length = r->headers_out.content_length_n;

    offloads->texts = api->long_texts != NULL
                      && ngx_http_artifact_texts_limits(r, texts,
                                                        &offloads->limits)
                         == NGX_OK
                      && (length < 0
                          || length >= (off_t) offloads->limits.size);

    return offloads->media || offloads->texts ? api : NULL;
}


/* Whether an answer is a stream of server-sent events. */

static ngx_uint_t
ngx_http_artifact_response_is_events(ngx_http_request_t *r)
{
    art_media_type_t  type;

    art_media_parse(ngx_artifact_str(&r->headers_out.content_type), &type);

    return art_str_eq(art_str(type.buf, type.len),
                      art_cstr("text/event-stream"));
}


/* Declared artifacts are extracted from an upstream's answer, cached or not. */

static ngx_uint_t
ngx_http_artifact_response_extracts(ngx_http_request_t *r)
{
    ngx_http_artifact_answers_conf_t  *conf;

    conf = ngx_http_get_module_loc_conf(r, ngx_http_artifact_answers_module);

    if (conf->extract == NGX_HTTP_ARTIFACT_EXTRACT_OFF || r->upstream == NULL) {
        return 0;
    }

#if (NGX_HTTP_CACHE)

    if (r->cached) {
        return 1;
    }

#endif

    /* an upstream that has ended only redirected here (X-Accel-Redirect) */

    return r->upstream->cleanup != NULL;
}


static ngx_int_t
ngx_http_artifact_response_create(ngx_http_request_t *r,
    const art_api_t *api, const ngx_http_artifact_offloads_t *offloads,
    ngx_uint_t extract, ngx_uint_t events)
{
    ngx_http_artifact_response_t  *ctx;

    ctx = ngx_pcalloc(r->pool, sizeof(ngx_http_artifact_response_t));
    if (ctx == NULL) {
        return NGX_ERROR;
    }

    ctx->request = r;
    ctx->upstream = r->upstream && r->upstream->cleanup ? r->upstream : NULL;
    ctx->events = events != 0;
    ctx->size = events && api == NULL ? NGX_HTTP_ARTIFACT_RESPONSE_EVENTS
                                      : NGX_HTTP_ARTIFACT_RESPONSE_SIZE;

    ngx_http_artifact_bufs_init(&ctx->bufs);

    if (ngx_http_artifact_response_stages(ctx, api, offloads, extract)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    r->filter_need_in_memory = 1;

    ngx_http_set_ctx(r, ctx, ngx_http_artifact_response_filter_module);

    return NGX_OK;
}


/* Long texts have the markers of media that were in them. */

static ngx_int_t
ngx_http_artifact_response_stages(ngx_http_artifact_response_t *ctx,
    const art_api_t *api, const ngx_http_artifact_offloads_t *offloads,
    ngx_uint_t extract)
{
    ngx_http_request_t         *r;
    ngx_http_artifact_stage_t  *stage;

    r = ctx->request;
    stage = ctx->stages;

    if (api && offloads->media
        && ngx_http_artifact_offload_create(r, api, ctx->events,
                                           ngx_http_artifact_response_resume,
                                           stage++)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (api && offloads->texts
        && ngx_http_artifact_offload_texts(r, api, &offloads->limits,
                                           ctx->events,
                                           ngx_http_artifact_response_resume,
                                           stage++)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (extract
        && ngx_http_artifact_extract_create(r, ctx->events,
                                            ngx_http_artifact_response_resume,
                                            stage++)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    ctx->nstages = (ngx_uint_t) (stage - ctx->stages);

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact response: %ui stages", ctx->nstages);

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_response_body_filter(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_int_t                      rc;
    ngx_http_artifact_response_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_artifact_response_filter_module);

    if (ctx == NULL || r->header_only) {
        return ngx_http_next_body_filter(r, in);
    }

    if (ctx->ended && in && !ctx->failed) {

        /* a filter that appends to an answer ends it while passing it on */

        return ngx_http_next_body_filter(r, in);
    }

    if (ctx->failed
        || (in && ngx_chain_add_copy(r->pool, &ctx->in, in) != NGX_OK))
    {
        ctx->failed = 1;
        return NGX_ERROR;
    }

    rc = ngx_http_artifact_response_pump(ctx, in == NULL);

    if (rc == NGX_ERROR) {
        ctx->failed = 1;
        return NGX_ERROR;
    }

    if (ctx->in) {
        r->buffered |= NGX_HTTP_ARTIFACT_RESPONSE_BUFFERED;

    } else {
        r->buffered &= ~NGX_HTTP_ARTIFACT_RESPONSE_BUFFERED;
    }

    return rc;
}


/* A stage goes on, after a thread or others: nothing else wakes the writer. */

static void
ngx_http_artifact_response_resume(ngx_http_request_t *r)
{
    (void) ngx_http_artifact_response_body_filter(r, NULL);
}


/*
 * A call without input also wakes the filters that follow: they may hold
 * something even if none of it came from here.
 */

static ngx_int_t
ngx_http_artifact_response_pump(ngx_http_artifact_response_t *ctx,
    ngx_uint_t wake)
{
    ngx_int_t            rc, sent;
    ngx_http_request_t  *r;

    r = ctx->request;

    do {
        rc = ngx_http_artifact_response_fill(ctx);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        sent = NGX_OK;
        ngx_http_artifact_bufs_give_back(r->pool, &ctx->bufs);

        if (ctx->bufs.out || ctx->bufs.busy || wake) {

            sent = ngx_http_artifact_bufs_send(r, &ctx->bufs,
                                               ngx_http_next_body_filter);
            if (sent == NGX_ERROR) {
                return NGX_ERROR;
            }

            wake = 0;
        }

    } while (rc == NGX_DECLINED && ctx->bufs.free);

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact response: in:%p, busy:%p, ended:%d",
                   ctx->in, ctx->bufs.busy, ctx->ended);

    return sent;
}


/*
 * Makes the stages read the input: NGX_AGAIN if it is used up, or a stage waits
 * for a thread or its turn; NGX_DECLINED if all buffers are busy.
 */

static ngx_int_t
ngx_http_artifact_response_fill(ngx_http_artifact_response_t *ctx)
{
    ngx_int_t  rc;

    do {
        rc = ngx_http_artifact_response_copy(ctx);

        if (rc != NGX_OK) {
            return rc;
        }

        if (ctx->ended) {
            break;
        }

        rc = ngx_http_artifact_response_next(ctx, ctx->nstages - 1,
                                             &ctx->bytes);
    } while (rc == NGX_OK);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (rc == NGX_DONE) {
        ngx_http_artifact_response_taken(ctx);
        ctx->ended = 1;
    }

    if (ngx_http_artifact_response_put_rest(ctx) != NGX_OK
        || ngx_http_artifact_response_pass(ctx) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return NGX_AGAIN;
}


/* Copies what the stages gave: NGX_DECLINED if all buffers are busy. */

static ngx_int_t
ngx_http_artifact_response_copy(ngx_http_artifact_response_t *ctx)
{
    size_t       n;
    ngx_int_t    rc;
    ngx_buf_t   *b;
    ngx_pool_t  *pool;

    pool = ctx->request->pool;

    while (ctx->bytes.len > 0) {

        if (ctx->bufs.buf == NULL) {
            rc = ngx_http_artifact_bufs_get(pool, &ctx->bufs,
                                            NGX_HTTP_ARTIFACT_RESPONSE_BUFS,
                                            ctx->size);
            if (rc != NGX_OK) {
                return rc;
            }
        }

        b = ctx->bufs.buf;
        n = ngx_min(ctx->bytes.len, (size_t) (b->end - b->last));

        b->last = ngx_cpymem(b->last, ctx->bytes.data, n);

        ctx->bytes.data += n;
        ctx->bytes.len -= n;

        if (b->last == b->end
            && ngx_http_artifact_bufs_put(pool, &ctx->bufs, b) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/*
 * The next bytes of stage "n", which reads those of the stage before it.
 * NGX_DECLINED if more input is needed, NGX_DONE at the end.
 */

static ngx_int_t
ngx_http_artifact_response_next(ngx_http_artifact_response_t *ctx,
    ngx_uint_t n, art_str_t *bytes)
{
    ngx_int_t                   rc;
    ngx_http_artifact_piece_t  *in;
    ngx_http_artifact_stage_t  *stage;

    stage = &ctx->stages[n];
    in = &stage->in;

    for ( ;; ) {
        rc = stage->next(stage->data, in, bytes);

        if (rc != NGX_DECLINED) {
            return rc;
        }

        if (stage->ended) {
            return NGX_DONE;
        }

        rc = n > 0 ? ngx_http_artifact_response_next(ctx, n - 1, &in->bytes)
                   : ngx_http_artifact_response_read(ctx, in);

        if (rc == NGX_DONE) {
            in->bytes = art_str(NULL, 0);
            in->last = 1;

        } else if (rc != NGX_OK) {
            in->bytes = art_str(NULL, 0);

            if (rc == NGX_DECLINED && stage->waits) {
                in->idle = 1;
                rc = stage->next(stage->data, in, bytes);
                in->idle = 0;
            }

            return rc;
        }

        stage->ended = in->last;
    }
}


/*
 * The next buffer of the input; NGX_DECLINED if there is no more.  An upstream
 * that fails ends with a flush of its own, and is finalized by then: what is
 * held is sent, as at any other end.  The last buffer of a chain is also an
 * end: the first of several slices is marked so.
 */

static ngx_int_t
ngx_http_artifact_response_read(ngx_http_artifact_response_t *ctx,
    ngx_http_artifact_piece_t *piece)
{
    ngx_buf_t  *b;

    if (ctx->fed) {
        ngx_http_artifact_response_taken(ctx);
    }

    if (ctx->in == NULL) {
        return NGX_DECLINED;
    }

    b = ctx->in->buf;

    if (!ngx_buf_in_memory(b) && ngx_buf_size(b) > 0) {
        ngx_log_error(NGX_LOG_ERR, ctx->request->connection->log, 0,
                      "the answer of a model is not in memory");
        return NGX_ERROR;
    }

    piece->bytes = ngx_buf_in_memory(b)
                   ? art_str(b->pos, (size_t) (b->last - b->pos))
                   : art_str(NULL, 0);

    piece->last = b->last_buf || b->last_in_chain
                  || (b->flush && ngx_buf_special(b)
                      && ctx->in->next == NULL && ctx->upstream
                      && ctx->upstream->cleanup == NULL);
    ctx->fed = 1;

    return NGX_OK;
}


/* A buffer has been read; it stays busy until its output is sent. */

static void
ngx_http_artifact_response_taken(ngx_http_artifact_response_t *ctx)
{
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    cl = ctx->in;
    b = cl->buf;

    ctx->flush |= b->flush;
    ctx->last_buf |= b->last_buf;
    ctx->last_in_chain |= b->last_in_chain;
    ctx->fed = 0;

    ctx->in = cl->next;

    ngx_http_artifact_bufs_keep(&ctx->bufs, cl);
}


/*
 * Output is passed on at once, events with a flush, or gzip would hold them.
 * An end or a flush without bytes has a buffer of its own, without the tag, so
 * that it is never reused.
 */

static ngx_int_t
ngx_http_artifact_response_put_rest(ngx_http_artifact_response_t *ctx)
{
    ngx_buf_t   *b;
    ngx_pool_t  *pool;

    b = ctx->bufs.buf;
    pool = ctx->request->pool;

    if (b == NULL) {

        if (!ctx->last_buf && !ctx->last_in_chain) {

            if (!ctx->flush) {
                return NGX_OK;
            }

            ctx->flush = 0;

            return ngx_http_artifact_bufs_put_flush(pool, &ctx->bufs);
        }

        b = ngx_calloc_buf(pool);
        if (b == NULL) {
            return NGX_ERROR;
        }

        b->sync = !ctx->last_buf;
    }

    b->flush = ctx->flush || (ctx->events && !ctx->last_buf);
    b->last_buf = ctx->last_buf;
    b->last_in_chain = ctx->last_in_chain;

    ctx->flush = 0;
    ctx->last_buf = 0;
    ctx->last_in_chain = 0;

    return ngx_http_artifact_bufs_put(pool, &ctx->bufs, b);
}


/* What follows the end is passed on as it is. */

static ngx_int_t
ngx_http_artifact_response_pass(ngx_http_artifact_response_t *ctx)
{
    ngx_chain_t  *cl;
    ngx_pool_t   *pool;

    pool = ctx->request->pool;

    while (ctx->ended && ctx->in) {
        cl = ctx->in;

        if (ngx_http_artifact_bufs_put(pool, &ctx->bufs, cl->buf) != NGX_OK) {
            return NGX_ERROR;
        }

        ctx->in = cl->next;
        ngx_free_chain(pool, cl);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_response_header_init(ngx_conf_t *cf)
{
    ngx_http_artifact_answers_main_conf_t  *rmcf;

    rmcf = ngx_http_conf_get_module_main_conf(cf,
                                             ngx_http_artifact_answers_module);

    if (rmcf->used) {
        ngx_http_next_header_filter = ngx_http_top_header_filter;
        ngx_http_top_header_filter = ngx_http_artifact_response_header_filter;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_response_body_init(ngx_conf_t *cf)
{
    ngx_http_artifact_answers_main_conf_t  *rmcf;

    rmcf = ngx_http_conf_get_module_main_conf(cf,
                                             ngx_http_artifact_answers_module);

    if (rmcf->used) {
        ngx_http_next_body_filter = ngx_http_top_body_filter;
        ngx_http_top_body_filter = ngx_http_artifact_response_body_filter;
    }

    return NGX_OK;
}
