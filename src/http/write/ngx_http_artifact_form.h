
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The upload of a form: a file in it becomes a new artifact while the body is
 * read, piece by piece.  Its owner decides about all else.
 */


#ifndef NGX_HTTP_ARTIFACT_FORM_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_FORM_H_INCLUDED_


#include "http/base/ngx_http_artifact_body_reader.h"
#include "http/base/ngx_http_artifact_work.h"
#include "http/write/ngx_http_artifact_write.h"
#include "core/files/art_upload.h"
#include "core/media/art_sniff.h"


/* Bytes of the body that are read at a time, at most. */

#define NGX_HTTP_ARTIFACT_FORM_SLICE  65536

/*
 * Runs of bytes that are written at a time: one for each buffer of the body,
 * with those that seemed to be a delimiter up to three.
 */

#define NGX_HTTP_ARTIFACT_FORM_RUNS   64


/*
 * The owner's.  "refuse" answers what is wrong with the form, "answer" when the
 * job is done or has failed; both return what the request is finalized with.
 * "complete", which may be NULL, is called when the form was read, with the
 * name and the type of the job set: NGX_ERROR when out of memory.
 */

typedef struct {
    ngx_int_t  (*refuse)(ngx_http_request_t *r, ngx_http_artifact_form_t *form,
                         const art_file_error_t *error);
    ngx_int_t  (*answer)(ngx_http_request_t *r, ngx_http_artifact_form_t *form);
    ngx_int_t  (*complete)(ngx_http_request_t *r,
                           ngx_http_artifact_form_t *form);
} ngx_http_artifact_form_owner_t;


/* About 24 KB, 256 KB more with threads, 64 KB if the body is in a file. */

struct ngx_http_artifact_form_s {
    ngx_http_request_t                    *request;
    ngx_http_artifact_write_t             *write;
    const ngx_http_artifact_form_owner_t  *owner;
    ngx_http_artifact_body_reader_t        reader;
    ngx_http_artifact_turn_t               turn;
    ngx_buf_t                             *buffer;  /* for a thread, or NULL */
    ngx_uint_t                             nruns;
    ngx_buf_t                     runs[NGX_HTTP_ARTIFACT_FORM_RUNS];
    ngx_chain_t                   links[NGX_HTTP_ARTIFACT_FORM_RUNS];
    size_t                        nhead;       /* first bytes of the file */
    u_char                        head[ART_SNIFF_MAX];
    unsigned                      running:1;   /* a step of the job runs */
    art_upload_t                  fields;      /* the largest part */
};


/*
 * Reads the body of a POST as a form and writes the file in it; returns what
 * the content handler has to return.  With "any" the file is the part that has
 * a file's name, else the field "file".
 */

ngx_int_t ngx_http_artifact_form_upload(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, const ngx_http_artifact_form_owner_t *owner,
    unsigned any);


#endif /* NGX_HTTP_ARTIFACT_FORM_H_INCLUDED_ */
