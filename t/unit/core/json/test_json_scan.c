
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Checking JSON that is not there as a whole yet, and saying where it breaks.
 */


#include <stdlib.h>

#include "core/json/art_json_scan.h"
#include "tap.h"


static const char *const  values[] = {
    "{}", "[]", "null", "true", "\"\"", "[1,-2.5e+3,[true,{\"a\":[]}]]",
    "{\"a\" : 1 , \"b\\u00e9\\\\\\\"\":{\"a\":[2,null]},\n\"x\":\"}\"}",
    "\"\xe5\xb7\xa5\xf0\x9f\x98\x80 and some more, \\ud83d\\ude00\"",
    "[0.5,0e1,-0,10E-2,false]"
};

static const struct {
    const char  *text;
    int          at;             /* where it breaks */
} broken[] = {
    { "}", 0 }, { "nul}", 3 }, { "[1,]", 3 }, { "[,1]", 1 },
    { "{\"a\"}", 4 }, { "{\"a\":}", 5 }, { "{a:1}", 1 }, { "{\"a\":1,}", 7 },
    { "[1 2]", 3 }, { "[1}", 2 }, { "{\"a\":1]", 6 }, { "[01]", 2 },
    { "[1.]", 3 }, { "[.5]", 1 }, { "[+1]", 1 }, { "[1e]", 3 },
    { "[-]", 2 }, { "[1.5.5]", 4 }, { "\"plain text, \n\"", 13 },
    { "\"0123456\\x\"", 9 }, { "\"\\u12g4\"", 5 }, { "\"01234567\xff\"", 9 },
    { "\"\xc0\xaf\"", 1 }, { "\"a\xed\xa0\x80\"", 2 }, { " \xef\xbb\xbf", 1 },
    { "{\"a\":\"\"\"", 7 }, { "[\"a\":1]", 4 }, { "{\"a\",1}", 4 }
};


/* A copy of just that length: a step beyond it is found by ASan. */

static int
scan(const char *text, size_t len, unsigned around, size_t *at)
{
    int             rc;
    uint8_t        *copy;
    const uint8_t  *p;

    copy = malloc(len > 0 ? len : 1);
    memcpy(copy, text, len);

    p = copy;
    rc = art_json_scan(&p, copy + len, around);
    *at = (size_t) (p - copy);

    free(copy);

    return rc;
}


/* Of every value, the end is found, and none in anything shorter. */

static void
check_values(void)
{
    char      text[256];
    size_t    i, n, at, len, wrong;

    for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        len = strlen(values[i]);
        (void) snprintf(text, sizeof(text), "%s,\"more\"", values[i]);

        ok(scan(text, strlen(text), 0, &at) == ART_OK && at == len,
           "the end of value %zu", i);

        ok(scan(text, len, 0, &at) == ART_OK && at == len,
           "which may be all of value %zu", i);

        wrong = 0;

        for (n = 0; n < len; n++) {
            wrong += scan(text, n, 0, &at) != ART_JSON_MORE || at != 0;
        }

        is_int((long long) wrong, 0, "there has to be more");
    }

    ok(scan("12345", 5, 0, &at) == ART_OK && at == 5,
       "a number ends where there is no more");
    ok(scan("-1.", 3, 0, &at) == ART_JSON_MORE && at == 0,
       "unless there has to be");
    ok(scan(" \t\r\n1 ", 6, 0, &at) == ART_OK && at == 5,
       "white space before it");
    ok(scan("  ", 2, 0, &at) == ART_JSON_MORE && at == 0, "and nothing else");
}


static void
check_broken(void)
{
    size_t  i, at;

    for (i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
        ok(scan(broken[i].text, strlen(broken[i].text), 0, &at) == ART_ERROR
           && at == (size_t) broken[i].at, "where text %zu breaks", i);
    }

    ok(scan("\"a\0b\"", 5, 0, &at) == ART_ERROR && at == 2, "a NUL");
}


/* Every byte that may not stand in a string is found at any place of it. */

static void
check_strings(void)
{
    char       text[40];
    size_t     at, i;
    unsigned   c, wrong;

    wrong = 0;

    for (c = 0; c < 256; c++) {
        for (i = 1; i < 30; i++) {
            memset(text, 'a' + (int) (i % 3), sizeof(text));
            text[0] = '"';
            text[31] = '"';
            text[i] = (char) c;

            if (c == '"') {
                wrong += scan(text, 32, 0, &at) != ART_OK || at != i + 1;

            } else if (c < 0x20 || c >= 0x80) {
                wrong += scan(text, 32, 0, &at) != ART_ERROR || at != i;

            } else if (c == '\\') {
                wrong += scan(text, 32, 0, &at)
                         != (text[i + 1] == 'b' ? ART_OK : ART_ERROR);

            } else {
                wrong += scan(text, 32, 0, &at) != ART_OK || at != 32;
            }
        }
    }

    is_int(wrong, 0, "each byte at each place of a string");
}


static void
check_around(void)
{
    size_t       at;
    static char  text[2 * ART_JSON_SCAN_DEPTH];

    memset(text, '[', ART_JSON_SCAN_DEPTH);
    memset(text + ART_JSON_SCAN_DEPTH, ']', ART_JSON_SCAN_DEPTH);

    ok(scan(text, sizeof(text), 0, &at) == ART_OK && at == sizeof(text),
       "nested as deep as may be");
    ok(scan(text + 2, sizeof(text) - 4, 2, &at) == ART_OK, "in two others");
    ok(scan(text + 1, sizeof(text) - 2, 2, &at) == ART_ERROR
       && at == ART_JSON_SCAN_DEPTH - 2, "deeper in two others");
}


int
main(void)
{
    check_values();
    check_broken();
    check_strings();
    check_around();

    return done();
}
