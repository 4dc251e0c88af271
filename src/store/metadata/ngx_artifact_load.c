
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Reading sidecars.
 */


#include "store/metadata/ngx_artifact_load.h"
#include "store/disk/ngx_artifact_beneath.h"


ngx_int_t
ngx_artifact_sidecar_name(u_char *buf, ngx_str_t *name, art_str_t id,
    const char *suffix)
{
    size_t  len;

    len = ngx_strlen(suffix);

    if (id.len + len > NAME_MAX) {
        return NGX_DECLINED;
    }

    ngx_memcpy(buf, id.data, id.len);
    ngx_memcpy(buf + id.len, suffix, len + 1);

    name->data = buf;
    name->len = id.len + len;

    return NGX_OK;
}


ngx_int_t
ngx_artifact_load_sidecar(ngx_log_t *log, ngx_fd_t folder, ngx_str_t *name,
    ngx_file_info_t *info, ngx_str_t *text)
{
    ssize_t     n;
    ngx_int_t   rc;
    ngx_file_t  file;

    rc = NGX_ERROR;

    ngx_memzero(&file, sizeof(ngx_file_t));

    file.name = *name;
    file.log = log;
    file.fd = ngx_artifact_open_info(folder, (char *) name->data, O_RDONLY, 1,
                                     info);

    if (file.fd == NGX_INVALID_FILE) {
        ngx_log_error(NGX_LOG_WARN, log, ngx_errno,
                      "artifact metadata \"%V\" cannot be opened", name);
        return NGX_ERROR;
    }

    if (!ngx_is_file(info) || ngx_file_size(info) > NGX_ARTIFACT_META_MAX) {
        ngx_log_error(NGX_LOG_WARN, log, 0,
                      "artifact metadata \"%V\" is not a file or too large",
                      name);
        goto done;
    }

    text->len = (size_t) ngx_file_size(info);
    text->data = ngx_alloc(text->len + 1, log);

    if (text->data == NULL) {
        goto done;
    }

    n = ngx_read_file(&file, text->data, text->len, 0);

    if (n == NGX_ERROR) {
        ngx_free(text->data);
        goto done;
    }

    text->len = (size_t) n;
    rc = NGX_OK;

done:

    (void) ngx_close_file(file.fd);

    return rc;
}
