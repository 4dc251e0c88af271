
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The state of the stage that writes base64 of a model's answer to the store:
 * ngx_http_artifact_offload.c reads, ngx_http_artifact_offload_store.c writes.
 */


#ifndef NGX_HTTP_ARTIFACT_OFFLOAD_STATE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_OFFLOAD_STATE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "http/base/ngx_http_artifact.h"
#include "http/base/ngx_http_artifact_work.h"
#include "http/compose/ngx_http_artifact_spool.h"
#include "store/disk/ngx_artifact_task.h"
#include "store/write/ngx_artifact_write.h"
#include "core/media/art_sniff.h"
#include "core/offload/art_offload.h"
#include "core/ref/art_url.h"


/*
 *     READ --> WRITE or PUBLISH --> RUNNING --> WRITTEN --> READ
 *     READ or WRITTEN --> REPLAY --> READ    if a value is not stored
 *
 * Without threads nothing is ever RUNNING.
 */

typedef enum {
    NGX_HTTP_ARTIFACT_OFFLOAD_READ = 0,
    NGX_HTTP_ARTIFACT_OFFLOAD_WRITE,      /* content of a value */
    NGX_HTTP_ARTIFACT_OFFLOAD_PUBLISH,    /* the rest of it: it is complete */
    NGX_HTTP_ARTIFACT_OFFLOAD_RUNNING,    /* a thread does that */
    NGX_HTTP_ARTIFACT_OFFLOAD_WRITTEN,    /* the result is in "job" */
    NGX_HTTP_ARTIFACT_OFFLOAD_REPLAY      /* the value is sent as it came */
} ngx_http_artifact_offload_state_e;


typedef struct {
    ngx_http_request_t                 *request;
    ngx_http_artifact_loc_conf_t       *conf;
    ngx_http_artifact_turn_t            turn;
    ngx_http_artifact_offload_state_e   state;

    art_offload_t                       off;
    ngx_buf_t                          *out;

    /* the value as it came; what the spool could not take is in "rest" */

    ngx_http_artifact_spool_t           raw;
    ngx_buf_t                          *rest;
    ngx_buf_t                          *rest_buf;
    off_t                               replayed;

    /* the decoded value; "job" is valid if "begun" is set */

    ngx_str_t                           root;
    art_url_t                           url;
    art_str_t                           agent;
    art_str_t                           message;
    ngx_pool_t                         *pool;    /* of this value */
    ngx_buf_t                          *content;
    ngx_chain_t                         content_chain;
    off_t                               size;
    art_evidence_t                      evidence;
    ngx_artifact_write_job_t            job;
    ngx_artifact_task_t                 task;
    unsigned                            begun:1;
} ngx_http_artifact_offload_t;


/*
 * Writes the content so far; if the value is complete (PUBLISH), the whole
 * content becomes an artifact.  The state is then WRITTEN, or RUNNING until a
 * thread has done it.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_offload_write(ngx_http_artifact_offload_t *ctx);


/*
 * The reference to the artifact, its name and its type, as JSON strings that
 * last until the next value is written; NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_offload_made(ngx_http_artifact_offload_t *ctx,
    art_offload_made_t *made);


/*
 * Ends the work on a value: what was written but not published is removed.  The
 * second does so at the end of the request ("data" is its
 * ngx_http_artifact_offload_t).
 */

void ngx_http_artifact_offload_close(ngx_http_artifact_offload_t *ctx);
void ngx_http_artifact_offload_cleanup(void *data);


#endif /* NGX_HTTP_ARTIFACT_OFFLOAD_STATE_H_INCLUDED_ */
