
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The way to a file of a workspace that is to be written or removed: one
 * folder at a time, none of them through a link.  Runs in threads.
 */


#include "store/write/ngx_artifact_write_reach.h"

#include "core/ref/art_id.h"


static ngx_int_t ngx_artifact_descend(ngx_artifact_write_job_t *job,
    ngx_fd_t folder, char *path, ngx_uint_t depth, ngx_uint_t create,
    ngx_artifact_write_leaf_pt leaf);
static ngx_int_t ngx_artifact_missing(ngx_artifact_write_job_t *job,
    ngx_fd_t folder, const char *name, ngx_uint_t depth, ngx_uint_t create);
static ngx_int_t ngx_artifact_in_the_way(ngx_artifact_write_job_t *job,
    ngx_fd_t folder, const char *name, ngx_err_t err);


/* The way to the file's folder, with the workspace as its first component. */

ngx_int_t
ngx_artifact_write_reach(ngx_artifact_write_job_t *job, ngx_uint_t create,
    ngx_artifact_write_leaf_pt leaf)
{
    char       path[ART_ID_NAME_MAX + 1 + ART_ID_PATH_MAX + 1];
    ngx_fd_t   folder;
    ngx_int_t  rc;

    (void) ngx_snprintf((u_char *) path, sizeof(path), "%*s/%*s%Z",
                        job->workspace.len, job->workspace.data,
                        job->path.len, job->path.data);

    job->bound = 0;
    job->exists = 0;

    if (job->area.folder != NGX_INVALID_FILE) {
        return ngx_artifact_descend(job, job->area.folder, path, 0,
                                    create, leaf);
    }

    /* only to look: nothing is made, not even our own folder */

    folder = open((char *) job->root.data, O_PATH|O_DIRECTORY|O_CLOEXEC);

    if (folder == NGX_INVALID_FILE) {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
    }

    rc = openat(folder, "workspaces",
                O_PATH|O_DIRECTORY|O_NOFOLLOW|O_CLOEXEC);

    (void) ngx_close_file(folder);

    if (rc == NGX_INVALID_FILE) {
        return ngx_artifact_missing(job, NGX_INVALID_FILE, path, 0,
                                    create);
    }

    folder = (ngx_fd_t) rc;

    rc = ngx_artifact_descend(job, folder, path, 0, create, leaf);

    (void) ngx_close_file(folder);

    return rc;
}


/*
 * Enters the path's first folder, made if it has to be, and goes on from
 * there; what was made is removed again if the write fails, and is durable
 * before it is acknowledged.
 */

static ngx_int_t
ngx_artifact_descend(ngx_artifact_write_job_t *job, ngx_fd_t folder,
    char *path, ngx_uint_t depth, ngx_uint_t create,
    ngx_artifact_write_leaf_pt leaf)
{
    int          flags;
    char        *slash;
    ngx_fd_t     fd;
    ngx_int_t    rc;
    ngx_uint_t   made;

    slash = strchr(path, '/');

    if (slash == NULL) {
        return leaf(job, folder, path);
    }

    if (depth == NGX_ARTIFACT_DEPTH) {
        ngx_set_errno(NGX_ENAMETOOLONG);
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
    }

    *slash = '\0';
    made = 0;

    flags = O_DIRECTORY|O_NOFOLLOW|O_CLOEXEC
            |(job->sync && create ? O_RDONLY : O_PATH);

    fd = openat(folder, path, flags);

    if (fd == NGX_INVALID_FILE && ngx_errno == NGX_ENOENT) {

        rc = ngx_artifact_missing(job, folder, path, depth, create);

        if (rc != NGX_AGAIN) {
            return rc;
        }

        made = 1;
        fd = openat(folder, path, flags);
    }

    if (fd == NGX_INVALID_FILE) {
        rc = ngx_artifact_in_the_way(job, folder, path, ngx_errno);

    } else {
        job->bound = 1;
        rc = ngx_artifact_descend(job, fd, slash + 1, depth + 1, create,
                                  leaf);
        (void) ngx_close_file(fd);
    }

    if (made && !job->published) {
        (void) unlinkat(folder, path, AT_REMOVEDIR);

    } else if (made && rc == NGX_OK && job->sync && fsync(folder) == -1) {
        rc = ngx_artifact_write_fail(job, ART_ERR_MAX, "fsync");
    }

    return rc;
}


/* NGX_AGAIN if the folder has been made; else what its absence means. */

static ngx_int_t
ngx_artifact_missing(ngx_artifact_write_job_t *job, ngx_fd_t folder,
    const char *name, ngx_uint_t depth, ngx_uint_t create)
{
    if (job->remove) {
        return ngx_artifact_write_fail(job, depth ? ART_ERR_NOT_FOUND
                                                     : ART_ERR_NOT_BOUND,
                                       "open");
    }

    if (ngx_artifact_test_preconds(job) != NGX_OK) {
        return NGX_ERROR;
    }

    if (depth == 0 && !art_ref_name_workspace(job->workspace)) {
        return ngx_artifact_write_fail(job, ART_ERR_NAME, NULL);
    }

    if (!create) {
        return NGX_OK;
    }

    if (mkdirat(folder, name, 0755) == -1 && ngx_errno != NGX_EEXIST) {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "mkdir");
    }

    return NGX_AGAIN;
}


static ngx_int_t
ngx_artifact_in_the_way(ngx_artifact_write_job_t *job, ngx_fd_t folder,
    const char *name, ngx_err_t err)
{
    ngx_file_info_t  info;

    if (err == NGX_ENOTDIR || err == NGX_ELOOP) {

        if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == -1) {
            err = ngx_errno;

        } else if (S_ISLNK(info.st_mode)) {
            return ngx_artifact_write_fail(job, ART_ERR_TRAVERSAL, NULL);

        } else if (job->remove) {
            return ngx_artifact_write_fail(job, job->bound
                                                   ? ART_ERR_NOT_FOUND
                                                   : ART_ERR_NOT_BOUND,
                                           NULL);

        } else {
            return ngx_artifact_write_fail(job, ART_ERR_CONFLICT, NULL);
        }
    }

    ngx_set_errno(err);

    return ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
}
