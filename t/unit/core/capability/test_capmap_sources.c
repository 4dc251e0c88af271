
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Public maps beside the platform's own: which is which, what their fields
 * mean, their faults, and look-ups in several of them.
 */


#include "core/capability/art_capmap.h"
#include "capmap_load.h"
#include "tap.h"


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
    "{\"id\":\"x/blind:free\",\"supported_parameters\":null}],"
    "\"total_count\":2}";


/* A row without capabilities has those that others state. */

static void
check_filled(void)
{
    art_capmap_t       *map;
    art_suggestions_t   got;

    map = load("{\"s\":{\"models\":{\"a\":{\"modalities\":{\"input\":"
               "[\"audio\"],\"output\":[\"text\"]}}}},"
               "\"r\":{\"models\":{\"a\":{}}}}");

    is_str(found(map, "r/a"), "r/a: audio | text", "what the other tells");

    art_capmap_suggest(map, ART_CAP_AUDIO, NULL, &got);
    is_int(got.nservices, 0, "no service of a public map is suggested");

    art_capmap_destroy(map);
}


static void
check_fields(void)
{
    art_capmap_t         *map;
    const art_service_t  *s;

    map = load(litellm);
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

    map = load(models_dev);
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

    map = load(openrouter);
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

    map = load("{\"data\":[]}");
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

    for (i = 0; i < nitems(cases); i++) {
        map = load(cases[i].text);

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
        { "azure/eu/gpt-4o", "openai/gpt-4o:" },
        { "gpt-4o-2024-08-06", "openai/gpt-4o:" },
        { "openai/gpt-4o-2024-08-06", "openai/gpt-4o:" },
        { "openai/gpt-4o:free", "openai/gpt-4o:" },
        { "gemini-2.0-flash", "gemini/gemini-2.0-flash:" },
        { "google/gemini-2.0-flash:free", "gemini/gemini-2.0-flash:" },
        { "claude-3-5-sonnet", "mine:" },
        { "claude-3-5-sonnet-latest", "mine:" },
        { "anthropic/claude-3-5-sonnet@20240620", "mine:" },
        { "claude-3-5-sonnet-20241022", "mine:" },
        { "bedrock/us.anthropic.claude-3-5-sonnet-20241022-v2:0",
          "mine:" },
        { "eu.anthropic.claude-3-5-sonnet-20241022-v2:0",
          "mine:" },
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
        { "GPT-4o", "gpt-4o:" }
    };

    map = load_all(documents);

    for (i = 0; i < nitems(cases); i++) {
        if (!ok(strncmp(found(map, cases[i].asked), cases[i].id,
                        strlen(cases[i].id)) == 0,
                "\"%s\" finds %s", cases[i].asked, cases[i].id))
        {
            diag("%s", found(map, cases[i].asked));
        }
    }

    art_capmap_destroy(map);
}


/* Rows that state nothing of a model are used last. */

static void
check_told(void)
{
    size_t         i;
    art_capmap_t  *map;

    static const char *const  documents[] = {
        "{\"a/m-20240806\":{\"mode\":\"chat\",\"supports_vision\":true},"
        "\"m\":{\"mode\":\"chat\"},"
        "\"n\":{\"mode\":\"chat\",\"supports_audio_output\":true},"
        "\"a/n\":{\"mode\":\"chat\",\"supports_vision\":false},"
        "\"b/o\":{\"mode\":\"chat\",\"supported_modalities\":[\"audio\"]},"
        "\"c/o\":{\"mode\":\"chat\",\"supports_vision\":false},"
        "\"c/p\":{\"mode\":\"chat\"}}",
        "{\"z\":{\"models\":{\"q\":{\"name\":\"Q\"},"
        "\"p\":{\"modalities\":{\"output\":[\"text\"]}}}},"
        "\"y\":{\"models\":{\"p\":{\"modalities\":{\"input\":[\"text\"]}}}}}",
        "{\"data\":[{\"id\":\"x/q\",\"architecture\":{\"input_modalities\":"
        "[\"text\"]}},{\"id\":\"w/q\"}]}",
        "{\"services\":[{\"id\":\"own/s\"}]}",
        "{\"b/s\":{\"mode\":\"chat\",\"supports_vision\":true},"
        "\"b/b/s\":{\"mode\":\"chat\"}}", NULL
    };

    static const struct {
        const char  *asked;
        const char  *id;
    } cases[] = {
        { "m", "m:" },               /* an id goes first, whatever it states */
        { "M", "m:" },
        { "x/m", "a/m-20240806:" },
        { "x/n", "a/n:" },
        { "x/o", "c/o:" },           /* only one of two hears */
        { "p", "y/p:" },
        { "q", "x/q:" },
        { "own/S", "own/s:" },       /* an administrator means it */
        { "s", "own/s:" }
    };

    map = load_all(documents);

    for (i = 0; i < nitems(cases); i++) {
        if (!ok(strncmp(found(map, cases[i].asked), cases[i].id,
                        strlen(cases[i].id)) == 0,
                "\"%s\" finds %s", cases[i].asked, cases[i].id))
        {
            diag("%s", found(map, cases[i].asked));
        }
    }

    art_capmap_destroy(map);
}


/* What the rows of public maps say of a model together. */

static void
check_rows(void)
{
    size_t         i;
    art_capmap_t  *map;

#define TEN    "0123456789"
#define FIFTY  TEN TEN TEN TEN TEN
#define LONG   FIFTY FIFTY FIFTY FIFTY FIFTY

#define MODEL(name, in)                                                       \
    "\"" name "\":{\"modalities\":{\"input\":[" in "],\"output\":[\"text\"]}}"
#define ROW(seller, name, in)                                                 \
    "\"" seller "\":{\"models\":{" MODEL(name, in) "}}"

    static const struct {
        const char  *map;
        const char  *found;
    } cases[] = {

        /* without the maker, more than half; which of the rows has just that */

        { ROW("a", "m", "\"text\",\"image\"") "," ROW("b", "m", "\"text\""),
          "b/m: text | text" },
        { ROW("a", "m", "\"text\",\"image\"") "," ROW("b", "m", "\"text\"")
          "," ROW("c", "x/M", "\"image\",\"text\""),
          "c/x/M: vision text | text" },

        /* no row has just that */

        { ROW("a", "m", "\"text\",\"image\"") ","
          ROW("b", "m", "\"text\",\"pdf\"") ","
          ROW("c", "m", "\"text\",\"image\",\"pdf\",\"audio\""),
          "m: text vision pdf | text" },
        { ROW("a", "m", "\"text\",\"image\"") ","
          ROW("b", "m", "\"audio\""), "m: | text" },

        /* dates and variants count where there is no other row */

        { ROW("a", "m-2024-01-01", "\"text\",\"image\"") ","
          ROW("b", "m:free", "\"text\",\"image\"") ","
          ROW("c", "m", "\"text\""), "c/m: text | text" },
        { ROW("a", "m-2024-01-01", "\"text\"") ","
          ROW("b", "m-2024-02-01", "\"text\"") ","
          ROW("c", "m:free", "\"text\",\"image\""),
          "c/m:free: text vision | text" },

        /* rows that state nothing do not count */

        { ROW("a", "m", "\"text\",\"image\"") ",\"b\":{\"models\":{\"m\":{}}}"
          ",\"c\":{\"models\":{\"m\":{}}}", "a/m: text vision | text" }
    };

    static const struct {
        const char  *map;
        const char  *asked;
        const char  *found;
    } made[] = {
        { ROW("zz", "gpt-4o", "\"text\"") ","
          ROW("openai", "gpt-4o", "\"text\",\"image\"") ","
          ROW("a", "gpt-4o", "\"text\""), "GPT-4o",
          "openai/gpt-4o: text vision | text" },

        /* one who sells what another makes is not the maker */

        { ROW("zz", "gpt-4o", "\"text\"") ","
          ROW("anthropic", "gpt-4o", "\"text\",\"image\"") ","
          ROW("a", "gpt-4o", "\"text\""), "gpt-4o", "a/gpt-4o: text | text" },

        /* the maker's date may be dropped, but not what moves on */

        { ROW("a", "claude-3", "\"text\"") ","
          ROW("anthropic", "claude-3-20240101", "\"text\",\"image\""),
          "claude-3", "anthropic/claude-3-20240101: text vision | text" },
        { ROW("a", "claude-3", "\"text\"") ","
          ROW("anthropic", "claude-3-latest", "\"text\",\"image\""),
          "claude-3", "a/claude-3: text | text" },
        { ROW("a", "claude-3-latest", "\"text\"") ","
          ROW("anthropic", "claude-3", "\"text\",\"image\""),
          "claude-3-latest", "anthropic/claude-3: text vision | text" },

        /* the maker comes before its cloud, in any order */

        { ROW("google", "gemini-2", "\"text\",\"image\"") ","
          ROW("google-vertex", "gemini-2", "\"text\""), "gemini-2",
          "google/gemini-2: text vision | text" },
        { ROW("google-vertex", "gemini-2", "\"text\"") ","
          ROW("google", "gemini-2", "\"text\",\"image\""),
          "vertex_ai/gemini-2", "google/gemini-2: text vision | text" },

        /* a preview's date */

        { ROW("a", "gemini-2-preview-06-05", "\"text\"") ","
          ROW("google", "gemini-2", "\"text\",\"image\""),
          "gemini-2-preview-06-05", "google/gemini-2: text vision | text" },

        /* a path without a name, and an id that is too long for parts */

        { ROW("a", "x/", "\"text\",\"image\""), "x/",
          "a/x/: text vision | text" },
        { ROW(LONG, "some-model", "\"text\",\"image\""), "Some-Model",
          LONG "/some-model: text vision | text" },

        /* a maker that states nothing speaks for text */

        { ROW("a", "claude-3", "\"text\",\"image\"")
          ",\"anthropic\":{\"models\":{\"claude-3\":{}}}", "claude-3",
          "claude-3: text | text" },
        { ROW("a", "claude-3", "\"text\",\"image\"") ","
          ROW("b", "claude-3", "\"text\",\"image\"")
          ",\"anthropic\":{\"models\":{\"claude-3\":{}}}", "claude-3",
          "b/claude-3: text vision | text" }
    };

    for (i = 0; i < nitems(cases) + nitems(made); i++) {
        int          m;
        char         text[1024];
        const char  *asked;

        m = i >= nitems(cases);
        asked = m ? made[i - nitems(cases)].asked : "m";
        snprintf(text, sizeof(text), "{%s}",
                 m ? made[i - nitems(cases)].map : cases[i].map);

        map = load(text);
        is_str(found(map, asked),
               m ? made[i - nitems(cases)].found : cases[i].found, text);
        art_capmap_destroy(map);
    }
}


/* The platform's own map, beside public ones. */

static void
check_own(void)
{
    art_capmap_t  *map;

    static const char *const  documents[] = {
        "{\"services\":[{\"id\":\"mine\",\"model\":\"gpt-4o\"},"
        "{\"id\":\"claude-3\"}]}",
        "{\"gpt-4o\":{\"litellm_provider\":\"openai\",\"mode\":\"chat\","
        "\"supports_vision\":true},\"anthropic/claude-3\":{\"mode\":\"chat\","
        "\"supports_vision\":true},\"gpt-4o-2024-08-06\":{\"mode\":\"chat\","
        "\"supports_vision\":true}}", NULL
    };

    map = load_all(documents);

    is_str(found(map, "gpt-4o"), "mine: text | text",
           "an own model comes before an id of a public map");
    is_str(found(map, "GPT-4o"), "mine: text | text", "in any case");
    is_str(found(map, "azure/gpt-4o"), "mine: text | text", "of any provider");
    is_str(found(map, "gpt-4o-2024-08-06"), "gpt-4o-2024-08-06: text vision "
           "| text", "an id comes before a part of an own model");
    is_str(found(map, "GPT-4o-2024-08-06"), "gpt-4o-2024-08-06: text vision "
           "| text", "also in upper case");
    is_str(found(map, "anthropic/claude-3"), "anthropic/claude-3: text vision "
           "| text", "or of an own id");
    is_str(found(map, "claude-3-20240101"), "claude-3: text | text",
           "a part of an own id comes before the maker's");

    art_capmap_destroy(map);
}


int
main(void)
{
    check_fields();
    check_filled();
    check_faults();
    check_lookups();
    check_told();
    check_rows();
    check_own();

    return done();
}
