
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The Files APIs: which operation a request asks for, and its answer in the
 * shape of the API that was asked.  What is found on the disk is found in
 * threads, or in turns.
 */


#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_api.h"
#include "http/base/ngx_http_artifact_context.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_work.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/route/ngx_http_artifact_headers.h"
#include "http/serve/ngx_http_artifact_serve.h"
#include "http/source/ngx_http_artifact_source.h"
#include "http/write/ngx_http_artifact_form.h"
#include "http/write/ngx_http_artifact_origin.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/disk/ngx_artifact_task.h"
#include "store/files/ngx_artifact_files.h"
#include "core/answer/art_counters.h"
#include "core/files/art_file.h"
#include "core/json/art_json_put.h"
#include "core/ref/art_id.h"


typedef struct ngx_http_artifact_files_s  ngx_http_artifact_files_t;


/* The state of a request, or NULL. */

#define ngx_http_artifact_get_files(r)                                        \
    ((ngx_http_artifact_files_t *)                                            \
     ngx_http_get_module_ctx(r, ngx_http_artifact_files_module))


struct ngx_http_artifact_files_s {
    ngx_http_artifact_ctx_t           *ctx;
    art_file_api_t                     api;
    art_count_files_t                  operation;
    art_str_t                          given;    /* the file's id, as sent */
    u_char                             uuid[ART_UUID_LEN + 1];

    /* what is asked of the disk */

    ngx_artifact_files_t               job;
    ngx_artifact_task_t                task;
    ngx_http_artifact_turn_t           turn;
    art_file_query_t                  *query;
};


#define NGX_HTTP_ARTIFACT_FILES_READ  (NGX_HTTP_GET|NGX_HTTP_HEAD)


typedef ngx_int_t (*ngx_http_artifact_files_pt)(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files);


/* A method at a path: "" is the location, "id" below it, "content" below. */

typedef enum {
    NGX_HTTP_ARTIFACT_FILES_TOP = 0,
    NGX_HTTP_ARTIFACT_FILES_ID,
    NGX_HTTP_ARTIFACT_FILES_ID_CONTENT,
    NGX_HTTP_ARTIFACT_FILES_NOWHERE
} ngx_http_artifact_files_path_t;


typedef struct {
    ngx_http_artifact_files_path_t  path;
    ngx_uint_t                      methods;
    art_count_files_t               operation;
    ngx_http_artifact_files_pt      handler;
} ngx_http_artifact_files_route_t;


#define NGX_HTTP_ARTIFACT_FILES_ROUTES                                        \
    (sizeof(ngx_http_artifact_files_routes)                                   \
     / sizeof(ngx_http_artifact_files_route_t))


extern ngx_module_t  ngx_http_artifact_files_module;


static ngx_int_t ngx_http_artifact_files_error(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t error);
static ngx_int_t ngx_http_artifact_files_refuse(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files, const art_file_error_t *error);
static ngx_int_t ngx_http_artifact_files_object(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files, const art_file_t *file);
static ngx_int_t ngx_http_artifact_files(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_uint_t ngx_http_artifact_files_has(ngx_http_artifact_ctx_t *ctx);
static void ngx_http_artifact_files_log(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_uint_t status);
static ngx_http_artifact_files_t *ngx_http_artifact_files_create(
    ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx);
static ngx_http_artifact_files_path_t ngx_http_artifact_files_path(
    ngx_http_request_t *r, ngx_http_artifact_files_t *files);
static ngx_int_t ngx_http_artifact_files_method(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files, ngx_http_artifact_files_path_t path);
static ngx_int_t ngx_http_artifact_files_list(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files);
static ngx_int_t ngx_http_artifact_files_retrieve(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files);
static ngx_int_t ngx_http_artifact_files_content(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files);
static ngx_int_t ngx_http_artifact_files_delete(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files);
static ngx_int_t ngx_http_artifact_files_begin(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files);
static void ngx_http_artifact_files_again(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_files_run(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files);
static ngx_int_t ngx_http_artifact_files_answer(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files);
static ngx_int_t ngx_http_artifact_files_failed(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files);
static ngx_int_t ngx_http_artifact_files_page(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files);
static ngx_int_t ngx_http_artifact_files_too_large(
    ngx_http_request_t *r, art_out_t *out);
static ngx_int_t ngx_http_artifact_files_missing(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files, art_file_reason_t reason);
static ngx_int_t ngx_http_artifact_files_send(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files, ngx_uint_t status, art_out_t *out);
static ngx_int_t ngx_http_artifact_files_upload(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files);
static ngx_int_t ngx_http_artifact_files_upload_refuse(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form, const art_file_error_t *error);
static ngx_int_t ngx_http_artifact_files_upload_complete(
    ngx_http_request_t *r, ngx_http_artifact_form_t *form);
static ngx_int_t ngx_http_artifact_files_upload_answer(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form);


static const ngx_http_artifact_form_owner_t
    ngx_http_artifact_files_upload_owner =
{
    ngx_http_artifact_files_upload_refuse,
    ngx_http_artifact_files_upload_answer,
    ngx_http_artifact_files_upload_complete
};


static const ngx_http_artifact_files_route_t
    ngx_http_artifact_files_routes[] =
{
    { NGX_HTTP_ARTIFACT_FILES_TOP, NGX_HTTP_POST,
      ART_COUNT_FILES_UPLOAD, ngx_http_artifact_files_upload },

    { NGX_HTTP_ARTIFACT_FILES_TOP, NGX_HTTP_ARTIFACT_FILES_READ,
      ART_COUNT_FILES_LIST, ngx_http_artifact_files_list },

    { NGX_HTTP_ARTIFACT_FILES_ID, NGX_HTTP_ARTIFACT_FILES_READ,
      ART_COUNT_FILES_RETRIEVE, ngx_http_artifact_files_retrieve },

    { NGX_HTTP_ARTIFACT_FILES_ID, NGX_HTTP_DELETE,
      ART_COUNT_FILES_DELETE, ngx_http_artifact_files_delete },

    { NGX_HTTP_ARTIFACT_FILES_ID_CONTENT, NGX_HTTP_ARTIFACT_FILES_READ,
      ART_COUNT_FILES_CONTENT, ngx_http_artifact_files_content }
};


static const ngx_http_artifact_role_t  ngx_http_artifact_files_role = {
    .uri = NGX_HTTP_ARTIFACT_URI_NAME,
    .counter = ART_COUNT_BY_FILES,
    .handler = ngx_http_artifact_files,
    .has = ngx_http_artifact_files_has,
    .error = ngx_http_artifact_files_error,
    .too_large = ngx_http_artifact_files_too_large,
    .log = ngx_http_artifact_files_log,
    .vary = NGX_HTTP_ARTIFACT_FILES_HEADER,
    .asked = 1,
    .local = 1,
    .uploads = 1,
    .posts = 1,
    .raw = 1
};


static ngx_command_t  ngx_http_artifact_files_commands[] = {

    { ngx_string("artifact_files"),
      NGX_HTTP_LOC_CONF|NGX_CONF_NOARGS,
      ngx_http_artifact_set_role,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      (void *) &ngx_http_artifact_files_role },

      ngx_null_command
};


static ngx_http_module_t  ngx_http_artifact_files_module_ctx = {
    .preconfiguration = NULL
};


ngx_module_t  ngx_http_artifact_files_module =
    NGX_HTTP_ARTIFACT_MODULE(&ngx_http_artifact_files_module_ctx,
                             ngx_http_artifact_files_commands);


static ngx_int_t
ngx_http_artifact_files(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx)
{
    ngx_uint_t                              i;
    ngx_http_artifact_files_t              *files;
    ngx_http_artifact_files_path_t          path;
    const ngx_http_artifact_files_route_t  *route;

    files = ngx_http_artifact_files_create(r, ctx);
    if (files == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    path = ngx_http_artifact_files_path(r, files);

    for (i = 0; i < NGX_HTTP_ARTIFACT_FILES_ROUTES; i++) {
        route = &ngx_http_artifact_files_routes[i];

        if (route->path == path && (r->method & route->methods)) {

            ngx_log_debug3(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                           "http artifact files: operation %ud, API %ud \"%V\"",
                           route->operation, files->api, &ctx->given);

            files->operation = route->operation;

            return path == NGX_HTTP_ARTIFACT_FILES_TOP || files->uuid[0]
                   ? route->handler(r, files)
                   : ngx_http_artifact_files_missing(r, files,
                                                     ART_FILE_MISSING);
        }
    }

    return ngx_http_artifact_files_method(r, files, path);
}


static ngx_http_artifact_files_t *
ngx_http_artifact_files_create(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_pool_cleanup_t         *cln;
    ngx_http_artifact_files_t  *files;

    files = ngx_pcalloc(r->pool, sizeof(ngx_http_artifact_files_t));
    if (files == NULL) {
        return NULL;
    }

    cln = ngx_pool_cleanup_add(r->pool, 0);

    if (cln == NULL
        || ngx_http_artifact_turn_init(&files->turn, r) != NGX_OK)
    {
        return NULL;
    }

    cln->handler = ngx_artifact_files_close;
    cln->data = &files->job;

    files->ctx = ctx;
    files->operation = ART_COUNT_FILES_OTHER;
    files->api = ngx_http_artifact_file_api(r);

    ngx_http_set_ctx(r, files, ngx_http_artifact_files_module);

    return files;
}


/* Sets files->uuid, if the path has an id that may be a file's. */

static ngx_http_artifact_files_path_t
ngx_http_artifact_files_path(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files)
{
    art_str_t                       below;
    ngx_http_artifact_files_path_t  path;

    static ngx_str_t  content = ngx_string("/content");

    below = ngx_artifact_str(&files->ctx->given);

    if (below.data == NULL) {
        files->given = ngx_artifact_str(&r->uri);
        return NGX_HTTP_ARTIFACT_FILES_NOWHERE;
    }

    if (below.len == 0) {
        return NGX_HTTP_ARTIFACT_FILES_TOP;
    }

    path = NGX_HTTP_ARTIFACT_FILES_ID;

    if (below.len > content.len
        && ngx_memcmp(below.data + below.len - content.len, content.data,
                      content.len)
           == 0)
    {
        below.len -= content.len;
        path = NGX_HTTP_ARTIFACT_FILES_ID_CONTENT;
    }

    if (ngx_strlchr((u_char *) below.data, (u_char *) below.data + below.len,
                    '/'))
    {
        files->given = ngx_artifact_str(&r->uri);
        return NGX_HTTP_ARTIFACT_FILES_NOWHERE;
    }

    files->given = below;

    if (!art_id_from_file(below, files->uuid)) {
        files->uuid[0] = '\0';
    }

    return path;
}


/* No operation: another method would be one, or the path is unknown. */

static ngx_int_t
ngx_http_artifact_files_method(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files, ngx_http_artifact_files_path_t path)
{
    art_file_error_t  error;

    static ngx_str_t  allow[] = {
        ngx_string("GET, HEAD, POST"),
        ngx_string("GET, HEAD, DELETE"),
        ngx_string("GET, HEAD")
    };

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact files: no %V of path %d",
                   &r->method_name, path);

    ngx_memzero(&error, sizeof(art_file_error_t));

    if (path == NGX_HTTP_ARTIFACT_FILES_NOWHERE) {
        error.reason = ART_FILE_URL;
        error.detail = files->given;

    } else {
        error.reason = ART_FILE_METHOD;
        error.detail = ngx_artifact_str(&r->method_name);

        if (ngx_http_artifact_add_header(r, "Allow", &allow[path]) != NGX_OK) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }
    }

    return ngx_http_artifact_files_refuse(r, files, &error);
}


static ngx_int_t
ngx_http_artifact_files_list(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files)
{
    art_file_error_t  error;

    files->query = ngx_palloc(r->pool, sizeof(art_file_query_t));
    if (files->query == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (art_file_query_parse(files->query, files->api,
                             ngx_artifact_str(&r->args), &error)
        != ART_OK)
    {
        return ngx_http_artifact_files_refuse(r, files, &error);
    }

    files->job.query = files->query;

    return ngx_http_artifact_files_begin(r, files);
}


static ngx_int_t
ngx_http_artifact_files_retrieve(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files)
{
    return ngx_http_artifact_files_begin(r, files);
}


static ngx_int_t
ngx_http_artifact_files_delete(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files)
{
    files->job.remove = 1;

    return ngx_http_artifact_files_begin(r, files);
}


static ngx_int_t
ngx_http_artifact_files_content(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files)
{
    ngx_http_artifact_ctx_t  *ctx;

    ctx = files->ctx;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact files: content of \"%*s\"",
                   (size_t) ART_UUID_LEN, files->uuid);

    ngx_memzero(&ctx->ref, sizeof(art_ref_t));

    ctx->ref.kind = ART_ID_REGULAR;
    ctx->ref.id = art_str(files->uuid, ART_UUID_LEN);
    ctx->status = ART_ID_OK;
    ctx->bad = 0;

    return ngx_http_artifact_serve_open(r, ctx);
}


static ngx_uint_t
ngx_http_artifact_files_has(ngx_http_artifact_ctx_t *ctx)
{
    art_str_t  purpose;

    return ngx_artifact_files_is(ctx->source->meta.extra, &purpose);
}


static ngx_int_t
ngx_http_artifact_files_begin(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files)
{
    ngx_int_t              rc;
    ngx_str_t              root;
    ngx_artifact_files_t  *job;

    rc = ngx_http_artifact_discard_body(r);

    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_http_artifact_root(r, files->ctx, &root);

    if (rc == NGX_DECLINED) {
        return ngx_http_artifact_files_error(r, files->ctx, ART_ERR_READ);
    }

    if (rc != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    job = &files->job;

    job->root = ngx_artifact_str(&root);
    job->layout = ngx_http_artifact_layout(files->ctx->conf);

    ngx_memcpy(job->id, files->uuid, sizeof(job->id));

    job->again = 1;

    /* what was begun is removed even if the client leaves */

    if (!job->remove) {
        ngx_http_artifact_request_watch(r);
    }

    rc = ngx_http_artifact_files_run(r, files);

    if (rc == NGX_AGAIN) {
        r->main->count++;
        return NGX_DONE;
    }

    return rc;
}


/* What the request is finalized with, or NGX_AGAIN: it is called again. */

static ngx_int_t
ngx_http_artifact_files_run(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files)
{
    r->write_event_handler = ngx_http_artifact_files_again;

    while (files->job.again) {

        if (files->query
            && ngx_http_artifact_turn_enter(&files->turn, r) == NGX_AGAIN)
        {
            return NGX_AGAIN;
        }

        if (ngx_http_artifact_request_turn(r, &files->turn, &files->task,
                                           ngx_artifact_files_run,
                                           &files->job)
            == NGX_AGAIN)
        {
            return NGX_AGAIN;
        }
    }

    ngx_http_artifact_turn_leave(&files->turn);

    r->write_event_handler = ngx_http_request_empty_handler;

    return ngx_http_artifact_files_answer(r, files);
}


static void
ngx_http_artifact_files_again(ngx_http_request_t *r)
{
    ngx_int_t  rc;

    if (r->aio) {
        return;
    }

    rc = ngx_http_artifact_files_run(r, ngx_http_artifact_get_files(r));

    if (rc != NGX_AGAIN) {
        ngx_http_artifact_finish(r, rc);
    }
}


static ngx_int_t
ngx_http_artifact_files_answer(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files)
{
    art_out_t              out;
    ngx_artifact_files_t  *job;

    job = &files->job;

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, r->connection->log, job->err,
                   "http artifact files: %uz found, more:%d removed:%d err:%d",
                   job->n, job->more, job->removed, job->err);

    if (job->removed) {

        /* other workers may have it open */

        (void) ngx_atomic_fetch_add(ngx_http_artifact_generation(r,
                                                        art_cstr(job->id)),
                                    1);
    }

    if (job->err) {
        return ngx_http_artifact_files_failed(r, files);
    }

    if (job->query) {
        return ngx_http_artifact_files_page(r, files);
    }

    if (job->n == 0) {
        return ngx_http_artifact_files_missing(r, files,
                                               job->expired ? ART_FILE_EXPIRED
                                                            : ART_FILE_MISSING);
    }

    if (!job->remove) {
        return ngx_http_artifact_files_object(r, files, &job->items[0].file);
    }

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_file_print_deleted(&out, files->api, art_cstr(job->id));
    } while (ngx_http_artifact_print_again(r->pool, &out));

    return ngx_http_artifact_files_send(r, files, NGX_HTTP_OK, &out);
}


/* The disk has failed; a tenant without a root has no files. */

static ngx_int_t
ngx_http_artifact_files_failed(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files)
{
    ngx_str_t              root;
    ngx_artifact_files_t  *job;

    job = &files->job;

    root.data = (u_char *) job->root.data;
    root.len = job->root.len;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, job->err,
                   "http artifact files: root missing %d, query %d",
                   job->rootless, job->query != NULL);

    if (job->rootless) {
        ngx_set_errno(job->err);

        if (ngx_http_artifact_rootless(r, files->ctx, &root)) {
            return ngx_http_artifact_files_error(r, files->ctx, ART_ERR_READ);
        }

        return job->query ? ngx_http_artifact_files_page(r, files)
                          : ngx_http_artifact_files_missing(r, files,
                                                            ART_FILE_MISSING);
    }

    ngx_log_error(NGX_LOG_CRIT, r->connection->log, job->err,
                  "%s of files below \"%V\" failed", job->action, &root);

    /* "root" was logged */

    ngx_str_null(&root);

    return ngx_http_artifact_files_error(r, files->ctx,
                          ngx_http_artifact_open_error(r, job->err, 1, &root));
}


static ngx_int_t
ngx_http_artifact_files_page(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files)
{
    size_t                 i;
    art_out_t              out;
    art_file_t            *page;
    ngx_artifact_files_t  *job;

    job = &files->job;

    page = ngx_palloc(r->pool, (job->n + 1) * sizeof(art_file_t));
    if (page == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    for (i = 0; i < job->n; i++) {
        page[i] = job->items[i].file;
    }

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_file_print_list(&out, files->api, page, job->n, job->more);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    return ngx_http_artifact_files_send(r, files, NGX_HTTP_OK, &out);
}


static void
ngx_http_artifact_files_log(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_uint_t status)
{
    unsigned                    at[2];
    ngx_http_artifact_files_t  *files;

    files = ngx_http_artifact_get_files(r);

    if (files == NULL) {
        return;
    }

    at[0] = files->operation;

    if (status < NGX_HTTP_BAD_REQUEST) {
        at[1] = ART_COUNT_FILES_DONE;

    } else if (status < NGX_HTTP_INTERNAL_SERVER_ERROR) {
        at[1] = ART_COUNT_FILES_REFUSED;

    } else {
        at[1] = ART_COUNT_FILES_FAILED;
    }

    ngx_http_artifact_count(ART_COUNT_FILES, at, 1);
}


static ngx_int_t
ngx_http_artifact_files_error(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t error)
{
    art_file_reason_t  reason;

    reason = error == ART_ERR_NOT_FOUND && ctx->expired
             ? ART_FILE_EXPIRED : art_file_error_of(error);

    return ngx_http_artifact_files_missing(r, ngx_http_artifact_get_files(r),
                                           reason);
}


/* A body that nginx itself has refused. */

static ngx_int_t
ngx_http_artifact_files_too_large(ngx_http_request_t *r, art_out_t *out)
{
    art_file_error_t  error;

    ngx_memzero(&error, sizeof(art_file_error_t));
    ngx_memzero(out, sizeof(art_out_t));

    error.reason = ART_FILE_TOO_LARGE;

    do {
        art_file_error_print(out, ngx_http_artifact_file_api(r), &error);
    } while (ngx_http_artifact_print_again(r->pool, out));

    return out->data ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_http_artifact_files_missing(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files, art_file_reason_t reason)
{
    art_file_error_t  error;

    ngx_memzero(&error, sizeof(art_file_error_t));

    error.reason = reason;
    error.detail = files->given;

    return ngx_http_artifact_files_refuse(r, files, &error);
}


static ngx_int_t
ngx_http_artifact_files_refuse(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files, const art_file_error_t *error)
{
    art_out_t   out;
    ngx_uint_t  status;

    status = art_file_error_status(error->reason);

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact files: reason %ud, status %ui",
                   error->reason, status);

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_file_error_print(&out, files->api, error);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    return ngx_http_artifact_files_send(r, files, status, &out);
}


static ngx_int_t
ngx_http_artifact_files_object(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files, const art_file_t *file)
{
    art_out_t  out;

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact files: an object of API %d",
                   files->api);

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_file_print(&out, files->api, file);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    return ngx_http_artifact_files_send(r, files, NGX_HTTP_OK, &out);
}


static ngx_int_t
ngx_http_artifact_files_send(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files, ngx_uint_t status, art_out_t *out)
{
    /* it is in the shape of the API that the header names */

    if (ngx_http_artifact_vary(r, NGX_HTTP_ARTIFACT_FILES_HEADER) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    /* an object is never "not modified" */

    r->disable_not_modified = 1;

    return ngx_http_artifact_send_json(r, files->ctx, status, out);
}


/* POST: a form with a file, and what may stand beside it. */

static ngx_int_t
ngx_http_artifact_files_upload(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files)
{
    ngx_int_t  rc;

    /* a subrequest has the body of its parent */

    if (r != r->main) {
        return ngx_http_artifact_files_error(r, files->ctx, ART_ERR_METHOD);
    }

    /* any page may send a form to any server */

    rc = ngx_http_artifact_check_request_origin(r, files->ctx->conf);

    if (rc == NGX_DECLINED) {
        return ngx_http_artifact_files_error(r, files->ctx,
                                             ART_ERR_PERMISSION);
    }

    if (rc != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return ngx_http_artifact_form_upload(r, files->ctx,
                                    &ngx_http_artifact_files_upload_owner, 0);
}


static ngx_int_t
ngx_http_artifact_files_upload_refuse(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form, const art_file_error_t *error)
{
    return ngx_http_artifact_files_refuse(r, ngx_http_artifact_get_files(r),
                                          error);
}


/* The purpose. */

static ngx_int_t
ngx_http_artifact_files_upload_complete(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form)
{
    art_out_t       out;
    art_str_t       purpose;
    art_json_put_t  put;

    purpose = form->fields.purpose.len ? form->fields.purpose
                                       : art_cstr(ART_FILE_PURPOSE);

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_json_put_init(&put, &out, 0);
        art_json_put_object(&put, NULL);
        art_json_put_string(&put, NGX_ARTIFACT_FILES_PURPOSE, purpose);
        art_json_put_end(&put);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    form->write->job.upload = art_str(out.data, out.len);

    return out.data ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_http_artifact_files_upload_answer(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form)
{
    art_file_t                  file;
    art_media_type_t            type;
    ngx_artifact_write_job_t   *job;
    ngx_http_artifact_files_t  *files;

    job = &form->write->job;
    files = ngx_http_artifact_get_files(r);

    ngx_http_artifact_write_ended(r, form->write);

    if (job->error != ART_ERR_MAX) {
        return ngx_http_artifact_files_error(r, files->ctx, job->error);
    }

    art_media_parse(job->mime, &type);

    ngx_http_artifact_count(ART_COUNT_WRITTEN, NULL, (uint64_t) job->size);

    ngx_memzero(&file, sizeof(art_file_t));

    file.id = art_cstr(job->id);
    file.name = job->path;
    file.type = art_str(type.buf, type.len);
    file.purpose = form->fields.purpose;
    file.size = (uint64_t) job->size;
    file.created = job->time;
    file.expires = job->expires;

    return ngx_http_artifact_files_object(r, files, &file);
}
