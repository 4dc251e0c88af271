
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Parameters of headers and arguments of queries, and the names in a
 * Content-Disposition.
 */


#include "core/form/art_pair.h"
#include "exact.h"
#include "tap.h"


#define ROUNDS  20000

#define IN(text)  text, sizeof(text) - 1


typedef struct {
    const char  *text;
    size_t       len;
    const char  *want;       /* "[name=value]" each, a quoted one in quotes */
    const char  *name;
} pair_case_t;


static const pair_case_t  params[] = {
    { IN("a/b; c=d"), "[c=d]", "a token" },
    { IN("a/b;c=d;e=f"), "[c=d][e=f]", "two, without white space" },
    { IN("a/b \t;\t c=d \t;e=f\t"), "[c=d][e=f]", "white space around them" },
    { IN("a/b; c = d; e= \"f\""), "[c=d][e=\"f\"]", "white space around =" },
    { IN("a/b; c=\"d;e=f\"; g=h"), "[c=\"d;e=f\"][g=h]",
      "a semicolon in quotes" },
    { IN("a/b; c=\"\\\";d=e\\\\\"; f=g"), "[c=\"\\\";d=e\\\\\"][f=g]",
      "quotes in quotes" },
    { IN("a/b; c=\"d\" e=f;g=\"\"h"), "[c=\"d\"][g=\"\"]",
      "what follows quotes is none" },
    { IN("a/b; c=d e=f; g=h"), "[c=d][g=h]", "nor what follows a token" },
    { IN("a/b; c=d\"e;f=g\""), "[c=d\"e][f=g\"]", "quotes within a token" },
    { IN("a/b;; ;c=d; ;"), "[c=d]", "empty ones" },
    { IN("a/b; c; d=; =e"), "[c=][d=][=e]", "no value, no name" },
    { IN("a/b; c=d=e"), "[c=d=e]", "the first = counts" },
    { IN("a/b; c=\"d"), "[c=\"d\"]", "an open quote" },
    { IN("a/b; c=\"d\\"), "[c=\"d\\\"]", "a backslash at its end" },
    { IN("a/b; c=\""), "[c=\"\"]", "nothing after a quote" },
    { IN("a/b; c="), "[c=]", "nothing after =" },
    { IN("a/b;"), "", "nothing after ;" },
    { IN("c=d"), "", "what is before ; is none" },
    { IN(""), "", "no header" }
};


static const pair_case_t  queries[] = {
    { IN("a=b"), "[a=b]", "an argument" },
    { IN("a=b&c=d&a=e"), "[a=b][c=d][a=e]", "several" },
    { IN("a&b=&=c"), "[a=][b=][=c]", "no value, no name" },
    { IN("a==b&c=d=e"), "[a==b][c=d=e]", "the first = counts" },
    { IN("&&a=b&"), "[=][=][a=b]", "empty ones" },
    { IN("a=%26b+c;d"), "[a=%26b+c;d]", "nothing is decoded" },
    { IN("&"), "[=]", "a lone &" },
    { IN(""), "", "no query" }
};


static const struct {
    const char  *text;
    size_t       len;
    const char  *header;
    const char  *form;
    const char  *name;
} texts[] = {
    { IN(";x=a%22\\b"), "a%22\\b", "a%22\\b", "a token stays" },
    { IN(";x=\"a\\\"b\\\\c\""), "a\"b\\c", "a\"b\\c", "escaped quotes" },
    { IN(";x=\"C:\\dir\\\""), "C:dir\"", "C:\\dir\"", "backslashes of a path" },
    { IN(";x=\"%22%0d%0A%5c%7F\""), "%22%0d%0A%5c%7F", "\"\r\n\\\x7f",
      "escapes of forms" },
    { IN(";x=\"%41%e4%2\""), "%41%e4%2", "%41%e4%2", "others are none" },
    { IN(";x=\"\\"), "\\", "\\", "a backslash alone" }
};


static const struct {
    const char  *text;
    size_t       len;
    const char  *want;       /* "name|filename"; "-": none */
} names[] = {
    { IN("form-data; name=a; filename=\"b c\""), "a|b c" },
    { IN("form-data; filename=b; NAME=\"a\""), "a|b" },
    { IN("form-data; filename=\"\""), "-|" },
    { IN("form-data; filename"), "-|" },
    { IN("form-data"), "-|-" },
    { IN("x; name=; name=a; name=b; filename=; filename=c; filename=d"),
      "a|c" },
    { IN("x; filename=a; filename*=UTF-8'en'b%20c; filename=d"), "-|b c" },
    { IN("x; filename*=utf-8''a; filename*=utf-8''b; filename=c"), "-|a" },
    { IN("x; filename*=\"utf-8''a\"; filename=b"), "-|b" },
    { IN("x; filename*=utf-8''%zz; filename=b"), "-|b" },
    { IN("x; filename=b; filename*=utf-8''"), "-|b" },
    { IN("x; filename=b; filename*=utf-8'"), "-|b" },
    { IN("x; filename*=latin1''a"), "-|-" }
};


static void
append(char *dst, size_t *len, art_str_t s)
{
    if (s.len > 0) {
        memcpy(dst + *len, s.data, s.len);
    }

    *len += s.len;
}


static void
check_pairs(const pair_case_t *cases, size_t n,
    int (*next)(art_str_t *rest, art_pair_t *pair))
{
    char        got[400];
    size_t      i, len;
    uint8_t    *copy;
    art_str_t   rest;
    art_pair_t  pair;

    for (i = 0; i < n; i++) {
        len = 0;
        copy = exact(cases[i].text, cases[i].len);
        rest = art_str(copy, cases[i].len);

        while (next(&rest, &pair)) {
            append(got, &len, art_cstr("["));
            append(got, &len, pair.name);
            append(got, &len, art_cstr(pair.quoted ? "=\"" : "="));
            append(got, &len, pair.value);
            append(got, &len, art_cstr(pair.quoted ? "\"]" : "]"));
        }

        is_mem(got, len, cases[i].want, strlen(cases[i].want), cases[i].name);
        free(copy);
    }
}


static void
check_texts(void)
{
    size_t       i, n;
    uint8_t     *copy, *dst;
    unsigned     form;
    art_str_t    rest;
    art_pair_t   pair;
    const char  *want;

    for (i = 0; i < nitems(texts); i++) {
        for (form = 0; form < 2; form++) {
            copy = exact(texts[i].text, texts[i].len);
            rest = art_str(copy, texts[i].len);
            want = form ? texts[i].form : texts[i].header;

            (void) art_param_next(&rest, &pair);

            dst = exact(NULL, pair.value.len);
            n = art_param_text(dst, &pair, form);
            is_mem(dst, n, want, strlen(want), texts[i].name);

            free(copy);
            free(dst);
        }
    }
}


static void
put_names(char *got, size_t *len, art_str_t name, art_str_t filename)
{
    append(got, len, name.data ? name : art_cstr("-"));
    append(got, len, art_cstr("|"));
    append(got, len, filename.data ? filename : art_cstr("-"));
}


/* Elsewhere, and where they stand. */

static void
check_names(void)
{
    char        got[200];
    size_t      i, len;
    uint8_t    *copy, *dst;
    unsigned    there;
    art_str_t   name, filename;

    for (i = 0; i < nitems(names); i++) {
        for (there = 0; there < 2; there++) {
            copy = exact(names[i].text, names[i].len);
            dst = there ? copy : exact(NULL, names[i].len);

            art_param_names(art_str(copy, names[i].len), dst, 0, &name,
                            &filename);

            len = 0;
            put_names(got, &len, name, filename);
            is_mem(got, len, names[i].want, strlen(names[i].want),
                   names[i].text);

            if (dst != copy) {
                free(dst);
            }

            free(copy);
        }
    }
}


static void
check_find(void)
{
    art_str_t  query, got;

    query = art_cstr("ab=1&a=2&a=3&c&d=");

    got = art_query_find(query, "a");
    is_mem(got.data, got.len, "2", 1, "the first argument of a name");
    ok(art_query_find(query, "c").data != NULL
       && art_query_find(query, "c").len == 0, "one without =");
    ok(art_query_find(query, "d").data != NULL
       && art_query_find(query, "d").len == 0, "one without a value");
    ok(art_query_find(query, "b").data == NULL, "no such one");
    ok(art_query_find(query, "A").data == NULL, "its case counts");
    ok(art_query_find(art_str(NULL, 0), "a").data == NULL, "of no query");
}


/*
 * What is written is read: names and values of any bytes, in quotes, with white
 * space and empty parameters between them.
 */

static void
check_random(void)
{
    size_t      i, k, n, len, round, wrong;
    uint8_t     text[1200], values[6][24], *copy, got[64];
    size_t      lens[6];
    art_str_t   rest;
    art_pair_t  pair;

    static const char *const  between[] = {
        ";", "; ", " ;\t", ";;", "; ; ", " x;"
    };

    wrong = 0;

    for (round = 0; round < ROUNDS; round++) {
        n = tap_below(6);
        len = (size_t) sprintf((char *) text, "a/b");

        for (i = 0; i < n; i++) {
            len += (size_t) sprintf((char *) text + len, "%sn%zu=\"",
                                    between[tap_below(nitems(between))], i);
            lens[i] = tap_below(sizeof(values[0]));

            for (k = 0; k < lens[i]; k++) {
                values[i][k] = tap_below(2) ? (uint8_t) tap_rand()
                               : (uint8_t) "\";\\= \t%a"[tap_below(8)];

                if (values[i][k] == '"' || values[i][k] == '\\') {
                    text[len++] = '\\';
                }

                text[len++] = values[i][k];
            }

            text[len++] = '"';
        }

        copy = exact(text, len);
        rest = art_str(copy, len);

        for (i = 0; art_param_next(&rest, &pair); i++) {
            k = art_param_text(got, &pair, 0);

            wrong += i >= n || !pair.quoted || k != lens[i]
                     || memcmp(got, values[i], k) != 0
                     || pair.name.len != 2 || pair.name.data[1] != '0' + i;
        }

        wrong += i != n;
        free(copy);
    }

    is_int((long long) wrong, 0, "random parameters are read as written");
}


int
main(void)
{
    check_pairs(params, nitems(params), art_param_next);
    check_pairs(queries, nitems(queries), art_query_next);
    check_texts();
    check_names();
    check_find();
    check_random();

    return done();
}
