
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Sidecars, "{id}.meta": their names and their texts.
 */


#ifndef NGX_ARTIFACT_LOAD_H_INCLUDED_
#define NGX_ARTIFACT_LOAD_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "core/base/art_core.h"


/* Larger ".meta" files are taken for corrupt: they are read whole. */

#define NGX_ARTIFACT_META_MAX  65536


/*
 * The name of a sidecar, with a zero at its end, in a buffer of
 * NGX_ARTIFACT_SIDECAR_NAME bytes; NGX_DECLINED if no file can have it.
 */

#define NGX_ARTIFACT_SIDECAR_NAME  (NAME_MAX + 16)

ngx_int_t ngx_artifact_sidecar_name(u_char *buf, ngx_str_t *name,
    art_str_t id, const char *suffix);


/*
 * Reads a sidecar of at most NGX_ARTIFACT_META_MAX bytes into memory that the
 * caller frees with ngx_free(); NGX_ERROR after whatever is wrong with it was
 * logged.
 */

ngx_int_t ngx_artifact_load_sidecar(ngx_log_t *log, ngx_fd_t folder,
    ngx_str_t *name, ngx_file_info_t *info, ngx_str_t *text);


#endif /* NGX_ARTIFACT_LOAD_H_INCLUDED_ */
