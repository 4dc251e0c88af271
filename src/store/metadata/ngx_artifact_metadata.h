
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Metadata as a reader sees them: sidecars, "{id}.meta", and the metadata of a
 * workspace, which are the document "{workspace}.meta.json", its index, and the
 * journals of what is not in it yet.  All of it may run in threads.
 */


#ifndef NGX_ARTIFACT_METADATA_H_INCLUDED_
#define NGX_ARTIFACT_METADATA_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "core/journal/art_meta_index.h"
#include "core/meta/art_meta.h"


/*
 * Writes the name of a sidecar, with a zero at its end, to a buffer of
 * NGX_ARTIFACT_SIDECAR_NAME bytes; NGX_DECLINED if no file can have it.
 */

#define NGX_ARTIFACT_SIDECAR_NAME  (NAME_MAX + 16)

ngx_int_t ngx_artifact_sidecar_name(u_char *buf, ngx_str_t *name,
    art_str_t id, const char *suffix);


/*
 * Whether a sidecar says that only a stand-in leads to the artifact; one that
 * cannot be read says nothing.  The name is zero-terminated.
 */

ngx_uint_t ngx_artifact_sidecar_hides(ngx_fd_t folder, ngx_str_t *name);


/*
 * Reads a sidecar of at most 64 KB into memory that the caller frees with
 * ngx_free().  NGX_ERROR after logging the fault; errno is set when out of
 * memory.  "root" is for the log: "folder" is its "artifacts".
 */

ngx_int_t ngx_artifact_load_sidecar(ngx_log_t *log, ngx_fd_t folder,
    ngx_str_t *root, ngx_str_t *name, ngx_file_info_t *info, ngx_str_t *text);


/* Logs that a sidecar is corrupt, and where. */

void ngx_artifact_corrupt_sidecar(ngx_log_t *log, ngx_str_t *root,
    ngx_str_t *name, ngx_str_t *text);


/*
 * The files of the index of a workspace's document, ".artifact/{ws}.index" and
 * ".index2": one is read while the other is written.
 */

#define NGX_ARTIFACT_INDEX   ".index"
#define NGX_ARTIFACT_INDEX2  ".index2"

typedef struct {
    ngx_fd_t                       fd;        /* or NGX_INVALID_FILE */
    art_meta_index_header_t        header;
    unsigned                       brief:1;   /* see art_meta_parse_member() */
} ngx_artifact_index_t;


/*
 * The metadata of a workspace.  "log", "root" (for the log), "folder"
 * (workspaces), "workspace" and "name" (that of the document, zero-terminated)
 * are the caller's; ngx_artifact_metadata_init() sets them.
 */

typedef struct {
    ngx_log_t                     *log;
    ngx_str_t                     *root;
    ngx_fd_t                       folder;
    art_str_t                      workspace;
    ngx_str_t                     *name;
    art_str_t                      journals[2];  /* the older one first */
    ngx_fd_t                       fd;
    ngx_file_info_t                info;
    ngx_artifact_index_t  index;
} ngx_artifact_metadata_t;


/*
 * Reads the journals before the document: records that have left them are in
 * it.  ngx_artifact_metadata_close() closes and frees everything.
 */

void ngx_artifact_metadata_init(ngx_artifact_metadata_t *document,
    ngx_log_t *log, ngx_str_t *root, ngx_fd_t folder, art_str_t workspace,
    ngx_str_t *name);
void ngx_artifact_metadata_close(ngx_artifact_metadata_t *document);


/*
 * Opens the document and, if there is one for this version of it, its index;
 * sets document->info.  NGX_DECLINED, with the information zeroed, if it is
 * missing or not a file, which is logged.
 */

ngx_int_t ngx_artifact_metadata_open(ngx_artifact_metadata_t *document);


/*
 * Finds a key in the open document by its index: NGX_OK with *status, and *meta
 * after ART_META_OK; NGX_DECLINED if the document has to be searched.
 */

ngx_int_t ngx_artifact_metadata_find(ngx_artifact_metadata_t *document,
    art_str_t key, art_meta_status_t *status, art_meta_t *meta);


/*
 * The same by the index or by a search of the document, which may take a while
 * if it is large.  ART_META_CORRUPT, which is logged, also if it cannot be
 * read; then the information is zeroed, so that it matches no version.  errno
 * is set when out of memory.
 */

art_meta_status_t ngx_artifact_metadata_entry(
    ngx_artifact_metadata_t *document, art_str_t key, art_meta_t *meta);


/*
 * The first reads the whole document, the second frees its text.  NGX_DECLINED
 * if it is empty, too large or cannot be read, NGX_ERROR when out of memory.
 */

ngx_int_t ngx_artifact_metadata_load(
    ngx_artifact_metadata_t *document, ngx_str_t *text);
void ngx_artifact_metadata_unload(
    ngx_artifact_metadata_t *document, ngx_str_t *text);


/*
 * Logs that the document is corrupt, and where in its text; or if that is NULL,
 * that it is too large or not a file.
 */

void ngx_artifact_metadata_corrupt(ngx_artifact_metadata_t *document,
    ngx_str_t *text);


/*
 * The suffix of the file for the next document's index: the one that is not in
 * use as the index of this version ("info").
 */

const char *ngx_artifact_index_spare(ngx_fd_t control,
    art_str_t workspace, ngx_file_info_t *info);


/*
 * Milliseconds left of the pause after the last fold, by any process: its index
 * contains how long it took, and the time of the index is when it ended.
 */

ngx_msec_t ngx_artifact_index_pause(ngx_fd_t control,
    art_str_t workspace);


/* A file's modification time in nanoseconds, as in an index. */

static ngx_inline uint64_t
ngx_artifact_mtime(ngx_file_info_t *info)
{
    return (uint64_t) info->st_mtim.tv_sec * 1000000000
           + (uint64_t) info->st_mtim.tv_nsec;
}


#endif /* NGX_ARTIFACT_METADATA_H_INCLUDED_ */
