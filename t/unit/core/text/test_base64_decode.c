
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Base64 as others write it: what is taken, and what is none.
 */


#include "core/text/art_base64.h"
#include "tap.h"


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

    return done();
}
