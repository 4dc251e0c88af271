
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Opening a file beneath a folder without a race: the kernel resolves the
 * path (openat2, Linux 5.6), or, where it cannot, the path is walked here.
 */


#include "store/disk/ngx_artifact_beneath.h"

#include <sys/syscall.h>

#if defined(SYS_openat2)
#include <linux/openat2.h>
#define NGX_ARTIFACT_OPENAT2  1
#else
#define NGX_ARTIFACT_OPENAT2  0
#endif


/* The kernel's own limits of links and of bytes in a path. */

#define NGX_ARTIFACT_LINKS  40
#define NGX_ARTIFACT_PATH   4096

/* How often a look-up that met a rename is tried again. */

#define NGX_ARTIFACT_TRIES  16


/*
 * The state of a walk: the plain folders passed so far, as a path and as the
 * descriptor of the last one, and the rest of the path.
 */

typedef struct {
    ngx_fd_t    folder;
    ngx_fd_t    fd;
    ngx_uint_t  links;
    char        done[NGX_ARTIFACT_PATH];
    char        rest[NGX_ARTIFACT_PATH];
} ngx_artifact_beneath_t;


static ngx_uint_t ngx_artifact_replaced(ngx_fd_t folder, const char *path,
    int flags, ngx_uint_t follow);
static ngx_fd_t ngx_artifact_openat_once(ngx_fd_t folder, const char *path,
    int flags, ngx_uint_t follow);
static ngx_fd_t ngx_artifact_beneath(ngx_fd_t folder, const char *path,
    int flags, ngx_uint_t follow);
static ngx_int_t ngx_artifact_beneath_step(ngx_artifact_beneath_t *walk,
    int flags, ngx_uint_t follow, ngx_fd_t *fd);
static ngx_int_t ngx_artifact_beneath_down(ngx_artifact_beneath_t *walk,
    const char *name);
static ngx_int_t ngx_artifact_beneath_up(ngx_artifact_beneath_t *walk);
static ngx_int_t ngx_artifact_beneath_link(ngx_artifact_beneath_t *walk,
    const char *name, const char *rest);


ngx_fd_t
ngx_artifact_openat(ngx_fd_t folder, const char *path, int flags,
    ngx_uint_t follow)
{
    return ngx_artifact_open_info(folder, path, flags, follow, NULL);
}


/*
 * Network file systems look a name up first, and then open what was found.  If
 * the file is replaced in between, opening it fails, though a file of this name
 * existed all the time.
 */

ngx_fd_t
ngx_artifact_open_info(ngx_fd_t folder, const char *path, int flags,
    ngx_uint_t follow, ngx_file_info_t *info)
{
    ngx_fd_t    fd;
    ngx_uint_t  tries, again;

    for (tries = 1; /* void */ ; tries++) {

        fd = ngx_artifact_openat_once(folder, path, flags, follow);

        if (fd == NGX_INVALID_FILE) {
            again = ngx_artifact_replaced(folder, path, flags, follow);

        } else {
            if (info == NULL || ngx_fd_info(fd, info) != NGX_FILE_ERROR) {
                return fd;
            }

            again = (ngx_errno == NGX_ENOENT || ngx_errno == ESTALE);

            ngx_artifact_close(&fd);
        }

        if (!again || tries == NGX_ARTIFACT_TRIES) {
            return NGX_INVALID_FILE;
        }
    }
}


/* Whether there is a file although opening it failed; keeps errno. */

static ngx_uint_t
ngx_artifact_replaced(ngx_fd_t folder, const char *path, int flags,
    ngx_uint_t follow)
{
    ngx_fd_t    fd;
    ngx_err_t   err;
    ngx_uint_t  there;

    err = ngx_errno;

    if (err != NGX_ENOENT || (flags & O_PATH)) {
        return err == ESTALE;
    }

    fd = ngx_artifact_openat_once(folder, path, O_PATH, follow);

    there = (fd != NGX_INVALID_FILE);

    ngx_artifact_close(&fd);
    ngx_set_errno(err);

    return there;
}


static ngx_fd_t
ngx_artifact_openat_once(ngx_fd_t folder, const char *path, int flags,
    ngx_uint_t follow)
{
    /* openat2() rejects flags that mean nothing with O_PATH */

    flags |= (flags & O_PATH) ? O_CLOEXEC
                              : O_CLOEXEC|O_NOCTTY|O_NONBLOCK|O_LARGEFILE;

#if (NGX_ARTIFACT_OPENAT2)
    {
    long             fd;
    ngx_uint_t       tries;
    struct open_how  how;

    ngx_memzero(&how, sizeof(struct open_how));

    how.flags = (unsigned) flags;
    how.resolve = RESOLVE_BENEATH|RESOLVE_NO_MAGICLINKS
                  |(follow ? 0 : RESOLVE_NO_SYMLINKS);

    for (tries = 0; tries < NGX_ARTIFACT_TRIES; tries++) {

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

    return ngx_artifact_beneath(folder, path, flags, follow);
}


/*
 * Resolves a path as the kernel does, a component at a time, none of them
 * through a link: a link's target is put in front of the rest of the path.
 */

static ngx_fd_t
ngx_artifact_beneath(ngx_fd_t folder, const char *path, int flags,
    ngx_uint_t follow)
{
    ngx_fd_t                fd;
    ngx_err_t               err;
    ngx_int_t               rc;
    ngx_artifact_beneath_t  walk;

    if (ngx_strlen(path) >= sizeof(walk.rest)) {
        ngx_set_errno(ENAMETOOLONG);
        return NGX_INVALID_FILE;
    }

    walk.folder = folder;
    walk.fd = folder;
    walk.done[0] = '\0';
    ngx_memcpy(walk.rest, path, ngx_strlen(path) + 1);

    walk.links = 0;

    do {
        rc = ngx_artifact_beneath_step(&walk, flags, follow, &fd);
    } while (rc == NGX_AGAIN);

    err = ngx_errno;

    if (walk.fd != folder) {
        (void) ngx_close_file(walk.fd);
    }

    ngx_set_errno(err);

    return rc == NGX_OK ? fd : NGX_INVALID_FILE;
}


/* Takes one component; NGX_OK when *fd is what the path names. */

static ngx_int_t
ngx_artifact_beneath_step(ngx_artifact_beneath_t *walk, int flags,
    ngx_uint_t follow, ngx_fd_t *fd)
{
    char      *name, *next;
    char       buf[NGX_ARTIFACT_PATH];
    ngx_err_t  err;

    ngx_memcpy(buf, walk->rest, ngx_strlen(walk->rest) + 1);

    name = buf + strspn(buf, "/");
    next = name + strcspn(name, "/");

    /* the rest keeps its slash: what precedes it is a folder */

    ngx_memcpy(walk->rest, next, ngx_strlen(next) + 1);
    *next = '\0';

    if (ngx_strcmp(name, "..") == 0) {

        if (ngx_artifact_beneath_up(walk) != NGX_OK) {
            return NGX_ERROR;
        }

        name = (char *) ".";
    }

    if (*name == '\0' || ngx_strcmp(name, ".") == 0) {

        if (walk->rest[0] != '\0') {
            return NGX_AGAIN;
        }

        *fd = openat(walk->fd, ".", flags);

        return *fd == NGX_INVALID_FILE ? NGX_ERROR : NGX_OK;
    }

    if (walk->rest[0] == '\0') {
        *fd = openat(walk->fd, name, flags|O_NOFOLLOW);

        if (*fd != NGX_INVALID_FILE) {
            return NGX_OK;
        }

    } else if (ngx_artifact_beneath_down(walk, name) == NGX_OK) {
        return NGX_AGAIN;
    }

    if (!follow || walk->links++ == NGX_ARTIFACT_LINKS) {
        return NGX_ERROR;
    }

    err = ngx_errno;

    if (ngx_artifact_beneath_link(walk, name, walk->rest) == NGX_OK) {
        return NGX_AGAIN;
    }

    if (ngx_errno == EINVAL) {

        /* not a link: the first error counts */

        ngx_set_errno(err);
    }

    return NGX_ERROR;
}


/* Enters a plain folder; NGX_ERROR with errno. */

static ngx_int_t
ngx_artifact_beneath_down(ngx_artifact_beneath_t *walk, const char *name)
{
    size_t    len, n;
    ngx_fd_t  fd;

    len = ngx_strlen(walk->done);
    n = ngx_strlen(name);

    if (len + n + 2 > sizeof(walk->done)) {
        ngx_set_errno(ENAMETOOLONG);
        return NGX_ERROR;
    }

    fd = openat(walk->fd, name, O_PATH|O_DIRECTORY|O_NOFOLLOW|O_CLOEXEC);

    if (fd == NGX_INVALID_FILE) {
        return NGX_ERROR;
    }

    if (walk->fd != walk->folder) {
        (void) ngx_close_file(walk->fd);
    }

    walk->fd = fd;
    walk->done[len] = '/';
    ngx_memcpy(walk->done + len + 1, name, n + 1);

    return NGX_OK;
}


/*
 * Leaves a folder.  Its ".." is not used, because the folder may have been
 * moved since: the folders before it are walked again.
 */

static ngx_int_t
ngx_artifact_beneath_up(ngx_artifact_beneath_t *walk)
{
    char  *p, *name, *last;
    char   passed[NGX_ARTIFACT_PATH];

    last = strrchr(walk->done, '/');

    if (last == NULL) {
        ngx_set_errno(EXDEV);
        return NGX_ERROR;
    }

    *last = '\0';
    ngx_memcpy(passed, walk->done, ngx_strlen(walk->done) + 1);

    if (walk->fd != walk->folder) {
        (void) ngx_close_file(walk->fd);
    }

    walk->fd = walk->folder;
    walk->done[0] = '\0';

    for (name = passed; *name != '\0'; name = p) {
        name++;
        p = name + strcspn(name, "/");

        if (*p == '/') {
            *p = '\0';

            if (ngx_artifact_beneath_down(walk, name) != NGX_OK) {
                return NGX_ERROR;
            }

            *p = '/';
            continue;
        }

        return ngx_artifact_beneath_down(walk, name);
    }

    return NGX_OK;
}


/* Puts the target of a link in front of the rest; EINVAL if it is no link. */

static ngx_int_t
ngx_artifact_beneath_link(ngx_artifact_beneath_t *walk, const char *name,
    const char *rest)
{
    char     target[NGX_ARTIFACT_PATH];
    size_t   len;
    ssize_t  n;

    n = readlinkat(walk->fd, name, target, sizeof(target));

    if (n == -1) {
        return NGX_ERROR;
    }

    len = ngx_strlen(rest);

    if ((size_t) n + len >= sizeof(walk->rest)) {
        ngx_set_errno(ENAMETOOLONG);
        return NGX_ERROR;
    }

    if (n > 0 && target[0] == '/') {
        ngx_set_errno(EXDEV);
        return NGX_ERROR;
    }

    ngx_memmove(walk->rest + n, rest, len + 1);
    ngx_memcpy(walk->rest, target, (size_t) n);

    return NGX_OK;
}


ngx_int_t
ngx_artifact_stat(ngx_fd_t folder, const char *path, ngx_uint_t follow,
    ngx_file_info_t *info)
{
    ngx_fd_t    fd;
    ngx_uint_t  i;

    /* where openat2() is missing, O_PATH opens a link itself */

    static const int  flags[] = { O_PATH, O_RDONLY };

    for (i = 0; i < 2; i++) {
        fd = ngx_artifact_open_info(folder, path, flags[i], follow, info);

        if (fd == NGX_INVALID_FILE) {
            return NGX_DECLINED;
        }

        (void) ngx_close_file(fd);

        if (ngx_is_file(info) || ngx_is_dir(info)) {
            return NGX_OK;
        }

        if (!ngx_is_link(info) || !follow) {
            break;
        }
    }

    ngx_set_errno(NGX_ENOENT);

    return NGX_DECLINED;
}


ngx_uint_t
ngx_artifact_unreachable(ngx_err_t err)
{
    switch (err) {

    case ENOTCONN:               /* a network file system without its peers */
    case NGX_ECONNABORTED:       /* ... as it loses them, with FUSE */
    case ESTALE:
    case EHOSTDOWN:
    case NGX_EHOSTUNREACH:
    case NGX_ETIMEDOUT:
        return 1;

    default:
        return 0;
    }
}


void
ngx_artifact_close(ngx_fd_t *fd)
{
    ngx_err_t  err;

    if (*fd != NGX_INVALID_FILE) {
        err = ngx_errno;

        (void) ngx_close_file(*fd);
        *fd = NGX_INVALID_FILE;

        ngx_set_errno(err);
    }
}
