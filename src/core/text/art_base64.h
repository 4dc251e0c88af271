
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Base64 (RFC 4648) as streams: an encoder for data URLs and file parts, a
 * lenient decoder for what others send; and the strict URL-safe codec of
 * workspace ids.
 */


#ifndef ART_BASE64_H_INCLUDED_
#define ART_BASE64_H_INCLUDED_


#include "core/base/art_core.h"


/* Bytes of the padded encoding of n bytes. */

#define ART_BASE64_LEN(n)     (((n) + 2) / 3 * 4)

/* Bytes of the unpadded encoding of n bytes. */

#define ART_BASE64URL_LEN(n)  ((n) / 3 * 4 + ((n) % 3 ? (n) % 3 + 1 : 0))


/* Carries the 0 to 2 bytes that do not yet make a group of three. */

typedef struct {
    uint8_t   hold[3];
    unsigned  n;
} art_base64_t;


/*
 * Encodes *len bytes from *src (RFC 4648 section 4) into dst until the input is
 * used up or dst has no room for a whole group of four.  Advances *src and
 * *len; returns the bytes written.  Bytes of an incomplete group are kept in
 * *st, which starts zeroed.
 */

size_t art_base64_update(art_base64_t *st, uint8_t *dst, size_t room,
    const uint8_t **src, size_t *len);


/*
 * Writes the last group with its padding and clears *st; returns 0 or 4, the
 * bytes written.  It needs 4 bytes of room if st->n is not 0; with less,
 * nothing is written.
 */

size_t art_base64_final(art_base64_t *st, uint8_t *dst, size_t room);


/* The value of a digit of either alphabet (RFC 4648, tables 1 and 2), or -1. */

int art_base64_value(uint8_t c);


/* RFC 4648 section 5, unpadded; writes ART_BASE64URL_LEN(len) bytes. */

size_t art_base64url_encode(uint8_t *dst, const uint8_t *src, size_t len);


/*
 * Decodes strictly: the URL-safe alphabet only, padding complete or absent,
 * no length of 1 mod 4 (without padding), zero trailing bits; ART_ERROR
 * otherwise.  dst has room for len / 4 * 3 + 3 bytes; *n is set to the bytes
 * written.
 */

int art_base64url_decode(uint8_t *dst, size_t *n, const uint8_t *src,
    size_t len);


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


#endif /* ART_BASE64_H_INCLUDED_ */
