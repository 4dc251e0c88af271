
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Contents of the data root as sources; they are opened here.  The layout is:
 *
 *     artifacts/{id}{extension}           artifacts/{id}.meta
 *     workspaces/{workspace}/{path}       workspaces/{workspace}.meta.json
 *
 * or, with "artifact_layout", artifacts/ab/cd/{id}{extension} and so on.
 *
 * Any response as a source: what its headers say and, if that is not enough,
 * its first bytes, for which the header waits.
 */


#include "http/source/ngx_http_artifact_source.h"
#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_context.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_work.h"
#include "http/source/ngx_http_artifact_classify.h"
#include "http/source/ngx_http_artifact_open_cache.h"
#include "store/disk/ngx_artifact_absent.h"
#include "store/disk/ngx_artifact_beneath.h"
#include "store/disk/ngx_artifact_layout.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/files/ngx_artifact_files.h"
#include "store/upkeep/ngx_artifact_upkeep.h"
#include "core/base/art_time.h"
#include "core/ref/art_ref_file.h"
#include "core/text/art_utf8.h"
#include "core/answer/art_headers.h"

#include <zlib.h>


typedef struct {
    ngx_fd_t                     folder;     /* artifacts or workspaces */
    ngx_fd_t                     workspace;
} ngx_http_artifact_folders_t;


/* The files of a regular id, as paths beneath artifacts/. */

#define NGX_HTTP_ARTIFACT_FILE  (ART_REF_LAYOUT_PLACE + ART_REF_FILE_NAME)

typedef struct {
    ngx_artifact_subfolder_t     sub;
    ngx_uint_t                   attempt;    /* ngx_artifact_subfolder_try() */
    ngx_uint_t                   bare;       /* there was no sidecar */
    ngx_str_t                    meta;
    ngx_str_t                    name;       /* of the content opened last */
} ngx_http_artifact_paths_t;


static ngx_int_t ngx_http_artifact_open_done(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_int_t rc, ngx_err_t err,
    ngx_uint_t bound);
static ngx_int_t ngx_http_artifact_open_result(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_int_t rc, ngx_err_t err,
    ngx_uint_t bound, art_error_t *error);
static void ngx_http_artifact_open_expired(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_str_t *name);
static ngx_int_t ngx_http_artifact_open_name(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_str_t *name);
static ngx_int_t ngx_http_artifact_open_root(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_folders_t *folders);
static ngx_int_t ngx_http_artifact_open_regular(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_folders_t *folders);
static ngx_uint_t ngx_http_artifact_open_hides(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_open_subfolder(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_folders_t *folders,
    ngx_http_artifact_paths_t *files);
static ngx_int_t ngx_http_artifact_open_guess(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_folders_t *folders,
    ngx_http_artifact_paths_t *files);
static ngx_uint_t ngx_http_artifact_open_absent(ngx_http_artifact_ctx_t *ctx,
    ngx_http_artifact_folders_t *folders, ngx_http_artifact_paths_t *files);
static ngx_int_t ngx_http_artifact_open_candidate(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_folders_t *folders,
    art_str_t extension, ngx_http_artifact_paths_t *files);
static ngx_uint_t ngx_http_artifact_open_moved(
    ngx_http_artifact_folders_t *folders, ngx_http_artifact_paths_t *files);
static ngx_int_t ngx_http_artifact_open_workspace(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_folders_t *folders);
static ngx_int_t ngx_http_artifact_open_path(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_fd_t folder, ngx_str_t *name);
static void ngx_http_artifact_response_validators(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);
static ngx_int_t ngx_http_artifact_response_type(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);
static void ngx_http_artifact_response_ref(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_source_t *source);
static ngx_int_t ngx_http_artifact_want_head(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_response_name(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);


ngx_int_t
ngx_http_artifact_open_source(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t *error)
{
    ngx_err_t                    err;
    ngx_int_t                    rc;
    ngx_uint_t                   bound;
    ngx_http_artifact_source_t  *source;
    ngx_http_artifact_folders_t  folders;

    source = ngx_pcalloc(r->pool, sizeof(ngx_http_artifact_source_t));
    if (source == NULL) {
        return NGX_ERROR;
    }

    source->local = 1;
    source->file.fd = NGX_INVALID_FILE;
    source->file.log = r->connection->log;

    ctx->source = source;
    ctx->expired_at = 0;
    ctx->hidden = 0;
    ctx->reader = NULL;          /* its variables may have changed */

    rc = ngx_http_artifact_open_cache_get(r, ctx, &err, &bound);

    if (rc == NGX_BUSY) {
        rc = ngx_http_artifact_open_root(r, ctx, &folders);

        if (rc == NGX_OK) {
            rc = ctx->ref.kind == ART_ID_WORKSPACE
                 ? ngx_http_artifact_open_workspace(r, ctx, &folders)
                 : ngx_http_artifact_open_regular(r, ctx, &folders);
        }

        err = (rc == NGX_DECLINED) ? ngx_errno : 0;
        bound = (folders.workspace != NGX_INVALID_FILE);

        ngx_artifact_close(&folders.workspace);
        ngx_artifact_close(&folders.folder);

        rc = ngx_http_artifact_open_done(r, ctx, rc, err, bound);
    }

    return ngx_http_artifact_open_result(r, ctx, rc, err, bound, error);
}


ngx_int_t
ngx_http_artifact_open_source_again(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t *error)
{
    ngx_int_t  rc;

    rc = ngx_http_artifact_read_entry_again(r, ctx);
    rc = ngx_http_artifact_open_done(r, ctx, rc, 0, 1);

    return ngx_http_artifact_open_result(r, ctx, rc, 0, 1, error);
}


/* Called after NGX_OK, or NGX_DECLINED with "err" and "bound". */

static ngx_int_t
ngx_http_artifact_open_done(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx,
    ngx_int_t rc, ngx_err_t err, ngx_uint_t bound)
{
    ngx_http_artifact_source_t  *source;

    if (rc == NGX_OK) {
        source = ctx->source;

        source->id = ctx->ref.id;
        source->size = ngx_file_size(&source->info);

        if (ctx->standin.len > 0) {
            source->last_name.data = (u_char *) ctx->ref.id.data;
            source->last_name.len = ctx->ref.id.len;
        }

        rc = ngx_http_artifact_set_name(r, source);
    }

    if (rc == NGX_OK || (rc == NGX_DECLINED && !ctx->rootless)) {
        ngx_http_artifact_open_cache_put(r, ctx, err, bound);
    }

    return rc;
}


static ngx_int_t
ngx_http_artifact_open_result(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_int_t rc, ngx_err_t err,
    ngx_uint_t bound, art_error_t *error)
{
    ngx_str_t  name;

    if (rc == NGX_OK) {
        ctx->source->workspace = ctx->ref.workspace;
        ctx->source->path = ctx->ref.path;

        ngx_log_debug3(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                       "http artifact open: \"%V\", %O bytes, fd:%d",
                       ngx_http_artifact_shown(ctx, &ctx->source->file.name),
                       ctx->source->size, ctx->source->file.fd);
    }

    if (rc == NGX_OK || rc == NGX_AGAIN) {
        return rc;
    }

    if (rc == NGX_DECLINED) {

        /* what is wrong with the root has been logged */

        ngx_str_null(&name);

        if (!ctx->rootless
            && ngx_http_artifact_open_name(r, ctx, &name) != NGX_OK)
        {
            return NGX_ERROR;
        }

        ngx_log_debug4(NGX_LOG_DEBUG_HTTP, r->connection->log, err,
                       "http artifact open: no \"%*s\", workspace:%ui err:%d",
                       ctx->ref.id.len, ctx->ref.id.data, bound, (int) err);

        /* only a path names a workspace, which may itself be missing */

        bound = bound || !ngx_http_artifact_has_paths(ctx->conf);

        /* who has asked for a stand-in's logs that it is missing */

        if ((ctx->standin.len > 0 && ngx_artifact_is_missing(err))
            || ctx->hidden)
        {
            ngx_str_null(&name);

        } else if (ctx->expired_at) {
            ngx_http_artifact_open_expired(r, ctx, &name);
            ngx_str_null(&name);
        }

        *error = ngx_http_artifact_open_error(r, err, bound, &name);
    }

    ctx->source = NULL;

    return rc;
}


static void
ngx_http_artifact_open_expired(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_str_t *name)
{
    u_char  time[ART_TIME_LEN];

    art_time_print(time, ctx->expired_at);

    ngx_log_error(ngx_http_artifact_absent_level(r), r->connection->log, 0,
                  "artifact \"%V\" expired at %*s", name, sizeof(time), time);
}


/*
 * The path of the content, as far as it is known, in one line: a client can
 * write control characters into it.
 */

static ngx_int_t
ngx_http_artifact_open_name(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_str_t *name)
{
    art_out_t    out;
    art_str_t    root, last;
    ngx_int_t    rc;
    ngx_str_t   *known;

    known = &ctx->source->root;

    if (known->len == 0) {
        rc = ngx_http_artifact_root(r, ctx, known);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    root = ngx_artifact_str(known);

    while (root.len > 0 && root.data[root.len - 1] == '/') {
        root.len--;
    }

    if (ctx->source->file.name.len > 0) {
        last = ngx_artifact_str(&ctx->source->file.name);

    } else if (ctx->ref.kind == ART_ID_WORKSPACE) {
        last = ctx->ref.path;

    } else {
        last = ngx_http_artifact_stored_id(ctx);
    }

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_out_str(&out, root);

        if (ctx->ref.kind == ART_ID_WORKSPACE) {
            art_out_cstr(&out, "/workspaces/");
            art_utf8_name(&out, ctx->ref.workspace);
            art_out_char(&out, '/');

        } else {
            art_out_cstr(&out, "/artifacts/");
        }

        art_utf8_name(&out, last);
        art_out_char(&out, '\0');
    } while (ngx_http_artifact_print_again(r->pool, &out));

    if (out.data == NULL) {
        return NGX_ERROR;
    }

    name->data = out.data;
    name->len = out.len - 1;

    return NGX_OK;
}


/*
 * Opens the folders above the content.  If this or one of the following
 * functions returns NGX_DECLINED, errno is the reason.
 */

static ngx_int_t
ngx_http_artifact_open_root(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_folders_t *folders)
{
    ngx_fd_t     fd;
    ngx_int_t    rc;
    ngx_str_t    root;
    const char  *name;

    folders->folder = NGX_INVALID_FILE;
    folders->workspace = NGX_INVALID_FILE;

    rc = ngx_http_artifact_root(r, ctx, &root);

    ctx->rootless = (rc == NGX_DECLINED);

    if (rc != NGX_OK) {
        return rc;
    }

    ctx->source->root = root;

    fd = open((char *) root.data, O_PATH|O_DIRECTORY|O_CLOEXEC);

    if (fd == NGX_INVALID_FILE) {
        ctx->rootless = ngx_http_artifact_rootless(r, ctx, &root) & 1;
        return NGX_DECLINED;
    }

    name = ctx->ref.kind == ART_ID_WORKSPACE ? "workspaces" : "artifacts";

    folders->folder = ngx_artifact_openat(fd, name, O_PATH|O_DIRECTORY, 0);

    ngx_artifact_close(&fd);

    return folders->folder == NGX_INVALID_FILE ? NGX_DECLINED : NGX_OK;
}


/* Tries one sub-folder after the other until the artifact is found. */

static ngx_int_t
ngx_http_artifact_open_regular(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_folders_t *folders)
{
    ngx_int_t                     rc;
    ngx_http_artifact_paths_t     files;
    const ngx_artifact_layout_t  *layout;

    files.meta.data = ngx_pnalloc(r->pool, 2 * NGX_HTTP_ARTIFACT_FILE);
    if (files.meta.data == NULL) {
        return NGX_ERROR;
    }

    files.name.data = files.meta.data + NGX_HTTP_ARTIFACT_FILE;

    layout = ngx_http_artifact_layout(ctx->conf);
    rc = NGX_DECLINED;

    for (files.attempt = 0;
         ngx_artifact_subfolder_try(layout, files.attempt,
                                    ngx_http_artifact_stored_id(ctx),
                                    &files.sub);
         files.attempt++)
    {
        rc = ngx_http_artifact_open_subfolder(r, ctx, folders, &files);

        if (rc != NGX_DECLINED || !ngx_artifact_is_missing(ngx_errno)) {
            break;
        }
    }

    return rc;
}


/*
 * Whether what is there is not for this request: nobody else may learn that a
 * stand-in leads to it, and a stand-in leads to nothing else.
 */

static ngx_uint_t
ngx_http_artifact_open_hides(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    unsigned  hides;

    hides = art_meta_is_standin(&ctx->source->meta) & 1;

    if (hides == (ctx->standin.len > 0)) {
        return 0;
    }

    ctx->hidden |= hides;

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact open: %s",
                   hides ? "only a stand-in leads there"
                         : "not what a stand-in leads to");
    return 1;
}


static ngx_int_t
ngx_http_artifact_open_subfolder(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_folders_t *folders,
    ngx_http_artifact_paths_t *files)
{
    u_char     *p;
    ngx_int_t   rc;
    art_str_t   id, extension, purpose;

    id = ngx_http_artifact_stored_id(ctx);

    p = ngx_cpymem(files->meta.data, files->sub.path, files->sub.len);
    p = ngx_cpymem(p, id.data, id.len);
    p = ngx_cpymem(p, ".meta", sizeof(".meta"));

    files->meta.len = (size_t) (p - files->meta.data) - 1;

    ngx_memzero(&ctx->source->meta, sizeof(art_meta_t));

    rc = ngx_http_artifact_read_meta(r, ctx, folders->folder, &files->meta);

    if (rc == NGX_ERROR) {
        return rc;
    }

    files->bare = (rc == NGX_DECLINED);

    if (ctx->source->meta.until) {

        /* after a restart a root made of variables is not known otherwise */

        ngx_artifact_expire(ngx_artifact_str(&ctx->source->root),
                            ngx_http_artifact_task_pool(r), 0);
    }

    if (ngx_http_artifact_open_hides(r, ctx)) {
        ngx_set_errno(NGX_ENOENT);
        return NGX_DECLINED;
    }

    if (art_meta_expired(&ctx->source->meta, ngx_http_artifact_now())) {
        ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                       "http artifact open: \"%V\" has expired",
                       ngx_http_artifact_shown(ctx, &files->meta));

        ctx->expired_at = ctx->source->meta.until;
        ctx->expired = ngx_artifact_files_is(ctx->source->meta.extra, &purpose)
                       & 1;

        ngx_set_errno(NGX_ENOENT);
        return NGX_DECLINED;
    }

    extension = ctx->source->meta.extension;

    if (extension.data) {
        return ngx_http_artifact_open_candidate(r, ctx, folders, extension,
                                                files);
    }

    return ngx_http_artifact_open_guess(r, ctx, folders, files);
}


/*
 * If the metadata have no extension, all known ones are tried by fstatat(),
 * which is faster than openat() for files that do not exist.
 */

static ngx_int_t
ngx_http_artifact_open_guess(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_folders_t *folders,
    ngx_http_artifact_paths_t *files)
{
    ngx_int_t             rc;
    art_str_t             extension;
    art_ref_file_guess_t  guess;

    rc = NGX_DECLINED;

    /* the name for the log, without an extension */

    ctx->source->file.name.data = files->meta.data;
    ctx->source->file.name.len = files->meta.len - (sizeof(".meta") - 1);

    if (ngx_http_artifact_open_absent(ctx, folders, files)) {
        ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                       "http artifact open: no name in \"%s\" for attempt %ui",
                       files->sub.path, files->attempt);

        ngx_set_errno(ENOENT);
        return rc;
    }

    ngx_set_errno(ENOENT);
    ngx_memzero(&guess, sizeof(art_ref_file_guess_t));

    while (rc == NGX_DECLINED && ngx_artifact_is_missing(ngx_errno)
           && art_ref_file_guess(&guess, &extension))
    {
        rc = ngx_http_artifact_open_candidate(r, ctx, folders, extension,
                                              files);
    }

    return rc;
}


/* Whether the sub-folder certainly has no content with the id. */

static ngx_uint_t
ngx_http_artifact_open_absent(ngx_http_artifact_ctx_t *ctx,
    ngx_http_artifact_folders_t *folders, ngx_http_artifact_paths_t *files)
{
    ngx_fd_t    fd;
    ngx_uint_t  absent;

    if (files->sub.len == 0) {
        return ngx_artifact_absent(folders->folder,
                                   ngx_http_artifact_stored_id(ctx));
    }

    fd = ngx_artifact_openat(folders->folder, (char *) files->sub.path,
                             O_PATH|O_DIRECTORY, 1);

    if (fd == NGX_INVALID_FILE) {
        return ngx_artifact_is_missing(ngx_errno);
    }

    /* in a sub-folder that was tried before, only new files count */

    absent = (files->attempt > 1 && ngx_artifact_absent_quiet(fd))
             || ngx_artifact_absent(fd, ngx_http_artifact_stored_id(ctx));

    ngx_artifact_close(&fd);

    return absent;
}


static ngx_int_t
ngx_http_artifact_open_candidate(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_folders_t *folders,
    art_str_t extension, ngx_http_artifact_paths_t *files)
{
    u_char           *p;
    size_t            len;
    ngx_file_info_t   info;

    p = ngx_cpymem(files->name.data, files->sub.path, files->sub.len);
    len = art_ref_file_name(p, ngx_http_artifact_stored_id(ctx), extension);

    if (len == 0) {
        ngx_set_errno(ENOENT);
        return NGX_DECLINED;
    }

    files->name.len = files->sub.len + len;

    if (ctx->source->meta.extension.data == NULL
        && (fstatat(folders->folder, (char *) files->name.data, &info,
                    AT_SYMLINK_NOFOLLOW)
            == -1
            || ngx_http_artifact_open_moved(folders, files)))
    {
        return NGX_DECLINED;
    }

    return ngx_http_artifact_open_path(r, ctx, folders->folder, &files->name);
}


/*
 * Whether a content was moved here after its sidecar was not found: the sidecar
 * was moved first, and is found when the sub-folder is tried again.
 */

static ngx_uint_t
ngx_http_artifact_open_moved(ngx_http_artifact_folders_t *folders,
    ngx_http_artifact_paths_t *files)
{
    ngx_file_info_t  info;

    if (!files->bare
        || fstatat(folders->folder, (char *) files->meta.data, &info,
                   AT_SYMLINK_NOFOLLOW)
           == -1)
    {
        return 0;
    }

    ngx_set_errno(ENOENT);

    return 1;
}


static ngx_int_t
ngx_http_artifact_open_workspace(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_folders_t *folders)
{
    ngx_int_t  rc;
    ngx_str_t  name;

    if (ngx_http_artifact_is_control(&ctx->ref)) {
        ngx_set_errno(ENOENT);
        return NGX_DECLINED;
    }

    if (ngx_http_artifact_concat(r->pool, &name, ctx->ref.workspace,
                                 art_cstr(""))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    folders->workspace = ngx_artifact_openat(folders->folder,
                                             (char *) name.data,
                                             O_PATH|O_DIRECTORY, 0);

    if (folders->workspace == NGX_INVALID_FILE) {
        return NGX_DECLINED;
    }

    if (ctx->ref.folder) {
        ngx_set_errno(EISDIR);
        return NGX_DECLINED;
    }

    if (ngx_http_artifact_concat(r->pool, &name, ctx->ref.path, art_cstr(""))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    rc = ngx_http_artifact_open_path(r, ctx, folders->workspace, &name);

    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_http_artifact_concat(r->pool, &name, ctx->ref.workspace,
                                 art_cstr(".meta.json"))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_artifact_read_entry(r, ctx, folders->folder, &name);
}


/* Only regular files have content; others are treated as missing. */

static ngx_int_t
ngx_http_artifact_open_path(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_fd_t folder, ngx_str_t *name)
{
    ngx_fd_t                     fd;
    ngx_pool_cleanup_t          *cln;
    ngx_pool_cleanup_file_t     *clnf;
    ngx_http_artifact_source_t  *source;

    source = ctx->source;
    source->file.name = *name;

    fd = ngx_artifact_open_info(folder, (char *) name->data, O_RDONLY,
                                ngx_http_artifact_follows(r), &source->info);

    if (fd == NGX_INVALID_FILE) {
        return NGX_DECLINED;
    }

    if (!ngx_is_file(&source->info)) {
        (void) ngx_close_file(fd);
        ngx_set_errno(ENOENT);
        return NGX_DECLINED;
    }

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_pool_cleanup_file_t));
    if (cln == NULL) {
        (void) ngx_close_file(fd);
        return NGX_ERROR;
    }

    cln->handler = ngx_pool_cleanup_file;
    clnf = cln->data;
    clnf->fd = fd;
    clnf->name = name->data;
    clnf->log = r->pool->log;

    source->cleanup = cln;
    source->file.fd = fd;
    source->file.info = source->info;

    ngx_http_artifact_last_name(name, &source->last_name);

    return ngx_http_artifact_open_name(r, ctx, &source->file.name);
}


ngx_int_t
ngx_http_artifact_response_source(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    art_media_type_t             type;
    ngx_http_artifact_source_t  *source;

    source = ngx_pcalloc(r->pool, sizeof(ngx_http_artifact_source_t));
    if (source == NULL) {
        return NGX_ERROR;
    }

    source->size = r->headers_out.content_length_n;

    ngx_http_artifact_response_validators(r, source);

    /* the default type of a server declares nothing */

    art_media_parse(ngx_artifact_str(&r->headers_out.content_type), &type);

    if (type.len > 0 && ngx_http_artifact_response_type(r, source) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_artifact_response_ref(r, ctx, source);

    if (ngx_http_artifact_response_name(r, source) != NGX_OK
        || ngx_http_artifact_set_name(r, source) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ctx->source = source;

    if (ngx_http_artifact_want_head(r, ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact source: \"%*s\", %O bytes%s",
                   source->id.len, source->id.data, source->size,
                   source->wanted ? ", first bytes wanted" : "");

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_response_decode(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source)
{
    int        rc;
    u_char    *head;
    z_stream   zlib;

    head = ngx_pnalloc(r->pool, ART_SNIFF_MAX);
    if (head == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(&zlib, sizeof(z_stream));

    zlib.next_in = source->head;
    zlib.avail_in = (uInt) source->head_len;
    zlib.next_out = head;
    zlib.avail_out = ART_SNIFF_MAX;

    if (inflateInit2(&zlib, MAX_WBITS + 16) != Z_OK) {
        return NGX_ERROR;
    }

    rc = inflate(&zlib, Z_SYNC_FLUSH);

    (void) inflateEnd(&zlib);

    if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "inflate() returned %d on the first bytes of an artifact",
                      rc);
        return NGX_DECLINED;
    }

    source->head = head;
    source->head_len = ART_SNIFF_MAX - zlib.avail_out;
    source->whole = (rc == Z_STREAM_END);

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact source: %uz bytes inflated",
                   source->head_len);

    return NGX_OK;
}


/* A routed answer replaces them by its own. */

static void
ngx_http_artifact_response_validators(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source)
{
    ngx_table_elt_t  *header;

    header = r->headers_out.etag;

    if (header) {
        source->etag = header->value;
    }

    header = r->headers_out.last_modified;
    source->modified = r->headers_out.last_modified_time;

    if (header && source->modified == -1) {
        source->modified = ngx_parse_http_time(header->value.data,
                                               header->value.len);
    }
}


/* nginx's charset filter keeps the charset apart from the type. */

static ngx_int_t
ngx_http_artifact_response_type(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source)
{
    u_char     *p;
    ngx_str_t  *type, *charset;

    type = &r->headers_out.content_type;
    charset = &r->headers_out.charset;

    source->meta.type = ngx_artifact_str(type);

    if (charset->len == 0 || type->len != r->headers_out.content_type_len) {
        return NGX_OK;
    }

    p = ngx_pnalloc(r->pool, type->len + sizeof("; charset=") - 1
                             + charset->len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    source->meta.type.data = p;

    p = ngx_sprintf(p, "%V; charset=%V", type, charset);

    source->meta.type.len = (size_t) (p - (u_char *) source->meta.type.data);

    return NGX_OK;
}


/* Sets the id from the reference or, in a location without ids, the URI. */

static void
ngx_http_artifact_response_ref(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_http_artifact_source_t *source)
{
    ngx_str_t  path;
    art_str_t  name;

    if (!ctx->bad && ctx->status == ART_ID_OK) {
        source->id = ctx->ref.id;
        source->workspace = ctx->ref.workspace;
        source->path = ctx->ref.path;

        name = ctx->ref.kind == ART_ID_REGULAR ? source->id : source->path;

        path.data = (u_char *) name.data;
        path.len = name.len;

    } else {
        path = r->uri;

        if (path.len > 0 && path.data[0] == '/') {
            path.data++;
            path.len--;
        }

        source->id = ngx_artifact_str(&path);
    }

    ngx_http_artifact_last_name(&path, &source->last_name);
}


/*
 * The header waits for the first bytes if these are decisive; also for HEAD,
 * since a cache or a file sends them, though an upstream may just end.
 */

static ngx_int_t
ngx_http_artifact_want_head(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_http_artifact_source_t  *source;

    source = ctx->source;

    if (!ctx->conf->verify
        && ngx_http_artifact_find_type(r, source, 0) == NGX_OK
        && source->verdict.from != ART_FROM_CONTENT)
    {
        return NGX_OK;
    }

    source->head = ngx_pnalloc(r->pool, ART_SNIFF_MAX);
    if (source->head == NULL) {
        return NGX_ERROR;
    }

    source->head_room = ART_SNIFF_MAX;

    if (source->size == 0) {
        source->whole = 1;
        return NGX_OK;
    }

    source->wanted = 1;

    return NGX_OK;
}


/* The file name of a Content-Disposition counts as metadata. */

static ngx_int_t
ngx_http_artifact_response_name(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source)
{
    u_char           *p;
    art_str_t         name;
    ngx_table_elt_t  *header;

    header = ngx_http_artifact_find_header(&r->headers_out.headers,
                                           "Content-Disposition");

    if (header == NULL) {
        return NGX_OK;
    }

    p = ngx_pnalloc(r->pool, header->value.len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    name = art_disposition_name(ngx_artifact_str(&header->value), p);

    if (name.len > 0) {
        name.len = art_utf8_cut(name.data, name.len, ART_META_NAME_MAX);
        source->meta.name = name;
    }

    return NGX_OK;
}
