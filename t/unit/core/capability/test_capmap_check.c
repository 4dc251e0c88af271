
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Warnings about the platform's own map: names that are probably misspelt, and
 * the lines that warnings are about.
 */


#include "capmap_load.h"


static void
check_names(void)
{
    char           name[16];
    size_t         i;
    const char    *documents[2];
    art_capmap_t  *map;

    static const struct {
        int          line;
        const char  *warning;
        const char  *text;
    } cases[] = {
        { 0, "",
          "{\"services\":[{\"id\":\"a\",\"new\":1,\"capabilities\":"
          "{\"input\":[\"smell\"],\"output\":[\"tool_calling\"]}}]}" },
        { 3, "service \"a\": unknown input capability \"visoin\" (did you "
             "mean \"vision\"?)",
          "{\"services\":[{\"id\":\"a\",\n\"capabilities\":{\"input\":"
          "[\"text\",\n\"visoin\"]}}]}" },
        { 2, "service \"a\": unknown input capability \"vi_sion\" (did you "
             "mean \"vision\"?)",
          "{\"services\":[{\"id\":\"a\",\n\"capabilities\":{\"input\":"
          "[\"vi\\nsion\"]}}]}" },
        { 1, "service \"a\": unknown input capability \"image\" (did you "
             "mean \"vision\"?)\n"
             "service \"a\": unknown output capability \"image\" (did you "
             "mean \"vision\"?)",
          "{\"services\":[{\"id\":\"a\",\"capabilities\":{\"input\":"
          "[\"image\"],\"output\":[\"image\"]}}]}" },
        { 4, "service \"b\": unknown member \"capabilites\" (did you mean "
             "\"capabilities\"?)",
          "{\"services\":[{\"id\":\"a\"}\n,\n{\"id\":\"b\",\n"
          "\"capabilites\":{}}]}" },
        { 2, "service \"a\": unknown member \"input\" (did you mean "
             "\"capabilities\"?)",
          "{\"services\":[{\"id\":\"a\",\n\"input\":[\"vision\"]}]}" },
        { 3, "service \"a\": unknown member \"output\" (did you mean "
             "\"capabilities\"?)",
          "{\"services\":[{\"id\":\"a\",\n\n\"output\":[\"text\"]}]}" },
        { 3, "service \"a\": unknown member \"ouput\" (did you mean "
             "\"output\"?)\n"
             "services[1] has no \"id\", skipped",
          "{\"services\":[{\"id\":\"a\",\"capabilities\":{\"input\":[],\n"
          "\"ouput\":[]}},\n{}]}" },
        { 0, "service \"a\": unknown member \"Model\" (did you mean "
             "\"model\"?)\n"
             "service \"a\" is listed more than once, the last entry counts",
          "{\"services\":[{\"id\":\"a\",\n\"Model\":\"\"},{\"id\":\"a\"}]}" },
        { 1, "service \"a\": \"capabilities.input\" is not an array, text "
             "only assumed",
          "{\"services\":[{\"id\":\"a\",\"capabilities\":{\"input\":7,"
          "\"ouput\":[]}}]}" },
        { 0, "",
          "{\"services\":[{\"id\":\"a\",\"input\":1,"
          "\"capabilities\":{\"input\":[]}}]}" },
        { 1, "service \"a\": unknown member \"ouput\" (did you mean "
             "\"output\"?)",
          "{\"services\":[{\"id\":\"a\",\"capabilities\":{\"input\":[],"
          "\"ouput\":[]}}]}" },
        { 2, "unknown member \"agent\" (did you mean \"agents\"?)",
          "{\"services\":[],\n\"agent\":[]}" },
        { 0, "",
          "{\"services\":[{\"id\":\"a\",\"model\":\"m\",\"models\":[]}]}" },
        { 4, "services[1] has no \"id\", skipped",
          "{\"agents\":[],\n\"services\":\n[{\"id\":\"a\"},\n{}]}" },
        { 3, "agents[1] is not an object, skipped",
          "{\"services\":[{\"id\":\"a\"}],\"agents\":[\n{\"id\":\"b\","
          "\"serviceId\":\"a\"},\n7]}" },
        { 1, "service \"a\": \"capabilities.input\" is not an array, text "
             "only assumed",
          "{\"services\":[{\"id\":\"a\",\"capabilities\":{\"input\":"
          "\"image\"}}]}" },
        { 0, "service \"a\" is listed more than once, the last entry counts",
          "{\"services\":[{\"id\":\"a\"},\n{\"id\":\"a\"}]}" },
        { 0, "service \"a\": \"architecture.input_modalities\" is not an "
             "array, text only assumed",
          "{\"data\":[{\"id\":\"a\",\"architecture\":"
          "{\"input_modalities\":5}}]}" }
    };

    documents[1] = NULL;

    for (i = 0; i < nitems(cases); i++) {
        documents[0] = cases[i].text;
        map = load_all(documents);

        snprintf(name, sizeof(name), "case %zu", i);

        is_str(warnings, cases[i].warning, name);
        is_int(warned_line, cases[i].line, "  its line");

        art_capmap_destroy(map);
    }
}


/* Lines are counted on from entry to entry. */

static void
check_many(void)
{
    char        *text;
    size_t       i, len, room;
    const char  *documents[2];

    enum { N = 20000 };

    room = N * 40 + 100;
    text = malloc(room);
    len = (size_t) snprintf(text, room, "{\"services\":[");

    for (i = 0; i < N; i++) {
        len += (size_t) snprintf(text + len, room - len,
                                 "%s{\"id\":\"%zu\",\"Model\":0}",
                                 i > 0 ? ",\n" : "", i);
    }

    (void) snprintf(text + len, room - len, ",\n5]}");

    documents[0] = text;
    documents[1] = NULL;

    art_capmap_destroy(load_all(documents));

    ok(strncmp(warnings, "service \"0\": unknown member \"Model\"", 35) == 0,
       "many warnings");
    is_int(warned_line, N + 1, "the line of the last one");

    free(text);
}


/* To find the line of one, the text is read from its beginning. */

static void
check_bound(void)
{
    char        *text;
    size_t       i, len, room;
    const char  *documents[2];

    enum { N = 600 };

    room = N * 20 + 100;
    text = malloc(room);
    len = (size_t) snprintf(text, room, "{\"services\":[]");

    for (i = 0; i < N; i++) {
        len += (size_t) snprintf(text + len, room - len,
                                 ",\n\"a%cgent%cs\":0",
                                 'a' + (int) (i / 26), 'a' + (int) (i % 26));
    }

    (void) snprintf(text + len, room - len, "}");

    documents[0] = text;
    documents[1] = NULL;

    art_capmap_destroy(load_all(documents));

    is_int(nwarnings, 8, "only so many names of an object are judged");

    free(text);
}


int
main(void)
{
    check_names();
    check_many();
    check_bound();

    return done();
}
