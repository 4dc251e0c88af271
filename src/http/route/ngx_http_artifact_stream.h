
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The stream: a source's bytes come in, the rendered answer goes out.  It does
 * not know who takes it: the route filter sends it to the client, the consumer
 * of a subrequest puts it where it wants.
 */


#ifndef NGX_HTTP_ARTIFACT_STREAM_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_STREAM_H_INCLUDED_


#include "http/base/ngx_http_artifact_bufs.h"
#include "http/base/ngx_http_artifact_context.h"
#include "http/source/ngx_http_artifact_open_cache.h"
#include "core/render/art_render.h"
#include "core/render/art_view.h"


/*
 * Where a stream is.  It begins at WAIT or RENDER; REPLACE may follow, or be
 * the first, as long as no header went out; END is the last.
 *
 *     WAIT ----> RENDER ----> END
 *       |          |           ^
 *       |          +--> REPLACE
 *       +----------------------+     (HEAD, "not modified")
 */

typedef enum {
    NGX_HTTP_ARTIFACT_STREAM_WAIT = 0,   /* for the first bytes: no header */
    NGX_HTTP_ARTIFACT_STREAM_RENDER,     /* what comes in is rendered */
    NGX_HTTP_ARTIFACT_STREAM_REPLACE,    /* another body stands ready */
    NGX_HTTP_ARTIFACT_STREAM_END         /* no more is made of what comes in */
} ngx_http_artifact_stream_state_e;


/*
 * Decides in place of the stream, once it is known what the source is
 * (stream->view): sets the view's decision and the terms' format.  NGX_ERROR
 * when out of memory.
 */

typedef ngx_int_t (*ngx_http_artifact_choose_pt)(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_uint_t empty, ngx_uint_t failed);


/* For whom, in which format, and within whose limits a stream is rendered. */

typedef struct {
    ngx_http_artifact_loc_conf_t      *conf;     /* limits, language, words */
    ngx_http_artifact_reader_t        *reader;
    const art_format_t                *format;
    ngx_http_artifact_choose_pt        choose;   /* or NULL */
    ngx_str_t                          tool_call_id;
    ngx_str_t                          url;      /* ids stand behind it */
} ngx_http_artifact_terms_t;


struct ngx_http_artifact_stream_s {
    ngx_http_artifact_stream_state_e   state;
    ngx_http_artifact_source_t        *source;
    ngx_http_upstream_t               *upstream; /* NULL: no body of one */
    ngx_http_artifact_terms_t          terms;
    ngx_http_artifact_memo_key_t       key;      /* if "kept" */

    art_view_t                         view;     /* the decision is in it */
    art_render_t                       render;
    off_t                              length;   /* rendered, -1: unknown */
    off_t                              came;     /* bytes of an upstream */
    off_t                              taken;    /* ... of the source */

    ngx_buf_t                         *replacement;
    ngx_buf_t                         *last;     /* the end, of a part */
    ngx_buf_t                          used_up;  /* in place of an input's */

    ngx_chain_t                       *rest;     /* of a file, not read yet */
    ngx_chain_t                       *in;
    ngx_http_artifact_bufs_t           bufs;     /* what was rendered */

    unsigned                           part:1;   /* of a subrequest */
    unsigned                           timedout:1; /* its upstream did */
    unsigned                           flush:1;
    unsigned                           kept:1;   /* with its content */
    unsigned                           begun:1;  /* some of it has gone out */
};


/*
 * A stream of the request's pool, in the state WAIT, for ctx->source (NULL if
 * nothing will be rendered); it becomes ctx->stream.  The caller sets its
 * terms.  NULL when out of memory.
 */

ngx_http_artifact_stream_t *ngx_http_artifact_stream_create(
    ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx);


/*
 * Starts the rendering, once what is known of the source is complete:
 * classifies it, decides what the reader gets (stream->view), and renders head
 * and tail; the state is RENDER then, and stream->length known.  NGX_ERROR
 * when out of memory.
 */

ngx_int_t ngx_http_artifact_stream_start(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);


/* Has the copy filter bring the source's bytes into memory. */

void ngx_http_artifact_need_in_memory(ngx_http_request_t *r);


/* Has "b" go out in place of all that comes in. */

void ngx_http_artifact_stream_replace(ngx_http_artifact_stream_t *stream,
    ngx_buf_t *b);


/*
 * Whether the source's bytes are needed, of a stream that may be NULL (a raw
 * answer needs them); and how many of them are enough, 0: all.
 */

ngx_uint_t ngx_http_artifact_stream_needs_content(
    ngx_http_artifact_stream_t *stream);
off_t ngx_http_artifact_stream_input_limit(
    ngx_http_artifact_stream_t *stream);


/*
 * Renders "in", which is used up unless the output stops, and hands what comes
 * of it to "output", a body filter in all but name: it may leave buffers busy
 * and is called again with NULL to go on with them.  Memory: two buffers of
 * 24 KB, or one of the whole answer if that is shorter.  Returns what "output"
 * said, NGX_OK if it had nothing to do, NGX_ERROR; stream->in tells whether
 * input is left.
 */

ngx_int_t ngx_http_artifact_stream_write(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream, ngx_chain_t *in,
    ngx_http_output_body_filter_pt output);


/*
 * While the stream waits: copies the first bytes of "*in", so that the source
 * can use its buffers again.  NGX_OK when there are enough or no more, with *in
 * at what was left, else NGX_AGAIN.  The second one gives them as a buffer, in
 * place of those that they came in; NULL when out of memory.
 */

ngx_int_t ngx_http_artifact_stream_take(ngx_http_artifact_stream_t *stream,
    ngx_chain_t **in);
ngx_buf_t *ngx_http_artifact_stream_taken(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);


/* Forgets what the stream has not handed over: nothing more comes of it. */

void ngx_http_artifact_stream_abandon(ngx_http_artifact_stream_t *stream);


/*
 * Renders stream->in into stream->bufs: NGX_OK when the input is used up,
 * NGX_DECLINED when there is no buffer for what comes next, NGX_ERROR.
 */

ngx_int_t ngx_http_artifact_body_render(ngx_http_request_t *r,
    ngx_http_artifact_stream_t *stream);


/* Marks buffers as sent, so that their owner gets them back. */

void ngx_http_artifact_drop(ngx_chain_t *in);


#endif /* NGX_HTTP_ARTIFACT_STREAM_H_INCLUDED_ */
