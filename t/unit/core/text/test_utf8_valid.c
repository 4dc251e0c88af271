
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Validation of UTF-8, with each set of vector instructions.
 */


#include "core/text/art_utf8.h"
#include "naive_utf8.h"
#include "simd_each.h"
#include "tap.h"
#include "utf8_random.h"
#include "exact.h"


static void
test_valid(const char *what, size_t mutations, int cut)
{
    size_t    i, len, got, want, whole;
    uint8_t  *p, text[300];
    unsigned  failed;

    failed = 0;
    whole = 0;

    for (i = 0; i < 2000 && failed == 0; i++) {
        len = random_text(text, tap_below(sizeof(text) + 1));
        mutate(text, len, tap_below(mutations + 1));

        if (cut && len > 0) {
            len = tap_below(len);
        }

        p = exact(text, len);
        got = art_utf8_valid_len(p, len);
        want = naive_valid_len(p, len);
        whole += want == len;

        if (got != want || art_utf8_valid(p, len) != (want == len)) {
            diag("got %zu, expected %zu", got, want);
            diag_mem("for", p, len);
            failed++;
        }

        free(p);
    }

    ok(failed == 0 && whole > 0 && (mutations + (size_t) cut == 0
                                    ? whole == 2000 : whole < 2000),
       "valid_len: %s", what);
}


/* One bad byte at each place of ASCII: no vector may step over it. */

static void
test_valid_places(void)
{
    size_t    at, len;
    uint8_t  *p, text[80];
    unsigned  failed;

    failed = 0;

    for (len = 1; len <= sizeof(text); len++) {
        for (at = 0; at < len; at++) {
            memset(text, 'x', len);
            text[at] = 0xff;
            p = exact(text, len);

            if (art_utf8_valid_len(p, len) != at) {
                diag("a bad byte at %zu of %zu is not seen", at, len);
                failed++;
            }

            free(p);
        }
    }

    ok(failed == 0, "valid_len: a bad byte at each place of ASCII");
}


/*
 * Every sequence of up to four bytes at the edges of the rules, across the
 * ends of blocks: in ASCII and among characters.
 */

static void
test_valid_edges(void)
{
    size_t    i, at, len;
    uint8_t  *p;
    unsigned  failed;

    failed = 0;

    for (i = 0; i < NEDGES * NEDGES * NEDGES * NEDGES && failed < 5; i++) {
        len = 68 + i % 67;
        p = exact(NULL, len);

        for (at = 0; at + 3 <= len; at += 3) {
            memcpy(p + at, i & 64 ? "\xe4\xb8\xad" : "xyz", 3);
        }

        memset(p + at, 'z', len - at);

        /* around the ends of blocks of 16, 32 and 64 bytes */

        at = (i % 3 == 0 ? 16 : i % 3 == 1 ? 32 : 64) - tap_below(5);
        at = i & 64 ? at / 3 * 3 : at;

        p[at] = edges[i % NEDGES];
        p[at + 1] = edges[i / NEDGES % NEDGES];
        p[at + 2] = edges[i / NEDGES / NEDGES % NEDGES];
        p[at + 3] = edges[i / NEDGES / NEDGES / NEDGES];

        if (art_utf8_valid_len(p, len) != naive_valid_len(p, len)) {
            diag_mem("for", p, len);
            failed++;
        }

        free(p);
    }

    ok(failed == 0, "valid_len: the rules' edges at the ends of blocks");
}


static void
test_impl(const char *impl)
{
    (void) impl;

    test_valid("valid text", 0, 0);
    test_valid("text cut anywhere", 0, 1);
    test_valid("text with bad bytes", 3, 0);
    test_valid_places();
    test_valid_edges();
}


int
main(void)
{
    simd_each(test_impl);

    return done();
}
