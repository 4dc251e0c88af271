
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The stream renders a source's bytes.  It does not know who takes the result:
 * the body filter sends it to the client, the consumer of a subrequest puts it
 * where it is needed.
 */


#ifndef NGX_HTTP_ARTIFACT_STREAM_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_STREAM_H_INCLUDED_


#include "http/base/ngx_http_artifact_bufs.h"
#include "http/base/ngx_http_artifact_context.h"
#include "http/source/ngx_http_artifact_open_cache.h"
#include "core/derive/art_derive.h"
#include "core/render/art_render.h"
#include "core/render/art_view.h"


/*
 * The state of a stream.  The first is WAIT or RENDER; REPLACE may follow, or
 * be the first, as long as no header was sent; END is the last, or DERIVED.
 *
 *     WAIT ----> RENDER ----> END
 *       |         |  ^         ^
 *       |         |  +--> DERIVE --> DERIVED
 *       |         +--> REPLACE |
 *       +----------------------+     (HEAD, "not modified")
 */

typedef enum {
    NGX_HTTP_ARTIFACT_STREAM_WAIT = 0,   /* for the first bytes: no header */
    NGX_HTTP_ARTIFACT_STREAM_RENDER,     /* input is rendered */
    NGX_HTTP_ARTIFACT_STREAM_REPLACE,    /* another body is sent instead */
    NGX_HTTP_ARTIFACT_STREAM_DERIVE,     /* another form is made: no header */
    NGX_HTTP_ARTIFACT_STREAM_DERIVED,    /* which passes as it is */
    NGX_HTTP_ARTIFACT_STREAM_END         /* input is dropped */
} ngx_http_artifact_stream_state_e;


/*
 * Decides in place of the routing table, once the source is known
 * (stream->view): sets the view's decision and the terms' format.  NGX_ERROR
 * when out of memory.
 */

typedef ngx_int_t (*ngx_http_artifact_choose_pt)(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_uint_t empty, ngx_uint_t failed);


/*
 * Called if the answer has failed before its header was sent: returns what the
 * request is finalized with.
 */

typedef ngx_int_t (*ngx_http_artifact_failed_pt)(ngx_http_request_t *r,
    art_error_t error);


/*
 * For whom, in which format, and within whose limits a stream is rendered.
 * "origin", which must outlive it, is the view of what the content was derived
 * from, or NULL, and "keeper" that content, if head and tail are kept with it.
 * "text_max" in bytes replaces that of "conf" unless it is 0; -1: no limit.
 */

typedef struct {
    ngx_http_artifact_loc_conf_t      *conf;     /* limits, language, words */
    ngx_http_artifact_reader_t        *reader;
    const art_format_t                *format;
    ngx_http_artifact_choose_pt        choose;   /* or NULL */
    const art_view_t                  *origin;   /* of what is derived */
    ngx_http_artifact_source_t        *keeper;   /* or NULL */
    ngx_str_t                          tool_call_id;
    const art_url_t                   *url;      /* or NULL */
    off_t                              text_max;
    art_envelope_t                     envelope; /* of the answer, or empty */
    ngx_http_artifact_failed_pt        failed;   /* or NULL */
    ngx_uint_t                         by_url;   /* media may go by "url" */
} ngx_http_artifact_terms_t;


/*
 * Another form of the content would do: "rule" is the number of the first rule
 * of artifact_derive that is to be asked.
 */

typedef struct {
    art_question_t                     question; /* about the content */
    art_derive_source_t                source;
    unsigned                           rule;
} ngx_http_artifact_derivable_t;


struct ngx_http_artifact_stream_s {
    ngx_http_artifact_stream_state_e   state;
    ngx_http_artifact_source_t        *source;
    ngx_http_upstream_t               *upstream; /* NULL: no body of one */
    ngx_http_artifact_terms_t          terms;
    ngx_http_artifact_source_t        *keeper;   /* of its memo, or NULL */
    ngx_http_artifact_memo_key_t       key;      /* in this one */
    ngx_http_artifact_made_t          *made;     /* of a part, or NULL */

    art_view_t                         view;     /* the decision is in it */
    art_render_t                      *render;   /* once it has started */
    ngx_http_artifact_derivable_t     *derivable; /* or NULL */
    art_str_t                          derived;  /* type of the other form */
    off_t                              length;   /* rendered, -1: unknown */
    off_t                              received; /* bytes of an upstream */
    off_t                              consumed; /* ... of the source */

    ngx_buf_t                         *replacement;
    ngx_buf_t                         *last;     /* the end, of a part */
    ngx_buf_t                          empty;    /* replaces a used one */

    ngx_chain_t                       *rest;     /* of a file, not read yet */
    ngx_chain_t                       *in;
    ngx_http_artifact_bufs_t           bufs;     /* what was rendered */
    ngx_chain_t                       *ahead;    /* DERIVED: before the end */

    unsigned                           part:1;   /* of a subrequest */
    unsigned                           timedout:1; /* its upstream did */
    unsigned                           flush:1;
    unsigned                           begun:1;  /* some of it was sent */
    unsigned                           too_long:1; /* to be inlined */
    unsigned                           unconverted:1; /* that has failed */
};


/* Why the content is not sent as it is, for logs and counters. */

static ngx_inline art_reason_t
ngx_http_artifact_stream_reason(ngx_http_artifact_stream_t *stream)
{
    return stream->unconverted && stream->view.decision.described
           ? ART_REASON_CONVERSION : stream->view.decision.reason;
}


/*
 * Creates ctx->stream in the request's pool, in the state WAIT, for ctx->source
 * (NULL if nothing will be rendered).  The caller sets its terms.  NULL when
 * out of memory.
 */

ngx_http_artifact_stream_t *ngx_http_artifact_stream_create(
    ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx);


/* A request's stream, NULL if its answer passes as it is. */

ngx_http_artifact_stream_t *ngx_http_artifact_get_stream(
    ngx_http_request_t *r);


/*
 * For terms: the first one sets the configured format, else that of a service,
 * which may be NULL, else "route"; an unknown format is logged.  The second one
 * sets the "tool_call_id" argument, else the X-Tool-Call-Id header.  NGX_ERROR
 * when out of memory.
 */

ngx_int_t ngx_http_artifact_named_format(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf, const art_service_t *service,
    const art_format_t **format);
ngx_int_t ngx_http_artifact_tool_call_id(ngx_http_request_t *r,
    ngx_str_t *value);


/*
 * Starts the rendering once the source is known: classifies it, decides what
 * the reader gets (stream->view), and renders head and tail.  Then the state is
 * RENDER, and stream->length is set.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_stream_start(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);


/*
 * For what a converter has made before: if the answer was kept with the
 * original, puts it into stream->bufs, and the state is END.  NGX_DECLINED if
 * no answer was kept; the stream then keeps the one that it renders.  NGX_ERROR
 * when out of memory.  "made" must live as long as the stream.
 */

ngx_int_t ngx_http_artifact_stream_kept(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_http_artifact_made_t *made);


/* Whether the pixels of an image matter: there may be a limit for them. */

#define ngx_http_artifact_stream_measures(stream)                             \
    ((stream)->terms.choose || (stream)->terms.format->max_side               \
     || ((stream)->terms.reader->service                                      \
         && (stream)->terms.reader->service->max_side))


/*
 * Sends the header of an answer from a local source, then as much of the
 * content as ctx->stream needs; without a stream, all of it.  Returns what the
 * content handler has to return.
 */

ngx_int_t ngx_http_artifact_send_local(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);


/* Makes the copy filter read the source's bytes into memory. */

void ngx_http_artifact_need_in_memory(ngx_http_request_t *r);


/*
 * Whether the source's bytes are needed; and how many of them are enough, 0 for
 * all.  The stream may be NULL: a raw answer needs them.
 */

ngx_uint_t ngx_http_artifact_stream_needs_content(
    ngx_http_artifact_stream_t *stream);
off_t ngx_http_artifact_stream_input_limit(
    ngx_http_artifact_stream_t *stream);


/*
 * Renders "in", which is used up unless the output stops, and passes the result
 * to "output", which behaves like a body filter: it may leave buffers busy, and
 * is called again with NULL to continue with them.  Memory: two buffers of
 * 24 KB, or one of the whole answer if that is shorter.  Returns what "output"
 * returned, NGX_OK if it was not called, or NGX_ERROR; stream->in has the input
 * left.
 */

ngx_int_t ngx_http_artifact_stream_write(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in,
    ngx_http_output_body_filter_pt output);


/*
 * While the stream waits: copies the first bytes of "*in", so that the source
 * can use its buffers again.  NGX_OK when there are enough or no more, and sets
 * *in to what is left; else NGX_AGAIN.  The second function returns the bytes
 * in a buffer, to be passed on before the rest; NULL when out of memory.
 */

ngx_int_t ngx_http_artifact_stream_hold(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t **in);
ngx_buf_t *ngx_http_artifact_stream_held(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);


/* Ends a stream, dropping all its input and output. */

void ngx_http_artifact_stream_abandon(ngx_http_artifact_stream_t *stream);


/* Marks buffers as sent, so that their owner gets them back. */

void ngx_http_artifact_drop(ngx_chain_t *in);


/*
 * If the response comes from an upstream that has not ended yet (one that has
 * ended may have redirected here), sets stream->upstream.  The stream notices
 * its timeout (stream->timedout), and all failures by a flush.  Called from the
 * header filter, before nginx reads the body.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_upstream_follow(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);


/*
 * For a stream that is derivable, and whose content is not at hand any more:
 * describes it after all, as of a type that is not taken.  NGX_ERROR when out
 * of memory.
 */

ngx_int_t ngx_http_artifact_stream_describe(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);


/*
 * The answer is complete: the first one ends an upstream, or NULL, unless
 * little is left, or a cache takes it.  The second one does not care for a
 * cache: an answer that is made without this upstream would wait for its end.
 * The third one ends it in any case, as if it had broken off, so that nothing
 * is cached.
 */

void ngx_http_artifact_upstream_end(ngx_http_upstream_t *u);
void ngx_http_artifact_upstream_leave(ngx_http_upstream_t *u);
void ngx_http_artifact_upstream_stop(ngx_http_upstream_t *u);


#endif /* NGX_HTTP_ARTIFACT_STREAM_H_INCLUDED_ */
