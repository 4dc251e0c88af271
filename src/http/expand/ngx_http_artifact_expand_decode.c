
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The first step: a body that is compressed with gzip, deflate or zstd is
 * decoded into a spool.
 */


#include "http/expand/ngx_http_artifact_expand_state.h"
#include "http/base/ngx_http_artifact_util.h"
#include "store/disk/ngx_artifact_str.h"

#include <zlib.h>

#if (NGX_ARTIFACT_ZSTD)
#include <zstd.h>
#include <zstd_errors.h>
#endif


#define NGX_HTTP_ARTIFACT_DECODE_ROOM  16384

/*
 * Bytes that are decoded between two looks at the clock: the slowest ones,
 * Huffman tables of empty blocks, take 0.2 us each.
 */

#define NGX_HTTP_ARTIFACT_DECODE_STEP  4096

/* The binary logarithm of zstd's largest window (RFC 9659, section 3). */

#define NGX_HTTP_ARTIFACT_DECODE_WINDOW  23


/*
 * Decodes bytes into decoder->out, as many as there is room for; sets *used to
 * the number of bytes read, *made to the number written.  NGX_DECLINED if they
 * are malformed, NGX_ERROR when out of memory.
 */

typedef ngx_int_t (*ngx_http_artifact_decode_pt)(
    ngx_http_artifact_decoder_t *decoder, const u_char *data, size_t len,
    size_t *used, size_t *made);


/*
 * Memory: 40 KB for zlib, or for zstd what a frame needs, including a window of
 * at most 8 MB; and 16 KB for the output.
 */

struct ngx_http_artifact_decoder_s {
    ngx_http_artifact_decode_pt   run;
    ngx_pool_cleanup_t           *cleanup;
    ngx_log_t                    *log;
    u_char                       *in;        /* to be decoded next */
    size_t                        len;
    z_stream                      zlib;
    unsigned                      begun:1;   /* a member, or a frame */
    unsigned                      whole:1;   /* the last one has ended */
    unsigned                      deflate:1;
#if (NGX_ARTIFACT_ZSTD)
    ZSTD_DStream                 *zstd;
#endif
    u_char                        out[NGX_HTTP_ARTIFACT_DECODE_ROOM];
};


static ngx_int_t ngx_http_artifact_decode_begin(
    ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_decode_create(
    ngx_http_artifact_expand_t *ex, art_str_t coding);
static ngx_int_t ngx_http_artifact_decode_body(
    ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_decode_piece(
    ngx_http_artifact_expand_t *ex, ngx_uint_t last);
static ngx_int_t ngx_http_artifact_decode_zlib(
    ngx_http_artifact_decoder_t *decoder, const u_char *data, size_t len,
    size_t *used, size_t *made);
static ngx_int_t ngx_http_artifact_decode_member(
    ngx_http_artifact_decoder_t *decoder, u_char first);
#if (NGX_ARTIFACT_ZSTD)
static ngx_int_t ngx_http_artifact_decode_zstd(
    ngx_http_artifact_decoder_t *decoder, const u_char *data, size_t len,
    size_t *used, size_t *made);
#endif
static void ngx_http_artifact_decode_cleanup(void *data);


#if (NGX_ARTIFACT_ZSTD)
ngx_str_t  ngx_http_artifact_expand_codings =
    ngx_string("gzip, deflate, zstd");
#else
ngx_str_t  ngx_http_artifact_expand_codings = ngx_string("gzip, deflate");
#endif


/* RFC 9110, section 8.4.1, and RFC 8878. */

static const struct {
    const char                  *name;
    ngx_http_artifact_decode_pt  run;
    ngx_uint_t                   deflate;
} ngx_http_artifact_codings[] = {

    { "gzip", ngx_http_artifact_decode_zlib, 0 },
    { "x-gzip", ngx_http_artifact_decode_zlib, 0 },
    { "deflate", ngx_http_artifact_decode_zlib, 1 },
#if (NGX_ARTIFACT_ZSTD)
    { "zstd", ngx_http_artifact_decode_zstd, 0 },
#endif
    { "identity", NULL, 0 },
    { "", NULL, 0 }
};


ngx_int_t
ngx_http_artifact_expand_decode(ngx_http_artifact_expand_t *ex)
{
    ngx_int_t            rc;
    ngx_pool_cleanup_t  *cln;

    if (ex->body == NULL) {
        rc = ngx_http_artifact_decode_begin(ex);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    if (ex->decoder == NULL) {
        return NGX_OK;
    }

    rc = ngx_http_artifact_decode_body(ex);

    if (rc != NGX_BUSY) {
        cln = ex->decoder->cleanup;

        cln->handler(cln->data);
        cln->handler = NULL;

        (void) ngx_pfree(ex->request->pool, ex->decoder);
        ex->decoder = NULL;
    }

    return rc;
}


ngx_int_t
ngx_http_artifact_expand_rewind(ngx_http_artifact_expand_t *ex)
{
    if (ex->buf == NULL) {
        ex->buf = ngx_palloc(ex->request->pool,
                             NGX_HTTP_ARTIFACT_EXPAND_ROOM);
        if (ex->buf == NULL) {
            return NGX_ERROR;
        }
    }

    ngx_http_artifact_body_init(&ex->cursor, ex->body, ex->buf,
                                NGX_HTTP_ARTIFACT_EXPAND_ROOM);

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_decode_begin(ngx_http_artifact_expand_t *ex)
{
    ngx_int_t            rc;
    art_str_t            coding;
    ngx_table_elt_t     *header;
    ngx_http_request_t  *r;

    r = ex->request;

    ex->body = r->request_body ? r->request_body->bufs : NULL;

    /* no bytes are no JSON, whatever the declared coding */

    if (ngx_http_artifact_body_size(ex->body) == 0) {
        ex->why = "it is empty";
        return NGX_DECLINED;
    }

    header = ngx_http_artifact_find_header(&r->headers_in.headers,
                                           "Content-Encoding");
    coding = header ? ngx_artifact_str(&header->value) : art_cstr("");

    rc = ngx_http_artifact_decode_create(ex, coding);

    if (rc != NGX_OK) {
        return rc;
    }

    if (ex->decoder) {
        return ngx_http_artifact_expand_rewind(ex);
    }

    if (ngx_http_artifact_known_body(ex, &ex->body) != NGX_OK) {
        return NGX_ERROR;
    }

    if (ngx_http_artifact_body_size(ex->body) > ex->conf->body_max) {
        ex->error = ART_MESSAGE_ERR_SIZE;
        return NGX_ABORT;
    }

    return NGX_OK;
}


/*
 * Creates the decoder for a Content-Encoding; none if nothing is coded, with
 * "identity" or no value.  Lists of codings are refused.
 */

static ngx_int_t
ngx_http_artifact_decode_create(ngx_http_artifact_expand_t *ex,
    art_str_t coding)
{
    ngx_uint_t                    i;
    ngx_pool_cleanup_t           *cln;
    ngx_http_artifact_decoder_t  *decoder;

    for (i = 0; !art_str_is(coding, ngx_http_artifact_codings[i].name); i++) {

        if (ngx_http_artifact_codings[i].name[0] == '\0') {
            ex->error = ART_MESSAGE_ERR_CODING;
            return NGX_ABORT;
        }
    }

    if (ngx_http_artifact_codings[i].run == NULL) {
        return NGX_OK;
    }

    cln = ngx_pool_cleanup_add(ex->request->pool,
                               sizeof(ngx_http_artifact_decoder_t));
    if (cln == NULL) {
        return NGX_ERROR;
    }

    decoder = cln->data;
    ngx_memzero(decoder, offsetof(ngx_http_artifact_decoder_t, out));

    decoder->run = ngx_http_artifact_codings[i].run;
    decoder->cleanup = cln;
    decoder->log = ex->request->connection->log;
    decoder->deflate = ngx_http_artifact_codings[i].deflate & 1;

    cln->handler = ngx_http_artifact_decode_cleanup;

    ex->decoder = decoder;

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_decode_body(ngx_http_artifact_expand_t *ex)
{
    ssize_t                       n;
    ngx_int_t                     rc;
    ngx_uint_t                    last;
    ngx_http_artifact_decoder_t  *decoder;

    decoder = ex->decoder;

    for ( ;; ) {

        if (decoder->len == 0) {
            n = ngx_http_artifact_body_read(&ex->cursor,
                                            NGX_HTTP_ARTIFACT_EXPAND_ROOM,
                                            &decoder->in);
            if (n == NGX_ERROR) {
                return NGX_ERROR;
            }

            decoder->len = (size_t) n;
        }

        /* bytes left of a piece after a turn mean that this is not the end */

        last = decoder->len == 0;

        rc = ngx_http_artifact_decode_piece(ex, last);

        if (rc != NGX_OK) {
            return rc;
        }

        if (last) {
            break;
        }

        if (ngx_http_artifact_turn_is_over(&ex->turn)) {
            return NGX_BUSY;
        }
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact expand: decoded %O to %O bytes",
                   ngx_http_artifact_body_size(
                                        ex->request->request_body->bufs),
                   ex->decoded.size);

    return ngx_http_artifact_spool_end(&ex->decoded, &ex->body);
}


/*
 * Decodes a piece, or with "last" what the decoder still has.  A turn may end
 * within a piece: input may take long without output, as empty blocks do, or a
 * few bytes may become megabytes.
 */

static ngx_int_t
ngx_http_artifact_decode_piece(ngx_http_artifact_expand_t *ex,
    ngx_uint_t last)
{
    size_t                        used, made;
    ngx_int_t                     rc;
    ngx_http_artifact_decoder_t  *decoder;

    decoder = ex->decoder;

    do {
        rc = decoder->run(decoder, decoder->in,
                          ngx_min(decoder->len, NGX_HTTP_ARTIFACT_DECODE_STEP),
                          &used, &made);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        /* this would be an endless loop, but no library behaves so */

        if (rc == NGX_DECLINED || (decoder->len > 0 && used == 0 && made == 0))
        {
            ex->error = ART_MESSAGE_ERR_ENCODING;
            return NGX_ABORT;
        }

        decoder->in += used;
        decoder->len -= used;

        if (ex->decoded.size + (off_t) made > ex->conf->body_max) {
            ex->error = ART_MESSAGE_ERR_SIZE;
            return NGX_ABORT;
        }

        if (ngx_http_artifact_spool_put(&ex->decoded, decoder->out, made)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        /* if the output is full, there may be more of it */

        if (decoder->len == 0 && made < NGX_HTTP_ARTIFACT_DECODE_ROOM) {

            if (last && !decoder->whole) {
                ex->error = ART_MESSAGE_ERR_ENCODING;
                return NGX_ABORT;
            }

            return NGX_OK;
        }

    } while (!ngx_http_artifact_turn_is_over(&ex->turn));

    return NGX_BUSY;
}


/* A gzip body may have several members, one after the other (RFC 1952). */

static ngx_int_t
ngx_http_artifact_decode_zlib(ngx_http_artifact_decoder_t *decoder,
    const u_char *data, size_t len, size_t *used, size_t *made)
{
    int        rc;
    z_stream  *z;

    *used = 0;
    *made = 0;

    if (!decoder->begun || (decoder->whole && len > 0)) {

        if (len == 0) {
            return NGX_OK;
        }

        if (decoder->whole && decoder->deflate) {
            return NGX_DECLINED;
        }

        if (ngx_http_artifact_decode_member(decoder, data[0]) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    z = &decoder->zlib;

    z->next_in = (u_char *) data;
    z->avail_in = (uInt) len;
    z->next_out = decoder->out;
    z->avail_out = NGX_HTTP_ARTIFACT_DECODE_ROOM;

    rc = inflate(z, Z_NO_FLUSH);

    *used = len - z->avail_in;
    *made = NGX_HTTP_ARTIFACT_DECODE_ROOM - z->avail_out;

    if (rc == Z_STREAM_END) {
        decoder->whole = 1;
        return NGX_OK;
    }

    if (rc == Z_MEM_ERROR) {
        return NGX_ERROR;
    }

    return rc == Z_OK || rc == Z_BUF_ERROR ? NGX_OK : NGX_DECLINED;
}


/*
 * "deflate" is zlib's format, but some clients omit its header, which begins
 * with a method and a window that no raw block begins with.
 */

static ngx_int_t
ngx_http_artifact_decode_member(ngx_http_artifact_decoder_t *decoder,
    u_char first)
{
    int  bits;

    bits = MAX_WBITS + 16;

    if (decoder->deflate) {
        bits = (first & 0x0f) == Z_DEFLATED && (first >> 4) <= 7
               ? MAX_WBITS : -MAX_WBITS;
    }

    decoder->whole = 0;

    if (decoder->begun) {
        return inflateReset(&decoder->zlib) == Z_OK ? NGX_OK : NGX_ERROR;
    }

    if (inflateInit2(&decoder->zlib, bits) != Z_OK) {
        ngx_log_error(NGX_LOG_ALERT, decoder->log, 0,
                      "inflateInit2() failed");
        return NGX_ERROR;
    }

    decoder->begun = 1;

    return NGX_OK;
}


#if (NGX_ARTIFACT_ZSTD)

static ngx_int_t
ngx_http_artifact_decode_zstd(ngx_http_artifact_decoder_t *decoder,
    const u_char *data, size_t len, size_t *used, size_t *made)
{
    size_t          rc;
    ZSTD_inBuffer   in;
    ZSTD_outBuffer  out;

    if (decoder->zstd == NULL) {
        decoder->zstd = ZSTD_createDStream();

        if (decoder->zstd == NULL
            || ZSTD_isError(ZSTD_DCtx_setParameter(decoder->zstd,
                                          ZSTD_d_windowLogMax,
                                          NGX_HTTP_ARTIFACT_DECODE_WINDOW)))
        {
            ngx_log_error(NGX_LOG_ALERT, decoder->log, 0,
                          "ZSTD_createDStream() failed");
            return NGX_ERROR;
        }
    }

    in.src = data;
    in.size = len;
    in.pos = 0;

    out.dst = decoder->out;
    out.size = NGX_HTTP_ARTIFACT_DECODE_ROOM;
    out.pos = 0;

    *used = 0;
    *made = 0;

    if (len == 0 && decoder->whole) {
        return NGX_OK;
    }

    rc = ZSTD_decompressStream(decoder->zstd, &out, &in);

    if (ZSTD_isError(rc)) {
        return ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation
               ? NGX_ERROR : NGX_DECLINED;
    }

    *used = in.pos;
    *made = out.pos;
    decoder->whole = (rc == 0);

    return NGX_OK;
}

#endif


static void
ngx_http_artifact_decode_cleanup(void *data)
{
    ngx_http_artifact_decoder_t *decoder = data;

    if (decoder->begun) {
        (void) inflateEnd(&decoder->zlib);
    }

#if (NGX_ARTIFACT_ZSTD)
    (void) ZSTD_freeDStream(decoder->zstd);
#endif
}
