
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_simd.h"
#include "core/text/art_base64.h"

#ifdef ART_SIMD_X86
#include <immintrin.h>
#endif


/* White space, padding, anything else. */

#define S  64
#define P  65
#define X  66


/* Encodes n whole groups: reads exactly n * 3 bytes, writes n * 4. */

typedef void (*art_base64_groups_pt)(uint8_t *dst, const uint8_t *src,
    size_t n);


/*
 * Decodes whole groups from the beginning of n of them, which are all digits;
 * returns their number, at most n.  A scalar loop goes on where it has stopped.
 */

typedef size_t (*art_base64_digits_pt)(uint8_t *dst, const uint8_t *src,
    size_t n);


static void art_base64_group(uint8_t *dst, const uint8_t *src, size_t n,
    const char *alphabet);
static void art_base64_scalar(uint8_t *dst, const uint8_t *src, size_t n);
static size_t art_base64_decode_scalar(uint8_t *dst, const uint8_t *src,
    size_t n);
static void art_base64_decode_one(art_base64_decode_t *st, uint8_t **dst,
    uint8_t c);

#ifdef ART_SIMD_X86
static void art_base64_ssse3(uint8_t *dst, const uint8_t *src, size_t n);
static void art_base64_avx2(uint8_t *dst, const uint8_t *src, size_t n);
static size_t art_base64_decode_avx2(uint8_t *dst, const uint8_t *src,
    size_t n);
#endif

#ifdef art_target_avx512
static void art_base64_avx512(uint8_t *dst, const uint8_t *src, size_t n);
static size_t art_base64_decode_avx512(uint8_t *dst, const uint8_t *src,
    size_t n);
#endif


static const char  art_base64_alphabet[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static const char  art_base64url_alphabet[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";


/* The values of the digits of both alphabets. */

static const uint8_t  art_base64_digits[128] = {
     X,  X,  X,  X,  X,  X,  X,  X,  X,  S,  S,  X,  X,  S,  X,  X,
     X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X,
     S,  X,  X,  X,  X,  X,  X,  X,  X,  X,  X, 62,  X, 62,  X, 63,
    52, 53, 54, 55, 56, 57, 58, 59, 60, 61,  X,  X,  X,  P,  X,  X,
     X,  0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14,
    15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,  X,  X,  X,  X, 63,
     X, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
    41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51,  X,  X,  X,  X,  X
};


#define art_base64_digit(c)  ((c) < 128 ? art_base64_digits[c] : X)


static const art_base64_groups_pt  art_base64_impls[ART_SIMD_LEVELS] = {
#ifdef ART_SIMD_X86
    [ART_SIMD_SSSE3] = art_base64_ssse3,
    [ART_SIMD_AVX2] = art_base64_avx2,
#endif
#ifdef art_target_avx512
    [ART_SIMD_AVX512] = art_base64_avx512,
#endif
    [ART_SIMD_NONE] = art_base64_scalar
};


static const art_base64_digits_pt  art_base64_decoders[ART_SIMD_LEVELS] = {
    [ART_SIMD_SSSE3] = art_base64_decode_scalar,
#ifdef ART_SIMD_X86
    [ART_SIMD_AVX2] = art_base64_decode_avx2,
#endif
#ifdef art_target_avx512
    [ART_SIMD_AVX512] = art_base64_decode_avx512,
#endif
    [ART_SIMD_NONE] = art_base64_decode_scalar
};


size_t
art_base64_update(art_base64_t *st, uint8_t *dst, size_t room,
    const uint8_t **src, size_t *len)
{
    size_t          n, written;
    const uint8_t  *p;

    p = *src;
    written = 0;

    if (st->n > 0 && st->n + *len >= 3) {
        if (room < 4) {
            return 0;
        }

        n = 3 - st->n;
        memcpy(st->hold + st->n, p, n);
        art_base64_group(dst, st->hold, 3, art_base64_alphabet);

        st->n = 0;
        p += n;
        *len -= n;
        written = 4;
    }

    n = *len / 3 < (room - written) / 4 ? *len / 3 : (room - written) / 4;

    if (n > 0) {
        art_base64_impls[art_simd_level()](dst + written, p, n);

        p += n * 3;
        *len -= n * 3;
        written += n * 4;
    }

    /* less than a group is left: no output yet */

    if (*len > 0 && st->n + *len < 3) {
        memcpy(st->hold + st->n, p, *len);
        st->n += (unsigned) *len;
        p += *len;
        *len = 0;
    }

    *src = p;

    return written;
}


size_t
art_base64_final(art_base64_t *st, uint8_t *dst, size_t room)
{
    if (st->n == 0 || room < 4) {
        return 0;
    }

    memset(dst, '=', 4);
    art_base64_group(dst, st->hold, st->n, art_base64_alphabet);

    st->n = 0;

    return 4;
}


/* Writes the n + 1 characters of n bytes, 1 to 3. */

static void
art_base64_group(uint8_t *dst, const uint8_t *src, size_t n,
    const char *alphabet)
{
    size_t    i;
    uint32_t  bits;

    bits = (uint32_t) src[0] << 16;

    if (n > 1) {
        bits |= (uint32_t) src[1] << 8;
    }

    if (n > 2) {
        bits |= src[2];
    }

    for (i = 0; i <= n; i++) {
        dst[i] = (uint8_t) alphabet[bits >> 18 & 0x3f];
        bits <<= 6;
    }
}


static void
art_base64_scalar(uint8_t *dst, const uint8_t *src, size_t n)
{
    uint64_t     bits;
    const char  *a;

    a = art_base64_alphabet;

    /* two groups at a time: a wide load and a short one take their 6 bytes */

    for ( ; n >= 2; n -= 2) {
        bits = (uint64_t) src[0] << 40 | (uint64_t) src[1] << 32
               | (uint64_t) src[2] << 24 | (uint64_t) src[3] << 16
               | (uint64_t) src[4] << 8 | src[5];

        dst[0] = (uint8_t) a[bits >> 42];
        dst[1] = (uint8_t) a[bits >> 36 & 0x3f];
        dst[2] = (uint8_t) a[bits >> 30 & 0x3f];
        dst[3] = (uint8_t) a[bits >> 24 & 0x3f];
        dst[4] = (uint8_t) a[bits >> 18 & 0x3f];
        dst[5] = (uint8_t) a[bits >> 12 & 0x3f];
        dst[6] = (uint8_t) a[bits >> 6 & 0x3f];
        dst[7] = (uint8_t) a[bits & 0x3f];

        src += 6;
        dst += 8;
    }

    if (n > 0) {
        art_base64_group(dst, src, 3, a);
    }
}


#ifdef ART_SIMD_X86

/*
 * The vector method is that of W. Mula and D. Lemire, "Faster Base64 Encoding
 * and Decoding Using AVX2 Instructions" (2018).  A shuffle puts the bytes a, b,
 * c of each group into a 32-bit lane as b a c b; then one multiplication
 * shifts the first and third sextet right into place, and another shifts the
 * second and fourth left.  The sextets become characters by adding an offset
 * that depends only on their range:
 *
 *     sextet     0-25  26-51   52 .. 61    62    63
 *     selector      0      1    2 .. 11    12    13
 *
 * The selector is sextet - 51, saturated at 0, plus 1 if sextet is above 25.
 */

#define art_base64_offsets                                                   \
    'A', 'a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,         \
    '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '+' - 62, '/' - 63,    \
    0, 0

#define art_base64_spread  1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10


art_target_ssse3
static void
art_base64_ssse3(uint8_t *dst, const uint8_t *src, size_t n)
{
    __m128i        v, hi, lo, sel;
    const __m128i  offsets = _mm_setr_epi8(art_base64_offsets);
    const __m128i  spread = _mm_setr_epi8(art_base64_spread);

    /* each step reads 16 bytes for its four groups: two groups must follow */

    for ( ; n >= 6; n -= 4) {
        v = _mm_loadu_si128((const __m128i *) (const void *) src);
        v = _mm_shuffle_epi8(v, spread);

        hi = _mm_and_si128(v, _mm_set1_epi32(0x0fc0fc00));
        hi = _mm_mulhi_epu16(hi, _mm_set1_epi32(0x04000040));
        lo = _mm_and_si128(v, _mm_set1_epi32(0x003f03f0));
        lo = _mm_mullo_epi16(lo, _mm_set1_epi32(0x01000010));
        v = _mm_or_si128(hi, lo);

        sel = _mm_subs_epu8(v, _mm_set1_epi8(51));
        sel = _mm_sub_epi8(sel, _mm_cmpgt_epi8(v, _mm_set1_epi8(25)));
        v = _mm_add_epi8(v, _mm_shuffle_epi8(offsets, sel));

        _mm_storeu_si128((__m128i *) (void *) dst, v);

        src += 12;
        dst += 16;
    }

    art_base64_scalar(dst, src, n);
}


art_target_avx2
static void
art_base64_avx2(uint8_t *dst, const uint8_t *src, size_t n)
{
    __m128i        high;
    __m256i        v, hi, lo, sel;
    const __m256i  offsets = _mm256_setr_epi8(art_base64_offsets,
                                              art_base64_offsets);
    const __m256i  spread = _mm256_setr_epi8(art_base64_spread,
                                             art_base64_spread);

    /* each step reads 28 bytes for its eight groups */

    for ( ; n >= 10; n -= 8) {
        high = _mm_loadu_si128((const __m128i *) (const void *) (src + 12));
        v = _mm256_castsi128_si256(
                      _mm_loadu_si128((const __m128i *) (const void *) src));
        v = _mm256_inserti128_si256(v, high, 1);
        v = _mm256_shuffle_epi8(v, spread);

        hi = _mm256_and_si256(v, _mm256_set1_epi32(0x0fc0fc00));
        hi = _mm256_mulhi_epu16(hi, _mm256_set1_epi32(0x04000040));
        lo = _mm256_and_si256(v, _mm256_set1_epi32(0x003f03f0));
        lo = _mm256_mullo_epi16(lo, _mm256_set1_epi32(0x01000010));
        v = _mm256_or_si256(hi, lo);

        sel = _mm256_subs_epu8(v, _mm256_set1_epi8(51));
        sel = _mm256_sub_epi8(sel,
                              _mm256_cmpgt_epi8(v, _mm256_set1_epi8(25)));
        v = _mm256_add_epi8(v, _mm256_shuffle_epi8(offsets, sel));

        _mm256_storeu_si256((__m256i *) (void *) dst, v);

        src += 24;
        dst += 32;
    }

    art_base64_scalar(dst, src, n);
}

#endif


#ifdef art_target_avx512

/*
 * The method is from the same authors' "Base64 encoding and decoding at almost
 * the speed of a memory copy" (2019).  VBMI has an instruction that takes eight
 * bits from any position of a 64-bit lane, and one that looks up the lower six
 * bits of a byte in a table of 64 bytes.
 */

art_target_avx512
static void
art_base64_avx512(uint8_t *dst, const uint8_t *src, size_t n)
{
    __m512i  v, spread, shifts, alphabet;

    /* the source index of each byte: a group becomes b a c b */

    spread = _mm512_setr_epi32(0x01020001, 0x04050304, 0x07080607, 0x0a0b090a,
                               0x0d0e0c0d, 0x10110f10, 0x13141213, 0x16171516,
                               0x191a1819, 0x1c1d1b1c, 0x1f201e1f, 0x22232122,
                               0x25262425, 0x28292728, 0x2b2c2a2b, 0x2e2f2d2e);
    shifts = _mm512_set1_epi64(0x3036242a1016040a);
    alphabet = _mm512_loadu_si512((const void *) art_base64_alphabet);

    for ( ; n >= 16; n -= 16) {
        v = _mm512_maskz_loadu_epi8(0xffffffffffff, src);
        v = _mm512_permutexvar_epi8(spread, v);
        v = _mm512_multishift_epi64_epi8(shifts, v);
        v = _mm512_permutexvar_epi8(v, alphabet);

        _mm512_storeu_si512((void *) dst, v);

        src += 48;
        dst += 64;
    }

    art_base64_avx2(dst, src, n);
}

#endif


size_t
art_base64_decode(art_base64_decode_t *st, uint8_t *dst, const uint8_t *src,
    size_t len)
{
    size_t          n;
    uint8_t        *out;
    const uint8_t  *end;

    out = dst;
    end = src + len;

    while (src < end && !st->bad) {

        if (st->held == 0 && st->pads == 0 && end - src >= 4) {
            n = art_base64_decoders[art_simd_level()](out, src,
                                                      (size_t) (end - src)
                                                      / 4);
            out += n * 3;
            src += n * 4;
            st->digits += n * 4;
        }

        if (src < end) {
            art_base64_decode_one(st, &out, *src++);
        }
    }

    return (size_t) (out - dst);
}


static size_t
art_base64_decode_scalar(uint8_t *dst, const uint8_t *src, size_t n)
{
    size_t    i;
    uint32_t  a, b, c, d;

    for (i = 0; i < n; i++) {
        a = art_base64_digit(src[0]);
        b = art_base64_digit(src[1]);
        c = art_base64_digit(src[2]);
        d = art_base64_digit(src[3]);

        if (((a | b | c | d) & 64) != 0) {
            break;
        }

        a = a << 18 | b << 12 | c << 6 | d;

        dst[0] = (uint8_t) (a >> 16);
        dst[1] = (uint8_t) (a >> 8);
        dst[2] = (uint8_t) a;

        src += 4;
        dst += 3;
    }

    return i;
}


#ifdef ART_SIMD_X86

/*
 * The way back.  Each range of digits has an offset that leads to their values;
 * no digit is in two of them, and what is in none stops the loop.  Two
 * multiplications join the sextets a, b, c, d of a lane of 32 bits, first to
 * ab and cd, then to abcd, whose three bytes a shuffle turns round.
 */

#define art_base64_among(v, first, last)                                     \
    _mm256_and_si256(_mm256_cmpgt_epi8(v, _mm256_set1_epi8((first) - 1)),    \
                     _mm256_cmpgt_epi8(_mm256_set1_epi8((last) + 1), v))

#define art_base64_is(v, c)  _mm256_cmpeq_epi8(v, _mm256_set1_epi8(c))

#define art_base64_join_first   0x01400140
#define art_base64_join_second  0x00011000

#define art_base64_turned                                                    \
    2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1


art_target_avx2
static size_t
art_base64_decode_avx2(uint8_t *dst, const uint8_t *src, size_t n)
{
    int            i;
    size_t         left;
    __m256i        v, is, all, offset;
    const __m256i  close = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 0, 0);
    const __m256i  turned = _mm256_setr_epi8(art_base64_turned,
                                             art_base64_turned);

    static const char  ranges[][3] = {
        { 'A', 'Z', -'A' }, { 'a', 'z', 26 - 'a' }, { '0', '9', 52 - '0' },
        { '+', '+', 62 - '+' }, { '-', '-', 62 - '-' },
        { '/', '/', 63 - '/' }, { '_', '_', 63 - '_' }
    };

    for (left = n; left >= 8; left -= 8) {
        v = _mm256_loadu_si256((const __m256i *) (const void *) src);
        all = offset = _mm256_setzero_si256();

        for (i = 0; i < 7; i++) {
            is = i < 3 ? art_base64_among(v, ranges[i][0], ranges[i][1])
                       : art_base64_is(v, ranges[i][0]);

            all = _mm256_or_si256(all, is);
            offset = _mm256_or_si256(offset, _mm256_and_si256(is,
                                         _mm256_set1_epi8(ranges[i][2])));
        }

        if (_mm256_movemask_epi8(all) != -1) {
            break;
        }

        v = _mm256_add_epi8(v, offset);
        v = _mm256_maddubs_epi16(v,
                                 _mm256_set1_epi32(art_base64_join_first));
        v = _mm256_madd_epi16(v, _mm256_set1_epi32(art_base64_join_second));
        v = _mm256_shuffle_epi8(v, turned);
        v = _mm256_permutevar8x32_epi32(v, close);

        _mm_storeu_si128((__m128i *) (void *) dst,
                         _mm256_castsi256_si128(v));
        _mm_storel_epi64((__m128i *) (void *) (dst + 16),
                         _mm256_extracti128_si256(v, 1));

        src += 32;
        dst += 24;
    }

    return n - left + art_base64_decode_scalar(dst, src, left);
}

#endif


#ifdef art_target_avx512

/* The table of both alphabets has 128 bytes, which is what VBMI looks up in. */

art_target_avx512
static size_t
art_base64_decode_avx512(uint8_t *dst, const uint8_t *src, size_t n)
{
    size_t   left;
    __m512i  v, low, high, turned, digits;

    low = _mm512_loadu_si512((const void *) art_base64_digits);
    high = _mm512_loadu_si512((const void *) (art_base64_digits + 64));

    /* the source index of each byte: the lower three of a lane, turned round */

    turned = _mm512_setr_epi32(0x06000102, 0x090a0405, 0x0c0d0e08, 0x16101112,
                               0x191a1415, 0x1c1d1e18, 0x26202122, 0x292a2425,
                               0x2c2d2e28, 0x36303132, 0x393a3435, 0x3c3d3e38,
                               0, 0, 0, 0);

    for (left = n; left >= 16; left -= 16) {
        v = _mm512_loadu_si512((const void *) src);
        digits = _mm512_permutex2var_epi8(low, v, high);

        if (_mm512_movepi8_mask(v)
            | _mm512_test_epi8_mask(digits, _mm512_set1_epi8(64)))
        {
            break;
        }

        v = _mm512_maddubs_epi16(digits,
                                 _mm512_set1_epi32(art_base64_join_first));
        v = _mm512_madd_epi16(v, _mm512_set1_epi32(art_base64_join_second));
        v = _mm512_permutexvar_epi8(turned, v);

        _mm512_mask_storeu_epi8(dst, 0xffffffffffff, v);

        src += 64;
        dst += 48;
    }

    return n - left + art_base64_decode_avx2(dst, src, left);
}

#endif


static void
art_base64_decode_one(art_base64_decode_t *st, uint8_t **dst, uint8_t c)
{
    uint8_t  digit;

    digit = art_base64_digit(c);

    if (digit == S) {
        return;
    }

    st->digits++;

    if (digit == P) {
        st->pads++;
        st->bad = st->held < 2 || st->held + st->pads > 4;
        return;
    }

    if (digit == X || st->pads > 0) {
        st->bad = 1;
        return;
    }

    st->bits = st->bits << 6 | digit;

    if (++st->held == 4) {
        *(*dst)++ = (uint8_t) (st->bits >> 16);
        *(*dst)++ = (uint8_t) (st->bits >> 8);
        *(*dst)++ = (uint8_t) st->bits;

        st->held = 0;
    }
}


size_t
art_base64_decode_end(art_base64_decode_t *st, uint8_t *dst)
{
    if (st->held == 1 || (st->pads > 0 && st->held + st->pads != 4)) {
        st->bad = 1;
    }

    if (st->bad || st->held == 0) {
        return 0;
    }

    st->bits <<= 6 * (4 - st->held);

    dst[0] = (uint8_t) (st->bits >> 16);
    dst[1] = (uint8_t) (st->bits >> 8);

    return st->held - 1;
}


int
art_base64_value(uint8_t c)
{
    c = art_base64_digit(c);

    return c < 64 ? c : -1;
}


size_t
art_base64url_encode(uint8_t *dst, const uint8_t *src, size_t len)
{
    size_t    n;
    uint8_t  *d;

    d = dst;

    while (len > 0) {
        n = len < 3 ? len : 3;
        art_base64_group(d, src, n, art_base64url_alphabet);

        d += n + 1;
        src += n;
        len -= n;
    }

    return (size_t) (d - dst);
}


int
art_base64url_decode(uint8_t *dst, size_t *n, const uint8_t *src, size_t len)
{
    size_t               written;
    art_base64_decode_t  st;

    *n = 0;

    if (len > 0 && (memchr(src, '+', len) != NULL
                    || memchr(src, '/', len) != NULL))
    {
        return ART_ERROR;
    }

    memset(&st, 0, sizeof(st));

    written = art_base64_decode(&st, dst, src, len);

    /* no white space, and no bits after the last byte */

    if (st.digits != len
        || (st.held == 2 && (st.bits & 0x0f) != 0)
        || (st.held == 3 && (st.bits & 0x03) != 0))
    {
        return ART_ERROR;
    }

    written += art_base64_decode_end(&st, dst + written);

    if (st.bad) {
        return ART_ERROR;
    }

    *n = written;

    return ART_OK;
}
