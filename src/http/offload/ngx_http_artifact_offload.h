
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * An answer whose base64 becomes artifacts, on its way through: what its files
 * share.
 */


#ifndef NGX_HTTP_ARTIFACT_OFFLOAD_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_OFFLOAD_H_INCLUDED_


#include "http/base/ngx_http_artifact_bufs.h"
#include "http/base/ngx_http_artifact.h"
#include "http/compose/ngx_http_artifact_spool.h"
#include "store/disk/ngx_artifact_task.h"
#include "store/write/ngx_artifact_write.h"
#include "core/media/art_sniff.h"
#include "core/offload/art_offload.h"


#define NGX_HTTP_ARTIFACT_OFFLOAD_SLICE    8192      /* read at once */
#define NGX_HTTP_ARTIFACT_OFFLOAD_CONTENT  32768     /* written at once */
#define NGX_HTTP_ARTIFACT_OFFLOAD_BUF      16384     /* of what goes out, */
#define NGX_HTTP_ARTIFACT_OFFLOAD_BUFS     2         /* and sent together */


typedef struct {
    ngx_http_request_t              *request;
    ngx_http_artifact_loc_conf_t    *conf;
    ngx_http_output_body_filter_pt   next;
    ngx_http_upstream_t             *upstream;

    /* the first buffer of "in" has been read up to "pos" */

    art_offload_t                   *off;
    ngx_chain_t                     *in;
    u_char                          *pos;
    ngx_http_artifact_bufs_t         bufs;
    ngx_buf_t                       *buf;        /* the last one, if it is */
    ngx_uint_t                       nout;

    /* a value as it came; what the spool did not take is in "rest" */

    ngx_http_artifact_spool_t        raw;
    ngx_buf_t                       *rest;
    ngx_buf_t                       *spare;      /* its buffer */
    off_t                            replayed;

    /* what it decodes to */

    ngx_str_t                        root;
    ngx_buf_t                       *content;
    ngx_chain_t                      content_chain;
    off_t                            size;
    art_evidence_t                   evidence;
    ngx_artifact_write_job_t         job;
    ngx_artifact_task_t              task;

    unsigned                         sniffed:1;
    unsigned                         begun:1;    /* a job */
    unsigned                         running:1;  /* a step of it */
    unsigned                         over:1;     /* the value was read */
    unsigned                         replaying:1;
    unsigned                         flush:1;
    unsigned                         flush_alone:1;
    unsigned                         last:1;     /* nothing comes behind */
    unsigned                         last_buf:1;
    unsigned                         last_in_chain:1;
    unsigned                         ended:1;
    unsigned                         behind:1;   /* who is, has something */
    unsigned                         failed:1;
} ngx_http_artifact_offload_t;


/*
 * The API whose answer to a request may have base64 that becomes artifacts;
 * NULL: there is none, or they are not to.
 */

const art_api_t *ngx_http_artifact_offload_api(ngx_http_request_t *r);


/*
 * Takes what comes in, and hands what there is to go out to the next filter:
 * a body filter, also for what comes later by events.
 */

ngx_int_t ngx_http_artifact_offload_run(ngx_http_artifact_offload_t *ctx,
    ngx_chain_t *in);


/*
 * Puts bytes into the output, aside, into the content: sinks of the reading.
 * ART_ERROR when out of memory.
 */

int ngx_http_artifact_offload_out(void *data, const uint8_t *p, size_t len);
int ngx_http_artifact_offload_raw(void *data, const uint8_t *p, size_t len);
int ngx_http_artifact_offload_content(void *data, const uint8_t *p,
    size_t len);


/*
 * Some of what was put aside goes out: NGX_OK, NGX_DONE after the last of it,
 * NGX_ERROR; nothing of it does.
 */

ngx_int_t ngx_http_artifact_offload_replay(ngx_http_artifact_offload_t *ctx);
void ngx_http_artifact_offload_forget(ngx_http_artifact_offload_t *ctx);


/*
 * Writes the content that there is; when the value is over, all of it becomes
 * an artifact.  NGX_OK, also if it failed: see ctx->job.error; NGX_AGAIN if it
 * takes time: ctx->running until "done" is called with ctx; NGX_ERROR when out
 * of memory.
 */

ngx_int_t ngx_http_artifact_offload_store(ngx_http_artifact_offload_t *ctx,
    ngx_artifact_done_pt done);


/* Gives up what was written. */

void ngx_http_artifact_offload_abandon(ngx_http_artifact_offload_t *ctx);


/* What the artifact is called now.  NGX_ERROR when out of memory. */

ngx_int_t ngx_http_artifact_offload_stored(ngx_http_artifact_offload_t *ctx,
    art_offload_made_t *made);


#endif /* NGX_HTTP_ARTIFACT_OFFLOAD_H_INCLUDED_ */
