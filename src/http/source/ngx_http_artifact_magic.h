
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libmagic, for what no table of the core knows.
 */


#ifndef NGX_HTTP_ARTIFACT_MAGIC_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_MAGIC_H_INCLUDED_


#include "http/base/ngx_http_artifact.h"
#include "core/media/art_sniff.h"


/* Loads libmagic's database for the processes of this configuration. */

ngx_int_t ngx_http_artifact_init_magic(ngx_conf_t *cf,
    ngx_http_artifact_main_conf_t *amcf);


/* Puts what libmagic says of a content's first bytes into the evidence. */

void ngx_http_artifact_ask_magic(ngx_http_request_t *r, u_char *p,
    size_t len, art_evidence_t *evidence);


#endif /* NGX_HTTP_ARTIFACT_MAGIC_H_INCLUDED_ */
