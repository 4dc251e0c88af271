
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Listings, on the side of the request: arguments, job, and answer.
 */


#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_root.h"
#include "http/base/ngx_http_artifact_task.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/list/ngx_http_artifact_list.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/disk/ngx_artifact_task.h"
#include "store/list/ngx_artifact_list_run.h"
#include "core/text/art_utf8.h"
#include "core/ref/art_id.h"


struct ngx_http_artifact_listing_s {
    ngx_http_artifact_ctx_t  *ctx;
    ngx_artifact_list_job_t   job;
    ngx_artifact_task_t       task;
};


static ngx_int_t ngx_http_artifact_list_start(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_listing_kind_t kind, ngx_uint_t probe);
static ngx_int_t ngx_http_artifact_list_arguments(ngx_http_request_t *r,
    ngx_artifact_list_job_t *job);
static ngx_int_t ngx_http_artifact_list_args(ngx_http_request_t *r,
    size_t *limit, unsigned *recursive, art_str_t *after);
static ngx_int_t ngx_http_artifact_list_names(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_artifact_list_job_t *job);
static void ngx_http_artifact_list_cleanup(void *data);
static void ngx_http_artifact_list_done(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_list_answer(ngx_http_request_t *r,
    ngx_http_artifact_listing_t *listing);


ngx_int_t
ngx_http_artifact_list_handler(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_uint_t          slash;
    art_listing_kind_t  kind;

    slash = (r->uri.len > 0 && r->uri.data[r->uri.len - 1] == '/');

    if (ctx->bad) {

        /* a URI that is not below the location gives no data */

        if (ctx->given.data == NULL) {
            return NGX_DECLINED;
        }

        if (!slash) {
            return ngx_http_artifact_add_slash(r);
        }

        kind = ctx->conf->uri == NGX_HTTP_ARTIFACT_PATH ? ART_LISTING_WORKSPACES
                                                        : ART_LISTING_ARTIFACTS;

        return ngx_http_artifact_list_start(r, ctx, kind, 0);
    }

    if (ctx->conf->uri != NGX_HTTP_ARTIFACT_PATH
        || ctx->status != ART_ID_OK || !ctx->ref.folder)
    {
        return NGX_DECLINED;
    }

    return ngx_http_artifact_list_start(r, ctx, ART_LISTING_FOLDER, !slash);
}


ngx_int_t
ngx_http_artifact_list_missing(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    return ngx_http_artifact_list_start(r, ctx, ART_LISTING_FOLDER, 1);
}


static ngx_int_t
ngx_http_artifact_list_start(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_listing_kind_t kind, ngx_uint_t probe)
{
    ngx_int_t                     rc;
    ngx_pool_cleanup_t           *cln;
    ngx_http_artifact_listing_t  *listing;

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_artifact_listing_t));
    if (cln == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    listing = cln->data;
    ngx_memzero(listing, sizeof(ngx_http_artifact_listing_t));

    cln->handler = ngx_http_artifact_list_cleanup;

    listing->ctx = ctx;
    listing->job.kind = kind;
    listing->job.probe = probe ? 1 : 0;

    listing->job.layout = ngx_http_artifact_layout(ctx->conf);

    if (kind == ART_LISTING_ARTIFACTS) {
        listing->job.id = art_ref_layout_len(&listing->job.layout->layout);
    }

    rc = ngx_http_artifact_list_arguments(r, &listing->job);

    if (rc == NGX_DECLINED) {
        return ngx_http_artifact_send_error(r, ctx, ART_ERR_ARGUMENT);
    }

    if (rc == NGX_OK) {
        rc = ngx_http_artifact_list_names(r, ctx, &listing->job);
    }

    if (rc == NGX_DECLINED) {
        listing->job.err = ngx_errno;

        return ngx_http_artifact_list_answer(r, listing);
    }

    if (rc == NGX_ERROR) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    rc = ngx_http_artifact_request_task(r, &listing->task,
                                        ngx_artifact_list_run, &listing->job);
    if (rc == NGX_OK) {
        return ngx_http_artifact_list_answer(r, listing);
    }

    ctx->listing = listing;

    r->write_event_handler = ngx_http_artifact_list_done;
    r->main->count++;

    return NGX_DONE;
}


static ngx_int_t
ngx_http_artifact_list_arguments(ngx_http_request_t *r,
    ngx_artifact_list_job_t *job)
{
    size_t            limit;
    u_char           *key;
    unsigned          recursive;
    ngx_int_t         rc;
    art_str_t         after;
    art_page_item_t  *items;

    limit = job->probe ? 1 : ART_PAGE_LIMIT;
    recursive = 0;
    after = art_cstr("");

    if (!job->probe) {
        rc = ngx_http_artifact_list_args(r, &limit, &recursive, &after);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    items = ngx_palloc(r->pool, (limit + 1) * sizeof(art_page_item_t));
    if (items == NULL) {
        return NGX_ERROR;
    }

    if (after.len > 0 && job->id > 0) {

        /* pages are in the order of places, then of ids */

        key = ngx_pnalloc(r->pool, job->id + after.len);
        if (key == NULL) {
            return NGX_ERROR;
        }

        after = art_str(key, ngx_artifact_list_key(job, after, key));
    }

    art_page_init(&job->page, items, limit, after);

    job->recursive = (recursive && job->kind == ART_LISTING_FOLDER);

    return NGX_OK;
}


/* NGX_DECLINED if an argument is invalid; an empty one counts as absent. */

static ngx_int_t
ngx_http_artifact_list_args(ngx_http_request_t *r, size_t *limit,
    unsigned *recursive, art_str_t *after)
{
    ngx_uint_t  i;
    art_str_t   values[3];
    ngx_str_t   value;

    static const char *const  names[3] = { "limit", "recursive", "after" };

    for (i = 0; i < 3; i++) {
        if (ngx_http_artifact_arg(r, names[i], &value) != NGX_OK) {
            return NGX_ERROR;
        }

        values[i] = ngx_artifact_str(&value);
    }

    *after = values[2];

    return (values[0].len > 0 && art_page_limit(values[0], limit) != ART_OK)
           || (values[1].len > 0
               && art_page_flag(values[1], recursive) != ART_OK)
           || after->len > ART_ID_PATH_MAX
           || (after->len > 0 && memchr(after->data, '\0', after->len))
           || !art_utf8_valid(after->data, after->len)
           ? NGX_DECLINED : NGX_OK;
}


static ngx_int_t
ngx_http_artifact_list_names(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_artifact_list_job_t *job)
{
    job->follow = ngx_http_artifact_follows(r) ? 1 : 0;

    if (ngx_http_artifact_concat(r->pool, &job->workspace, ctx->ref.workspace,
                                 art_cstr(""))
        != NGX_OK
        || ngx_http_artifact_concat(r->pool, &job->path, ctx->ref.path,
                                    art_cstr(""))
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ngx_http_artifact_is_control(&ctx->ref)) {
        ngx_set_errno(NGX_ENOENT);
        return NGX_DECLINED;
    }

    return ngx_http_artifact_root(r, ctx, &job->root);
}


static void
ngx_http_artifact_list_cleanup(void *data)
{
    ngx_http_artifact_listing_t *listing = data;

    ngx_artifact_list_free(&listing->job);
}


static void
ngx_http_artifact_list_done(ngx_http_request_t *r)
{
    ngx_http_artifact_ctx_t  *ctx;

    if (r->aio) {

        /* a write event of an earlier answer, or the client has gone */

        return;
    }

    r->write_event_handler = ngx_http_request_empty_handler;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    ngx_http_finalize_request(r,
                              ngx_http_artifact_list_answer(r, ctx->listing));
}


static ngx_int_t
ngx_http_artifact_list_answer(ngx_http_request_t *r,
    ngx_http_artifact_listing_t *listing)
{
    art_out_t                 out;
    art_error_t               error;
    ngx_artifact_list_job_t  *job;

    static ngx_str_t  no_cache = ngx_string("no-cache");

    job = &listing->job;

    if (job->err) {
        error = ngx_http_artifact_open_error(r, job->err, job->bound
                                         || job->kind != ART_LISTING_FOLDER);

        return ngx_http_artifact_send_error(r, listing->ctx, error);
    }

    if (job->probe) {
        return ngx_http_artifact_add_slash(r);
    }

    if (ngx_http_artifact_add_header(r, "Cache-Control", &no_cache) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        ngx_http_artifact_list_print(r, job, &out);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    return ngx_http_artifact_send_json(r, listing->ctx, NGX_HTTP_OK, &out);
}
