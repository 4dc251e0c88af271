
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A message to the MCP server on its way.  Private to the room.
 */


#ifndef NGX_HTTP_ARTIFACT_MCP_STATE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_MCP_STATE_H_INCLUDED_


#include "http/base/ngx_http_artifact_body_reader.h"
#include "http/base/ngx_http_artifact_context.h"
#include "http/base/ngx_http_artifact_work.h"
#include "core/answer/art_counters.h"
#include "core/mcp/art_mcp_answer.h"
#include "core/mcp/art_mcp_request.h"


typedef struct ngx_http_artifact_mcp_s  ngx_http_artifact_mcp_t;


/* The state of a request, or NULL. */

#define ngx_http_artifact_get_mcp(r)                                          \
    ((ngx_http_artifact_mcp_t *)                                              \
     ngx_http_get_module_ctx(r, ngx_http_artifact_mcp_module))

extern ngx_module_t  ngx_http_artifact_mcp_module;


/* Bytes of the body that are read at a time, at most. */

#define NGX_HTTP_ARTIFACT_MCP_SLICE  8192


typedef struct ngx_http_artifact_mcp_write_s  ngx_http_artifact_mcp_write_t;
typedef struct ngx_http_artifact_mcp_lines_s  ngx_http_artifact_mcp_lines_t;
typedef struct ngx_http_artifact_mcp_list_s  ngx_http_artifact_mcp_list_t;


/*
 * The handler of a method or a tool, called with a message that was read and
 * checked.  Returns what the request is finalized with, or NGX_DONE if it goes
 * on: then an event handler calls ngx_http_artifact_mcp_finish() later, with
 * what one of the functions for answers returned.  NGX_ERROR: out of memory.
 *
 * When it is called, r->read_event_handler notices clients that leave, and
 * r->write_event_handler does nothing.
 */

typedef ngx_int_t (*ngx_http_artifact_mcp_pt)(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);


/*
 * In memory of the request: at most 12 KB, 64 KB of the message's values, and
 * 8 KB if the body is in a file.
 */

struct ngx_http_artifact_mcp_s {
    ngx_http_request_t               *request;
    ngx_http_artifact_ctx_t          *ctx;
    art_pool_t                        pool;      /* the request's */
    art_mcp_headers_t                 headers;
    ngx_str_t                         origin;    /* data NULL: none was sent */
    art_count_mcp_t                   outcome;

    /* the body */

    ngx_http_artifact_body_reader_t   reader;
    ngx_http_artifact_turn_t          turn;

    /* "content" or "base64" on their way to a file; NULL: neither has come */

    ngx_http_artifact_mcp_write_t    *write;

    /* a listing, or lines, that are being made */

    ngx_http_artifact_mcp_list_t     *list;
    ngx_http_artifact_mcp_lines_t    *lines;

    /* the source that is being opened */

    ngx_http_artifact_mcp_pt          next;
    art_error_t                       error;     /* ART_ERR_MAX: there is one */

    unsigned                          encoded:1; /* the body is */
    unsigned                          large:1;   /* more than is allowed */

    art_mcp_request_t                 message;   /* the largest part */
};


/* Finalizes the request, from an event handler, unless "rc" is NGX_DONE. */

void ngx_http_artifact_mcp_finish(ngx_http_request_t *r, ngx_int_t rc);


/*
 * Answers; each returns what the request is finalized with.  The texts in
 * "out", "json" and "text" are copied or live as long as the request.
 *
 * A whole answer; the members of a result, at least one, without a comma in
 * front; an error, with its status; a result of a tool that is one text for a
 * model, "is_error" if the tool has failed.
 */

ngx_int_t ngx_http_artifact_mcp_send(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, ngx_uint_t status, art_out_t *out);
ngx_int_t ngx_http_artifact_mcp_result(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, art_mcp_cache_t cache, art_out_t *json);
ngx_int_t ngx_http_artifact_mcp_error(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, const art_mcp_error_t *error);
ngx_int_t ngx_http_artifact_mcp_tool_words(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, art_str_t text, ngx_uint_t is_error);


/*
 * The words for an error of the store, as the result of a tool that has failed:
 * "what" is the reference or the path that was given.
 */

ngx_int_t ngx_http_artifact_mcp_tool_error(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, art_error_t error, art_str_t what);


/*
 * Sets the headers of a result that is sent piece by piece by the caller, who
 * then calls ngx_http_send_header(); a length of -1 is not known.  NGX_ERROR
 * when out of memory.
 */

ngx_int_t ngx_http_artifact_mcp_headers(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, off_t length);


/* Answers without a message: to OPTIONS, and to a notification. */

ngx_int_t ngx_http_artifact_mcp_options(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);
ngx_int_t ngx_http_artifact_mcp_accepted(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);


/*
 * Opens the source of a reference in the location's root, and calls "next",
 * now or later: mcp->error is ART_ERR_MAX and ctx->source is open, or it says
 * why it could not be opened.  Returns what "next" returned, NGX_DONE if it is
 * called later, NGX_ERROR when out of memory.  "ref" is what
 * art_mcp_ref_parse() reads; the second function takes a URI, the third one a
 * workspace and a path.
 */

ngx_int_t ngx_http_artifact_mcp_open(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, art_str_t ref,
    ngx_http_artifact_mcp_pt next);
ngx_int_t ngx_http_artifact_mcp_open_uri(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, art_str_t uri,
    ngx_http_artifact_mcp_pt next);
ngx_int_t ngx_http_artifact_mcp_open_path(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, art_str_t workspace, art_str_t path,
    ngx_http_artifact_mcp_pt next);


/*
 * Parses a workspace and a path, which may begin with slashes, into ctx->given,
 * ctx->ref and ctx->status, which ngx_http_artifact_check() judges.  An empty
 * path gives ctx->ref.folder.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_mcp_parse_path(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, art_str_t workspace, art_str_t path);


/*
 * The same for "ref", or "workspace" and "path", of a tool; and the words for
 * what could not be opened, where it may have been removed.
 */

ngx_int_t ngx_http_artifact_mcp_open_given(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, ngx_http_artifact_mcp_pt next);
ngx_int_t ngx_http_artifact_mcp_read_error(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);


/* resources/read, and the tool read_artifact. */

ngx_int_t ngx_http_artifact_mcp_resource(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);
ngx_int_t ngx_http_artifact_mcp_read(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);


/* resources/list, list_artifacts and list_workspace. */

ngx_int_t ngx_http_artifact_mcp_list_resources(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);
ngx_int_t ngx_http_artifact_mcp_list_artifacts(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);
ngx_int_t ngx_http_artifact_mcp_list_folder(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);


/*
 * The tools that write.  The first two functions take "content" and "base64"
 * while the body is read, whatever the method is (art_mcp_sink_pt): a piece of
 * at most some kilobytes, and after each slice of 8 KB of the body a chance to
 * write.  The latter returns NGX_OK, or NGX_AGAIN while a thread is at work
 * (r->aio; the request's write event handler is called afterwards, and calls it
 * again).  Failures are kept in mcp->write until the tool is called.
 */

int ngx_http_artifact_mcp_write_piece(void *data, unsigned argument,
    const uint8_t *p, size_t n, unsigned last);
ngx_int_t ngx_http_artifact_mcp_write_drain(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);

ngx_int_t ngx_http_artifact_mcp_write_file(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);
ngx_int_t ngx_http_artifact_mcp_save_artifact(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);
ngx_int_t ngx_http_artifact_mcp_delete_file(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);


/* What a location has for tools, ART_MCP_WRITES and so on. */

unsigned ngx_http_artifact_mcp_has(ngx_http_artifact_loc_conf_t *conf);

ngx_int_t ngx_http_artifact_mcp_request_upload(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);
ngx_int_t ngx_http_artifact_mcp_share(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);


/*
 * read_artifact of an open source: with "lines", "bytes" or "grep"; and of a
 * text that may have more than "max" bytes, of which so many are shown.
 */

ngx_int_t ngx_http_artifact_mcp_lines(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);
ngx_int_t ngx_http_artifact_mcp_lines_whole(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, uint64_t max);


/*
 * The most bytes of a text that are shown: what was asked for, or 64 KB, if
 * artifact_text_max is not less.
 */

uint64_t ngx_http_artifact_mcp_text_max(ngx_http_artifact_mcp_t *mcp);


#endif /* NGX_HTTP_ARTIFACT_MCP_STATE_H_INCLUDED_ */
