
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Base64 as others write it: what is taken, and what is none.
 */


#include "core/text/art_base64.h"
#include "simd_each.h"
#include "tap.h"


#define LONG  400


/* "want" of NULL: it is no base64. */

static const struct {
    const char  *text;
    const char  *want;
    unsigned     digits;
} cases[] = {
    { "", "", 0 },
    { "Zm9v", "foo", 4 },
    { "Zm8=", "fo", 4 },
    { "Zm8", "fo", 3 },
    { "Zg==", "f", 4 },
    { "Zg", "f", 2 },
    { "Zh", "f", 2 },                    /* trailing bits are no bytes */
    { "Z", NULL, 0 },
    { "Zm9vZ", NULL, 0 },
    { "Zg=", NULL, 0 },
    { "Zg===", NULL, 0 },
    { "Zm8==", NULL, 0 },
    { "Zm9v=", NULL, 0 },
    { "=", NULL, 0 },
    { "Zg==Zg==", NULL, 0 },
    { "Zm8=v", NULL, 0 },
    { "Zm=9vZm8", NULL, 0 },
    { "====", NULL, 0 },
    { "Zm9v\r\nYmFy\n", "foobar", 8 },
    { " Z m\t9 v", "foo", 4 },
    { "Zg=\n=", "f", 4 },
    { "+/+/", "\xfb\xff\xbf", 4 },
    { "-_-_", "\xfb\xff\xbf", 4 },
    { "-/+_", "\xfb\xff\xbf", 4 },
    { "Zm9!", NULL, 0 },
    { "Zm9vZm9v\"", NULL, 0 },
    { "Zm\x80v", NULL, 0 }
};


static uint8_t  text[LONG], want[LONG], got[LONG + 8];


/* Digits of both alphabets; how they are decoded without a table. */

static void
make(size_t len)
{
    size_t             i;
    uint32_t           value, bits;
    static const char  more[] = "-_";
    static const char  digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
                                  "qrstuvwxyz0123456789+/";

    bits = 0;

    for (i = 0; i < len; i++) {
        value = (uint32_t) rand() % 64;
        text[i] = (uint8_t) (value > 61 && rand() % 2 ? more[value - 62]
                                                      : digits[value]);
        bits = bits << 6 | value;

        if (i % 4 == 3) {
            want[i / 4 * 3] = (uint8_t) (bits >> 16);
            want[i / 4 * 3 + 1] = (uint8_t) (bits >> 8);
            want[i / 4 * 3 + 2] = (uint8_t) bits;
        }
    }
}


static void
test_impl(const char *name)
{
    size_t                len, at, n, bad;
    unsigned              c;
    art_base64_decode_t   st;

    bad = 0;

    /* each length, and nothing behind it */

    for (len = 0; len < LONG; len += 4) {
        make(len);
        memset(&st, 0, sizeof(st));
        memset(got, 0x55, sizeof(got));

        n = art_base64_decode(&st, got, text, len);

        bad += n != len / 4 * 3 || memcmp(got, want, n) != 0
               || got[n] != 0x55 || st.digits != len || st.bad;

        /* in place */

        memset(&st, 0, sizeof(st));
        memcpy(got, text, len);
        n = art_base64_decode(&st, got, got, len);

        bad += n != len / 4 * 3 || memcmp(got, want, n) != 0;
    }

    ok(bad == 0, "%s: lengths", name);

    /* each byte in each place of a block: what is in front of it counts */

    bad = 0;

    for (at = 0; at < 136; at++) {
        for (c = 0; c < 256; c++) {
            make(140);
            text[at] = (uint8_t) c;
            memset(&st, 0, sizeof(st));

            n = art_base64_decode(&st, got, text, 140);

            if (art_base64_value((uint8_t) c) >= 0) {
                bad += st.bad || n != 105 || memcmp(got, want, at / 4 * 3) != 0
                       || memcmp(got + at / 4 * 3 + 3, want + at / 4 * 3 + 3,
                                 102 - at / 4 * 3) != 0;

            } else if (strchr(" \t\r\n", (int) c) != NULL && c > 0) {
                bad += st.bad || st.digits != 139 || st.held != 3;

            } else {
                bad += !st.bad || n != at / 4 * 3
                       || memcmp(got, want, n) != 0;
            }
        }
    }

    ok(bad == 0, "%s: each byte in each place: %lu wrong", name,
       (unsigned long) bad);
}


int
main(void)
{
    size_t                i, k, n, len, piece;
    uint8_t               out[64];
    int                   good;
    art_base64_decode_t   st;

    for (i = 0; i < nitems(cases); i++) {
        len = strlen(cases[i].text);

        for (piece = 1; piece <= 9; piece += 4) {
            memset(&st, 0, sizeof(st));
            n = 0;

            for (k = 0; k < len; k += piece) {
                n += art_base64_decode(&st, out + n,
                                       (const uint8_t *) cases[i].text + k,
                                       piece < len - k ? piece : len - k);
            }

            n += art_base64_decode_end(&st, out + n);

            good = cases[i].want == NULL
                   ? (int) st.bad
                   : !st.bad && n == strlen(cases[i].want)
                     && memcmp(out, cases[i].want, n) == 0
                     && st.digits == cases[i].digits;

            ok(good, "number %lu in pieces of %lu", (unsigned long) i,
               (unsigned long) piece);
        }
    }

    simd_each(test_impl);

    return done();
}
