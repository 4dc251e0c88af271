
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Random texts in every charset, against the definitions of UTF-8 and UTF-16
 * and against themselves in other pieces.
 */


#include "text_feed.h"


static const char  *charsets[] = {
    "UTF-8", "UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE",
    "UTF-32BE", "GB18030", "CP950", "BIG5-HKSCS", "CP932", "EUC-JP-MS",
    "ISO-2022-JP", "UHC", "CP1252", "ISO-8859-2", "ISO-8859-3", "ISO-8859-4",
    "ISO-8859-5", "ISO-8859-6", "ISO-8859-7", "ISO-8859-8", "ISO-8859-10",
    "ISO-8859-13", "ISO-8859-14", "ISO-8859-15", "ISO-8859-16", "CP874",
    "CP1250", "CP1251", "CP1253", "CP1254", "CP1255", "CP1256", "CP1257",
    "CP1258", "KOI8-R", "KOI8-U", "IBM866", "MACINTOSH", "MAC-UK"
};


/* Random characters, those that the charset has; returns the length. */

static size_t
random_text(uint8_t *dst, size_t max, const char *charset)
{
    char      utf8[4], *in, *out;
    size_t    left, room;
    iconv_t   cd;
    uint32_t  base, size;

    static const uint32_t  ranges[][2] = {
        { 0, 0x80 }, { ' ', 0x5f }, { 0x80, 0x780 }, { 0xe00, 0x60 },
        { 0x3000, 0x100 }, { 0x4e00, 0x5200 }, { 0x10000, 0x100000 }
    };

    cd = iconv_open(charset, "UTF-8");

    if (cd == (iconv_t) -1) {
        return 0;
    }

    out = (char *) dst;
    room = max;
    base = ranges[0][0];
    size = ranges[0][1];

    while (room >= 16) {
        if (tap_below(8) == 0) {
            left = tap_below(nitems(ranges));
            base = ranges[left][0];
            size = ranges[left][1];
        }

        in = utf8;
        left = naive_encode((uint8_t *) utf8,
                            base + (uint32_t) tap_below(size));

        if (iconv(cd, &in, &left, &out, &room) == (size_t) -1) {
            base = ranges[1][0];
            size = ranges[1][1];
        }
    }

    (void) iconv_close(cd);

    return max - room;
}


/* A text of the charset, or one with errors, or noise; returns its length. */

static size_t
random_input(uint8_t *dst, size_t max, const char *charset)
{
    size_t  i, len;

    static const char  *marks[] = { "\xff\xfe", "\xfe\xff", "\xef\xbb\xbf",
                                    "\xef\xbb" };

    len = 0;

    if (max >= 20 && tap_below(6) == 0) {
        i = tap_below(nitems(marks));
        len = strlen(marks[i]);
        memcpy(dst, marks[i], len);
    }

    if (tap_below(4) == 0) {
        for ( ; len < max; len++) {
            dst[len] = tap_below(3) ? (uint8_t) tap_rand()
                                    : (uint8_t) "\x1b$B(J\\\"a\n"[tap_below(9)];
        }

        return len;
    }

    len += random_text(dst + len, max - len, charset);

    for (i = tap_below(8); i > 0 && len > 0; i--) {
        dst[tap_below(len)] = (uint8_t) tap_rand();
    }

    return len > 3 ? len - tap_below(4) : len;
}


static int
same(const result_t *a, const result_t *b)
{
    return a->len == b->len && memcmp(a->data, b->data, a->len) == 0
           && a->truncated == b->truncated
           && strcmp(a->charset, b->charset) == 0;
}


/* Neither the pieces nor the rooms matter, in any charset. */

static void
test_random(const char *what, size_t max, size_t chunk, size_t room)
{
    int              good;
    size_t           i, k, len;
    uint64_t         limit;
    unsigned         level, failed;
    const char      *charset;
    const feed_t     how = { chunk, room, 1 };
    static uint8_t   src[LEN_MAX];
    static result_t  ref, got;

    failed = 0;

    for (i = 0; i < 1000 && failed == 0; i++) {
        charset = charsets[i % nitems(charsets)];
        level = 1 + (unsigned) i % ART_JSON_LEVEL_MAX;
        len = random_input(src, tap_below(max + 1), charset);
        limit = tap_below(3) ? 0 : tap_below(len + 2);

        good = feed(&ref, charset, limit, level, src, len, &whole);

        for (k = 0; k < 3 && good; k++) {
            good = feed(&got, charset, limit, level, src, len, &how)
                   && same(&got, &ref);
        }

        if (!good || !unescape(&ref, level)
            || !naive_valid(ref.data, ref.len)
            || (limit && ref.len > limit))
        {
            diag("%s, level %u, limit %llu", charset, level,
                 (unsigned long long) limit);
            diag_mem("source", src, len);
            diag_mem("got", got.data, got.len);
            failed++;
        }
    }

    ok(failed == 0, "any charset: %s", what);
}


/* UTF-8 against the definition. */

static void
test_repair(void)
{
    int              good;
    size_t           i, n, len, want;
    unsigned         level, failed;
    const feed_t     how = { 100, 50, 1 };
    static uint8_t   src[LEN_MAX], fixed[LEN_MAX * 3];
    static result_t  res;

    failed = 0;

    for (i = 0; i < 900 && failed == 0; i++) {
        level = 1 + (unsigned) i % ART_JSON_LEVEL_MAX;
        len = random_input(src, tap_below(400), "UTF-8");

        /* no mark of another charset */

        if (len > 0 && src[0] >= 0xfe) {
            src[0] = 'x';
        }

        n = len >= 3 && memcmp(src, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        want = naive_shown(fixed, src + n, len - n);

        good = feed(&res, i % 2 ? NULL : "UTF-8", 0, level, src, len,
                    i % 3 ? &how : &whole)
               && unescape(&res, level)
               && res.len == want && memcmp(res.data, fixed, want) == 0;

        if (!good) {
            diag_mem("source", src, len);
            diag_mem("got", res.data, res.len);
            failed++;
        }
    }

    ok(failed == 0, "UTF-8: repaired as defined");
}


/* UTF-16 against the definition: D91 of Unicode 15. */

static size_t
naive_utf16(uint8_t *dst, const uint8_t *p, size_t len, int big)
{
    size_t    i, n;
    uint32_t  unit, high;

    n = 0;
    high = 0;

    for (i = 0; i + 1 < len; i += 2) {
        unit = big ? (uint32_t) (p[i] << 8 | p[i + 1])
                   : (uint32_t) (p[i + 1] << 8 | p[i]);

        if (high && unit >= 0xdc00 && unit <= 0xdfff) {
            n += naive_encode(dst + n, 0x10000 + ((high - 0xd800) << 10)
                                       + (unit - 0xdc00));
            high = 0;
            continue;
        }

        if (high) {
            n += naive_encode(dst + n, 0xfffd);
            high = 0;
        }

        if (unit >= 0xd800 && unit <= 0xdbff) {
            high = unit;

        } else if (unit >= 0xdc00 && unit <= 0xdfff) {
            n += naive_encode(dst + n, 0xfffd);

        } else {
            n += naive_encode(dst + n, unit != 0 ? unit : 0xfffd);
        }
    }

    /* whatever is unfinished at the end is one sequence */

    if (high || i < len) {
        n += naive_encode(dst + n, 0xfffd);
    }

    return n;
}


static void
test_utf16(void)
{
    int              big, good;
    size_t           i, k, len, want;
    unsigned         failed;
    const feed_t     how = { 50, 50, 1 };
    static uint8_t   src[600], decoded[1800];
    static result_t  res;

    failed = 0;

    for (i = 0; i < 900 && failed == 0; i++) {
        big = (int) (i % 2);
        len = tap_below(sizeof(src));

        for (k = 0; k < len; k++) {
            src[k] = k % 2 != (size_t) big && tap_below(2)
                     ? (uint8_t) (0xd8 + tap_below(8)) : (uint8_t) tap_rand();
        }

        if (len > 0) {
            src[0] = 'x';
        }

        want = naive_utf16(decoded, src, len, big);

        good = feed(&res, big ? "UTF-16BE" : "UTF-16LE", 0, 1, src, len,
                    i % 3 ? &how : &whole)
               && unescape(&res, 1)
               && res.len == want && memcmp(res.data, decoded, want) == 0;

        if (!good) {
            diag_mem(big ? "big-endian" : "little-endian", src, len);
            diag_mem("got", res.data, res.len);
            diag_mem("expected", decoded, want);
            failed++;
        }
    }

    ok(failed == 0, "UTF-16: surrogates as defined");
}


/* A limit leaves the longest prefix of characters that it can hold. */

static void
test_limit(void)
{
    int              good;
    size_t           i, len, cut, limit;
    unsigned         failed;
    const char      *charset;
    const feed_t     how = { 60, 40, 1 };
    static uint8_t   src[300];
    static result_t  all, res;

    static const char  *some[] = { "UTF-8", "GB18030", "UTF-16LE", "CP1252",
                                   "ISO-2022-JP", "CP1255" };

    failed = 0;

    for (i = 0; i < 900 && failed == 0; i++) {
        charset = some[i % nitems(some)];
        len = random_input(src, tap_below(sizeof(src) + 1), charset);

        good = feed(&all, charset, 0, 1, src, len, &whole)
               && unescape(&all, 1);

        limit = 1 + tap_below(all.len + 3);

        for (cut = limit; cut < all.len && (all.data[cut] & 0xc0) == 0x80; ) {
            cut--;
        }

        cut = cut < all.len ? cut : all.len;

        good = good && feed(&res, charset, limit, 1, src, len,
                            i % 3 ? &how : &whole)
               && unescape(&res, 1)
               && res.len == cut && memcmp(res.data, all.data, cut) == 0
               && res.truncated == (cut < all.len);

        if (!good) {
            diag("%s, limit %zu of %zu: %zu", charset, limit, all.len,
                 res.len);
            diag_mem("source", src, len);
            failed++;
        }
    }

    ok(failed == 0, "a limit cuts between characters");
}


int
main(void)
{
    test_random("any pieces, small rooms", 300, 60, 10);
    test_random("small pieces, any room", 300, 5, 400);
    test_random("long texts", LEN_MAX, 1500, 2000);
    test_repair();
    test_utf16();
    test_limit();

    return done();
}
