
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/request/ngx_http_artifact_expand_state.h"
#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_counters.h"
#include "http/base/ngx_http_artifact_util.h"


static void ngx_http_artifact_expand_cleanup(void *data);
static void ngx_http_artifact_expand_continue(ngx_event_t *ev);


/* An internal redirect clears the contexts of modules, but not the pool. */

ngx_http_artifact_expand_t *
ngx_http_artifact_expand(ngx_http_request_t *r)
{
    ngx_pool_cleanup_t          *cln;
    ngx_http_artifact_expand_t  *ex;

    for (cln = r->pool->cleanup; cln; cln = cln->next) {

        if (cln->handler != ngx_http_artifact_expand_cleanup) {
            continue;
        }

        ex = cln->data;

        return ex->left ? NULL : ex;
    }

    return NULL;
}


ngx_http_artifact_expand_t *
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


static void
ngx_http_artifact_expand_cleanup(void *data)
{
    ngx_http_artifact_expand_t *ex = data;

    if (ex->yield.posted) {
        ngx_delete_posted_event(&ex->yield);
    }
}


ngx_int_t
ngx_http_artifact_expand_rewind(ngx_http_artifact_expand_t *ex)
{
    if (ex->buf == NULL) {
        ex->buf = ngx_palloc(ex->request->pool,
                             NGX_HTTP_ARTIFACT_EXPAND_ROOM);
        if (ex->buf == NULL) {
            return NGX_ERROR;
        }
    }

    ngx_http_artifact_body_init(&ex->at, ex->body, ex->buf,
                                NGX_HTTP_ARTIFACT_EXPAND_ROOM);

    return NGX_OK;
}


ngx_int_t
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
    ngx_uint_t                status;
    ngx_http_request_t       *r;
    ngx_http_artifact_ctx_t  *ctx;

    r = ex->request;
    ex->done = 1;

    if (error == ART_MESSAGE_ERR_SOURCE) {
        ngx_http_artifact_count(ART_COUNT_SOURCES_FAILED, NULL, 1);
    }

    status = art_message_error_status(error);

    if (ngx_http_artifact_has_error_page(r, status)) {

        /* the body is whole, and as it came: its location may expand it */

        ex->left = 1;
        return (ngx_int_t) status;
    }

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
        art_message_error_print(&out, error, ref, ex->api,
                                (art_lang_t) ex->conf->language);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    rc = ngx_http_artifact_send_json(r, ctx, status, &out);

    ngx_http_finalize_request(r, rc);

    return NGX_DONE;
}
