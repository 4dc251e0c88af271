
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Strings that nobody wants are passed over: compared with a walk, escape by
 * escape, over random strings of what matters in them, in two pieces.
 */


#include "core/json/art_json_lex.h"
#include "exact.h"
#include "simd_each.h"


/* How a string is read: it ends, it is wrong, or more has to come. */

typedef enum {
    ENDS = 0,
    WRONG,
    MORE
} how_t;

typedef struct {
    how_t     how;
    uint64_t  at;                /* after its quote; the wrong byte */
} result_t;


static result_t
result(how_t how, const uint8_t *start, const uint8_t *p)
{
    result_t  res;

    res.how = how;
    res.at = how == MORE ? 0 : (uint64_t) (p - start);

    return res;
}


static result_t
naive(const uint8_t *start, const uint8_t *end)
{
    unsigned        digits;
    const uint8_t  *p;

    for (p = start + 1; p < end && *p != '"'; p++) {

        if (*p < 0x20) {
            return result(WRONG, start, p);
        }

        if (*p != '\\' || ++p == end) {
            continue;
        }

        if (*p != 'u' && (*p == 0 || strchr("\"\\/bfnrt", *p) == NULL)) {
            return result(WRONG, start, p);
        }

        for (digits = *p == 'u' ? 4 : 0; digits > 0 && p + 1 < end; digits--) {
            if (art_char_hex(*++p) < 0) {
                return result(WRONG, start, p);
            }
        }
    }

    return p < end ? result(ENDS, start, p + 1) : result(MORE, start, end);
}


static unsigned  ended;


static int
stop(void *data, const art_lex_value_t *value)
{
    (void) value;

    ended = 1;
    art_lex_stop(data);

    return ART_OK;
}


static result_t
lexed(const uint8_t *start, const uint8_t *end, size_t cut)
{
    int        rc;
    size_t     rest;
    uint8_t   *p;
    art_lex_t  lex;

    static const art_lex_handler_t  handler = { .value = stop };

    ended = 0;
    rest = (size_t) (end - start) - cut;

    art_lex_init(&lex, &handler, &lex, NULL, 0);

    p = exact(start, cut);
    rc = art_lex_feed(&lex, p, cut);
    free(p);

    if (rc == ART_OK && !ended) {
        p = exact(start + cut, rest);
        rc = art_lex_feed(&lex, p, rest);
        free(p);
    }

    if (rc != ART_OK) {
        return result(WRONG, start, start + art_lex_fault(&lex));
    }

    return art_lex_end(&lex) == ART_OK
           ? result(ENDS, start, start + art_lex_pos(&lex) - 1)
           : result(MORE, start, end);
}


static void
test_impl(const char *impl)
{
    size_t     i, n, len, slashes;
    uint8_t    buf[400];
    result_t   got, is;
    unsigned   wrong, far;

    static const char  chars[] = "\\\\\\\\nnnttub/0fF\"\x01x";

    wrong = 0;
    far = 0;

    for (i = 0; i < 200000; i++) {
        len = 1 + tap_below(sizeof(buf) - 1);
        slashes = tap_below(4);

        for (n = 0; n < len; n++) {
            buf[n] = tap_below(40) < slashes * 10
                     ? (uint8_t) chars[tap_below(sizeof(chars) - 4)]
                     : (uint8_t) "abc\xe5n"[tap_below(5)];
        }

        if (tap_below(3) > 0) {
            buf[tap_below(len)] =
                (uint8_t) chars[tap_below(sizeof(chars) - 1)];
        }

        for (n = 0; n + 6 < len && tap_below(2); n += 6 + tap_below(30)) {
            memcpy(buf + n, "\\u4e2D", 6);
        }

        buf[0] = '"';

        got = lexed(buf, buf + len, tap_below(len + 1));
        is = naive(buf, buf + len);

        wrong += got.how != is.how || got.at != is.at;
        far += is.at >= 128;
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
