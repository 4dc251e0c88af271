
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_int.h"


#ifdef ART_SIMD_X86
#include <immintrin.h>
#endif


/* The character after the backslash, for U+0000 to U+001F. */

static const char  art_json_short[] = "uuuuuuuubtnufruuuuuuuuuuuuuuuuuu";


/*
 * The escape of a special byte.  Each level doubles the backslashes below it,
 * and a quote gets one more.  Eight backslashes are always written: that costs
 * less than counting.
 */

size_t
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


#ifdef ART_SIMD_X86

/*
 * A block without a special byte is copied.  In other blocks, control
 * characters with a short escape become their letters, and a backslash is put
 * in front of each byte; then, for each eight bytes, a shuffle removes the
 * needless backslashes.  The bits of the special bytes select the shuffle from
 * a table.  No branch depends on the position of special bytes.  Level 2
 * applies level 1 to its own result.  Only a control character without a short
 * escape ends a block early.
 */

#define art_inline  static inline __attribute__((always_inline))

#define art_json_load128(p)                                                  \
    _mm_loadu_si128((const __m128i *) (const void *) (p))
#define art_json_load256(p)                                                  \
    _mm256_loadu_si256((const __m256i *) (const void *) (p))

#define art_json_popcount(mask)  ((size_t) __builtin_popcountll(mask))

/* The letters of \b \t \n \f \r; 0 where there is no short escape. */

#define art_json_letters                                                     \
    0, 0, 0, 0, 0, 0, 0, 0, 'b', 't', 'n', 0, 'f', 'r', 0, 0

/* The most that a block of n bytes and the unit after it may write. */

#define art_json_room(n, level)  (((size_t) (n) << (level)) + 16)


/*
 * For each set of special bytes among eight: the indexes of the bytes to keep
 * among pairs of backslash and byte, both of a pair or only the second.
 */

#define art_json_keep0(i)  2 * i + 1
#define art_json_keep1(i)  2 * i, 2 * i + 1

#define art_json_row(b7, b6, b5, b4, b3, b2, b1, b0)                         \
    { art_json_keep##b0(0), art_json_keep##b1(1), art_json_keep##b2(2),      \
      art_json_keep##b3(3), art_json_keep##b4(4), art_json_keep##b5(5),      \
      art_json_keep##b6(6), art_json_keep##b7(7) }

#define art_json_rows2(...)                                                  \
    art_json_row(__VA_ARGS__, 0, 0), art_json_row(__VA_ARGS__, 0, 1),        \
    art_json_row(__VA_ARGS__, 1, 0), art_json_row(__VA_ARGS__, 1, 1)

#define art_json_rows4(...)                                                  \
    art_json_rows2(__VA_ARGS__, 0, 0), art_json_rows2(__VA_ARGS__, 0, 1),    \
    art_json_rows2(__VA_ARGS__, 1, 0), art_json_rows2(__VA_ARGS__, 1, 1)

#define art_json_rows6(...)                                                  \
    art_json_rows4(__VA_ARGS__, 0, 0), art_json_rows4(__VA_ARGS__, 0, 1),    \
    art_json_rows4(__VA_ARGS__, 1, 0), art_json_rows4(__VA_ARGS__, 1, 1)

static const uint8_t  art_json_keep[256][16]
    __attribute__((aligned(16))) =
{
    art_json_rows6(0, 0), art_json_rows6(0, 1),
    art_json_rows6(1, 0), art_json_rows6(1, 1)
};


/* Writes eight pairs of backslash and byte, with the backslashes in "mask". */

art_target_ssse3
art_inline uint8_t *
art_json_store8(uint8_t *d, __m128i pairs, unsigned mask)
{
    __m128i  keep;

    keep = _mm_load_si128((const __m128i *) (const void *)
                          art_json_keep[mask]);

    _mm_storeu_si128((__m128i *) (void *) d, _mm_shuffle_epi8(pairs, keep));

    return d + 8 + art_json_popcount(mask);
}


/* The same, with the result (8 to 16 bytes) escaped once more. */

art_target_ssse3
art_inline uint8_t *
art_json_store8_twice(uint8_t *d, __m128i pairs, unsigned mask)
{
    size_t         n;
    __m128i        v, special;
    unsigned       again;
    const __m128i  slash = _mm_set1_epi8('\\');

    v = _mm_shuffle_epi8(pairs, _mm_load_si128((const __m128i *)
                                   (const void *) art_json_keep[mask]));
    n = 8 + art_json_popcount(mask);

    special = _mm_or_si128(_mm_cmpeq_epi8(v, slash),
                           _mm_cmpeq_epi8(v, _mm_set1_epi8('"')));
    again = (unsigned) _mm_movemask_epi8(special) & ((1U << n) - 1);

    d = art_json_store8(d, _mm_unpacklo_epi8(slash, v), again & 0xff);

    return art_json_store8(d, _mm_unpackhi_epi8(slash, v), again >> 8) + n - 16;
}


/* Writes sixteen bytes whose control characters have become letters. */

art_target_ssse3
art_inline uint8_t *
art_json_store16(uint8_t *d, __m128i v, unsigned mask, unsigned level)
{
    const __m128i  slash = _mm_set1_epi8('\\');

    if (level == 1) {
        d = art_json_store8(d, _mm_unpacklo_epi8(slash, v), mask & 0xff);
        return art_json_store8(d, _mm_unpackhi_epi8(slash, v), mask >> 8);
    }

    d = art_json_store8_twice(d, _mm_unpacklo_epi8(slash, v), mask & 0xff);
    return art_json_store8_twice(d, _mm_unpackhi_epi8(slash, v), mask >> 8);
}


/*
 * Ends a block.  All of its "n" bytes have been written up to "end".  But if
 * one of them, in "bare", has no short escape, the output from there on does
 * not count, and its long escape follows.
 */

art_target_ssse3
art_inline void
art_json_block_end(art_json_io_t *io, uint8_t *end, size_t n, uint64_t bare,
    uint64_t special, uint64_t control, unsigned level)
{
    uint64_t  before;

    if (bare) {
        n = (size_t) __builtin_ctzll(bare);
        before = special & (((uint64_t) 1 << n) - 1);

        end = io->dst + n + art_json_popcount(before) * level;

        if (level == 2) {
            end += art_json_popcount(before & ~control);
        }

        end += art_json_unit(end, io->src[n++], level);
    }

    io->room -= (size_t) (end - io->dst);
    io->dst = end;
    io->src += n;
    io->len -= n;
}


art_target_ssse3
art_inline void
art_json_ssse3(art_json_io_t *to, unsigned level)
{
    __m128i        v, control, special, letters;
    uint8_t       *end;
    unsigned       mask, bare;
    art_json_io_t  io;
    const __m128i  names = _mm_setr_epi8(art_json_letters);
    const __m128i  quote = _mm_set1_epi8('"');
    const __m128i  slash = _mm_set1_epi8('\\');
    const __m128i  last = _mm_set1_epi8(0x1f);

    /* a copy: for the compiler, the output might alias *to */

    io = *to;

    while (io.len >= 16 && io.room >= art_json_room(16, level)) {
        v = art_json_load128(io.src);

        control = _mm_cmpeq_epi8(_mm_min_epu8(v, last), v);
        special = _mm_or_si128(_mm_cmpeq_epi8(v, quote),
                               _mm_cmpeq_epi8(v, slash));
        special = _mm_or_si128(special, control);
        mask = (unsigned) _mm_movemask_epi8(special);

        if (mask == 0) {
            _mm_storeu_si128((__m128i *) (void *) io.dst, v);
            art_json_block_end(&io, io.dst + 16, 16, 0, 0, 0, level);
            continue;
        }

        /* the addition sets the high bit of 0x10 and above: no letter */

        letters = _mm_shuffle_epi8(names,
                                   _mm_adds_epu8(v, _mm_set1_epi8(0x70)));
        v = _mm_or_si128(_mm_andnot_si128(control, v), letters);
        bare = (unsigned) _mm_movemask_epi8(
                                  _mm_cmpeq_epi8(v, _mm_setzero_si128()));

        end = art_json_store16(io.dst, v, mask, level);

        art_json_block_end(&io, end, 16, bare, mask,
                           (unsigned) _mm_movemask_epi8(control), level);
    }

    *to = io;
}


art_target_ssse3
void
art_json_blocks_ssse3(art_json_io_t *io, unsigned level)
{
    if (level == 1) {
        art_json_ssse3(io, 1);

    } else {
        art_json_ssse3(io, 2);
    }
}


/* Twice as many bytes at a time; this does not pay for level 2. */

art_target_avx2
void
art_json_blocks_avx2(art_json_io_t *to)
{
    __m256i        v, control, special, letters;
    uint8_t       *end;
    unsigned       mask, bare;
    art_json_io_t  io;
    const __m256i  names = _mm256_setr_epi8(art_json_letters,
                                            art_json_letters);
    const __m256i  quote = _mm256_set1_epi8('"');
    const __m256i  slash = _mm256_set1_epi8('\\');
    const __m256i  last = _mm256_set1_epi8(0x1f);

    io = *to;

    while (io.len >= 32 && io.room >= art_json_room(32, 1)) {
        v = art_json_load256(io.src);

        control = _mm256_cmpeq_epi8(_mm256_min_epu8(v, last), v);
        special = _mm256_or_si256(_mm256_cmpeq_epi8(v, quote),
                                  _mm256_cmpeq_epi8(v, slash));
        special = _mm256_or_si256(special, control);
        mask = (unsigned) _mm256_movemask_epi8(special);

        if (mask == 0) {
            _mm256_storeu_si256((__m256i *) (void *) io.dst, v);
            art_json_block_end(&io, io.dst + 32, 32, 0, 0, 0, 1);
            continue;
        }

        letters = _mm256_shuffle_epi8(names,
                                  _mm256_adds_epu8(v, _mm256_set1_epi8(0x70)));
        v = _mm256_or_si256(_mm256_andnot_si256(control, v), letters);
        bare = (unsigned) _mm256_movemask_epi8(
                               _mm256_cmpeq_epi8(v, _mm256_setzero_si256()));

        end = art_json_store16(io.dst, _mm256_castsi256_si128(v),
                             mask & 0xffff, 1);
        end = art_json_store16(end, _mm256_extracti128_si256(v, 1), mask >> 16,
                             1);

        art_json_block_end(&io, end, 32, bare, mask,
                           (unsigned) _mm256_movemask_epi8(control), 1);
    }

    *to = io;

    art_json_blocks_ssse3(to, 1);
}

#endif
