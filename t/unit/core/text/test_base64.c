
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_base64.h"
#include "naive_base64.h"
#include "simd_each.h"
#include "tap.h"


/*
 * Encodes in pieces of at most "chunk" bytes into rooms of at most "room",
 * random below that if "vary"; returns the length, or -1 on a broken promise.
 */

static long
encode(uint8_t *dst, const uint8_t *src, size_t len, size_t chunk, size_t room,
    int vary)
{
    size_t          given, left, n, r, total;
    uint8_t        *d;
    art_base64_t    st;
    const uint8_t  *p;

    memset(&st, 0, sizeof(st));
    total = 0;

    while (len > 0) {
        given = vary ? tap_below(chunk + 1) : chunk;
        given = given < len ? given : len;
        p = before_guard(0, given);
        memcpy((uint8_t *) (uintptr_t) p, src, given);
        left = given;

        do {
            r = vary ? tap_below(room + 1) : room;
            d = before_guard(1, r);
            n = art_base64_update(&st, d, r, &p, &left);

            if (n > r || n % 4 || st.n > 2 || (left > 0 && r - n >= 4)) {
                return -1;
            }

            memcpy(dst + total, d, n);
            total += n;

        } while (left > 0);

        src += given;
        len -= given;
    }

    n = st.n;

    if (art_base64_final(&st, before_guard(1, 3), 3) != 0 || st.n != n) {
        return -1;
    }

    d = before_guard(1, 4);
    n = art_base64_final(&st, d, 4);

    if (st.n != 0 || art_base64_final(&st, d, 4) != 0) {
        return -1;
    }

    memcpy(dst + total, d, n);

    return (long) (total + n);
}


static void
test_vectors(const char *impl)
{
    long      n;
    size_t    i;
    uint8_t   got[16];
    unsigned  failed;

    static const char  *vectors[][2] = {
        { "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" }, { "foo", "Zm9v" },
        { "foob", "Zm9vYg==" }, { "fooba", "Zm9vYmE=" },
        { "foobar", "Zm9vYmFy" }, { "\xfb\xff\xbf", "+/+/" }
    };

    failed = 0;

    for (i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        n = encode(got, (const uint8_t *) vectors[i][0], strlen(vectors[i][0]),
                   10, 100, 0);

        if (n != (long) strlen(vectors[i][1])
            || memcmp(got, vectors[i][1], (size_t) n) != 0)
        {
            diag("\"%s\" gave %ld bytes", vectors[i][0], n);
            failed++;
        }
    }

    ok(failed == 0, "%s: the vectors of RFC 4648", impl);
}


static void
test_random(const char *impl, const char *what, size_t max, size_t chunk,
    size_t room, int vary)
{
    long            n;
    size_t          i, k, len, want;
    unsigned        failed;
    static uint8_t  src[LEN_MAX], ref[LEN_MAX * 2], got[LEN_MAX * 2];

    failed = 0;

    for (i = 0; i < 600 && failed == 0; i++) {
        len = i <= 300 && i <= max ? i : tap_below(max + 1);

        for (k = 0; k < len; k++) {
            src[k] = (uint8_t) tap_rand();
        }

        want = naive_base64(ref, src, len, 0);
        n = encode(got, src, len, chunk, room, vary);

        if (n != (long) want || memcmp(got, ref, want) != 0
            || want != ART_BASE64_LEN(len))
        {
            diag("%zu bytes gave %ld, not %zu", len, n, want);
            diag_mem("source", src, len);
            failed++;
        }
    }

    ok(failed == 0, "%s: %s", impl, what);
}


/* Each character in each of the positions of a vector. */

static void
test_alphabet(const char *impl)
{
    long      n;
    size_t    i, k, bit, code, shift;
    uint8_t   src[96], ref[128], got[128];
    unsigned  failed;

    failed = 0;

    for (shift = 0; shift < 64; shift++) {
        memset(src, 0, sizeof(src));

        for (i = 0; i < 128; i++) {
            code = (i + shift) % 64;

            for (k = 0; k < 6; k++) {
                bit = i * 6 + k;
                src[bit / 8] |= (uint8_t) ((code >> (5 - k) & 1)
                                           << (7 - bit % 8));
            }
        }

        (void) naive_base64(ref, src, sizeof(src), 0);
        n = encode(got, src, sizeof(src), 96, 128, 0);

        if (n != 128 || memcmp(got, ref, 128) != 0) {
            diag_mem("got", got, 128);
            failed++;
        }
    }

    ok(failed == 0, "%s: every character in every place", impl);
}


static void
test_impl(const char *impl)
{
    test_vectors(impl);
    test_alphabet(impl);
    test_random(impl, "whole", 300, 300, 400, 0);
    test_random(impl, "whole and longer", 3000, 3000, 4000, 0);
    test_random(impl, "byte by byte, room for 4", 300, 1, 4, 0);
    test_random(impl, "any pieces, room for 4", 300, 100, 4, 0);
    test_random(impl, "any pieces, any room", 300, 150, 200, 1);
    test_random(impl, "long pieces, any room", 3000, 3000, 4000, 1);
}


static void
test_select(void)
{
    size_t  i, n;

    n = 0;

    for (i = 0; i < nitems(simd_impls); i++) {
        n += strcmp(art_simd_name(), simd_impls[i]) == 0;
    }

    ok(n == 1, "the implementation chosen is %s", art_simd_name());

    ok(art_simd_select("scalar") == ART_OK
       && strcmp(art_simd_name(), "scalar") == 0, "scalar can be forced");
    ok(art_simd_select("mmx") == ART_ERROR
       && strcmp(art_simd_name(), "scalar") == 0,
       "an unknown implementation is refused, the choice stays");

    simd_each(test_impl);
}


static void
test_no_room(void)
{
    size_t          len, n;
    uint8_t         dst[8];
    art_base64_t    st;
    const uint8_t  *p;

    memset(&st, 0, sizeof(st));
    p = (const uint8_t *) "abcd";
    len = 4;

    n = art_base64_update(&st, dst, 3, &p, &len);
    ok(n == 0 && len == 4 && st.n == 0, "a group without room is not taken");

    len = 2;
    n = art_base64_update(&st, NULL, 0, &p, &len);
    ok(n == 0 && len == 0 && st.n == 2 && *p == 'c',
       "an unfinished group is taken without room");

    len = 2;
    n = art_base64_update(&st, dst, 3, &p, &len);
    ok(n == 0 && len == 2 && st.n == 2, "its last byte is not");

    p = NULL;
    len = 0;
    n = art_base64_update(&st, dst, 8, &p, &len);
    ok(n == 0 && st.n == 2 && p == NULL, "no input is no progress");
}


static int
url_decodes(const void *src, size_t len, uint8_t *dst, size_t *n)
{
    uint8_t  *p;

    p = before_guard(0, len);

    if (len > 0) {
        memcpy(p, src, len);
    }

    return art_base64url_decode(dst, n, p, len) == ART_OK;
}


static void
test_url_round_trip(void)
{
    size_t    i, k, len, n, m;
    uint8_t   src[300], ref[500], enc[500], back[400];
    unsigned  failed;

    failed = 0;

    for (i = 0; i < 900 && failed == 0; i++) {
        len = i < 300 ? i : tap_below(300);

        for (k = 0; k < len; k++) {
            src[k] = (uint8_t) tap_rand();
        }

        m = naive_base64(ref, src, len, 1);
        n = art_base64url_encode(enc, src, len);

        if (n != m || n != ART_BASE64URL_LEN(len) || memcmp(enc, ref, n)) {
            diag_mem("encoding of", src, len);
            failed++;
            continue;
        }

        if (!url_decodes(enc, n, back, &m) || m != len
            || (len > 0 && memcmp(back, src, len)))
        {
            diag_mem("unpadded", enc, n);
            failed++;
        }

        while (n % 4) {
            enc[n++] = '=';
        }

        if (!url_decodes(enc, n, back, &m) || m != len
            || (len > 0 && memcmp(back, src, len)))
        {
            diag_mem("padded", enc, n);
            failed++;
        }
    }

    ok(failed == 0, "base64url: round trip, with and without padding");
}


/* Every byte in every place: only a character of the alphabet passes. */

static void
test_url_corruption(void)
{
    int       c, want;
    size_t    i, k, len, n, m;
    uint8_t   src[100], enc[100], bad[100], back[100];
    unsigned  failed;

    failed = 0;

    for (i = 0; i < 60 && failed == 0; i++) {
        len = 1 + i;

        for (k = 0; k < len; k++) {
            src[k] = (uint8_t) tap_rand();
        }

        n = art_base64url_encode(enc, src, len);
        k = tap_below(n);

        for (c = 0; c < 256; c++) {
            memcpy(bad, enc, n);
            bad[k] = (uint8_t) c;

            /* what it decodes to must be what encodes to it */

            want = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')
                   || (c >= '0' && c <= '9') || c == '-' || c == '_';

            if (c == '=' && n % 4 == 0 && k == n - 1) {
                continue;
            }

            if (!url_decodes(bad, n, back, &m)) {
                if (want && k < n - 1) {
                    diag_mem("refused", bad, n);
                    failed++;
                }

                continue;
            }

            if (!want || art_base64url_encode(src, back, m) != n
                || memcmp(src, bad, n) != 0)
            {
                diag_mem("taken", bad, n);
                failed++;
            }
        }
    }

    ok(failed == 0, "base64url: every byte in a place, 60 strings");
}


/* All strings of two characters, and all last characters of three. */

static void
test_url_trailing(void)
{
    int       a, b, want;
    size_t    n, taken2, taken3;
    uint8_t   text[3], back[6], again[8];
    unsigned  failed;

    taken2 = 0;
    taken3 = 0;
    failed = 0;

    for (a = 0; a < 256; a++) {
        for (b = 0; b < 256; b++) {
            text[0] = (uint8_t) a;
            text[1] = (uint8_t) b;
            text[2] = (uint8_t) b;

            if (url_decodes(text, 2, back, &n)) {
                taken2++;
                want = n == 1 && art_base64url_encode(again, back, 1) == 2
                       && memcmp(again, text, 2) == 0;
                failed += !want;
            }

            text[1] = 'A';

            if (url_decodes(text, 3, back, &n)) {
                taken3++;
                want = n == 2 && art_base64url_encode(again, back, 2) == 3
                       && memcmp(again, text, 3) == 0;
                failed += !want;
            }
        }
    }

    ok(failed == 0 && taken2 == 64 * 4 && taken3 == 64 * 16,
       "base64url: zero trailing bits only");
}


static void
test_url_padding(void)
{
    size_t   i, n;
    uint8_t  back[16];

    static const char  *bad[] = {
        "=", "==", "===", "====", "A", "A=", "A==", "A===", "QQ=", "QQ===",
        "QQ====", "QUI==", "QUJD=", "QUJD==", "QUJD===", "QUJD====", "Q=Q=",
        "=QQ=", "QQ==QQ==", "QQ==QUJD", "QUJDR", "QUJDR===", "QQ= ", " QQ",
        "QQ\n", "QQ==\n", "Q+", "Q/", "QR", "QUJ", "QR==", "QUJ=", "Q\xc3"
    };

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (url_decodes(bad[i], strlen(bad[i]), back, &n) || n != 0) {
            diag_mem("taken", bad[i], strlen(bad[i]));
            break;
        }
    }

    ok(i == sizeof(bad) / sizeof(bad[0]), "base64url: what is refused");

    ok(url_decodes("", 0, back, &n) && n == 0, "base64url: nothing");
    ok(url_decodes("QQ==", 4, back, &n) && n == 1 && back[0] == 'A',
       "base64url: two of padding");
    ok(url_decodes("QUI=", 4, back, &n) && n == 2 && back[1] == 'B',
       "base64url: one of padding");
    ok(url_decodes("Q\0", 2, back, &n) == 0, "base64url: a NUL");
    ok(url_decodes("-_-_", 4, back, &n) && n == 3
       && memcmp(back, "\xfb\xff\xbf", 3) == 0, "base64url: its alphabet");
}


int
main(void)
{
    test_select();
    test_no_room();
    test_url_round_trip();
    test_url_corruption();
    test_url_trailing();
    test_url_padding();

    return done();
}
