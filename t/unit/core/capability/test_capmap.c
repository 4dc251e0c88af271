
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Capability maps, case by case: documents good and bad, layers, look-ups,
 * suggestions.
 */


#include <jansson.h>

#include "core/capability/art_capmap.h"
#include "capmap_load.h"
#include "tap.h"


#define SERVICE(id, caps)                                                     \
    "{\"services\":[{\"id\":\"" id "\",\"capabilities\":" caps "}]}"


#define NOMAP                                                                 \
    "no capability map: neither an object with an array \"services\", nor a " \
    "model list of OpenRouter, models.dev or LiteLLM"


static int
add(art_capmap_t *map, const char *text, art_capmap_error_t *err)
{
    no_warnings();

    return art_capmap_add(map, art_cstr(text), warn, WARN_DATA, err);
}


static art_suggestions_t  suggestions;


static unsigned
suggested(const art_capmap_t *map, unsigned needs)
{
    art_capmap_suggest(map, needs, NULL, &suggestions);

    return suggestions.nservices;
}


static const char  design[] =
    "{\"services\":[\n"
    "{\"id\":\"text-model\",\"name\":\"\xe7\xba\xaf\xe6\x96\x87\xe6\x9c\xac\","
    "\"baseURL\":\"https://api.example.com/v1\",\"model\":\"gpt-4\","
    "\"apiKey\":\"sk-secret\",\"capabilityTags\":[\"x\"],\"capabilities\":"
    "{\"input\":[\"text\"],\"output\":[\"text\",\"structured_output\","
    "\"tool_calling\"]},\"description\":\"D1\"},\n"
    "{\"id\":\"vision-model\",\"name\":\"V\",\"model\":\"gpt-4-vision\","
    "\"apiKey\":\"sk-secret\",\"capabilities\":{\"input\":[\"text\","
    "\"vision\"],\"output\":[\"text\",\"structured_output\"]},"
    "\"format\":\"openai\"},\n"
    "{\"id\":\"multimodal-model\",\"model\":\"gemini-pro\",\"capabilities\":"
    "{\"input\":[\"text\",\"vision\",\"audio\",\"file\"],\"output\":[\"text\","
    "\"structured_output\",\"tool_calling\"]}},\n"
    "{\"id\":\"old-model\",\"capabilityTags\":[\"y\"]}],\n"
    "\"agents\":[{\"id\":\"a\",\"serviceId\":\"vision-model\"}]}";


static void
check_design(void)
{
    art_capmap_t         *map;
    const art_service_t  *s;

    map = load(design);

    is_int((long long) nwarnings, 0, "the design's map has no warnings");
    is_int((long long) art_capmap_count(map), 4, "four services");

    s = art_capmap_find(map, art_cstr("text-model"));
    is_str(caps_of(s), "text | text structured_output tool_calling",
           "capabilities of a service");
    is_int((long long) s->input.bits, ART_CAP_TEXT, "input bits");
    is_int((long long) s->output.bits, ART_CAP_TEXT, "output bits");
    is_mem(s->name.data, s->name.len, "\xe7\xba\xaf\xe6\x96\x87\xe6\x9c\xac",
           9, "name");
    is_mem(s->model.data, s->model.len, "gpt-4", 5, "model");
    is_mem(s->description.data, s->description.len, "D1", 2, "description");
    ok(s->format.data == NULL, "no format");
    ok(s == art_capmap_get(map, 0), "first in order");

    s = art_capmap_find(map, art_cstr("gpt-4-vision"));
    is_mem(s->id.data, s->id.len, "vision-model", 12, "found by model name");
    is_int((long long) s->input.bits, ART_CAP_TEXT|ART_CAP_VISION, "bits");
    is_mem(s->format.data, s->format.len, "openai", 6, "format");

    s = art_capmap_find(map, art_cstr("old-model"));
    is_str(caps_of(s), "text | text", "without capabilities: text only");
    ok(s->name.data == NULL && s->model.data == NULL
       && s->description.data == NULL, "absent strings are NULL");

    ok(art_capmap_find(map, art_cstr("nobody")) == NULL, "unknown service");
    ok(art_capmap_find(map, art_cstr("gpt-4-")) == NULL, "part of a model");
    ok(art_capmap_find(map, art_cstr("Text-Model"))
       == art_capmap_get(map, 0), "other case");
    ok(art_capmap_find(map, art_str(NULL, 0)) == NULL, "an empty key");
    ok(art_capmap_get(map, 4) == NULL, "behind the last");

    art_capmap_destroy(map);
}


static void
check_refused(void)
{
    size_t               i;
    art_capmap_t        *map;
    art_capmap_error_t   err;

    static const struct {
        const char  *text;
        int          line;
        int          column;
        const char  *error;
    } cases[] = {
        { "", 1, 1, "'[' or '{' expected near end of file" },
        { "{", 1, 1, "string or '}' expected near end of file" },
        { "{\n\"services\": [\n  {\"id\": \"a\" \"b\"}\n]}", 3, 16,
          "'}' expected" },
        { "{\"services\":[{\"id\":\"a\",\n\"apiKey\" \"sk-secret\"}]}", 2, 20,
          "':' expected" },
        { "{\"services\":[],\n\"services\":[]}", 2, 10,
          "duplicate object key" },
        { "{\"services\":[{\"id\":\"a\",\"id\":\"b\"}]}", 1, 27,
          "duplicate object key" },
        { "{\"services\":[]} x", 1, 17, "end of file expected" },
        { "{\"services\":[sk-secret]}", 1, 15, "invalid token" },
        { "[]", 1, 1, NOMAP },
        { "{}", 1, 1, NOMAP },
        { "{\"services\":{}}", 1, 1, NOMAP },
        { "{\"services\":null}", 1, 1, NOMAP }
    };

    map = load(design);

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        memset(&err, 0, sizeof(err));

        if (!ok(add(map, cases[i].text, &err) == ART_ERROR
                && err.line == cases[i].line && err.column == cases[i].column
                && strcmp(err.text, cases[i].error) == 0,
                "refused: %s", cases[i].error))
        {
            diag("%d:%d: %s", err.line, err.column, err.text);
        }
    }

    is_int((long long) art_capmap_count(map), 4, "the map is as it was");
    ok(art_capmap_find(map, art_cstr("gpt-4")) != NULL, "and still works");

    art_capmap_destroy(map);
}


static void
check_entries(void)
{
    size_t         i;
    art_capmap_t  *map;

    static const struct {
        const char  *text;
        const char  *caps;
        const char  *warning;
    } cases[] = {
        { SERVICE("a", "{\"input\":[\"text\",\"vision\"]}"),
          "text vision | text", "" },
        { SERVICE("a", "{\"output\":[\"audio\"]}"), "text | audio", "" },
        { SERVICE("a", "{\"input\":[],\"output\":[]}"), "|", "" },
        { SERVICE("a", "{\"input\":[\"smell\",\"Vision\",\"smell\"]}"),
          "smell Vision | text",
          "service \"a\": unknown input capability \"Vision\" (did you mean "
          "\"vision\"?)" },
        { SERVICE("a", "{\"input\":[\"vision\"],\"more\":7}"),
          "vision | text", "" },
        { SERVICE("a", "{}"), "text | text",
          "service \"a\": \"capabilities\" has neither \"input\" nor "
          "\"output\", text only assumed" },
        { SERVICE("a", "{\"inputs\":[\"vision\"]}"), "text | text",
          "service \"a\": \"capabilities\" has neither \"input\" nor "
          "\"output\", text only assumed" },
        { SERVICE("a", "[\"vision\"]"), "text | text",
          "service \"a\": \"capabilities\" is not an object, text only "
          "assumed" },
        { SERVICE("a", "null"), "text | text",
          "service \"a\": \"capabilities\" is not an object, text only "
          "assumed" },
        { SERVICE("a", "{\"input\":\"vision\"}"), "text | text",
          "service \"a\": \"capabilities.input\" is not an array, text only "
          "assumed" },
        { SERVICE("a", "{\"input\":[\"vision\"],\"output\":null}"),
          "text | text", "service \"a\": \"capabilities.output\" is not an "
          "array, text only assumed" },
        { SERVICE("vision-model", "{\"input\":[\"vision\",\"\"]}"),
          "text | text", "service \"vision-model\": \"capabilities.input[1]\" "
          "is not a non-empty string, text only assumed" },
        { SERVICE("a", "{\"input\":[\"vision\"],\"output\":[\"x\",\"y\",7]}"),
          "text | text", "service \"a\": \"capabilities.output[2]\" is not a "
          "non-empty string, text only assumed" },
        { SERVICE("a", "{\"input\":[null],\"output\":7}"), "text | text",
          "service \"a\": \"capabilities.input[0]\" is not a non-empty "
          "string, text only assumed" },
        { SERVICE("a\\n\\u001b[1m\\u2028b", "7"), "text | text",
          "service \"a__[1m_b\": \"capabilities\" is not an object, text only "
          "assumed" }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        map = load(cases[i].text);

        is_str(caps_of(art_capmap_get(map, 0)), cases[i].caps, cases[i].text);
        is_str(warnings, cases[i].warning, "  its warning");

        art_capmap_destroy(map);
    }
}


static void
check_skipped(void)
{
    char           text[2048];
    art_capmap_t  *map;

    map = load("{\"services\":[7,{\"id\":\"a\"},{},{\"id\":\"\"},{\"id\":7},"
               "{\"id\":null},[],null,{\"id\":\"b\",\"name\":7,\"model\":[],"
               "\"description\":null,\"format\":{}},{\"name\":\"c\"}]}");

    is_int((long long) art_capmap_count(map), 2, "bad entries are skipped");
    is_str(warnings,
           "services[0] is not an object, skipped\n"
           "services[2] has no \"id\", skipped\n"
           "services[3] has an \"id\" that is not a non-empty string, "
           "skipped\n"
           "services[4] has an \"id\" that is not a non-empty string, "
           "skipped\n"
           "services[5] has an \"id\" that is not a non-empty string, "
           "skipped\n"
           "services[6] is not an object, skipped\n"
           "services[7] is not an object, skipped\n"
           "service \"b\": \"name\" is not a string, ignored\n"
           "service \"b\": \"model\" is not a string, ignored\n"
           "service \"b\": \"format\" is not a string, ignored\n"
           "services[9] has no \"id\", skipped", "with a warning each");
    ok(art_capmap_get(map, 1)->name.data == NULL
       && art_capmap_get(map, 1)->model.data == NULL
       && art_capmap_get(map, 1)->description.data == NULL
       && art_capmap_get(map, 1)->format.data == NULL,
       "fields of a wrong type are absent");
    art_capmap_destroy(map);

    map = load("{\"services\":[],\"agents\":7}");
    is_int((long long) art_capmap_count(map), 0, "an empty map");
    art_capmap_destroy(map);

    map = load("{\"services\":[{\"id\":\"a\\u0000b\"},{\"id\":\"big\","
               "\"maxBytes\":123456789012345678901234567890}]}");
    ok(art_capmap_find(map, art_str("a\0b", 3)) != NULL
       && art_capmap_find(map, art_cstr("a")) == NULL
       && art_capmap_find(map, art_cstr("big")) != NULL,
       "a NUL in an id and big numbers are no error");
    art_capmap_destroy(map);

    memset(text, 'x', sizeof(text));
    memcpy(text, "{\"services\":[{\"capabilities\":1,\"id\":\"", 37);
    memcpy(text + 1000, "\"}]}", 5);
    map = load(text);
    ok(nwarnings == 1 && strlen(warnings) < 400
       && strstr(warnings, "xxx...\": \"capabilities\" is not") != NULL,
       "a long id is cut in a warning");
    is_int((long long) art_capmap_get(map, 0)->id.len, 963, "not in the map");
    art_capmap_destroy(map);

    memcpy(text + 37 + 200, "\"}]}", 5);
    map = load(text);
    ok(nwarnings == 1 && strstr(warnings, "xxx\": \"capabilities\" is not")
                         != NULL, "one of 200 bytes is not");
    art_capmap_destroy(map);

    map = art_capmap_create();
    ok(art_capmap_add(map, art_cstr("{\"services\":[{},{\"id\":\"a\","
                                    "\"capabilities\":1},{\"id\":\"a\"}]}"),
                      NULL, NULL, NULL) == ART_OK
       && art_capmap_count(map) == 1, "nobody needs to hear the warnings");
    ok(art_capmap_find(map, art_cstr("a")) != NULL
       && suggested(map, ART_CAP_TEXT) == 0,
       "an unfinished map finds ids, and suggests nothing");
    art_capmap_destroy(map);

    map = art_capmap_create();
    ok(art_capmap_finish(map) == ART_OK
       && art_capmap_find(map, art_cstr("a")) == NULL
       && art_capmap_count(map) == 0, "a map without documents");
    art_capmap_destroy(map);
    art_capmap_destroy(NULL);
}


static void
check_layers(void)
{
    art_str_t           *ids;
    art_capmap_t        *map;
    art_capmap_error_t   err;

    map = art_capmap_create();

    (void) add(map, "{\"services\":["
               "{\"id\":\"a\",\"model\":\"m\",\"capabilities\":"
               "{\"input\":[\"vision\"]}},"
               "{\"id\":\"b\",\"model\":\"m\",\"capabilities\":"
               "{\"input\":[\"vision\"]}},"
               "{\"id\":\"c\",\"name\":\"C\"}]}", &err);
    is_str(warnings, "", "a first layer");

    (void) add(map, "{\"services\":["
               "{\"id\":\"d\",\"capabilities\":{\"input\":[\"vision\"]}},"
               "{\"id\":\"a\",\"model\":\"m\",\"description\":\"new\"},"
               "{\"id\":\"c\",\"capabilities\":{\"input\":[\"vision\"]}}]}",
               &err);
    is_str(warnings, "", "a second one replaces without a warning");

    (void) art_capmap_finish(map);

    is_int((long long) art_capmap_count(map), 4, "four services");
    is_mem(art_capmap_get(map, 0)->description.data, 3, "new", 3,
           "a replaced service keeps its place");
    is_int((long long) art_capmap_get(map, 0)->input.bits, ART_CAP_TEXT,
           "and is replaced as a whole");
    ok(art_capmap_get(map, 2)->name.data == NULL, "as is the other");
    is_mem(art_capmap_get(map, 3)->id.data, 1, "d", 1, "new ones follow");
    ok(art_capmap_find(map, art_cstr("m")) == art_capmap_get(map, 0),
       "of a model the service added last is found");
    ids = suggestions.services;
    ok(suggested(map, ART_CAP_VISION) == 3
       && art_str_eq(ids[0], art_cstr("b"))
       && art_str_eq(ids[1], art_cstr("c"))
       && art_str_eq(ids[2], art_cstr("d")), "suggestions in the map's order");

    (void) add(map, "{\"services\":[{\"id\":\"b\"},{\"id\":\"e\"},"
               "{\"id\":\"b\",\"model\":\"m\"},{\"id\":\"e\"}]}", &err);
    is_str(warnings,
           "service \"b\" is listed more than once, the last entry counts\n"
           "service \"e\" is listed more than once, the last entry counts",
           "an id twice in a document");
    (void) art_capmap_finish(map);
    ok(art_capmap_find(map, art_cstr("m")) == art_capmap_get(map, 1),
       "a map that is finished again");
    is_int((long long) suggested(map, ART_CAP_VISION), 2,
           "has new suggestions");

    art_capmap_destroy(map);
}


static void
check_ids_first(void)
{
    art_capmap_t  *map;

    map = load("{\"services\":[{\"id\":\"x\",\"model\":\"y\"},"
               "{\"id\":\"y\",\"model\":\"z\"},{\"id\":\"w\",\"model\":\"z\"},"
               "{\"id\":\"v\",\"model\":\"\"}]}");

    ok(art_capmap_find(map, art_cstr("y")) == art_capmap_get(map, 1),
       "an id goes before a model of that name");
    ok(art_capmap_find(map, art_cstr("z")) == art_capmap_get(map, 2),
       "of two services of a model the last counts");
    ok(art_capmap_find(map, art_cstr("")) == NULL,
       "an empty model is not found");

    art_capmap_destroy(map);
}


static void
check_names(void)
{
    size_t             i;

    static const struct {
        const char  *list;
        unsigned     bits;
        const char  *name;
    } cases[] = {
        { "", 0, "an empty list" },
        { "text", ART_CAP_TEXT, "one name" },
        { "text,vision,file", ART_CAP_TEXT|ART_CAP_VISION|ART_CAP_FILE,
          "three names" },
        { " text ,\tVISION;", ART_CAP_TEXT, "a semicolon does not separate" },
        { "Audio\r\n video  PDF,,", ART_CAP_AUDIO|ART_CAP_VIDEO|ART_CAP_PDF,
          "white space and upper case" },
        { "visionary texts vis ion", 0, "almost names" },
        { "texttexttext,unknown,file", ART_CAP_FILE, "unknown names" },
        { ",,, ,", 0, "separators only" }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        is_int((long long) art_capability_parse(art_cstr(cases[i].list)),
               (long long) cases[i].bits, cases[i].name);
    }

    ok(art_capability_bit(art_cstr("text")) == ART_CAP_TEXT
       && art_capability_bit(art_cstr("vision")) == ART_CAP_VISION
       && art_capability_bit(art_cstr("audio")) == ART_CAP_AUDIO
       && art_capability_bit(art_cstr("video")) == ART_CAP_VIDEO
       && art_capability_bit(art_cstr("file")) == ART_CAP_FILE
       && art_capability_bit(art_cstr("pdf")) == ART_CAP_PDF, "the six names");
    ok(art_capability_bit(art_cstr("Text")) == 0
       && art_capability_bit(art_cstr("tool_calling")) == 0
       && art_capability_bit(art_cstr("")) == 0, "others have no bit");
}


int
main(void)
{
    check_design();
    check_refused();
    check_entries();
    check_skipped();
    check_layers();
    check_ids_first();
    check_names();

    return done();
}
