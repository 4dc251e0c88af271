
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What a content is.
 */


#ifndef NGX_HTTP_ARTIFACT_CLASSIFY_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_CLASSIFY_H_INCLUDED_


#include "http/source/ngx_http_artifact_source.h"


/*
 * Classifies a content into source->verdict.  With "verify" the bytes are
 * looked at even if the metadata declares a type.  NGX_DECLINED if the content
 * could not be read, NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_classify(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source, ngx_uint_t verify);


/* The same, for what is not counted. */

ngx_int_t ngx_http_artifact_find_type(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source, ngx_uint_t verify);


/*
 * What metadata and names claim of a content, for art_classify(); "last_name"
 * is the last component of its path.
 */

void ngx_http_artifact_claims(ngx_http_request_t *r, art_meta_t *meta,
    art_str_t last_name, art_claims_t *claims);


#endif /* NGX_HTTP_ARTIFACT_CLASSIFY_H_INCLUDED_ */
