
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Several capability maps in turn, the agents in them, and the limits of
 * entries and for entries.
 */


#include "core/capability/art_capmap.h"
#include "capmap_load.h"
#include "tap.h"


/* A later map wins per id, and where as much is dropped. */

static void
check_layers(void)
{
    art_capmap_t        *map;
    art_capmap_error_t   err;
    art_suggestions_t    s;

    static const char *const  documents[] = {
        "{\"a/m\":{\"mode\":\"chat\"},\"b/m\":{\"mode\":\"chat\"}}",
        "{\"data\":[{\"id\":\"a/m\",\"architecture\":{\"input_modalities\":"
        "[\"image\"]}}]}", NULL
    };

    map = load_all(documents);
    is_str(warnings, "", "a later map replaces without a warning");
    is_int((long long) art_capmap_count(map), 2, "one service an id");
    is_str(found(map, "a/m"), "a/m: vision | text", "the later one");
    is_str(found(map, "m"), "a/m: vision | text",
           "by its part too: it was added last");
    is_str(found(map, "c/m"), "a/m: vision | text", "of any provider");

    (void) art_capmap_add(map, art_cstr("{\"services\":[{\"id\":\"own\","
                                        "\"capabilities\":{\"input\":"
                                        "[\"vision\"]}},{\"id\":\"b/m\"}],"
                                        "\"agents\":[{\"id\":\"seer\","
                                        "\"serviceId\":\"own\"},{\"id\":"
                                        "\"reader\",\"serviceId\":\"b/m\"},"
                                        "{\"id\":\"eye\",\"serviceId\":"
                                        "\"x/m\"},{\"id\":\"lost\","
                                        "\"serviceId\":\"nothing\"}]}"),
                          warn, WARN_DATA, &err);
    is_str(warnings, "", "a third map");
    ok(art_capmap_find(map, art_cstr("c/m")) == NULL
       && art_capmap_find(map, art_cstr("own")) != NULL,
       "between add and finish ids are found, parts are not");
    (void) art_capmap_finish(map);

    is_str(found(map, "c/m"), "b/m: text | text", "the part of the last map");

    art_capmap_suggest(map, ART_CAP_VISION, NULL, &s);
    ok(s.nservices == 1 && art_str_eq(s.services[0], art_cstr("own")),
       "own services are suggested, public ones are not");
    ok(s.nagents == 1 && art_str_eq(s.agents[0], art_cstr("seer")),
       "and agents whose service can");

    (void) art_capmap_add(map, art_cstr("{\"services\":[],\"agents\":[7,{},"
                                        "{\"id\":\"reader\",\"serviceId\":"
                                        "\"a/m\"},{\"id\":\"\",\"serviceId\":"
                                        "\"a\"},{\"id\":\"x\",\"serviceId\":"
                                        "5}]}"), warn, WARN_DATA, &err);
    (void) art_capmap_finish(map);
    is_str(warnings, "agents[0] is not an object, skipped\n"
           "agents[1] lacks a non-empty string \"id\" or \"serviceId\", "
           "skipped\n"
           "agents[3] lacks a non-empty string \"id\" or \"serviceId\", "
           "skipped\n"
           "agents[4] lacks a non-empty string \"id\" or \"serviceId\", "
           "skipped", "agents that are none");

    art_capmap_suggest(map, ART_CAP_VISION,
                       art_capmap_find(map, art_cstr("own")), &s);
    ok(s.nservices == 0
       && s.nagents == 2 && art_str_eq(s.agents[1], art_cstr("reader")),
       "a later map replaces an agent; the service that asks is left out");

    art_capmap_destroy(map);
}


/* A list of agents that is too long, and a value that is not a list. */

static void
check_agents(void)
{
    int            i, n;
    char          *text;
    art_capmap_t  *map;

    text = malloc(400000);
    n = snprintf(text, 400000, "{\"services\":[],\"agents\":[0");

    for (i = 0; i < 10000; i++) {
        n += snprintf(text + n, 100, ",%d", i);
    }

    snprintf(text + n, 100, "]}");
    map = load(text);
    is_str(warnings, "key \"agents\" has more than 10000 elements, ignored",
           "agents without end");
    art_capmap_destroy(map);
    free(text);

    map = load("{\"services\":[],\"agents\":{}}");
    is_str(warnings, "key \"agents\" is not an array, ignored",
           "agents that are no array");
    art_capmap_destroy(map);
}


static void
check_entries(void)
{
    size_t                i;
    art_capmap_t         *map;
    const art_service_t  *s;

    static const struct {
        const char  *entry;
        const char  *accepts;
        uint64_t     max_bytes;
        const char  *warning;
    } cases[] = {
        { "", "", 0, "" },
        { ",\"accepts\":[\"image/png\",\"image/*\",\"IMAGE/JPG\","
          "\"application/octet-stream\"],\"maxBytes\":3932160",
          "image/png image/* image/jpeg application/octet-stream ", 3932160,
          "" },
        { ",\"maxBytes\":9007199254740992", "", 9007199254740992, "" },
        { ",\"accepts\":\"image/png\",\"maxBytes\":\"20m\"", "", 0,
          "service \"a\": \"accepts\" is not an array, ignored\n"
          "service \"a\": \"maxBytes\" is not a positive whole number, "
          "ignored" },
        { ",\"accepts\":[],\"maxBytes\":0", "", 0,
          "service \"a\": \"accepts\" is empty, ignored\n"
          "service \"a\": \"maxBytes\" is not a positive whole number, "
          "ignored" },
        { ",\"accepts\":[\"image/png\",\"png\"],\"maxBytes\":1.5", "", 0,
          "service \"a\": \"accepts\" holds what is not a media type, "
          "ignored\nservice \"a\": \"maxBytes\" is not a positive whole "
          "number, ignored" },
        { ",\"accepts\":[\"image/png\",5],\"maxBytes\":-1", "", 0,
          "service \"a\": \"accepts[1]\" is not a non-empty string, "
          "ignored\nservice \"a\": \"maxBytes\" is not a positive whole "
          "number, ignored" },
        { ",\"format\":5,\"model\":[\"m\"],\"name\":{},\"description\":true,"
          "\"capabilityTags\":\"x\"", "", 0,
          "service \"a\": \"name\" is not a string, ignored\n"
          "service \"a\": \"model\" is not a string, ignored\n"
          "service \"a\": \"description\" is not a string, ignored\n"
          "service \"a\": \"format\" is not a string, ignored\n"
          "service \"a\": \"capabilityTags\" is not an array, ignored" },
        { ",\"capabilityTags\":[\"x\",7]", "", 0,
          "service \"a\": \"capabilityTags[1]\" is not a non-empty string, "
          "ignored" },
        { ",\"format\":null,\"model\":null,\"name\":null,\"description\":"
          "null,\"capabilityTags\":null", "", 0, "" },
        { ",\"accepts\":[\"*/*\"],\"maxBytes\":1e300", "", 0,
          "service \"a\": \"accepts\" holds what is not a media type, "
          "ignored\nservice \"a\": \"maxBytes\" is not a positive whole "
          "number, ignored" },
        { ",\"maxSide\":0,\"maxBytes\":7,\"maxMedia\":2.5", "", 7,
          "service \"a\": \"maxSide\" is not a positive whole number, "
          "ignored\nservice \"a\": \"maxMedia\" is not a positive whole "
          "number, ignored" },
        { ",\"maxSide\":\"8000\",\"maxMedia\":null", "", 0,
          "service \"a\": \"maxSide\" is not a positive whole number, "
          "ignored\nservice \"a\": \"maxMedia\" is not a positive whole "
          "number, ignored" },
        { ",\"toolMedia\":\"true\"", "", 0,
          "service \"a\": \"toolMedia\" is neither true nor false, ignored" }
    };

    for (i = 0; i < nitems(cases); i++) {
        char      line[512], all[256];
        size_t    len;
        unsigned  k;

        snprintf(line, sizeof(line), "{\"services\":[{\"id\":\"a\"%s}]}",
                 cases[i].entry);
        map = load(line);
        s = art_capmap_get(map, 0);
        all[0] = '\0';
        len = 0;

        for (k = 0; k < s->naccepts; k++) {
            len += (size_t) snprintf(all + len, sizeof(all) - len, "%.*s ",
                                     (int) s->accepts[k].len,
                                     (const char *) s->accepts[k].data);
        }

        is_str(all, cases[i].accepts, line);
        is_str(warnings, cases[i].warning, "  its warnings");
        ok(s->max_bytes == cases[i].max_bytes
           && (s->accepts == NULL) == (s->naccepts == 0), "  its size");

        art_capmap_destroy(map);
    }
}


/* What each of the numbers limits; an entry says nothing about the others. */

static void
check_numbers(void)
{
    art_capmap_t         *map;
    const art_service_t  *s;

    map = load("{\"services\":[{\"id\":\"a\",\"maxBytes\":1,\"maxSide\":8000,"
               "\"maxMedia\":20,\"toolMedia\":true},{\"id\":\"b\","
               "\"maxSide\":2e3},{\"id\":\"c\",\"toolMedia\":false}]}");
    is_str(warnings, "", "numbers");

    s = art_capmap_get(map, 0);
    ok(s->max_bytes == 1 && s->max_side == 8000 && s->max_media == 20
       && s->tool_media, "all of them");
    s = art_capmap_get(map, 1);
    ok(s->max_bytes == 0 && s->max_side == 2000 && s->max_media == 0, "one");
    s = art_capmap_get(map, 2);
    ok(s->max_bytes == 0 && s->max_side == 0 && s->max_media == 0
       && !s->tool_media, "none");

    art_capmap_destroy(map);
}


/* Entries that are too large are skipped, with a warning. */

static void
check_large(void)
{
    char          *text;
    size_t         i;
    art_capmap_t  *map;

    text = malloc(200000);

    memset(text, 'x', 200000);
    memcpy(text, "{\"services\":[{\"id\":\"a\",\"description\":\"", 38);
    memcpy(text + 70000, "\"},{\"id\":\"", 10);
    memcpy(text + 72000, "\"},{\"id\":\"b\"}]}", 16);
    map = load(text);
    is_int((long long) art_capmap_count(map), 1, "entries too large to keep");
    ok(strstr(warnings, "\"a\" has more than 64 KB of text to keep") != NULL
       && strstr(warnings, "id of more than 1024 bytes") != NULL,
       "are skipped with a warning each");
    art_capmap_destroy(map);

    i = (size_t) snprintf(text, 200, "{\"services\":[{\"id\":\"a\","
                          "\"capabilities\":{\"input\":[\"vision\"");
    while (i < 1000) {
        i += (size_t) snprintf(text + i, 200, ",\"n%zu\"", i);
    }
    snprintf(text + i, 200, "]}}]}");
    map = load(text);
    is_str(found(map, "a"), "a: text | text", "too many capabilities");
    is_str(warnings, "service \"a\": \"capabilities.input\" has more than 64 "
           "names, text only assumed", "  its warning");
    art_capmap_destroy(map);

    free(text);
}


/* What is dropped of both names may differ. */

static void
check_shared(void)
{
    art_capmap_t  *map;

    map = load("{\"services\":[{\"id\":\"m-preview\"},"
               "{\"id\":\"x/a:b:free\"},{\"id\":\"q-preview-2025-01-02\"}]}");

    is_str(found(map, "m-preview-06-05"), "m-preview: text | text",
           "a preview is found with a date");
    is_str(found(map, "r/q-preview-06-05"), "q-preview-2025-01-02: text | text",
           "another date");
    is_str(found(map, "y/a:b"), "x/a:b:free: text | text", "a variant");
    is_str(found(map, "m"), "-", "the model is another");

    art_capmap_destroy(map);
}


/* Agents in a document, so many that only a table finds one quickly. */

static void
check_callers(void)
{
    char               *text;
    size_t              n;
    unsigned            i, bad;
    art_capmap_t       *map;
    art_capmap_lost_t   lost;

    text = malloc(1000000);

    if (text == NULL) {
        exit(2);
    }

    n = (size_t) sprintf(text, "{\"services\":[{\"id\":\"s\"}],\n"
                         "\"agents\":[{\"id\":\"none\","
                         "\"serviceId\":\"t\"},\n"
                         "{\"id\":\"s\",\"serviceId\":\"s\"}");

    for (i = 0; i < 9000; i++) {
        n += (size_t) sprintf(text + n, ",\n{\"id\":\"Agent-%u\","
                              "\"serviceId\":\"s\"}", i);
    }

    (void) sprintf(text + n, ",\n{\"id\":\"last\",\"serviceId\":"
                   "\"Agent-1\"}]}");

    map = load(text);
    bad = 0;

    for (i = 0; i < 9000; i++) {
        (void) sprintf(text, "%sgent-%u", i % 3 ? "A" : "a", i);
        bad += art_capmap_find(map, art_cstr(text)) != art_capmap_get(map, 0);
    }

    is_int(bad, 0, "each agent is found, in either case");
    is_str(found(map, "none"), "-", "one without a service is not");
    is_str(found(map, "agent-9000"), "-", "nor what is no agent");
    is_str(found(map, ""), "-", "nor an empty name");

    i = 0;
    ok(art_capmap_lost(map, &i, &lost) && art_str_eq(lost.id, art_cstr("none"))
       && lost.document == 0 && lost.line == 2, "what has no service is told");
    ok(art_capmap_lost(map, &i, &lost) && art_str_eq(lost.id, art_cstr("last"))
       && lost.line == 9004, "with its line");
    ok(!art_capmap_lost(map, &i, &lost), "and nothing else");

    ok(art_capmap_add(map, art_cstr("{\"services\":[{\"id\":\"T\"}]}"), NULL,
                      NULL, NULL) == ART_OK
       && art_capmap_find(map, art_cstr("agent-1")) == NULL,
       "between add and finish agents are not found");
    (void) art_capmap_finish(map);
    is_str(found(map, "none"), "T: text | text", "then its service is there");

    art_capmap_destroy(map);
    free(text);
}


int
main(void)
{
    check_callers();
    check_layers();
    check_shared();
    check_agents();
    check_entries();
    check_numbers();
    check_large();

    return done();
}
