
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Writing JSON: held to what jansson writes of the same values.
 */


#include <jansson.h>

#include "core/json/art_json_escape.h"
#include "core/json/art_json_put.h"
#include "tap.h"


#define CASES  500
#define DEPTH  4


static uint8_t  memory[65536];


static art_out_t
room(size_t n)
{
    art_out_t  out;

    out.data = memory;
    out.len = 0;
    out.room = n;

    return out;
}


/* The same values to both writers; keys of a, b, c, ... */

static json_t *
random_value(art_json_put_t *put, const char *key, unsigned depth)
{
    char       name[2], text[8];
    size_t     i, n, what;
    json_t    *json;

    what = tap_below(depth < DEPTH ? 5 : 3);
    n = tap_below(5);

    switch (what) {

    case 0:
        n = tap_below(1000000);
        art_json_put_number(put, key, n);
        return json_integer((json_int_t) n);

    case 1:
        art_json_put_bool(put, key, n & 1);
        return json_boolean(n & 1);

    case 2:
        for (i = 0; i < n; i++) {
            text[i] = "a\"\\\n\x1f/"[tap_below(6)];
        }

        art_json_put_prefixed(put, key, "", art_str(text, n));
        return json_stringn(text, n);

    case 3:
        json = json_object();
        art_json_put_object(put, key);

        for (i = 0; i < n; i++) {
            name[0] = (char) ('a' + i);
            name[1] = '\0';
            json_object_set_new(json, name, random_value(put, name, depth + 1));
        }

        break;

    default:
        json = json_array();
        art_json_put_array(put, key);

        for (i = 0; i < n; i++) {
            json_array_append_new(json, random_value(put, NULL, depth + 1));
        }
    }

    art_json_put_end(put);

    return json;
}


/* Takes the text out of the JSON strings that it stands in. */

static json_t *
unwrapped(art_out_t *out, unsigned level)
{
    char    *text;
    size_t   n;
    json_t  *json;

    if (level == 0) {
        return json_loadb((char *) out->data, out->len,
                          JSON_DECODE_ANY|JSON_ALLOW_NUL, NULL);
    }

    text = malloc(out->len + 2);
    n = out->len;
    text[0] = '"';
    memcpy(text + 1, out->data, n);
    text[n + 1] = '"';
    json = json_loadb(text, n + 2, JSON_DECODE_ANY|JSON_ALLOW_NUL, NULL);
    free(text);

    if (json == NULL) {
        return NULL;
    }

    memcpy(out->data, json_string_value(json), json_string_length(json));
    out->len = json_string_length(json);
    json_decref(json);

    return unwrapped(out, level - 1);
}


static void
check_random(void)
{
    char            *want;
    size_t           i, size;
    json_t          *json, *back;
    unsigned         level, bad, indent;
    art_out_t        out, measured;
    art_json_put_t   put;

    for (level = 0; level < ART_JSON_LEVEL_MAX; level++) {
        bad = 0;

        for (i = 0; i < CASES; i++) {
            out = room(sizeof(memory));
            art_json_put_init(&put, &out, level);
            json = random_value(&put, NULL, 0);

            back = unwrapped(&out, level);
            bad += back == NULL || !json_equal(json, back);

            json_decref(back);
            json_decref(json);
        }

        ok(bad == 0, "texts in %u strings read back", level);
    }

    bad = 0;

    for (i = 0; i < CASES; i++) {
        indent = i & 1 ? 2 : 0;

        out = room(sizeof(memory));
        art_json_put_init(&put, &out, 0);
        put.indent = indent;
        json = random_value(&put, NULL, 0);

        want = json_dumps(json, JSON_ENCODE_ANY|(indent ? JSON_INDENT(indent)
                                                        : JSON_COMPACT));
        size = strlen(want);
        bad += size != out.len;

        /* jansson's \u00XX is in upper case */

        back = unwrapped(&out, 0);
        bad += back == NULL || !json_equal(json, back);

        json_decref(back);
        json_decref(json);
        free(want);
    }

    is_int(bad, 0, "and are as long as jansson's, on lines and without");

    measured = room(0);
    out = room(sizeof(memory));

    art_json_put_init(&put, &measured, 1);
    art_json_put_prefixed(&put, NULL, "x:", art_cstr("\"\xff"));
    art_json_put_init(&put, &out, 1);
    art_json_put_prefixed(&put, NULL, "x:", art_cstr("\"\xff"));

    is_int((long long) measured.len, (long long) out.len, "measured first");
    is_mem(out.data, out.len, "\\\"x:\\\\\\\"\xef\xbf\xbd\\\"", 13, "a prefix");
}


static void
check_exact(void)
{
    art_out_t       out;
    art_json_put_t  put;

    static const char  want[] =
        "{\"a\":[],\"b\":{},\"d\":{\"x\":1},\"y\":[2],\"z\":true}";

    static const char  lines[] =
        "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": \"c\"\n}";

    out = room(sizeof(memory));
    art_json_put_init(&put, &out, 0);

    art_json_put_object(&put, NULL);
    art_json_put_array(&put, "a");
    art_json_put_end(&put);
    art_json_put_object(&put, "b");
    art_json_put_end(&put);
    art_json_put_string(&put, "c", art_str(NULL, 0));
    art_json_put_raw(&put, "d", art_cstr("{\"x\":1}"));
    art_json_put_raw(&put, "e", art_cstr(""));
    art_json_put_members(&put, art_cstr("{\"y\":[2]}"));
    art_json_put_members(&put, art_cstr("{}"));
    art_json_put_key(&put, "z");
    art_out_cstr(&out, "true");
    art_json_put_end(&put);

    is_mem(out.data, out.len, want, sizeof(want) - 1, "on one line");

    out = room(sizeof(memory));
    art_json_put_init(&put, &out, 0);
    put.indent = 2;

    art_json_put_object(&put, NULL);
    art_json_put_array(&put, "a");
    art_json_put_number(&put, NULL, 1);
    art_json_put_object(&put, NULL);
    art_json_put_end(&put);
    art_json_put_end(&put);
    art_json_put_string(&put, "b", art_cstr("c"));
    art_json_put_end(&put);

    is_mem(out.data, out.len, lines, sizeof(lines) - 1, "on lines");

    out = room(sizeof(memory));
    art_json_put_init(&put, &out, 2);
    put.more = 1;
    art_json_put_raw(&put, "a", art_cstr("\"b\""));

    is_mem(out.data, out.len, ",\\\\\\\"a\\\\\\\":\\\\\\\"b\\\\\\\"", 20,
           "in two strings, behind something");
}


int
main(void)
{
    check_exact();
    check_random();

    return done();
}
