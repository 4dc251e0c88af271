
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A lenient base64 decoder for what others send, as a stream.
 */


#ifndef ART_BASE64_DECODE_H_INCLUDED_
#define ART_BASE64_DECODE_H_INCLUDED_


#include "core/base/art_core.h"


/* Starts zeroed.  "digits" counts the digits so far, padding included. */

typedef struct {
    uint32_t  bits;
    unsigned  held;              /* digits in "bits", 0 to 3 */
    unsigned  pads;
    unsigned  bad:1;
    uint64_t  digits;
} art_base64_decode_t;


/*
 * Decodes "len" characters of either alphabet (RFC 4648, sections 4 and 5),
 * with white space between lines, into dst, which has room for len / 4 * 3 + 3
 * bytes; returns the bytes written.  Any other character sets st->bad, and the
 * rest is ignored.
 */

size_t art_base64_decode(art_base64_decode_t *st, uint8_t *dst,
    const uint8_t *src, size_t len);


/*
 * Writes the last 0 to 2 bytes; returns their number.  Sets st->bad if the
 * padding is incomplete or a single digit is left over.
 */

size_t art_base64_decode_end(art_base64_decode_t *st, uint8_t *dst);


#endif /* ART_BASE64_DECODE_H_INCLUDED_ */
