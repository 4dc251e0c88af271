
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_escape.h"
#include "exact.h"
#include "core/text/naive_utf8.h"
#include "simd_each.h"
#include "tap.h"


#define LEN_MAX  400
#define OUT_MAX  (LEN_MAX * ART_JSON_UNIT_MAX)


/* Undoes all levels; 0 if that is not possible. */

static int
unescapes_to(uint8_t *got, size_t len, unsigned level, const uint8_t *want,
    size_t wantlen)
{
    long  n;

    n = (long) len;

    while (level-- > 0) {
        n = naive_unescape(got, (size_t) n);

        if (n < 0) {
            return 0;
        }
    }

    return (size_t) n == wantlen && (n == 0 || !memcmp(got, want, wantlen));
}


/* Escapes with the smallest room, and with all of it. */

static void
is_escaped(const void *text, size_t len, unsigned level, const char *want,
    const char *name)
{
    size_t          n, left, room, total;
    uint8_t         got[256], *d;
    const uint8_t  *p;

    for (room = ART_JSON_UNIT_MAX; ; room = sizeof(got)) {
        p = text;
        left = len;
        total = 0;

        do {
            d = exact(NULL, room);
            n = art_json_escape(d, room, &p, &left, level);
            memcpy(got + total, d, n);
            total += n;
            free(d);

        } while (left > 0 && n > 0);

        if (left > 0 || room == sizeof(got) || total != strlen(want)
            || memcmp(got, want, total) != 0)
        {
            break;
        }
    }

    is_mem(got, total, want, strlen(want), name);
}


static void
test_vectors(void)
{
    static const char  all[] = "\"\\\b\t\n\f\r/\x7f";

    is_escaped("plain", 5, 1, "plain", "plain text");
    is_escaped("", 0, 1, "", "no text");
    is_escaped(all, 9, 1, "\\\"\\\\\\b\\t\\n\\f\\r/\x7f", "short, level 1");
    is_escaped("\"\\\n", 3, 2, "\\\\\\\"\\\\\\\\\\\\n", "short, level 2");
    is_escaped("\"\\\n", 3, 3, "\\\\\\\\\\\\\\\"\\\\\\\\\\\\\\\\\\\\\\\\n",
               "short, level 3");
    is_escaped("\0\x1f", 2, 1, "\\u0000\\u001f", "long, level 1");
    is_escaped("\0\x1f", 2, 2, "\\\\u0000\\\\u001f", "long, level 2");
    is_escaped("\0\x1f", 2, 3, "\\\\\\\\u0000\\\\\\\\u001f", "long, level 3");
    is_escaped("\xe4\xb8\xad\xe2\x80\xa8\xf0\x9f\x98\x80\"", 11, 1,
               "\xe4\xb8\xad\xe2\x80\xa8\xf0\x9f\x98\x80\\\"",
               "what is not ASCII stays");
    is_escaped("0123456789abcdef\"0123456789abcdef\n0123456789abcde\\", 50, 1,
               "0123456789abcdef\\\"0123456789abcdef\\n0123456789abcde\\\\",
               "between words");
}


/* A level is the level below it, escaped once more. */

static void
test_units(void)
{
    int             c;
    size_t          n, m, left, longest;
    uint8_t         byte, low[16], high[32];
    unsigned        level, failed;
    const uint8_t  *p;

    failed = 0;
    longest = 0;

    for (c = 0; c < 128; c++) {
        byte = (uint8_t) c;
        low[0] = byte;
        n = 1;

        for (level = 1; level <= ART_JSON_LEVEL_MAX; level++) {
            p = low;
            left = n;
            m = art_json_escape(high, sizeof(high), &p, &left, 1);
            memcpy(low, high, m < sizeof(low) ? m : sizeof(low));
            n = m;

            p = &byte;
            left = 1;
            m = art_json_escape(high, sizeof(high), &p, &left, level);
            longest = m > longest ? m : longest;

            if (m != n || memcmp(high, low, n) != 0) {
                diag("byte %d, level %u", c, level);
                failed++;
            }

            /* one byte short: nothing is done */

            p = &byte;
            left = 1;
            failed += art_json_escape(high, n - 1, &p, &left, level) != 0
                      || left != 1 || p != &byte;

            failed += art_json_escape(high, n, &p, &left, level) != n
                      || left != 0;
        }
    }

    ok(failed == 0, "all of ASCII on all levels");
    is_int((long long) longest, ART_JSON_UNIT_MAX, "the longest unit");
}


/* Valid UTF-8 with "specials" of 100 characters to be escaped. */

static size_t
random_text(uint8_t *dst, size_t max, size_t specials)
{
    size_t    n;
    uint32_t  code;

    static const uint32_t  ranges[] = { 0x80, 0x800, 0x10000, 0x110000 };
    static const char      quoted[] = "\"\\";

    n = 0;

    while (n + 4 <= max) {
        if (tap_below(100) < specials) {
            code = tap_below(2) ? (uint32_t) quoted[tap_below(2)]
                                : (uint32_t) tap_below(0x20);

        } else if (tap_below(3)) {
            code = 'a' + (uint32_t) tap_below(26);

        } else {
            code = (uint32_t) tap_below(ranges[tap_below(4)]);
        }

        n += naive_encode(dst + n, code);
    }

    return n;
}


/*
 * Whatever the rooms: pieces of output stand for themselves, input is used as
 * far as the room goes, and all of it comes back.
 */

static void
test_random(const char *what, size_t specials, size_t minroom, size_t maxroom)
{
    size_t          i, len, left, n, room, total;
    uint8_t        *d, *text, piece[OUT_MAX], got[OUT_MAX];
    unsigned        level, failed;
    const uint8_t  *p, *from;

    failed = 0;

    for (i = 0; i < 900 && failed == 0; i++) {
        level = 1 + (unsigned) i % ART_JSON_LEVEL_MAX;
        len = tap_below(LEN_MAX);
        text = exact(NULL, len);
        len = random_text(text, len, specials);

        p = text;
        left = len;
        total = 0;

        while (left > 0 && failed == 0) {
            room = minroom + tap_below(maxroom - minroom + 1);
            d = exact(NULL, room);
            from = p;

            n = art_json_escape(d, room, &p, &left, level);

            memcpy(got + total, d, n);
            memcpy(piece, d, n);
            total += n;
            free(d);

            if (p + left != text + len || n > room
                || (left > 0 && n + ART_JSON_UNIT_MAX <= room)
                || !naive_valid(piece, n)
                || !unescapes_to(piece, n, level, from, (size_t) (p - from)))
            {
                diag("level %u, room %zu: %zu bytes", level, room, n);
                failed++;
            }
        }

        if (failed || !unescapes_to(got, total, level, text, len)) {
            diag_mem("text", text, len);
            failed++;
        }

        free(text);
    }

    ok(failed == 0, "%s", what);
}


static void
test_string(void)
{
    size_t      i, k, len, want;
    uint8_t     text[100], fixed[300], buf[300 * 9];
    unsigned    level, failed;
    art_out_t   out;

    failed = 0;

    for (i = 0; i < 900 && failed == 0; i++) {
        level = (unsigned) i % (ART_JSON_LEVEL_MAX + 1);
        len = random_text(text, tap_below(sizeof(text) + 1), 20);

        for (k = tap_below(4); k > 0 && len > 0; k--) {
            text[tap_below(len)] = (uint8_t) tap_rand();
        }

        len = len ? len - tap_below(2) : 0;
        want = naive_repair(fixed, text, len);

        out.data = NULL;
        out.len = 0;
        out.room = 0;
        art_json_string(&out, art_str(text, len), level);

        k = out.len;
        out.data = exact(NULL, k);
        out.len = 0;
        out.room = k;
        art_json_string(&out, art_str(text, len), level);

        memcpy(buf, out.data, k);
        free(out.data);

        if (out.len != k || !unescapes_to(buf, k, level, fixed, want)) {
            diag("level %u, %zu bytes, measured %zu", level, out.len, k);
            diag_mem("text", text, len);
            failed++;
        }
    }

    ok(failed == 0, "whole strings, repaired, measured and written");
}


static void
test_string_cut(void)
{
    uint8_t    buf[8];
    art_out_t  out = { NULL, 0, 4 };

    memset(buf, '.', sizeof(buf));
    out.data = buf;

    art_json_string(&out, art_cstr("ab\ncd"), 1);

    is_int((long long) out.len, 6, "a string without room is counted");
    is_mem(buf, 8, "ab\\n....", 8, "and not written");

    out.len = 0;
    art_json_string(&out, art_str(NULL, 0), 1);
    is_int((long long) out.len, 0, "no string");
}


/* One special byte, or a character, at each place: no block may lose it. */

static void
test_places(void)
{
    size_t          at, k, n, len, left, tail;
    uint8_t         text[150], got[150 * 9], *src, *d;
    unsigned        level, failed;
    const uint8_t  *p;

    static const char  *units[] = { "\"", "\\", "\n", "\r", "\x0b", "\x1b",
                                    "\x10", "\x7f", "\xc3\xbc",
                                    "\xe4\xb8\xad", "\xf0\x9f\x98\x80" };

    failed = 0;

    for (at = 0; at < 140; at++) {
        for (k = 0; k < sizeof(units) / sizeof(units[0]); k++) {
            level = 1 + (unsigned) (at + k) % ART_JSON_LEVEL_MAX;
            tail = tap_below(6);

            memset(text, 'x', sizeof(text));
            memcpy(text + at, units[k], strlen(units[k]));
            len = at + strlen(units[k]) + tail;

            src = exact(NULL, len);
            memcpy(src, text, len);
            d = exact(NULL, len + 9);

            p = src;
            left = len;
            n = art_json_escape(d, len + 8, &p, &left, level);
            memcpy(got, d, n);

            failed += left > 0 || !unescapes_to(got, n, level, text, len);

            free(src);
            free(d);
        }
    }

    ok(failed == 0, "a unit at each place");
}


/* Long texts of any sort, as the portable code writes them. */

static void
test_same(const char *impl)
{
    size_t          i, k, n, len, left, room, total;
    uint8_t        *text, *want, *got;
    unsigned        level, failed;
    const uint8_t  *p;

    static const size_t  specials[] = { 0, 1, 5, 30, 100 };

    failed = 0;
    text = exact(NULL, 5000);
    want = exact(NULL, 5000 * ART_JSON_UNIT_MAX);
    got = exact(NULL, 5000 * ART_JSON_UNIT_MAX);

    for (i = 0; i < 500 && failed == 0; i++) {
        level = 1 + (unsigned) i % ART_JSON_LEVEL_MAX;
        len = random_text(text, tap_below(5000), specials[i % 5]);

        (void) art_simd_select("scalar");
        p = text;
        left = len;
        n = art_json_escape(want, len * ART_JSON_UNIT_MAX, &p, &left, level);
        failed += left != 0;

        (void) art_simd_select(impl);
        p = text;
        left = len;

        for (total = 0; left > 0; total += k) {
            room = ART_JSON_UNIT_MAX + tap_below(2000);
            k = art_json_escape(got + total, room, &p, &left, level);
        }

        if (total != n || (n > 0 && memcmp(got, want, n) != 0)) {
            diag("level %u, %zu bytes", level, len);
            failed++;
        }
    }

    free(text);
    free(want);
    free(got);

    ok(failed == 0, "the same as the portable code");
}


static void
test_impl(const char *impl)
{
    test_vectors();
    test_units();
    test_random("in one go", 10, OUT_MAX, OUT_MAX);
    test_random("in one go, many escapes", 60, OUT_MAX, OUT_MAX);
    test_random("smallest room", 30, ART_JSON_UNIT_MAX,
                ART_JSON_UNIT_MAX);
    test_random("small rooms, few escapes", 2, ART_JSON_UNIT_MAX, 40);
    test_random("small rooms, many escapes", 60, ART_JSON_UNIT_MAX, 40);
    test_random("blocks' rooms, few escapes", 2, 40, 300);
    test_random("blocks' rooms, many escapes", 60, 40, 300);
    test_random("any room, nothing to escape", 0, ART_JSON_UNIT_MAX, 500);
    test_places();
    test_string();
    test_string_cut();
    test_same(impl);
}


int
main(void)
{
    simd_each(test_impl);

    return done();
}
