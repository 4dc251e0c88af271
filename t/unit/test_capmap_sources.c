
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Public maps beside the platform's own: which is which, what their fields
 * mean, layers of several, look-ups, agents, limits of entries.
 */


#include "../../src/core/art_capmap.h"
#include "../../src/core/art_utf8.h"
#include "tap.h"


static char  warnings[4096];


static void
warn(void *data, const char *text)
{
    size_t  len;

    (void) data;

    len = strlen(warnings);
    snprintf(warnings + len, sizeof(warnings) - len, "%s%s", len ? "\n" : "",
             text);
}


/* Loads documents, NULL behind the last. */

static art_capmap_t *
load(const char *const *documents)
{
    art_capmap_t        *map;
    art_capmap_error_t   err;

    warnings[0] = '\0';
    map = art_capmap_create();

    for ( /* void */ ; *documents != NULL; documents++) {
        if (art_capmap_add(map, art_cstr(*documents), warn, NULL, &err)
            != ART_OK)
        {
            diag("%d:%d: %s", err.line, err.column, err.text);
        }
    }

    (void) art_capmap_finish(map);

    return map;
}


static art_capmap_t *
load_one(const char *document)
{
    const char  *documents[2] = { document, NULL };

    return load(documents);
}


/* "id: text vision | text", or "-". */

static const char *
found(const art_capmap_t *map, const char *name)
{
    size_t                len;
    unsigned              i;
    static char           line[1024];
    const art_service_t  *s;

    s = art_capmap_find(map, art_cstr(name));

    if (s == NULL) {
        return "-";
    }

    len = (size_t) snprintf(line, sizeof(line), "%.*s:", (int) s->id.len,
                            (const char *) s->id.data);

    for (i = 0; i < s->input.nnames; i++) {
        len += (size_t) snprintf(line + len, sizeof(line) - len, " %.*s",
                                 (int) s->input.names[i].len,
                                 (const char *) s->input.names[i].data);
    }

    len += (size_t) snprintf(line + len, sizeof(line) - len, " |");

    for (i = 0; i < s->output.nnames; i++) {
        len += (size_t) snprintf(line + len, sizeof(line) - len, " %.*s",
                                 (int) s->output.names[i].len,
                                 (const char *) s->output.names[i].data);
    }

    return line;
}


static const char  litellm[] =
    "{\"sample_spec\":{\"mode\":\"one of: chat, embedding\","
    "\"litellm_provider\":\"one of ..\",\"supports_vision\":true},"
    "\"gpt-4o\":{\"litellm_provider\":\"openai\",\"mode\":\"chat\","
    "\"max_tokens\":16384,\"supports_vision\":true,\"supports_pdf_input\":true,"
    "\"supports_function_calling\":true,\"supports_audio_input\":false},"
    "\"gpt-4\":{\"litellm_provider\":\"openai\",\"mode\":\"chat\"},"
    "\"o1-mini\":{\"litellm_provider\":\"openai\",\"mode\":\"chat\"},"
    "\"gemini/gemini-2.0-flash\":{\"litellm_provider\":\"gemini\","
    "\"mode\":\"chat\",\"supported_modalities\":[\"text\",\"image\",\"audio\","
    "\"video\",\"smell\"],\"supported_output_modalities\":[\"text\","
    "\"image\"],\"supports_response_schema\":true},"
    "\"us.anthropic.claude-3-5-sonnet-20241022-v2:0\":{\"mode\":\"chat\","
    "\"litellm_provider\":\"bedrock_converse\",\"supports_vision\":true},"
    "\"o3-pro\":{\"litellm_provider\":\"openai\",\"mode\":\"responses\","
    "\"supports_reasoning\":true,\"supports_vision\":null},"
    "\"davinci-002\":{\"mode\":\"completion\"},"
    "\"text-embedding-3\":{\"litellm_provider\":\"openai\","
    "\"mode\":\"embedding\",\"supports_vision\":true},"
    "\"class-of-prices\":{\"litellm_provider\":\"x\"},"
    "\"no-mode\":{\"litellm_provider\":\"x\",\"supports_video_input\":true},"
    "\"fallback_generalizations\":{\"rules\":[{\"pattern\":\"x\"}]}}";


static const char  models_dev[] =
    "{\"openai\":{\"id\":\"openai\",\"name\":\"OpenAI\",\"env\":[],"
    "\"models\":{\"gpt-4o\":{\"id\":\"gpt-4o\",\"name\":\"GPT-4o\","
    "\"attachment\":true,\"tool_call\":true,\"structured_output\":true,"
    "\"reasoning\":false,\"modalities\":{\"input\":[\"text\",\"image\","
    "\"pdf\"],\"output\":[\"text\"]}},\"whisper\":{\"modalities\":{"
    "\"input\":[\"audio\"]}}}},"
    "\"azure\":{\"models\":{\"gpt-4o\":{\"attachment\":true,"
    "\"modalities\":{\"input\":[\"text\"],\"output\":[\"text\"]}},"
    "\"no-modalities\":{\"attachment\":true}}}}";


static const char  openrouter[] =
    "{\"data\":[{\"id\":\"google/gemini-2.5-pro\",\"canonical_slug\":"
    "\"google/gemini-2.5-pro-20250617\",\"name\":\"Google: Gemini 2.5 Pro\","
    "\"description\":\"D\",\"architecture\":{\"modality\":\"text->text\","
    "\"input_modalities\":[\"text\",\"image\",\"file\",\"audio\",\"video\"],"
    "\"output_modalities\":[\"text\",\"image\"]},\"supported_parameters\":"
    "[\"tools\",\"tool_choice\",\"structured_outputs\",\"seed\"]},"
    "{\"id\":\"x/blind:free\"}],\"total_count\":2}";


static void
check_fields(void)
{
    art_capmap_t         *map;
    const art_service_t  *s;

    map = load_one(litellm);
    is_str(warnings, "", "LiteLLM: no warnings");
    is_int((long long) art_capmap_count(map), 8, "models that take messages");
    is_str(found(map, "gpt-4o"), "gpt-4o: text vision pdf | text tool_calling",
           "flags");
    is_str(found(map, "gpt-4"), "gpt-4: text | text", "no flag is a no");
    is_str(found(map, "gemini/gemini-2.0-flash"),
           "gemini/gemini-2.0-flash: text vision audio video smell "
           "| text vision structured_output", "modalities");
    is_str(found(map, "o3-pro"), "o3-pro: text | text reasoning",
           "a flag of null");
    is_str(found(map, "no-mode"), "no-mode: text video | text",
           "a model without a mode");
    ok(art_capmap_find(map, art_cstr("sample_spec")) == NULL
       && art_capmap_find(map, art_cstr("text-embedding-3")) == NULL
       && art_capmap_find(map, art_cstr("class-of-prices")) == NULL
       && art_capmap_find(map, art_cstr("fallback_generalizations")) == NULL,
       "what is no model is none");
    art_capmap_destroy(map);

    map = load_one(models_dev);
    is_str(warnings, "", "models.dev: no warnings");
    is_int((long long) art_capmap_count(map), 4, "all its models");
    is_str(found(map, "openai/gpt-4o"),
           "openai/gpt-4o: text vision pdf | text tool_calling "
           "structured_output", "modalities and flags");
    is_str(found(map, "azure/gpt-4o"), "azure/gpt-4o: text | text",
           "of another provider, attachment or not");
    is_str(found(map, "whisper"), "openai/whisper: audio | text",
           "by the model's name");
    is_str(found(map, "no-modalities"), "azure/no-modalities: text | text",
           "without modalities");
    s = art_capmap_find(map, art_cstr("openai/gpt-4o"));
    is_mem(s->name.data, s->name.len, "GPT-4o", 6, "its name");
    is_mem(s->model.data, s->model.len, "gpt-4o", 6, "its model");
    art_capmap_destroy(map);

    map = load_one(openrouter);
    is_str(warnings, "", "OpenRouter: no warnings");
    is_str(found(map, "google/gemini-2.5-pro"),
           "google/gemini-2.5-pro: text vision file audio video "
           "| text vision tool_calling structured_output",
           "modalities and parameters");
    is_str(found(map, "google/gemini-2.5-pro-20250617"),
           "google/gemini-2.5-pro: text vision file audio video "
           "| text vision tool_calling structured_output",
           "by its canonical slug");
    is_str(found(map, "x/blind:free"), "x/blind:free: text | text",
           "without an architecture");
    art_capmap_destroy(map);

    map = load_one("{\"data\":[]}");
    is_int((long long) art_capmap_count(map), 0, "an empty list");
    art_capmap_destroy(map);
}


static void
check_faults(void)
{
    size_t         i;
    art_capmap_t  *map;

    static const struct {
        const char  *text;
        const char  *found;
        const char  *warning;
    } cases[] = {
        { "{\"m\":{\"mode\":\"chat\",\"supports_vision\":\"yes\"}}",
          "m: text | text", "service \"m\": \"supports_vision\" is neither "
          "true nor false, text only assumed" },
        { "{\"m\":{\"mode\":\"chat\",\"supports_vision\":true,"
          "\"supports_pdf_input\":1}}",
          "m: text | text", "service \"m\": \"supports_pdf_input\" is neither "
          "true nor false, text only assumed" },
        { "{\"m\":{\"mode\":\"chat\",\"supports_vision\":true,"
          "\"supported_modalities\":\"image\"}}",
          "m: text | text", "service \"m\": \"supported_modalities\" is not "
          "an array, text only assumed" },
        { "{\"m\":{\"mode\":\"chat\",\"supported_output_modalities\":"
          "[\"text\",5]}}",
          "m: text | text", "service \"m\": \"supported_output_modalities[1]\""
          " is not a non-empty string, text only assumed" },
        { "{\"x\":{\"mode\":\"chat\"},\"m\":{\"mode\":5}}",
          "-", "service \"m\" has a \"mode\" that is not a string, skipped" },
        { "{\"x\":{\"mode\":\"chat\"},\"m\":\"chat\",\"\":{\"mode\":\"chat\"}}",
          "-", "service \"m\" is not an object, skipped\n"
          "service \"\" has no name, skipped" },
        { "{\"p\":{\"models\":{\"m\":{\"modalities\":[\"image\"]}}}}",
          "p/m: text | text", "service \"p/m\": \"modalities\" is not an "
          "object, text only assumed" },
        { "{\"p\":{\"models\":{\"m\":{\"modalities\":{}}}}}",
          "p/m: text | text", "service \"p/m\": \"modalities\" has neither "
          "\"input\" nor \"output\", text only assumed" },
        { "{\"p\":{\"models\":{\"m\":{\"modalities\":{\"input\":[\"image\","
          "null]}}}}}",
          "p/m: text | text", "service \"p/m\": \"modalities.input[1]\" is "
          "not a non-empty string, text only assumed" },
        { "{\"p\":{\"models\":{\"m\":5}},\"q\":7,\"r\":{\"models\":[]}}",
          "-", "service \"p/m\" is not an object, skipped\n"
          "provider \"q\" has no object \"models\", skipped\n"
          "provider \"r\" has no object \"models\", skipped" },
        { "{\"data\":[5,{\"name\":\"m\"},{\"id\":7},{\"id\":\"m\","
          "\"architecture\":{\"input_modalities\":[\"image\",{}]}}]}",
          "m: text | text", "data[0] is not an object, skipped\n"
          "data[1] has no non-empty string \"id\", skipped\n"
          "data[2] has no non-empty string \"id\", skipped\n"
          "service \"m\": \"architecture.input_modalities[1]\" is not a "
          "non-empty string, text only assumed" },
        { "{\"data\":[{\"id\":\"m\",\"architecture\":{\"modality\":\"x\"}},"
          "{\"id\":\"m\"}]}",
          "m: text | text", "service \"m\": \"architecture\" has neither "
          "\"input_modalities\" nor \"output_modalities\", text only "
          "assumed\nservice \"m\" is listed more than once, the last entry "
          "counts" }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        map = load_one(cases[i].text);

        is_str(found(map, "m"), cases[i].found, cases[i].text);
        is_str(warnings, cases[i].warning, "  its warning");

        art_capmap_destroy(map);
    }
}


static void
check_lookups(void)
{
    size_t         i;
    art_capmap_t  *map;

    static const char *const  documents[] = {
        litellm, models_dev,
        "{\"services\":[{\"id\":\"mine\",\"model\":\"claude-3-5-sonnet\","
        "\"capabilities\":{\"input\":[\"text\",\"file\"]}}]}", NULL
    };

    static const struct {
        const char  *asked;
        const char  *id;
    } cases[] = {
        { "gpt-4o", "gpt-4o:" },
        { "openai/gpt-4o", "openai/gpt-4o:" },
        { "azure/eu/gpt-4o", "azure/gpt-4o:" },
        { "gpt-4o-2024-08-06", "azure/gpt-4o:" },
        { "openai/gpt-4o-2024-08-06", "openai/gpt-4o:" },
        { "openai/gpt-4o:free", "openai/gpt-4o:" },
        { "gemini-2.0-flash", "gemini/gemini-2.0-flash:" },
        { "google/gemini-2.0-flash:free", "gemini/gemini-2.0-flash:" },
        { "claude-3-5-sonnet", "mine:" },
        { "claude-3-5-sonnet-latest", "mine:" },
        { "anthropic/claude-3-5-sonnet@20240620", "mine:" },
        { "claude-3-5-sonnet-20241022",
          "us.anthropic.claude-3-5-sonnet-20241022-v2:0:" },
        { "bedrock/us.anthropic.claude-3-5-sonnet-20241022-v2:0",
          "us.anthropic.claude-3-5-sonnet-20241022-v2:0:" },
        { "eu.anthropic.claude-3-5-sonnet-20241022-v2:0",
          "us.anthropic.claude-3-5-sonnet-20241022-v2:0:" },
        { "gpt-4-2024-08-06", "gpt-4:" },
        { "gpt-4", "gpt-4:" },
        { "o1", "-" },
        { "o1-2024-12-17", "-" },
        { "gpt-4o-mini", "-" },
        { "gpt-4o1", "-" },
        { "gpt", "-" },
        { "4o", "-" },
        { "", "-" },
        { "/", "-" },
        { "openai/", "-" },
        { "GPT-4o", "-" }
    };

    map = load(documents);

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (!ok(strncmp(found(map, cases[i].asked), cases[i].id,
                        strlen(cases[i].id)) == 0,
                "\"%s\" finds %s", cases[i].asked, cases[i].id))
        {
            diag("%s", found(map, cases[i].asked));
        }
    }

    art_capmap_destroy(map);
}


/* A later map wins per id, and where as much is dropped. */

static void
check_layers(void)
{
    int                   i, n;
    char                 *text;
    art_capmap_t         *map;
    art_capmap_error_t    err;
    art_suggestions_t     s;

    static const char *const  documents[] = {
        "{\"a/m\":{\"mode\":\"chat\"},\"b/m\":{\"mode\":\"chat\"}}",
        "{\"data\":[{\"id\":\"a/m\",\"architecture\":{\"input_modalities\":"
        "[\"image\"]}}]}", NULL
    };

    map = load(documents);
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
                          warn, NULL, &err);
    is_str(warnings, "", "a third map");
    ok(art_capmap_find(map, art_cstr("c/m")) == NULL
       && art_capmap_find(map, art_cstr("own")) != NULL,
       "between add and finish ids are found, parts are not");
    (void) art_capmap_finish(map);

    is_str(found(map, "c/m"), "b/m: text | text", "the part of the last map");

    art_capmap_suggest(map, ART_CAP_VISION, NULL, &s);
    ok(s.nservices == 2 && art_str_eq(s.services[0], art_cstr("own"))
       && art_str_eq(s.services[1], art_cstr("a/m")),
       "own services are suggested first");
    ok(s.nagents == 1 && art_str_eq(s.agents[0], art_cstr("seer")),
       "and agents whose service can");

    (void) art_capmap_add(map, art_cstr("{\"services\":[],\"agents\":[7,{},"
                                        "{\"id\":\"reader\",\"serviceId\":"
                                        "\"a/m\"},{\"id\":\"\",\"serviceId\":"
                                        "\"a\"},{\"id\":\"x\",\"serviceId\":"
                                        "5}]}"), warn, NULL, &err);
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
    ok(s.nservices == 1 && art_str_eq(s.services[0], art_cstr("a/m"))
       && s.nagents == 2 && art_str_eq(s.agents[1], art_cstr("reader")),
       "a later map replaces an agent; the service that asks is left out");

    art_capmap_destroy(map);

    text = malloc(400000);
    n = snprintf(text, 400000, "{\"services\":[],\"agents\":[0");

    for (i = 0; i < 10000; i++) {
        n += snprintf(text + n, 100, ",%d", i);
    }

    snprintf(text + n, 100, "]}");
    map = load_one(text);
    is_str(warnings, "key \"agents\" has more than 10000 elements, passed "
           "over", "agents without end");
    art_capmap_destroy(map);
    free(text);

    map = load_one("{\"services\":[],\"agents\":{}}");
    is_str(warnings, "key \"agents\" is not an array, passed over",
           "agents that are no array");
    art_capmap_destroy(map);
}


static void
check_limits(void)
{
    char                 *text;
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
          "number, ignored" }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char      line[512], all[256];
        size_t    len;
        unsigned  k;

        snprintf(line, sizeof(line), "{\"services\":[{\"id\":\"a\"%s}]}",
                 cases[i].entry);
        map = load_one(line);
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

    text = malloc(200000);

    memset(text, 'x', 200000);
    memcpy(text, "{\"services\":[{\"id\":\"a\",\"description\":\"", 38);
    memcpy(text + 70000, "\"},{\"id\":\"", 10);
    memcpy(text + 72000, "\"},{\"id\":\"b\"}]}", 16);
    map = load_one(text);
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
    map = load_one(text);
    is_str(found(map, "a"), "a: text | text", "too many capabilities");
    is_str(warnings, "service \"a\": \"capabilities.input\" has more than 64 "
           "names, text only assumed", "  its warning");
    art_capmap_destroy(map);

    free(text);
}


static void
check_blank(void)
{
    size_t  i;
    char    text[256];

    static const struct {
        const char  *text;
        const char  *blanked;
    } cases[] = {
        { "{\"apiKey\":\"sk-1\",\"a\":\"apiKey\"}",
          "{\"apiKey\":\"****\",\"a\":\"apiKey\"}" },
        { "{ \"baseURL\" :\n\t\"http\\\"x\", \"id\":\"a\"}",
          "{ \"baseURL\" :\n\t\"*******\", \"id\":\"a\"}" },
        { "{\"apiKey\":7,\"apiKey\":\"\",\"b\\\"apiKey\":\"c\"}",
          "{\"apiKey\":7,\"apiKey\":\"\",\"b\\\"apiKey\":\"c\"}" },
        { "[\"apiKey\",\"x\"]", "[\"apiKey\",\"x\"]" },
        { "{\"apiKey\":\"sk", "{\"apiKey\":\"sk" },
        { "{\"apiKey\":", "{\"apiKey\":" },
        { "{\"apiKey", "{\"apiKey" },
        { "\"\\", "\"\\" },
        { "", "" }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        snprintf(text, sizeof(text), "%s", cases[i].text);
        art_capmap_blank((uint8_t *) text, strlen(text));
        is_str(text, cases[i].blanked, "keys and URLs are overwritten");
    }
}


int
main(void)
{
    check_fields();
    check_faults();
    check_lookups();
    check_layers();
    check_limits();
    check_blank();

    return done();
}
