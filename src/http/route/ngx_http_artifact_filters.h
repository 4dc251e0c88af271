
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What has to be known of filters of nginx's own, any of which may be missing.
 */


#ifndef NGX_HTTP_ARTIFACT_FILTERS_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_FILTERS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>


/* Finds them among the cycle's modules, before filters are installed. */

void ngx_http_artifact_find_filters(ngx_cycle_t *cycle);


/* Whether the gunzip filter will decode what a request is answered with. */

ngx_uint_t ngx_http_artifact_is_gunzipped(ngx_http_request_t *r);


/* Whether the addition filter waits for the end of a request's content. */

ngx_uint_t ngx_http_artifact_lacks_end(ngx_http_request_t *r);


/*
 * The ssi filter has what it keeps of variables and blocks in the main request,
 * where it does not look whether there is any: lends the main request that of a
 * subrequest.  Returns what has to be taken back when the subrequest ends, NULL
 * if there is nothing.
 */

void *ngx_http_artifact_lend(ngx_http_request_t *r);
void ngx_http_artifact_take_back(ngx_http_request_t *r, void *lent);


#endif /* NGX_HTTP_ARTIFACT_FILTERS_H_INCLUDED_ */
