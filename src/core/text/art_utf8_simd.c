
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_utf8_int.h"


#ifdef ART_SIMD_X86

#include <immintrin.h>

/*
 * The method is that of J. Keiser and D. Lemire, "Validating UTF-8 In Less
 * Than One Instruction Per Byte" (2021).  Any fault in two adjacent bytes shows
 * in three half-bytes: both of the first byte and the high one of the second.
 * Each fault has a bit.  Three tables tell which faults each half-byte allows;
 * a fault that all three allow is present.  The faults, after table 3-7 of
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
 * which the two bytes before it tell.  This bit is checked against them.
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

/* Above these, a character of the last three bytes goes on after the block. */

#define art_utf8_open  u8(0xef), u8(0xdf), u8(0xbf)
#define art_utf8_full  u8(0xff), u8(0xff), u8(0xff), u8(0xff)

#define art_utf8_load128(p)                                                  \
    _mm_loadu_si128((const __m128i *) (const void *) (p))
#define art_utf8_load256(p)                                                  \
    _mm256_loadu_si256((const __m256i *) (const void *) (p))


static size_t art_utf8_whole(const uint8_t *p, size_t len);


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
size_t
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
size_t
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


/* The offset of the last character if it is not whole, else "len". */

static size_t
art_utf8_whole(const uint8_t *p, size_t len)
{
    size_t   back;
    uint8_t  c;

    for (back = 1; back <= 3 && back <= len; back++) {
        c = p[len - back];

        if (c < 0x80) {
            break;
        }

        if (c >= 0xc0) {
            return back < (c < 0xe0 ? 2U : c < 0xf0 ? 3U : 4U) ? len - back
                                                               : len;
        }
    }

    return len;
}

#endif
