
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A request whose references are being expanded: what its steps share.
 */


#ifndef NGX_HTTP_ARTIFACT_EXPAND_STATE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_EXPAND_STATE_H_INCLUDED_


#include "http/base/ngx_http_artifact_context.h"
#include "http/base/ngx_http_artifact_work.h"
#include "http/compose/ngx_http_artifact_spool.h"
#include "http/request/ngx_http_artifact_body.h"
#include "http/request/ngx_http_artifact_decode.h"
#include "http/route/ngx_http_artifact_consumer.h"
#include "core/message/art_message_error.h"
#include "core/message/art_message_plan.h"
#include "core/message/art_message_scan.h"
#include "core/message/art_message_splice.h"


/* What is known of a reference. */

typedef struct {
    art_view_t                       view;
    ngx_http_request_t              *sr;         /* that told it */
    ngx_http_artifact_stream_t      *stream;
    unsigned                         known:1;
    unsigned                         missing:1;
    unsigned                         empty:1;
    unsigned                         failed:1;
} ngx_http_artifact_expand_ref_t;


/* Where the rendering for a slot stands in "parts"; -1: nowhere. */

typedef struct {
    off_t                            begin;
    off_t                            size;
} ngx_http_artifact_expand_part_t;


struct ngx_http_artifact_expand_s {
    ngx_http_request_t              *request;
    ngx_http_artifact_loc_conf_t    *conf;
    ngx_uint_t                       step;
    ngx_http_artifact_turn_t         turn;

    const art_message_api_t         *api;
    art_str_t                        path_model;
    art_scan_t                      *scan;
    art_prompt_t                    *prompt;     /* NULL: none is added */
    art_splice_op_t                  added[ART_PROMPT_OPS];
    size_t                           nadded;     /* operations for it */
    art_message_plan_t               plan;
    ngx_http_artifact_reader_t       reader;
    off_t                            seen;       /* scanned as it came in */

    ngx_http_artifact_decode_t      *decode;
    ngx_http_artifact_spool_t        decoded;
    u_char                          *in;         /* to be decoded next */
    size_t                           in_len;
    ngx_chain_t                     *body;       /* plain */
    ngx_http_artifact_body_t         at;
    u_char                          *buf;

    uint32_t                         slot;       /* that is asked for */
    ngx_http_artifact_expand_ref_t  *refs;
    ngx_http_artifact_expand_part_t *slots;
    ngx_http_artifact_consumer_t     consumer;
    ngx_http_request_t              *sr;
    ngx_chain_t                     *held;       /* of what it sends */
    ngx_http_artifact_spool_t        parts;
    ngx_chain_t                     *rendered;

    art_splice_t                     lay;        /* the body, in "parts" */
    uint32_t                         laid;       /* slots */

    art_splice_t                     splice;
    uint64_t                         total;
    art_splice_piece_t               piece;
    ngx_http_artifact_spool_t        out;
    ngx_http_artifact_spool_t       *sent;       /* the one that goes out */

    struct evp_md_ctx_st            *digest;     /* under way */
    u_char                          *hash;       /* of the body, hexadecimal */

    unsigned                         versioned:1;
    unsigned                         seeing:1;   /* what comes in is scanned, */
    unsigned                         over:1;     /* or need not be any more */
    unsigned                         chosen:1;   /* by the source that came */
    unsigned                         laying:1;
    unsigned                         ranged:1;   /* some slots */
    unsigned                         begun:1;
    unsigned                         writing:1;  /* a piece */
    unsigned                         done:1;
    unsigned                         left:1;     /* for an error's page */
};


#define NGX_HTTP_ARTIFACT_EXPAND_ROOM  65536         /* taken at once */
#define NGX_HTTP_ARTIFACT_EXPAND_HASH  64            /* digits of SHA-256 */


/*
 * The expansion of a request, under way or over, NULL if there is none; a new
 * one, NULL when out of memory.  It ends with the request, whatever redirects.
 */

ngx_http_artifact_expand_t *ngx_http_artifact_expand(ngx_http_request_t *r);
ngx_http_artifact_expand_t *ngx_http_artifact_expand_create(
    ngx_http_request_t *r, ngx_http_artifact_loc_conf_t *alcf);


/* Begins to read the body, plain, from its start: NGX_ERROR out of memory. */

ngx_int_t ngx_http_artifact_expand_rewind(ngx_http_artifact_expand_t *ex);


/* Has others have their turn before it goes on: NGX_AGAIN. */

ngx_int_t ngx_http_artifact_expand_yield(ngx_http_artifact_expand_t *ex);


/*
 * Ends the work: gives back memory and files of all that only the making of the
 * body needed, which would otherwise be held while the model answers.
 */

void ngx_http_artifact_expand_end(ngx_http_artifact_expand_t *ex);


/*
 * Refuses the request with an error that concerns the reference "ref", which
 * may be empty; an "error_page" of the location takes the place of the JSON.
 * Returns what the handler has to return.
 */

ngx_int_t ngx_http_artifact_expand_refuse(ngx_http_artifact_expand_t *ex,
    art_message_error_t error, art_str_t ref);


#endif /* NGX_HTTP_ARTIFACT_EXPAND_STATE_H_INCLUDED_ */
