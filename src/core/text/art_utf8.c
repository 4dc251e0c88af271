
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_simd.h"
#include "core/text/art_utf8.h"

#ifdef ART_SIMD_X86
#include <immintrin.h>
#endif


/* Longer ones do not count as an extension. */

#define ART_UTF8_EXTENSION_MAX  20       /* bytes, with its dot */

/* The bits of eight bytes that none of ASCII has. */

#define ART_UTF8_HIGH  0x8080808080808080

#define art_utf8_tail(c)  (((c) & 0xc0) == 0x80)


static size_t art_utf8_blocks(const uint8_t *p, size_t len);
static int art_utf8_unsafe(const uint8_t *p, int n);
static int art_utf8_white(unsigned code);

#ifdef ART_SIMD_X86
static size_t art_utf8_blocks_ssse3(const uint8_t *p, size_t len);
static size_t art_utf8_blocks_avx2(const uint8_t *p, size_t len);
static size_t art_utf8_whole(const uint8_t *p, size_t len);
#endif


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

    n = 2 + (c >= 0xe0) + (c >= 0xf0);

    if (len == 1) {
        return 0;
    }

    /* only the second byte's range depends on the first: RFC 3629, 4 */

    min = 0x80;
    max = 0xbf;

    switch (c) {

    case 0xe0:
        min = 0xa0;
        break;

    case 0xed:
        max = 0x9f;
        break;

    case 0xf0:
        min = 0x90;
        break;

    case 0xf4:
        max = 0x8f;
        break;
    }

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

    n = 2u + (code >= 0x800) + (code >= 0x10000);

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


/*
 * The length of a valid prefix of whole characters: most of the work where the
 * processor has vectors.  It is found by blocks, so it may be too short by a
 * block (32 bytes at most) and a character.
 */

static size_t
art_utf8_blocks(const uint8_t *p, size_t len)
{
#ifdef ART_SIMD_X86

    if (art_simd_level() >= ART_SIMD_AVX2) {
        return art_utf8_blocks_avx2(p, len);
    }

    if (art_simd_level() == ART_SIMD_SSSE3) {
        return art_utf8_blocks_ssse3(p, len);
    }

#else
    (void) p;
    (void) len;
#endif

    return 0;
}


size_t
art_utf8_ascii_len(const uint8_t *p, size_t len)
{
    size_t    i;
    uint64_t  word, words[4];

    for (i = 0; len - i >= sizeof(words); i += sizeof(words)) {
        memcpy(words, p + i, sizeof(words));

        if ((words[0] | words[1] | words[2] | words[3]) & ART_UTF8_HIGH) {
            break;
        }
    }

    for ( /* void */ ; len - i >= 8; i += 8) {
        memcpy(&word, p + i, 8);

        if (word & ART_UTF8_HIGH) {
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


/* The property White_Space of Unicode. */

static int
art_utf8_white(unsigned code)
{
    return (code >= '\t' && code <= '\r') || code == ' ' || code == 0x85
           || code == 0xa0 || code == 0x1680
           || (code >= 0x2000 && code <= 0x200a)
           || code == 0x2028 || code == 0x2029 || code == 0x202f
           || code == 0x205f || code == 0x3000;
}


int
art_utf8_is_blank(const uint8_t *p, size_t len)
{
    int     n;
    size_t  i;

    for (i = 0; i < len; i += (size_t) n) {
        n = art_utf8_char(p + i, len - i);

        /* such characters have three bytes at most */

        if (n < 1 || n > 3 || !art_utf8_blank(art_utf8_code(p + i, n))) {
            return 0;
        }
    }

    return 1;
}


int
art_utf8_blank(unsigned code)
{
    return art_utf8_white(code) || code == 0x200b || code == 0xfeff;
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


#ifdef ART_SIMD_X86

/*
 * The method is that of J. Keiser and D. Lemire, "Validating UTF-8 In Less
 * Than One Instruction Per Byte" (2021).  Any fault in two adjacent bytes shows
 * in three half-bytes: both of the first byte and the high one of the second.
 * Each fault has a bit.  Three tables say which faults each half-byte allows; a
 * fault that all three allow is present.  The faults, after table 3-7 of
 * Unicode 15:
 */

#define U8_SHORT      0x01   /* a character starts, no continuation follows */
#define U8_LONG       0x02   /* a continuation after ASCII */
#define U8_E0         0x04   /* E0 80 to E0 9F: overlong */
#define U8_F4         0x08   /* F4 90 and above, F5 to FF: beyond U+10FFFF */
#define U8_ED         0x10   /* ED A0 to ED BF: surrogates */
#define U8_C0         0x20   /* C0, C1: overlong */
#define U8_F0         0x40   /* F0 80 to F0 8F: overlong; F5 to FF with it */

/*
 * Two continuations in a row are valid if the first does not end a character,
 * which depends on the two bytes before it.  This bit is checked against them.
 */

#define U8_CONTS      0x80

/* Faults that any low half-byte allows: only the high ones decide. */

#define U8_ANY        (U8_SHORT | U8_LONG | U8_CONTS)

#define u8(bits)      ((char) (bits))

#define art_utf8_first_high                                                  \
    u8(U8_LONG), u8(U8_LONG), u8(U8_LONG), u8(U8_LONG),                      \
    u8(U8_LONG), u8(U8_LONG), u8(U8_LONG), u8(U8_LONG),                      \
    u8(U8_CONTS), u8(U8_CONTS), u8(U8_CONTS), u8(U8_CONTS),                  \
    u8(U8_SHORT | U8_C0), u8(U8_SHORT), u8(U8_SHORT | U8_E0 | U8_ED),        \
    u8(U8_SHORT | U8_F0 | U8_F4)

#define art_utf8_first_low                                                   \
    u8(U8_ANY | U8_C0 | U8_E0 | U8_F0), u8(U8_ANY | U8_C0), u8(U8_ANY),      \
    u8(U8_ANY), u8(U8_ANY | U8_F4),                                          \
    u8(U8_ANY | U8_F4 | U8_F0), u8(U8_ANY | U8_F4 | U8_F0),                  \
    u8(U8_ANY | U8_F4 | U8_F0), u8(U8_ANY | U8_F4 | U8_F0),                  \
    u8(U8_ANY | U8_F4 | U8_F0), u8(U8_ANY | U8_F4 | U8_F0),                  \
    u8(U8_ANY | U8_F4 | U8_F0), u8(U8_ANY | U8_F4 | U8_F0),                  \
    u8(U8_ANY | U8_F4 | U8_F0 | U8_ED), u8(U8_ANY | U8_F4 | U8_F0),          \
    u8(U8_ANY | U8_F4 | U8_F0)

#define U8_CONT       (U8_LONG | U8_CONTS | U8_C0)

#define art_utf8_second_high                                                 \
    u8(U8_SHORT), u8(U8_SHORT), u8(U8_SHORT), u8(U8_SHORT),                  \
    u8(U8_SHORT), u8(U8_SHORT), u8(U8_SHORT), u8(U8_SHORT),                  \
    u8(U8_CONT | U8_E0 | U8_F0), u8(U8_CONT | U8_E0 | U8_F4),                \
    u8(U8_CONT | U8_ED | U8_F4), u8(U8_CONT | U8_ED | U8_F4),                \
    u8(U8_SHORT), u8(U8_SHORT), u8(U8_SHORT), u8(U8_SHORT)

/*
 * Above these, a character of the last three bytes continues after the block.
 */

#define art_utf8_open  u8(0xef), u8(0xdf), u8(0xbf)
#define art_utf8_full  u8(0xff), u8(0xff), u8(0xff), u8(0xff)

#define art_utf8_load128(p)                                                  \
    _mm_loadu_si128((const __m128i *) (const void *) (p))
#define art_utf8_load256(p)                                                  \
    _mm256_loadu_si256((const __m256i *) (const void *) (p))


/* The faults of the block after "before": bytes that are not zero. */

art_target_ssse3
static inline __m128i
art_utf8_faults128(__m128i v, __m128i before)
{
    __m128i        first, faults, conts;
    const __m128i  nibble = _mm_set1_epi8(0x0f);

    first = _mm_alignr_epi8(v, before, 15);

    faults = _mm_shuffle_epi8(_mm_setr_epi8(art_utf8_first_high),
                     _mm_and_si128(_mm_srli_epi16(first, 4), nibble));
    faults = _mm_and_si128(faults,
                     _mm_shuffle_epi8(_mm_setr_epi8(art_utf8_first_low),
                                      _mm_and_si128(first, nibble)));
    faults = _mm_and_si128(faults,
                     _mm_shuffle_epi8(_mm_setr_epi8(art_utf8_second_high),
                                      _mm_and_si128(_mm_srli_epi16(v, 4),
                                                    nibble)));

    /* the high bit marks a third byte, or the fourth of four */

    conts = _mm_or_si128(_mm_subs_epu8(_mm_alignr_epi8(v, before, 14),
                                       _mm_set1_epi8(0xe0 - 0x80)),
                         _mm_subs_epu8(_mm_alignr_epi8(v, before, 13),
                                       _mm_set1_epi8(0xf0 - 0x80)));
    conts = _mm_and_si128(conts, _mm_set1_epi8(u8(0x80)));

    return _mm_xor_si128(faults, conts);
}


art_target_ssse3
static size_t
art_utf8_blocks_ssse3(const uint8_t *p, size_t len)
{
    int            open;
    size_t         i;
    __m128i        v, before, faults;
    const __m128i  zero = _mm_setzero_si128();
    const __m128i  full = _mm_setr_epi8(art_utf8_full, art_utf8_full,
                                        art_utf8_full, u8(0xff),
                                        art_utf8_open);

    before = zero;
    open = 0;

    for (i = 0; len - i >= 16; i += 16) {
        v = art_utf8_load128(p + i);

        if (_mm_movemask_epi8(v) == 0 && !open) {
            before = zero;
            continue;
        }

        faults = art_utf8_faults128(v, before);

        if (_mm_movemask_epi8(_mm_cmpeq_epi8(faults, zero)) != 0xffff) {
            break;
        }

        open = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_subs_epu8(v, full), zero))
               != 0xffff;
        before = v;
    }

    return art_utf8_whole(p, i);
}


art_target_avx2
static inline __m256i
art_utf8_faults256(__m256i v, __m256i before)
{
    __m256i        first, faults, conts, middle;
    const __m256i  nibble = _mm256_set1_epi8(0x0f);

    middle = _mm256_permute2x128_si256(before, v, 0x21);
    first = _mm256_alignr_epi8(v, middle, 15);

    faults = _mm256_shuffle_epi8(
                     _mm256_setr_epi8(art_utf8_first_high,
                                      art_utf8_first_high),
                     _mm256_and_si256(_mm256_srli_epi16(first, 4), nibble));
    faults = _mm256_and_si256(faults, _mm256_shuffle_epi8(
                     _mm256_setr_epi8(art_utf8_first_low, art_utf8_first_low),
                     _mm256_and_si256(first, nibble)));
    faults = _mm256_and_si256(faults, _mm256_shuffle_epi8(
                     _mm256_setr_epi8(art_utf8_second_high,
                                      art_utf8_second_high),
                     _mm256_and_si256(_mm256_srli_epi16(v, 4), nibble)));

    conts = _mm256_or_si256(_mm256_subs_epu8(
                                     _mm256_alignr_epi8(v, middle, 14),
                                     _mm256_set1_epi8(0xe0 - 0x80)),
                            _mm256_subs_epu8(
                                     _mm256_alignr_epi8(v, middle, 13),
                                     _mm256_set1_epi8(0xf0 - 0x80)));
    conts = _mm256_and_si256(conts, _mm256_set1_epi8(u8(0x80)));

    return _mm256_xor_si256(faults, conts);
}


art_target_avx2
static size_t
art_utf8_blocks_avx2(const uint8_t *p, size_t len)
{
    int            open;
    size_t         i;
    __m256i        v, next, before, faults;
    const __m256i  full = _mm256_setr_epi8(art_utf8_full, art_utf8_full,
                                           art_utf8_full, art_utf8_full,
                                           art_utf8_full, art_utf8_full,
                                           art_utf8_full, u8(0xff),
                                           art_utf8_open);

    before = _mm256_setzero_si256();
    open = 0;

    for (i = 0; len - i >= 32; i += 32) {
        v = art_utf8_load256(p + i);

        if (_mm256_movemask_epi8(v) == 0 && !open) {

            /* two blocks at a time */

            while (len - i >= 96) {
                v = art_utf8_load256(p + i + 32);
                next = art_utf8_load256(p + i + 64);

                if (_mm256_movemask_epi8(_mm256_or_si256(v, next))) {
                    break;
                }

                i += 64;
            }

            before = _mm256_setzero_si256();
            continue;
        }

        faults = art_utf8_faults256(v, before);

        if (!_mm256_testz_si256(faults, faults)) {
            break;
        }

        next = _mm256_subs_epu8(v, full);
        open = !_mm256_testz_si256(next, next);
        before = v;
    }

    return art_utf8_whole(p, i);
}


/* The offset of the last character if it is incomplete, else "len". */

static size_t
art_utf8_whole(const uint8_t *p, size_t len)
{
    size_t   n, back;
    uint8_t  c;

    for (back = 1; back <= 3 && back <= len; back++) {
        c = p[len - back];

        if (c < 0x80) {
            break;
        }

        if (c >= 0xc0) {
            n = c < 0xe0 ? 2 : 3;

            if (c >= 0xf0) {
                n = 4;
            }

            return back < n ? len - back : len;
        }
    }

    return len;
}

#endif
