
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Strings that nobody wants are passed over: compared with a walk, escape by
 * escape, over random strings of what matters in them.
 */


#include "core/json/art_json_skip.h"
#include "exact.h"
#include "simd_each.h"


/* Bytes of the character at "p", 0 if it is to be looked at. */

static size_t
unit(const uint8_t *p, const uint8_t *end)
{
    size_t  n;

    if (*p < 0x20 || *p == '"') {
        return 0;
    }

    if (*p != '\\') {
        return 1;
    }

    if (end - p >= 2 && strchr("\"\\/bfnrt", p[1]) != NULL && p[1] != 0) {
        return 2;
    }

    for (n = 1; n < 6; n++) {
        if (end - p <= (ptrdiff_t) n
            || (n == 1 ? p[n] != 'u' : art_char_hex(p[n]) < 0))
        {
            return 0;
        }
    }

    return 6;
}


/* It may stop at an escape that is sound, but never within one. */

static int
is_right(const uint8_t *p, const uint8_t *end, const uint8_t *got)
{
    size_t  n;

    while (p < got) {
        n = unit(p, end);

        if (n == 0) {
            return 0;
        }

        p += n;
    }

    return p == got && (p == end || *p == '\\' || unit(p, end) == 0);
}


static void
test_impl(const char *impl)
{
    size_t          i, n, len, slashes;
    uint8_t         buf[400], *p;
    unsigned        wrong, far;
    const uint8_t  *got;

    static const char  chars[] = "\\\\\\\\nnnttub/0fF\"\x01x";

    wrong = 0;
    far = 0;

    for (i = 0; i < 200000; i++) {
        len = tap_below(sizeof(buf));
        slashes = tap_below(4);

        for (n = 0; n < len; n++) {
            buf[n] = tap_below(40) < slashes * 10
                     ? (uint8_t) chars[tap_below(sizeof(chars) - 4)]
                     : (uint8_t) "abc\xe5n"[tap_below(5)];
        }

        if (len > 0 && tap_below(3) > 0) {
            buf[tap_below(len)] =
                (uint8_t) chars[tap_below(sizeof(chars) - 1)];
        }

        for (n = 0; n + 6 < len && tap_below(2); n += 6 + tap_below(30)) {
            memcpy(buf + n, "\\u4e2D", 6);
        }

        p = exact(buf, len);
        got = art_skip_string(p, p + len);

        wrong += !is_right(p, p + len, got);
        far += got >= p + 128;

        free(p);
    }

    ok(wrong == 0, "%s: %u are wrong", impl, wrong);
    ok(far > 1000, "%s: %u went far", impl, far);
}


int
main(void)
{
    simd_each(test_impl);

    return done();
}
