
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The metadata of a workspace as a reader sees them: the document
 * "{workspace}.meta.json", its index, and the journals of what is not in it
 * yet.  Everything here may run in a thread: it knows no request and no pool.
 */


#ifndef NGX_ARTIFACT_METADATA_H_INCLUDED_
#define NGX_ARTIFACT_METADATA_H_INCLUDED_


#include "store/metadata/ngx_artifact_metadata_index.h"


/*
 * "log", "folder" (workspaces), "workspace" and "name" (that of the document,
 * with a zero) are the caller's; ngx_artifact_metadata_init() sets them.
 */

typedef struct {
    ngx_log_t                     *log;
    ngx_fd_t                       folder;
    art_str_t                      workspace;
    ngx_str_t                     *name;
    art_str_t                      journals[2];  /* the older one first */
    ngx_fd_t                       fd;
    ngx_file_info_t                info;
    ngx_artifact_metadata_index_t  index;
} ngx_artifact_metadata_t;


/*
 * Reads the journals, before the document: what is not in them any more is in
 * it.  Everything that is open goes with ngx_artifact_metadata_close().
 */

void ngx_artifact_metadata_init(ngx_artifact_metadata_t *document,
    ngx_log_t *log, ngx_fd_t folder, art_str_t workspace, ngx_str_t *name);
void ngx_artifact_metadata_close(ngx_artifact_metadata_t *document);


/*
 * Opens the document and, if there is one for this version of it, its index;
 * sets document->info.  NGX_DECLINED, and the information zeroed, if it is
 * missing or no file, which is logged.
 */

ngx_int_t ngx_artifact_metadata_open(ngx_artifact_metadata_t *document);


/*
 * What the open document says of a key, by the index: NGX_OK with *status, and
 * *meta after ART_META_OK; NGX_DECLINED if the document has to be searched.
 */

ngx_int_t ngx_artifact_metadata_find(ngx_artifact_metadata_t *document,
    art_str_t key, art_meta_status_t *status, art_meta_t *meta);


/*
 * The same by the index or by a search: of the document as it was opened, which
 * may take a while if it is large.  ART_META_CORRUPT, which is logged, also if
 * it cannot be read: its information is zeroed then, and names no version; with
 * errno if memory is missing.
 */

art_meta_status_t ngx_artifact_metadata_entry(
    ngx_artifact_metadata_t *document, art_str_t key, art_meta_t *meta);


/*
 * Reads the whole document, and frees it again.  NGX_DECLINED if it is empty or
 * too large, NGX_ERROR when out of memory.
 */

ngx_int_t ngx_artifact_metadata_load(
    ngx_artifact_metadata_t *document, ngx_str_t *text);
void ngx_artifact_metadata_unload(
    ngx_artifact_metadata_t *document, ngx_str_t *text);


/* Says in the log that the document is none. */

void ngx_artifact_metadata_corrupt(ngx_artifact_metadata_t *document);


#endif /* NGX_ARTIFACT_METADATA_H_INCLUDED_ */
