
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "store/disk/ngx_artifact_place.h"
#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_beneath.h"

#include <ngx_md5.h>

#include <dirent.h>


ngx_int_t
ngx_artifact_place(const ngx_artifact_layout_t *layout, ngx_uint_t i,
    art_str_t id, ngx_artifact_place_t *place)
{
    const art_ref_layout_t  *one;

    one = ngx_artifact_place_layout(layout, i);

    if (one == NULL) {
        return NGX_DECLINED;
    }

    ngx_artifact_place_of(one, id, place);

    return NGX_OK;
}


const art_ref_layout_t *
ngx_artifact_place_layout(const ngx_artifact_layout_t *layout, ngx_uint_t i)
{
    if (i > 0 && (i > 2 || !layout->changes)) {
        return NULL;
    }

    return i == 1 ? &layout->old : &layout->layout;
}


void
ngx_artifact_place_of(const art_ref_layout_t *layout, art_str_t id,
    ngx_artifact_place_t *place)
{
    u_char     hash[ART_REF_LAYOUT_HASH];
    ngx_md5_t  md5;

    place->len = 0;

    if (layout->n > 0) {
        ngx_md5_init(&md5);
        ngx_md5_update(&md5, id.data, id.len);
        ngx_md5_final(hash, &md5);

        place->len = art_ref_layout_place(layout, hash, place->path);
    }

    place->path[place->len] = '\0';
}


/*
 * A name of a place may be that of a file, or of a link that leads out, that of
 * a content of a socket; and an id may be too long for its extension.
 */

ngx_uint_t
ngx_artifact_place_empty(ngx_err_t err)
{
    return err == NGX_ENOENT || err == NGX_ENOTDIR || err == NGX_ELOOP
           || err == NGX_EXDEV || err == NGX_ENAMETOOLONG || err == ENXIO
           || err == ENODEV;
}


ngx_int_t
ngx_artifact_place_read(ngx_fd_t folder, const ngx_artifact_place_t *place,
    ngx_uint_t follow, void (*tell)(void *data, art_str_t name), void *data)
{
    DIR            *dir;
    ngx_fd_t        fd;
    ngx_err_t       err;
    struct dirent  *entry;

    fd = ngx_artifact_openat(folder, place->len ? (char *) place->path : ".",
                             O_RDONLY|O_DIRECTORY, follow);

    if (fd == NGX_INVALID_FILE) {
        return place->len && ngx_artifact_place_empty(ngx_errno) ? NGX_OK
                                                                 : NGX_ERROR;
    }

    dir = fdopendir(fd);

    if (dir == NULL) {
        ngx_artifact_close(&fd);
        return NGX_ERROR;
    }

    for ( ;; ) {
        ngx_set_errno(0);
        entry = readdir(dir);

        if (entry == NULL) {
            break;
        }

        tell(data, art_cstr(entry->d_name));
    }

    err = ngx_errno;
    (void) closedir(dir);
    ngx_set_errno(err);

    return err == 0 ? NGX_OK : NGX_ERROR;
}


ngx_fd_t
ngx_artifact_place_create(ngx_fd_t folder, const ngx_artifact_place_t *place)
{
    u_char    *name, *end, path[ART_REF_LAYOUT_PLACE + 1];
    ngx_fd_t   fd, parent;

    ngx_memcpy(path, place->path, place->len + 1);

    fd = folder;

    for (name = path; *name && fd != NGX_INVALID_FILE; name = end + 1) {
        end = (u_char *) ngx_strchr(name, '/');
        *end = '\0';

        parent = fd;
        fd = ngx_artifact_folder(parent, (char *) name, 0755, 1);

        if (parent != folder) {
            ngx_artifact_close(&parent);
        }
    }

    return fd;
}
