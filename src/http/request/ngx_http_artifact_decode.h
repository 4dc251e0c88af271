
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Request bodies that are compressed: gzip, deflate, zstd.
 */


#ifndef NGX_HTTP_ARTIFACT_DECODE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_DECODE_H_INCLUDED_


#include "http/compose/ngx_http_artifact_spool.h"


typedef struct ngx_http_artifact_decode_s  ngx_http_artifact_decode_t;


/* What this build decodes, as a value of Accept-Encoding. */

extern ngx_str_t  ngx_http_artifact_decodes;


/*
 * A decoder for a value of Content-Encoding: NGX_OK; NGX_DECLINED if it is no
 * coding that can be undone here (several codings neither); NGX_ERROR when out
 * of memory.  *decode is NULL where nothing is coded ("identity", or no value).
 * It ends with the request.  Memory: 40 KB of zlib, or 8 MB at most of zstd's
 * window (RFC 8878, section 3.1.1.1.2), and 16 KB.
 */

ngx_int_t ngx_http_artifact_decode_create(ngx_http_request_t *r,
    ngx_str_t *coding, ngx_http_artifact_decode_t **decode);


/*
 * Decodes *len bytes, the last ones of the body if there is nothing behind them
 * ("last"), advancing both, and puts what they are into the spool.  NGX_OK when
 * they are used up; NGX_AGAIN when there is more to do, but a megabyte was made
 * of few bytes already; NGX_DECLINED if they are not sound, or end too early;
 * NGX_ABORT if the spool would have more than "max" bytes; NGX_ERROR as the
 * spool.
 */

ngx_int_t ngx_http_artifact_decode(ngx_http_artifact_decode_t *decode,
    const u_char **data, size_t *len, ngx_uint_t last,
    ngx_http_artifact_spool_t *spool, off_t max);


#endif /* NGX_HTTP_ARTIFACT_DECODE_H_INCLUDED_ */
