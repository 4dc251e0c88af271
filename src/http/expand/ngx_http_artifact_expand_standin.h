
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Media that leave a request, on their way to the store.
 */


#ifndef NGX_HTTP_ARTIFACT_EXPAND_STANDIN_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_EXPAND_STANDIN_H_INCLUDED_


#include "http/expand/ngx_http_artifact_expand_state.h"
#include "store/write/ngx_artifact_write.h"
#include "core/offload/art_shorten.h"


/* The longest text that takes the place of a medium, in bytes. */

#define NGX_HTTP_ARTIFACT_TEXT_INNER  8192


/*
 * A value whose base64 a stand-in is to replace: "size" bytes, whose characters
 * are the "span" of the body, or of "rendered" (of a reference).  "plain": they
 * are canonical base64.  "forged": it is a stand-in, which cannot stay.
 * "denied": something else turned out to be declared.  "by" is what replaces
 * it.
 *
 * Or it is a "text" of a tool, of any length: what is between its quotes, or
 * those of the rendering of "slot", a reference that is all of a string;
 * "denied": it is not long.
 */

typedef struct {
    uint32_t                      slot;
    art_standin_t                 kind;
    art_span_t                    span;
    uint64_t                      size;
    art_str_t                     by;
    unsigned                      text:1;
    unsigned                      rendered:1;
    unsigned                      plain:1;
    unsigned                      forged:1;
    unsigned                      denied:1;
} ngx_http_artifact_standin_t;


/*
 * A part of the body from "pos" to before "end" that was not saved: characters
 * of the base64 of a file, which begins at "data" of the body.  It is one that
 * the store has, and its digest is known; or a "fresh" one, which is temporary,
 * and whose "size" is zero unless it is whole.
 */

typedef struct {
    off_t                         pos;
    off_t                         end;
    off_t                         data;
    off_t                         size;      /* of the file */
    ngx_file_t                    file;
    u_char                        hmac[NGX_ARTIFACT_HMAC];
    u_char                        id[NGX_ARTIFACT_TEMP_ID + 1];
    art_str_t                     mime;
    ngx_artifact_temp_t           temp;      /* the same file */
    unsigned                      fresh:1;
} ngx_http_artifact_part_t;


/*
 * The work on a value.  It is hashed, and if nobody knows it, decoded again and
 * written; a long text is written as it is hashed, and a medium that came in
 * has its file.
 *
 *     BEGIN -> HASH -> LOOK -> DONE
 *                        |--> WRITE -> DONE
 */

typedef enum {
    NGX_HTTP_ARTIFACT_STANDIN_BEGIN = 0,
    NGX_HTTP_ARTIFACT_STANDIN_HASH,
    NGX_HTTP_ARTIFACT_STANDIN_LOOK,
    NGX_HTTP_ARTIFACT_STANDIN_WRITE,
    NGX_HTTP_ARTIFACT_STANDIN_DONE
} ngx_http_artifact_standin_step_e;


struct ngx_http_artifact_standins_s {
    ngx_http_artifact_expand_t   *expand;
    ngx_http_artifact_standin_t  *items;
    uint32_t                      nitems;
    uint32_t                      next;
    ngx_uint_t                    nown;      /* that count against a maximum */

    art_splice_op_t              *ops;       /* of those in the body */
    size_t                        nops;

    uint32_t                      count;     /* of stand-ins, and bytes that */
    uint64_t                      bytes;     /* they stand for */

    /* where they go */

    ngx_str_t                     root;
    ngx_str_t                     scope;

    /*
     * the work on the next one; a thread does it while "posted" is set, which
     * shares no word with what that reads
     */

    ngx_uint_t                    posted;
    ngx_http_artifact_standin_step_e  step;
    ngx_artifact_write_job_t      job;
    ngx_artifact_task_t           task;
    ngx_msec_t                    most;      /* milliseconds at a time */
    ngx_http_artifact_body_t      body;
    ngx_http_artifact_part_t     *part;      /* a fresh one, or NULL */
    uint64_t                      pos;
    art_find_decode_t             clean;
    art_base64_decode_t           decode;
    unsigned                      digits;    /* of which alphabets */
    u_char                       *in;
    u_char                       *out;
    uint64_t                      end;
    ngx_buf_t                     content;   /* decoded */
    ngx_chain_t                   chain;
    ngx_buf_t                     buf;       /* one that is "forged" */
    ngx_chain_t                   source;
    u_char                        forged[ART_STANDIN_MAX];

    /* the same of texts; what replaces the media in the next one is "inner" */

    art_shorten_limits_t          limits;
    art_str_t                     agent;
    art_str_t                     message;
    art_excerpt_t                 excerpt;
    u_char                       *ends;
    art_splice_op_t              *edits;     /* of the body, in order */
    size_t                        nedits;
    art_splice_op_t              *inner;
    size_t                        ninner;
    size_t                        inner_next;
    size_t                        nout;      /* bytes of "out" */

    unsigned                      chosen:1;
    unsigned                      over:1;
    unsigned                      begun:1;   /* the next text */
    unsigned                      rootless:1;
    unsigned                      foreign:1; /* the body is no API's */
};


/*
 * Opens what all values need.  NGX_ERROR when out of memory; without a root,
 * each of them will fail.
 */

ngx_int_t ngx_http_artifact_standins_open(ngx_http_artifact_standins_t *st);


/* A value is in the store: counts it, and tells whoever needs to know. */

void ngx_http_artifact_standins_stored(ngx_http_artifact_standins_t *st,
    ngx_http_artifact_standin_t *item);


/*
 * Has a value stored: NGX_OK with st->job.error set or not, or what steps
 * return.
 */

ngx_int_t ngx_http_artifact_standins_work(ngx_http_artifact_standins_t *st,
    ngx_http_artifact_standin_t *item);


/*
 * The part that has all of a value, whose file is where that has to go to, or
 * NULL.
 */

ngx_http_artifact_part_t *ngx_http_artifact_known_part(
    ngx_http_artifact_standins_t *st, const ngx_http_artifact_standin_t *item);


#endif /* NGX_HTTP_ARTIFACT_EXPAND_STANDIN_H_INCLUDED_ */
