
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_simd.h"
#include "core/json/art_json_skip.h"

#ifdef ART_SIMD_X86
#include <immintrin.h>
#endif


#ifdef ART_SIMD_X86
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
    const uint8_t  *near;

    /* most strings are short */

    near = end - p > 16 ? p + 16 : end;
    p = art_skip_plain(p, near);

    if (p < near && *p != '\\') {
        return p;
    }

#ifdef ART_SIMD_X86
    if (end - p >= 64 && art_simd_level() >= ART_SIMD_AVX2) {
        p = art_skip_avx2(p, end);
    }
#endif

    return art_skip_plain(p, end);
}


#ifdef ART_SIMD_X86

#define art_inline  static inline __attribute__((always_inline))


/* Of 64 bytes, a bit for each. */

typedef struct {
    uint64_t  quotes;
    uint64_t  slashes;
    uint64_t  letters;           /* one of "\\/fnrt" */
    uint64_t  escaped;
    unsigned  controls;          /* whether there are any */
} art_skip_t;


/*
 * Which bytes are escaped: those after an odd number of backslashes.  If each
 * odd place has a one, the difference borrows from the end of a run of them,
 * and shows the parity of its length (J. Keiser's way in simdjson).  "before"
 * is bit 0 of the result; *next is bit 0 for the bytes after.
 */

art_inline uint64_t
art_skip_escaped(uint64_t slashes, uint64_t before, uint64_t *next)
{
    uint64_t        first, codes;
    const uint64_t  odd = UINT64_C(0xaaaaaaaaaaaaaaaa);

    first = slashes & ~before;
    codes = ((first << 1 | odd) - first) ^ odd;
    *next = (codes & slashes) >> 63;

    return codes ^ (slashes | before);
}


/* Whether anything is to be examined: just quotes and letters are escaped. */

#define art_skip_is_odd(at)                                                   \
    ((((at)->quotes ^ (at)->escaped) & ~(at)->letters) | (at)->controls)


/* The first of "n" bytes to be examined, from -1 on, or "n". */

static int
art_skip_stop(const uint8_t *p, int n, const art_skip_t *at)
{
    int       i;
    uint64_t  stop, rest;

    stop = at->quotes & ~at->escaped;
    rest = at->escaped & ~at->quotes & ~at->letters;

    for (i = 0; at->controls && i < n; i++) {
        stop |= (uint64_t) (p[i] < ' ') << i;
    }

    for ( /* void */ ; rest != 0; rest &= rest - 1) {
        i = __builtin_ctzll(rest);

        if (p[i] != 'b') {

            if (i == 0) {
                return -1;
            }

            stop |= (uint64_t) 1 << (i - 1);
            break;
        }
    }

    return stop != 0 ? __builtin_ctzll(stop) : n;
}


art_target_avx2
art_inline void
art_skip_load(art_skip_t *at, const uint8_t *p)
{
    __m256i        a, b, c, d;
    const __m256i  last = _mm256_set1_epi8(0x1f);

    /* by the lower four bits */

    const __m256i  letters = _mm256_setr_epi8(
                       -1, 0, 'r', 0, 't', 0, 'f', 0,
                       0, 0, 0, 0, '\\', 0, 'n', '/',
                       -1, 0, 'r', 0, 't', 0, 'f', 0,
                       0, 0, 0, 0, '\\', 0, 'n', '/');

#define art_skip_mask(x, y)                                                   \
    ((uint64_t) (unsigned) _mm256_movemask_epi8(_mm256_cmpeq_epi8(a, x))      \
     | (uint64_t) (unsigned) _mm256_movemask_epi8(_mm256_cmpeq_epi8(b, y))    \
       << 32)

#define art_skip_equal(c)                                                     \
    art_skip_mask(_mm256_set1_epi8(c), _mm256_set1_epi8(c))

    a = _mm256_loadu_si256((const __m256i *) (const void *) p);
    b = _mm256_loadu_si256((const __m256i *) (const void *) (p + 32));

    at->quotes = art_skip_equal('"');
    at->slashes = art_skip_equal('\\');
    at->letters = art_skip_mask(_mm256_shuffle_epi8(letters, a),
                                _mm256_shuffle_epi8(letters, b));

    c = _mm256_min_epu8(a, b);
    d = _mm256_cmpeq_epi8(_mm256_min_epu8(c, last), c);
    at->controls = (unsigned) _mm256_movemask_epi8(d);
}


/* Of 64 bytes at least: the last ones are read with some before them. */

art_target_avx2
static const uint8_t *
art_skip_avx2(const uint8_t *p, const uint8_t *end)
{
    int             n, i;
    uint64_t        carry, next;
    art_skip_t      at;
    const uint8_t  *last;

    last = end - 64;
    memset(&at, 0, sizeof(at));

    for (next = 0; /* void */; p += i) {

        for (carry = next; p <= last; p += 64, carry = next) {
            art_skip_load(&at, p);
            at.escaped = art_skip_escaped(at.slashes, carry, &next);

            if (art_skip_is_odd(&at)) {
                break;
            }
        }

        n = end - p < 64 ? (int) (end - p) : 64;

        if (n == 0) {
            return p - carry;
        }

        if (n < 64) {
            art_skip_load(&at, p + n - 64);
            at.quotes >>= 64 - n;
            at.letters >>= 64 - n;
            at.slashes >>= 64 - n;
            at.escaped = art_skip_escaped(at.slashes, carry, &next);
            next = at.escaped >> n & 1;
            at.escaped ^= next << n;

            if (!art_skip_is_odd(&at)) {
                return end - next;
            }
        }

        i = art_skip_stop(p, n, &at);

        if (i < n) {

            if (end - p - i < 6 || !art_skip_unicode(p + i)) {
                return p + i;
            }

            i += 6;
            next = 0;
        }
    }
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
