
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Requests to models' APIs.  The phase handler reads the body and runs the
 * steps that make a new body of it; events call it again until they are done.
 */


#include "http/expand/ngx_http_artifact_expand.h"
#include "http/expand/ngx_http_artifact_expand_state.h"
#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/base/ngx_http_artifact_util.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/media/art_media.h"
#include "core/api/art_api.h"


static ngx_int_t ngx_http_artifact_expand_begin(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf);
static ngx_uint_t ngx_http_artifact_expand_is_json(ngx_http_request_t *r);
static ngx_uint_t ngx_http_artifact_expand_is_hashed(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_expand_start(
    ngx_http_artifact_expand_t *ex, const art_api_t *api);
static void ngx_http_artifact_expand_read(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_expand_run(ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_expand_refuse(
    ngx_http_artifact_expand_t *ex);
static void ngx_http_artifact_expand_end(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_expand_step_e step);


/* By ngx_http_artifact_expand_step_e. */

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

    return ex->step < NGX_HTTP_ARTIFACT_EXPAND_DONE
           ? ngx_http_artifact_expand_run(ex) : NGX_DECLINED;
}


static ngx_int_t
ngx_http_artifact_expand_begin(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf)
{
    ngx_int_t                    rc;
    unsigned                     versioned;
    const art_api_t             *api;
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

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact expand: api \"%s\"",
                   api ? api->name : "none");

    if (api == NULL && !ngx_http_artifact_expand_is_hashed(r)) {
        return NGX_DECLINED;
    }

    ex = ngx_http_artifact_expand_create(r, alcf);

    if (ex == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ex->versioned = versioned & 1;

    if (api == NULL) {
        ex->step = NGX_HTTP_ARTIFACT_EXPAND_HASH;

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


/* Keys must differ for different bodies, also if those are not expanded. */

static ngx_uint_t
ngx_http_artifact_expand_is_hashed(ngx_http_request_t *r)
{
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);

    return amcf->hashes
           && (r->headers_in.content_length_n > 0 || r->headers_in.chunked);
}


static ngx_int_t
ngx_http_artifact_expand_start(ngx_http_artifact_expand_t *ex,
    const art_api_t *api)
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
    ex->path_model = art_api_path_model(api, path, buf);

    /* a coded body, or one that has been read already, is scanned later */

    return ngx_http_artifact_find_header(&r->headers_in.headers,
                                         "Content-Encoding")
           ? NGX_OK : ngx_http_artifact_expand_scan_incoming(ex);
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

    while (ex->step < NGX_HTTP_ARTIFACT_EXPAND_DONE) {

        rc = ngx_http_artifact_expand_steps[ex->step](ex);

        switch (rc) {

        case NGX_OK:
            ex->step++;
            break;

        case NGX_AGAIN:
            return NGX_AGAIN;

        case NGX_BUSY:
            ngx_http_artifact_turn_end(&ex->turn, ex->request);
            return NGX_AGAIN;

        case NGX_DECLINED:
            ngx_log_debug1(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                           "http artifact expand: body passed on: %s",
                           ex->why);

            ex->step = NGX_HTTP_ARTIFACT_EXPAND_HASH;
            break;

        case NGX_ABORT:
            return ngx_http_artifact_expand_refuse(ex);

        default:  /* NGX_ERROR */

            if (ex->stuck) {
                return NGX_ERROR;
            }

            ngx_http_artifact_expand_end(ex,
                                         NGX_HTTP_ARTIFACT_EXPAND_GIVEN_UP);

            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }
    }

    ngx_http_artifact_expand_end(ex, NGX_HTTP_ARTIFACT_EXPAND_DONE);

    ex->request->read_event_handler = ngx_http_block_reading;

    /* another location may send it again, as with post_action */

    ex->request->preserve_body = 1;

    return NGX_DECLINED;
}


/*
 * Answers with the error as JSON, or leaves that to an "error_page" of the
 * location; returns what the phase handler has to return.
 */

static ngx_int_t
ngx_http_artifact_expand_refuse(ngx_http_artifact_expand_t *ex)
{
    ngx_int_t                 rc;
    art_out_t                 out;
    ngx_uint_t                status;
    ngx_http_request_t       *r;
    ngx_http_artifact_ctx_t  *ctx;

    r = ex->request;
    status = art_message_error_status(ex->error);

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact expand: refused with %ui, error %ui, "
                   "step %ui",
                   status, (ngx_uint_t) ex->error, (ngx_uint_t) ex->step);

    ngx_http_artifact_expand_end(ex, NGX_HTTP_ARTIFACT_EXPAND_DONE);

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
        art_message_error_print(&out, ex->error, ex->error_ref, ex->api,
                                (art_lang_t) ex->conf->language);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    rc = ngx_http_artifact_send_json(r, ctx, status, &out);

    ngx_http_finalize_request(r, rc);

    return NGX_DONE;
}


/*
 * Frees the memory and files that were only needed to make the body; they would
 * otherwise be held while the model answers.
 */

static void
ngx_http_artifact_expand_end(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_expand_step_e step)
{
    ngx_uint_t                  i;
    ngx_http_artifact_spool_t  *spools[3];

    ex->step = step;

    spools[0] = &ex->decoded;
    spools[1] = &ex->rendered;
    spools[2] = &ex->copied;

    for (i = 0; i < 3; i++) {
        if (spools[i] != ex->sent) {
            ngx_http_artifact_spool_release(spools[i]);
        }
    }

    if (ex->buf) {
        (void) ngx_pfree(ex->request->pool, ex->buf);
        ex->buf = NULL;
    }

    ex->body = NULL;
    ex->renderings = NULL;
}


art_str_t
ngx_http_artifact_request_path(ngx_http_request_t *r)
{
    art_str_t      path;
    const u_char  *last;

    path = ngx_artifact_str(&r->unparsed_uri);
    last = path.len ? memchr(path.data, '?', path.len) : NULL;

    if (last) {
        path.len = (size_t) (last - path.data);
    }

    return path;
}


ngx_int_t
ngx_http_artifact_request_api(ngx_http_request_t *r,
    const art_api_t **api, unsigned *versioned)
{
    art_str_t                      path;
    ngx_str_t                      name;
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    *versioned = 0;
    ngx_str_null(&name);

    if (alcf->format
        && ngx_http_complex_value(r, alcf->format, &name) != NGX_OK)
    {
        return NGX_ERROR;
    }

    path = ngx_http_artifact_request_path(r);

    *api = art_api_of_request(path, ngx_artifact_str(&name), versioned);

    return NGX_OK;
}
