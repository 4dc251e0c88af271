
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The names on a page: one pass over all names of a folder, a tree or the
 * folders of artifacts, of which only those on the page are kept.
 */


#include "store/list/ngx_artifact_list.h"
#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_beneath.h"
#include "store/metadata/ngx_artifact_metadata.h"

#include "core/ref/art_id.h"
#include "core/ref/art_ref_file.h"
#include "core/text/art_utf8.h"

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


/* The sub-folders of a layout's level that exist, a bit for each number. */

typedef struct {
    uint64_t                       bits[4];
    ngx_uint_t                     next;     /* the next number to try */
    size_t                         len;      /* of the path above */
} ngx_artifact_subfolders_t;


/* Of artifacts, first the walk over the sub-folders of a layout. */

struct ngx_artifact_walk_s {
    ngx_artifact_list_job_t       *job;

    const art_ref_layout_t        *layout;   /* NULL: not yet */
    ngx_uint_t                     level;
    ngx_artifact_subfolders_t      subfolders[ART_REF_LAYOUT_LEVELS];
    ngx_artifact_subfolder_t       sub;
    DIR                           *dir;      /* names of a level */

    ngx_uint_t                     depth;
    ngx_artifact_level_t           levels[NGX_ARTIFACT_DEPTH];
    size_t                         len;      /* of the folder's path */
    u_char                         path[NGX_ARTIFACT_ROOM];
};


static ngx_int_t ngx_artifact_list_begin(ngx_artifact_list_job_t *job);
static ngx_int_t ngx_artifact_subfolders_step(ngx_artifact_walk_t *walk);
static ngx_int_t ngx_artifact_subfolders_enter(ngx_artifact_walk_t *walk);
static ngx_int_t ngx_artifact_subfolders_leaf(ngx_artifact_walk_t *walk);
static ngx_int_t ngx_artifact_subfolders_names(ngx_artifact_walk_t *walk);
static ngx_uint_t ngx_artifact_subfolders_next(ngx_artifact_walk_t *walk);
static ngx_int_t ngx_artifact_walk_begin(ngx_artifact_walk_t *walk,
    const ngx_str_t *path);
static ngx_int_t ngx_artifact_walk_names(ngx_artifact_walk_t *walk);
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
static ngx_int_t ngx_artifact_list_select(ngx_artifact_list_job_t *job,
    art_str_t path, ngx_uint_t type);
static ngx_int_t ngx_artifact_select_file(ngx_artifact_list_job_t *job,
    art_str_t path, ngx_uint_t type);
static ngx_int_t ngx_artifact_select_workspace(ngx_artifact_list_job_t *job,
    art_str_t name, ngx_uint_t type);
static ngx_int_t ngx_artifact_select_artifact(ngx_artifact_list_job_t *job,
    art_str_t path, ngx_uint_t type);
static ngx_int_t ngx_artifact_select_content(ngx_artifact_list_job_t *job,
    art_str_t path, ngx_uint_t type);
static ngx_uint_t ngx_artifact_select_claimed(ngx_artifact_list_job_t *job,
    art_str_t path, art_str_t id);
static ngx_uint_t ngx_artifact_select_hides(ngx_artifact_list_job_t *job,
    art_str_t path, art_str_t id);
static ngx_uint_t ngx_artifact_select_wants(ngx_artifact_list_job_t *job,
    art_str_t name);
static ngx_int_t ngx_artifact_select_add(ngx_artifact_list_job_t *job,
    art_str_t path, size_t base);


ngx_int_t
ngx_artifact_list_names(ngx_artifact_list_job_t *job)
{
    ngx_artifact_walk_t  *walk;

    walk = job->walk;

    if (walk == NULL) {
        return ngx_artifact_list_begin(job);
    }

    if (walk->depth > 0 && !job->probe) {
        return ngx_artifact_walk_names(walk);
    }

    return job->kind == ART_LISTING_ARTIFACTS
           ? ngx_artifact_subfolders_step(walk) : NGX_OK;
}


static ngx_int_t
ngx_artifact_list_begin(ngx_artifact_list_job_t *job)
{
    ngx_artifact_walk_t  *walk;

    walk = ngx_alloc(sizeof(ngx_artifact_walk_t), job->log);
    if (walk == NULL) {
        ngx_set_errno(NGX_ENOMEM);
        return NGX_ERROR;
    }

    job->walk = walk;

    walk->job = job;
    walk->layout = NULL;
    walk->dir = NULL;
    walk->depth = 0;
    walk->len = 0;

    if (job->kind == ART_LISTING_ARTIFACTS) {
        return NGX_AGAIN;
    }

    /* items are whole paths, so each one includes the folder's path */

    if (!job->recursive && job->path.len > 0) {
        job->page.cost = job->path.len + 1;
    }

    return ngx_artifact_walk_begin(walk, &job->path);
}


void
ngx_artifact_list_names_end(ngx_artifact_list_job_t *job)
{
    ngx_artifact_walk_t  *walk;

    walk = job->walk;

    if (walk == NULL) {
        return;
    }

    while (walk->depth > 0) {
        ngx_artifact_walk_close(walk);
    }

    if (walk->dir) {
        (void) closedir(walk->dir);
    }

    ngx_free(walk);
    job->walk = NULL;
}


/*
 * Artifacts are found in the sub-folders of the store's layout, in the order of
 * the page, as far as they can add to it.  While the store changes its layout,
 * all sub-folders of the earlier one are walked first: files moved meanwhile
 * are found in one of the two, with the same position on the page.
 */

static ngx_int_t
ngx_artifact_subfolders_step(ngx_artifact_walk_t *walk)
{
    const ngx_artifact_layout_t  *layout;

    if (walk->dir) {
        return ngx_artifact_subfolders_names(walk);
    }

    layout = walk->job->layout;

    if (walk->layout) {

        for ( /* void */ ; walk->level > 0; walk->level--) {

            if (ngx_artifact_subfolders_next(walk)) {
                return ngx_artifact_subfolders_enter(walk);
            }
        }

        if (walk->layout == &layout->layout) {
            return NGX_OK;
        }
    }

    walk->layout = walk->layout == NULL && layout->changes
                   ? &layout->old : &layout->layout;
    walk->level = 0;
    walk->sub.len = 0;
    walk->sub.path[0] = '\0';

    return ngx_artifact_subfolders_enter(walk);
}


/* What is below walk->sub: artifacts, or sub-folders of the next level. */

static ngx_int_t
ngx_artifact_subfolders_enter(ngx_artifact_walk_t *walk)
{
    ngx_artifact_subfolders_t  *level;

    if (walk->level == walk->layout->n) {
        return ngx_artifact_subfolders_leaf(walk);
    }

    level = &walk->subfolders[walk->level++];

    ngx_memzero(level, sizeof(ngx_artifact_subfolders_t));

    level->len = walk->sub.len;

    walk->dir = ngx_artifact_subfolder_open(walk->job->top, &walk->sub,
                                            walk->job->follow);

    return walk->dir || ngx_errno == 0 ? NGX_AGAIN : NGX_ERROR;
}


static ngx_int_t
ngx_artifact_subfolders_leaf(ngx_artifact_walk_t *walk)
{
    ngx_int_t                  rc;
    ngx_str_t                  path;
    ngx_artifact_subfolder_t  *sub;

    walk->job->folders++;

    sub = &walk->sub;

    path.data = sub->path;
    path.len = sub->len ? sub->len - 1 : 0;
    path.data[path.len] = '\0';

    rc = ngx_artifact_walk_begin(walk, &path);

    /* ignore a link that leads out of the store */

    return rc == NGX_ERROR && sub->len
           && ngx_artifact_is_missing(ngx_errno) ? NGX_AGAIN : rc;
}


/* Reads some names of a level, and marks the sub-folders among them. */

static ngx_int_t
ngx_artifact_subfolders_names(ngx_artifact_walk_t *walk)
{
    int                         number;
    ngx_err_t                   err;
    ngx_uint_t                  i, depth;
    struct dirent              *entry;
    ngx_artifact_subfolders_t  *level;

    depth = walk->level - 1;
    level = &walk->subfolders[depth];

    for (i = 0; i < NGX_ARTIFACT_LIST_NAMES; i++) {

        ngx_set_errno(0);
        entry = readdir(walk->dir);

        if (entry == NULL) {
            err = ngx_errno;

            (void) closedir(walk->dir);
            walk->dir = NULL;

            ngx_set_errno(err);

            return err ? NGX_ERROR : NGX_AGAIN;
        }

        number = art_ref_layout_number(walk->layout, (unsigned) depth,
                                       art_cstr(entry->d_name));

        if (number >= 0) {
            level->bits[number / 64] |= (uint64_t) 1 << number % 64;
        }
    }

    return NGX_AGAIN;
}


/* Only sub-folders of the current layout are in the order of the page. */

static ngx_uint_t
ngx_artifact_subfolders_next(ngx_artifact_walk_t *walk)
{
    ngx_uint_t                  number;
    ngx_artifact_list_job_t    *job;
    ngx_artifact_subfolder_t   *sub;
    ngx_artifact_subfolders_t  *level;

    job = walk->job;
    sub = &walk->sub;
    level = &walk->subfolders[walk->level - 1];

    while (level->next < 256) {
        number = level->next++;

        if (!(level->bits[number / 64] >> number % 64 & 1)) {
            continue;
        }

        sub->len = level->len;
        sub->len += art_ref_layout_name(walk->layout,
                                        (unsigned) walk->level - 1,
                                        (unsigned) number,
                                        sub->path + sub->len);
        sub->path[sub->len++] = '/';
        sub->path[sub->len] = '\0';

        if (walk->layout != &job->layout->layout
            || !art_page_skips(&job->page, art_str(sub->path, sub->len)))
        {
            return 1;
        }
    }

    return 0;
}


/*
 * Begins to walk a folder beneath job->top, or its whole tree.  "path" is
 * zero-terminated, without a slash at its end; it may be empty.  NGX_AGAIN: its
 * names are to be read.
 */

static ngx_int_t
ngx_artifact_walk_begin(ngx_artifact_walk_t *walk, const ngx_str_t *path)
{
    ngx_artifact_list_job_t  *job;

    job = walk->job;
    walk->len = 0;

    if (path->len > 0) {
        ngx_memcpy(walk->path, path->data, path->len);
        walk->path[path->len] = '/';
        walk->len = path->len + 1;
    }

    /* a tree is in the order of paths, a folder in the order of names */

    job->base = job->recursive ? 0 : walk->len;

    if (ngx_artifact_walk_open(walk, job->top,
                               path->len > 0 ? (char *) path->data : ".", 1)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return job->probe ? NGX_OK : NGX_AGAIN;
}


/*
 * Reads some names, and adds those to the page that belong there.  A sub-folder
 * of artifacts may be removed meanwhile.
 */

static ngx_int_t
ngx_artifact_walk_names(ngx_artifact_walk_t *walk)
{
    ngx_int_t   rc;
    ngx_uint_t  i;

    rc = NGX_OK;

    for (i = 0; i < NGX_ARTIFACT_LIST_NAMES && walk->depth > 0; i++) {
        rc = ngx_artifact_walk_next(walk);

        if (rc != NGX_OK) {
            break;
        }
    }

    if (rc == NGX_ERROR && walk->layout && walk->sub.len
        && ngx_artifact_is_missing(ngx_errno))
    {
        ngx_artifact_walk_close(walk);
        rc = NGX_OK;
    }

    return rc == NGX_OK ? NGX_AGAIN : rc;
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
 * A position is still valid when the folder is opened again: file systems that
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

        /* NGX_EXDEV: a link in place of the folder leads out */

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

    /* skip names that no request could use */

    if (ngx_strcmp(name, ".") == 0 || ngx_strcmp(name, "..") == 0
        || len > NAME_MAX
        || walk->len + len > ART_ID_PATH_MAX
        || !art_utf8_valid((u_char *) name, len))
    {
        return NGX_OK;
    }

    if (type == DT_UNKNOWN) {

        /* some file systems do not report the type */

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
                      "are omitted", NGX_ARTIFACT_DEPTH);
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
                      ngx_open_file_n " \"%V/workspaces/%V/%*s\" failed",
                      &walk->job->root, &walk->job->workspace, len,
                      walk->path);
        return NGX_OK;
    }

    return NGX_ERROR;
}


/*
 * Takes one of the names found, and adds it to the page if it is to be listed
 * and belongs there.  "path" is zero-terminated; "type" is one of dirent.h.
 */

static ngx_int_t
ngx_artifact_list_select(ngx_artifact_list_job_t *job, art_str_t path,
    ngx_uint_t type)
{
    switch (job->kind) {

    case ART_LISTING_ARTIFACTS:
        return ngx_artifact_select_artifact(job, path, type);

    case ART_LISTING_WORKSPACES:
        return ngx_artifact_select_workspace(job, path, type);

    default:
        return ngx_artifact_select_file(job, path, type);
    }
}


/* Selects a file, a link or a folder of a workspace. */

static ngx_int_t
ngx_artifact_select_file(ngx_artifact_list_job_t *job, art_str_t path,
    ngx_uint_t type)
{
    art_str_t         name;
    ngx_file_info_t   info;

    name = art_str(path.data + job->base, path.len - job->base);

    if ((type != DT_REG && type != DT_DIR && type != DT_LNK)
        || !ngx_artifact_select_wants(job, name))
    {
        return NGX_OK;
    }

    /* a link that leads out must not even cause a next page */

    if (type == DT_LNK
        && (ngx_artifact_stat(job->top, (char *) path.data, job->follow,
                              &info)
            != NGX_OK
            || (job->recursive && ngx_is_dir(&info))))
    {
        return NGX_OK;
    }

    return ngx_artifact_select_add(job, path, job->base);
}


/* Workspaces are real folders; the control folder beside them is skipped. */

static ngx_int_t
ngx_artifact_select_workspace(ngx_artifact_list_job_t *job,
    art_str_t name, ngx_uint_t type)
{
    if (type != DT_DIR
        || !art_id_component(name)
        || art_str_eq(name, art_cstr(NGX_ARTIFACT_CONTROL))
        || !ngx_artifact_select_wants(job, name))
    {
        return NGX_OK;
    }

    return ngx_artifact_select_add(job, name, 0);
}


/*
 * The id of an artifact comes from its sidecar or, without one, from the name
 * of its content without a known extension.  Both give the same id, which is
 * added to the page once.
 */

static ngx_int_t
ngx_artifact_select_artifact(ngx_artifact_list_job_t *job,
    art_str_t path, ngx_uint_t type)
{
    u_char     key[NGX_ARTIFACT_LIST_KEY];
    art_str_t  id, name;

    static const art_str_t  suffix = art_string(".meta");

    if (type != DT_REG && type != DT_LNK) {
        return NGX_OK;
    }

    id = art_str(path.data + job->base, path.len - job->base);

    if (id.len <= suffix.len
        || ngx_memcmp(id.data + id.len - suffix.len, suffix.data, suffix.len)
           != 0)
    {
        return ngx_artifact_select_content(job, path, type);
    }

    id.len -= suffix.len;
    name = art_str(key, ngx_artifact_list_key(job, id, key));

    return art_id_regular(id) && ngx_artifact_select_wants(job, name)
           && !ngx_artifact_select_hides(job, path, id)
           ? ngx_artifact_select_add(job, name, 0) : NGX_OK;
}


static ngx_int_t
ngx_artifact_select_content(ngx_artifact_list_job_t *job,
    art_str_t path, ngx_uint_t type)
{
    u_char            key[NGX_ARTIFACT_LIST_KEY];
    art_str_t         id, name;
    ngx_file_info_t   info;

    name = art_str(path.data + job->base, path.len - job->base);
    id = art_ref_file_id(name);

    if (art_ref_name_reserved(name) || !art_id_regular(id)) {
        return NGX_OK;
    }

    name = art_str(key, ngx_artifact_list_key(job, id, key));

    if (!ngx_artifact_select_wants(job, name)
        || ngx_artifact_select_claimed(job, path, id)
        || ngx_artifact_select_hides(job, path, id)
        || (type == DT_LNK
            && ngx_artifact_stat(job->top, (char *) path.data,
                                 job->follow, &info)
               != NGX_OK))
    {
        return NGX_OK;
    }

    return ngx_artifact_select_add(job, name, 0);
}


/*
 * Whether there is also the sidecar of another id whose content this may be:
 * "report.meta" for "report.tar.gz".
 */

static ngx_uint_t
ngx_artifact_select_claimed(ngx_artifact_list_job_t *job,
    art_str_t path, art_str_t id)
{
    size_t            i;
    u_char            buf[ART_REF_LAYOUT_PLACE + NAME_MAX + sizeof(".meta")];
    ngx_file_info_t   info;

    for (i = job->base + 1; i <= path.len; i++) {

        if (i == job->base + id.len || (i < path.len && path.data[i] != '.')) {
            continue;
        }

        ngx_memcpy(buf, path.data, i);
        ngx_memcpy(buf + i, ".meta", sizeof(".meta"));

        if (fstatat(job->top, (char *) buf, &info, AT_SYMLINK_NOFOLLOW) == 0) {
            return 1;
        }
    }

    return 0;
}


/*
 * Whether only a stand-in leads to the artifact: the page must not even end
 * with its id, which would be where the next one begins.  Few ids can be of
 * such, so that few sidecars are read.
 */

static ngx_uint_t
ngx_artifact_select_hides(ngx_artifact_list_job_t *job, art_str_t path,
    art_str_t id)
{
    u_char     buf[ART_REF_LAYOUT_PLACE + ART_UUID_LEN + sizeof(".meta")];
    u_char    *p;
    ngx_str_t  name;

    if (!art_id_is_uuid(id) || id.data[ART_UUID_VERSION] != '8') {
        return 0;
    }

    p = ngx_cpymem(buf, path.data, job->base);
    p = ngx_cpymem(p, id.data, id.len);
    ngx_memcpy(p, ".meta", sizeof(".meta"));

    name.data = buf;
    name.len = job->base + id.len + sizeof(".meta") - 1;

    return ngx_artifact_sidecar_hides(job->top, &name);
}


/* When a next page is known to exist, names after this one do not matter. */

static ngx_uint_t
ngx_artifact_select_wants(ngx_artifact_list_job_t *job, art_str_t name)
{
    switch (art_page_position(&job->page, name)) {

    case ART_PAGE_IN:
        return 1;

    case ART_PAGE_BEYOND:
        return !job->page.more;

    default:
        return 0;
    }
}


static ngx_int_t
ngx_artifact_select_add(ngx_artifact_list_job_t *job, art_str_t path,
    size_t base)
{
    art_str_t                  name;
    ngx_artifact_list_item_t  *item;

    name = art_str(path.data + base, path.len - base);

    if (art_page_position(&job->page, name) == ART_PAGE_BEYOND) {
        job->page.more = 1;
        return NGX_OK;
    }

    item = ngx_calloc(sizeof(ngx_artifact_list_item_t) + path.len, job->log);
    if (item == NULL) {
        ngx_set_errno(NGX_ENOMEM);
        return NGX_ERROR;
    }

    ngx_memcpy(item->name, path.data, path.len);
    item->len = path.len;

    art_page_add(&job->page, art_str(item->name + base, name.len), item, free);

    return NGX_OK;
}


size_t
ngx_artifact_list_key(const ngx_artifact_list_job_t *job, art_str_t id,
    u_char *buf)
{
    ngx_artifact_subfolder_t  sub;

    ngx_artifact_subfolder_of(&job->layout->layout, id, &sub);

    ngx_memcpy(buf, sub.path, sub.len);
    ngx_memcpy(buf + sub.len, id.data, id.len);

    return sub.len + id.len;
}
