
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The files of the index of a workspace's document: ".artifact/{ws}.index" and
 * ".index2", of which the one is read while the other is written.
 */


#ifndef NGX_ARTIFACT_METADATA_INDEX_H_INCLUDED_
#define NGX_ARTIFACT_METADATA_INDEX_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "core/journal/art_meta_index.h"
#include "core/meta/art_meta.h"


#define NGX_ARTIFACT_INDEX   ".index"
#define NGX_ARTIFACT_INDEX2  ".index2"


/*
 * Opens the index of this very version ("info") of a document, which may have
 * either name; index->fd, for the caller to close, is NGX_INVALID_FILE if
 * there is none.  Looks a key up in the document: NGX_OK with *status, and
 * *meta after ART_META_OK; NGX_DECLINED if the document has to be searched
 * itself.
 */

typedef struct {
    ngx_fd_t                 fd;
    art_meta_index_header_t  header;
    unsigned                 brief:1;     /* as for art_meta_parse_member() */
} ngx_artifact_metadata_index_t;

void ngx_artifact_metadata_index_open(ngx_artifact_metadata_index_t *index,
    ngx_fd_t control, art_str_t workspace, ngx_file_info_t *info);
ngx_int_t ngx_artifact_metadata_index_find(ngx_artifact_metadata_index_t *index,
    ngx_fd_t document, art_str_t key, art_meta_status_t *status,
    art_meta_t *meta);


/*
 * Under which name the index of the next document is to be written: not that
 * of the one that it follows ("info"), which is read meanwhile.
 */

const char *ngx_artifact_metadata_index_spare(ngx_fd_t control,
    art_str_t workspace, ngx_file_info_t *info);


/*
 * Milliseconds that are left of the pause after the last fold, of whatever
 * process: its index tells how long it took, and by its own time when it was.
 */

ngx_msec_t ngx_artifact_metadata_index_pause(ngx_fd_t control,
    art_str_t workspace);


/* A file's modification time as an index states it. */

static ngx_inline uint64_t
ngx_artifact_mtime(ngx_file_info_t *info)
{
    return (uint64_t) info->st_mtim.tv_sec * 1000000000
           + (uint64_t) info->st_mtim.tv_nsec;
}


#endif /* NGX_ARTIFACT_METADATA_INDEX_H_INCLUDED_ */
