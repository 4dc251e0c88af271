
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Answers of models' APIs on their way to the client: one filter reads them
 * and sends what its stages make of them.
 */


#ifndef NGX_HTTP_ARTIFACT_RESPONSE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_RESPONSE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "core/base/art_core.h"
#include "core/api/art_api.h"
#include "core/offload/art_shorten.h"
#include "http/base/ngx_http_artifact_work.h"


/* Values of artifact_extract. */

#define NGX_HTTP_ARTIFACT_EXTRACT_OFF    0
#define NGX_HTTP_ARTIFACT_EXTRACT_ON     1
#define NGX_HTTP_ARTIFACT_EXTRACT_STRIP  2


/* Values of artifact_offload. */

#define NGX_HTTP_ARTIFACT_OFFLOAD_OFF    0
#define NGX_HTTP_ARTIFACT_OFFLOAD_ON     1
#define NGX_HTTP_ARTIFACT_OFFLOAD_LINK   2


/*
 * "stores" is the directive because of which something of an answer may be
 * stored; NULL: nothing is.
 */

typedef struct {
    ngx_uint_t           extract;
    ngx_uint_t           offload;
    const char          *stores;
} ngx_http_artifact_answers_conf_t;


typedef struct {
    unsigned             used:1;     /* in any location */
} ngx_http_artifact_answers_main_conf_t;


extern ngx_module_t  ngx_http_artifact_answers_module;


/*
 * What has not been read yet of a piece of an answer; nothing follows the
 * "last" one, which may be empty.  "idle": nothing more has come yet.
 */

typedef struct {
    art_str_t            bytes;
    unsigned             last:1;
    unsigned             idle:1;
} ngx_http_artifact_piece_t;


/*
 * A stage reads pieces of an answer, and gives pieces of a new one.
 *
 * "next" reads from "in", whose bytes stay until it has returned NGX_DECLINED:
 * all of them were read; if it "waits", it is then called once more when it is
 * idle.  It returns NGX_OK with at least one byte, valid until
 * the next call; NGX_AGAIN while a thread works for the stage or others have
 * their turn, after which ngx_http_artifact_resume_pt is called; NGX_ERROR,
 * after which it is not called any more.
 */

typedef struct {
    ngx_int_t                  (*next)(void *data,
                                       ngx_http_artifact_piece_t *in,
                                       art_str_t *bytes);
    void                        *data;
    ngx_http_artifact_piece_t    in;
    unsigned                     ended:1;    /* the last piece was given */
    unsigned                     waits:1;    /* and is told if it is idle */
} ngx_http_artifact_stage_t;


/*
 * The API whose answer to a request may have base64 or long texts that become
 * artifacts, and which of both; NULL if there is none, or neither is asked for.
 */

typedef struct {
    art_shorten_limits_t         limits;
    unsigned                     media:1;
    unsigned                     texts:1;
} ngx_http_artifact_offloads_t;

const art_api_t *ngx_http_artifact_offload_api(ngx_http_request_t *r,
    ngx_http_artifact_offloads_t *offloads);


/*
 * Creates the stage of an answer, a stream of "events" or JSON, that writes
 * base64 to the store and replaces it by references; it lives as long as the
 * request.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_offload_create(ngx_http_request_t *r,
    const art_api_t *api, ngx_uint_t events,
    ngx_http_artifact_resume_pt resume, ngx_http_artifact_stage_t *stage);


/*
 * The same for a stage that writes long texts to the store, and leaves excerpts
 * of them.
 */

ngx_int_t ngx_http_artifact_offload_texts(ngx_http_request_t *r,
    const art_api_t *api, const art_shorten_limits_t *limits,
    ngx_uint_t events, ngx_http_artifact_resume_pt resume,
    ngx_http_artifact_stage_t *stage);


/*
 * The same for a stage that extracts the artifacts which an agent declares.
 */

ngx_int_t ngx_http_artifact_extract_create(ngx_http_request_t *r,
    ngx_uint_t events, ngx_http_artifact_resume_pt resume,
    ngx_http_artifact_stage_t *stage);


#endif /* NGX_HTTP_ARTIFACT_RESPONSE_H_INCLUDED_ */
