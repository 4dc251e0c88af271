
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "store/files/ngx_artifact_marker.h"
#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_beneath.h"

#include "core/base/art_time.h"


/* The folder of all markers. */

#define NGX_ARTIFACT_MARKERS        "files"

/* A folder may be removed before its first marker is made: once more. */

#define NGX_ARTIFACT_MARKER_TRIES   16

/* Where the digit of a UUID's version is. */

#define NGX_ARTIFACT_MARKER_VERSION 14


/* The folders of an id, open. */

typedef struct {
    ngx_fd_t                     top;
    ngx_fd_t                     folder;
    ngx_fd_t                     leaf;
    char                         place[NGX_ARTIFACT_MARKER_PLACE + 2];
} ngx_artifact_marker_folders_t;


static ngx_int_t ngx_artifact_marker_open(ngx_artifact_marker_folders_t *f,
    ngx_fd_t control, const char *id, ngx_uint_t create);
static void ngx_artifact_marker_close(ngx_artifact_marker_folders_t *f);
static ngx_int_t ngx_artifact_marker_create(ngx_fd_t control, const char *id,
    ngx_uint_t sync);
static ngx_int_t ngx_artifact_marker_leaf(ngx_artifact_marker_walk_t *walk,
    const char *bound, ngx_uint_t inclusive);
static ngx_int_t ngx_artifact_marker_near(ngx_artifact_marker_walk_t *walk,
    ngx_fd_t folder, size_t len, const char *bound, ngx_uint_t inclusive,
    char *found);
static ngx_uint_t ngx_artifact_marker_follows(
    ngx_artifact_marker_walk_t *walk, const char *name, const char *bound,
    ngx_uint_t inclusive);


ngx_int_t
ngx_artifact_marker_make(ngx_fd_t control, const char *id, ngx_uint_t sync)
{
    ngx_int_t   rc;
    ngx_uint_t  tries;

    rc = NGX_ERROR;

    for (tries = 0; tries < NGX_ARTIFACT_MARKER_TRIES; tries++) {
        rc = ngx_artifact_marker_create(control, id, sync);

        if (rc == NGX_OK || ngx_errno != NGX_ENOENT) {
            break;
        }
    }

    return rc;
}


static ngx_int_t
ngx_artifact_marker_create(ngx_fd_t control, const char *id, ngx_uint_t sync)
{
    ngx_fd_t                       fd;
    ngx_int_t                      rc;
    ngx_artifact_marker_folders_t  f;

    if (ngx_artifact_marker_open(&f, control, id, 1) != NGX_OK) {
        return NGX_ERROR;
    }

    fd = openat(f.leaf, id, O_WRONLY|O_CREAT|O_NOFOLLOW|O_CLOEXEC, 0600);

    rc = fd == NGX_INVALID_FILE || (sync && fsync(f.leaf) == -1) ? NGX_ERROR
                                                                : NGX_OK;
    ngx_artifact_close(&fd);
    ngx_artifact_marker_close(&f);

    return rc;
}


void
ngx_artifact_marker_remove(ngx_fd_t control, const char *id)
{
    ngx_err_t                      err;
    ngx_artifact_marker_folders_t  f;

    err = ngx_errno;

    /* folders that are not empty stay */

    if (ngx_artifact_marker_open(&f, control, id, 0) == NGX_OK) {
        (void) unlinkat(f.leaf, id, 0);
        (void) (unlinkat(f.folder, f.place + NGX_ARTIFACT_MARKER_FOLDER + 1,
                         AT_REMOVEDIR)
                == 0
                && unlinkat(f.top, f.place, AT_REMOVEDIR) == 0);

        ngx_artifact_marker_close(&f);
    }

    ngx_set_errno(err);
}


static ngx_int_t
ngx_artifact_marker_open(ngx_artifact_marker_folders_t *f, ngx_fd_t control,
    const char *id, ngx_uint_t create)
{
    char  *leaf;

    f->folder = NGX_INVALID_FILE;
    f->leaf = NGX_INVALID_FILE;

    (void) ngx_cpystrn((u_char *) f->place, (u_char *) id,
                       NGX_ARTIFACT_MARKER_FOLDER + 1);

    leaf = f->place + NGX_ARTIFACT_MARKER_FOLDER + 1;

    (void) ngx_cpystrn((u_char *) leaf,
                       (u_char *) id + NGX_ARTIFACT_MARKER_FOLDER,
                       NGX_ARTIFACT_MARKER_LEAF + 1);

    f->top = ngx_artifact_folder(control, NGX_ARTIFACT_MARKERS, 0700, create);

    if (f->top != NGX_INVALID_FILE) {
        f->folder = ngx_artifact_folder(f->top, f->place, 0700, create);
    }

    if (f->folder != NGX_INVALID_FILE) {
        f->leaf = ngx_artifact_folder(f->folder, leaf, 0700, create);
    }

    if (f->leaf != NGX_INVALID_FILE) {
        return NGX_OK;
    }

    ngx_artifact_marker_close(f);

    return NGX_ERROR;
}


static void
ngx_artifact_marker_close(ngx_artifact_marker_folders_t *f)
{
    ngx_artifact_close(&f->leaf);
    ngx_artifact_close(&f->folder);
    ngx_artifact_close(&f->top);
}


ngx_int_t
ngx_artifact_marker_walk(ngx_artifact_marker_walk_t *walk, ngx_fd_t control,
    const char *id, ngx_uint_t back)
{
    ngx_memzero(walk, sizeof(ngx_artifact_marker_walk_t));

    walk->back = back & 1;
    walk->top = ngx_artifact_folder(control, NGX_ARTIFACT_MARKERS, 0700, 0);

    if (walk->top == NGX_INVALID_FILE && ngx_errno != NGX_ENOENT) {
        return NGX_ERROR;
    }

    if (id) {
        (void) ngx_cpystrn((u_char *) walk->place, (u_char *) id,
                           sizeof(walk->place));
    }

    return NGX_OK;
}


void
ngx_artifact_marker_walk_end(ngx_artifact_marker_walk_t *walk)
{
    if (walk->dir) {
        (void) closedir(walk->dir);
        walk->dir = NULL;
    }

    ngx_artifact_close(&walk->top);
}


ngx_int_t
ngx_artifact_marker_next(ngx_artifact_marker_walk_t *walk, ngx_uint_t again)
{
    char        bound[NGX_ARTIFACT_MARKER_PLACE + 1];
    ngx_int_t   rc;
    ngx_uint_t  inclusive;

    if (walk->dir) {
        (void) closedir(walk->dir);
        walk->dir = NULL;
    }

    if (walk->top == NGX_INVALID_FILE) {
        return NGX_DONE;
    }

    inclusive = again || !walk->placed;
    walk->placed = 1;

    /* within the same folder, then in the nearest one that has any */

    if (walk->place[0] != '\0') {
        rc = ngx_artifact_marker_leaf(walk, walk->place
                                            + NGX_ARTIFACT_MARKER_FOLDER,
                                      inclusive);
        if (rc != NGX_DONE) {
            return rc;
        }
    }

    do {
        (void) ngx_cpystrn((u_char *) bound, (u_char *) walk->place,
                           NGX_ARTIFACT_MARKER_FOLDER + 1);

        rc = ngx_artifact_marker_near(walk, walk->top,
                                      NGX_ARTIFACT_MARKER_FOLDER, bound, 0,
                                      walk->place);
        if (rc != NGX_OK) {
            return rc;
        }

        rc = ngx_artifact_marker_leaf(walk, "", 0);

    } while (rc == NGX_DONE);

    return rc;
}


/* Opens the nearest folder in that of walk->place; "bound" as below. */

static ngx_int_t
ngx_artifact_marker_leaf(ngx_artifact_marker_walk_t *walk, const char *bound,
    ngx_uint_t inclusive)
{
    char       name[NGX_ARTIFACT_MARKER_FOLDER + 1];
    ngx_fd_t   folder, fd;
    ngx_int_t  rc;

    (void) ngx_cpystrn((u_char *) name, (u_char *) walk->place, sizeof(name));

    folder = ngx_artifact_folder(walk->top, name, 0700, 0);

    if (folder == NGX_INVALID_FILE) {
        return ngx_errno == NGX_ENOENT ? NGX_DONE : NGX_ERROR;
    }

    rc = ngx_artifact_marker_near(walk, folder, NGX_ARTIFACT_MARKER_LEAF,
                                  bound, inclusive,
                                  walk->place + NGX_ARTIFACT_MARKER_FOLDER);
    if (rc == NGX_OK) {
        fd = ngx_artifact_folder(folder,
                                 walk->place + NGX_ARTIFACT_MARKER_FOLDER,
                                 0700, 0);

        walk->dir = fd == NGX_INVALID_FILE ? NULL : fdopendir(fd);

        /* removed meanwhile: it is as if it were empty */

        if (walk->dir == NULL) {
            rc = NGX_ERROR;

            if (fd == NGX_INVALID_FILE && ngx_errno == NGX_ENOENT) {
                rc = NGX_OK;
            }

            ngx_artifact_close(&fd);
        }
    }

    ngx_artifact_close(&folder);

    return rc;
}


/*
 * Finds the name of "len" digits that is the nearest one beyond "bound", or at
 * it; without a bound, the first one.  NGX_DONE if there is none.
 */

static ngx_int_t
ngx_artifact_marker_near(ngx_artifact_marker_walk_t *walk, ngx_fd_t folder,
    size_t len, const char *bound, ngx_uint_t inclusive, char *found)
{
    DIR            *dir;
    char            best[NGX_ARTIFACT_MARKER_PLACE + 1];
    ngx_fd_t        fd;
    struct dirent  *entry;

    best[0] = '\0';
    fd = openat(folder, ".", O_RDONLY|O_DIRECTORY|O_CLOEXEC);
    dir = fd == NGX_INVALID_FILE ? NULL : fdopendir(fd);

    if (dir == NULL) {
        ngx_artifact_close(&fd);
        return NGX_ERROR;
    }

    while ((entry = readdir(dir)) != NULL) {

        if (strspn(entry->d_name, "0123456789abcdef") == len
            && entry->d_name[len] == '\0'
            && ngx_artifact_marker_follows(walk, entry->d_name, bound,
                                           inclusive)
            && (best[0] == '\0'
                || (ngx_strcmp(entry->d_name, best) < 0) != walk->back))
        {
            ngx_memcpy(best, entry->d_name, len + 1);
        }
    }

    (void) closedir(dir);

    if (best[0] == '\0') {
        return NGX_DONE;
    }

    ngx_memcpy(found, best, len + 1);

    return NGX_OK;
}


static ngx_uint_t
ngx_artifact_marker_follows(ngx_artifact_marker_walk_t *walk,
    const char *name, const char *bound, ngx_uint_t inclusive)
{
    ngx_int_t  rc;

    if (bound[0] == '\0') {
        return 1;
    }

    rc = ngx_strcmp(name, bound);

    return rc == 0 ? inclusive : (rc < 0) == walk->back;
}


ngx_uint_t
ngx_artifact_marker_is(const char *name)
{
    return ngx_strlen(name) == ART_UUID_LEN
           && strspn(name, "0123456789abcdef-") == ART_UUID_LEN
           && name[NGX_ARTIFACT_MARKER_VERSION] == '7';
}
