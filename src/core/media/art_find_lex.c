
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The inner loops of the finder.
 *
 * Where media may begin is told by three characters, with a method that is
 * known from "Teddy" of Intel's Hyperscan: eight sets of texts, a bit each; the
 * bits of a character are those that both of its nibbles have.  So a set may
 * have more texts than were put in, and all loops have the same ones:
 *
 *     0  iVB                                     PNG
 *     1  /9j, /0/, also behind "\u002"           JPEG, JPEG 2000
 *     2  A and A to P                            all that begins with a zero
 *     3  Qk                                      BMP
 *     4  R0l, Ukl, UkY, R0A                      GIF, RIFF, MPEG streams
 *     5  JVB, T2d, SUQ, SUk, TVR, TU0            PDF, Ogg, ID3, TIFF, MIDI
 *     6  GkX, Zkx, Rk9, Rkx, OEJ, IyF, MCa       Matroska, FLAC, AIFF, FLV,
 *                                                PSD, AMR, ASF
 *     7  t: and a digit                          [artifact:
 */


#include "core/base/art_simd.h"
#include "core/media/art_find_int.h"

#ifdef ART_SIMD_X86
#include <immintrin.h>
#endif


static unsigned art_find_escaped(uint8_t byte, int *c);
static size_t art_find_hint_scalar(const uint8_t *p, size_t i, size_t len);

#ifdef ART_SIMD_X86
static size_t art_find_colon_avx2(const uint8_t *p, size_t i, size_t len);
static size_t art_find_span_ssse3(const uint8_t *p, size_t len, unsigned set);
static size_t art_find_span_avx2(const uint8_t *p, size_t len, unsigned set);
static int art_find_outside(const uint8_t *p, unsigned mask, unsigned words,
    unsigned within);
static size_t art_find_hint_ssse3(const uint8_t *p, size_t i, size_t len,
    unsigned within);
static size_t art_find_hint_avx2(const uint8_t *p, size_t i, size_t len,
    unsigned within);
#endif


#define u8(n)  (char) (n)

/* The bits of each of three characters, by its lower and higher nibble. */

#define ART_FIND_LOW1                                                        \
    0x00, 0x0c, 0x50, 0x20, u8(0xa0), 0x10, 0x02, 0x40,                      \
    0x00, 0x41, 0x60, 0x00, 0x00, 0x40, 0x00, 0x42
#define ART_FIND_HIGH1                                                       \
    0x00, 0x00, 0x02, 0x00, 0x66, 0x7a, 0x03, u8(0x80),                      \
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00

#define ART_FIND_LOW2                                                        \
    0x16, 0x04, 0x24, 0x44, 0x04, 0x64, 0x25, 0x04,                          \
    0x04, 0x46, u8(0x84), 0x5c, 0x04, 0x04, 0x04, 0x04
#define ART_FIND_HIGH2                                                       \
    0x00, 0x00, 0x00, u8(0xb2), 0x44, 0x25, 0x58, 0x40,                      \
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00

#define ART_FIND_LOW3                                                        \
    u8(0xac), u8(0xfc), u8(0xad), u8(0x8c), u8(0xac), u8(0x8c), u8(0xcc),    \
    u8(0x8c), u8(0xcc), u8(0xdc), 0x4e, 0x2c, 0x1e, 0x0c, 0x0c, 0x0e
#define ART_FIND_HIGH3                                                       \
    0x00, 0x00, 0x0e, u8(0xec), u8(0xfd), 0x7e, u8(0xfe), 0x4c,              \
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00


/* The same way: letters and digits are 0x07, "+/" 0x08, "-" 0x10, "_" 0x20. */

#define ART_FIND_LOW                                                         \
    0x05, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07,                          \
    0x07, 0x07, 0x06, 0x0a, 0x02, 0x12, 0x02, 0x2a
#define ART_FIND_HIGH                                                        \
    0x00, 0x00, 0x18, 0x01, 0x02, 0x24, 0x02, 0x04,                          \
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00


static const char  art_find_tables[3][2][16] = {
    { { ART_FIND_LOW1 }, { ART_FIND_HIGH1 } },
    { { ART_FIND_LOW2 }, { ART_FIND_HIGH2 } },
    { { ART_FIND_LOW3 }, { ART_FIND_HIGH3 } }
};

#define art_find_bits(n, c)                                                  \
    (art_find_tables[n][0][(c) & 0x0f] & art_find_tables[n][1][(c) >> 4])


unsigned
art_find_lex(unsigned *esc, unsigned *value, uint8_t byte, int *c)
{
    int       digit;
    unsigned  state;

    state = *esc;

    if (state == ART_FIND_NO_ESC) {

        if (byte == '\\') {
            *esc = ART_FIND_SLASHES;
            return ART_FIND_READ;
        }

        *c = art_find_alphabets(byte) != 0 || byte == '=' || byte == '\n'
             || byte == '\r' ? byte : 0;

        return ART_FIND_READ | ART_FIND_READY;
    }

    if (state == ART_FIND_SLASHES) {

        if (byte == '\\') {
            return ART_FIND_READ;
        }

        if (byte == 'u') {
            *esc = ART_FIND_DIGITS;
            *value = 0;
            return ART_FIND_READ;
        }

        *esc = ART_FIND_NO_ESC;

        return art_find_escaped(byte, c);
    }

    digit = art_char_hex(byte);

    if (digit < 0) {
        *esc = ART_FIND_NO_ESC;
        *c = 0;
        return ART_FIND_READY;
    }

    *value = *value << 4 | (unsigned) digit;

    if (state < ART_FIND_DIGITS + 3) {
        *esc = state + 1;
        return ART_FIND_READ;
    }

    *esc = ART_FIND_NO_ESC;
    *c = *value == '+' || *value == '/' || *value == '=' || *value == '\n'
         || *value == '\r' ? (int) *value : 0;

    return ART_FIND_READ | ART_FIND_READY;
}


/* The character of a short escape; any other byte is not read. */

static unsigned
art_find_escaped(uint8_t byte, int *c)
{
    *c = 0;

    switch (byte) {

    case '/':
        *c = '/';
        break;

    case 'n':
        *c = '\n';
        break;

    case 'r':
        *c = '\r';
        break;

    case 'b':
    case 'f':
    case 't':
        break;

    default:
        return ART_FIND_READY;
    }

    return ART_FIND_READ | ART_FIND_READY;
}


size_t
art_find_span(const uint8_t *p, size_t len, unsigned alphabets)
{
    size_t  i;

    i = 0;

#ifdef ART_SIMD_X86

    if (len >= 16 && art_simd_level() != ART_SIMD_NONE) {
        unsigned  set;

        set = 0x07u | (alphabets & ART_FIND_PLAIN ? 0x08u : 0)
              | (alphabets & ART_FIND_SAFE ? 0x30u : 0);

        i = art_simd_level() >= ART_SIMD_AVX2
            ? art_find_span_avx2(p, len, set)
            : art_find_span_ssse3(p, len, set);
    }

#endif

    while (i < len && (art_char_alnum(p[i])
                       || (art_find_alphabets(p[i]) & alphabets) != 0))
    {
        i++;
    }

    return i;
}


size_t
art_find_breaker(const uint8_t *p, size_t i, size_t len)
{
    int       c;
    size_t    n;
    unsigned  esc, value;

    /* in most texts, that is a space */

    for (n = len; n > i; n--) {
        if (p[n - 1] == ' ') {
            return n;
        }
    }

    while (len > i) {
        esc = ART_FIND_NO_ESC;

        if ((art_find_lex(&esc, &value, p[--len], &c) & ART_FIND_READY)
            && c == 0)
        {
            return len + 1;
        }
    }

    return i;
}


size_t
art_find_colon(const uint8_t *p, size_t i, size_t len)
{
    const uint8_t  *colon;

#ifdef ART_SIMD_X86

    if (len - i > 32 && art_simd_level() >= ART_SIMD_AVX2) {
        i = art_find_colon_avx2(p, i, len);
    }

#endif

    while ((colon = memchr(p + i, ':', len - i)) != NULL) {

        if (colon > p + i && colon[-1] == 't') {
            return (size_t) (colon - p) - 1;
        }

        i = (size_t) (colon - p) + 1;
    }

    return i < len && p[len - 1] == 't' ? len - 1 : len;
}


size_t
art_find_hint(const uint8_t *p, size_t i, size_t len, unsigned within)
{
#ifdef ART_SIMD_X86

    if (len - i >= 18 && art_simd_level() != ART_SIMD_NONE) {
        i = art_simd_level() >= ART_SIMD_AVX2
            ? art_find_hint_avx2(p, i, len, within)
            : art_find_hint_ssse3(p, i, len, within);
    }

#else
    (void) within;
#endif

    return art_find_hint_scalar(p, i, len);
}


static size_t
art_find_hint_scalar(const uint8_t *p, size_t i, size_t len)
{
    int  bits;

    for ( ; i < len; i++) {
        bits = art_find_bits(0, p[i]);

        if (bits != 0 && i + 1 < len) {
            bits &= art_find_bits(1, p[i + 1]);

            if (bits != 0 && i + 2 < len) {
                bits &= art_find_bits(2, p[i + 2]);
            }
        }

        if (bits != 0) {
            break;
        }
    }

    return i;
}


#ifdef ART_SIMD_X86

#define art_find_load128(p)                                                  \
    _mm_loadu_si128((const __m128i *) (const void *) (p))
#define art_find_load256(p)                                                  \
    _mm256_loadu_si256((const __m256i *) (const void *) (p))


/* The bits of the bytes; 0 for those of 0x80 and above. */

art_target_ssse3
static inline __m128i
art_find_class128(__m128i v, __m128i low, __m128i high)
{
    return _mm_and_si128(_mm_shuffle_epi8(low, v),
                         _mm_shuffle_epi8(high,
                                  _mm_and_si128(_mm_srli_epi16(v, 4),
                                                _mm_set1_epi8(0x0f))));
}


art_target_avx2
static inline __m256i
art_find_class256(__m256i v, __m256i low, __m256i high)
{
    return _mm256_and_si256(_mm256_shuffle_epi8(low, v),
                            _mm256_shuffle_epi8(high,
                                  _mm256_and_si256(_mm256_srli_epi16(v, 4),
                                                   _mm256_set1_epi8(0x0f))));
}


/* Whole blocks; the portable code finds the place in the next one. */

art_target_ssse3
static size_t
art_find_span_ssse3(const uint8_t *p, size_t len, unsigned set)
{
    int            mask;
    size_t         i;
    __m128i        v;
    const __m128i  low = _mm_setr_epi8(ART_FIND_LOW);
    const __m128i  high = _mm_setr_epi8(ART_FIND_HIGH);
    const __m128i  bits = _mm_set1_epi8((char) set);

    for (i = 0; len - i >= 16; i += 16) {
        v = art_find_class128(art_find_load128(p + i), low, high);
        v = _mm_cmpeq_epi8(_mm_and_si128(v, bits), _mm_setzero_si128());
        mask = _mm_movemask_epi8(v);

        if (mask != 0) {
            return i + (size_t) __builtin_ctz((unsigned) mask);
        }
    }

    return i;
}


art_target_avx2
static size_t
art_find_span_avx2(const uint8_t *p, size_t len, unsigned set)
{
    int            mask;
    size_t         i;
    __m256i        v;
    const __m256i  low = _mm256_setr_epi8(ART_FIND_LOW, ART_FIND_LOW);
    const __m256i  high = _mm256_setr_epi8(ART_FIND_HIGH, ART_FIND_HIGH);
    const __m256i  bits = _mm256_set1_epi8((char) set);

    for (i = 0; len - i >= 32; i += 32) {
        v = art_find_class256(art_find_load256(p + i), low, high);
        v = _mm256_cmpeq_epi8(_mm256_and_si256(v, bits),
                              _mm256_setzero_si256());
        mask = _mm256_movemask_epi8(v);

        if (mask != 0) {
            return i + (size_t) __builtin_ctz((unsigned) mask);
        }
    }

    return i;
}


/* The first one, or where the portable code goes on. */

art_target_avx2
static size_t
art_find_colon_avx2(const uint8_t *p, size_t i, size_t len)
{
    int            mask;
    __m256i        v, w;
    const __m256i  t = _mm256_set1_epi8('t');
    const __m256i  colon = _mm256_set1_epi8(':');

#define art_find_pairs(i)                                                    \
    _mm256_and_si256(_mm256_cmpeq_epi8(art_find_load256(p + (i)), t),        \
                     _mm256_cmpeq_epi8(art_find_load256(p + (i) + 1), colon))

    for ( ; len - i > 64; i += 64) {
        v = art_find_pairs(i);
        w = art_find_pairs(i + 32);

        if (_mm256_movemask_epi8(_mm256_or_si256(v, w)) != 0) {
            break;
        }
    }

    for ( ; len - i > 32; i += 32) {
        mask = _mm256_movemask_epi8(art_find_pairs(i));

        if (mask != 0) {
            return i + (size_t) __builtin_ctz((unsigned) mask);
        }
    }

    return i;
}


/*
 * Whole blocks that two more bytes follow.  In base64 many places look like a
 * beginning, most of them behind a letter or digit.  Those cannot be one unless
 * the letter belongs to an escape, so without a backslash nearby they are
 * passed over.
 */

/*
 * Of the positions in "mask" those that are not in "words", but if "within" is
 * set also those where a stand-in may begin.
 */

static int
art_find_outside(const uint8_t *p, unsigned mask, unsigned words,
    unsigned within)
{
    unsigned        hits, n;
    const uint8_t  *at;

    static const char  heads[][4] = {
        "iVB", "/9j", "_9j", "R0l", "Ukl", "JVB", "SUQ", "AAA"
    };

    hits = within ? mask & words : 0;
    mask &= ~words;

    for ( /* void */ ; hits != 0; hits &= hits - 1) {
        at = p + __builtin_ctz(hits);

        for (n = 0; n < sizeof(heads) / sizeof(heads[0]); n++) {
            if (memcmp(at, heads[n], 3) == 0) {
                mask |= hits & -hits;
                break;
            }
        }
    }

    return (int) mask;
}


art_target_ssse3
static size_t
art_find_hint_ssse3(const uint8_t *p, size_t i, size_t len,
    unsigned within)
{
    int            mask, words, near, slashes;
    __m128i        v, bits;
    const __m128i  zero = _mm_setzero_si128();
    const __m128i  slash = _mm_set1_epi8('\\');
    const __m128i  letters = _mm_set1_epi8(0x07);
    const __m128i  low = _mm_setr_epi8(ART_FIND_LOW);
    const __m128i  low1 = _mm_setr_epi8(ART_FIND_LOW1);
    const __m128i  low2 = _mm_setr_epi8(ART_FIND_LOW2);
    const __m128i  low3 = _mm_setr_epi8(ART_FIND_LOW3);
    const __m128i  high = _mm_setr_epi8(ART_FIND_HIGH);
    const __m128i  high1 = _mm_setr_epi8(ART_FIND_HIGH1);
    const __m128i  high2 = _mm_setr_epi8(ART_FIND_HIGH2);
    const __m128i  high3 = _mm_setr_epi8(ART_FIND_HIGH3);

    near = -1;

    for ( ; len - i >= 18; i += 16) {
        v = art_find_load128(p + i);
        slashes = _mm_movemask_epi8(_mm_cmpeq_epi8(v, slash));

        bits = art_find_class128(v, low1, high1);
        v = art_find_load128(p + i + 1);
        bits = _mm_and_si128(bits, art_find_class128(v, low2, high2));
        v = art_find_load128(p + i + 2);
        bits = _mm_and_si128(bits, art_find_class128(v, low3, high3));

        /* the first byte has none before it: near is set */

        v = art_find_class128(art_find_load128(p + i - (i > 0)), low, high);
        v = _mm_cmpeq_epi8(_mm_and_si128(v, letters), zero);
        words = ~_mm_movemask_epi8(v);

        mask = _mm_movemask_epi8(_mm_cmpeq_epi8(bits, zero)) ^ 0xffff;

        if (mask != 0 && near == 0 && slashes == 0) {
            words &= ~_mm_movemask_epi8(bits);
            mask = art_find_outside(p + i, (unsigned) mask, (unsigned) words,
                                    within);
        }

        if (mask != 0) {
            return i + (size_t) __builtin_ctz((unsigned) mask);
        }

        near = slashes;
    }

    return i;
}


art_target_avx2
static size_t
art_find_hint_avx2(const uint8_t *p, size_t i, size_t len,
    unsigned within)
{
    int            mask, words, near, slashes;
    __m256i        v, bits;
    const __m256i  zero = _mm256_setzero_si256();
    const __m256i  slash = _mm256_set1_epi8('\\');
    const __m256i  letters = _mm256_set1_epi8(0x07);
    const __m256i  low = _mm256_setr_epi8(ART_FIND_LOW, ART_FIND_LOW);
    const __m256i  low1 = _mm256_setr_epi8(ART_FIND_LOW1, ART_FIND_LOW1);
    const __m256i  low2 = _mm256_setr_epi8(ART_FIND_LOW2, ART_FIND_LOW2);
    const __m256i  low3 = _mm256_setr_epi8(ART_FIND_LOW3, ART_FIND_LOW3);
    const __m256i  high = _mm256_setr_epi8(ART_FIND_HIGH, ART_FIND_HIGH);
    const __m256i  high1 = _mm256_setr_epi8(ART_FIND_HIGH1, ART_FIND_HIGH1);
    const __m256i  high2 = _mm256_setr_epi8(ART_FIND_HIGH2, ART_FIND_HIGH2);
    const __m256i  high3 = _mm256_setr_epi8(ART_FIND_HIGH3, ART_FIND_HIGH3);

    near = -1;

    for ( ; len - i >= 34; i += 32) {
        v = art_find_load256(p + i);
        slashes = _mm256_movemask_epi8(_mm256_cmpeq_epi8(v, slash));

        bits = art_find_class256(v, low1, high1);
        v = art_find_load256(p + i + 1);
        bits = _mm256_and_si256(bits, art_find_class256(v, low2, high2));
        v = art_find_load256(p + i + 2);
        bits = _mm256_and_si256(bits, art_find_class256(v, low3, high3));

        /* the first byte has none before it: near is set */

        v = art_find_class256(art_find_load256(p + i - (i > 0)), low, high);
        v = _mm256_cmpeq_epi8(_mm256_and_si256(v, letters), zero);
        words = ~_mm256_movemask_epi8(v);

        mask = ~_mm256_movemask_epi8(_mm256_cmpeq_epi8(bits, zero));

        if (mask != 0 && near == 0 && slashes == 0) {
            words &= ~_mm256_movemask_epi8(bits);
            mask = art_find_outside(p + i, (unsigned) mask, (unsigned) words,
                                    within);
        }

        if (mask != 0) {
            return i + (size_t) __builtin_ctz((unsigned) mask);
        }

        near = slashes;
    }

    return i;
}

#endif
