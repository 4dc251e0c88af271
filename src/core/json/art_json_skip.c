
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_simd.h"
#include "core/json/art_json_skip.h"

#ifdef ART_SIMD_X86
#include <immintrin.h>
#endif


#ifdef ART_SIMD_X86

/* 64 bytes, and an escape that begins with the last of them. */

#define ART_SKIP_ROOM  (64 + 6)

#define art_inline  static inline __attribute__((always_inline))


/* One bit for each of 64 bytes. */

typedef struct {
    uint64_t  quotes;
    uint64_t  slashes;
    uint64_t  controls;
    uint64_t  lines;             /* the letter n */
} art_skip_t;


static const uint8_t *art_skip_avx2(const uint8_t *p, const uint8_t *end);
static unsigned art_skip_unicode(const uint8_t *p);

#endif


const uint8_t *
art_skip_plain(const uint8_t *p, const uint8_t *end)
{
#if defined(__SSE2__)
    int            mask;
    __m128i        v, special;
    const __m128i  quote = _mm_set1_epi8('"');
    const __m128i  slash = _mm_set1_epi8('\\');
    const __m128i  last = _mm_set1_epi8(0x1f);

    while (end - p >= 16) {
        v = _mm_loadu_si128((const __m128i *) (const void *) p);

        special = _mm_or_si128(_mm_cmpeq_epi8(v, quote),
                               _mm_cmpeq_epi8(v, slash));
        special = _mm_or_si128(special,
                               _mm_cmpeq_epi8(_mm_min_epu8(v, last), v));
        mask = _mm_movemask_epi8(special);

        if (mask != 0) {
            return p + __builtin_ctz((unsigned) mask);
        }

        p += 16;
    }
#endif

    while (p < end && *p >= 0x20 && *p != '"' && *p != '\\') {
        p++;
    }

    return p;
}


const uint8_t *
art_skip_string(const uint8_t *p, const uint8_t *end)
{
#ifdef ART_SIMD_X86
    if (art_simd_level() >= ART_SIMD_AVX2) {
        p = art_skip_avx2(p, end);
    }
#endif

    return art_skip_plain(p, end);
}


#ifdef ART_SIMD_X86

/*
 * Which bytes are escaped: those after an odd number of backslashes.  Adding a
 * run's first bit carries over the run, and the end of the sum shows the parity
 * of its length (G. Langdale, D. Lemire, "Parsing Gigabytes of JSON per
 * Second", 2019, section 3.1.1).  *carry is bit 0 for the bytes before, then
 * for those after.
 */

art_inline uint64_t
art_skip_escaped(uint64_t slashes, unsigned *carry)
{
    uint64_t            first, even;
    unsigned            before;
    unsigned long long  odd;
    const uint64_t      evens = UINT64_C(0x5555555555555555);

    before = *carry;
    slashes &= ~(uint64_t) before;
    first = slashes & ~(slashes << 1);

    even = (slashes + (first & evens)) & ~slashes;
    *carry = __builtin_uaddll_overflow(slashes, first & ~evens, &odd);

    return (even & ~evens) | (odd & ~slashes & evens) | before;
}


/* The first of 64 bytes to be examined, -1 to 63, or 64. */

art_inline int
art_skip_block(const uint8_t *p, const art_skip_t *at, unsigned *carry)
{
    int       n;
    uint64_t  stop, rest, escaped;

    stop = at->quotes | at->controls;

    if (at->slashes | *carry) {
        escaped = art_skip_escaped(at->slashes, carry);
        stop &= ~escaped;

        for (rest = escaped & ~at->quotes & ~at->slashes & ~at->lines;
             rest != 0;
             rest &= rest - 1)
        {
            n = __builtin_ctzll(rest);

            if (memchr("tr/bf", p[n], 5) == NULL) {

                if (n == 0) {
                    return -1;
                }

                stop |= (uint64_t) 1 << (n - 1);
                break;
            }
        }
    }

    return stop != 0 ? __builtin_ctzll(stop) : 64;
}


art_target_avx2
static const uint8_t *
art_skip_avx2(const uint8_t *p, const uint8_t *end)
{
    int            n;
    __m256i        a, b;
    unsigned       carry;
    art_skip_t     at;
    const __m256i  last = _mm256_set1_epi8(0x1f);

#define art_skip_mask(x, y)                                                   \
    ((uint64_t) (unsigned) _mm256_movemask_epi8(_mm256_cmpeq_epi8(a, x))      \
     | (uint64_t) (unsigned) _mm256_movemask_epi8(_mm256_cmpeq_epi8(b, y))    \
       << 32)

#define art_skip_equal(c)                                                     \
    art_skip_mask(_mm256_set1_epi8(c), _mm256_set1_epi8(c))

    carry = 0;

    while (end - p >= ART_SKIP_ROOM) {
        a = _mm256_loadu_si256((const __m256i *) (const void *) p);
        b = _mm256_loadu_si256((const __m256i *) (const void *) (p + 32));

        at.quotes = art_skip_equal('"');
        at.slashes = art_skip_equal('\\');
        at.lines = art_skip_equal('n');
        at.controls = art_skip_mask(_mm256_min_epu8(a, last),
                                    _mm256_min_epu8(b, last));

        n = art_skip_block(p, &at, &carry);
        p += n;

        if (n == 64) {
            continue;
        }

        if (!art_skip_unicode(p)) {
            return p;
        }

        p += 6;
        carry = 0;
    }

    return p - carry;
}


/* An escape of a code unit. */

static unsigned
art_skip_unicode(const uint8_t *p)
{
    return p[0] == '\\' && p[1] == 'u'
           && art_char_hex(p[2]) >= 0 && art_char_hex(p[3]) >= 0
           && art_char_hex(p[4]) >= 0 && art_char_hex(p[5]) >= 0;
}

#endif
