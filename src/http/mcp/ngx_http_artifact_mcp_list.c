
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Listings: resources/list, and the tools list_artifacts and list_workspace.  A
 * page is made of one job of store/list after the other: all
 * artifacts come first, then the files of one workspace after the other.
 */


#include "http/mcp/ngx_http_artifact_mcp_state.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/list/ngx_http_artifact_list.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/json/art_json_error.h"
#include "core/mcp/art_mcp_cursor.h"
#include "core/mcp/art_mcp_list.h"


#define NGX_HTTP_ARTIFACT_MCP_PAGE        1000

/* A page ends after as many jobs, also if little was chosen, and bytes. */

#define NGX_HTTP_ARTIFACT_MCP_JOBS        1000
#define NGX_HTTP_ARTIFACT_MCP_VAIN_JOBS   16
#define NGX_HTTP_ARTIFACT_MCP_PAGE_BYTES  (1024 * 1024)

#define NGX_HTTP_ARTIFACT_MCP_WORKSPACES  100


/* The kinds of listings, as cursors have them. */

typedef enum {
    NGX_HTTP_ARTIFACT_MCP_RESOURCES = 0,
    NGX_HTTP_ARTIFACT_MCP_ARTIFACTS,
    NGX_HTTP_ARTIFACT_MCP_FOLDER
} ngx_http_artifact_mcp_listing_e;


/* What the next job lists.  The first two are parts of cursors, too. */

typedef enum {
    NGX_HTTP_ARTIFACT_MCP_LIST_ARTIFACTS = 0,
    NGX_HTTP_ARTIFACT_MCP_LIST_FILES,         /* of position.workspace */
    NGX_HTTP_ARTIFACT_MCP_LIST_WORKSPACES,    /* after position.workspace */
    NGX_HTTP_ARTIFACT_MCP_LIST_END
} ngx_http_artifact_mcp_list_e;


/*
 * In memory of the request: some 1 KB, 24 KB of items, the names of 100
 * workspaces, and a page that ends once it has 1 MB; the job's is its own.
 */

struct ngx_http_artifact_mcp_list_s {
    ngx_http_artifact_mcp_t        *mcp;
    art_mcp_listing_t               listing;
    art_mcp_position_t              position;    /* of the last entry */
    size_t                          limit;
    ngx_http_artifact_mcp_list_e    state;

    ngx_artifact_list_job_t         job;
    ngx_artifact_task_t             task;
    art_page_item_t                *items;
    ngx_array_t                     workspaces;  /* art_str_t: they are next */
    ngx_uint_t                      workspace;   /* the first one of them */

    ngx_array_t                     entries;     /* art_str_t: JSON */
    ngx_array_t                     lines;       /* ... and text */
    size_t                          count;
    size_t                          bytes;
    ngx_uint_t                      jobs;
    art_error_t                     error;

    unsigned                        chosen:1;    /* by type or name */
    unsigned                        running:1;   /* a job is or has been */
    unsigned                        last:1;      /* no more workspaces */
    unsigned                        more:1;      /* the page is full */
};


static ngx_http_artifact_mcp_list_t *ngx_http_artifact_mcp_list_create(
    ngx_http_request_t *r, ngx_http_artifact_mcp_t *mcp);
static void ngx_http_artifact_mcp_list_cleanup(void *data);
static ngx_int_t ngx_http_artifact_mcp_list_begin(ngx_http_request_t *r,
    ngx_http_artifact_mcp_list_t *list);
static ngx_int_t ngx_http_artifact_mcp_list_cursor(ngx_http_request_t *r,
    ngx_http_artifact_mcp_list_t *list, art_str_t cursor);
static ngx_uint_t ngx_http_artifact_mcp_list_within(
    ngx_http_artifact_mcp_list_t *list, const art_mcp_position_t *position);
static void ngx_http_artifact_mcp_list_again(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_mcp_list_run(ngx_http_request_t *r,
    ngx_http_artifact_mcp_list_t *list);
static ngx_int_t ngx_http_artifact_mcp_list_next(ngx_http_request_t *r,
    ngx_http_artifact_mcp_list_t *list);
static ngx_int_t ngx_http_artifact_mcp_list_done(ngx_http_request_t *r,
    ngx_http_artifact_mcp_list_t *list);
static ngx_int_t ngx_http_artifact_mcp_list_failed(ngx_http_request_t *r,
    ngx_http_artifact_mcp_list_t *list);
static ngx_int_t ngx_http_artifact_mcp_list_workspaces(ngx_http_request_t *r,
    ngx_http_artifact_mcp_list_t *list);
static void ngx_http_artifact_mcp_list_workspace(
    ngx_http_artifact_mcp_list_t *list);
static ngx_int_t ngx_http_artifact_mcp_list_add(ngx_http_request_t *r,
    ngx_http_artifact_mcp_list_t *list);
static size_t ngx_http_artifact_mcp_list_choose(ngx_http_request_t *r,
    ngx_http_artifact_mcp_list_t *list);
static ngx_int_t ngx_http_artifact_mcp_list_print(ngx_http_request_t *r,
    ngx_http_artifact_mcp_list_t *list, size_t n, ngx_array_t *pieces);
static ngx_int_t ngx_http_artifact_mcp_list_send(ngx_http_request_t *r,
    ngx_http_artifact_mcp_list_t *list);
static ngx_int_t ngx_http_artifact_mcp_list_join(ngx_http_request_t *r,
    ngx_http_artifact_mcp_list_t *list, ngx_array_t *pieces, art_str_t cursor,
    art_str_t *joined);


ngx_int_t
ngx_http_artifact_mcp_list_resources(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    ngx_int_t                      rc;
    art_mcp_error_t                error;
    ngx_http_artifact_mcp_list_t  *list;

    list = ngx_http_artifact_mcp_list_create(r, mcp);
    if (list == NULL) {
        return NGX_ERROR;
    }

    list->listing.kind = NGX_HTTP_ARTIFACT_MCP_RESOURCES;
    list->limit = NGX_HTTP_ARTIFACT_MCP_PAGE;

    rc = ngx_http_artifact_mcp_list_cursor(r, list, mcp->message.cursor);

    if (rc == NGX_DECLINED) {
        art_mcp_error_set(&error, NGX_HTTP_OK, ART_RPC_PARAMS,
                          "Invalid params: the cursor is not valid",
                          art_str(NULL, 0));

        return ngx_http_artifact_mcp_error(r, mcp, &error);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    if (!ngx_http_artifact_lists(mcp->ctx->conf)) {
        return ngx_http_artifact_mcp_list_send(r, list);
    }

    return ngx_http_artifact_mcp_list_run(r, list);
}


ngx_int_t
ngx_http_artifact_mcp_list_artifacts(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    art_mcp_value_t               *args;
    ngx_http_artifact_mcp_list_t  *list;

    list = ngx_http_artifact_mcp_list_create(r, mcp);
    if (list == NULL) {
        return NGX_ERROR;
    }

    args = mcp->message.args;

    list->listing.kind = NGX_HTTP_ARTIFACT_MCP_ARTIFACTS;
    list->listing.scope[0] = args[ART_MCP_ARG_TYPE].text;
    list->listing.scope[1] = args[ART_MCP_ARG_NAME].text;
    list->chosen = (args[ART_MCP_ARG_TYPE].text.len > 0
                    || args[ART_MCP_ARG_NAME].text.len > 0);

    return ngx_http_artifact_mcp_list_begin(r, list);
}


ngx_int_t
ngx_http_artifact_mcp_list_folder(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    art_ref_t                     *ref;
    art_error_t                    error;
    art_mcp_value_t               *args;
    ngx_http_artifact_mcp_list_t  *list;

    list = ngx_http_artifact_mcp_list_create(r, mcp);
    if (list == NULL) {
        return NGX_ERROR;
    }

    args = mcp->message.args;
    ref = &mcp->ctx->ref;

    if (ngx_http_artifact_mcp_parse_path(r, mcp,
                                         args[ART_MCP_ARG_WORKSPACE].text,
                                         args[ART_MCP_ARG_PATH].text)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (mcp->ctx->status != ART_ID_OK) {
        error = mcp->ctx->status == ART_ID_TRAVERSAL ? ART_ERR_TRAVERSAL
                                                     : ART_ERR_INVALID_ID;

        return ngx_http_artifact_mcp_tool_error(r, mcp, error,
                                          ngx_artifact_str(&mcp->ctx->given));
    }

    list->listing.kind = NGX_HTTP_ARTIFACT_MCP_FOLDER;
    list->listing.scope[0] = ref->workspace;
    list->listing.scope[1] = ref->path;
    list->position.part = NGX_HTTP_ARTIFACT_MCP_LIST_FILES;
    list->position.workspace = ref->workspace;
    list->state = NGX_HTTP_ARTIFACT_MCP_LIST_FILES;

    return ngx_http_artifact_mcp_list_begin(r, list);
}


static ngx_http_artifact_mcp_list_t *
ngx_http_artifact_mcp_list_create(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    ngx_pool_cleanup_t            *cln;
    ngx_http_artifact_mcp_list_t  *list;

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_artifact_mcp_list_t));
    if (cln == NULL) {
        return NULL;
    }

    list = cln->data;
    ngx_memzero(list, sizeof(ngx_http_artifact_mcp_list_t));

    cln->handler = ngx_http_artifact_mcp_list_cleanup;

    list->mcp = mcp;
    list->items = ngx_palloc(r->pool, (NGX_HTTP_ARTIFACT_MCP_PAGE + 1)
                                      * sizeof(art_page_item_t));

    if (list->items == NULL
        || ngx_array_init(&list->workspaces, r->pool, 16, sizeof(ngx_str_t))
           != NGX_OK
        || ngx_array_init(&list->entries, r->pool, 8, sizeof(art_str_t))
           != NGX_OK
        || ngx_array_init(&list->lines, r->pool, 8, sizeof(art_str_t))
           != NGX_OK)
    {
        return NULL;
    }

    mcp->list = list;

    return list;
}


static void
ngx_http_artifact_mcp_list_cleanup(void *data)
{
    ngx_http_artifact_mcp_list_t *list = data;

    ngx_artifact_list_free(&list->job);
}


/* A tool's: limit and cursor, and the first job. */

static ngx_int_t
ngx_http_artifact_mcp_list_begin(ngx_http_request_t *r,
    ngx_http_artifact_mcp_list_t *list)
{
    ngx_int_t                 rc;
    art_lang_t                lang;
    art_mcp_value_t          *args;
    ngx_http_artifact_mcp_t  *mcp;

    mcp = list->mcp;
    args = mcp->message.args;
    lang = (art_lang_t) mcp->ctx->conf->language;

    if (!ngx_http_artifact_lists(mcp->ctx->conf)) {
        return ngx_http_artifact_mcp_tool_words(r, mcp,
                                                art_mcp_list_off(lang), 1);
    }

    list->limit = args[ART_MCP_ARG_LIMIT].given
                  ? (size_t) args[ART_MCP_ARG_LIMIT].number : ART_PAGE_LIMIT;

    rc = ngx_http_artifact_mcp_list_cursor(r, list,
                                           args[ART_MCP_ARG_CURSOR].text);
    if (rc == NGX_DECLINED) {
        return ngx_http_artifact_mcp_tool_words(r, mcp,
                                            art_mcp_list_bad_cursor(lang), 1);
    }

    return rc == NGX_OK ? ngx_http_artifact_mcp_list_run(r, list) : rc;
}


/* NGX_DECLINED for a cursor that is not one of this listing; none is fine. */

static ngx_int_t
ngx_http_artifact_mcp_list_cursor(ngx_http_request_t *r,
    ngx_http_artifact_mcp_list_t *list, art_str_t cursor)
{
    u_char              *buf;
    art_mcp_position_t   position;

    if (cursor.data == NULL) {
        return NGX_OK;
    }

    buf = ngx_pnalloc(r->pool, ART_MCP_CURSOR_ROOM(cursor.len));
    if (buf == NULL) {
        return NGX_ERROR;
    }

    if (art_mcp_cursor_parse(cursor, buf, &list->listing, &position) != ART_OK
        || !ngx_http_artifact_mcp_list_within(list, &position))
    {
        return NGX_DECLINED;
    }

    list->position = position;

    if (position.part == NGX_HTTP_ARTIFACT_MCP_LIST_ARTIFACTS) {
        list->state = NGX_HTTP_ARTIFACT_MCP_LIST_ARTIFACTS;

    } else if (position.workspace.len > 0) {
        list->state = NGX_HTTP_ARTIFACT_MCP_LIST_FILES;

    } else {
        list->state = NGX_HTTP_ARTIFACT_MCP_LIST_WORKSPACES;
    }

    return NGX_OK;
}


/* Whether a position is one of the listing: anybody can make a cursor. */

static ngx_uint_t
ngx_http_artifact_mcp_list_within(ngx_http_artifact_mcp_list_t *list,
    const art_mcp_position_t *position)
{
    if (position->after.len > ART_ID_PATH_MAX
        || (position->after.len > 0
            && memchr(position->after.data, '\0', position->after.len)))
    {
        return 0;
    }

    if (list->listing.kind == NGX_HTTP_ARTIFACT_MCP_RESOURCES) {
        return position->part <= NGX_HTTP_ARTIFACT_MCP_LIST_FILES
               && (position->workspace.len == 0
                   || art_id_component(position->workspace));
    }

    return position->part == list->position.part
           && art_str_eq(position->workspace, list->position.workspace);
}


static void
ngx_http_artifact_mcp_list_again(ngx_http_request_t *r)
{
    ngx_int_t                 rc;
    ngx_http_artifact_mcp_t  *mcp;

    if (r->aio) {

        /* an event of the client's, while a thread is at work */

        return;
    }

    mcp = ngx_http_artifact_get_mcp(r);

    r->write_event_handler = ngx_http_request_empty_handler;

    rc = ngx_http_artifact_mcp_list_run(r, mcp->list);

    ngx_http_artifact_mcp_finish(r, rc);
}


/* Runs one job after the other, and sends the page when it is complete. */

static ngx_int_t
ngx_http_artifact_mcp_list_run(ngx_http_request_t *r,
    ngx_http_artifact_mcp_list_t *list)
{
    ngx_int_t                  rc;
    ngx_http_artifact_turn_t  *turn;

    turn = &list->mcp->turn;

    for ( ;; ) {

        if (!list->running) {

            if (list->more || list->state == NGX_HTTP_ARTIFACT_MCP_LIST_END) {
                return ngx_http_artifact_mcp_list_send(r, list);
            }

            rc = ngx_http_artifact_mcp_list_next(r, list);

            if (rc == NGX_ERROR) {
                return NGX_ERROR;
            }

            if (rc == NGX_DECLINED) {
                list->job.err = ngx_errno;
                list->job.again = 0;
            }

            list->running = 1;
            list->jobs++;
        }

        while (list->job.again) {

            if (ngx_http_artifact_turn_enter(turn, r) == NGX_AGAIN
                || ngx_http_artifact_request_turn(r, turn, &list->task,
                                                  ngx_artifact_list_run,
                                                  &list->job)
                   == NGX_AGAIN)
            {
                r->write_event_handler = ngx_http_artifact_mcp_list_again;
                return NGX_DONE;
            }
        }

        list->running = 0;
        ngx_http_artifact_turn_leave(turn);

        rc = ngx_http_artifact_mcp_list_done(r, list);

        if (rc == NGX_DECLINED) {
            return ngx_http_artifact_mcp_list_failed(r, list);
        }

        if (rc != NGX_OK) {
            return rc;
        }
    }
}


/* Prepares the next job; NGX_DECLINED with errno if there is no such folder. */

static ngx_int_t
ngx_http_artifact_mcp_list_next(ngx_http_request_t *r,
    ngx_http_artifact_mcp_list_t *list)
{
    size_t                    limit;
    art_str_t                 workspace, path, after;
    ngx_artifact_list_job_t  *job;

    job = &list->job;

    ngx_artifact_list_free(job);
    ngx_memzero(job, sizeof(ngx_artifact_list_job_t));

    job->page.items = list->items;

    workspace = art_cstr("");
    path = art_cstr("");
    after = list->position.after;
    limit = list->chosen ? NGX_HTTP_ARTIFACT_MCP_PAGE
                         : list->limit - list->count;

    switch (list->state) {

    case NGX_HTTP_ARTIFACT_MCP_LIST_ARTIFACTS:
        job->kind = ART_LISTING_ARTIFACTS;
        break;

    case NGX_HTTP_ARTIFACT_MCP_LIST_FILES:
        job->kind = ART_LISTING_FOLDER;
        workspace = list->position.workspace;

        if (list->listing.kind == NGX_HTTP_ARTIFACT_MCP_FOLDER) {
            path = list->listing.scope[1];

        } else {
            job->recursive = 1;
        }

        break;

    default: /* NGX_HTTP_ARTIFACT_MCP_LIST_WORKSPACES */
        job->kind = ART_LISTING_WORKSPACES;
        after = list->position.workspace;
        limit = NGX_HTTP_ARTIFACT_MCP_WORKSPACES;
        break;
    }

    if (ngx_http_artifact_concat(r->pool, &job->workspace, workspace,
                                 art_cstr(""))
        != NGX_OK
        || ngx_http_artifact_concat(r->pool, &job->path, path, art_cstr(""))
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_artifact_list_prepare(r, list->mcp->ctx, job, limit,
                                          after);
}


/*
 * A job has ended: what it has found, and which one is next.  NGX_DECLINED with
 * list->error if it has failed.
 */

static ngx_int_t
ngx_http_artifact_mcp_list_done(ngx_http_request_t *r,
    ngx_http_artifact_mcp_list_t *list)
{
    ngx_artifact_list_job_t  *job;

    job = &list->job;

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, r->connection->log, job->err,
                   "http artifact mcp listed: kind %d, %uz items, more:%d, "
                   "job %ui", job->kind, job->page.n, job->page.more,
                   list->jobs);

    if (job->err) {
        list->error = ngx_http_artifact_list_error(r, list->mcp->ctx, job);

        if (list->listing.kind != NGX_HTTP_ARTIFACT_MCP_RESOURCES
            || list->state != NGX_HTTP_ARTIFACT_MCP_LIST_FILES
            || (art_error_status(list->error) != NGX_HTTP_NOT_FOUND
                && art_error_status(list->error) != NGX_HTTP_FORBIDDEN))
        {
            return NGX_DECLINED;
        }

        /* the workspace is gone, or may not be read: others are listed */

        ngx_http_artifact_mcp_list_workspace(list);

        return NGX_OK;
    }

    if (list->state == NGX_HTTP_ARTIFACT_MCP_LIST_WORKSPACES) {
        return ngx_http_artifact_mcp_list_workspaces(r, list);
    }

    if (ngx_http_artifact_mcp_list_add(r, list) != NGX_OK) {
        return NGX_ERROR;
    }

    if (!job->page.more && !list->more) {

        if (list->listing.kind != NGX_HTTP_ARTIFACT_MCP_RESOURCES) {
            list->state = NGX_HTTP_ARTIFACT_MCP_LIST_END;
            return NGX_OK;
        }

        if (list->state == NGX_HTTP_ARTIFACT_MCP_LIST_ARTIFACTS) {
            list->position.part = NGX_HTTP_ARTIFACT_MCP_LIST_FILES;
            list->position.after = art_cstr("");
        }

        ngx_http_artifact_mcp_list_workspace(list);
    }

    if (list->count >= list->limit
        || list->bytes >= NGX_HTTP_ARTIFACT_MCP_PAGE_BYTES
        || list->jobs >= (list->chosen ? NGX_HTTP_ARTIFACT_MCP_VAIN_JOBS
                                       : NGX_HTTP_ARTIFACT_MCP_JOBS))
    {
        list->more = (list->state != NGX_HTTP_ARTIFACT_MCP_LIST_END);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_mcp_list_failed(ngx_http_request_t *r,
    ngx_http_artifact_mcp_list_t *list)
{
    art_mcp_error_t           failure;
    ngx_http_artifact_mcp_t  *mcp;

    mcp = list->mcp;

    if (list->listing.kind != NGX_HTTP_ARTIFACT_MCP_RESOURCES) {
        return ngx_http_artifact_mcp_tool_error(r, mcp, list->error,
                                          ngx_artifact_str(&mcp->ctx->given));
    }

    art_mcp_error_set(&failure, NGX_HTTP_OK, ART_RPC_INTERNAL,
                      "Internal error: the store cannot be listed",
                      art_str(NULL, 0));

    return ngx_http_artifact_mcp_error(r, mcp, &failure);
}


static ngx_int_t
ngx_http_artifact_mcp_list_workspaces(ngx_http_request_t *r,
    ngx_http_artifact_mcp_list_t *list)
{
    size_t                     i;
    u_char                    *p;
    art_str_t                 *workspace, name;
    ngx_artifact_list_item_t  *item;

    list->workspaces.nelts = 0;
    list->workspace = 0;
    list->last = !list->job.page.more;

    for (i = 0; i < list->job.page.n; i++) {
        item = list->job.page.items[i].data;
        name = ngx_artifact_list_name(&list->job, item);

        workspace = ngx_array_push(&list->workspaces);
        p = ngx_pnalloc(r->pool, name.len);

        if (workspace == NULL || p == NULL) {
            return NGX_ERROR;
        }

        ngx_memcpy(p, name.data, name.len);
        *workspace = art_str(p, name.len);
    }

    ngx_http_artifact_mcp_list_workspace(list);

    return NGX_OK;
}


/* The next workspace, if there is one. */

static void
ngx_http_artifact_mcp_list_workspace(ngx_http_artifact_mcp_list_t *list)
{
    art_str_t  *workspaces;

    workspaces = list->workspaces.elts;

    if (list->workspace < list->workspaces.nelts) {
        list->position.workspace = workspaces[list->workspace++];
        list->position.after = art_cstr("");
        list->state = NGX_HTTP_ARTIFACT_MCP_LIST_FILES;
        return;
    }

    list->state = list->last ? NGX_HTTP_ARTIFACT_MCP_LIST_END
                             : NGX_HTTP_ARTIFACT_MCP_LIST_WORKSPACES;
}


/* Adds the entries of a job to the page, as far as they are chosen and fit. */

static ngx_int_t
ngx_http_artifact_mcp_list_add(ngx_http_request_t *r,
    ngx_http_artifact_mcp_list_t *list)
{
    u_char                   *p;
    size_t                    n;
    art_str_t                 after;
    ngx_artifact_list_job_t  *job;

    job = &list->job;

    if (job->page.n == 0) {
        return NGX_OK;
    }

    n = ngx_http_artifact_mcp_list_choose(r, list);

    if (ngx_http_artifact_mcp_list_print(r, list, n, &list->entries) != NGX_OK
        || (list->listing.kind != NGX_HTTP_ARTIFACT_MCP_RESOURCES
            && ngx_http_artifact_mcp_list_print(r, list, n, &list->lines)
               != NGX_OK))
    {
        return NGX_ERROR;
    }

    /* that by which the page is ordered */

    after = ngx_artifact_list_after(job, n);

    p = ngx_pnalloc(r->pool, after.len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(p, after.data, after.len);
    list->position.after = art_str(p, after.len);

    list->more = n < job->page.n || (job->page.more && !list->chosen);

    return NGX_OK;
}


/*
 * Marks items that are not chosen as gone, and returns how many items there
 * are up to the last one that fits.
 */

static size_t
ngx_http_artifact_mcp_list_choose(ngx_http_request_t *r,
    ngx_http_artifact_mcp_list_t *list)
{
    size_t                           i;
    ngx_artifact_list_item_t        *item;
    ngx_http_artifact_list_entry_t   listed;

    for (i = 0; i < list->job.page.n && list->count < list->limit; i++) {
        item = list->job.page.items[i].data;

        if (item->detail->missing) {
            continue;
        }

        if (list->chosen) {
            ngx_http_artifact_list_entry(r, &list->job, item, &listed);

            if (!art_mcp_list_matches(&listed.entry, list->listing.scope[0],
                                      list->listing.scope[1]))
            {
                item->detail->missing = 1;
                continue;
            }
        }

        list->count++;
    }

    return i;
}


static ngx_int_t
ngx_http_artifact_mcp_list_print(ngx_http_request_t *r,
    ngx_http_artifact_mcp_list_t *list, size_t n, ngx_array_t *pieces)
{
    size_t                           i;
    art_out_t                        out;
    art_str_t                       *piece;
    art_lang_t                       lang;
    art_listing_t                    listing;
    art_json_put_t                   put;
    ngx_artifact_list_item_t        *item;
    ngx_http_artifact_list_entry_t   listed;

    lang = (art_lang_t) list->mcp->ctx->conf->language;

    listing.kind = list->job.kind;
    listing.workspace = ngx_artifact_str(&list->job.workspace);
    listing.path = ngx_artifact_str(&list->job.path);

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_json_put_init(&put, &out, 0);
        art_json_put_array(&put, NULL);

        for (i = 0; i < n; i++) {
            item = list->job.page.items[i].data;

            if (item->detail->missing) {
                continue;
            }

            ngx_http_artifact_list_entry(r, &list->job, item, &listed);

            if (pieces == &list->lines) {
                art_mcp_list_line(&out, &listing, &listed.entry, lang);

            } else if (list->listing.kind == NGX_HTTP_ARTIFACT_MCP_RESOURCES) {
                art_mcp_list_resource(&put, &listing, &listed.entry,
                                      art_str(listed.time, ART_TIME_LEN));

            } else {
                art_listing_entry(&put, &listing, &listed.entry);
            }
        }
    } while (ngx_http_artifact_print_again(r->pool, &out));

    piece = ngx_array_push(pieces);

    if (out.data == NULL || piece == NULL) {
        return NGX_ERROR;
    }

    /* without the bracket of the array */

    *piece = art_str(out.data + 1, out.len - 1);
    list->bytes += piece->len;

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_mcp_list_send(ngx_http_request_t *r,
    ngx_http_artifact_mcp_list_t *list)
{
    art_out_t        out;
    art_str_t        cursor, text, entries;
    art_listing_t    listing;
    art_mcp_cache_t  cache;

    cursor = art_str(NULL, 0);
    cache = list->listing.kind == NGX_HTTP_ARTIFACT_MCP_RESOURCES
            ? ART_MCP_PRIVATE : ART_MCP_UNCACHED;

    if (list->more) {
        ngx_memzero(&out, sizeof(art_out_t));

        do {
            art_mcp_cursor_print(&out, &list->listing, &list->position);
        } while (ngx_http_artifact_print_again(r->pool, &out));

        if (out.data == NULL) {
            return NGX_ERROR;
        }

        cursor = art_str(out.data, out.len);
    }

    if (ngx_http_artifact_mcp_list_join(r, list, &list->entries, cursor,
                                        &entries)
        != NGX_OK
        || ngx_http_artifact_mcp_list_join(r, list, &list->lines, cursor,
                                           &text)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    listing.kind = list->listing.kind == NGX_HTTP_ARTIFACT_MCP_FOLDER
                   ? ART_LISTING_FOLDER : ART_LISTING_ARTIFACTS;
    listing.workspace = list->listing.scope[0];
    listing.path = list->listing.scope[1];

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        if (cache == ART_MCP_PRIVATE) {
            art_mcp_list_resources(&out, entries, cursor);

        } else {
            art_mcp_list_result(&out, &listing, text, entries, list->count,
                                cursor);
        }
    } while (ngx_http_artifact_print_again(r->pool, &out));

    return ngx_http_artifact_mcp_result(r, list->mcp, cache, &out);
}


/* Joins pieces, and adds the end of the lines. */

static ngx_int_t
ngx_http_artifact_mcp_list_join(ngx_http_request_t *r,
    ngx_http_artifact_mcp_list_t *list, ngx_array_t *pieces, art_str_t cursor,
    art_str_t *joined)
{
    art_out_t   out;
    ngx_uint_t  i;
    art_str_t  *piece;

    piece = pieces->elts;

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        for (i = 0; i < pieces->nelts; i++) {

            if (out.len > 0 && piece[i].len > 0 && pieces == &list->entries) {
                art_out_char(&out, ',');
            }

            art_out_str(&out, piece[i]);
        }

        if (pieces == &list->lines) {
            art_mcp_list_end(&out, list->count, cursor,
                             (art_lang_t) list->mcp->ctx->conf->language);
        }
    } while (ngx_http_artifact_print_again(r->pool, &out));

    *joined = art_str(out.data, out.len);

    return out.data || pieces->nelts == 0 ? NGX_OK : NGX_ERROR;
}
