
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/request/ngx_http_artifact_decode.h"

#include <zlib.h>

#if (NGX_ARTIFACT_ZSTD)
#include <zstd.h>
#include <zstd_errors.h>
#endif


#define NGX_HTTP_ARTIFACT_DECODE_ROOM  16384

/*
 * Bytes that are decoded without a look at the clock: the worst ones, tables
 * of Huffman codes for blocks that are empty, take 0.2 us each.
 */

#define NGX_HTTP_ARTIFACT_DECODE_STEP  4096

/* The binary logarithm of zstd's largest window (RFC 9659, section 3). */

#define NGX_HTTP_ARTIFACT_DECODE_WINDOW  23


/* Decodes a piece of the input into decode->out; *used bytes of it are. */

typedef ngx_int_t (*ngx_http_artifact_decode_pt)(
    ngx_http_artifact_decode_t *decode, const u_char *data, size_t len,
    size_t *used, size_t *made);


struct ngx_http_artifact_decode_s {
    ngx_http_artifact_decode_pt   run;
    ngx_pool_t                   *pool;
    ngx_pool_cleanup_t           *cleanup;
    z_stream                      zlib;
    unsigned                      begun:1;   /* a member, or a frame */
    unsigned                      whole:1;   /* the last one came to its end */
    unsigned                      deflate:1;
    unsigned                      raw:1;     /* without zlib's header */
#if (NGX_ARTIFACT_ZSTD)
    ZSTD_DStream                 *zstd;
#endif
    u_char                        out[NGX_HTTP_ARTIFACT_DECODE_ROOM];
};


static ngx_int_t ngx_http_artifact_decode_zlib(
    ngx_http_artifact_decode_t *decode, const u_char *data, size_t len,
    size_t *used, size_t *made);
static ngx_int_t ngx_http_artifact_decode_begin(
    ngx_http_artifact_decode_t *decode, u_char first);
#if (NGX_ARTIFACT_ZSTD)
static ngx_int_t ngx_http_artifact_decode_zstd(
    ngx_http_artifact_decode_t *decode, const u_char *data, size_t len,
    size_t *used, size_t *made);
#endif
static void ngx_http_artifact_decode_cleanup(void *data);


#if (NGX_ARTIFACT_ZSTD)
ngx_str_t  ngx_http_artifact_decodes = ngx_string("gzip, deflate, zstd");
#else
ngx_str_t  ngx_http_artifact_decodes = ngx_string("gzip, deflate");
#endif


/* RFC 9110, section 8.4.1, and RFC 8878. */

static const struct {
    ngx_str_t                    name;
    ngx_http_artifact_decode_pt  run;
    ngx_uint_t                   deflate;
} ngx_http_artifact_decoders[] = {

    { ngx_string("gzip"), ngx_http_artifact_decode_zlib, 0 },
    { ngx_string("x-gzip"), ngx_http_artifact_decode_zlib, 0 },
    { ngx_string("deflate"), ngx_http_artifact_decode_zlib, 1 },
#if (NGX_ARTIFACT_ZSTD)
    { ngx_string("zstd"), ngx_http_artifact_decode_zstd, 0 },
#endif
    { ngx_string("identity"), NULL, 0 },
    { ngx_null_string, NULL, 0 }
};


ngx_int_t
ngx_http_artifact_decode_create(ngx_http_request_t *r, ngx_str_t *coding,
    ngx_http_artifact_decode_t **decode)
{
    ngx_uint_t           i;
    ngx_pool_cleanup_t  *cln;

    *decode = NULL;

    for (i = 0; ngx_http_artifact_decoders[i].name.len != coding->len
                || ngx_strncasecmp(ngx_http_artifact_decoders[i].name.data,
                                   coding->data, coding->len)
                   != 0;
         i++)
    {
        if (ngx_http_artifact_decoders[i].name.len == 0) {
            return NGX_DECLINED;
        }
    }

    if (ngx_http_artifact_decoders[i].run == NULL) {
        return NGX_OK;
    }

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_artifact_decode_t));
    if (cln == NULL) {
        return NGX_ERROR;
    }

    *decode = cln->data;
    ngx_memzero(*decode, offsetof(ngx_http_artifact_decode_t, out));

    (*decode)->run = ngx_http_artifact_decoders[i].run;
    (*decode)->pool = r->pool;
    (*decode)->cleanup = cln;
    (*decode)->deflate = ngx_http_artifact_decoders[i].deflate & 1;

    cln->handler = ngx_http_artifact_decode_cleanup;

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_decode(ngx_http_artifact_decode_t *decode,
    const u_char **data, size_t *len, ngx_uint_t last,
    ngx_http_artifact_spool_t *spool, off_t max,
    ngx_http_artifact_turn_t *turn)
{
    size_t     used, made;
    ngx_int_t  rc;

    do {
        rc = decode->run(decode, *data,
                         ngx_min(*len, NGX_HTTP_ARTIFACT_DECODE_STEP),
                         &used, &made);

        if (rc != NGX_OK) {
            return rc;
        }

        /* no library does so: it would be for ever */

        if (*len > 0 && used == 0 && made == 0) {
            return NGX_DECLINED;
        }

        *data += used;
        *len -= used;

        if (spool->size + (off_t) made > max) {
            return NGX_ABORT;
        }

        if (ngx_http_artifact_spool_put(spool, decode->out, made) != NGX_OK) {
            return NGX_ERROR;
        }

        /* what fills the room may not be all */

        if (*len == 0 && made < NGX_HTTP_ARTIFACT_DECODE_ROOM) {
            return last && !decode->whole ? NGX_DECLINED : NGX_OK;
        }

    } while (!ngx_http_artifact_turn_is_over(turn));

    return NGX_AGAIN;
}


/* Of gzip there may be several members, one behind the other (RFC 1952). */

static ngx_int_t
ngx_http_artifact_decode_zlib(ngx_http_artifact_decode_t *decode,
    const u_char *data, size_t len, size_t *used, size_t *made)
{
    int        rc;
    z_stream  *z;

    *used = 0;
    *made = 0;

    if (!decode->begun || (decode->whole && len > 0)) {

        if (len == 0) {
            return NGX_OK;
        }

        if (decode->whole && decode->deflate) {
            return NGX_DECLINED;
        }

        if (ngx_http_artifact_decode_begin(decode, data[0]) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    z = &decode->zlib;

    z->next_in = (u_char *) data;
    z->avail_in = (uInt) len;
    z->next_out = decode->out;
    z->avail_out = NGX_HTTP_ARTIFACT_DECODE_ROOM;

    rc = inflate(z, Z_NO_FLUSH);

    *used = len - z->avail_in;
    *made = NGX_HTTP_ARTIFACT_DECODE_ROOM - z->avail_out;

    if (rc == Z_STREAM_END) {
        decode->whole = 1;
        return NGX_OK;
    }

    if (rc == Z_MEM_ERROR) {
        return NGX_ERROR;
    }

    return rc == Z_OK || rc == Z_BUF_ERROR ? NGX_OK : NGX_DECLINED;
}


/*
 * "deflate" is zlib's format, but some clients leave its header out: it would
 * begin with a method and a window that no raw block begins with.
 */

static ngx_int_t
ngx_http_artifact_decode_begin(ngx_http_artifact_decode_t *decode,
    u_char first)
{
    int  bits;

    bits = MAX_WBITS + 16;

    if (decode->deflate) {
        bits = (first & 0x0f) == Z_DEFLATED && (first >> 4) <= 7
               ? MAX_WBITS : -MAX_WBITS;
    }

    decode->whole = 0;

    if (decode->begun) {
        return inflateReset(&decode->zlib) == Z_OK ? NGX_OK : NGX_ERROR;
    }

    if (inflateInit2(&decode->zlib, bits) != Z_OK) {
        return NGX_ERROR;
    }

    decode->begun = 1;

    return NGX_OK;
}


#if (NGX_ARTIFACT_ZSTD)

static ngx_int_t
ngx_http_artifact_decode_zstd(ngx_http_artifact_decode_t *decode,
    const u_char *data, size_t len, size_t *used, size_t *made)
{
    size_t          rc;
    ZSTD_inBuffer   in;
    ZSTD_outBuffer  out;

    if (decode->zstd == NULL) {
        decode->zstd = ZSTD_createDStream();

        if (decode->zstd == NULL
            || ZSTD_isError(ZSTD_DCtx_setParameter(decode->zstd,
                                          ZSTD_d_windowLogMax,
                                          NGX_HTTP_ARTIFACT_DECODE_WINDOW)))
        {
            return NGX_ERROR;
        }
    }

    in.src = data;
    in.size = len;
    in.pos = 0;

    out.dst = decode->out;
    out.size = NGX_HTTP_ARTIFACT_DECODE_ROOM;
    out.pos = 0;

    *used = 0;
    *made = 0;

    if (len == 0 && decode->whole) {
        return NGX_OK;
    }

    rc = ZSTD_decompressStream(decode->zstd, &out, &in);

    if (ZSTD_isError(rc)) {
        return ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation
               ? NGX_ERROR : NGX_DECLINED;
    }

    *used = in.pos;
    *made = out.pos;
    decode->whole = (rc == 0);

    return NGX_OK;
}

#endif


void
ngx_http_artifact_decode_end(ngx_http_artifact_decode_t *decode)
{
    ngx_http_artifact_decode_cleanup(decode);

    decode->cleanup->handler = NULL;
    (void) ngx_pfree(decode->pool, decode);
}


static void
ngx_http_artifact_decode_cleanup(void *data)
{
    ngx_http_artifact_decode_t *decode = data;

    if (decode->begun) {
        (void) inflateEnd(&decode->zlib);
    }

#if (NGX_ARTIFACT_ZSTD)
    (void) ZSTD_freeDStream(decode->zstd);
#endif
}
