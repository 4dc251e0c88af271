
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The state of a fold, for the two files that it is made of.
 */


#ifndef NGX_ARTIFACT_FOLD_INT_H_INCLUDED_
#define NGX_ARTIFACT_FOLD_INT_H_INCLUDED_


#include "store/disk/ngx_artifact_area.h"
#include "store/metadata/ngx_artifact_fold.h"
#include "store/metadata/ngx_artifact_journal_files.h"

#include "core/journal/art_fold.h"
#include "core/journal/art_meta_index.h"


/* Bytes that are read, and written, at a time. */

#define NGX_ARTIFACT_FOLD_PIECE  65536


struct ngx_artifact_fold_s {
    const char                  *root;
    art_str_t                    workspace;
    ngx_uint_t                   patient;
    ngx_log_t                   *log;
    ngx_uint_t                   step;
    ngx_uint_t                   tries;
    uint64_t                     spent;       /* microseconds */
    ngx_msec_t                   wait;

    ngx_artifact_area_t          area;
    ngx_fd_t                     lock;
    char                         name[NGX_ARTIFACT_JOURNAL_NAME];
    art_str_t                    journal;
    ngx_uint_t                   crashed;     /* a process left the journal */

    ngx_fd_t                     fd;          /* the document, or none */
    ngx_file_info_t              info;
    art_fold_t                  *fold;
    art_meta_index_t             index;
    ngx_artifact_temp_t          temp;        /* the new document */
    ngx_file_info_t              temp_info;

    ngx_artifact_temp_t         *out;         /* what is being written */
    u_char                      *buf;
    size_t                       len;         /* bytes in it, to be written */
    off_t                        offset;      /* written */
};


/*
 * The steps that concern the document, in this order: it is opened, merged with
 * the journal into a new one, which is synced, gets an index, and takes its
 * place.  NGX_OK; NGX_AGAIN if the step is to be called again; NGX_DECLINED if
 * all are, as the document is another by now, or was set aside; NGX_BUSY if
 * somebody may be writing it; NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_fold_open(ngx_artifact_fold_t *f);
ngx_int_t ngx_artifact_fold_begin(ngx_artifact_fold_t *f);
ngx_int_t ngx_artifact_fold_merge(ngx_artifact_fold_t *f);
ngx_int_t ngx_artifact_fold_sync(ngx_artifact_fold_t *f);
ngx_int_t ngx_artifact_fold_index(ngx_artifact_fold_t *f);
ngx_int_t ngx_artifact_fold_replace(ngx_artifact_fold_t *f);

/* Frees what they have opened; a document in its place stays there. */

void ngx_artifact_fold_close(ngx_artifact_fold_t *f);


#endif /* NGX_ARTIFACT_FOLD_INT_H_INCLUDED_ */
