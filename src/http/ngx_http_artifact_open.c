
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Opening a file beneath a folder without a race: the kernel resolves the
 * path (openat2, Linux 5.6), or, where it cannot, each component is opened by
 * itself and links are resolved here.
 */


#include "ngx_http_artifact.h"

#include <sys/syscall.h>

#if defined(SYS_openat2)
#include <linux/openat2.h>
#define NGX_HTTP_ARTIFACT_OPENAT2  1
#else
#define NGX_HTTP_ARTIFACT_OPENAT2  0
#endif


/* Both are the kernel's own limits. */

#define NGX_HTTP_ARTIFACT_LINKS  40
#define NGX_HTTP_ARTIFACT_PATH   4096

/* How often a look-up that met a rename is tried again. */

#define NGX_HTTP_ARTIFACT_TRIES  16


static ngx_fd_t ngx_http_artifact_walk(ngx_fd_t folder, const char *path,
    int flags, ngx_uint_t follow);
static ngx_fd_t ngx_http_artifact_step(ngx_fd_t folder, char *path,
    char **rest, int flags);
static ngx_int_t ngx_http_artifact_expand(ngx_fd_t folder, char *path,
    size_t done, size_t len);


ngx_fd_t
ngx_http_artifact_openat(ngx_fd_t folder, const char *path, int flags,
    ngx_uint_t follow)
{
    /* openat2() refuses flags that mean nothing with O_PATH */

    flags |= (flags & O_PATH) ? O_CLOEXEC : O_CLOEXEC|O_NOCTTY|O_NONBLOCK;

#if (NGX_HTTP_ARTIFACT_OPENAT2)
    {
    long             fd;
    ngx_uint_t       tries;
    struct open_how  how;

    ngx_memzero(&how, sizeof(struct open_how));

    how.flags = (uint64_t) flags;
    how.resolve = RESOLVE_BENEATH|RESOLVE_NO_MAGICLINKS
                  |(follow ? 0 : RESOLVE_NO_SYMLINKS);

    for (tries = 0; tries < NGX_HTTP_ARTIFACT_TRIES; tries++) {

        fd = syscall(SYS_openat2, folder, path, &how, sizeof(how));

        if (fd != -1) {
            return (ngx_fd_t) fd;
        }

        if (ngx_errno != EAGAIN && ngx_errno != EINTR) {
            break;
        }
    }

    /* an old kernel, or a sandbox that does not know the call */

    if (ngx_errno != ENOSYS && ngx_errno != EPERM && ngx_errno != EAGAIN) {
        return NGX_INVALID_FILE;
    }
    }
#endif

    return ngx_http_artifact_walk(folder, path, flags, follow);
}


/*
 * A link found on the way is replaced by its target in the text of the path,
 * and the walk starts again: what is opened in the end was reached through
 * plain folders only, so ".." of a target can be resolved in the text.
 */

static ngx_fd_t
ngx_http_artifact_walk(ngx_fd_t folder, const char *path, int flags,
    ngx_uint_t follow)
{
    char       *rest;
    char        buf[NGX_HTTP_ARTIFACT_PATH];
    u_char      resolved[NGX_HTTP_ARTIFACT_PATH];
    size_t      len;
    unsigned    is_folder;
    ngx_fd_t    fd;
    ngx_uint_t  links;

    for (links = 0; links <= NGX_HTTP_ARTIFACT_LINKS; links++) {

        if (links == 0) {
            len = ngx_strlen(path);

            if (len >= sizeof(buf)) {
                ngx_set_errno(ENAMETOOLONG);
                return NGX_INVALID_FILE;
            }

            ngx_memcpy(buf, path, len + 1);
        }

        fd = ngx_http_artifact_step(folder, buf, &rest, flags);

        if (fd != NGX_INVALID_FILE || ngx_errno != ELOOP || !follow) {
            return fd;
        }

        /* "rest" is the component that is a link, in its folder's place */

        if (ngx_http_artifact_expand(folder, buf, (size_t) (rest - buf),
                                     sizeof(buf))
            != NGX_OK)
        {
            if (ngx_errno == EINVAL) {

                /* no link any more: somebody is renaming, look again */

                continue;
            }

            return NGX_INVALID_FILE;
        }

        if (art_path_resolve(art_cstr(buf), resolved, &len, &is_folder)
            != ART_ID_OK)
        {
            ngx_set_errno(EXDEV);
            return NGX_INVALID_FILE;
        }

        if (len == 0) {
            resolved[len++] = '.';
        }

        ngx_memcpy(buf, resolved, len);
        buf[len] = '\0';
    }

    ngx_set_errno(ELOOP);

    return NGX_INVALID_FILE;
}


/*
 * Opens a path component by component.  On failure *rest is the component
 * that failed; ELOOP (or ENOTDIR, made ELOOP) if that is a link.
 */

static ngx_fd_t
ngx_http_artifact_step(ngx_fd_t folder, char *path, char **rest, int flags)
{
    char         *p, *end;
    ngx_err_t     err;
    ngx_fd_t      fd, parent;
    struct stat   st;

    parent = folder;

    for (p = path; /* void */ ; p = end + 1) {

        *rest = p;
        end = strchr(p, '/');

        if (end) {
            *end = '\0';
            fd = openat(parent, p, O_PATH|O_DIRECTORY|O_NOFOLLOW|O_CLOEXEC);

        } else {
            fd = openat(parent, p, flags|O_NOFOLLOW);
        }

        err = ngx_errno;

        if (fd == NGX_INVALID_FILE
            && fstatat(parent, p, &st, AT_SYMLINK_NOFOLLOW) == 0
            && S_ISLNK(st.st_mode))
        {
            err = ELOOP;
        }

        if (end) {
            *end = '/';
        }

        if (parent != folder) {
            (void) ngx_close_file(parent);
        }

        if (fd == NGX_INVALID_FILE || end == NULL) {
            ngx_set_errno(err);
            return fd;
        }

        parent = fd;
    }
}


/*
 * Replaces the link at path + done by its target.  The link is read from its
 * folder, which the walk has just passed without links.
 */

static ngx_int_t
ngx_http_artifact_expand(ngx_fd_t folder, char *path, size_t done, size_t len)
{
    char      *end;
    char       name[NGX_HTTP_ARTIFACT_PATH], tail[NGX_HTTP_ARTIFACT_PATH];
    size_t     n, tail_len;
    ssize_t    size;
    ngx_fd_t   parent;
    char      *rest;

    end = strchr(path + done, '/');
    n = end ? (size_t) (end - path) - done : ngx_strlen(path + done);

    tail_len = end ? ngx_strlen(end) : 0;
    ngx_memcpy(tail, end ? end : "", tail_len + 1);

    ngx_memcpy(name, path + done, n);
    name[n] = '\0';

    parent = folder;

    if (done > 0) {
        path[done - 1] = '\0';
        parent = ngx_http_artifact_step(folder, path, &rest,
                                        O_PATH|O_DIRECTORY|O_CLOEXEC);
        path[done - 1] = '/';

        if (parent == NGX_INVALID_FILE) {
            return NGX_ERROR;
        }
    }

    size = readlinkat(parent, name, path + done, len - done - 1);

    if (parent != folder) {
        (void) ngx_close_file(parent);
    }

    if (size == -1) {
        return NGX_ERROR;
    }

    if (path[done] == '/') {
        ngx_set_errno(EXDEV);
        return NGX_ERROR;
    }

    if (done + (size_t) size + tail_len + 1 > len) {
        ngx_set_errno(ENAMETOOLONG);
        return NGX_ERROR;
    }

    ngx_memcpy(path + done + size, tail, tail_len + 1);

    return NGX_OK;
}
