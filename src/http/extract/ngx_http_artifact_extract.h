
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A model's answer on its way to the client, out of which artifacts are taken
 * that an agent declares.
 */


#ifndef NGX_HTTP_ARTIFACT_EXTRACT_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_EXTRACT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "http/base/ngx_http_artifact_bufs.h"
#include "core/declare/art_declare.h"


/* Of the input, "in", the first buffer is being read if it was "fed". */

typedef struct {
    art_declare_t               declare;
    art_str_t                   rest;    /* of what it gave last */
    art_declare_gave_up_t       told;    /* in the log */
    ngx_http_upstream_t        *upstream;

    ngx_chain_t                *in;
    ngx_http_artifact_bufs_t    bufs;    /* what is written */

    unsigned                    events:1;
    unsigned                    fed:1;
    unsigned                    flush:1;
    unsigned                    last_buf:1;
    unsigned                    last_in_chain:1;
} ngx_http_artifact_extract_t;


/* The state of an answer of "api".  NULL when out of memory. */

ngx_http_artifact_extract_t *ngx_http_artifact_extract_create(
    ngx_http_request_t *r, const art_api_t *api, ngx_uint_t events);


/*
 * Takes the input through and gives what comes of it to "output"; to be called
 * without any for what is left.  NGX_ERROR, or what "output" returned.
 */

ngx_int_t ngx_http_artifact_extract_write(ngx_http_request_t *r,
    ngx_http_artifact_extract_t *extract, ngx_chain_t *in,
    ngx_http_output_body_filter_pt output);


#endif /* NGX_HTTP_ARTIFACT_EXTRACT_H_INCLUDED_ */
