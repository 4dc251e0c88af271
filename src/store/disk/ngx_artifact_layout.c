
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "store/disk/ngx_artifact_layout.h"
#include "store/disk/ngx_artifact_beneath.h"

#include <ngx_md5.h>

#include <dirent.h>


const art_ref_layout_t *
ngx_artifact_layout_try(const ngx_artifact_layout_t *layout, ngx_uint_t i)
{
    if (i > 0 && (i > 2 || !layout->changes)) {
        return NULL;
    }

    return i == 1 ? &layout->old : &layout->layout;
}


void
ngx_artifact_subfolder_of(const art_ref_layout_t *layout, art_str_t id,
    ngx_artifact_subfolder_t *sub)
{
    u_char     hash[ART_REF_LAYOUT_HASH];
    ngx_md5_t  md5;

    sub->len = 0;

    if (layout->n > 0) {
        ngx_md5_init(&md5);
        ngx_md5_update(&md5, id.data, id.len);
        ngx_md5_final(hash, &md5);

        sub->len = art_ref_layout_place(layout, hash, sub->path);
    }

    sub->path[sub->len] = '\0';
}


ngx_uint_t
ngx_artifact_subfolder_try(const ngx_artifact_layout_t *layout, ngx_uint_t i,
    art_str_t id, ngx_artifact_subfolder_t *sub)
{
    const art_ref_layout_t  *one;

    one = ngx_artifact_layout_try(layout, i);

    if (one) {
        ngx_artifact_subfolder_of(one, id, sub);
    }

    return one != NULL;
}


/*
 * The name may be that of a file instead of a folder, of a link that leads out,
 * or of a socket; and with an extension, an id may be too long.
 */

ngx_uint_t
ngx_artifact_is_missing(ngx_err_t err)
{
    return err == NGX_ENOENT || err == NGX_ENOTDIR || err == NGX_ELOOP
           || err == NGX_EXDEV || err == NGX_ENAMETOOLONG || err == ENXIO
           || err == ENODEV;
}


DIR *
ngx_artifact_subfolder_open(ngx_fd_t folder,
    const ngx_artifact_subfolder_t *sub, ngx_uint_t follow)
{
    DIR       *dir;
    ngx_fd_t   fd;

    fd = ngx_artifact_openat(folder, sub->len ? (char *) sub->path : ".",
                             O_RDONLY|O_DIRECTORY, follow);

    if (fd == NGX_INVALID_FILE) {

        if (sub->len && ngx_artifact_is_missing(ngx_errno)) {
            ngx_set_errno(0);
        }

        return NULL;
    }

    dir = fdopendir(fd);

    if (dir == NULL) {
        ngx_artifact_close(&fd);
    }

    return dir;
}
