
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The classification of contents.
 */


#ifndef NGX_HTTP_ARTIFACT_CLASSIFY_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_CLASSIFY_H_INCLUDED_


#include "http/source/ngx_http_artifact_source.h"


/*
 * Classifies a content into source->verdict.  With "verify" its bytes are
 * examined even if the metadata declare a type.  NGX_DECLINED if the content
 * could not be read, NGX_ERROR when out of memory.  The second function does
 * not count the classification, the third one does nothing else.
 */

ngx_int_t ngx_http_artifact_classify(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source, ngx_uint_t verify);
ngx_int_t ngx_http_artifact_find_type(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source, ngx_uint_t verify);
void ngx_http_artifact_classify_count(art_from_t from,
    ngx_uint_t contradicted);


/*
 * Sets source->width and height, of an image: a file is read where they are, at
 * most NGX_HTTP_ARTIFACT_PIXELS_READS times ART_SNIFF_MAX bytes, unless that
 * was done before; of a response there are only the first bytes.  They stay 0
 * if they cannot be known.
 */

#define NGX_HTTP_ARTIFACT_PIXELS_READS  24

void ngx_http_artifact_measure(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);


/*
 * Sets source->end, of a content whose end can be read: of a file, unless that
 * was done before; of a response that is one, or that has come as a whole.
 */

void ngx_http_artifact_find_end(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);


/*
 * The first bytes of a response have filled source->head.  NGX_OK if they are
 * an image whose size comes soon, and there is now room for that, of at most
 * NGX_HTTP_ARTIFACT_PIXELS_MAX bytes; else NGX_DECLINED.
 */

#define NGX_HTTP_ARTIFACT_PIXELS_MAX  (128 * 1024)

ngx_int_t ngx_http_artifact_grow_head(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);


/*
 * What metadata and names claim about a content, for art_classify();
 * "last_name" is the last component of its path.
 */

void ngx_http_artifact_claims(ngx_http_request_t *r, art_meta_t *meta,
    art_str_t last_name, art_claims_t *claims);


/* Loads libmagic's database for the processes of this configuration. */

ngx_int_t ngx_http_artifact_init_magic(ngx_conf_t *cf,
    ngx_http_artifact_main_conf_t *amcf);


/* Adds what libmagic says about a content's first bytes to the evidence. */

void ngx_http_artifact_ask_magic(ngx_http_request_t *r, u_char *p,
    size_t len, art_evidence_t *evidence);


#endif /* NGX_HTTP_ARTIFACT_CLASSIFY_H_INCLUDED_ */
