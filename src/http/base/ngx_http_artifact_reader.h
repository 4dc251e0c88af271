
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Who will read an answer.
 */


#ifndef NGX_HTTP_ARTIFACT_READER_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_READER_H_INCLUDED_


#include "http/base/ngx_http_artifact_context.h"


/* Who will read the answer. */

struct ngx_http_artifact_reader_s {
    ngx_str_t                   asked;       /* artifact_service's value */
    ngx_str_t                   accept;      /* artifact_accept's value */
    const art_service_t        *service;     /* NULL: unknown or not asked */
    unsigned                    caps;        /* ART_CAP_* */
    unsigned                    empty:1;     /* neither was given */
};


/* Who asks; evaluated once per request.  NULL when out of memory. */

ngx_http_artifact_reader_t *ngx_http_artifact_get_reader(
    ngx_http_request_t *r);


/*
 * Looks the service up that is "asked" for, in a map that may be NULL, and sets
 * the capabilities: those of "accept" if it is not empty, else the service's,
 * else text.
 */

void ngx_http_artifact_reader_find(ngx_http_artifact_reader_t *reader,
    const art_capmap_t *map);


/* Whether this reader gets JSON here.  NGX_ERROR when out of memory. */

ngx_int_t ngx_http_artifact_is_routed(ngx_http_request_t *r,
    ngx_uint_t *routed);


#endif /* NGX_HTTP_ARTIFACT_READER_H_INCLUDED_ */
