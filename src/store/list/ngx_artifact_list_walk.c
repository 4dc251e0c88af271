
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Walking over a folder or a tree for one page of it: a pass over all names,
 * which keeps those of the page and nothing else.
 */


#include "store/list/ngx_artifact_list_job.h"
#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_beneath.h"

#include "core/ref/art_id.h"
#include "core/text/art_utf8.h"

#include <dirent.h>


/* A path, its slash, the longest name and a zero. */

#define NGX_ARTIFACT_ROOM   (ART_ID_PATH_MAX + 1 + NAME_MAX + 1)


typedef struct {
    DIR                           *dir;
    size_t                         len;      /* of its path with the slash */
} ngx_artifact_level_t;


typedef struct {
    ngx_artifact_list_job_t       *job;
    ngx_uint_t                     depth;
    ngx_artifact_level_t           levels[NGX_ARTIFACT_DEPTH];
    size_t                         len;      /* of the folder's path */
    u_char                         path[NGX_ARTIFACT_ROOM];
} ngx_artifact_walk_t;


static ngx_int_t ngx_artifact_list_open(
    ngx_artifact_list_job_t *job);
static ngx_int_t ngx_artifact_walk_open(ngx_artifact_walk_t *scan,
    ngx_fd_t folder, const char *name, ngx_uint_t beneath);
static ngx_int_t ngx_artifact_walk_next(ngx_artifact_walk_t *scan);
static void ngx_artifact_walk_close(ngx_artifact_walk_t *scan);
static ngx_int_t ngx_artifact_walk_entry(ngx_artifact_walk_t *scan,
    const char *name, ngx_uint_t type);
static ngx_int_t ngx_artifact_walk_folder(ngx_artifact_walk_t *scan,
    const char *name);


void
ngx_artifact_list_run(void *data, ngx_log_t *log)
{
    ngx_artifact_list_job_t *job = data;

    ngx_int_t  rc;

    job->log = log;
    job->err = 0;
    job->area = NGX_INVALID_FILE;
    job->top = NGX_INVALID_FILE;

    rc = ngx_artifact_list_open(job);

    if (rc == NGX_OK) {
        rc = ngx_artifact_list_walk(job);
    }

    if (rc == NGX_OK) {
        rc = ngx_artifact_list_details(job);
    }

    if (rc == NGX_ERROR) {
        job->err = ngx_errno ? ngx_errno : EIO;
    }

    if (job->top != NGX_INVALID_FILE && job->top != job->area) {
        (void) ngx_close_file(job->top);
    }

    if (job->area != NGX_INVALID_FILE) {
        (void) ngx_close_file(job->area);
    }
}


/* NGX_DECLINED if there is nothing to be listed: an empty page. */

static ngx_int_t
ngx_artifact_list_open(ngx_artifact_list_job_t *job)
{
    ngx_fd_t     root;
    ngx_err_t    err;
    const char  *name;

    root = open((char *) job->root.data, O_PATH|O_DIRECTORY|O_CLOEXEC);

    if (root == NGX_INVALID_FILE) {
        return NGX_ERROR;
    }

    name = job->kind == ART_LISTING_ARTIFACTS ? "artifacts" : "workspaces";

    job->area = ngx_artifact_openat(root, name, O_PATH|O_DIRECTORY, 0);
    err = ngx_errno;

    (void) ngx_close_file(root);

    if (job->area == NGX_INVALID_FILE) {

        /* nothing was stored yet, or the folder is a link: as good as none */

        if (job->kind != ART_LISTING_FOLDER
            && (err == NGX_ENOENT || err == NGX_ENOTDIR || err == NGX_ELOOP))
        {
            return NGX_DECLINED;
        }

        ngx_set_errno(err);
        return NGX_ERROR;
    }

    if (job->kind != ART_LISTING_FOLDER) {
        job->top = job->area;
        return NGX_OK;
    }

    job->top = ngx_artifact_openat(job->area,
                                   (char *) job->workspace.data,
                                   O_PATH|O_DIRECTORY, 0);

    if (job->top == NGX_INVALID_FILE) {
        return NGX_ERROR;
    }

    job->bound = 1;

    return NGX_OK;
}


ngx_int_t
ngx_artifact_list_walk(ngx_artifact_list_job_t *job)
{
    ngx_err_t             err;
    ngx_int_t             rc;
    ngx_artifact_walk_t  *scan;

    scan = ngx_alloc(sizeof(ngx_artifact_walk_t), job->log);
    if (scan == NULL) {
        ngx_set_errno(NGX_ENOMEM);
        return NGX_ERROR;
    }

    scan->job = job;
    scan->depth = 0;
    scan->len = 0;

    if (job->path.len > 0) {
        ngx_memcpy(scan->path, job->path.data, job->path.len);
        scan->path[job->path.len] = '/';
        scan->len = job->path.len + 1;
    }

    /* a whole tree is in the order of the paths, a folder in that of names */

    job->base = job->recursive ? 0 : scan->len;
    job->page.cost = job->base;

    rc = ngx_artifact_walk_open(scan, job->top,
                                job->path.len > 0
                                ? (char *) job->path.data : ".", 1);

    while (rc == NGX_OK && scan->depth > 0 && !job->probe) {
        rc = ngx_artifact_walk_next(scan);
    }

    err = ngx_errno;

    while (scan->depth > 0) {
        ngx_artifact_walk_close(scan);
    }

    ngx_free(scan);

    ngx_set_errno(err);

    return rc;
}


/* The first folder is found like any file; each next one lies in another. */

static ngx_int_t
ngx_artifact_walk_open(ngx_artifact_walk_t *scan, ngx_fd_t folder,
    const char *name, ngx_uint_t beneath)
{
    ngx_fd_t               fd;
    ngx_err_t              err;
    ngx_artifact_level_t  *level;

    fd = beneath ? ngx_artifact_openat(folder, name, O_RDONLY|O_DIRECTORY,
                                       scan->job->follow)
                 : openat(folder, name, O_RDONLY|O_DIRECTORY|O_NOFOLLOW
                                        |O_CLOEXEC);

    if (fd == NGX_INVALID_FILE) {
        return NGX_ERROR;
    }

    level = &scan->levels[scan->depth];
    level->dir = fdopendir(fd);

    if (level->dir == NULL) {
        err = ngx_errno;
        (void) ngx_close_file(fd);
        ngx_set_errno(err);
        return NGX_ERROR;
    }

    level->len = scan->len;
    scan->depth++;

    return NGX_OK;
}


static ngx_int_t
ngx_artifact_walk_next(ngx_artifact_walk_t *scan)
{
    struct dirent         *entry;
    ngx_artifact_level_t  *level;

    level = &scan->levels[scan->depth - 1];

    ngx_set_errno(0);
    entry = readdir(level->dir);

    if (entry) {
        scan->len = level->len;

        return ngx_artifact_walk_entry(scan, entry->d_name,
                                       entry->d_type);
    }

    if (ngx_errno != 0) {

        /* a listing that misses what is there would be a wrong one */

        return NGX_ERROR;
    }

    ngx_artifact_walk_close(scan);

    return NGX_OK;
}


static void
ngx_artifact_walk_close(ngx_artifact_walk_t *scan)
{
    scan->depth--;

    (void) closedir(scan->levels[scan->depth].dir);
}


static ngx_int_t
ngx_artifact_walk_entry(ngx_artifact_walk_t *scan, const char *name,
    ngx_uint_t type)
{
    size_t           len;
    art_str_t        full;
    ngx_file_info_t  info;

    len = ngx_strlen(name);

    /* what could not be asked for is not there */

    if (ngx_strcmp(name, ".") == 0 || ngx_strcmp(name, "..") == 0
        || len > NAME_MAX
        || scan->len + len > ART_ID_PATH_MAX
        || !art_utf8_valid((u_char *) name, len))
    {
        return NGX_OK;
    }

    if (type == DT_UNKNOWN) {

        /* some file systems do not tell */

        if (fstatat(dirfd(scan->levels[scan->depth - 1].dir), name, &info,
                    AT_SYMLINK_NOFOLLOW)
            == -1)
        {
            return NGX_OK;
        }

        type = IFTODT(info.st_mode);
    }

    ngx_memcpy(scan->path + scan->len, name, len + 1);
    full = art_str(scan->path, scan->len + len);

    if (type == DT_DIR && scan->job->recursive) {
        return ngx_artifact_walk_folder(scan, name);
    }

    return ngx_artifact_list_select(scan->job, full, type);
}


/* A folder below the one that is listed with all of them. */

static ngx_int_t
ngx_artifact_walk_folder(ngx_artifact_walk_t *scan,
    const char *name)
{
    size_t     len;
    ngx_err_t  err;

    len = scan->len + ngx_strlen(name);

    scan->path[len++] = '/';

    if (len >= ART_ID_PATH_MAX
        || art_page_skips(&scan->job->page, art_str(scan->path, len)))
    {
        return NGX_OK;
    }

    if (scan->depth == NGX_ARTIFACT_DEPTH) {
        ngx_log_error(NGX_LOG_WARN, scan->job->log, 0,
                      "artifact listing: folders more than %d levels deep "
                      "are left out", NGX_ARTIFACT_DEPTH);
        return NGX_OK;
    }

    scan->len = len;

    if (ngx_artifact_walk_open(scan,
                               dirfd(scan->levels[scan->depth - 1].dir),
                               name, 0)
        == NGX_OK)
    {
        return NGX_OK;
    }

    err = ngx_errno;

    if (err == NGX_ENOENT || err == NGX_ENOTDIR || err == NGX_ELOOP) {

        /* removed, or replaced, since its name was read */

        return NGX_OK;
    }

    if (err == NGX_EACCES || err == NGX_EPERM) {
        ngx_log_error(NGX_LOG_ERR, scan->job->log, err,
                      "artifact listing: a folder cannot be opened");
        return NGX_OK;
    }

    return NGX_ERROR;
}
