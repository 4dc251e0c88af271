
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_simd.h"
#include "core/text/art_utf8.h"
#include "core/json/art_json_escape.h"

#ifdef ART_SIMD_X86
#include <immintrin.h>
#endif


/* Input and output while escaping; the four advance together. */

typedef struct {
    uint8_t        *dst;
    size_t          room;
    const uint8_t  *src;
    size_t          len;
} art_json_io_t;


/* With less input, or less room, the vector code does nothing. */

#define ART_JSON_BLOCK_LEN   16
#define ART_JSON_BLOCK_ROOM  48

#define art_json_special(c)  ((c) < 0x20 || (c) == '"' || (c) == '\\')


static size_t art_json_unit(uint8_t unit[ART_JSON_UNIT_MAX], uint8_t c,
    unsigned level);
static void art_json_blocks(art_json_io_t *io, unsigned level);
static void art_json_run(art_json_io_t *io);
static size_t art_json_plain(uint8_t *dst, const uint8_t *src, size_t len);
static uint64_t art_json_specials(uint64_t v);
static size_t art_json_ascii_len(art_str_t s);
static void art_json_string_valid(art_out_t *out, const uint8_t *p,
    size_t len, unsigned level);
#ifdef ART_SIMD_X86
static void art_json_blocks_ssse3(art_json_io_t *io, unsigned level);
static void art_json_blocks_avx2(art_json_io_t *io, unsigned level);
#endif
#ifdef art_target_avx512
static void art_json_blocks_avx512(art_json_io_t *io, unsigned level);
#endif


#ifdef ART_SIMD_X86

static void (*const art_json_impls[ART_SIMD_LEVELS])(art_json_io_t *io,
    unsigned level) =
{
    [ART_SIMD_SSSE3] = art_json_blocks_ssse3,
    [ART_SIMD_AVX2] = art_json_blocks_avx2,
#ifdef art_target_avx512
    [ART_SIMD_AVX512] = art_json_blocks_avx512
#endif
};

#endif


/* The character after the backslash, for U+0000 to U+001F. */

static const char  art_json_short[] = "uuuuuuuubtnufruuuuuuuuuuuuuuuuuu";


size_t
art_json_escape(uint8_t *dst, size_t room, const uint8_t **src, size_t *len,
    unsigned level)
{
    size_t         size;
    uint8_t        unit[ART_JSON_UNIT_MAX];
    art_json_io_t  io;

    io.dst = dst;
    io.room = room;
    io.src = *src;
    io.len = *len;

    while (io.len > 0) {
        art_json_blocks(&io, level);
        art_json_run(&io);

        if (io.len == 0 || !art_json_special(*io.src)) {
            break;
        }

        if (io.room >= sizeof(unit)) {
            size = art_json_unit(io.dst, *io.src, level);

        } else {
            size = art_json_unit(unit, *io.src, level);

            if (size > io.room) {
                break;
            }

            memcpy(io.dst, unit, size);
        }

        io.dst += size;
        io.room -= size;
        io.src++;
        io.len--;
    }

    *src = io.src;
    *len = io.len;

    return (size_t) (io.dst - dst);
}


/*
 * The escape of a special byte.  Each level doubles the backslashes below it,
 * and a quote gets one more.  Eight backslashes are always written: that costs
 * less than counting.
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


/* Does most of the work where the processor has vectors. */

static void
art_json_blocks(art_json_io_t *io, unsigned level)
{
#ifdef ART_SIMD_X86

    art_simd_t      simd;
    const uint8_t  *start;

    simd = art_simd_level();

    if (simd == ART_SIMD_NONE || level > 2 || io->len < ART_JSON_BLOCK_LEN
        || io->room < ART_JSON_BLOCK_ROOM)
    {
        return;
    }

    start = io->src;

    art_json_impls[simd](io, level);

    /* give back a part of a character: the rest might not fit */

    while (io->len > 0 && io->src > start && (*io->src & 0xc0) == 0x80) {
        io->dst--;
        io->room++;
        io->src--;
        io->len++;
    }

#else
    (void) io;
    (void) level;
#endif
}


/* Copies characters up to the first that needs an escape or does not fit. */

static void
art_json_run(art_json_io_t *io)
{
    size_t  i, max;

    max = io->len < io->room ? io->len : io->room;
    i = art_json_plain(io->dst, io->src, max);

    while (i < max && !art_json_special(io->src[i])) {
        io->dst[i] = io->src[i];
        i++;
    }

    if (i == max && i < io->len) {
        i = art_utf8_cut(io->src, io->len, i);
    }

    io->dst += i;
    io->room -= i;
    io->src += i;
    io->len -= i;
}


/*
 * Does most of art_json_run(): copies words without a special byte; returns the
 * bytes copied.  It stops at a word with a special byte or at less than a word.
 */

static size_t
art_json_plain(uint8_t *dst, const uint8_t *src, size_t len)
{
    size_t    i;
    uint64_t  v, special;

    for (i = 0; len - i >= 8; i += 8) {
        memcpy(&v, src + i, 8);

        special = art_json_specials(v);

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

        memcpy(dst + i, &v, 8);

        if (special) {
            return i + (size_t) __builtin_ctzll(special) / 8;
        }

#else

        if (special) {
            return i;
        }

        memcpy(dst + i, &v, 8);

#endif
    }

    return i;
}


/*
 * The high bits of those bytes of a word that need an escape.  Only the lowest
 * one is certain: a borrow may have set higher ones.
 */

static uint64_t
art_json_specials(uint64_t v)
{
    uint64_t        q, s;
    const uint64_t  ones = 0x0101010101010101;

    /* the high bit is set where v is below 0x20, or q or s is zero */

    q = v ^ ones * '"';
    s = v ^ ones * '\\';

    return (((v - ones * 0x20) & ~v) | ((q - ones) & ~q) | ((s - ones) & ~s))
           & ones * 0x80;
}


void
art_json_string(art_out_t *out, art_str_t s, unsigned level)
{
    int     n;
    size_t  valid;

    if (s.len == 0) {
        return;
    }

    /* most strings are short and need no escape */

    valid = art_json_ascii_len(s);
    art_out_mem(out, s.data, valid);

    s.data += valid;
    s.len -= valid;

    while (s.len > 0) {
        valid = art_utf8_valid_len(s.data, s.len);

        art_json_string_valid(out, s.data, valid, level);

        s.data += valid;
        s.len -= valid;

        if (s.len == 0) {
            break;
        }

        /* an unfinished character at the end is one ill-formed sequence */

        n = art_utf8_char(s.data, s.len);
        valid = n < 0 ? (size_t) (-1 - n) : s.len;

        art_out_cstr(out, ART_UTF8_REPLACEMENT);

        s.data += valid;
        s.len -= valid;
    }
}


void
art_json_literal(art_out_t *out, art_str_t s, unsigned level)
{
    art_json_string_valid(out, s.data, s.len, level);
}


/* The length of the ASCII prefix without special bytes. */

static size_t
art_json_ascii_len(art_str_t s)
{
    size_t    i;
    uint64_t  v;

    for (i = 0; s.len - i >= 8; i += 8) {
        memcpy(&v, s.data + i, 8);

        if ((v & 0x8080808080808080) || art_json_specials(v)) {
            break;
        }
    }

    while (i < s.len && s.data[i] < 0x80 && !art_json_special(s.data[i])) {
        i++;
    }

    return i;
}


/* Uses a small buffer, because the output also counts bytes that do not fit. */

static void
art_json_string_valid(art_out_t *out, const uint8_t *p, size_t len,
    unsigned level)
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


#ifdef ART_SIMD_X86

/*
 * Whole blocks of bytes, on level 1 or (not AVX2) 2, while there is room for
 * the longest result; the portable code does the rest.  They may stop within a
 * character.
 *
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
static void
art_json_blocks_ssse3(art_json_io_t *io, unsigned level)
{
    if (level == 1) {
        art_json_ssse3(io, 1);

    } else {
        art_json_ssse3(io, 2);
    }
}


/* Twice as many bytes at a time. */

art_target_avx2
art_inline void
art_json_avx2(art_json_io_t *to)
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
}


/* On level 2 it does not pay. */

art_target_avx2
static void
art_json_blocks_avx2(art_json_io_t *io, unsigned level)
{
    if (level == 1) {
        art_json_avx2(io);
    }

    art_json_blocks_ssse3(io, level);
}


#ifdef art_target_avx512

/*
 * 32 bytes with the backslashes in "mask", and zeros behind them.  VBMI2 has an
 * instruction that moves bytes together, so no table is needed.
 */

art_target_avx512
art_inline __m512i
art_json_pairs32(__m256i v, uint32_t mask)
{
    __m512i   pairs;
    uint64_t  keep;

    pairs = _mm512_slli_epi16(_mm512_cvtepu8_epi16(v), 8);
    pairs = _mm512_or_si512(pairs, _mm512_set1_epi16('\\'));
    keep = _pdep_u64(mask, 0x5555555555555555) | 0xaaaaaaaaaaaaaaaa;

    return _mm512_maskz_compress_epi8(keep, pairs);
}


/* Writes the first "n" of 32 bytes. */

art_target_avx512
art_inline uint8_t *
art_json_store32(uint8_t *d, __m256i v, uint32_t mask, size_t n)
{
    _mm512_storeu_si512((void *) d, art_json_pairs32(v, mask));

    return d + n + art_json_popcount(mask);
}


/* Writes 32 bytes, with the result escaped once more. */

art_target_avx512
art_inline uint8_t *
art_json_store32_twice(uint8_t *d, __m256i v, uint32_t mask)
{
    __m512i   once;
    uint64_t  again;

    once = art_json_pairs32(v, mask);

    again = _mm512_cmpeq_epi8_mask(once, _mm512_set1_epi8('\\'))
            | _mm512_cmpeq_epi8_mask(once, _mm512_set1_epi8('"'));

    d = art_json_store32(d, _mm512_castsi512_si256(once), (uint32_t) again,
                         32);

    return art_json_store32(d, _mm512_extracti64x4_epi64(once, 1),
                            (uint32_t) (again >> 32),
                            art_json_popcount(mask));
}


art_target_avx512
art_inline uint8_t *
art_json_store64(uint8_t *d, __m512i v, uint64_t mask, unsigned level)
{
    __m256i  low, high;

    low = _mm512_castsi512_si256(v);
    high = _mm512_extracti64x4_epi64(v, 1);

    if (level == 1) {
        d = art_json_store32(d, low, (uint32_t) mask, 32);
        return art_json_store32(d, high, (uint32_t) (mask >> 32), 32);
    }

    d = art_json_store32_twice(d, low, (uint32_t) mask);
    return art_json_store32_twice(d, high, (uint32_t) (mask >> 32));
}


art_target_avx512
art_inline void
art_json_avx512(art_json_io_t *to, unsigned level)
{
    __m512i        v;
    uint8_t       *end;
    uint64_t       control, special, bare;
    art_json_io_t  io;
    const __m512i  names = _mm512_broadcast_i32x4(
                                            _mm_setr_epi8(art_json_letters));
    const __m512i  quote = _mm512_set1_epi8('"');
    const __m512i  slash = _mm512_set1_epi8('\\');
    const __m512i  last = _mm512_set1_epi8(0x1f);

    io = *to;

    while (io.len >= 64 && io.room >= art_json_room(64, level)) {
        v = _mm512_loadu_si512((const void *) io.src);

        control = _mm512_cmple_epu8_mask(v, last);
        special = control | _mm512_cmpeq_epi8_mask(v, quote)
                  | _mm512_cmpeq_epi8_mask(v, slash);

        if (special == 0) {
            _mm512_storeu_si512((void *) io.dst, v);
            art_json_block_end(&io, io.dst + 64, 64, 0, 0, 0, level);
            continue;
        }

        v = _mm512_mask_shuffle_epi8(v, control, names,
                                  _mm512_adds_epu8(v, _mm512_set1_epi8(0x70)));
        bare = _mm512_mask_cmpeq_epi8_mask(control, v,
                                           _mm512_setzero_si512());

        end = art_json_store64(io.dst, v, special, level);

        art_json_block_end(&io, end, 64, bare, special, control, level);
    }

    *to = io;
}


art_target_avx512
static void
art_json_blocks_avx512(art_json_io_t *io, unsigned level)
{
    if (level == 1) {
        art_json_avx512(io, 1);

    } else {
        art_json_avx512(io, 2);
    }

    art_json_blocks_ssse3(io, level);
}

#endif

#endif
