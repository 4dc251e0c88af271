
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Request bodies that are compressed: gzip, deflate, zstd.
 */


#ifndef NGX_HTTP_ARTIFACT_DECODE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_DECODE_H_INCLUDED_


#include "http/base/ngx_http_artifact_work.h"
#include "http/compose/ngx_http_artifact_spool.h"


typedef struct ngx_http_artifact_decode_s  ngx_http_artifact_decode_t;


/* What this build decodes, as a value of Accept-Encoding. */

extern ngx_str_t  ngx_http_artifact_decodes;


/*
 * A decoder for a value of Content-Encoding: NGX_OK; NGX_DECLINED if it is no
 * coding that can be undone here (several codings neither); NGX_ERROR when out
 * of memory.  *decode is NULL where nothing is coded ("identity", or no value).
 * Memory: 40 KB of zlib, or what a frame of zstd says that it needs, a window
 * of 8 MB at most (RFC 9659, section 3), and 16 KB; until
 * ngx_http_artifact_decode_end(), or the end of the request.
 */

ngx_int_t ngx_http_artifact_decode_create(ngx_http_request_t *r,
    ngx_str_t *coding, ngx_http_artifact_decode_t **decode);


/*
 * Decodes *len bytes, the last ones of the body if there is nothing behind them
 * ("last"), advancing both, and puts what they are into the spool.  NGX_OK when
 * they are used up; NGX_AGAIN when there is more to do, but the turn is over:
 * input may take long and make nothing, as empty blocks do, or make megabytes
 * of few bytes; NGX_DECLINED if they are not sound, or end too early; NGX_ABORT
 * if the spool would have more than "max" bytes; NGX_ERROR as the spool.
 */

ngx_int_t ngx_http_artifact_decode(ngx_http_artifact_decode_t *decode,
    const u_char **data, size_t *len, ngx_uint_t last,
    ngx_http_artifact_spool_t *spool, off_t max,
    ngx_http_artifact_turn_t *turn);


/* Gives back a decoder's memory, and the decoder. */

void ngx_http_artifact_decode_end(ngx_http_artifact_decode_t *decode);


#endif /* NGX_HTTP_ARTIFACT_DECODE_H_INCLUDED_ */
