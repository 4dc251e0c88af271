
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The state of a fold, for the two files that it is made of.
 */


#ifndef NGX_ARTIFACT_FOLD_INT_H_INCLUDED_
#define NGX_ARTIFACT_FOLD_INT_H_INCLUDED_


#include "store/disk/ngx_artifact_area.h"
#include "store/metadata/ngx_artifact_journal_files.h"

#include "core/journal/art_fold.h"
#include "core/journal/art_meta_index.h"


/* What is written goes out in pieces. */

#define NGX_ARTIFACT_FOLD_BUFFER  65536


typedef struct {
    ngx_artifact_area_t          area;
    art_str_t                    workspace;
    ngx_log_t                   *log;
    char                         name[NGX_ARTIFACT_JOURNAL_NAME];
    art_str_t                    journal;
    ngx_uint_t                   left;        /* ... by a process that died */
    ngx_fd_t                     fd;          /* the document, or none */
    ngx_file_info_t              info;
    ngx_artifact_temp_t          temp;        /* the new one */
    ngx_artifact_temp_t         *out;         /* what is being written */
    u_char                      *buf;
    size_t                       len;         /* bytes in it, to be written */
    off_t                        offset;      /* written */
    art_meta_index_t             index;
} ngx_artifact_fold_t;


/*
 * Puts the new document and its index in their places: NGX_AGAIN if the
 * document is not the one any more that was read.  Sets a document aside that
 * cannot be read: NGX_AGAIN, or NGX_ERROR with errno as everywhere.
 */

ngx_int_t ngx_artifact_fold_publish(ngx_artifact_fold_t *f);
ngx_int_t ngx_artifact_fold_aside(ngx_artifact_fold_t *f);


/* The output, buffered, into "out"; the second one is an art_sink_pt. */

void ngx_artifact_fold_begin(ngx_artifact_fold_t *f,
    ngx_artifact_temp_t *out);
int ngx_artifact_fold_write(void *data, const uint8_t *p, size_t len);
ngx_int_t ngx_artifact_fold_flush(ngx_artifact_fold_t *f);


#endif /* NGX_ARTIFACT_FOLD_INT_H_INCLUDED_ */
