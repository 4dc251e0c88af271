
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The files of the journals, for those who append, fold and read.
 */


#ifndef NGX_ARTIFACT_JOURNAL_FILES_H_INCLUDED_
#define NGX_ARTIFACT_JOURNAL_FILES_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "store/disk/ngx_artifact_area.h"

#include "core/journal/art_journal.h"
#include "core/journal/art_meta_index.h"
#include "core/meta/art_meta.h"
#include "core/ref/art_id.h"


#define NGX_ARTIFACT_JOURNAL  ".journal"
#define NGX_ARTIFACT_FOLDING  ".folding"
#define NGX_ARTIFACT_INDEX    ".index"
#define NGX_ARTIFACT_INDEX2   ".index2"

/* Room for a workspace's name, any suffix, and a zero. */

#define NGX_ARTIFACT_JOURNAL_NAME  (ART_ID_NAME_MAX + 32)


/*
 * A journal is read whole.  It is folded at once from ART_FOLD_SOON bytes on,
 * from the first size here on the writer folds it itself; beyond the other one,
 * which means that folding fails, metadata cannot be written.
 */

#define NGX_ARTIFACT_JOURNAL_FULL  (1024 * 1024)
#define NGX_ARTIFACT_JOURNAL_MAX   (4 * 1024 * 1024)


typedef struct {
    ngx_fd_t   fd;               /* for the caller to close in any case */
    off_t      size;             /* before this record */
} ngx_artifact_appended_t;


/*
 * Makes the name of a workspace's file from its suffix, with a zero; "name"
 * has room for NGX_ARTIFACT_JOURNAL_NAME bytes.  And its path from
 * workspaces on, for which there are NGX_ARTIFACT_JOURNAL_PATH.
 */

#define NGX_ARTIFACT_JOURNAL_PATH                                             \
    (sizeof(NGX_ARTIFACT_CONTROL) + NGX_ARTIFACT_JOURNAL_NAME)

void ngx_artifact_journal_name(char *name, art_str_t workspace,
    const char *suffix);
void ngx_artifact_journal_path(char *path, art_str_t workspace,
    const char *suffix);


/*
 * Reads a journal into memory that ngx_artifact_journal_free() frees:
 * malloc()'ed, since threads read them, too.  NGX_ERROR with errno, and nothing
 * to free: EFBIG beyond NGX_ARTIFACT_JOURNAL_MAX.
 */

ngx_int_t ngx_artifact_journal_load(ngx_fd_t folder, const char *name,
    art_str_t *journal);
void ngx_artifact_journal_free(art_str_t *journal);


/*
 * Appends a record, setting its time; under the append lock.  NGX_ERROR with
 * errno, the journal then as it was.
 */

ngx_int_t ngx_artifact_journal_append(ngx_artifact_area_t *area,
    art_journal_record_t *record, art_str_t workspace,
    ngx_artifact_appended_t *appended);


/*
 * Makes the journal the one that is folded, and begins a new one; under the
 * fold and the append lock.  NGX_OK with its text; NGX_DECLINED if nothing
 * stands in it; NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_journal_rotate(ngx_artifact_area_t *area,
    art_str_t workspace, art_str_t *journal);


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


/* A file's modification time as an index states it. */

static ngx_inline uint64_t
ngx_artifact_mtime(ngx_file_info_t *info)
{
    return (uint64_t) info->st_mtim.tv_sec * 1000000000
           + (uint64_t) info->st_mtim.tv_nsec;
}


#endif /* NGX_ARTIFACT_JOURNAL_FILES_H_INCLUDED_ */
