
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_search.h"
#include "exact.h"
#include "simd_each.h"


static void
test_search(const char *impl)
{
    int             good;
    size_t          i, k, n, len, slen, count;
    uint8_t        *p, *s;
    const uint8_t  *got, *want, *last;

    good = 1;

    for (i = 0; i < 20000 && good; i++) {
        len = tap_below(i % 100 ? 150 : 3000);
        slen = 1 + tap_below(i % 50 ? 5 : 200);
        n = 1 + tap_below(3);

        p = exact(NULL, len);
        s = exact(NULL, slen);
        count = 0;
        last = NULL;

        for (k = 0; k < len; k++) {
            p[k] = (uint8_t) ('a' + tap_below(n));
            count += p[k] == 'b';
            last = p[k] == 'b' ? p + k : last;
        }

        for (k = 0; k < slen; k++) {
            s[k] = (uint8_t) ('a' + tap_below(n));
        }

        if (len > slen && tap_below(2)) {
            memcpy(s, p + tap_below(len - slen), slen);
        }

        want = NULL;

        for (k = 0; k + slen <= len && want == NULL; k++) {
            want = memcmp(p + k, s, slen) == 0 ? p + k : NULL;
        }

        got = art_search_str(p, len, art_str(s, slen));
        good = got == want && art_search_count(p, len, 'b') == count
               && art_search_last(p, len, 'b') == last;

        if (!good) {
            diag_mem("bytes", p, len);
            diag_mem("string", s, slen);
        }

        free(p);
        free(s);
    }

    ok(good, "%s: random bytes and strings", impl);
}


int
main(void)
{
    simd_each(test_search);

    return done();
}
