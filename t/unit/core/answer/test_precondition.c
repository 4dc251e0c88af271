
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/answer/art_headers.h"
#include "tap.h"


static void
check_precond(void)
{
    size_t     i;
    char       text[128];
    art_str_t  values[2];

    static const struct {
        art_precondition_t  kind;
        const char         *value;
        const char         *etag;     /* NULL: there is no file */
        int                 want;
    } cases[] = {
#define M   ART_IF_MATCH
#define N   ART_IF_NONE_MATCH
        { M, "*", "\"a\"", 1 },
        { M, " * ", "\"a\"", 1 },
        { M, "*", NULL, 0 },
        { M, "\"a\"", "\"a\"", 1 },
        { M, "\"a\"", NULL, 0 },
        { M, "\"b\" , \"a\"", "\"a\"", 1 },
        { M, ",,\"b\",\t,\"a\",", "\"a\"", 1 },
        { M, "\"b\"", "\"a\"", 0 },
        { M, "W/\"a\"", "\"a\"", 0 },
        { M, "\"a\"", "W/\"a\"", 0 },
        { M, "W/\"a\"", "W/\"a\"", 0 },
        { M, "\"a,b\"", "\"a,b\"", 1 },
        { M, "\"a,b\"", "\"a\"", 0 },
        { M, "\"\"", "\"\"", 1 },
        { M, "\"\x80\"", "\"\x80\"", 1 },
        { M, "", "\"a\"", 0 },
        { M, ",", "\"a\"", 0 },
        { M, "a", "\"a\"", 0 },
        { M, "\"a\" \"a\"", "\"a\"", 0 },
        { M, "\"a\"\"b\"", "\"a\"", 0 },
        { M, "\"a\", *", "\"a\"", 0 },
        { M, "\"a\", b", "\"a\"", 0 },
        { M, "\"a", "\"a\"", 0 },
        { M, "w/\"a\"", "\"a\"", 0 },
        { M, "\"a b\"", "\"a b\"", 0 },
        { N, "*", "\"a\"", 0 },
        { N, "*", NULL, 1 },
        { N, "\"a\"", "\"a\"", 0 },
        { N, "W/\"a\"", "\"a\"", 0 },
        { N, "\"a\"", "W/\"a\"", 0 },
        { N, "\"b\"", "\"a\"", 1 },
        { N, "\"a\"", NULL, 1 },
        { N, "", "\"a\"", 1 },
        { N, "\"b\", W/\"a\"", "\"a\"", 0 },
        { N, "b", "\"a\"", 0 },
        { N, "b", NULL, 0 }
#undef M
#undef N
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        values[0] = art_cstr(cases[i].value);
        sprintf(text, "%s: %s against %s",
                cases[i].kind == ART_IF_MATCH ? "If-Match"
                                                      : "If-None-Match",
                cases[i].value, cases[i].etag ? cases[i].etag : "nothing");

        is_int(art_precondition_holds(cases[i].kind, values, 1,
                                      cases[i].etag != NULL,
                                      cases[i].etag ? art_cstr(cases[i].etag)
                                               : art_str(NULL, 0)),
               cases[i].want, text);
    }

    values[0] = art_cstr("\"b\"");
    values[1] = art_cstr("\"a\"");
    ok(art_precondition_holds(ART_IF_MATCH, values, 2, 1,
                              art_cstr("\"a\"")), "two lines are one list");
    ok(art_precondition_holds(ART_IF_MATCH, NULL, 0, 0,
                              art_str(NULL, 0)), "no line, no condition");
    values[0] = art_cstr("*");
    ok(!art_precondition_holds(ART_IF_MATCH, values, 2, 1,
                               art_cstr("\"a\"")), "* stands alone");
}



int
main(void)
{
    check_precond();

    return done();
}
