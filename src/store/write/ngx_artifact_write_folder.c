
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
    ngx_fd_t top, char *path, ngx_uint_t create,
    ngx_artifact_write_act_pt act);
static ngx_int_t ngx_artifact_folder_next(ngx_artifact_write_job_t *job,
    ngx_fd_t folder, const char *name, ngx_uint_t depth, ngx_uint_t create,
    ngx_fd_t *fd, ngx_uint_t *made);
static void ngx_artifact_folder_unmake(ngx_fd_t top, char *path, char *first,
    char *end);
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
        return ngx_artifact_folder_enter(job, job->area.folder, path, create,
                                         act);
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
         : ngx_artifact_folder_enter(job, folder, path, create, act);

    ngx_artifact_close(&folder);

    return rc;
}


/*
 * Enters the folders of the path one after the other, made if they have to be:
 * two of them are open at a time, however many there are.  What was made is
 * removed again if the write fails.
 */

static ngx_int_t
ngx_artifact_folder_enter(ngx_artifact_write_job_t *job, ngx_fd_t top,
    char *path, ngx_uint_t create, ngx_artifact_write_act_pt act)
{
    char        *name, *slash, *first;
    ngx_fd_t     folder, fd;
    ngx_int_t    rc;
    ngx_uint_t   depth, made;

    rc = NGX_OK;
    first = NULL;
    folder = top;
    depth = 0;

    for (name = path; (slash = strchr(name, '/')) != NULL; name = slash + 1) {
        made = 0;

        *slash = '\0';
        rc = ngx_artifact_folder_next(job, folder, name, depth++, create, &fd,
                                      &made);
        *slash = '/';

        if (made && first == NULL) {
            first = name;
        }

        if (folder != top) {
            ngx_artifact_close(&folder);
        }

        folder = fd;

        if (fd == NGX_INVALID_FILE) {
            break;
        }
    }

    if (slash == NULL) {
        rc = act(job, folder, name);
    }

    if (folder != top) {
        ngx_artifact_close(&folder);
    }

    if (first && !job->published) {
        ngx_artifact_folder_unmake(top, path, first, slash ? slash : name - 1);
    }

    return rc;
}


/*
 * Opens a folder, which is durable then, whoever has made it, before anything
 * is in it; *fd is invalid if the write ends with what is returned.
 */

static ngx_int_t
ngx_artifact_folder_next(ngx_artifact_write_job_t *job, ngx_fd_t folder,
    const char *name, ngx_uint_t depth, ngx_uint_t create, ngx_fd_t *fd,
    ngx_uint_t *made)
{
    int        flags;
    ngx_int_t  rc;

    *fd = NGX_INVALID_FILE;

    if (depth == NGX_ARTIFACT_DEPTH) {
        ngx_set_errno(NGX_ENAMETOOLONG);
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
    }

    flags = O_DIRECTORY|O_NOFOLLOW|O_CLOEXEC
            |(job->sync && create ? O_RDONLY : O_PATH);

    *fd = openat(folder, name, flags);

    if (*fd == NGX_INVALID_FILE && ngx_errno == NGX_ENOENT) {

        rc = ngx_artifact_folder_make(job, folder, name, depth, create);

        if (rc != NGX_AGAIN) {
            return rc;
        }

        *made = 1;
        *fd = openat(folder, name, flags);
    }

    if (*fd == NGX_INVALID_FILE) {
        return ngx_artifact_folder_error(job, folder, name);
    }

    if (create && job->sync && ngx_artifact_settle(folder, *fd) != NGX_OK) {
        ngx_artifact_close(fd);
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "fsync");
    }

    job->bound = 1;

    return NGX_OK;
}


/*
 * Removes the folders from the one named at "first" to the one that ends at
 * "end", the innermost first, as far as they are empty.
 */

static void
ngx_artifact_folder_unmake(ngx_fd_t top, char *path, char *first, char *end)
{
    int        rc;
    char      *name;
    ngx_fd_t   folder;

    for ( /* void */ ; end > first; end = name - 1) {
        *end = '\0';

        name = strrchr(path, '/');
        name = name ? name + 1 : path;

        if (name == path) {
            (void) unlinkat(top, name, AT_REMOVEDIR);
            break;
        }

        name[-1] = '\0';
        folder = ngx_artifact_openat(top, path, O_PATH|O_DIRECTORY, 0);

        if (folder == NGX_INVALID_FILE) {
            break;
        }

        rc = unlinkat(folder, name, AT_REMOVEDIR);

        ngx_artifact_close(&folder);

        /* the last one may be what could not be made */

        if (rc == -1 && ngx_errno != NGX_ENOENT) {
            break;
        }
    }
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
