
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A request body in steps: it is decoded if it is compressed, scanned once, its
 * references are asked for, and a new body is written where bytes change.  The
 * steps yield to other requests, and are entered again by events.
 */


#include "http/request/ngx_http_artifact_expand.h"
#include "http/request/ngx_http_artifact_expand_reader.h"
#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_util.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/media/art_media.h"
#include "core/media/art_media_parse.h"
#include "core/message/art_message_path.h"


static ngx_int_t ngx_http_artifact_expand_begin(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf);
static const art_message_api_t *ngx_http_artifact_expand_api(
    ngx_http_request_t *r, ngx_http_artifact_loc_conf_t *alcf,
    art_str_t path, unsigned *versioned);
static ngx_uint_t ngx_http_artifact_expand_is_json(ngx_http_request_t *r);
static ngx_http_artifact_expand_t *ngx_http_artifact_expand_create(
    ngx_http_request_t *r, ngx_http_artifact_loc_conf_t *alcf);
static void *ngx_http_artifact_expand_alloc(void *data, size_t size);
static void ngx_http_artifact_expand_cleanup(void *data);
static void ngx_http_artifact_expand_read(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_expand_run(ngx_http_artifact_expand_t *ex);
static void ngx_http_artifact_expand_continue(ngx_event_t *ev);
static ngx_int_t ngx_http_artifact_expand_yield(
    ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_expand_decode(
    ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_expand_scan(
    ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_expand_plan(
    ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_expand_edit(
    ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_expand_write(
    ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_expand_piece(
    ngx_http_artifact_expand_t *ex);
static ngx_uint_t ngx_http_artifact_expand_is_signed(ngx_http_request_t *r);


/*
 * Each returns NGX_OK when it is over, NGX_AGAIN to be called again,
 * NGX_DECLINED if the body stays as it is, else what the handler returns.
 */

static ngx_int_t  (*ngx_http_artifact_expand_steps[])(
    ngx_http_artifact_expand_t *ex) =
{
    ngx_http_artifact_expand_decode,
    ngx_http_artifact_expand_scan,
    ngx_http_artifact_expand_plan,
    ngx_http_artifact_expand_ask,
    ngx_http_artifact_expand_edit,
    ngx_http_artifact_expand_write
};

#define NGX_HTTP_ARTIFACT_EXPAND_STEPS                                        \
    (sizeof(ngx_http_artifact_expand_steps)                                   \
     / sizeof(ngx_http_artifact_expand_steps[0]))


ngx_int_t
ngx_http_artifact_expand_handler(ngx_http_request_t *r)
{
    ngx_http_artifact_expand_t    *ex;
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    if (!alcf->expand || r != r->main) {
        return NGX_DECLINED;
    }

    ex = ngx_http_artifact_expand(r);

    if (ex == NULL) {
        return ngx_http_artifact_expand_begin(r, alcf);
    }

    return ex->done ? NGX_DECLINED : ngx_http_artifact_expand_run(ex);
}


/* An internal redirect clears the contexts of modules, but not the pool. */

ngx_http_artifact_expand_t *
ngx_http_artifact_expand(ngx_http_request_t *r)
{
    ngx_pool_cleanup_t  *cln;

    for (cln = r->pool->cleanup; cln; cln = cln->next) {
        if (cln->handler == ngx_http_artifact_expand_cleanup) {
            return cln->data;
        }
    }

    return NULL;
}


static ngx_int_t
ngx_http_artifact_expand_begin(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf)
{
    ngx_int_t                    rc;
    unsigned                     versioned;
    art_str_t                    path;
    const u_char                *last;
    const art_message_api_t     *api;
    ngx_http_artifact_expand_t  *ex;

    if (r->method != NGX_HTTP_POST || r->reading_body
        || !ngx_http_artifact_expand_is_json(r))
    {
        return NGX_DECLINED;
    }

    path = ngx_artifact_str(&r->unparsed_uri);
    last = memchr(path.data, '?', path.len);

    if (last) {
        path.len = (size_t) (last - path.data);
    }

    api = ngx_http_artifact_expand_api(r, alcf, path, &versioned);
    if (api == NULL) {
        return NGX_DECLINED;
    }

    ex = ngx_http_artifact_expand_create(r, alcf);
    if (ex == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ex->api = api;
    ex->versioned = versioned & 1;
    ex->path_model.data = ngx_pnalloc(r->pool, path.len);

    if (ex->path_model.data == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ex->path_model = art_message_path_model(path,
                                            (u_char *) ex->path_model.data);

    rc = ngx_http_read_client_request_body(r, ngx_http_artifact_expand_read);

    if (rc >= NGX_HTTP_SPECIAL_RESPONSE) {
        return rc;
    }

    ngx_http_finalize_request(r, NGX_DONE);

    return NGX_DONE;
}


static const art_message_api_t *
ngx_http_artifact_expand_api(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf, art_str_t path, unsigned *versioned)
{
    ngx_str_t  name;

    *versioned = 0;
    ngx_str_null(&name);

    if (alcf->format
        && ngx_http_complex_value(r, alcf->format, &name) != NGX_OK)
    {
        return NULL;
    }

    return name.len > 0 ? art_message_api_find(ngx_artifact_str(&name))
                        : art_message_path_api(path, versioned);
}


static ngx_uint_t
ngx_http_artifact_expand_is_json(ngx_http_request_t *r)
{
    art_media_type_t  type;

    if (r->headers_in.content_type == NULL) {
        return 0;
    }

    art_media_parse(ngx_artifact_str(&r->headers_in.content_type->value),
                    &type);

    return art_media_flags(art_str(type.buf, type.len)) & ART_MEDIA_JSON;
}


static ngx_http_artifact_expand_t *
ngx_http_artifact_expand_create(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf)
{
    ngx_pool_cleanup_t          *cln;
    ngx_http_artifact_expand_t  *ex;

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_artifact_expand_t));
    if (cln == NULL) {
        return NULL;
    }

    ex = cln->data;
    ngx_memzero(ex, sizeof(ngx_http_artifact_expand_t));

    ex->request = r;
    ex->conf = alcf;
    ex->yield.handler = ngx_http_artifact_expand_continue;
    ex->yield.data = ex;
    ex->yield.log = r->connection->log;

    ngx_http_artifact_spool_init(&ex->decoded, r);
    ngx_http_artifact_spool_init(&ex->parts, r);
    ngx_http_artifact_spool_init(&ex->out, r);

    cln->handler = ngx_http_artifact_expand_cleanup;

    return ex;
}


static void *
ngx_http_artifact_expand_alloc(void *data, size_t size)
{
    ngx_http_request_t *r = data;

    return ngx_palloc(r->pool, size);
}


static void
ngx_http_artifact_expand_cleanup(void *data)
{
    ngx_http_artifact_expand_t *ex = data;

    if (ex->yield.posted) {
        ngx_delete_posted_event(&ex->yield);
    }
}


static void
ngx_http_artifact_expand_read(ngx_http_request_t *r)
{
    r->preserve_body = 1;
    r->read_event_handler = ngx_http_test_reading;
    r->write_event_handler = ngx_http_core_run_phases;

    ngx_http_core_run_phases(r);
}


static ngx_int_t
ngx_http_artifact_expand_run(ngx_http_artifact_expand_t *ex)
{
    ngx_int_t  rc;

    while (ex->step < NGX_HTTP_ARTIFACT_EXPAND_STEPS) {

        rc = ngx_http_artifact_expand_steps[ex->step](ex);

        if (rc == NGX_OK) {
            ex->step++;
            continue;
        }

        if (rc != NGX_DECLINED) {
            return rc;
        }

        break;
    }

    ex->done = 1;
    ex->request->read_event_handler = ngx_http_block_reading;

    return NGX_DECLINED;
}


/* Others have their turn before it goes on. */

static ngx_int_t
ngx_http_artifact_expand_yield(ngx_http_artifact_expand_t *ex)
{
    ngx_post_event(&ex->yield, &ngx_posted_next_events);

    return NGX_AGAIN;
}


static void
ngx_http_artifact_expand_continue(ngx_event_t *ev)
{
    ngx_connection_t            *c;
    ngx_http_request_t          *r;
    ngx_http_artifact_expand_t  *ex;

    ex = ev->data;
    r = ex->request;
    c = r->connection;

    ngx_http_set_log_request(c->log, r);

    r->write_event_handler(r);

    ngx_http_run_posted_requests(c);
}


ngx_int_t
ngx_http_artifact_expand_refuse(ngx_http_artifact_expand_t *ex,
    art_message_error_t error, art_str_t ref)
{
    ngx_int_t                 rc;
    art_out_t                 out;
    ngx_http_request_t       *r;
    ngx_http_artifact_ctx_t  *ctx;

    r = ex->request;
    ex->done = 1;

    ctx = ngx_http_artifact_get_ctx(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (error == ART_MESSAGE_ERR_CODING
        && ngx_http_artifact_add_header(r, "Accept-Encoding",
                                        &ngx_http_artifact_decodes)
           != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_message_error_print(&out, error, ref,
                                (art_lang_t) ex->conf->language);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    rc = ngx_http_artifact_send_json(r, ctx, art_message_error_status(error),
                                     &out);

    ngx_http_finalize_request(r, rc);

    return NGX_DONE;
}


/* --- the steps --------------------------------------------------------- */


static ngx_int_t
ngx_http_artifact_expand_decode(ngx_http_artifact_expand_t *ex)
{
    off_t                begun;
    ssize_t              n;
    ngx_int_t            rc;
    ngx_str_t            coding;
    ngx_table_elt_t     *header;
    ngx_http_request_t  *r;

    r = ex->request;

    if (ex->buf == NULL) {

        if (r->request_body == NULL || r->request_body->bufs == NULL) {
            return NGX_DECLINED;
        }

        ex->body = r->request_body->bufs;
        ex->buf = ngx_palloc(r->pool, NGX_HTTP_ARTIFACT_EXPAND_ROOM);

        if (ex->buf == NULL) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
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

        if (ex->decode == NULL
            && ngx_http_artifact_body_size(ex->body) > ex->conf->body_max)
        {
            return ngx_http_artifact_expand_refuse(ex, ART_MESSAGE_ERR_SIZE,
                                                   art_str(NULL, 0));
        }

        ngx_http_artifact_body_init(&ex->at, ex->body, ex->buf,
                                    NGX_HTTP_ARTIFACT_EXPAND_ROOM);
    }

    if (ex->decode == NULL) {
        return NGX_OK;
    }

    begun = ex->decoded.size;

    for ( ;; ) {

        n = 0;

        if (ex->in_len == 0) {
            n = ngx_http_artifact_body_read(&ex->at,
                                            NGX_HTTP_ARTIFACT_EXPAND_ROOM,
                                            &ex->in);
            if (n == NGX_ERROR) {
                return NGX_HTTP_INTERNAL_SERVER_ERROR;
            }

            ex->in_len = (size_t) n;
        }

        rc = ngx_http_artifact_decode(ex->decode, (const u_char **) &ex->in,
                                      &ex->in_len, n == 0 && ex->in_len == 0,
                                      &ex->decoded, ex->conf->body_max);

        if (rc == NGX_AGAIN) {
            return ngx_http_artifact_expand_yield(ex);
        }

        if (rc == NGX_DECLINED || rc == NGX_ABORT) {
            return ngx_http_artifact_expand_refuse(ex,
                               rc == NGX_ABORT ? ART_MESSAGE_ERR_SIZE
                                               : ART_MESSAGE_ERR_ENCODING,
                               art_str(NULL, 0));
        }

        if (rc != NGX_OK) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }

        if (n == 0) {
            break;
        }

        if (ex->decoded.size - begun > NGX_HTTP_ARTIFACT_EXPAND_MOST) {
            return ngx_http_artifact_expand_yield(ex);
        }
    }

    return ngx_http_artifact_spool_end(&ex->decoded, &ex->body) == NGX_OK
           ? NGX_OK : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


static ngx_int_t
ngx_http_artifact_expand_scan(ngx_http_artifact_expand_t *ex)
{
    off_t               begun;
    u_char             *data;
    ssize_t             n;
    ngx_str_t           prefix;
    art_scan_conf_t     conf;
    art_scan_status_t   status;

    if (ex->scan == NULL) {

        ngx_str_null(&prefix);

        if (ex->conf->url
            && ngx_http_complex_value(ex->request, ex->conf->url, &prefix)
               != NGX_OK)
        {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }

        ex->scan = ngx_palloc(ex->request->pool, sizeof(art_scan_t));
        if (ex->scan == NULL) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }

        ngx_memzero(&conf, sizeof(art_scan_conf_t));

        conf.api = ex->api;
        conf.pool.alloc = ngx_http_artifact_expand_alloc;
        conf.pool.data = ex->request;
        conf.url_prefix = ngx_artifact_str(&prefix);
        conf.refs_max = (uint32_t) ex->conf->refs_max;

        art_scan_init(ex->scan, &conf);

        ngx_http_artifact_body_init(&ex->at, ex->body, ex->buf,
                                    NGX_HTTP_ARTIFACT_EXPAND_ROOM);
    }

    begun = ex->at.pos;

    do {
        n = ngx_http_artifact_body_read(&ex->at,
                                        NGX_HTTP_ARTIFACT_EXPAND_MOST, &data);

        if (n == NGX_ERROR) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }

        if (n > 0
            && art_scan_feed(ex->scan, data, (size_t) n) != ART_OK)
        {
            n = 0;
        }

        if (ex->at.pos - begun > NGX_HTTP_ARTIFACT_EXPAND_MOST && n > 0) {
            return ngx_http_artifact_expand_yield(ex);
        }

    } while (n > 0);

    status = art_scan_end(ex->scan);

    switch (status) {

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


static ngx_int_t
ngx_http_artifact_expand_plan(ngx_http_artifact_expand_t *ex)
{
    uint32_t               i;
    ngx_pool_t            *pool;
    art_message_reader_t   reader;

    if (ngx_http_artifact_expand_reader(ex, &reader) != NGX_OK
        || art_plan_init(&ex->plan, ex->scan, &reader) != ART_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    pool = ex->request->pool;

    ex->refs = ngx_pcalloc(pool, (ex->scan->nrefs + 1)
                                * sizeof(ngx_http_artifact_expand_ref_t));
    ex->slots = ngx_palloc(pool, (ex->scan->nslots + 1)
                                * sizeof(ngx_http_artifact_expand_part_t));

    if (ex->refs == NULL || ex->slots == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    for (i = 0; i < ex->scan->nslots; i++) {
        ex->slots[i].begin = -1;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_expand_edit(ngx_http_artifact_expand_t *ex)
{
    size_t            nops;
    uint64_t          total;
    art_splice_op_t  *ops;

    switch (art_edit_budget(&ex->plan,
                            art_edit_limit(ex->api,
                                           (uint64_t) ex->conf->body_max)))
    {
    case ART_BUDGET_OK:
        break;

    case ART_BUDGET_TOO_LARGE:
        return ngx_http_artifact_expand_refuse(ex, ART_MESSAGE_ERR_SIZE,
                                               art_str(NULL, 0));
    default:
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (art_edit_ops(&ex->plan, &ops, &nops) != ART_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (nops == 0) {
        return NGX_DECLINED;
    }

    if (ngx_http_artifact_expand_is_signed(ex->request)) {
        return ngx_http_artifact_expand_refuse(ex, ART_MESSAGE_ERR_SIGNED,
                                               art_str(NULL, 0));
    }

    if (art_splice_init(&ex->splice, ops, nops, ex->scan->len, &total)
        != ART_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_artifact_body_init(&ex->at, ex->body, ex->buf,
                                NGX_HTTP_ARTIFACT_EXPAND_ROOM);

    return NGX_OK;
}


/* AWS Signature Version 4 covers the body. */

static ngx_uint_t
ngx_http_artifact_expand_is_signed(ngx_http_request_t *r)
{
    ngx_table_elt_t  *header;

    header = r->headers_in.authorization;

    return header
           && header->value.len > sizeof("AWS4-HMAC-SHA256") - 1
           && ngx_strncasecmp(header->value.data,
                              (u_char *) "AWS4-HMAC-SHA256",
                              sizeof("AWS4-HMAC-SHA256") - 1)
              == 0;
}


static ngx_int_t
ngx_http_artifact_expand_write(ngx_http_artifact_expand_t *ex)
{
    off_t      begun;
    ngx_int_t  rc;

    begun = ex->out.size;

    for ( ;; ) {

        if (!ex->writing && !art_splice_next(&ex->splice, &ex->piece)) {
            break;
        }

        ex->writing = 1;
        rc = ngx_http_artifact_expand_piece(ex);

        if (rc == NGX_ERROR) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }

        ex->writing = (rc == NGX_AGAIN);

        if (ex->out.size - begun > NGX_HTTP_ARTIFACT_EXPAND_MOST) {
            return ngx_http_artifact_expand_yield(ex);
        }
    }

    return ngx_http_artifact_body_replace(ex->request, &ex->out) == NGX_OK
           ? NGX_OK : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


/* Some bytes of a piece: NGX_AGAIN if there are more, NGX_OK at its end. */

static ngx_int_t
ngx_http_artifact_expand_piece(ngx_http_artifact_expand_t *ex)
{
    u_char                           *data;
    ssize_t                           n;
    art_splice_piece_t               *piece;
    ngx_http_artifact_body_t          at, *from;
    ngx_http_artifact_expand_part_t  *part;

    piece = &ex->piece;
    from = &ex->at;

    switch (piece->kind) {

    case ART_SPLICE_TEXT:
        return ngx_http_artifact_spool_put(&ex->out, piece->text.data,
                                           piece->text.len);

    case ART_SPLICE_RENDER:
        part = &ex->slots[piece->slot];

        if (piece->end == 0) {
            piece->pos = (uint64_t) part->begin;
            piece->end = (uint64_t) (part->begin + part->size);
        }

        ngx_http_artifact_body_init(&at, ex->rendered, ex->buf,
                                    NGX_HTTP_ARTIFACT_EXPAND_ROOM);
        from = &at;
        break;

    default: /* ART_SPLICE_COPY */
        break;
    }

    if (piece->pos == piece->end) {
        return NGX_OK;
    }

    ngx_http_artifact_body_skip(from, (off_t) piece->pos);

    n = ngx_http_artifact_body_read(from,
                       (size_t) ngx_min(piece->end - piece->pos,
                                        NGX_HTTP_ARTIFACT_EXPAND_MOST),
                       &data);

    if (n <= 0
        || ngx_http_artifact_spool_put(&ex->out, data, (size_t) n) != NGX_OK)
    {
        return NGX_ERROR;
    }

    piece->pos += (uint64_t) n;

    return piece->pos < piece->end ? NGX_AGAIN : NGX_OK;
}
