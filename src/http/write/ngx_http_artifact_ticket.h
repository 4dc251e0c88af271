
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Tickets: URLs that let somebody else make one new artifact.
 */


#ifndef NGX_HTTP_ARTIFACT_TICKET_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_TICKET_H_INCLUDED_


#include "http/write/ngx_http_artifact_write.h"
#include "core/answer/art_ticket.h"


/*
 * A new ticket: "id" and "put" are in memory of the request, "url" is how the
 * location writes URLs.
 */

typedef struct {
    art_url_t    url;
    art_str_t    id;
    art_str_t    put;
} ngx_http_artifact_ticket_t;


/*
 * Makes the ticket of what was checked.  NGX_DECLINED if there is no URL;
 * NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_ticket_make(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *conf, const art_ticket_t *what,
    ngx_http_artifact_ticket_t *ticket);


/* Whether a request asks for one, and the content handler of those that do. */

ngx_uint_t ngx_http_artifact_asks_ticket(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
ngx_int_t ngx_http_artifact_ticket_handler(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);


/*
 * Sets the job of a PUT with a ticket: its id, name, type and size.  NGX_ERROR
 * with job->error set, or when out of memory.
 */

ngx_int_t ngx_http_artifact_ticket_read(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);


#endif /* NGX_HTTP_ARTIFACT_TICKET_H_INCLUDED_ */
