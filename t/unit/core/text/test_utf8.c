
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_utf8.h"
#include "naive_utf8.h"
#include "tap.h"
#include "utf8_random.h"
#include "exact.h"


static void
test_classic(void)
{
    size_t  i;

    static const struct {
        const char  *text;
        int          want;
    } v[] = {
        { "", 0 }, { "a", 1 }, { "\x7f", 1 }, { "\xc2\x80", 2 },
        { "\xdf\xbf", 2 }, { "\xe0\xa0\x80", 3 }, { "\xed\x9f\xbf", 3 },
        { "\xee\x80\x80", 3 }, { "\xef\xbf\xbf", 3 },
        { "\xf0\x90\x80\x80", 4 }, { "\xf4\x8f\xbf\xbf", 4 },
        { "\xe4\xb8\xad\xe6", 3 },

        { "\xc3", 0 }, { "\xe4", 0 }, { "\xe4\xb8", 0 }, { "\xf0\x9f", 0 },
        { "\xf0\x9f\x98", 0 },

        { "\x80", -2 }, { "\xbf", -2 }, { "\xff", -2 }, { "\xfe", -2 },
        { "\xc0\xaf", -2 }, { "\xc1\xbf", -2 }, { "\xc0", -2 },
        { "\xe0\x80\xaf", -2 }, { "\xe0\x9f\xbf", -2 },
        { "\xf0\x80\x80\xaf", -2 }, { "\xf0\x8f\xbf\xbf", -2 },
        { "\xed\xa0\x80", -2 }, { "\xed\xbf\xbf", -2 },
        { "\xf4\x90\x80\x80", -2 }, { "\xf5\x80\x80\x80", -2 },
        { "\xf8\x88\x80\x80\x80", -2 },

        { "\xc3(", -2 }, { "\xe4(", -2 }, { "\xe4\xb8(", -3 },
        { "\xf0\x9f(", -3 }, { "\xf0\x9f\x98(", -4 },
        { "\xe4\xb8\xe4\xb8\xad", -3 }, { "\xf0\x9f\x98\xf0", -4 }
    };

    for (i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        if (art_utf8_char((const uint8_t *) v[i].text, strlen(v[i].text))
            != v[i].want)
        {
            diag_mem("wrong for", v[i].text, strlen(v[i].text));
            break;
        }
    }

    ok(i == sizeof(v) / sizeof(v[0]), "char: overlong, surrogates, truncated");
}


static int
same_char(const uint8_t *p, size_t len)
{
    int  got, want;

    got = art_utf8_char(p, len);
    want = naive_char(p, len);

    if (got != want) {
        diag("got %d, expected %d", got, want);
        diag_mem("for", p, len);
    }

    return got == want;
}


static void
test_char(void)
{
    int       failed;
    size_t    a, b, c, d, len;
    uint8_t  *p, text[4];

    failed = 0;

    for (a = 0; a < 256; a++) {
        for (b = 0; b < 256; b++) {
            text[0] = (uint8_t) a;
            text[1] = (uint8_t) b;
            failed += !same_char(text, 1) + !same_char(text, 2);
        }
    }

    ok(failed == 0, "char: all of two bytes");

    failed = 0;

    for (a = 0; a < NEDGES; a++) {
        for (b = 0; b < NEDGES; b++) {
            for (c = 0; c < NEDGES; c++) {
                for (d = 0; d < NEDGES; d++) {
                    text[0] = edges[a];
                    text[1] = edges[b];
                    text[2] = edges[c];
                    text[3] = edges[d];

                    for (len = 3; len <= 4 && failed < 10; len++) {
                        failed += !same_char(text, len);
                    }
                }
            }
        }
    }

    ok(failed == 0, "char: three and four bytes, at the edges of the rules");

    failed = 0;

    for (a = 0; a < 2000; a++) {
        len = tap_below(5);

        for (b = 0; b < len; b++) {
            text[b] = (uint8_t) (0x80 | tap_rand());
        }

        p = exact(text, len);
        failed += !same_char(p, len);
        free(p);
    }

    ok(failed == 0, "char: random bytes");
}


/* The last border between characters or ill-formed subparts up to "max". */

static size_t
naive_cut(const uint8_t *p, size_t len, size_t max)
{
    int     n;
    size_t  i, size;

    for (i = 0; i < len; i += size) {
        n = naive_char(p + i, len - i);
        size = n > 0 ? (size_t) n : n < 0 ? (size_t) (-1 - n) : len - i;

        if (i + size > max) {
            break;
        }
    }

    return i;
}


static void
test_cut(const char *what, size_t mutations)
{
    size_t    i, len, max, got, want;
    uint8_t  *p, text[40];
    unsigned  failed;

    failed = 0;

    for (i = 0; i < 500 && failed == 0; i++) {
        len = random_text(text, tap_below(sizeof(text) + 1));
        mutate(text, len, mutations);
        p = exact(text, len);

        for (max = 0; max <= len + 1 && failed == 0; max++) {
            got = art_utf8_cut(p, len, max);
            want = naive_cut(p, len, max);

            if (got != want) {
                diag("at %zu got %zu, expected %zu", max, got, want);
                diag_mem("for", p, len);
                failed++;
            }
        }

        free(p);
    }

    ok(failed == 0, "cut: %s", what);
}


static void
is_name(const char *name, const char *want, const char *what)
{
    uint8_t    buf[256];
    art_out_t  out = { NULL, 0, 0 };

    art_utf8_name(&out, art_cstr(name));
    ok(out.len == strlen(want), "name: %s, measured", what);

    out.data = buf;
    out.len = 0;
    out.room = sizeof(buf);

    art_utf8_name(&out, art_cstr(name));
    is_mem(buf, out.len, want, strlen(want), what);
}


static void
test_name(void)
{
    is_name("report.pdf", "report.pdf", "plain");
    is_name("\xe5\x9b\xbe \xf0\x9f\x98\x80.png",
            "\xe5\x9b\xbe \xf0\x9f\x98\x80.png", "Chinese and an emoji");
    is_name("a\r\nb\tc\x01\x1f\x7f", "a__b_c___", "C0 and DEL");
    is_name("a\xc2\x80" "b\xc2\x85" "c\xc2\x9f" "d\xc2\xa0",
            "a_b_c_d\xc2\xa0", "C1, not U+00A0");
    is_name("\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\x8f\xe2\x80\x90",
            "\xe2\x80\x8d__\xe2\x80\x90", "direction marks");
    is_name("\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa\xe2\x80\xae"
            "\xe2\x80\xaf", "\xe2\x80\xa7____\xe2\x80\xaf",
            "line separators and embeddings");
    is_name("\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa",
            "\xe2\x81\xa5__\xe2\x81\xaa", "isolates");
    is_name("\xe2\x81\xa8\xe2\x82\xa8\xe3\x80\xa8", "_\xe2\x82\xa8\xe3\x80\xa8",
            "the same tails elsewhere");
    is_name("a\xff\xe4\xb8(\xed\xa0\x80\xe4\xb8",
            "a\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
            "\xef\xbf\xbd", "ill-formed bytes");
}


/* A name is valid and one line, and nothing else of it changes. */

static void
test_name_random(void)
{
    int        n;
    size_t     i, k, m, len, want;
    uint8_t    text[100], fixed[300], buf[300];
    uint32_t   code;
    unsigned   failed;
    art_out_t  out;

    failed = 0;

    for (i = 0; i < 1000 && failed == 0; i++) {
        len = random_text(text, tap_below(sizeof(text) + 1));
        mutate(text, len, tap_below(4));

        out.data = buf;
        out.len = 0;
        out.room = sizeof(buf);
        art_utf8_name(&out, art_str(text, len));

        want = naive_repair(fixed, text, len);

        for (k = 0, m = 0; k < want && m < out.len; k += (size_t) n) {
            n = naive_char(fixed + k, want - k);

            code = n == 1 ? fixed[k]
                   : n == 2 ? (fixed[k] & 0x1fu) << 6 | (fixed[k + 1] & 0x3fu)
                   : n == 3 ? (fixed[k] & 0x0fu) << 12
                              | (fixed[k + 1] & 0x3fu) << 6
                              | (fixed[k + 2] & 0x3fu)
                   : (fixed[k] & 0x07u) << 18
                     | (fixed[k + 1] & 0x3fu) << 12
                     | (fixed[k + 2] & 0x3fu) << 6
                     | (fixed[k + 3] & 0x3fu);

            if (code < 0x20 || (code >= 0x7f && code <= 0x9f)
                || code == 0x61c || code == 0x200e || code == 0x200f
                || (code >= 0x2028 && code <= 0x202e)
                || (code >= 0x2066 && code <= 0x2069)
                || (code >= 0xe0000 && code <= 0xe007f))
            {
                failed += buf[m] != '_';
                m++;

            } else {
                failed += memcmp(buf + m, fixed + k, (size_t) n) != 0;
                m += (size_t) n;
            }
        }

        failed += k != want || m != out.len;

        if (failed) {
            diag_mem("name", text, len);
            diag_mem("got", buf, out.len);
        }
    }

    ok(failed == 0, "name: random names");
}


/* Each character of its own, most of which a random name never has. */

static void
test_name_chars(void)
{
    size_t     n;
    uint8_t    text[4], buf[8];
    unsigned   code, bad, changed;
    art_out_t  out;

    bad = 0;
    changed = 0;

    for (code = 0; code <= 0x10ffff; code++) {

        if (code >= 0xd800 && code <= 0xdfff) {
            continue;
        }

        n = naive_encode(text, code);
        out = art_out(buf, sizeof(buf));
        art_utf8_name(&out, art_str(text, n));

        if (out.len == n && memcmp(buf, text, n) == 0) {
            continue;
        }

        changed++;

        bad += out.len != 1 || buf[0] != '_'
               || !(code < 0x20 || (code >= 0x7f && code <= 0x9f)
                    || code == 0x61c || code == 0x200e || code == 0x200f
                    || (code >= 0x2028 && code <= 0x202e)
                    || (code >= 0x2066 && code <= 0x2069)
                    || (code >= 0xe0000 && code <= 0xe007f));
    }

    is_int(bad, 0, "name: what is no part of a line");
    is_int(changed, 0x20 + 33 + 3 + 7 + 4 + 128, "name: all of it");
}


static void
test_encode(void)
{
    size_t    n;
    uint8_t   got[4], want[4];
    unsigned  code, bad;

    bad = 0;

    for (code = 0; code <= 0x10ffff; code++) {
        n = naive_encode(want, code);

        if (n > 0) {
            bad += art_utf8_encode(got, code) != n || memcmp(got, want, n) != 0;
        }
    }

    ok(bad == 0, "every code point");
    is_int((long long) art_utf8_encode(got, 0xdc00), 3, "half a pair");
    is_mem(got, 3, "\xed\xb0\x80", 3, "as if it were a character");
}


static void
test_chars(void)
{
    size_t   i, n, len, chars;
    uint8_t  text[64];
    unsigned  bad;

    bad = 0;

    for (i = 0; i < 20000; i++) {
        len = 0;
        chars = 0;
        n = 0;

        while (len < 60 && tap_below(40) > 0) {
            size_t  max = tap_below(2) ? 0x80 : 0x110000;
            size_t  k = naive_encode(text + len, (uint32_t) tap_below(max));

            len += k;
            chars += k > 0;
            n = chars == 7 ? len : n;
        }

        bad += art_utf8_chars(text, len) != chars
               || art_utf8_first(text, len, 7) != (chars < 7 ? len : n)
               || art_utf8_first(text, len, chars) != len
               || art_utf8_first(text, len, 0) != 0;
    }

    is_int(bad, 0, "characters are counted");
}


/* Names of 300 bytes and more, of which 255 are kept. */

static void
test_file_name(void)
{
    size_t     i, n;
    char       name[400];
    uint8_t    buf[ART_UTF8_FILE_NAME_MAX];
    art_str_t  got;

    static const struct {
        const char  *fill;
        const char  *end;
        size_t       kept;       /* of what is filled, in bytes */
        const char  *last;
    } cases[] = {
        { "a", "", 255, "" },
        { "a", ".png", 251, ".png" },
        { "a", ".tar.gz", 252, ".gz" },
        { "a", ".", 254, "." },
        { "a", ".0123456789abcdefghij", 255, "" },
        { "a", ".0123456789abcdefghi", 235, ".0123456789abcdefghi" },
        { "\xe4\xb8\xad", ".png", 249, ".png" },
        { "\xe4\xb8\xad", "", 255, "" }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (n = 0; n < 300; n += strlen(cases[i].fill)) {
            strcpy(name + n, cases[i].fill);
        }

        strcpy(name + n, cases[i].end);

        got = art_utf8_file_name(art_cstr(name), buf, sizeof(buf));
        n = strlen(cases[i].last);

        ok(got.len == cases[i].kept + n
           && memcmp(got.data, name, cases[i].kept) == 0
           && memcmp(got.data + cases[i].kept, cases[i].last, n) == 0,
           "a name that ends in \"%s\"", cases[i].end);
    }

    name[255] = '\0';
    got = art_utf8_file_name(art_cstr(name), buf, sizeof(buf));
    ok(got.data == (uint8_t *) name && got.len == 255, "one of 255 bytes");
}


/* White_Space of Unicode 15, PropList.txt, and what has no width. */

static void
test_blank(void)
{
    size_t    i, n;
    uint8_t   buf[4], *copy;
    unsigned  code, bad, white;

    static const struct {
        const char  *text;
        int          want;
    } cases[] = {
        { "", 1 }, { " \t\r\n\x0b\x0c", 1 }, { "\xef\xbb\xbf", 1 },
        { "\xe2\x80\x8b\xc2\xa0", 1 }, { " .", 0 }, { "\xc2", 0 },
        { " \xff", 0 }, { "\xe3\x80", 0 }, { " \xf0\x9f\x98\x80", 0 },
        { "\xe2\x80\x8d", 0 }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        n = strlen(cases[i].text);
        copy = exact(cases[i].text, n);

        ok(art_utf8_is_blank(copy, n) == cases[i].want, "a blank text, or "
           "not: %zu", i);
        free(copy);
    }

    bad = 0;
    white = 0;

    for (code = 1; code < 0x11000; code++) {

        if (code >= 0xd800 && code <= 0xdfff) {
            continue;
        }

        n = art_utf8_encode(buf, code);
        white += art_utf8_is_blank(buf, n) != 0;
        bad += art_utf8_is_blank(buf, n) != art_utf8_blank(code);
    }

    is_int(bad, 0, "a text of one character is blank if that is");
    is_int(white, 27, "25 characters of white space, two without a width");
}


int
main(void)
{
    test_blank();
    test_classic();
    test_char();
    test_encode();
    test_chars();
    test_file_name();
    test_cut("valid text", 0);
    test_cut("text with bad bytes", 8);
    test_name();
    test_name_random();
    test_name_chars();

    return done();
}
