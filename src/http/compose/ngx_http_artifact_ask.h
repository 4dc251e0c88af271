
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Asking a location for the artifact of a reference.
 */


#ifndef NGX_HTTP_ARTIFACT_ASK_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_ASK_H_INCLUDED_


#include "http/route/ngx_http_artifact_consumer.h"
#include "core/base/art_core.h"


/* Once the configuration has been read.  NGX_ERROR when out of memory. */

ngx_int_t ngx_http_artifact_ask_init(ngx_conf_t *cf);


/*
 * Evaluates artifact_source.  NGX_DECLINED if it may not be asked: what a
 * variable brings shall not lead to another location's content.  NGX_ERROR when
 * out of memory.
 */

ngx_int_t ngx_http_artifact_ask_prefix(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf, ngx_str_t *prefix);


/*
 * Has the location of "prefix", artifact_source's value, with "id" behind it
 * answer a GET; what it says goes to the consumer.  "id" is one that
 * art_id_parse() has found sound: nothing in it leads elsewhere.
 *
 * The source learns who asks: it gets those of the request's headers that are
 * in the table of the source file (docs/expand.md has it, too), and no other:
 * neither what belongs to the request's body or to the answer, nor what may be
 * a key, which a proxying source would pass on to a store.  Its variables tell
 * of its own headers and URI; those that were set or computed have the values
 * that they have for the request, and $remote_user tells who has logged in.
 *
 * "id" must live as long as "r".  NULL when out of memory: as with
 * ngx_http_subrequest(), nothing but NGX_ERROR can end "r" then, since what it
 * would answer might wait for a subrequest that never runs.
 */

ngx_http_request_t *ngx_http_artifact_ask(ngx_http_request_t *r,
    ngx_str_t *prefix, art_str_t id, ngx_http_artifact_consumer_t *consumer);


#endif /* NGX_HTTP_ARTIFACT_ASK_H_INCLUDED_ */
