
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Spellings of models' names.
 */


#include "core/capability/art_spelling.h"
#include "tap.h"


static void
check_spellings(void)
{
    size_t     i;
    char       line[256];
    uint8_t    buf[ART_MODEL_NAME_MAX];
    art_str_t  text;

    static const struct {
        const char  *name;
        const char  *spelled;
    } cases[] = {
        { "", "" },
        { "gpt-4o", "gpt-4o" },
        { "GPT-4o", "gpt-4o" },
        { "gpt-4.1", "gpt-4-1" },
        { "gemini-2.0", "gemini-2-0" },
        { "m-0.9", "m-0-9" },
        { "v.1", "v.1" },
        { "1.", "1." },
        { ".1", ".1" },
        { "us.meta.llama3.1", "us.meta.llama3-1" },
        { "claude@20240620", "claude-20240620" },
        { "@1", "@1" },
        { "claude@default", "claude@default" },
        { "x/@cf/m", "x/@cf/m" },
        { "openai:gpt-4o", "openai/gpt-4o" },
        { "OpenAI:ft:gpt-4o:acme::id", "openai/ft:gpt-4o:acme::id" },
        { "openai:", "openai:" },
        { "openai/", "openai/" },
        { "openai", "openai" },
        { "google-gla:gemini-2.5-pro", "google/gemini-2-5-pro" },
        { "x-ai/grok-4.1", "xai/grok-4-1" },
        { "zenmux/x-ai/grok", "zenmux/xai/grok" },
        { "gateway/openai:gpt-5", "gateway/openai/gpt-5" },
        { "gateway:openai:gpt-5", "gateway/openai/gpt-5" },
        { "unknown:gpt-5", "unknown:gpt-5" },
        { "unknown:openai:gpt-5", "unknown:openai:gpt-5" },
        { "mistral:7b", "mistral:7b" },
        { "mistral:7b-instruct", "mistral:7b-instruct" },
        { "mistral:latest", "mistral:latest" },
        { "mistral:mistral-large", "mistral/mistral-large" },
        { "qwen:chat", "qwen:chat" },
        { "llama/llama-4", "meta/llama-4" },
        { "bedrock:arn:aws:bedrock:us-east-1::foundation-model/meta.m-v1:0",
          "bedrock/arn:aws:bedrock:us-east-1::foundation-model/meta.m-v1:0" },
        { "//:", "//:" }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        text = art_spelling(art_cstr(cases[i].name), buf);
        snprintf(line, sizeof(line), "%.*s", (int) text.len,
                 (const char *) text.data);
        is_str(line, cases[i].spelled,
               cases[i].name[0] ? cases[i].name : "no name");
    }
}


/* A spelling is its own, is never longer, and the case of letters is none. */

static void
check_random(void)
{
    int        sound;
    char       name[300], other[300];
    size_t     i, k, n, len;
    uint8_t    buf[ART_MODEL_NAME_MAX], again[ART_MODEL_NAME_MAX];
    art_str_t  text, same;

    static const char *const  pieces[] = {
        "openai", "google-gla", "x-ai", "mistral", "qwen", "ollama", "zz",
        "/", ":", "/", ":", "gpt-4", ".", "@", "1", "5", "-", "\xe5\x97\x85"
    };

    sound = 1;

    for (i = 0; i < 5000; i++) {
        len = 0;

        for (n = tap_below(24); n > 0; n--) {
            len += (size_t) snprintf(name + len, sizeof(name) - len, "%s",
                                     pieces[tap_below(18)]);
        }

        for (k = 0; k < len; k++) {
            other[k] = name[k] >= 'a' && name[k] <= 'z' && tap_below(2)
                       ? (char) (name[k] - 32) : name[k];
        }

        text = art_spelling(art_str(name, len), buf);
        sound &= text.len <= len;

        same = art_spelling(art_str(other, len), again);
        sound &= art_str_eq(text, same);

        if (memchr(text.data, ':', text.len) == NULL) {
            same = art_spelling(text, again);
            sound &= art_str_eq(text, same);
        }
    }

    ok(sound, "random names: any case, never longer, spelled once for all");
}


static void
check_bounds(void)
{
    char     name[ART_MODEL_NAME_MAX + 1];
    uint8_t  buf[ART_MODEL_NAME_MAX];

    memset(name, 'A', sizeof(name));
    ok(art_spelling(art_str(name, ART_MODEL_NAME_MAX), buf).len
       == ART_MODEL_NAME_MAX, "a name of 255 bytes");
    ok(art_spelling(art_str(name, ART_MODEL_NAME_MAX + 1), buf).len == 0,
       "a longer one is not spelled");
    ok(art_spelling_is_maker(art_cstr("openai"))
       && !art_spelling_is_maker(art_cstr("azure"))
       && !art_spelling_is_maker(art_cstr("nano-gpt"))
       && !art_spelling_is_maker(art_cstr("")), "who makes models");
}


int
main(void)
{
    check_spellings();
    check_bounds();
    check_random();

    return done();
}
