
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Asking a location for the artifact of a reference.
 */


#ifndef NGX_HTTP_ARTIFACT_ASK_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_ASK_H_INCLUDED_


#include "http/route/ngx_http_artifact_consumer.h"
#include "core/base/art_core.h"


/* Called after the configuration was read.  NGX_ERROR when out of memory. */

ngx_int_t ngx_http_artifact_ask_init(ngx_conf_t *cf);


/*
 * Evaluates artifact_source.  NGX_DECLINED if the result must not be asked for,
 * which is logged: the value of a variable must not lead to another location's
 * content.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_ask_prefix(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf, ngx_str_t *prefix);


/*
 * Sends a GET to a location, or a HEAD if consumer->only_there is set, for
 * "prefix", the value of artifact_source, and "id"; the answer goes to the
 * consumer.  "id" must have passed art_id_parse(),
 * so that nothing in it leads elsewhere, and must live as long as "r".
 *
 * The source learns who asks: it gets the headers of the request that are
 * NGX_HTTP_ARTIFACT_HEADERS_PASSED (docs/expand.md lists them) and no others:
 * neither those of the request's body or of its answer, nor any that may be a
 * key, which a proxying source would pass on to a store.  Its variables are
 * those of its own headers and URI; variables that were set or computed keep
 * the values that they have for the request, and $remote_user is the user who
 * has logged in.
 *
 * NULL when out of memory.  Then only NGX_ERROR can end "r", as after
 * ngx_http_subrequest(): any other answer might wait for a subrequest that
 * never runs.
 */

ngx_http_request_t *ngx_http_artifact_ask(ngx_http_request_t *r,
    ngx_str_t *prefix, art_str_t id, ngx_http_artifact_consumer_t *consumer);


/*
 * The same for any URI that may be asked for, decoded, and its arguments.  The
 * caller may still change the subrequest, for which this logs nothing.
 */

ngx_http_request_t *ngx_http_artifact_ask_uri(ngx_http_request_t *r,
    ngx_str_t *uri, ngx_str_t *args, ngx_http_artifact_consumer_t *consumer);


/*
 * Deletes the timer for sending to the client, which waits for a source: nginx
 * also sets it for unsent output of the source.
 */

void ngx_http_artifact_ask_no_timer(ngx_http_request_t *r);


#endif /* NGX_HTTP_ARTIFACT_ASK_H_INCLUDED_ */
