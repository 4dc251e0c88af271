
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
 * of it ("follow"), or through none at all.  "flags" are those of open(2).
 * Returns a descriptor owned by the caller, or NGX_INVALID_FILE with errno.
 */

ngx_fd_t ngx_artifact_openat(ngx_fd_t folder, const char *path, int flags,
    ngx_uint_t follow);

/*
 * The same, and sets *info for the opened file.  If the file is being replaced,
 * one version or the other is opened, even on network file systems.
 */

ngx_fd_t ngx_artifact_open_info(ngx_fd_t folder, const char *path, int flags,
    ngx_uint_t follow, ngx_file_info_t *info);


/*
 * Sets *info for a path beneath a folder, through links that stay inside if
 * "follow" is set: NGX_OK for a regular file or a folder, or NGX_DECLINED and
 * errno.
 */

ngx_int_t ngx_artifact_stat(ngx_fd_t folder, const char *path,
    ngx_uint_t follow, ngx_file_info_t *info);


/* Whether an errno means that the storage, not just a file, is gone. */

ngx_uint_t ngx_artifact_unreachable(ngx_err_t err);


/*
 * Closes a descriptor, if there is one, and makes it NGX_INVALID_FILE; errno is
 * unchanged.
 */

void ngx_artifact_close(ngx_fd_t *fd);


#endif /* NGX_ARTIFACT_BENEATH_H_INCLUDED_ */
