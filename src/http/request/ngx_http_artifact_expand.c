
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A request body in steps, which yield to other requests and are entered again
 * by events.
 */


#include "http/request/ngx_http_artifact_api.h"
#include "http/request/ngx_http_artifact_expand.h"
#include "http/request/ngx_http_artifact_expand_steps.h"
#include "http/base/ngx_http_artifact_util.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/media/art_media.h"
#include "core/message/art_message_path.h"


static ngx_int_t ngx_http_artifact_expand_begin(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf);
static ngx_int_t ngx_http_artifact_expand_start(
    ngx_http_artifact_expand_t *ex, const art_message_api_t *api);
static ngx_uint_t ngx_http_artifact_expand_is_hashed(ngx_http_request_t *r);
static ngx_uint_t ngx_http_artifact_expand_is_json(ngx_http_request_t *r);
static void ngx_http_artifact_expand_read(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_expand_run(ngx_http_artifact_expand_t *ex);


static ngx_int_t  (*ngx_http_artifact_expand_steps[])(
    ngx_http_artifact_expand_t *ex) =
{
    ngx_http_artifact_expand_decode,
    ngx_http_artifact_expand_scan,
    ngx_http_artifact_expand_plan,
    ngx_http_artifact_expand_ask,
    ngx_http_artifact_expand_edit,
    ngx_http_artifact_expand_write,
    ngx_http_artifact_expand_hash
};

#define NGX_HTTP_ARTIFACT_EXPAND_STEPS                                        \
    (sizeof(ngx_http_artifact_expand_steps)                                   \
     / sizeof(ngx_http_artifact_expand_steps[0]))

/* The last one, which there is for a body that stays as it is, too. */

#define NGX_HTTP_ARTIFACT_EXPAND_LAST                                         \
    (NGX_HTTP_ARTIFACT_EXPAND_STEPS - 1)


ngx_int_t
ngx_http_artifact_expand_handler(ngx_http_request_t *r)
{
    ngx_http_artifact_expand_t    *ex;
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    if ((!alcf->expand && !alcf->prompt) || r != r->main) {
        return NGX_DECLINED;
    }

    ex = ngx_http_artifact_expand(r);

    if (ex == NULL) {
        return ngx_http_artifact_expand_begin(r, alcf);
    }

    return ex->done ? NGX_DECLINED : ngx_http_artifact_expand_run(ex);
}


static ngx_int_t
ngx_http_artifact_expand_begin(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf)
{
    ngx_int_t                    rc;
    unsigned                     versioned;
    const art_message_api_t     *api;
    ngx_http_artifact_expand_t  *ex;

    if (r->reading_body) {
        return NGX_DECLINED;
    }

    api = NULL;
    versioned = 0;

    if (r->method == NGX_HTTP_POST
        && ngx_http_artifact_expand_is_json(r)
        && ngx_http_artifact_request_api(r, &api, &versioned) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (api == NULL && !ngx_http_artifact_expand_is_hashed(r)) {
        return NGX_DECLINED;
    }

    ex = ngx_http_artifact_expand_create(r, alcf);

    if (ex == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ex->versioned = versioned & 1;

    if (api == NULL) {
        ex->step = NGX_HTTP_ARTIFACT_EXPAND_LAST;

    } else if (ngx_http_artifact_expand_start(ex, api) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    rc = ngx_http_read_client_request_body(r, ngx_http_artifact_expand_read);

    if (rc >= NGX_HTTP_SPECIAL_RESPONSE) {
        return rc;
    }

    ngx_http_finalize_request(r, NGX_DONE);

    return NGX_DONE;
}


/* Of a request to a model's API. */

static ngx_int_t
ngx_http_artifact_expand_start(ngx_http_artifact_expand_t *ex,
    const art_message_api_t *api)
{
    u_char              *buf;
    art_str_t            path;
    ngx_http_request_t  *r;

    r = ex->request;
    path = ngx_http_artifact_request_path(r);

    buf = ngx_pnalloc(r->pool, path.len);
    if (buf == NULL) {
        return NGX_ERROR;
    }

    ex->api = api;
    ex->path_model = art_message_path_model(path, buf);

    /* a coded one, and one that somebody has read, is scanned later */

    if (ngx_http_artifact_find_header(&r->headers_in.headers,
                                      "Content-Encoding")
        == NULL)
    {
        if (ngx_http_artifact_expand_begin_scan(ex) != NGX_OK) {
            return NGX_ERROR;
        }

        ex->seeing = 1;
    }

    return NGX_OK;
}


/* A key must tell all bodies apart, those that are not looked into, too. */

static ngx_uint_t
ngx_http_artifact_expand_is_hashed(ngx_http_request_t *r)
{
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);

    return amcf->hashes
           && (r->headers_in.content_length_n > 0 || r->headers_in.chunked);
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

    return art_media_traits(art_str(type.buf, type.len)).flags & ART_MEDIA_JSON;
}


static void
ngx_http_artifact_expand_read(ngx_http_request_t *r)
{
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

        if (rc == NGX_DECLINED) {
            ex->step = NGX_HTTP_ARTIFACT_EXPAND_LAST;
            continue;
        }

        if (rc >= NGX_HTTP_SPECIAL_RESPONSE && !ex->done) {

            /* the location of an error's page begins anew */

            ngx_http_artifact_expand_end(ex);
            ex->left = 1;
        }

        return rc;
    }

    ngx_http_artifact_expand_end(ex);

    ex->request->read_event_handler = ngx_http_block_reading;

    /* another location may send it again, as post_action does */

    ex->request->preserve_body = 1;

    return NGX_DECLINED;
}
