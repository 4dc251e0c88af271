
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Listings, on the side of the request: arguments, job, and the page as JSON.
 */


#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_context.h"
#include "http/base/ngx_http_artifact_directive.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_work.h"
#include "http/list/ngx_http_artifact_list.h"
#include "http/source/ngx_http_artifact_classify.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/disk/ngx_artifact_task.h"
#include "store/list/ngx_artifact_list.h"
#include "core/base/art_time.h"
#include "core/text/art_utf8.h"
#include "core/media/art_classify.h"
#include "core/ref/art_id.h"


typedef struct {
    ngx_http_artifact_ctx_t  *ctx;
    ngx_artifact_list_job_t   job;
    ngx_artifact_task_t       task;
    ngx_http_artifact_turn_t  turn;
} ngx_http_artifact_listing_t;


typedef struct {
    ngx_flag_t  index;
} ngx_http_artifact_list_conf_t;


extern ngx_module_t  ngx_http_artifact_list_module;


static void *ngx_http_artifact_list_create_conf(ngx_conf_t *cf);
static char *ngx_http_artifact_list_merge_conf(ngx_conf_t *cf, void *parent,
    void *child);
static ngx_int_t ngx_http_artifact_list_start(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_listing_kind_t kind, ngx_uint_t probe);
static ngx_int_t ngx_http_artifact_list_arguments(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_artifact_list_job_t *job, size_t *limit,
    art_str_t *after);
static ngx_int_t ngx_http_artifact_list_args(ngx_http_request_t *r,
    size_t *limit, unsigned *recursive, art_str_t *after);
static void ngx_http_artifact_list_cleanup(void *data);
static ngx_int_t ngx_http_artifact_list_run(ngx_http_request_t *r,
    ngx_http_artifact_listing_t *listing);
static void ngx_http_artifact_list_again(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_list_answer(ngx_http_request_t *r,
    ngx_http_artifact_listing_t *listing);
static void ngx_http_artifact_list_print(ngx_http_request_t *r,
    ngx_artifact_list_job_t *job, art_out_t *out);


static ngx_command_t  ngx_http_artifact_list_commands[] = {

    { ngx_string("artifact_index"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_FLAG,
      ngx_conf_set_flag_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_list_conf_t, index),
      &ngx_http_artifact_noted },

      ngx_null_command
};


static ngx_http_module_t  ngx_http_artifact_list_module_ctx = {
    .create_loc_conf = ngx_http_artifact_list_create_conf,
    .merge_loc_conf = ngx_http_artifact_list_merge_conf
};


ngx_module_t  ngx_http_artifact_list_module =
    NGX_HTTP_ARTIFACT_MODULE(&ngx_http_artifact_list_module_ctx,
                             ngx_http_artifact_list_commands);


static void *
ngx_http_artifact_list_create_conf(ngx_conf_t *cf)
{
    ngx_http_artifact_list_conf_t  *conf;

    conf = ngx_palloc(cf->pool, sizeof(ngx_http_artifact_list_conf_t));
    if (conf == NULL) {
        return NULL;
    }

    conf->index = NGX_CONF_UNSET;

    return conf;
}


static char *
ngx_http_artifact_list_merge_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_artifact_list_conf_t *prev = parent;
    ngx_http_artifact_list_conf_t *conf = child;

    ngx_conf_merge_value(conf->index, prev->index, 0);

    return NGX_CONF_OK;
}


ngx_uint_t
ngx_http_artifact_lists(ngx_http_artifact_loc_conf_t *alcf)
{
    ngx_http_artifact_list_conf_t  *conf;

    conf = ngx_http_artifact_conf_of(alcf, ngx_http_artifact_list_module);

    return conf->index & 1;
}


ngx_int_t
ngx_http_artifact_list_handler(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_uint_t          slash;
    art_listing_kind_t  kind;

    slash = (r->uri.len > 0 && r->uri.data[r->uri.len - 1] == '/');

    if (ctx->bad) {

        /* "data" is NULL for a URI that is not below the location */

        if (ctx->given.data == NULL) {
            return NGX_DECLINED;
        }

        if (!slash) {
            return ngx_http_artifact_add_slash(r);
        }

        kind = ngx_http_artifact_has_paths(ctx->conf) ? ART_LISTING_WORKSPACES
                                                      : ART_LISTING_ARTIFACTS;

        return ngx_http_artifact_list_start(r, ctx, kind, 0);
    }

    if (!ngx_http_artifact_has_paths(ctx->conf)
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
    size_t                        limit;
    ngx_int_t                     rc;
    art_str_t                     after;
    ngx_pool_cleanup_t           *cln;
    ngx_http_artifact_listing_t  *listing;

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_artifact_listing_t));
    if (cln == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    listing = cln->data;
    ngx_memzero(listing, sizeof(ngx_http_artifact_listing_t));

    cln->handler = ngx_http_artifact_list_cleanup;

    if (ngx_http_artifact_turn_init(&listing->turn, r) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    listing->ctx = ctx;
    listing->job.kind = kind;
    listing->job.probe = probe ? 1 : 0;

    rc = ngx_http_artifact_list_arguments(r, ctx, &listing->job, &limit,
                                          &after);

    if (rc == NGX_DECLINED) {
        return ngx_http_artifact_send_error(r, ctx, ART_ERR_ARGUMENT);
    }

    if (rc == NGX_OK) {
        rc = ngx_http_artifact_list_prepare(r, ctx, &listing->job, limit,
                                            after);
    }

    if (rc == NGX_DECLINED) {
        listing->job.err = ngx_errno;

        return ngx_http_artifact_list_answer(r, listing);
    }

    if (rc == NGX_ERROR) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_log_debug6(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact list: kind %d, workspace \"%V\", "
                   "path \"%V\", limit %uz, recursive:%d probe:%d",
                   kind, &listing->job.workspace, &listing->job.path,
                   listing->job.page.limit, listing->job.recursive,
                   listing->job.probe);

    ngx_http_set_ctx(r, listing, ngx_http_artifact_list_module);

    ngx_http_artifact_request_watch(r);

    rc = ngx_http_artifact_list_run(r, listing);

    if (rc == NGX_AGAIN) {
        r->main->count++;
        return NGX_DONE;
    }

    return rc;
}


/* What the request is finalized with, or NGX_AGAIN: it is called again. */

static ngx_int_t
ngx_http_artifact_list_run(ngx_http_request_t *r,
    ngx_http_artifact_listing_t *listing)
{
    r->write_event_handler = ngx_http_artifact_list_again;

    while (listing->job.again) {

        if (ngx_http_artifact_turn_enter(&listing->turn, r) == NGX_AGAIN
            || ngx_http_artifact_request_turn(r, &listing->turn,
                                              &listing->task,
                                              ngx_artifact_list_run,
                                              &listing->job)
               == NGX_AGAIN)
        {
            return NGX_AGAIN;
        }
    }

    ngx_http_artifact_turn_leave(&listing->turn);

    r->write_event_handler = ngx_http_request_empty_handler;

    return ngx_http_artifact_list_answer(r, listing);
}


static void
ngx_http_artifact_list_again(ngx_http_request_t *r)
{
    ngx_int_t                     rc;
    ngx_http_artifact_listing_t  *listing;

    if (r->aio) {

        /* a write event of an earlier answer, or the client has left */

        return;
    }

    listing = ngx_http_get_module_ctx(r, ngx_http_artifact_list_module);

    rc = ngx_http_artifact_list_run(r, listing);

    if (rc != NGX_AGAIN) {
        ngx_http_finalize_request(r, rc);
    }
}


/* NGX_DECLINED if an argument is invalid. */

static ngx_int_t
ngx_http_artifact_list_arguments(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_artifact_list_job_t *job, size_t *limit,
    art_str_t *after)
{
    unsigned   recursive;
    ngx_int_t  rc;

    if (ngx_http_artifact_concat(r->pool, &job->workspace, ctx->ref.workspace,
                                 art_cstr(""))
        != NGX_OK
        || ngx_http_artifact_concat(r->pool, &job->path, ctx->ref.path,
                                    art_cstr(""))
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    *limit = job->probe ? 1 : ART_PAGE_LIMIT;
    *after = art_cstr("");

    if (job->probe) {
        return NGX_OK;
    }

    recursive = 0;

    rc = ngx_http_artifact_list_args(r, limit, &recursive, after);

    job->recursive = (recursive && job->kind == ART_LISTING_FOLDER);

    return rc;
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


ngx_int_t
ngx_http_artifact_list_prepare(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_artifact_list_job_t *job, size_t limit,
    art_str_t after)
{
    u_char           *key;
    art_ref_t         ref;
    art_page_item_t  *items;

    job->layout = ngx_http_artifact_layout(ctx->conf);
    job->follow = ngx_http_artifact_follows(r) ? 1 : 0;

    if (job->kind == ART_LISTING_ARTIFACTS) {
        job->id = art_ref_layout_len(&job->layout->layout);
    }

    items = job->page.items;

    if (items == NULL) {
        items = ngx_palloc(r->pool, (limit + 1) * sizeof(art_page_item_t));
        if (items == NULL) {
            return NGX_ERROR;
        }
    }

    if (after.len > 0 && job->id > 0) {

        /* pages are ordered by sub-folders, then by ids */

        key = ngx_pnalloc(r->pool, job->id + after.len);
        if (key == NULL) {
            return NGX_ERROR;
        }

        after = art_str(key, ngx_artifact_list_key(job, after, key));
    }

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact list: at most %uz names, after \"%*s\"",
                   limit, after.len, after.data);

    job->page.items = items;
    job->page.limit = limit;
    job->page.after = after;
    job->again = 1;

    ngx_memzero(&ref, sizeof(art_ref_t));
    ref.workspace = ngx_artifact_str(&job->workspace);

    if (ngx_http_artifact_is_control(&ref)) {
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


static ngx_int_t
ngx_http_artifact_list_answer(ngx_http_request_t *r,
    ngx_http_artifact_listing_t *listing)
{
    art_out_t                 out;
    art_error_t               error;
    ngx_artifact_list_job_t  *job;

    static ngx_str_t  no_cache = ngx_string("no-cache");

    job = &listing->job;

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, r->connection->log, job->err,
                   "http artifact listed: %uz of %uz names in %uz folders, "
                   "more:%d",
                   job->page.n, job->names, job->folders, job->page.more);

    if (job->err) {
        error = ngx_http_artifact_list_error(r, listing->ctx, job);
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


art_error_t
ngx_http_artifact_list_error(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_artifact_list_job_t *job)
{
    art_out_t   out;
    ngx_str_t   path;
    ngx_uint_t  bound;

    bound = job->bound || job->kind != ART_LISTING_FOLDER;

    ngx_str_null(&path);

    if (!job->rooted) {
        ngx_set_errno(job->err);

        if (job->root.len == 0
            || ngx_http_artifact_rootless(r, ctx, &job->root))
        {
            return ngx_http_artifact_open_error(r, job->err, bound, &path);
        }
    }

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_out_str(&out, ngx_artifact_str(&job->root));
        art_out_cstr(&out, job->kind == ART_LISTING_ARTIFACTS
                           ? "/artifacts" : "/workspaces");

        if (job->kind == ART_LISTING_FOLDER) {
            art_out_char(&out, '/');
            art_utf8_name(&out, ngx_artifact_str(&job->workspace));
            art_out_char(&out, '/');
            art_utf8_name(&out, ngx_artifact_str(&job->path));
        }
    } while (ngx_http_artifact_print_again(r->pool, &out));

    if (out.data) {
        path.data = out.data;
        path.len = out.len;
    }

    return ngx_http_artifact_open_error(r, job->err, bound, &path);
}


static void
ngx_http_artifact_list_print(ngx_http_request_t *r,
    ngx_artifact_list_job_t *job, art_out_t *out)
{
    size_t                          i, count;
    art_str_t                       next;
    art_listing_t                   list;
    art_json_put_t                  put;
    ngx_artifact_list_item_t       *item;
    ngx_http_artifact_list_entry_t  listed;

    list.kind = job->kind;
    list.workspace = ngx_artifact_str(&job->workspace);
    list.path = ngx_artifact_str(&job->path);

    art_json_put_init(&put, out, 0);
    art_listing_begin(&put, &list);

    count = 0;
    next = art_str(NULL, 0);

    for (i = 0; i < job->page.n; i++) {
        item = job->page.items[i].data;

        if (!item->detail->missing) {
            ngx_http_artifact_list_entry(r, job, item, &listed);
            art_listing_entry(&put, &list, &listed.entry);
            count++;
        }
    }

    if (job->page.more) {
        next = ngx_artifact_list_after(job, job->page.n);
    }

    art_listing_end(&put, count, "next", next);
}


void
ngx_http_artifact_list_entry(ngx_http_request_t *r,
    ngx_artifact_list_job_t *job, ngx_artifact_list_item_t *item,
    ngx_http_artifact_list_entry_t *listed)
{
    uint64_t                     ms;
    ngx_str_t                    path, last;
    art_claims_t                 claims;
    art_listing_entry_t         *entry;
    ngx_artifact_list_detail_t  *detail;

    detail = item->detail;
    entry = &listed->entry;

    ngx_memzero(entry, sizeof(art_listing_entry_t));

    ms = detail->mtime.tv_sec < 0
         ? 0 : (uint64_t) detail->mtime.tv_sec * 1000
               + (uint64_t) detail->mtime.tv_nsec / 1000000;

    art_time_print(listed->time, ms);

    path.data = detail->file ? detail->file : item->name;
    path.len = detail->file ? ngx_strlen(detail->file) : item->len;

    ngx_http_artifact_last_name(&path, &last);

    entry->id = ngx_artifact_list_name(job, item);
    entry->path = entry->id;
    entry->name = detail->meta.name.len > 0
                  && job->kind == ART_LISTING_ARTIFACTS
                  ? detail->meta.name : ngx_artifact_str(&last);
    entry->size = (uint64_t) detail->size;
    entry->folder = detail->folder;
    entry->created = detail->meta.created;
    entry->expires = detail->meta.expires;
    entry->updated = detail->meta.updated.data
                     ? detail->meta.updated
                     : art_str(listed->time, ART_TIME_LEN);
    entry->type = detail->meta.type;
    entry->message_id = detail->meta.message_id;

    if (job->kind == ART_LISTING_WORKSPACES || detail->folder) {
        return;
    }

    ngx_http_artifact_claims(r, &detail->meta, ngx_artifact_str(&last),
                             &claims);

    art_classify_unread(&claims, entry->size, &listed->verdict);

    entry->mime = art_str(listed->verdict.type.buf,
                          listed->verdict.type.len);
}
