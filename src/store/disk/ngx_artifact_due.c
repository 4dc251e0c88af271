
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "store/disk/ngx_artifact_due.h"
#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_beneath.h"


/* A folder may be removed between its making and the marker's, rarely. */

#define NGX_ARTIFACT_DUE_TRIES  10


static ngx_int_t ngx_artifact_due_make(ngx_fd_t due, const char *folder,
    const char *id, ngx_uint_t sync);


ngx_int_t
ngx_artifact_due_mark(ngx_fd_t control, const char *id, uint64_t until,
    ngx_uint_t sync)
{
    u_char      folder[NGX_ARTIFACT_DUE_NAME];
    ngx_fd_t    due;
    ngx_int_t   rc;
    ngx_uint_t  i;

    (void) ngx_snprintf(folder, sizeof(folder), "%uL%Z",
                        ngx_artifact_due_span(until));

    due = ngx_artifact_folder(control, NGX_ARTIFACT_DUE, 0700, 1);

    if (due == NGX_INVALID_FILE) {
        return NGX_ERROR;
    }

    i = 0;

    do {
        rc = ngx_artifact_due_make(due, (char *) folder, id, sync);

    } while (rc == NGX_ERROR && ngx_errno == NGX_ENOENT
             && ++i < NGX_ARTIFACT_DUE_TRIES);

    ngx_artifact_close(&due);

    return rc;
}


static ngx_int_t
ngx_artifact_due_make(ngx_fd_t due, const char *folder, const char *id,
    ngx_uint_t sync)
{
    ngx_fd_t   fd, in;
    ngx_int_t  rc;

    in = ngx_artifact_folder(due, folder, 0700, 1);

    if (in == NGX_INVALID_FILE) {
        return NGX_ERROR;
    }

    fd = openat(in, id, O_WRONLY|O_CREAT|O_NOFOLLOW|O_NONBLOCK|O_CLOEXEC,
                0600);

    rc = fd == NGX_INVALID_FILE || (sync && fsync(in) == -1) ? NGX_ERROR
                                                             : NGX_OK;

    ngx_artifact_close(&fd);
    ngx_artifact_close(&in);

    return rc;
}
