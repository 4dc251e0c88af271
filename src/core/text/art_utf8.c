
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_utf8.h"
#include "core/text/art_utf8_int.h"


/* A longer one does not count as an extension. */

#define ART_UTF8_EXTENSION_MAX  20       /* bytes, with its dot */

#define art_utf8_tail(c)  (((c) & 0xc0) == 0x80)


static size_t art_utf8_blocks(const uint8_t *p, size_t len);
static size_t art_utf8_ascii_len(const uint8_t *p, size_t len);
static int art_utf8_unsafe(const uint8_t *p, int n);


int
art_utf8_char(const uint8_t *p, size_t len)
{
    int      i, n;
    uint8_t  c, min, max;

    if (len == 0) {
        return 0;
    }

    c = p[0];

    if (c < 0x80) {
        return 1;
    }

    if (c < 0xc2 || c > 0xf4) {
        return -2;
    }

    n = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

    if (len == 1) {
        return 0;
    }

    /* only the second byte's range depends on the first: RFC 3629, 4 */

    min = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
    max = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;

    if (p[1] < min || p[1] > max) {
        return -2;
    }

    for (i = 2; i < n; i++) {
        if ((size_t) i == len) {
            return 0;
        }

        if (!art_utf8_tail(p[i])) {
            return -1 - i;
        }
    }

    return n;
}


unsigned
art_utf8_code(const uint8_t *p, int n)
{
    int       i;
    unsigned  code;

    if (n == 1) {
        return p[0];
    }

    code = p[0] & (0xffu >> (n + 1));

    for (i = 1; i < n; i++) {
        code = code << 6 | (p[i] & 0x3f);
    }

    return code;
}


size_t
art_utf8_encode(uint8_t utf8[4], unsigned code)
{
    size_t  i, n;

    if (code < 0x80) {
        utf8[0] = (uint8_t) code;
        return 1;
    }

    n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

    for (i = n - 1; i > 0; i--) {
        utf8[i] = (uint8_t) (0x80 | (code & 0x3f));
        code >>= 6;
    }

    /* as many high bits as the character has bytes */

    utf8[0] = (uint8_t) (0xf00 >> n | code);

    return n;
}


size_t
art_utf8_valid_len(const uint8_t *p, size_t len)
{
    int      n;
    size_t   i;
    uint8_t  c;

    i = art_utf8_blocks(p, len);

    while (i < len) {
        i += art_utf8_ascii_len(p + i, len - i);

        while (i < len && p[i] >= 0x80) {
            c = p[i];

            /* most of what is not ASCII: two bytes, and three of any tail */

            if (c >= 0xe1 && c <= 0xef && c != 0xed && len - i >= 3
                && art_utf8_tail(p[i + 1]) && art_utf8_tail(p[i + 2]))
            {
                i += 3;
                continue;
            }

            if (c >= 0xc2 && c <= 0xdf && len - i >= 2
                && art_utf8_tail(p[i + 1]))
            {
                i += 2;
                continue;
            }

            n = art_utf8_char(p + i, len - i);

            if (n <= 0) {
                return i;
            }

            i += (size_t) n;
        }
    }

    return i;
}


/* The bulk of the work, where the processor has vectors. */

static size_t
art_utf8_blocks(const uint8_t *p, size_t len)
{
#ifdef ART_SIMD_X86

    switch (art_simd_level()) {

    case ART_SIMD_AVX512:
    case ART_SIMD_AVX2:
        return art_utf8_blocks_avx2(p, len);

    case ART_SIMD_SSSE3:
        return art_utf8_blocks_ssse3(p, len);

    default:
        return 0;
    }

#else
    (void) p;
    (void) len;

    return 0;
#endif
}


/* The length of the ASCII prefix; len is not 0. */

static size_t
art_utf8_ascii_len(const uint8_t *p, size_t len)
{
    size_t    i;
    uint64_t  word;

    for (i = 0; len - i >= 8; i += 8) {
        memcpy(&word, p + i, 8);

        if (word & 0x8080808080808080) {
            break;
        }
    }

    while (i < len && p[i] < 0x80) {
        i++;
    }

    return i;
}


int
art_utf8_valid(const uint8_t *p, size_t len)
{
    return art_utf8_valid_len(p, len) == len;
}


size_t
art_utf8_chars(const uint8_t *p, size_t len)
{
    size_t    i, n;
    uint64_t  word;

    n = len;

    for (i = 0; len - i >= 8; i += 8) {
        memcpy(&word, p + i, 8);

        /* each byte 10xxxxxx continues a character */

        word = (word >> 7) & ~(word >> 6) & 0x0101010101010101;
        n -= (size_t) ((word * 0x0101010101010101) >> 56);
    }

    for ( /* void */ ; i < len; i++) {
        n -= (size_t) art_utf8_tail(p[i]);
    }

    return n;
}


size_t
art_utf8_first(const uint8_t *p, size_t len, size_t max)
{
    size_t  i;

    for (i = 0; i < len && (max > 0 || art_utf8_tail(p[i])); i++) {
        max -= (size_t) !art_utf8_tail(p[i]);
    }

    return i;
}


size_t
art_utf8_cut(const uint8_t *p, size_t len, size_t max)
{
    int     n;
    size_t  i, back;

    if (len <= max) {
        return len;
    }

    for (back = 0; back < 4 && back <= max; back++) {
        i = max - back;

        if (!art_utf8_tail(p[i])) {
            n = art_utf8_char(p + i, len - i);

            /* do not cut an ill-formed subsequence either */

            if (n < 0) {
                n = -1 - n;
            }

            return n == 0 || (size_t) n > back ? i : max;
        }
    }

    return max;
}


art_str_t
art_utf8_file_name(art_str_t name, uint8_t *buf, size_t max)
{
    size_t  n, extension;

    if (name.len <= max) {
        return name;
    }

    for (extension = 1; extension < ART_UTF8_EXTENSION_MAX
                        && name.data[name.len - extension] != '.'; extension++)
    {
        /* void */
    }

    if (name.data[name.len - extension] != '.') {
        extension = 0;
    }

    n = art_utf8_cut(name.data, name.len, max - extension);

    memcpy(buf, name.data, n);
    memcpy(buf + n, name.data + name.len - extension, extension);

    return art_str(buf, n + extension);
}


int
art_utf8_control(art_str_t s)
{
    size_t    i;
    unsigned  c;

    for (i = 0; i < s.len; i++) {
        c = s.data[i];

        if (c < 0x20 || c == 0x7f) {
            return 1;
        }

        /* U+0080 to U+009F */

        if (c == 0xc2 && i + 1 < s.len && s.data[i + 1] < 0xa0) {
            return 1;
        }
    }

    return 0;
}


int
art_utf8_white(unsigned code)
{
    return (code >= '\t' && code <= '\r') || code == ' ' || code == 0x85
           || code == 0xa0 || code == 0x1680
           || (code >= 0x2000 && code <= 0x200a)
           || code == 0x2028 || code == 0x2029 || code == 0x202f
           || code == 0x205f || code == 0x3000;
}


int
art_utf8_has_white(art_str_t s)
{
    int     n;
    size_t  i;

    for (i = 0; i < s.len; i += (size_t) n) {
        n = art_utf8_char(s.data + i, s.len - i);

        if (n <= 0) {
            n = n < 0 ? -1 - n : (int) (s.len - i);

        } else if (art_utf8_white(art_utf8_code(s.data + i, n))) {
            return 1;
        }
    }

    return 0;
}


void
art_utf8_name(art_out_t *out, art_str_t name)
{
    int     n;
    size_t  i;

    for (i = 0; i < name.len; i += (size_t) n) {
        n = art_utf8_char(name.data + i, name.len - i);

        if (n <= 0) {
            art_out_cstr(out, ART_UTF8_REPLACEMENT);
            n = n < 0 ? -1 - n : (int) (name.len - i);

        } else if (art_utf8_unsafe(name.data + i, n)) {
            art_out_char(out, '_');

        } else {
            art_out_mem(out, name.data + i, (size_t) n);
        }
    }
}


/* Whether a valid character would break or disguise a line of text. */

static int
art_utf8_unsafe(const uint8_t *p, int n)
{
    if (n == 1) {
        return p[0] < 0x20 || p[0] == 0x7f;
    }

    if (n == 2) {
        return (p[0] == 0xc2 && p[1] < 0xa0)            /* U+0080 - U+009F */
               || (p[0] == 0xd8 && p[1] == 0x9c);       /* U+061C */
    }

    if (n == 4) {
        return p[0] == 0xf3 && p[1] == 0xa0             /* U+E0000 - U+E007F */
               && p[2] < 0x82;
    }

    if (p[0] == 0xe2 && p[1] == 0x80) {
        return p[2] == 0x8e || p[2] == 0x8f             /* U+200E, U+200F */
               || (p[2] >= 0xa8 && p[2] <= 0xae);       /* U+2028 - U+202E */
    }

    return p[0] == 0xe2 && p[1] == 0x81                 /* U+2066 - U+2069 */
           && p[2] >= 0xa6 && p[2] <= 0xa9;
}
