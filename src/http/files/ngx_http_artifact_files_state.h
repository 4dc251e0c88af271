
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A request to a Files API on its way.  Private to the room.
 */


#ifndef NGX_HTTP_ARTIFACT_FILES_STATE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_FILES_STATE_H_INCLUDED_


#include "http/base/ngx_http_artifact_context.h"
#include "http/base/ngx_http_artifact_work.h"
#include "store/disk/ngx_artifact_task.h"
#include "store/files/ngx_artifact_files.h"
#include "core/answer/art_counters.h"
#include "core/files/art_file.h"
#include "core/files/art_file_error.h"
#include "core/files/art_file_query.h"


typedef struct ngx_http_artifact_files_s  ngx_http_artifact_files_t;


/* The state of a request, or NULL. */

#define ngx_http_artifact_get_files(r)                                        \
    ((ngx_http_artifact_files_t *)                                            \
     ngx_http_get_module_ctx(r, ngx_http_artifact_files_module))

extern ngx_module_t  ngx_http_artifact_files_module;


struct ngx_http_artifact_files_s {
    ngx_http_artifact_ctx_t           *ctx;
    art_file_api_t                     api;
    art_count_files_t                  operation;
    art_str_t                          given;    /* the file's id, as sent */
    u_char                             uuid[ART_UUID_LEN + 1];

    /* what is asked of the disk */

    ngx_artifact_files_t               job;
    ngx_artifact_task_t                task;
    ngx_http_artifact_turn_t           turn;
    art_file_query_t                  *query;
};


/* POST: reads the form; returns what the content handler has to return. */

ngx_int_t ngx_http_artifact_files_upload(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files);


/* As functions of the role: an error of the module's own; a large body. */

ngx_int_t ngx_http_artifact_files_error(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t error);
ngx_int_t ngx_http_artifact_files_too_large(ngx_http_request_t *r,
    art_out_t *out);


/*
 * Answers; each returns what the request is finalized with: an error, one about
 * the id or the path that was given, JSON that was printed, a file's object.
 */

ngx_int_t ngx_http_artifact_files_refuse(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files, const art_file_error_t *error);
ngx_int_t ngx_http_artifact_files_missing(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files, art_file_reason_t reason);
ngx_int_t ngx_http_artifact_files_send(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files, ngx_uint_t status, art_out_t *out);
ngx_int_t ngx_http_artifact_files_object(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files, const art_file_t *file);


#endif /* NGX_HTTP_ARTIFACT_FILES_STATE_H_INCLUDED_ */
