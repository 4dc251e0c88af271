
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Checking JSON documents and finding members in them, against jansson.
 */


#include <jansson.h>
#include <stdlib.h>

#include "core/json/art_json_members.h"
#include "core/json/art_json_scan.h"
#include "tap.h"


#define CASES  4000


typedef struct {
    const char  *text;
    int          valid;
} sample_t;


static const sample_t  samples[] = {
    { "{}", 1 }, { "[]", 1 }, { " [ ] ", 1 }, { "null", 1 }, { "true", 1 },
    { "false", 1 }, { "0", 1 }, { "-0", 1 }, { "1e999", 1 },
    { "-1.5E+3", 1 }, { "123456789012345678901234567890", 1 },
    { "\"\"", 1 }, { "\"\\u0000\"", 1 }, { "\"\\ud800\"", 1 },
    { "{\"\\u0000\":1}", 1 }, { "{\"a\":1,\"a\":2}", 1 },
    { "[1,2,[3,{\"a\":[]}]]", 1 }, { "\t\r\n1\n", 1 },
    { "\"\xe5\xb7\xa5\"", 1 },
    { "", 0 }, { " ", 0 }, { "{", 0 }, { "}", 0 }, { "[", 0 }, { "]", 0 },
    { "[1,]", 0 }, { "[,1]", 0 }, { "{\"a\"}", 0 }, { "{\"a\":}", 0 },
    { "{\"a\":1,}", 0 }, { "{a:1}", 0 }, { "{1:1}", 0 }, { "[1 2]", 0 },
    { "[1}", 0 }, { "{\"a\":1]", 0 }, { "1 2", 0 }, { "01", 0 }, { "1.", 0 },
    { ".5", 0 }, { "+1", 0 }, { "1e", 0 }, { "1e+", 0 }, { "-", 0 },
    { "nul", 0 }, { "nullx", 0 }, { "True", 0 }, { "'a'", 0 },
    { "\"", 0 }, { "\"a", 0 }, { "\"\\\"", 0 }, { "\"\\x41\"", 0 },
    { "\"\\u12g4\"", 0 }, { "\"\\u12\"", 0 }, { "\"\n\"", 0 },
    { "\"\xff\"", 0 }, { "\"\xc0\xaf\"", 0 }, { "\xef\xbb\xbf{}", 0 },
    { "{}x", 0 }, { "// a\n1", 0 }, { "[1,,2]", 0 }, { "{\"a\" 1}", 0 }
};


static void check_samples(void);
static void check_depth(void);
static void check_random(void);
static void check_find(void);
static void check_find_random(void);
static size_t grow(char *dst, size_t room, unsigned depth);
static size_t put(char *dst, size_t room, const char *text);


int
main(void)
{
    check_samples();
    check_depth();
    check_random();
    check_find();
    check_find_random();

    return done();
}


static void
check_samples(void)
{
    size_t    i;
    uint8_t  *copy;

    for (i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {

        /* exactly as long as the text: a step beyond is found by ASan */

        copy = malloc(strlen(samples[i].text) + 1);
        memcpy(copy, samples[i].text, strlen(samples[i].text));

        ok(art_json_valid(copy, strlen(samples[i].text)) == samples[i].valid,
           "document %u is %s", (unsigned) i,
           samples[i].valid ? "valid" : "malformed");

        free(copy);
    }
}


static void
check_depth(void)
{
    static uint8_t  text[2 * ART_JSON_SCAN_DEPTH + 4];

    memset(text, '[', ART_JSON_SCAN_DEPTH + 1);
    memset(text + ART_JSON_SCAN_DEPTH + 1, ']', ART_JSON_SCAN_DEPTH + 1);

    ok(art_json_valid(text + 1, 2 * ART_JSON_SCAN_DEPTH),
       "nested as deep as may be");
    ok(!art_json_valid(text, 2 * ART_JSON_SCAN_DEPTH + 2),
       "nested deeper");
}


/* Generated documents, half of them damaged in one byte. */

static void
check_random(void)
{
    int       want, got;
    char      text[600];
    size_t    len;
    json_t   *json;
    unsigned  i, failed, good;

    failed = 0;
    good = 0;

    for (i = 0; i < CASES && failed == 0; i++) {
        len = grow(text, sizeof(text) - 1, 0);

        if (i % 2 == 1) {
            text[tap_below(len)]
                = "{}[]\",:\\0e-.x \x01\xc3"[tap_below(16)];
        }

        json = json_loadb(text, len, JSON_DECODE_ANY|JSON_DECODE_INT_AS_REAL
                          |JSON_ALLOW_NUL, NULL);
        want = json != NULL;
        json_decref(json);

        got = art_json_valid((uint8_t *) text, len);
        good += (unsigned) got;

        if (got != want) {
            printf("# jansson %d, got %d: %.*s\n", want, got, (int) len, text);
            failed++;
        }
    }

    ok(failed == 0, "jansson says the same of %u documents", CASES);
    ok(good > CASES / 3 && good < CASES, "valid ones and others");
}


static void
check_find(void)
{
    unsigned   i;
    art_str_t  keys[2], values[2];

    static const char  text[] = " {\"a\" : 1 , \"b\\u0041\\\"\":{\"a\":[2]},"
                                "\"x\":\"}\\\\\", \"\\u5de5\\ud83d\\ude00\":"
                                "null,\"a\":\"last\"}\n";
    static const struct {
        const char  *key;
        const char  *value;
    } finds[] = {
        { "a", "\"last\"" }, { "bA\"", "{\"a\":[2]}" }, { "x", "\"}\\\\\"" },
        { "\xe5\xb7\xa5\xf0\x9f\x98\x80", "null" }, { "b", NULL },
        { "", NULL }, { "bA", NULL }, { "aa", NULL }
    };

    static const char  *bad[] = {
        "", "[]", "1", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,",
        "{\"a\":1,}", "{\"a\" 1}", "{a:1}", "{\"a\":[1}", "{\"a\":\"x}",
        "{\"a\":1} x", "{\"a\":,\"b\":1}"
    };

    for (i = 0; i < sizeof(finds) / sizeof(finds[0]); i++) {
        keys[0] = art_cstr(finds[i].key);
        keys[1] = art_cstr("x");

        ok(art_json_find(art_cstr(text), keys, 2, values) == ART_OK
           && (finds[i].value == NULL
               ? values[0].data == NULL
               : art_str_eq(values[0], art_cstr(finds[i].value)))
           && art_str_eq(values[1], art_cstr("\"}\\\\\"")),
           "member \"%s\"", finds[i].key);
    }

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ok(art_json_find(art_cstr(bad[i]), keys, 2, values) == ART_ERROR,
           "no object: %s", bad[i]);
    }
}


/* What is found in an object is what jansson has there. */

static void
check_find_random(void)
{
    char       text[700], key[8];
    size_t     len;
    json_t    *json, *want, *got;
    unsigned   i, failed, found;
    art_str_t  keys[1], values[1];

    failed = 0;
    found = 0;

    for (i = 0; i < CASES && failed == 0; i++) {
        do {
            len = grow(text, sizeof(text) - 1, 0);
        } while (text[0] != '{');

        json = json_loadb(text, len, 0, NULL);
        (void) snprintf(key, sizeof(key), "k%u", (unsigned) tap_below(6));
        keys[0] = art_cstr(key);

        want = json_object_get(json, key);

        if (art_json_find(art_str(text, len), keys, 1, values) != ART_OK
            || (values[0].data != NULL) != (want != NULL))
        {
            failed++;

        } else if (want != NULL) {
            got = json_loadb((char *) values[0].data, values[0].len,
                             JSON_DECODE_ANY, NULL);
            failed += !json_equal(got, want);
            json_decref(got);
            found++;
        }

        if (failed) {
            printf("# %s in %.*s\n", key, (int) len, text);
        }

        json_decref(json);
    }

    ok(failed == 0, "members of %u objects are those of jansson", CASES);
    ok(found > CASES / 10, "often there was one");
}


/* Writes a random document, its length returned. */

static size_t
grow(char *dst, size_t room, unsigned depth)
{
    char      key[] = "\"k0\":";
    size_t    i, n, members;
    unsigned  object;

    static const char  *scalars[] = {
        "0", "-1", "12.5", "1e3", "true", "false", "null", "\"\"",
        "\"a\\\"b\"", "\"\\u00e9\"", "\"\\\\\"", "\"{[,:]}\"",
        "\"\xe5\xb7\xa5\""
    };

    if (depth > 4 || room < 80 || (depth > 0 && tap_below(3) == 0)) {
        return put(dst, room, scalars[tap_below(13)]);
    }

    object = tap_below(3) > 0;
    members = tap_below(5);
    n = put(dst, room, object ? "{" : "[");

    for (i = 0; i < members && room - n > 100; i++) {

        if (i > 0) {
            n += put(dst + n, room - n, tap_below(2) ? "," : " ,\n");
        }

        if (object) {
            key[2] = (char) ('0' + i);
            n += put(dst + n, room - n, key);
        }

        n += grow(dst + n, (room - n) / 2, depth + 1);
    }

    return n + put(dst + n, room - n, object ? "}" : "]");
}


static size_t
put(char *dst, size_t room, const char *text)
{
    size_t  len;

    len = strlen(text);

    if (len > room) {
        abort();
    }

    memcpy(dst, text, len);

    return len;
}
