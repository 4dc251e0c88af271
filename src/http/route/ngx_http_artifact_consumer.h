
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The consumer of a subrequest's content: it gets the rendered content instead
 * of the client, so that references can become parts of something larger.
 */


#ifndef NGX_HTTP_ARTIFACT_CONSUMER_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_CONSUMER_H_INCLUDED_


#include "http/route/ngx_http_artifact_stream.h"


/* Not used by nginx in r->buffered (ngx_http_request.h). */

#define NGX_HTTP_ARTIFACT_BUFFERED  0x08


typedef struct ngx_http_artifact_consumer_s  ngx_http_artifact_consumer_t;


/*
 * What is converted by a subrequest: the content of the source of "request", or
 * a client's own media (NULL), with their SHA-256 in hexadecimal; "mime" is the
 * media type that the converter is told.
 */

typedef struct {
    ngx_http_request_t              *request;
    ngx_str_t                        digest;
    art_str_t                        mime;
} ngx_http_artifact_original_t;


/*
 * "output" takes rendered buffers, as a body filter does: buffers that it
 * leaves unsent stay busy, NGX_AGAIN stops the source until the next call of
 * sr->write_event_handler(sr), and after NGX_ERROR the rest is dropped.  It
 * finds the consumer by ngx_http_artifact_consumer(sr).
 *
 * "status" is the response's; "whole" is set if the last byte of the rendering
 * was handed over; "missing" if there is no such artifact, or none that the
 * client may read, "expired" if there was one.  Otherwise the source failed,
 * whatever its status.  They are valid once sr->done is set, when the parent
 * runs again.
 *
 * With "only_there" nothing is rendered: "whole" is set if there is such an
 * artifact.
 *
 * With "standin" only artifacts are found that a stand-in leads to, and else
 * none of these.
 *
 * For a conversion "original" is set.  It is never missing, its failure is not
 * logged but "why", "has_text" is set if it has more than white space,
 * "too_long" if it was stopped after "most" bytes.
 */

struct ngx_http_artifact_consumer_s {
    ngx_http_artifact_terms_t        terms;
    ngx_http_output_body_filter_pt   output;
    void                            *data;      /* the caller's */
    ngx_http_artifact_original_t    *original;  /* of a conversion, or NULL */
    off_t                            most;      /* bytes of it; 0: no limit */
    ngx_uint_t                       only_there;
    ngx_uint_t                       standin;

    ngx_http_post_subrequest_t       post;      /* for the subrequest */
    ngx_uint_t                       status;
    const char                      *why;       /* the failure, or NULL */
    ngx_str_t                        uri;       /* asked if "no_source" */
    ngx_str_t                        location;
    off_t                            consumed;   /* bytes of a conversion */
    void                            *borrowed_ssi_ctx; /* by r->main */
    ngx_list_t                       headers;   /* of the main request */
    unsigned                         buffered:8; /* of the connection, before */
    unsigned                         whole:1;
    unsigned                         failed:1;  /* cannot become whole */
    unsigned                         broken:1;  /* a filter has failed */
    unsigned                         direct:1;  /* its header passes filters */
    unsigned                         empty:1;   /* nothing follows its header */
    unsigned                         ended:1;   /* the output has */
    unsigned                         again:1;   /* its end was resent */
    unsigned                         folder:1;  /* may be a file in a folder */
    unsigned                         missing:1;
    unsigned                         expired:1;
    unsigned                         found:1;   /* a source has answered */
    unsigned                         no_source:1; /* none was asked */
    unsigned                         logged:1;
    unsigned                         has_text:1;
    unsigned                         too_long:1;
};


/*
 * Creates a subrequest of "r" for "uri", whose content is rendered on
 * consumer->terms, one subrequest at a time; the arguments must live as long as
 * "r".  Returns the subrequest, whose headers the caller may still change; NULL
 * when out of memory.
 */

ngx_http_request_t *ngx_http_artifact_consume(ngx_http_request_t *r,
    ngx_str_t *uri, ngx_str_t *args, ngx_http_artifact_consumer_t *consumer);


/* The consumer of a subrequest's content, NULL if it has none. */

ngx_http_artifact_consumer_t *ngx_http_artifact_consumer(
    ngx_http_request_t *r);


/*
 * What a request converts, itself or for the request that it is a subrequest
 * of, also after a redirect; NULL for all other requests.
 */

ngx_http_artifact_original_t *ngx_http_artifact_original(
    ngx_http_request_t *r);


/*
 * Frees what a finished subrequest would otherwise hold until the main request
 * ends: the stream's buffers and the file.
 */

void ngx_http_artifact_consumer_release(ngx_http_request_t *r);


/*
 * For the header filters.  The first one, before all others, creates the
 * source's stream and passes the header to "next".  The second one, where the
 * header ends, determines what the source is.  Both return what a header filter
 * returns.
 */

ngx_int_t ngx_http_artifact_capture_begin(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer,
    ngx_http_output_header_filter_pt next);
ngx_int_t ngx_http_artifact_capture_header(ngx_http_request_t *r,
    ngx_http_artifact_consumer_t *consumer);


/*
 * For the first body filter, of any subrequest: marks the end of a source's
 * output, and detects a failed upstream of one of the source's subrequests,
 * which ends with a flush as if nothing had happened.  A call without input
 * continues with what a consumer has left, since nginx would not pass it on to
 * the capture; it also wakes a subrequest of the source that has waited for
 * that.
 */

ngx_int_t ngx_http_artifact_capture_input(ngx_http_request_t *r,
    ngx_chain_t *in);


/*
 * For the body filter after postpone: renders output of a source for its
 * consumer, or continues with what the consumer has left if "in" is NULL.
 * NGX_DECLINED for output of any other request.
 */

ngx_int_t ngx_http_artifact_capture_body(ngx_http_request_t *r,
    ngx_chain_t *in);


/* The content cannot become whole any more; "why" is for the log. */

void ngx_http_artifact_consumer_fail(ngx_http_artifact_consumer_t *consumer,
    const char *why);


/*
 * For the output of a consumer: passes rendered buffers on as the source's
 * answer; the client gets them after all that was sent before the subrequest
 * was created.  Returns what the next body filter returns.
 */

ngx_int_t ngx_http_artifact_capture_pass(ngx_http_request_t *r,
    ngx_chain_t *out);


#endif /* NGX_HTTP_ARTIFACT_CONSUMER_H_INCLUDED_ */
