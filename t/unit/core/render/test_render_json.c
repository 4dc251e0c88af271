
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Whole answers with a JSON document, which "object" has as it is: what is one,
 * and up to which size.
 */


#include "render_holds.h"
#include "tap.h"


/* JSON documents: bytes, and whether they are a value. */

static const struct {
    const char  *bytes;
    size_t       len;
    int          valid;
    const char  *name;
} documents[] = {
#define DOC(bytes)  bytes, sizeof(bytes) - 1
    { DOC("{}"), 1, "an object" },
    { DOC("[]"), 1, "an array" },
    { DOC("\"a\""), 1, "a string" },
    { DOC("0"), 1, "a number" },
    { DOC("-0.5e-7"), 1, "another" },
    { DOC("null"), 1, "null" },
    { DOC(" {\"a\" : [ 1, 2 ] }\r\n\t"), 1, "with white space" },
    { DOC("{\"a\":1,\"a\":2}"), 1, "a key twice" },
    { DOC("{\"工\":\"\\u0000\\n\"}"), 1, "with escapes" },
    { DOC("{\"\":1}"), 1, "an empty key" },
    { DOC("123456789012345678901234567890"), 1, "a long number" },
    { DOC("[1.7976931348623157e308]"), 1, "a large number" },
    { DOC(""), 0, "nothing" },
    { DOC(" \n"), 0, "white space" },
    { DOC("{"), 0, "half an object" },
    { DOC("{} x"), 0, "something behind" },
    { DOC("{}{}"), 0, "two values" },
    { DOC("{'a':1}"), 0, "other quotes" },
    { DOC("{a:1}"), 0, "a key without quotes" },
    { DOC("[1,]"), 0, "a comma at the end" },
    { DOC("[01]"), 0, "a leading zero" },
    { DOC("[NaN]"), 0, "NaN" },
    { DOC("[1] // c"), 0, "a comment" },
    { DOC("{}\0"), 0, "a NUL behind" },
    { DOC("{}\xef\xbb\xbf"), 0, "a byte order mark behind" },
    { DOC("[\"\xff\"]"), 0, "no UTF-8" },
    { DOC("[\"a\nb\"]"), 0, "a raw line feed" },
    { DOC("\"\\x\""), 0, "a bad escape" }
};


#define OBJECT_HEAD  "{\"id\":\"id-1\",\"content\":"


/* Whether the content of "object" is these bytes, as they are. */

static int
embedded(const result_t *res, const uint8_t *src, size_t len)
{
    size_t  n;

    n = sizeof(OBJECT_HEAD) - 1;

    return res->len > n + len && memcmp(res->data, OBJECT_HEAD, n) == 0
           && memcmp(res->data + n, src, len) == 0
           && memcmp(res->data + n + len, ",\"type\":", 8) == 0;
}


static void
set_document(scene_t *s, size_t len, unsigned size_known)
{
    set_scene(s, "object", ART_KIND_TEXT, "application/json");

    s->conf.json = 1;
    s->view.size = len;
    s->view.size_known = size_known & 1;
}


static void
check_documents(void)
{
    int              good;
    size_t           i, len;
    scene_t          s;
    const uint8_t   *src;

    for (i = 0; i < nitems(documents); i++) {
        src = (const uint8_t *) documents[i].bytes;
        len = documents[i].len;

        set_document(&s, len, i & 1);

        good = render(&ref, &s, src, len, &whole)
               && (documents[i].valid ? embedded(&ref, src, len)
                                      : holds(&ref, &s, src, len))
               && render(&got, &s, src, len, &bytewise) && same(&got, &ref)
               && render(&got, &s, src, len, &random_pieces)
               && same(&got, &ref);

        if (!ok(good, "a JSON document: %s", documents[i].name)) {
            diag_mem("got", ref.data, ref.len);
        }

        set_scene(&s, "route", ART_KIND_TEXT, "application/json");
        s.conf.json = 1;
        good = render(&ref, &s, src, len, &whole)
               && holds(&ref, &s, src, len);

        ok(good, "in \"route\" it is a text: %s", documents[i].name);
    }
}


/* The largest document that is embedded, and one byte more. */

static void
check_large_documents(void)
{
    size_t    len, f;
    scene_t   s;
    unsigned  known;

    static const feed_t  feeds[] = {
        { LEN_MAX, OUT_MAX, 0 }, { 4096, 8192, 0 }, { 65536, 4096, 0 },
        { 9000, 5000, 1 }
    };

    memset(content, 'a', sizeof(content));
    content[0] = '"';

    for (len = ART_RENDER_JSON_MAX; len <= ART_RENDER_JSON_MAX + 1; len++) {
        content[len - 1] = '"';

        for (known = 0; known <= 1; known++) {
            for (f = 0; f < nitems(feeds); f++) {
                set_document(&s, len, known);

                ok(render(&ref, &s, content, len, &feeds[f])
                   && (len > ART_RENDER_JSON_MAX
                       ? holds(&ref, &s, content, len)
                       : embedded(&ref, content, len)),
                   "%zu bytes of JSON, size %sknown, fed in way %zu", len,
                   known ? "" : "un", f);
            }
        }

        content[len - 1] = 'a';
    }
}


static void
check_odd_documents(void)
{
    size_t          len;
    scene_t         s;
    const uint8_t  *src;

    src = (const uint8_t *) "\xef\xbb\xbf[1, 2]";

    set_document(&s, 9, 1);
    ok(render(&ref, &s, src, 9, &whole) && embedded(&ref, src + 3, 6),
       "a byte order mark is no part of JSON");

    src = (const uint8_t *) "[1, 2]";

    set_document(&s, 6, 1);
    s.conf.charset = "UTF-16LE";
    ok(render(&ref, &s, src, 6, &whole) && !embedded(&ref, src, 6),
       "JSON in another charset is a text");

    set_document(&s, 6, 1);
    s.conf.text_max = 6;
    ok(render(&ref, &s, src, 6, &whole) && embedded(&ref, src, 6),
       "JSON as long as a text may be");

    s.conf.text_max = 5;
    ok(render(&ref, &s, src, 6, &whole) && holds(&ref, &s, src, 6)
       && ref.truncated, "longer JSON is a text that is cut");

    set_document(&s, 6, 0);
    s.conf.text_max = 5;
    ok(render(&ref, &s, src, 6, &bytewise) && holds(&ref, &s, src, 6)
       && ref.truncated, "also when its size is not known");

    /* RFC 8259 section 6 sets no limit to numbers */

    memset(content, '9', 400);
    set_document(&s, 400, 1);
    ok(render(&ref, &s, content, 400, &whole) && embedded(&ref, content, 400),
       "a JSON number of 400 digits");

    src = (const uint8_t *) "[1e999]";
    len = strlen((const char *) src);
    set_document(&s, len, 1);
    ok(render(&ref, &s, src, len, &whole) && embedded(&ref, src, len),
       "a JSON number beyond doubles");
}


/* Random documents, some of them damaged. */

static void
check_random_documents(void)
{
    int       valid;
    size_t    i, k, len;
    json_t   *json;
    scene_t   s;
    unsigned  failed, values;

    static const char  chars[] = "{}[]\",:\\ 1ae\n";

    failed = 0;
    values = 0;

    for (i = 0; i < 1500 && failed == 0; i++) {
        len = (size_t) sprintf((char *) content, "{\"a\":[1,{\"b\":\"%c\"},"
                               "%zu]}%s", (int) ('a' + tap_below(26)),
                               tap_below(1000), i % 5 ? "" : "\n");

        for (k = i % 3; k > 0; k--) {
            content[tap_below(len)] = (uint8_t) chars[tap_below(13)];
        }

        json = json_loadb((char *) content, len, JSON_DECODE_ANY, NULL);
        valid = json != NULL;
        json_decref(json);
        values += (unsigned) valid;

        set_document(&s, len, (unsigned) tap_below(2));

        failed += !render(&ref, &s, content, len, &whole)
                  || embedded(&ref, content, len) != valid
                  || (!valid && !holds(&ref, &s, content, len))
                  || !render(&got, &s, content, len, &random_pieces)
                  || !same(&got, &ref);
    }

    if (!ok(failed == 0, "random JSON documents")) {
        report(&s, len);
    }

    ok(values > 300 && values < 1450, "of both sorts a good part");
}


int
main(void)
{
    check_documents();
    check_large_documents();
    check_odd_documents();
    check_random_documents();

    free(ref.data);
    free(got.data);

    return done();
}
