
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The state of a stage that writes values of an answer to the store:
 * ngx_http_artifact_offload.c reads, ngx_http_artifact_offload_store.c writes,
 * ngx_http_artifact_offload_media.c and ngx_http_artifact_offload_text.c know
 * the values: base64, and long texts.
 */


#ifndef NGX_HTTP_ARTIFACT_OFFLOAD_STATE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_OFFLOAD_STATE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "http/base/ngx_http_artifact.h"
#include "http/base/ngx_http_artifact_work.h"
#include "http/compose/ngx_http_artifact_spool.h"
#include "http/response/ngx_http_artifact_response.h"
#include "store/disk/ngx_artifact_task.h"
#include "store/write/ngx_artifact_write.h"
#include "core/answer/art_counters.h"
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


typedef struct ngx_http_artifact_offload_s  ngx_http_artifact_offload_t;


/*
 * What finds the values in an answer and replaces them (art_offload.h), and
 * what a value is called in the log and by the counters.  "slice" is read at
 * once, and gives "content" bytes of a value at most.
 *
 * refused   after ART_OFFLOAD_NONE: the value is unsound, which is logged
 * idle      nothing more has come yet
 * behind    it has to be fed although there is nothing to be read
 * sent      how many of the bytes that came first went out already
 * left      before they are sent
 * begin     the first content is there
 * type      the whole is: job->kind, job->mime and its extension
 * made      the artifact is stored
 *
 * NULL: nothing; the last two return NGX_ERROR when out of memory.
 */

typedef struct {
    const char                *name;
    art_count_offloaded_t      kind;
    size_t                     slice;
    size_t                     content;

    art_offload_status_t     (*feed)(ngx_http_artifact_offload_t *ctx,
                                     const uint8_t *p, size_t len, size_t *n);
    art_offload_status_t     (*end)(ngx_http_artifact_offload_t *ctx);
    void                     (*refused)(ngx_http_artifact_offload_t *ctx);
    void                     (*idle)(ngx_http_artifact_offload_t *ctx);
    ngx_uint_t               (*lags)(ngx_http_artifact_offload_t *ctx);
    size_t                   (*sent)(ngx_http_artifact_offload_t *ctx);
    int                      (*left)(ngx_http_artifact_offload_t *ctx);
    void                     (*begin)(ngx_http_artifact_offload_t *ctx);
    ngx_int_t                (*type)(ngx_http_artifact_offload_t *ctx);
    ngx_int_t                (*made)(ngx_http_artifact_offload_t *ctx);
} ngx_http_artifact_offload_values_t;


struct ngx_http_artifact_offload_s {
    ngx_http_request_t                 *request;
    ngx_http_artifact_loc_conf_t       *conf;
    ngx_http_artifact_turn_t            turn;
    ngx_http_artifact_offload_state_e   state;

    const ngx_http_artifact_offload_values_t  *values;
    void                               *data;    /* of what finds them */
    ngx_buf_t                          *out;

    /* the value as it came; what the spool could not take is in "rest" */

    ngx_http_artifact_spool_t           raw;
    ngx_buf_t                          *rest;
    ngx_buf_t                          *rest_buf;
    size_t                              rest_max;
    off_t                               replayed;

    /* the content of the value; "job" is valid if "begun" is set */

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
};


/*
 * Creates the stage for such values; "rest_max" is how many bytes of a value
 * come at once, or are held.  The state lasts as long as the request; NULL when
 * out of memory.
 */

ngx_http_artifact_offload_t *ngx_http_artifact_offload_stage(
    ngx_http_request_t *r, const ngx_http_artifact_offload_values_t *values,
    size_t rest_max, ngx_http_artifact_resume_pt resume,
    ngx_http_artifact_stage_t *stage);


/* The sinks of the values: where bytes go, ART_ERROR when out of memory. */

void ngx_http_artifact_offload_sinks(ngx_http_artifact_offload_t *ctx,
    art_offload_sink_t *sink);


/*
 * Writes the content so far; if the value is complete (PUBLISH), the whole
 * content becomes an artifact.  The state is then WRITTEN, or RUNNING until a
 * thread has done it.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_offload_write(ngx_http_artifact_offload_t *ctx);


/* An artifact is stored: what others know of it is out of date. */

void ngx_http_artifact_offload_stored(ngx_http_artifact_offload_t *ctx);


/*
 * Sets the type that the artifact is stored with, in memory of the value;
 * NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_offload_set_type(ngx_http_artifact_offload_t *ctx,
    art_str_t mime);


/*
 * Ends the work on a value: what was written but not published is removed.  The
 * second does so at the end of the request ("data" is its
 * ngx_http_artifact_offload_t).
 */

void ngx_http_artifact_offload_close(ngx_http_artifact_offload_t *ctx);
void ngx_http_artifact_offload_cleanup(void *data);


#endif /* NGX_HTTP_ARTIFACT_OFFLOAD_STATE_H_INCLUDED_ */
