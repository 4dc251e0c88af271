
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Request headers that are not for a source whose answer will be routed: they
 * ask for other bytes than those that are rendered, or compare its tag with one
 * that the client has from here.
 */


#ifndef NGX_HTTP_ARTIFACT_WITHHOLD_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_WITHHOLD_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>


/* Whether a request has any of them. */

ngx_uint_t ngx_http_artifact_has_withheld(ngx_http_request_t *r);


/*
 * Takes Range, If-Range, If-Match, If-None-Match, If-Modified-Since,
 * If-Unmodified-Since and Accept-Encoding out of the list of r's headers, which
 * proxy, FastCGI, uwsgi, SCGI and gRPC send on, and in which variables look for
 * them ($http_range).  What nginx has parsed stays, so that it compares and
 * compresses what is sent, but for the range, on which slice would act.
 * NGX_ERROR when out of memory: all is as before then.
 */

ngx_int_t ngx_http_artifact_withhold(ngx_http_request_t *r);


/* The same with Accept-Encoding alone. */

ngx_int_t ngx_http_artifact_withhold_encodings(ngx_http_request_t *r);


/*
 * Puts back what was taken, at the end of the list; happens by itself before
 * the request is logged.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_give_back(ngx_http_request_t *r);


#endif /* NGX_HTTP_ARTIFACT_WITHHOLD_H_INCLUDED_ */
