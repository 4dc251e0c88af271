
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Who takes the content of a subrequest, rendered: it goes to the consumer and
 * nowhere else.  That is how references become parts of something larger.
 */


#ifndef NGX_HTTP_ARTIFACT_CONSUMER_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_CONSUMER_H_INCLUDED_


#include "http/route/ngx_http_artifact_stream.h"


typedef struct ngx_http_artifact_consumer_s  ngx_http_artifact_consumer_t;


/*
 * "output" takes rendered buffers, as a body filter does: what it leaves
 * unsent stays busy, NGX_AGAIN stops the source, and a later
 * sr->write_event_handler(sr) goes on; after NGX_ERROR the rest is dropped.
 * It finds the consumer by ngx_http_artifact_consumer(sr).
 *
 * "status" is that of the response; "whole" tells that the last byte of the
 * rendering was handed over: without it, whatever else was said, the source
 * failed.  Both hold once sr->done is set, when the parent runs again.
 */

struct ngx_http_artifact_consumer_s {
    ngx_http_artifact_terms_t        terms;
    ngx_http_output_body_filter_pt   output;
    void                            *data;      /* the caller's */

    ngx_http_post_subrequest_t       post;      /* for the subrequest */
    ngx_uint_t                       status;
    const char                      *why;       /* it failed, or NULL */
    void                            *lent;      /* to the main request */
    ngx_list_t                       headers;   /* of the main request */
    unsigned                         buffered:8; /* of the connection, before */
    unsigned                         whole:1;
    unsigned                         failed:1;  /* not whole any more */
    unsigned                         broken:1;  /* a filter has failed */
    unsigned                         direct:1;  /* its header passes filters */
    unsigned                         empty:1;   /* nothing follows its header */
    unsigned                         ended:1;   /* the handler's output has */
    unsigned                         again:1;   /* ... which was said again */
};


/*
 * Asks for "uri" on behalf of "r" and has it rendered on consumer->terms, one
 * subrequest at a time; what is pointed to must live as long as "r".  Returns
 * the subrequest, whose headers the caller may still change, NULL when out of
 * memory.
 */

ngx_http_request_t *ngx_http_artifact_consume(ngx_http_request_t *r,
    ngx_str_t *uri, ngx_str_t *args, ngx_http_artifact_consumer_t *consumer);


/* The consumer of a subrequest's content, NULL if it has none. */

ngx_http_artifact_consumer_t *ngx_http_artifact_consumer(
    ngx_http_request_t *r);


/*
 * Gives back what a subrequest that is done still holds until the main request
 * ends: the stream's buffers, and the file.
 */

void ngx_http_artifact_consumer_release(ngx_http_request_t *r);


/*
 * For the filters: renders "in" for the consumer, or goes on with what it has
 * left if that is NULL; r->buffered tells whether it has.  An error is the
 * consumer's, which finds its content not to be whole; of the subrequest it
 * would end the main request as well.
 */

/* Free in r->buffered (ngx_http_request.h). */

#define NGX_HTTP_ARTIFACT_BUFFERED  0x08


ngx_int_t ngx_http_artifact_consumer_write(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer, ngx_chain_t *in);


#endif /* NGX_HTTP_ARTIFACT_CONSUMER_H_INCLUDED_ */
