
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Opening files beneath a folder, and closing them.
 */


#ifndef NGX_ARTIFACT_BENEATH_H_INCLUDED_
#define NGX_ARTIFACT_BENEATH_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * Opens "path" beneath a folder, never through a symbolic link that leads out
 * of it ("follow"), or through none at all.  "flags" are open(2)'s; returns a
 * descriptor owned by the caller, or NGX_INVALID_FILE with errno.
 */

ngx_fd_t ngx_artifact_openat(ngx_fd_t folder, const char *path, int flags,
    ngx_uint_t follow);

/*
 * The same, and tells what was opened.  A file that is replaced all the time is
 * found as one or the other, on file systems of several machines, too.
 */

ngx_fd_t ngx_artifact_open_info(ngx_fd_t folder, const char *path, int flags,
    ngx_uint_t follow, ngx_file_info_t *info);


/*
 * What a path beneath a folder is, through links that stay inside if "follow"
 * is set: NGX_OK for a regular file or a folder, else NGX_DECLINED with errno.
 */

ngx_int_t ngx_artifact_stat(ngx_fd_t folder, const char *path,
    ngx_uint_t follow, ngx_file_info_t *info);


/* Whether an errno says that the storage is gone, not that a file is. */

ngx_uint_t ngx_artifact_unreachable(ngx_err_t err);


/*
 * Closes a descriptor, unless it is NGX_INVALID_FILE, which it is afterwards.
 * errno stays as it is.
 */

void ngx_artifact_close(ngx_fd_t *fd);


#endif /* NGX_ARTIFACT_BENEATH_H_INCLUDED_ */
