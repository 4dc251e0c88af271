
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <jansson.h>

#include "core/json/art_json_put.h"
#include "core/json/art_json_members.h"
#include "tap.h"


#define ROUNDS  2000


static const struct {
    const char  *text;
    const char  *compact;
} texts[] = {
    { " 1 ", "1" },
    { "[ ]", "[]" },
    { "{\n}", "{}" },
    { "\"a \\\" \\\\\"", "\"a \\\" \\\\\"" },
    { "\t[1 ,-2.50e+3,\r\n\ttrue ]", "[1,-2.50e+3,true]" },
    { "{\"a,\" : [{}] , \"b\":\" : \"}", "{\"a,\":[{}],\"b\":\" : \"}" }
};


static art_str_t
compact(uint8_t *buf, size_t room, art_str_t text)
{
    art_out_t  out, none;

    out = art_out(buf, room);
    none = art_out(NULL, 0);

    art_json_compact(&out, text);
    art_json_compact(&none, text);

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


/* What jansson prints in any of its ways becomes what it prints compactly. */

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

        s = compact(buf, sizeof(buf), art_cstr(texts[1]));
        wrong += !art_str_eq(s, art_cstr(texts[0]));

        s = compact(buf, sizeof(buf), art_cstr(texts[0]));
        wrong += !art_str_eq(s, art_cstr(texts[0]));

        free(texts[0]);
        free(texts[1]);
        json_decref(node);
    }

    is_int((long long) wrong, 0, "as jansson prints them");
}


/* Nothing is written outside, and nothing is read behind what was cut. */

static void
check_bounds(void)
{
    size_t      i;
    uint8_t     room[8], *cut;
    art_out_t   out;

    static const char  text[] = "[ {\"a\\\\\\\"\" : 1} ]";

    memset(room, 'x', sizeof(room));
    out = art_out(room, 4);
    art_json_compact(&out, art_cstr(text));

    ok(memcmp(room, "[{\"axxxx", 8) == 0, "no more than there is room for");

    for (i = 0; i <= sizeof(text) - 1; i++) {
        cut = malloc(i + 1);
        memcpy(cut, text, i);

        out = art_out(NULL, 0);
        art_json_compact(&out, art_str(cut, i));

        ok(out.len <= i, "%zu bytes of %zu", out.len, i);
        free(cut);
    }
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
    char       name[64];
    size_t     i;
    uint8_t    buf[256];
    art_str_t  s;

    for (i = 0; i < nitems(texts); i++) {
        s = compact(buf, sizeof(buf), art_cstr(texts[i].text));
        (void) snprintf(name, sizeof(name), "text %zu", i);
        is_mem(s.data, s.len, texts[i].compact, strlen(texts[i].compact),
               name);
    }

    check_random();
    check_bounds();
    check_elements();

    return done();
}
