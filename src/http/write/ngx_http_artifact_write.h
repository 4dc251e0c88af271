
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Writes, on the side of the request.
 */


#ifndef NGX_HTTP_ARTIFACT_WRITE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_WRITE_H_INCLUDED_


#include "http/base/ngx_http_artifact_body_reader.h"
#include "http/base/ngx_http_artifact_context.h"
#include "store/disk/ngx_artifact_task.h"
#include "store/write/ngx_artifact_write.h"


typedef struct {
    ngx_flag_t                        write;
    ngx_flag_t                        sync;
    time_t                            expires;     /* of new ones, 0: off */
    ngx_http_complex_value_t         *agent;
    ngx_http_complex_value_t         *message_id;
} ngx_http_artifact_write_conf_t;


extern ngx_module_t  ngx_http_artifact_write_module;


typedef struct ngx_http_artifact_write_s  ngx_http_artifact_write_t;
typedef struct ngx_http_artifact_form_s   ngx_http_artifact_form_t;
typedef struct ngx_http_artifact_ticket_ask_s  ngx_http_artifact_ticket_ask_t;

typedef ngx_int_t (*ngx_http_artifact_write_pt)(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);


struct ngx_http_artifact_write_s {
    ngx_http_artifact_ctx_t          *ctx;
    ngx_http_artifact_write_pt        next;        /* called after a job */
    ngx_artifact_write_job_t          job;
    ngx_artifact_task_t               task;
    ngx_http_artifact_body_reader_t   reader;
    ngx_http_artifact_form_t         *form;        /* NULL: the body itself */
    ngx_http_artifact_ticket_ask_t   *ask;         /* or nothing is written */
    unsigned                          running:1;   /* a step of the job runs */
};


/* The content handler of writes. */

ngx_int_t ngx_http_artifact_write_handler(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);


/*
 * The job of a write, whatever request asks for it; job->remove is the
 * caller's.  The first makes one of which nothing is open, and which is closed
 * at the end of the request; NULL when out of memory.  The second sets where it
 * writes, and by whom, as the location says; NGX_ERROR with job->error set, or,
 * if that is ART_ERR_MAX, when out of memory.
 *
 * The third makes the file that the context's reference names the one that is
 * to be written or removed; NGX_ERROR with job->error set.  The fourth makes
 * the job one of a new artifact, which gets an id; its name, if it has one, and
 * its type are in job->path and job->mime.
 */

ngx_http_artifact_write_t *ngx_http_artifact_write_create(
    ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx);
ngx_int_t ngx_http_artifact_write_place(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);
ngx_int_t ngx_http_artifact_write_target(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);
void ngx_http_artifact_write_artifact(ngx_http_artifact_write_t *write);


/* Counts a write, in the log phase (ngx_http_artifact_role_t). */

void ngx_http_artifact_write_count(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_uint_t status);


/*
 * To be called once with a job that is done or has failed: logs the outcome,
 * and lets others know of the new content.
 */

void ngx_http_artifact_write_ended(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);


/*
 * The entity tag of the current content after a write or a failed precondition;
 * empty without a content, or with "etag off".  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_write_etag(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write, ngx_str_t *etag);


/*
 * Prints the answer to a write that succeeded, with the tag, unless it is NULL
 * or empty, as its last member.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_write_print(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write, ngx_str_t *etag, art_out_t *out);


/*
 * Answers when the job is done or has failed; returns what the content handler
 * has to return.
 */

ngx_int_t ngx_http_artifact_write_answer(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);


#endif /* NGX_HTTP_ARTIFACT_WRITE_H_INCLUDED_ */
