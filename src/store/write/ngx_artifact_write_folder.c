
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The folder of a workspace's file that is to be written or removed: opened
 * one component at a time, none of them through a link.  Runs in threads.
 */


#include "store/write/ngx_artifact_write_folder.h"
#include "store/disk/ngx_artifact_beneath.h"

#include "core/ref/art_id.h"


static ngx_int_t ngx_artifact_folder_enter(ngx_artifact_write_job_t *job,
    ngx_fd_t folder, char *path, ngx_uint_t depth, ngx_uint_t create,
    ngx_artifact_write_act_pt act);
static ngx_int_t ngx_artifact_folder_make(ngx_artifact_write_job_t *job,
    ngx_fd_t folder, const char *name, ngx_uint_t depth, ngx_uint_t create);
static ngx_int_t ngx_artifact_folder_error(ngx_artifact_write_job_t *job,
    ngx_fd_t folder, const char *name);


/* The path has the workspace as its first component. */

ngx_int_t
ngx_artifact_write_in_folder(ngx_artifact_write_job_t *job,
    ngx_uint_t create, ngx_artifact_write_act_pt act)
{
    char       path[ART_ID_NAME_MAX + 1 + ART_ID_PATH_MAX + 1];
    ngx_fd_t   root, folder;
    ngx_int_t  rc;

    (void) ngx_snprintf((u_char *) path, sizeof(path), "%*s/%*s%Z",
                        job->workspace.len, job->workspace.data,
                        job->path.len, job->path.data);

    job->bound = 0;
    job->exists = 0;

    if (job->area.folder != NGX_INVALID_FILE) {
        return ngx_artifact_folder_enter(job, job->area.folder, path, 0,
                                         create, act);
    }

    /* only to look: nothing is made, not even our own folder */

    root = open((char *) job->root.data, O_PATH|O_DIRECTORY|O_CLOEXEC);

    if (root == NGX_INVALID_FILE) {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
    }

    folder = openat(root, "workspaces",
                    O_PATH|O_DIRECTORY|O_NOFOLLOW|O_CLOEXEC);

    ngx_artifact_close(&root);

    rc = folder == NGX_INVALID_FILE
         ? ngx_artifact_folder_make(job, folder, path, 0, create)
         : ngx_artifact_folder_enter(job, folder, path, 0, create, act);

    ngx_artifact_close(&folder);

    return rc;
}


/*
 * Enters the path's first folder, made if it has to be, and goes on from
 * there; what was made is removed again if the write fails.  It is durable,
 * whoever has made it, before anything is in it.
 */

static ngx_int_t
ngx_artifact_folder_enter(ngx_artifact_write_job_t *job, ngx_fd_t folder,
    char *path, ngx_uint_t depth, ngx_uint_t create,
    ngx_artifact_write_act_pt act)
{
    int          flags;
    char        *slash;
    ngx_fd_t     fd;
    ngx_int_t    rc;
    ngx_uint_t   made;

    slash = strchr(path, '/');

    if (slash == NULL) {
        return act(job, folder, path);
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

        rc = ngx_artifact_folder_make(job, folder, path, depth, create);

        if (rc != NGX_AGAIN) {
            return rc;
        }

        made = 1;
        fd = openat(folder, path, flags);
    }

    if (fd == NGX_INVALID_FILE) {
        rc = ngx_artifact_folder_error(job, folder, path);

    } else if (create && job->sync
               && ngx_artifact_settle(folder, fd) != NGX_OK)
    {
        rc = ngx_artifact_write_fail(job, ART_ERR_MAX, "fsync");

    } else {
        job->bound = 1;
        rc = ngx_artifact_folder_enter(job, fd, slash + 1, depth + 1, create,
                                       act);
    }

    ngx_artifact_close(&fd);

    if (made && !job->published) {
        (void) unlinkat(folder, path, AT_REMOVEDIR);
    }

    return rc;
}


/* NGX_AGAIN if the folder has been made; else what its absence means. */

static ngx_int_t
ngx_artifact_folder_make(ngx_artifact_write_job_t *job, ngx_fd_t folder,
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


/* A folder that cannot be opened: a link or a file may be in its place. */

static ngx_int_t
ngx_artifact_folder_error(ngx_artifact_write_job_t *job, ngx_fd_t folder,
    const char *name)
{
    ngx_file_info_t  info;

    if ((ngx_errno != NGX_ENOTDIR && ngx_errno != NGX_ELOOP)
        || fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == -1)
    {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
    }

    if (S_ISLNK(info.st_mode)) {
        return ngx_artifact_write_fail(job, ART_ERR_TRAVERSAL, NULL);
    }

    if (job->remove) {
        return ngx_artifact_write_fail(job, job->bound ? ART_ERR_NOT_FOUND
                                                       : ART_ERR_NOT_BOUND,
                                       NULL);
    }

    return ngx_artifact_write_fail(job, ART_ERR_CONFLICT, NULL);
}
