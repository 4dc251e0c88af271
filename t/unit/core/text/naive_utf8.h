
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * UTF-8 by definition, slowly: what the tests hold art_utf8 and art_text to.
 */


#ifndef ART_NAIVE_UTF8_H_INCLUDED_
#define ART_NAIVE_UTF8_H_INCLUDED_


#include <stddef.h>
#include <stdint.h>
#include <string.h>


#define NAIVE_UNUSED  __attribute__((unused))


/* The bytes of a code point; 0 for what is no Unicode scalar value. */

static size_t
naive_encode(uint8_t *dst, uint32_t code)
{
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
        return 0;
    }

    if (code < 0x80) {
        dst[0] = (uint8_t) code;
        return 1;
    }

    if (code < 0x800) {
        dst[0] = (uint8_t) (0xc0 | code >> 6);
        dst[1] = (uint8_t) (0x80 | (code & 0x3f));
        return 2;
    }

    if (code < 0x10000) {
        dst[0] = (uint8_t) (0xe0 | code >> 12);
        dst[1] = (uint8_t) (0x80 | (code >> 6 & 0x3f));
        dst[2] = (uint8_t) (0x80 | (code & 0x3f));
        return 3;
    }

    dst[0] = (uint8_t) (0xf0 | code >> 18);
    dst[1] = (uint8_t) (0x80 | (code >> 12 & 0x3f));
    dst[2] = (uint8_t) (0x80 | (code >> 6 & 0x3f));
    dst[3] = (uint8_t) (0x80 | (code & 0x3f));

    return 4;
}


/* Whether n bytes are one well-formed character: they encode what they say. */

static int
naive_well_formed(const uint8_t *p, size_t n)
{
    size_t    i;
    uint8_t   again[4];
    uint32_t  code;

    if (n == 1) {
        return p[0] < 0x80;
    }

    code = p[0] & (0xffu >> (n + 1));

    for (i = 1; i < n; i++) {
        code = code << 6 | (p[i] & 0x3f);
    }

    return naive_encode(again, code) == n && memcmp(again, p, n) == 0;
}


/*
 * Whether fewer bytes than a character begin a well-formed one.  Bounds of
 * code points fall on multiples of 16 of the second byte only, so three values
 * of the next byte, and any of those behind it, find a completion if one
 * exists.
 */

static int
naive_begins(const uint8_t *p, size_t n)
{
    size_t                i, total;
    uint8_t               c[4];
    static const uint8_t  next[] = { 0x80, 0x90, 0xa0 };

    for (total = n + 1; total <= 4; total++) {
        for (i = 0; i < sizeof(next); i++) {
            memset(c, 0x80, sizeof(c));
            memcpy(c, p, n);
            c[n] = next[i];

            if (naive_well_formed(c, total)) {
                return 1;
            }
        }
    }

    return 0;
}


/* The contract of art_utf8_char(). */

static int
naive_char(const uint8_t *p, size_t len)
{
    int  n;

    if (len == 0) {
        return 0;
    }

    for (n = 1; n <= 4 && (size_t) n <= len; n++) {
        if (naive_well_formed(p, (size_t) n)) {
            return n;
        }
    }

    for (n = 1; (size_t) n <= len && n <= 3; n++) {
        if (!naive_begins(p, (size_t) n)) {
            break;
        }
    }

    /* the first n - 1 bytes begin a character */

    if ((size_t) n > len) {
        return 0;
    }

    return n == 1 ? -2 : -n;
}


/* Replaces ill-formed bytes; dst has room for len * 3 bytes. */

static NAIVE_UNUSED size_t
naive_repair(uint8_t *dst, const uint8_t *p, size_t len)
{
    int      n;
    size_t   i, size;
    uint8_t  *d;

    d = dst;

    for (i = 0; i < len; i += size) {
        n = naive_char(p + i, len - i);

        if (n > 0) {
            size = (size_t) n;
            memcpy(d, p + i, size);
            d += size;

        } else {
            size = n < 0 ? (size_t) (-1 - n) : len - i;
            memcpy(d, "\xef\xbf\xbd", 3);
            d += 3;
        }
    }

    return (size_t) (d - dst);
}


/* The same as texts are shown: with U+FFFD in place of NULs. */

static NAIVE_UNUSED size_t
naive_shown(uint8_t *dst, const uint8_t *p, size_t len)
{
    size_t  i, n, total;

    total = 0;

    for (i = 0; i < len; i += n) {
        for (n = 0; i + n < len && p[i + n] != 0; n++) {
            /* void */
        }

        total += naive_repair(dst + total, p + i, n);

        if (i + n < len) {
            memcpy(dst + total, "\xef\xbf\xbd", 3);
            total += 3;
            n++;
        }
    }

    return total;
}


/* The length of the whole valid characters at the start. */

static NAIVE_UNUSED size_t
naive_valid_len(const uint8_t *p, size_t len)
{
    int     n;
    size_t  i;

    for (i = 0; i < len; i += (size_t) n) {
        n = naive_char(p + i, len - i);

        if (n <= 0) {
            break;
        }
    }

    return i;
}


/* Whether all of it is valid. */

static NAIVE_UNUSED int
naive_valid(const uint8_t *p, size_t len)
{
    return naive_valid_len(p, len) == len;
}


/*
 * Undoes one level of JSON string escaping, in place, taking only what
 * art_json_escape() may write.  Returns the length, or -1 if it is something
 * else.
 */

static NAIVE_UNUSED long
naive_unescape(uint8_t *p, size_t len)
{
    size_t       i, k;
    uint8_t     *d;
    const char  *at;

    static const char  names[] = "btnfr\"\\";
    static const char  values[] = "\b\t\n\f\r\"\\";
    static const char  hex[] = "0123456789abcdef";

    d = p;

    for (i = 0; i < len; i++) {
        if (p[i] < 0x20 || p[i] == '"') {
            return -1;
        }

        if (p[i] != '\\') {
            *d++ = p[i];
            continue;
        }

        if (++i == len || p[i] == '\0') {
            return -1;
        }

        at = strchr(names, p[i]);

        if (at) {
            *d++ = (uint8_t) values[at - names];
            continue;
        }

        if (p[i] != 'u' || len - i < 5 || memcmp(p + i + 1, "00", 2) != 0
            || (p[i + 3] != '0' && p[i + 3] != '1') || p[i + 4] == '\0')
        {
            return -1;
        }

        at = strchr(hex, p[i + 4]);

        if (at == NULL) {
            return -1;
        }

        k = (size_t) (p[i + 3] - '0') * 16 + (size_t) (at - hex);

        /* these have a short form */

        if (k >= '\b' && k <= '\r' && k != 11) {
            return -1;
        }

        *d++ = (uint8_t) k;
        i += 4;
    }

    return (long) (d - p);
}


#endif /* ART_NAIVE_UTF8_H_INCLUDED_ */
