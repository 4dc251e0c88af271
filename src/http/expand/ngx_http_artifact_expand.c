
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Requests to models' APIs.  The phase handler reads the body and runs the
 * steps that make a new body of it; events call it again until they are done.
 */


#include "http/expand/ngx_http_artifact_expand_state.h"
#include "http/base/ngx_http_artifact_api.h"
#include "http/base/ngx_http_artifact_util.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/api/art_api.h"

#include <openssl/evp.h>


static ngx_http_artifact_expand_t *ngx_http_artifact_expand_create(
    ngx_http_request_t *r, ngx_http_artifact_loc_conf_t *alcf);
static void ngx_http_artifact_expand_cleanup(void *data);
static ngx_int_t ngx_http_artifact_expand_begin(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf);
static ngx_int_t ngx_http_artifact_expand_api(ngx_http_request_t *r,
    const art_api_t **api, unsigned *flags, art_argument_t *argument,
    ngx_uint_t *standins);
static ngx_int_t ngx_http_artifact_expand_argument(ngx_http_request_t *r,
    ngx_http_complex_value_t *conf, art_argument_t *argument);
static const art_api_t *ngx_http_artifact_expand_named(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_expand_name(ngx_http_artifact_expand_t *ex,
    const art_api_t *api);
static ngx_uint_t ngx_http_artifact_expand_is_hashed(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_expand_start(
    ngx_http_artifact_expand_t *ex, const art_api_t *api);
static ngx_int_t ngx_http_artifact_expand_path_model(
    ngx_http_artifact_expand_t *ex, const art_api_t *api);
static void ngx_http_artifact_expand_read(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_expand_run(ngx_http_artifact_expand_t *ex);
static ngx_uint_t ngx_http_artifact_expand_restores(
    ngx_http_artifact_expand_t *ex, ngx_int_t *rc);
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
    ngx_http_artifact_expand_derive,
    ngx_http_artifact_expand_store,
    ngx_http_artifact_expand_edit,
    ngx_http_artifact_expand_write,
    ngx_http_artifact_expand_restore,
    ngx_http_artifact_expand_hash
};


/*
 * An internal redirect clears the contexts of modules, but not the pool's
 * cleanups.  These are searched only once, since each source adds more of them.
 */

ngx_http_artifact_expand_t *
ngx_http_artifact_expand_last(ngx_http_request_t *r)
{
    ngx_pool_cleanup_t          *cln;
    ngx_http_artifact_expand_t  *ex;

    ex = ngx_http_get_module_ctx(r, ngx_http_artifact_expand_module);

    for (cln = r->pool->cleanup; ex == NULL && cln; cln = cln->next) {

        if (cln->handler == ngx_http_artifact_expand_cleanup) {
            ex = cln->data;
            ngx_http_set_ctx(r, ex, ngx_http_artifact_expand_module);
        }
    }

    return ex;
}


ngx_http_artifact_expand_t *
ngx_http_artifact_expand(ngx_http_request_t *r)
{
    ngx_http_artifact_expand_t  *ex;

    ex = ngx_http_artifact_expand_last(r);

    return ex && ex->step != NGX_HTTP_ARTIFACT_EXPAND_GIVEN_UP ? ex : NULL;
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

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact expand: %p begins",
                   ex);

    ex->request = r;
    ex->conf = alcf;
    ex->directives = ngx_http_artifact_conf_of(alcf,
                                              ngx_http_artifact_expand_module);
    ex->pool = ngx_http_artifact_core_pool(r->pool);

    if (ngx_http_artifact_turn_init(&ex->turn, r) != NGX_OK) {
        return NULL;
    }

    ngx_http_artifact_spool_init(&ex->decoded, r);
    ngx_http_artifact_spool_init(&ex->rendered, r);
    ngx_http_artifact_spool_init(&ex->copied, r);

    cln->handler = ngx_http_artifact_expand_cleanup;
    ngx_http_set_ctx(r, ex, ngx_http_artifact_expand_module);

    return ex;
}


static void
ngx_http_artifact_expand_cleanup(void *data)
{
    ngx_http_artifact_expand_t *ex = data;

    uint32_t  i;

    EVP_MD_CTX_free(ex->digest);
    ngx_http_artifact_store_close(ex->standins);
    ngx_http_artifact_store_close(ex->longs);
    ngx_http_artifact_known_close(ex);

    for (i = 0; i < ex->njobs; i++) {
        EVP_MD_CTX_free(ex->jobs[i]->digest);
    }

    if (ex->tick.timer_set) {
        ngx_del_timer(&ex->tick);
    }
}


ngx_int_t
ngx_http_artifact_expand_handler(ngx_http_request_t *r)
{
    ngx_http_artifact_expand_t    *ex;
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    if (!alcf->requests || r != r->main) {
        return NGX_DECLINED;
    }

    ex = ngx_http_artifact_expand(r);

    if (ex == NULL) {
        return ngx_http_artifact_expand_begin(r, alcf);
    }

    /* an error page, if it failed to be read */

    if (!ex->received) {
        ngx_http_artifact_known_drop(ex);
        ngx_http_artifact_expand_end(ex, NGX_HTTP_ARTIFACT_EXPAND_GIVEN_UP);

        r->read_event_handler = ngx_http_block_reading;

        return NGX_DECLINED;
    }

    return ex->step < NGX_HTTP_ARTIFACT_EXPAND_DONE
           ? ngx_http_artifact_expand_run(ex) : NGX_DECLINED;
}


static ngx_int_t
ngx_http_artifact_expand_begin(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf)
{
    ngx_int_t                    rc;
    unsigned                     flags;
    ngx_uint_t                   standins;
    art_argument_t               argument;
    const art_api_t             *api, *named;
    ngx_http_artifact_expand_t  *ex;

    if (r->reading_body) {
        return NGX_DECLINED;
    }

    if (ngx_http_artifact_expand_api(r, &api, &flags, &argument, &standins)
        != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    named = api == NULL ? ngx_http_artifact_expand_named(r) : NULL;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact expand: api \"%s\", named by \"%s\"",
                   api ? api->name : "none", named ? named->name : "none");

    if (api == NULL && named == NULL
        && !ngx_http_artifact_expand_is_hashed(r))
    {
        return NGX_DECLINED;
    }

    ex = ngx_http_artifact_expand_create(r, alcf);

    if (ex == NULL
        || (standins
            && ngx_http_artifact_store_create(ex, &ex->standins) != NGX_OK))
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ex->versioned = (flags & ART_PATH_VERSIONED) != 0;
    ex->silent = (flags & ART_PATH_SILENT) != 0;
    ex->argument = argument;

    if (api == NULL) {
        ex->step = NGX_HTTP_ARTIFACT_EXPAND_HASH;

        if (named && ngx_http_artifact_expand_name(ex, named) != NGX_OK) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }

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


/*
 * What the body of a request is read as: *api is NULL if it is not, as in a
 * location that does not expand it.  *argument is the value of
 * artifact_argument, *standins whether media leave the body.  NGX_ERROR when
 * out of memory.
 */

static ngx_int_t
ngx_http_artifact_expand_api(ngx_http_request_t *r, const art_api_t **api,
    unsigned *flags, art_argument_t *argument,
    ngx_uint_t *standins)
{
    ngx_http_artifact_expand_conf_t  *elcf;

    *api = NULL;
    *flags = 0;
    *argument = ART_ARGUMENT_OFF;
    *standins = 0;

    if (r->method != NGX_HTTP_POST || !ngx_http_artifact_has_json_body(r)) {
        return NGX_OK;
    }

    elcf = ngx_http_get_module_loc_conf(r, ngx_http_artifact_expand_module);

    if (elcf->argument
        && ngx_http_artifact_expand_argument(r, elcf->argument, argument)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (*argument != ART_ARGUMENT_OFF) {
        *api = &art_api_mcp;
        return NGX_OK;
    }

    if (ngx_http_artifact_standins_asked(r, elcf, standins) != NGX_OK) {
        return NGX_ERROR;
    }

    if (!elcf->expand && !elcf->prompt && !*standins) {
        return NGX_OK;
    }

    if (ngx_http_artifact_request_api(r, api, flags) != NGX_OK) {
        return NGX_ERROR;
    }

    if (!elcf->expand && !*standins && (*flags & ART_PATH_SILENT)) {
        *api = NULL;
    }

    /* a gateway may put a medium into any request */

    if (*api == NULL
        && (elcf->expand == NGX_HTTP_ARTIFACT_EXPAND_STANDINS || *standins))
    {
        *api = &art_api_any;
    }

    return NGX_OK;
}


/* Evaluates artifact_argument. */

static ngx_int_t
ngx_http_artifact_expand_argument(ngx_http_request_t *r,
    ngx_http_complex_value_t *conf, art_argument_t *argument)
{
    ngx_str_t  value;

    if (ngx_http_complex_value(r, conf, &value) != NGX_OK) {
        return NGX_ERROR;
    }

    *argument = art_argument_find(ngx_artifact_str(&value));

    if (*argument == ART_ARGUMENT_MAX) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "unknown value \"%V\" of \"artifact_argument\"",
                      &value);

        *argument = ART_ARGUMENT_OFF;
    }

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact expand: arguments become \"%s\"",
                   art_argument_names[*argument]);

    return NGX_OK;
}


/* Of a request to a model, or to a tool; of any other nginx's page is sent. */

ngx_int_t
ngx_http_artifact_expand_too_large(ngx_http_request_t *r, art_out_t *out)
{
    unsigned                       flags;
    art_str_t                      none;
    ngx_uint_t                     standins;
    art_lang_t                     lang;
    art_argument_t                 argument;
    const art_api_t               *api;
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    if (ngx_http_artifact_expand_api(r, &api, &flags, &argument, &standins)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (api == NULL) {
        return NGX_DECLINED;
    }

    none = art_str(NULL, 0);
    lang = (art_lang_t) alcf->language;

    ngx_memzero(out, sizeof(art_out_t));

    do {
        if (argument != ART_ARGUMENT_OFF) {
            art_message_error_call(out, ART_MESSAGE_ERR_SIZE, none, none, lang);

        } else {
            art_message_error_print(out, ART_MESSAGE_ERR_SIZE, none, api, lang);
        }
    } while (ngx_http_artifact_print_again(r->pool, out));

    return out->data ? NGX_OK : NGX_ERROR;
}


/*
 * The API of a request whose body is read to know the model, if any variable
 * asks for that; NULL if it is not.
 */

static const art_api_t *
ngx_http_artifact_expand_named(ngx_http_request_t *r)
{
    ngx_http_artifact_expand_conf_t       *elcf;
    ngx_http_artifact_expand_main_conf_t  *emcf;

    emcf = ngx_http_get_module_main_conf(r, ngx_http_artifact_expand_module);
    elcf = ngx_http_get_module_loc_conf(r, ngx_http_artifact_expand_module);

    return emcf->names && elcf->expand && r->method == NGX_HTTP_POST
           && r->headers_in.content_type
           && !ngx_http_artifact_find_header(&r->headers_in.headers,
                                             "Content-Encoding")
           ? art_api_of_name(ngx_http_artifact_request_path(r)) : NULL;
}


/* The request body filter reads it, whatever the form, as it comes in. */

static ngx_int_t
ngx_http_artifact_expand_name(ngx_http_artifact_expand_t *ex,
    const art_api_t *api)
{
    ngx_http_request_t  *r;

    r = ex->request;

    ex->named = api;
    ex->name = ngx_palloc(r->pool, sizeof(art_name_t));

    if (ex->name == NULL
        || ngx_http_artifact_expand_path_model(ex, api) != NGX_OK)
    {
        return NGX_ERROR;
    }

    (void) art_name_init(ex->name,
                         ngx_artifact_str(&r->headers_in.content_type->value),
                         ngx_http_artifact_has_json_body(r) ? 1 : 0);
    return NGX_OK;
}


/* Keys must differ for different bodies, also if those are not expanded. */

static ngx_uint_t
ngx_http_artifact_expand_is_hashed(ngx_http_request_t *r)
{
    ngx_http_artifact_expand_main_conf_t  *emcf;

    emcf = ngx_http_get_module_main_conf(r, ngx_http_artifact_expand_module);

    return emcf->hashes
           && (r->headers_in.content_length_n > 0 || r->headers_in.chunked);
}


static ngx_int_t
ngx_http_artifact_expand_start(ngx_http_artifact_expand_t *ex,
    const art_api_t *api)
{
    ngx_http_request_t  *r;

    r = ex->request;
    ex->api = api;

    if (ngx_http_artifact_expand_path_model(ex, api) != NGX_OK) {
        return NGX_ERROR;
    }

    if (ngx_http_artifact_find_header(&r->headers_in.headers,
                                      "Content-Encoding"))
    {
        return NGX_OK;
    }

    /* the filter feeds the scan, unless the body has been read already */

    ex->scanning = NGX_HTTP_ARTIFACT_SCAN_INCOMING;

    if (ngx_http_artifact_expand_scan_begin(ex) != NGX_OK) {
        return NGX_ERROR;
    }

    return ex->standins ? ngx_http_artifact_known_create(ex) : NGX_OK;
}


static ngx_int_t
ngx_http_artifact_expand_path_model(ngx_http_artifact_expand_t *ex,
    const art_api_t *api)
{
    u_char     *buf;
    art_str_t   path;

    path = ngx_http_artifact_request_path(ex->request);

    buf = ngx_pnalloc(ex->request->pool, path.len);
    if (buf == NULL) {
        return NGX_ERROR;
    }

    ex->path_model = art_api_path_model(api, path, buf);

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact expand: model of the path \"%*s\"",
                   ex->path_model.len, ex->path_model.data);

    return NGX_OK;
}


static void
ngx_http_artifact_expand_read(ngx_http_request_t *r)
{
    ngx_http_artifact_expand_t  *ex;

    ex = ngx_http_artifact_expand(r);

    if (ex) {
        ex->received = 1;
    }

    ngx_http_artifact_request_watch(r);

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact expand: body was read, %O bytes",
                   r->request_length);

    r->write_event_handler = ngx_http_core_run_phases;

    ngx_http_core_run_phases(r);
}


static ngx_int_t
ngx_http_artifact_expand_run(ngx_http_artifact_expand_t *ex)
{
    ngx_int_t  rc;

    while (ex->step < NGX_HTTP_ARTIFACT_EXPAND_DONE) {

        rc = ngx_http_artifact_expand_steps[ex->step](ex);

        if (ngx_http_artifact_expand_restores(ex, &rc)) {
            continue;
        }

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

            ex->step = NGX_HTTP_ARTIFACT_EXPAND_RESTORE;
            break;

        case NGX_ABORT:

            if (ex->argument && ngx_http_artifact_expand_call_id(ex) != NGX_OK)
            {
                ngx_http_artifact_expand_end(ex,
                                         NGX_HTTP_ARTIFACT_EXPAND_GIVEN_UP);
                return NGX_HTTP_INTERNAL_SERVER_ERROR;
            }

            ngx_http_artifact_expand_end(ex, NGX_HTTP_ARTIFACT_EXPAND_DONE);

            return ngx_http_artifact_expand_refuse(ex);

        default:  /* NGX_ERROR */

            if (ex->subrequest_lost) {
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


/* An error page may send the body on: it is made whole before that. */

static ngx_uint_t
ngx_http_artifact_expand_restores(ngx_http_artifact_expand_t *ex,
    ngx_int_t *rc)
{
    if (ex->step == NGX_HTTP_ARTIFACT_EXPAND_RESTORE && *rc == NGX_OK
        && ex->failed != NGX_OK)
    {
        *rc = ex->failed;
    }

    if ((*rc != NGX_ABORT && *rc != NGX_ERROR)
        || ex->step >= NGX_HTTP_ARTIFACT_EXPAND_RESTORE || ex->subrequest_lost
        || !ngx_http_artifact_known_omits(ex))
    {
        return 0;
    }

    ex->failed = *rc;
    ex->step = NGX_HTTP_ARTIFACT_EXPAND_RESTORE;

    return 1;
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

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact expand: step %d ends in %d",
                   ex->step, step);

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

    ngx_http_artifact_store_close(ex->standins);
    ngx_http_artifact_store_close(ex->longs);
    ngx_http_artifact_known_close(ex);

    ex->body = NULL;
    ex->renderings = NULL;
}
