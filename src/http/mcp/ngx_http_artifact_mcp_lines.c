
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * read_artifact with "lines", "bytes" or "grep", and of what is long: a file of
 * any size is read in slices of some milliseconds, in threads or in turns with
 * other requests, and the answer is sent while it is made.
 */


#include "http/mcp/ngx_http_artifact_mcp_state.h"
#include "http/base/ngx_http_artifact_bufs.h"
#include "http/source/ngx_http_artifact_classify.h"
#include "http/source/ngx_http_artifact_source.h"
#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/mcp/art_bytes.h"
#include "core/mcp/art_lines.h"
#include "core/mcp/art_mcp_contents.h"


/*
 * Microseconds that a slice takes, a quarter of a turn; bytes that are read at
 * a time; and the buffers of the answer, with room for its end.
 */

#define NGX_HTTP_ARTIFACT_MCP_LINES_SLICE  (NGX_ARTIFACT_TURN * 250)
#define NGX_HTTP_ARTIFACT_MCP_LINES_PIECE  32768
#define NGX_HTTP_ARTIFACT_MCP_LINES_BUFS   2
#define NGX_HTTP_ARTIFACT_MCP_LINES_BUF    32768
#define NGX_HTTP_ARTIFACT_MCP_LINES_END    512

/* Bytes of a text that are shown if no other number is asked for. */

#define NGX_HTTP_ARTIFACT_MCP_TEXT         65536


/*
 * In memory of the request: 144 KB, and its buffers.  A range of bytes comes
 * first; in it lines may be searched.
 */

struct ngx_http_artifact_mcp_lines_s {
    ngx_http_request_t        *request;
    ngx_http_artifact_mcp_t   *mcp;
    ngx_http_artifact_bufs_t   bufs;
    size_t                     room;      /* for the end of the answer */
    unsigned                   working:1; /* the job fills a buffer */

    /* of the job, which may run in a thread */

    ngx_artifact_task_t        task;
    ngx_fd_t                   fd;
    ngx_err_t                  err;
    ngx_uint_t                 failed;
    int                        rc;        /* of art_lines_update() */
    art_out_t                  out;
    const uint8_t             *pos;       /* bytes of "piece" that are left */
    size_t                     left;
    unsigned                   ranged;    /* there is a range */
    unsigned                   ranging;   /* it is read, not lines */
    art_bytes_t                bytes;
    art_lines_t                lines;
    u_char                     piece[NGX_HTTP_ARTIFACT_MCP_LINES_PIECE];
};


static int ngx_http_artifact_mcp_lines_conf(ngx_http_artifact_mcp_t *mcp,
    art_lines_conf_t *conf, art_bytes_conf_t *range,
    art_lines_words_t *words);
static uint64_t ngx_http_artifact_mcp_lines_max(ngx_http_artifact_mcp_t *mcp);
static ngx_uint_t ngx_http_artifact_mcp_lines_has(
    ngx_http_artifact_source_t *source);
static ngx_int_t ngx_http_artifact_mcp_lines_refuse(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, art_lines_words_t words);
static ngx_int_t ngx_http_artifact_mcp_lines_start(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, art_lines_conf_t *conf,
    art_bytes_conf_t *range);
static void ngx_http_artifact_mcp_lines_cleanup(void *data);
static void ngx_http_artifact_mcp_lines_run(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_mcp_lines_go(
    ngx_http_artifact_mcp_lines_t *lines);
static ngx_int_t ngx_http_artifact_mcp_lines_step(
    ngx_http_artifact_mcp_lines_t *lines);
static void ngx_http_artifact_mcp_lines_job(void *data, ngx_log_t *log);
static uint64_t ngx_http_artifact_mcp_lines_offset(
    ngx_http_artifact_mcp_lines_t *lines);
static int ngx_http_artifact_mcp_lines_update(
    ngx_http_artifact_mcp_lines_t *lines);
static void ngx_http_artifact_mcp_lines_piece(
    ngx_http_artifact_mcp_lines_t *lines);
static ngx_int_t ngx_http_artifact_mcp_lines_worked(
    ngx_http_artifact_mcp_lines_t *lines);
static void ngx_http_artifact_mcp_lines_begin(
    ngx_http_artifact_mcp_lines_t *lines);
static void ngx_http_artifact_mcp_lines_end(
    ngx_http_artifact_mcp_lines_t *lines);
static ngx_int_t ngx_http_artifact_mcp_lines_pass(
    ngx_http_artifact_mcp_lines_t *lines);
static ngx_int_t ngx_http_artifact_mcp_lines_wait(
    ngx_http_artifact_mcp_lines_t *lines);


ngx_int_t
ngx_http_artifact_mcp_lines(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    ngx_int_t                    rc;
    art_bytes_conf_t             range;
    art_lines_conf_t             conf;
    art_lines_words_t            words;
    ngx_http_artifact_source_t  *source;

    source = mcp->ctx->source;

    if (ngx_http_artifact_mcp_lines_conf(mcp, &conf, &range, &words)
        != ART_OK)
    {
        return ngx_http_artifact_mcp_lines_refuse(r, mcp, words);
    }

    rc = ngx_http_artifact_classify(r, source, mcp->ctx->conf->verify);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (rc == NGX_DECLINED) {
        return ngx_http_artifact_mcp_tool_error(r, mcp, ART_ERR_READ,
                                           ngx_artifact_str(&mcp->ctx->given));
    }

    if (!ngx_http_artifact_mcp_lines_has(source)) {
        return ngx_http_artifact_mcp_lines_refuse(r, mcp, ART_LINES_BINARY);
    }

    return ngx_http_artifact_mcp_lines_start(r, mcp, &conf,
                       mcp->message.args[ART_MCP_ARG_BYTES].given ? &range
                                                                  : NULL);
}


ngx_int_t
ngx_http_artifact_mcp_lines_whole(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, uint64_t max)
{
    art_bytes_conf_t  range;
    art_lines_conf_t  conf;

    art_lines_conf(&conf);
    ngx_memzero(&range, sizeof(art_bytes_conf_t));

    range.last = ART_BYTES_END;
    range.max = max;
    range.whole = 1;

    return ngx_http_artifact_mcp_lines_start(r, mcp, &conf, &range);
}


/* Reads the arguments; ART_ERROR with "words" if they are bad. */

static int
ngx_http_artifact_mcp_lines_conf(ngx_http_artifact_mcp_t *mcp,
    art_lines_conf_t *conf, art_bytes_conf_t *range, art_lines_words_t *words)
{
    art_mcp_value_t  *args;

    args = mcp->message.args;

    art_lines_conf(conf);
    conf->max = ngx_http_artifact_mcp_lines_max(mcp);

    ngx_memzero(range, sizeof(art_bytes_conf_t));
    range->only = args[ART_MCP_ARG_GREP].given;
    range->max = range->only ? 0 : conf->max;

    if (args[ART_MCP_ARG_BYTES].given) {
        *words = ART_LINES_TWO_RANGES;

        if (args[ART_MCP_ARG_LINES].given) {
            return ART_ERROR;
        }

        *words = ART_LINES_BAD_BYTES;

        if (art_bytes_range(range, args[ART_MCP_ARG_BYTES].text) != ART_OK) {
            return ART_ERROR;
        }
    }

    if (args[ART_MCP_ARG_CONTEXT].given) {
        conf->context = (uint64_t) args[ART_MCP_ARG_CONTEXT].number;
    }

    *words = ART_LINES_BAD_RANGE;

    if (args[ART_MCP_ARG_LINES].given
        && art_lines_range(conf, args[ART_MCP_ARG_LINES].text) != ART_OK)
    {
        return ART_ERROR;
    }

    *words = ART_LINES_BAD_STRING;

    return args[ART_MCP_ARG_GREP].given
           ? art_lines_grep(conf, args[ART_MCP_ARG_GREP].text) : ART_OK;
}


uint64_t
ngx_http_artifact_mcp_text_max(ngx_http_artifact_mcp_t *mcp)
{
    uint64_t          max;
    art_mcp_value_t  *asked;

    asked = &mcp->message.args[ART_MCP_ARG_MAX_BYTES];
    max = asked->given ? (uint64_t) asked->number : NGX_HTTP_ARTIFACT_MCP_TEXT;

    return mcp->ctx->conf->text_max && (uint64_t) mcp->ctx->conf->text_max < max
           ? (uint64_t) mcp->ctx->conf->text_max : max;
}


static uint64_t
ngx_http_artifact_mcp_lines_max(ngx_http_artifact_mcp_t *mcp)
{
    uint64_t  max, limit;

    max = ngx_http_artifact_mcp_text_max(mcp);
    limit = (uint64_t) mcp->ctx->conf->inline_max;

    return limit && limit < max ? limit : max;
}


/* Whether a content is sent as a text to who takes no other form of it. */

static ngx_uint_t
ngx_http_artifact_mcp_lines_has(ngx_http_artifact_source_t *source)
{
    art_verdict_t  *verdict;

    verdict = &source->verdict;

    return verdict->kind == ART_KIND_TEXT
           || (art_media_traits(art_str(verdict->type.buf, verdict->type.len))
               .flags & ART_MEDIA_TEXTUAL);
}


static ngx_int_t
ngx_http_artifact_mcp_lines_refuse(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, art_lines_words_t words)
{
    art_str_t  text;

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact mcp: no lines, words %d",
                   words);

    text = art_lines_words(words, (art_lang_t) mcp->ctx->conf->language);

    return ngx_http_artifact_mcp_tool_words(r, mcp, text,
                                            words != ART_LINES_BINARY);
}


static ngx_int_t
ngx_http_artifact_mcp_lines_start(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, art_lines_conf_t *conf,
    art_bytes_conf_t *range)
{
    art_out_t                       out;
    ngx_pool_cleanup_t             *cln;
    ngx_http_artifact_source_t     *source;
    ngx_http_artifact_mcp_lines_t  *lines;

    source = mcp->ctx->source;

    conf->lang = (art_lang_t) mcp->ctx->conf->language;
    conf->charset = source->verdict.charset;
    conf->lines = source->verdict.lines;
    conf->nuls = source->verdict.text;
    conf->size = (uint64_t) source->size;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact mcp: lines of %uL bytes, charset %d",
                   conf->size, conf->charset != NULL);

    lines = ngx_palloc(r->pool, sizeof(ngx_http_artifact_mcp_lines_t));
    cln = ngx_pool_cleanup_add(r->pool, 0);

    if (lines == NULL || cln == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(lines, offsetof(ngx_http_artifact_mcp_lines_t, bytes));
    ngx_http_artifact_bufs_init(&lines->bufs);
    art_lines_init(&lines->lines, conf);

    if (range) {
        range->lang = conf->lang;
        range->charset = conf->charset;
        range->lines = conf->lines;
        range->size = conf->size;

        lines->ranged = 1;
        lines->ranging = 1;
        art_bytes_init(&lines->bytes, range);
    }

    /* with the longest numbers */

    out = art_out(NULL, 0);
    art_mcp_contents_go_on(&out, source->id, UINT64_MAX, UINT64_MAX,
                           UINT64_MAX, conf->lang);
    lines->room = NGX_HTTP_ARTIFACT_MCP_LINES_END + out.len;

    cln->handler = ngx_http_artifact_mcp_lines_cleanup;
    cln->data = lines;

    lines->request = r;
    lines->mcp = mcp;
    lines->fd = source->file.fd;
    mcp->lines = lines;

    r->write_event_handler = ngx_http_artifact_mcp_lines_run;

    return ngx_http_artifact_mcp_lines_go(lines);
}


static void
ngx_http_artifact_mcp_lines_cleanup(void *data)
{
    ngx_http_artifact_mcp_lines_t *lines = data;

    art_lines_done(&lines->lines);

    if (lines->ranged) {
        art_bytes_done(&lines->bytes);
    }
}


/* Called by events, and after a slice. */

static void
ngx_http_artifact_mcp_lines_run(ngx_http_request_t *r)
{
    ngx_event_t              *wev;
    ngx_http_artifact_mcp_t  *mcp;

    wev = r->connection->write;

    if (wev->timedout) {
        ngx_log_error(NGX_LOG_INFO, r->connection->log, NGX_ETIMEDOUT,
                      "client timed out");
        r->connection->timedout = 1;

        ngx_http_artifact_mcp_finish(r, NGX_HTTP_REQUEST_TIME_OUT);
        return;
    }

    if (r->aio || wev->delayed) {
        return;
    }

    /* the time that a search takes is not the client's */

    if (wev->timer_set) {
        ngx_del_timer(wev);
    }

    mcp = ngx_http_artifact_get_mcp(r);

    ngx_http_artifact_mcp_finish(r, ngx_http_artifact_mcp_lines_go(mcp->lines));
}


/* Goes on as far as it can; returns what the request is finalized with. */

static ngx_int_t
ngx_http_artifact_mcp_lines_go(ngx_http_artifact_mcp_lines_t *lines)
{
    ngx_int_t  rc;

    do {
        rc = ngx_http_artifact_mcp_lines_step(lines);
    } while (rc == NGX_AGAIN);

    return rc;
}


/* NGX_AGAIN if there is more to do at once. */

static ngx_int_t
ngx_http_artifact_mcp_lines_step(ngx_http_artifact_mcp_lines_t *lines)
{
    ngx_int_t            rc;
    ngx_http_request_t  *r;

    r = lines->request;

    if (lines->working) {
        return ngx_http_artifact_mcp_lines_worked(lines);
    }

    if (lines->bufs.busy
        && ngx_http_artifact_bufs_send(r, &lines->bufs, ngx_http_output_filter)
           == NGX_ERROR)
    {
        return NGX_ERROR;
    }

    if (lines->bufs.buf == NULL) {
        rc = ngx_http_artifact_bufs_get(r->pool, &lines->bufs,
                                        NGX_HTTP_ARTIFACT_MCP_LINES_BUFS,
                                        NGX_HTTP_ARTIFACT_MCP_LINES_BUF);
        if (rc != NGX_OK) {
            return rc == NGX_DECLINED ? ngx_http_artifact_mcp_lines_wait(lines)
                                      : NGX_ERROR;
        }

        ngx_http_artifact_mcp_lines_begin(lines);
    }

    if (ngx_http_artifact_turn_is_over(&lines->mcp->turn)) {
        ngx_http_artifact_turn_end(&lines->mcp->turn, r);
        return NGX_DONE;
    }

    lines->working = 1;

    rc = ngx_http_artifact_request_task(r, &lines->task,
                                        ngx_http_artifact_mcp_lines_job,
                                        lines);

    return rc == NGX_OK ? NGX_AGAIN : NGX_DONE;
}


/* A slice of the work. */

static void
ngx_http_artifact_mcp_lines_job(void *data, ngx_log_t *log)
{
    ngx_http_artifact_mcp_lines_t *lines = data;

    uint64_t  began;

    began = ngx_artifact_ticks();

    do {
        if (lines->left == 0) {
            ngx_http_artifact_mcp_lines_piece(lines);
        }

        if (lines->failed) {
            return;
        }

        lines->rc = ngx_http_artifact_mcp_lines_update(lines);

    } while (lines->rc == ART_LINES_MORE
             && ngx_artifact_ticks() - began
                < NGX_HTTP_ARTIFACT_MCP_LINES_SLICE);
}


static int
ngx_http_artifact_mcp_lines_update(ngx_http_artifact_mcp_lines_t *lines)
{
    int               rc;
    art_lines_conf_t  conf;

    if (!lines->ranging) {
        return art_lines_update(&lines->lines, &lines->out, &lines->pos,
                                &lines->left);
    }

    rc = art_bytes_update(&lines->bytes, &lines->out, &lines->pos,
                          &lines->left);

    if (rc != ART_LINES_DONE || !lines->bytes.conf.only) {
        return rc;
    }

    art_bytes_say(&lines->bytes, &lines->out);

    if (lines->bytes.from >= lines->bytes.to) {
        return rc;
    }

    conf = lines->lines.conf;
    conf.from = lines->bytes.from;
    conf.to = lines->bytes.to;

    art_lines_init(&lines->lines, &conf);

    lines->ranging = 0;
    lines->left = 0;

    return ART_LINES_MORE;
}


static uint64_t
ngx_http_artifact_mcp_lines_offset(ngx_http_artifact_mcp_lines_t *lines)
{
    return lines->ranging ? lines->bytes.offset : lines->lines.offset;
}


/* What is appended to a file meanwhile is not read. */

static void
ngx_http_artifact_mcp_lines_piece(ngx_http_artifact_mcp_lines_t *lines)
{
    size_t    size;
    ssize_t   n;
    uint64_t  left, offset;

    offset = ngx_http_artifact_mcp_lines_offset(lines);
    left = lines->lines.conf.size - offset;
    size = left < NGX_HTTP_ARTIFACT_MCP_LINES_PIECE
           ? (size_t) left : NGX_HTTP_ARTIFACT_MCP_LINES_PIECE;

    if (size == 0) {
        return;
    }

    do {
        n = pread(lines->fd, lines->piece, size, (off_t) offset);
    } while (n == -1 && ngx_errno == NGX_EINTR);

    if (n <= 0) {
        lines->err = n == 0 ? 0 : ngx_errno;
        lines->failed = 1;
        return;
    }

    lines->pos = lines->piece;
    lines->left = (size_t) n;
}


/* A slice has ended. */

static ngx_int_t
ngx_http_artifact_mcp_lines_worked(ngx_http_artifact_mcp_lines_t *lines)
{
    ngx_log_t  *log;
    ngx_str_t  *name;

    log = lines->request->connection->log;
    name = &lines->mcp->ctx->source->file.name;

    lines->working = 0;
    lines->bufs.buf->last = lines->out.data + lines->out.len;

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, log, 0,
                   "http artifact mcp lines: %uL bytes read, line %uL, rc:%d",
                   ngx_http_artifact_mcp_lines_offset(lines),
                   lines->lines.line, lines->rc);

    if (lines->failed) {
        ngx_log_error(NGX_LOG_CRIT, log, lines->err,
                      lines->err ? "pread() \"%V\" failed"
                                 : "pread() \"%V\" failed: it became shorter",
                      name);

    } else if (lines->rc == ART_ERROR) {
        ngx_log_error(NGX_LOG_CRIT, log, 0,
                      "text of \"%V\" could not be converted", name);
        lines->failed = 1;

    } else if (lines->rc == ART_LINES_MORE) {
        return NGX_AGAIN;
    }

    return ngx_http_artifact_mcp_lines_pass(lines);
}


/* Begins to fill a buffer, the first one with the head of the answer. */

static void
ngx_http_artifact_mcp_lines_begin(ngx_http_artifact_mcp_lines_t *lines)
{
    ngx_buf_t  *b;

    b = lines->bufs.buf;

    b->pos = b->start;
    b->last = b->start;

    lines->out = art_out(b->start, (size_t) (b->end - b->start)
                                   - lines->room);

    if (lines->request->header_sent) {
        return;
    }

    art_mcp_print_result_head(&lines->out, &lines->mcp->message,
                              ART_MCP_UNCACHED);
    art_out_cstr(&lines->out, "\"content\":[");
    art_mcp_contents_text(&lines->out, lines->mcp->ctx->source->id);
}


/* The end of the answer, for which there is room. */

static void
ngx_http_artifact_mcp_lines_end(ngx_http_artifact_mcp_lines_t *lines)
{
    ngx_buf_t  *b;
    art_out_t   out;
    art_str_t   words;

    b = lines->bufs.buf;
    out = art_out(b->last, (size_t) (b->end - b->last));

    if (lines->failed) {
        words = art_lines_words(ART_LINES_BROKEN, lines->lines.conf.lang);
        art_out_str(&out, words);
    }

    art_mcp_contents_text_end(&out);

    if (!lines->failed && lines->ranging && lines->bytes.conf.whole
        && lines->bytes.to < lines->bytes.total)
    {
        art_mcp_contents_go_on(&out, lines->mcp->ctx->source->id,
                               lines->bytes.to, lines->bytes.total,
                               lines->bytes.rows, lines->lines.conf.lang);
    }

    art_out_char(&out, ']');

    if (lines->failed) {
        art_out_cstr(&out, ",\"isError\":true");
    }

    art_mcp_print_result_tail(&out);

    b->last += out.len;
    b->last_buf = 1;
}


/* Sends a buffer, the first one after the header. */

static ngx_int_t
ngx_http_artifact_mcp_lines_pass(ngx_http_artifact_mcp_lines_t *lines)
{
    ngx_int_t            rc;
    ngx_buf_t           *b;
    ngx_uint_t           last;
    ngx_http_request_t  *r;

    r = lines->request;
    b = lines->bufs.buf;
    last = lines->failed || lines->rc == ART_LINES_DONE;

    if (last) {
        ngx_http_artifact_mcp_lines_end(lines);
    }

    if (!r->header_sent) {

        if (ngx_http_artifact_mcp_headers(r, lines->mcp,
                                          last ? b->last - b->pos : -1)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        rc = ngx_http_send_header(r);

        if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
            return rc;
        }
    }

    if (lines->failed) {
        lines->mcp->outcome = ART_COUNT_MCP_WORDS;
    }

    if (ngx_http_artifact_bufs_put(r->pool, &lines->bufs, b) != NGX_OK) {
        return NGX_ERROR;
    }

    rc = ngx_http_artifact_bufs_send(r, &lines->bufs, ngx_http_output_filter);

    return rc == NGX_ERROR || last ? rc : NGX_AGAIN;
}


/* Waits for the client as ngx_http_writer() does. */

static ngx_int_t
ngx_http_artifact_mcp_lines_wait(ngx_http_artifact_mcp_lines_t *lines)
{
    ngx_event_t               *wev;
    ngx_http_request_t        *r;
    ngx_http_core_loc_conf_t  *clcf;

    r = lines->request;
    wev = r->connection->write;
    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (!wev->delayed) {
        ngx_add_timer(wev, clcf->send_timeout);
    }

    return ngx_handle_write_event(wev, clcf->send_lowat) == NGX_OK
           ? NGX_DONE : NGX_ERROR;
}
