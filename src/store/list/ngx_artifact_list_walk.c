
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Walking over a folder or a tree for one page of it: one pass over all names,
 * of which only those on the page are kept.
 */


#include "store/list/ngx_artifact_list_walk.h"
#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_beneath.h"
#include "store/list/ngx_artifact_list_select.h"

#include "core/text/art_utf8.h"
#include "core/ref/art_id.h"

#include <dirent.h>


/* A path, its slash, the longest name and a zero. */

#define NGX_ARTIFACT_ROOM   (ART_ID_PATH_MAX + 1 + NAME_MAX + 1)


/*
 * Only so many levels, the innermost ones, are open at a time: a tree may be
 * deep, and many trees may be listed at once.
 */

#define NGX_ARTIFACT_OPEN   8


/* A level that was closed continues later at its position. */

typedef struct {
    DIR                           *dir;      /* NULL: closed for now */
    size_t                         len;      /* of its path with the slash */
    long                           pos;
    dev_t                          dev;
    ino_t                          ino;
} ngx_artifact_level_t;


typedef struct {
    ngx_artifact_list_job_t       *job;
    ngx_uint_t                     depth;
    ngx_artifact_level_t           levels[NGX_ARTIFACT_DEPTH];
    size_t                         len;      /* of the folder's path */
    u_char                         path[NGX_ARTIFACT_ROOM];
} ngx_artifact_walk_t;


static ngx_int_t ngx_artifact_walk_open(ngx_artifact_walk_t *walk,
    ngx_fd_t folder, const char *name, ngx_uint_t beneath);
static void ngx_artifact_walk_suspend(ngx_artifact_level_t *level);
static ngx_int_t ngx_artifact_walk_resume(ngx_artifact_walk_t *walk,
    ngx_artifact_level_t *level);
static ngx_uint_t ngx_artifact_walk_gone(ngx_err_t err);
static ngx_int_t ngx_artifact_walk_next(ngx_artifact_walk_t *walk);
static void ngx_artifact_walk_close(ngx_artifact_walk_t *walk);
static ngx_int_t ngx_artifact_walk_entry(ngx_artifact_walk_t *walk,
    const char *name, ngx_uint_t type);
static ngx_int_t ngx_artifact_walk_folder(ngx_artifact_walk_t *walk,
    const char *name);


ngx_int_t
ngx_artifact_list_walk(ngx_artifact_list_job_t *job, const ngx_str_t *path)
{
    ngx_err_t             err;
    ngx_int_t             rc;
    ngx_artifact_walk_t  *walk;

    walk = ngx_alloc(sizeof(ngx_artifact_walk_t), job->log);
    if (walk == NULL) {
        ngx_set_errno(NGX_ENOMEM);
        return NGX_ERROR;
    }

    walk->job = job;
    walk->depth = 0;
    walk->len = 0;

    if (path->len > 0) {
        ngx_memcpy(walk->path, path->data, path->len);
        walk->path[path->len] = '/';
        walk->len = path->len + 1;
    }

    /* a tree is in the order of paths, a folder in the order of names */

    job->base = job->recursive ? 0 : walk->len;

    rc = ngx_artifact_walk_open(walk, job->top,
                                path->len > 0 ? (char *) path->data : ".", 1);

    while (rc == NGX_OK && walk->depth > 0 && !job->probe) {
        rc = ngx_artifact_walk_next(walk);
    }

    err = ngx_errno;

    while (walk->depth > 0) {
        ngx_artifact_walk_close(walk);
    }

    ngx_free(walk);

    ngx_set_errno(err);

    return rc;
}


/* The first folder is found like any file, the others in their parents. */

static ngx_int_t
ngx_artifact_walk_open(ngx_artifact_walk_t *walk, ngx_fd_t folder,
    const char *name, ngx_uint_t beneath)
{
    ngx_fd_t               fd;
    ngx_artifact_level_t  *level;

    fd = beneath ? ngx_artifact_openat(folder, name, O_RDONLY|O_DIRECTORY,
                                       walk->job->follow)
                 : openat(folder, name, O_RDONLY|O_DIRECTORY|O_NOFOLLOW
                                        |O_CLOEXEC);

    if (fd == NGX_INVALID_FILE) {
        return NGX_ERROR;
    }

    level = &walk->levels[walk->depth];
    level->dir = fdopendir(fd);

    if (level->dir == NULL) {
        ngx_artifact_close(&fd);
        return NGX_ERROR;
    }

    level->len = walk->len;

    if (walk->depth >= NGX_ARTIFACT_OPEN) {
        ngx_artifact_walk_suspend(&walk->levels[walk->depth
                                                - NGX_ARTIFACT_OPEN]);
    }

    walk->depth++;

    return NGX_OK;
}


/*
 * A position remains valid when the folder is opened again: file systems that
 * can be exported by NFS guarantee that.  A folder that cannot be identified
 * stays open.
 */

static void
ngx_artifact_walk_suspend(ngx_artifact_level_t *level)
{
    ngx_file_info_t  info;

    if (level->dir == NULL
        || ngx_fd_info(dirfd(level->dir), &info) == NGX_FILE_ERROR)
    {
        return;
    }

    level->pos = telldir(level->dir);
    level->dev = info.st_dev;
    level->ino = info.st_ino;

    (void) closedir(level->dir);
    level->dir = NULL;
}


/* NGX_DECLINED if the folder was removed or replaced meanwhile. */

static ngx_int_t
ngx_artifact_walk_resume(ngx_artifact_walk_t *walk,
    ngx_artifact_level_t *level)
{
    ngx_fd_t         fd;
    ngx_file_info_t  info;

    if (level->len > 0) {
        walk->path[level->len - 1] = '\0';
    }

    fd = ngx_artifact_openat(walk->job->top,
                             level->len > 0 ? (char *) walk->path : ".",
                             O_RDONLY|O_DIRECTORY, walk->job->follow);

    if (level->len > 0) {
        walk->path[level->len - 1] = '/';
    }

    if (fd == NGX_INVALID_FILE) {

        /* NGX_EXDEV: a link in its place leads out */

        return ngx_artifact_walk_gone(ngx_errno) || ngx_errno == NGX_EXDEV
               ? NGX_DECLINED : NGX_ERROR;
    }

    if (ngx_fd_info(fd, &info) == NGX_FILE_ERROR
        || info.st_dev != level->dev || info.st_ino != level->ino)
    {
        ngx_artifact_close(&fd);
        return NGX_DECLINED;
    }

    level->dir = fdopendir(fd);

    if (level->dir == NULL) {
        ngx_artifact_close(&fd);
        return NGX_ERROR;
    }

    seekdir(level->dir, level->pos);

    return NGX_OK;
}


/* Whether the folder was removed or replaced since its name was read. */

static ngx_uint_t
ngx_artifact_walk_gone(ngx_err_t err)
{
    return err == NGX_ENOENT || err == NGX_ENOTDIR || err == NGX_ELOOP;
}


static ngx_int_t
ngx_artifact_walk_next(ngx_artifact_walk_t *walk)
{
    ngx_int_t              rc;
    struct dirent         *entry;
    ngx_artifact_level_t  *level;

    level = &walk->levels[walk->depth - 1];

    if (level->dir == NULL) {
        rc = ngx_artifact_walk_resume(walk, level);

        if (rc == NGX_DECLINED) {
            ngx_artifact_walk_close(walk);
            return NGX_OK;
        }

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }
    }

    ngx_set_errno(0);
    entry = readdir(level->dir);

    if (entry) {
        walk->len = level->len;

        return ngx_artifact_walk_entry(walk, entry->d_name, entry->d_type);
    }

    if (ngx_errno != 0) {

        /* an incomplete listing would be wrong */

        return NGX_ERROR;
    }

    ngx_artifact_walk_close(walk);

    return NGX_OK;
}


static void
ngx_artifact_walk_close(ngx_artifact_walk_t *walk)
{
    walk->depth--;

    if (walk->levels[walk->depth].dir) {
        (void) closedir(walk->levels[walk->depth].dir);
    }
}


static ngx_int_t
ngx_artifact_walk_entry(ngx_artifact_walk_t *walk, const char *name,
    ngx_uint_t type)
{
    size_t           len;
    art_str_t        full;
    ngx_file_info_t  info;

    len = ngx_strlen(name);
    walk->job->names++;

    /* skip names that no request could ask for */

    if (ngx_strcmp(name, ".") == 0 || ngx_strcmp(name, "..") == 0
        || len > NAME_MAX
        || walk->len + len > ART_ID_PATH_MAX
        || !art_utf8_valid((u_char *) name, len))
    {
        return NGX_OK;
    }

    if (type == DT_UNKNOWN) {

        /* some file systems do not tell the type */

        if (fstatat(dirfd(walk->levels[walk->depth - 1].dir), name, &info,
                    AT_SYMLINK_NOFOLLOW)
            == -1)
        {
            return NGX_OK;
        }

        type = IFTODT(info.st_mode);
    }

    ngx_memcpy(walk->path + walk->len, name, len + 1);
    full = art_str(walk->path, walk->len + len);

    if (type == DT_DIR && walk->job->recursive) {
        return ngx_artifact_walk_folder(walk, name);
    }

    return ngx_artifact_list_select(walk->job, full, type);
}


/* A sub-folder of a tree that is listed. */

static ngx_int_t
ngx_artifact_walk_folder(ngx_artifact_walk_t *walk, const char *name)
{
    size_t     len;
    ngx_err_t  err;

    len = walk->len + ngx_strlen(name);

    walk->path[len++] = '/';

    if (len >= ART_ID_PATH_MAX
        || art_page_skips(&walk->job->page, art_str(walk->path, len)))
    {
        return NGX_OK;
    }

    if (walk->depth == NGX_ARTIFACT_DEPTH) {
        ngx_log_error(NGX_LOG_WARN, walk->job->log, 0,
                      "artifact listing: folders more than %d levels deep "
                      "are left out", NGX_ARTIFACT_DEPTH);
        return NGX_OK;
    }

    walk->len = len;

    if (ngx_artifact_walk_open(walk,
                               dirfd(walk->levels[walk->depth - 1].dir),
                               name, 0)
        == NGX_OK)
    {
        return NGX_OK;
    }

    err = ngx_errno;

    if (ngx_artifact_walk_gone(err)) {
        return NGX_OK;
    }

    if (err == NGX_EACCES || err == NGX_EPERM) {
        ngx_log_error(NGX_LOG_ERR, walk->job->log, err,
                      "artifact listing: a folder cannot be opened");
        return NGX_OK;
    }

    return NGX_ERROR;
}
