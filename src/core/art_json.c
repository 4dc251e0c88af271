
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "art_json.h"
#include "art_utf8.h"

/* -DART_PORTABLE builds without vectors, so that tests reach that code too. */

#if defined(__SSE2__) && !defined(ART_PORTABLE)
#define ART_JSON_SSE2  1
#include <emmintrin.h>
#endif


#define art_json_special(c)  ((c) < 0x20 || (c) == '"' || (c) == '\\')


static size_t art_json_run(uint8_t *dst, size_t room, const uint8_t *src,
    size_t len);
static size_t art_json_plain(uint8_t *dst, const uint8_t *src, size_t len);
static size_t art_json_unit(uint8_t unit[ART_JSON_UNIT_MAX], uint8_t c,
    unsigned level);
static void art_json_valid(art_out_t *out, const uint8_t *p, size_t len,
    unsigned level);


/* What stands behind the backslash of U+0000 to U+001F. */

static const char  art_json_short[] = "uuuuuuuubtnufruuuuuuuuuuuuuuuuuu";


size_t
art_json_escape(uint8_t *dst, size_t room, const uint8_t **src, size_t *len,
    unsigned level)
{
    size_t          n, left, size;
    uint8_t        *d, unit[ART_JSON_UNIT_MAX];
    const uint8_t  *p;

    d = dst;
    p = *src;
    left = *len;

    while (left > 0) {
        n = art_json_run(d, room, p, left);

        d += n;
        room -= n;
        p += n;
        left -= n;

        if (left == 0 || !art_json_special(*p)) {
            break;
        }

        if (room >= sizeof(unit)) {
            size = art_json_unit(d, *p, level);

        } else {
            size = art_json_unit(unit, *p, level);

            if (size > room) {
                break;
            }

            memcpy(d, unit, size);
        }

        d += size;
        room -= size;
        p++;
        left--;
    }

    *src = p;
    *len = left;

    return (size_t) (d - dst);
}


/*
 * Copies characters up to the first that needs an escape, or that does not
 * fit; what lies behind them in the room may be overwritten.
 */

static size_t
art_json_run(uint8_t *dst, size_t room, const uint8_t *src, size_t len)
{
    size_t  i, max;

    max = len < room ? len : room;

    for (i = art_json_plain(dst, src, max); i < max; i++) {
        if (art_json_special(src[i])) {
            return i;
        }

        dst[i] = src[i];
    }

    if (i < len) {
        i = art_utf8_cut(src, len, i);
    }

    return i;
}


/*
 * The bulk of art_json_run(): copies words without a special byte, returns
 * the bytes copied.  Less than a word, or a special byte, is left then.
 */

#ifdef ART_JSON_SSE2

static size_t
art_json_plain(uint8_t *dst, const uint8_t *src, size_t len)
{
    size_t         i;
    __m128i        v, special;
    unsigned       mask;
    const __m128i  quote = _mm_set1_epi8('"');
    const __m128i  slash = _mm_set1_epi8('\\');
    const __m128i  control = _mm_set1_epi8(0x1f);

    for (i = 0; len - i >= 16; i += 16) {
        v = _mm_loadu_si128((const __m128i *) (const void *) (src + i));
        _mm_storeu_si128((__m128i *) (void *) (dst + i), v);

        special = _mm_cmpeq_epi8(_mm_min_epu8(v, control), v);
        special = _mm_or_si128(special, _mm_cmpeq_epi8(v, quote));
        special = _mm_or_si128(special, _mm_cmpeq_epi8(v, slash));

        mask = (unsigned) _mm_movemask_epi8(special);

        if (mask) {
            return i + (size_t) __builtin_ctz(mask);
        }
    }

    return i;
}

#else

static size_t
art_json_plain(uint8_t *dst, const uint8_t *src, size_t len)
{
    size_t          i;
    uint64_t        v, q, s, special;
    const uint64_t  ones = 0x0101010101010101;

    for (i = 0; len - i >= 8; i += 8) {
        memcpy(&v, src + i, 8);

        /*
         * The high bit of a byte is set where v is below 0x20, or q or s
         * zero; a borrow can only spoil bytes above one that is special.
         */

        q = v ^ ones * '"';
        s = v ^ ones * '\\';
        special = ((v - ones * 0x20) & ~v) | ((q - ones) & ~q)
                  | ((s - ones) & ~s);

        if (special & ones * 0x80) {
            return i;
        }

        memcpy(dst + i, &v, 8);
    }

    return i;
}

#endif


/*
 * The escape of a special byte, on its level.  Each level doubles the
 * backslashes below it, and a quote gets one more.  Eight backslashes are
 * always written, as that costs less than counting.
 */

static size_t
art_json_unit(uint8_t unit[ART_JSON_UNIT_MAX], uint8_t c, unsigned level)
{
    size_t             n;
    static const char  hex[] = "0123456789abcdef";

    memset(unit, '\\', 8);

    if (c == '"' || c == '\\') {
        n = ((size_t) 1 << level) - 1;
        unit[n++] = c;
        return n;
    }

    n = (size_t) 1 << (level - 1);
    unit[n++] = (uint8_t) art_json_short[c];

    if (art_json_short[c] == 'u') {
        unit[n++] = '0';
        unit[n++] = '0';
        unit[n++] = (uint8_t) hex[c >> 4];
        unit[n++] = (uint8_t) hex[c & 0x0f];
    }

    return n;
}


void
art_json_string(art_out_t *out, art_str_t s, unsigned level)
{
    int     n;
    size_t  valid;

    while (s.len > 0) {
        valid = art_utf8_valid_len(s.data, s.len);

        art_json_valid(out, s.data, valid, level);

        s.data += valid;
        s.len -= valid;

        if (s.len == 0) {
            break;
        }

        /* an unfinished character at the end is one ill-formed sequence */

        n = art_utf8_char(s.data, s.len);
        valid = n < 0 ? (size_t) (-1 - n) : s.len;

        art_out_cstr(out, "\xef\xbf\xbd");

        s.data += valid;
        s.len -= valid;
    }
}


/* By way of a small buffer, as the output also counts what has no room. */

static void
art_json_valid(art_out_t *out, const uint8_t *p, size_t len, unsigned level)
{
    size_t   n;
    uint8_t  buf[256];

    if (level == 0) {
        art_out_mem(out, p, len);
        return;
    }

    while (len > 0) {
        n = art_json_escape(buf, sizeof(buf), &p, &len, level);
        art_out_mem(out, buf, n);
    }
}
