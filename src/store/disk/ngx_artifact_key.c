
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A key is written to a temporary file and renamed under a lock, so nobody sees
 * half of it, and nobody makes another one meanwhile.  It is synced always: if
 * it were lost, no content would be known any more.
 */


#include "store/disk/ngx_artifact_key.h"
#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_beneath.h"

#include <sys/random.h>


static ngx_int_t ngx_artifact_key_read(ngx_fd_t control, u_char *key,
    const char **action);
static ngx_int_t ngx_artifact_key_make(ngx_fd_t control, u_char *key,
    const char **action);


ngx_int_t
ngx_artifact_key(ngx_fd_t control, u_char *key, const char **action)
{
    ngx_fd_t   lock;
    ngx_int_t  rc;

    rc = ngx_artifact_key_read(control, key, action);

    if (rc != NGX_DECLINED) {
        return rc;
    }

    lock = ngx_artifact_lock(control, art_cstr(NGX_ARTIFACT_KEY),
                             NGX_ARTIFACT_APPEND, 1);

    if (lock == NGX_INVALID_FILE) {
        *action = "lock";
        return NGX_ERROR;
    }

    rc = ngx_artifact_key_read(control, key, action);

    if (rc == NGX_DECLINED) {
        rc = ngx_artifact_key_make(control, key, action);
    }

    ngx_artifact_close(&lock);

    return rc;
}


/* NGX_DECLINED if the root has no key yet. */

static ngx_int_t
ngx_artifact_key_read(ngx_fd_t control, u_char *key, const char **action)
{
    ssize_t          n;
    ngx_fd_t         fd;
    ngx_file_info_t  info;

    *action = "open";

    fd = openat(control, NGX_ARTIFACT_KEY,
                O_RDONLY|O_NOFOLLOW|O_NONBLOCK|O_CLOEXEC);

    if (fd == NGX_INVALID_FILE) {
        return ngx_errno == NGX_ENOENT ? NGX_DECLINED : NGX_ERROR;
    }

    *action = "read";
    n = NGX_ERROR;

    if (ngx_fd_info(fd, &info) != NGX_FILE_ERROR) {
        n = ngx_is_file(&info) && info.st_size == NGX_ARTIFACT_KEY_SIZE
            ? ngx_artifact_read_all(fd, key, NGX_ARTIFACT_KEY_SIZE, 0) : 0;
    }

    ngx_artifact_close(&fd);

    if (n >= 0 && n != NGX_ARTIFACT_KEY_SIZE) {
        *action = "a key is a file of 32 bytes: read";
        ngx_set_errno(EINVAL);
    }

    return n == NGX_ARTIFACT_KEY_SIZE ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_artifact_key_make(ngx_fd_t control, u_char *key, const char **action)
{
    ngx_int_t            rc;
    ngx_artifact_temp_t  temp;

    *action = "getrandom";

    if (getrandom(key, NGX_ARTIFACT_KEY_SIZE, 0) != NGX_ARTIFACT_KEY_SIZE) {
        return NGX_ERROR;
    }

    *action = "open";

    if (ngx_artifact_temp_open(&temp, control, NULL) != NGX_OK) {
        return NGX_ERROR;
    }

    *action = "write";
    rc = NGX_ERROR;

    if (fchmod(temp.fd, 0600) == 0
        && ngx_artifact_write_all(temp.fd, key, NGX_ARTIFACT_KEY_SIZE, 0)
           == NGX_OK
        && fsync(temp.fd) == 0
        && renameat(control, (char *) temp.name, control, NGX_ARTIFACT_KEY)
           == 0)
    {
        rc = NGX_OK;
    }

    ngx_artifact_temp_close(&temp, control, rc == NGX_OK);

    if (rc == NGX_OK && fsync(control) == -1) {
        *action = "fsync";
        rc = NGX_ERROR;
    }

    return rc;
}
