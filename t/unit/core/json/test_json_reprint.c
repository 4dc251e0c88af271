
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <jansson.h>

#include "core/json/art_json_members.h"
#include "core/json/art_json_reprint.h"
#include "tap.h"


#define ROUNDS  2000


static const struct {
    const char  *text;
    const char  *compact;
    const char  *pretty;         /* within one array, indented by 2 */
} texts[] = {
    { " 1 ", "1", "1" },
    { "[ ]", "[]", "[]" },
    { "{\n}", "{}", "{}" },
    { "\"a \\\" \\\\\"", "\"a \\\" \\\\\"", "\"a \\\" \\\\\"" },
    { "[1 ,-2.50e+3,\ttrue ]", "[1,-2.50e+3,true]",
      "[\n    1,\n    -2.50e+3,\n    true\n  ]" },
    { "{\"a,\" : [{}] , \"b\":\" : \"}", "{\"a,\":[{}],\"b\":\" : \"}",
      "{\n    \"a,\": [\n      {}\n    ],\n    \"b\": \" : \"\n  }" }
};


static art_str_t
reprint(uint8_t *buf, size_t room, art_str_t text, unsigned indent,
    unsigned depth)
{
    art_out_t  out, none;

    out = art_out(buf, room);
    none = art_out(NULL, 0);

    art_json_reprint(&out, text, indent, depth);
    art_json_reprint(&none, text, indent, depth);

    return art_str(buf, out.len == none.len ? out.len : 0);
}


static json_t *
value(unsigned depth)
{
    json_t    *node;
    char       key[16];
    unsigned   i, n;

    n = (unsigned) tap_below(4);

    switch (tap_below(depth > 4 ? 3 : 5)) {

    case 0:
        return json_integer((json_int_t) tap_below(1000));

    case 1:
        return json_string(n ? "a \"b\" \\ \n, [x]: {y}" : "");

    case 2:
        return n ? json_true() : json_null();

    case 3:
        for (node = json_array(), i = 0; i < n; i++) {
            json_array_append_new(node, value(depth + 1));
        }

        return node;

    default:
        for (node = json_object(), i = 0; i < n; i++) {
            snprintf(key, sizeof(key), "k%u", i);
            json_object_set_new(node, key, value(depth + 1));
        }

        return node;
    }
}


/* What jansson prints in any of its ways becomes what it prints in the other */

static void
check_random(void)
{
    char       *texts[2];
    size_t      i, wrong;
    json_t     *node;
    uint8_t     buf[65536];
    art_str_t   s;

    wrong = 0;

    for (i = 0; i < ROUNDS; i++) {
        node = value(0);
        texts[0] = json_dumps(node, JSON_ENCODE_ANY|JSON_COMPACT);
        texts[1] = json_dumps(node, JSON_ENCODE_ANY|JSON_INDENT(3));

        s = reprint(buf, sizeof(buf), art_cstr(texts[1]), 0, 0);
        wrong += !art_str_eq(s, art_cstr(texts[0]));

        s = reprint(buf, sizeof(buf), art_cstr(texts[0]), 3, 0);
        wrong += !art_str_eq(s, art_cstr(texts[1]));

        free(texts[0]);
        free(texts[1]);
        json_decref(node);
    }

    is_int((long long) wrong, 0, "as jansson prints them");
}


/* Nothing is written outside, and the depth of a text takes no time. */

static void
check_bounds(void)
{
    size_t      i;
    uint8_t     buf[4001], room[8];
    art_out_t   out;

    memset(buf, '[', 2000);
    memset(buf + 2000, ']', 2000);

    memset(room, 'x', sizeof(room));
    out = art_out(room, 4);
    art_json_reprint(&out, art_str(buf, 4000), 4, 0);

    ok(memcmp(room, "[\n  xxxx", 8) == 0, "no more than there is room for");

    for (i = 0; i <= 4000; i++) {
        out = art_out(NULL, 0);
        art_json_reprint(&out, art_str(buf, i), 4, 0);
    }

    ok(out.len > 15 * 1000 * 1000, "long: %zu bytes", out.len);
}


static void
check_elements(void)
{
    int                 rc;
    unsigned            i, n;
    art_str_t           s;
    art_json_members_t  elements;

    static const struct {
        const char  *text;
        int          n;          /* elements before ... */
        int          rc;         /* this */
    } arrays[] = {
        { "[]", 0, 0 }, { " [ 1 , [2,3], {\"a\":[]}, \"]\" ] ", 4, 0 },
        { "[1,]", 1, ART_ERROR }, { "[1 2]", 1, 0 },
        { "[\"a\" 2]", 1, ART_ERROR }, { "[,1]", 0, ART_ERROR },
        { "[1", 0, ART_ERROR }, { "[1]x", 1, ART_ERROR },
        { "[", 0, ART_ERROR }, { "{}", -1, 0 }, { "", -1, 0 }
    };

    for (i = 0; i < nitems(arrays); i++) {

        if (art_json_elements(&elements, art_cstr(arrays[i].text)) != ART_OK) {
            is_int(arrays[i].n, -1, arrays[i].text);
            continue;
        }

        for (n = 0; (rc = art_json_element(&elements, &s)) == 1; n++);

        ok((int) n == arrays[i].n && rc == arrays[i].rc, "%s: %u, %d",
           arrays[i].text, n, rc);
    }
}


int
main(void)
{
    size_t     i;
    uint8_t    buf[256];
    art_str_t  s;

    for (i = 0; i < nitems(texts); i++) {
        s = reprint(buf, sizeof(buf), art_cstr(texts[i].text), 0, 7);
        is_mem(s.data, s.len, texts[i].compact, strlen(texts[i].compact),
               texts[i].text);

        s = reprint(buf, sizeof(buf), art_cstr(texts[i].text), 2, 1);
        is_mem(s.data, s.len, texts[i].pretty, strlen(texts[i].pretty),
               texts[i].text);
    }

    check_random();
    check_bounds();
    check_elements();

    return done();
}
