
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A request that is refused: the answer, and the line in the log.
 */


#include "http/expand/ngx_http_artifact_expand_state.h"
#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_zone.h"


/* Bytes of an id; a longer one is not repeated. */

#define NGX_HTTP_ARTIFACT_EXPAND_ID  8192


static void ngx_http_artifact_expand_tell(ngx_http_artifact_expand_t *ex);


ngx_int_t
ngx_http_artifact_expand_call_id(ngx_http_artifact_expand_t *ex)
{
    u_char      *data, *p;
    size_t       len;
    ssize_t      n;
    art_span_t  *span;

    span = ex->scan ? &ex->scan->call_id : NULL;

    if (span == NULL || span->end == 0
        || span->end - span->pos > NGX_HTTP_ARTIFACT_EXPAND_ID)
    {
        return NGX_OK;
    }

    len = (size_t) (span->end - span->pos);

    p = ngx_pnalloc(ex->request->pool, len);

    if (p == NULL || ngx_http_artifact_expand_rewind(ex) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_artifact_body_skip(&ex->cursor, (off_t) span->pos);

    while (ex->call_id.len < len) {
        n = ngx_http_artifact_body_read(&ex->cursor, len - ex->call_id.len,
                                        &data);
        if (n <= 0) {
            return NGX_ERROR;
        }

        ngx_memcpy(p + ex->call_id.len, data, (size_t) n);

        ex->call_id.data = p;
        ex->call_id.len += (size_t) n;
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_expand_refuse(ngx_http_artifact_expand_t *ex)
{
    ngx_int_t                 rc;
    art_out_t                 out;
    ngx_uint_t                status;
    ngx_http_request_t       *r;
    ngx_http_artifact_ctx_t  *ctx;

    r = ex->request;
    ex->refused = 1;

    /* clients read an error of JSON-RPC only in an answer with 200 */

    status = ex->call_id.len > 0 ? NGX_HTTP_OK
                                 : art_message_error_status(ex->error);

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact expand: refused with %ui, error %ui",
                   status, (ngx_uint_t) ex->error);

    ngx_http_artifact_expand_tell(ex);

    if (ex->error == ART_MESSAGE_ERR_SOURCE) {
        ngx_http_artifact_count(ART_COUNT_SOURCES_FAILED, NULL, 1);
    }

    if (ngx_http_artifact_has_error_page(r, status)) {

        /* the body is whole and unchanged: the page's location may expand it */

        ex->step = NGX_HTTP_ARTIFACT_EXPAND_GIVEN_UP;
        return (ngx_int_t) status;
    }

    ctx = ngx_http_artifact_get_ctx(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ex->error == ART_MESSAGE_ERR_CODING
        && ngx_http_artifact_add_header(r, "Accept-Encoding",
                                        &ngx_http_artifact_expand_codings)
           != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        if (ex->argument) {
            art_message_error_call(&out, ex->error, ex->error_ref, ex->call_id,
                                   (art_lang_t) ex->conf->language);

        } else {
            art_message_error_print(&out, ex->error, ex->error_ref, ex->api,
                                    (art_lang_t) ex->conf->language);
        }
    } while (ngx_http_artifact_print_again(r->pool, &out));

    rc = ngx_http_artifact_send_json(r, ctx, status, &out);

    ngx_http_finalize_request(r, rc);

    return NGX_DONE;
}


/*
 * Logs why a request is refused: what is wrong with it at "info" and a limit at
 * "error", as nginx does.  A source that failed has been logged.
 */

static void
ngx_http_artifact_expand_tell(ngx_http_artifact_expand_t *ex)
{
    ngx_log_t  *log;

    log = ex->request->connection->log;

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, log, 0,
                   "http artifact expand: error %d is told",
                   ex->error);

    switch (ex->error) {

    case ART_MESSAGE_ERR_REFS:
        ngx_log_error(NGX_LOG_ERR, log, 0,
                      "client sent more than %i references to artifacts "
                      "(\"artifact_refs_max\"), or more than %d parts",
                      ex->conf->refs_max, ART_MESSAGE_SLOTS_MAX);
        break;

    case ART_MESSAGE_ERR_SIZE:
        ngx_log_error(NGX_LOG_ERR, log, 0,
                      "request is larger than the %O bytes of "
                      "\"artifact_body_max\", or than API \"%s\" takes",
                      ex->conf->body_max, ex->api->name);
        break;

    case ART_MESSAGE_ERR_INLINE:
        ngx_log_error(NGX_LOG_ERR, log, 0,
                      "artifact \"%*s\" is larger than the %O bytes of "
                      "\"artifact_inline_max\"", ex->error_ref.len,
                      ex->error_ref.data, ex->conf->inline_max);
        break;

    case ART_MESSAGE_ERR_URL:
        ngx_log_error(NGX_LOG_ERR, log, 0,
                      "\"artifact_argument\" is \"url\", but \"artifact_url\" "
                      "is empty");
        break;

    case ART_MESSAGE_ERR_SIGNED:
        ngx_log_error(NGX_LOG_INFO, log, 0,
                      "client signed a request whose artifacts are to be "
                      "expanded");
        break;

    case ART_MESSAGE_ERR_FOREIGN:
        ngx_log_error(NGX_LOG_INFO, log, 0,
                      "client sent file \"%*s\", which is kept here, for a "
                      "provider's container", ex->error_ref.len,
                      ex->error_ref.data);
        break;

    case ART_MESSAGE_ERR_ENCODING:
    case ART_MESSAGE_ERR_CODING:
        ngx_log_error(NGX_LOG_INFO, log, 0,
                      "client sent a body that cannot be decoded");
        break;

    default:  /* ART_MESSAGE_ERR_SOURCE, ART_MESSAGE_ERR_MISSING */
        break;
    }
}
