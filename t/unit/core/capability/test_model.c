
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Names of models: how they are spelled, what is dropped of them, and what is
 * never dropped.
 */


#include "core/capability/art_model.h"
#include "tap.h"


/* All parts of a name, "part(dropped) ...", the cheapest way to each. */

static const char *
parts_of(const char *name)
{
    size_t            len;
    uint8_t           buf[ART_MODEL_NAME_MAX];
    unsigned          i, n;
    art_str_t         text;
    static char       line[8192];
    art_model_key_t   keys[ART_MODEL_KEYS_MAX];

    n = art_model_keys(art_cstr(name), keys);
    len = 0;
    line[0] = '\0';

    for (i = 0; i < n; i++) {
        text = art_model_key_text(art_cstr(name), &keys[i], buf);
        len += (size_t) snprintf(line + len, sizeof(line) - len,
                                 "%s%.*s(%u)", i ? " " : "", (int) text.len,
                                 (const char *) text.data, keys[i].dropped);
    }

    return line;
}


static void
check_parts(void)
{
    size_t  i;

    static const struct {
        const char  *name;
        const char  *parts;
    } cases[] = {
        { "", "" },
        { "gpt-4o", "gpt-4o(0)" },
        { "gpt-4o-mini", "gpt-4o-mini(0)" },
        { "openai/gpt-4o", "openai/gpt-4o(0) gpt-4o(4)" },
        { "azure/eu/gpt-4o",
          "azure/eu/gpt-4o(0) eu/gpt-4o(4) azure/gpt-4o(4) gpt-4o(8)" },
        { "gpt-4o-2024-08-06", "gpt-4o-2024-08-06(0) gpt-4o(4096)" },
        { "claude-3-5-sonnet-20241022",
          "claude-3-5-sonnet-20241022(0) claude-3-5-sonnet(4096)" },
                { "claude-3-5-sonnet-latest",
          "claude-3-5-sonnet-latest(0) claude-3-5-sonnet(4224)" },
        { "gemini-2.5-pro-preview-06-05",
          "gemini-2.5-pro-preview-06-05(0) gemini-2.5-pro-preview(4096) "
          "gemini-2.5-pro(12288)" },
        { "gemini-2.5-flash-preview-09-2025",
          "gemini-2.5-flash-preview-09-2025(0) "
          "gemini-2.5-flash-preview(4096) gemini-2.5-flash(12288)" },
        { "gemini-2.5-pro-preview-05-06:thinking",
          "gemini-2.5-pro-preview-05-06:thinking(0) "
          "gemini-2.5-pro-preview-05-06(1024) gemini-2.5-pro-preview(5120) "
          "gemini-2.5-pro(13312)" },
        { "command-r-08-2024", "command-r-08-2024(0) command-r(4096)" },
        { "gemini-2.5-pro:free",
          "gemini-2.5-pro:free(0) gemini-2.5-pro(1024)" },
        { "claude-sonnet-5@default",
          "claude-sonnet-5@default(0) claude-sonnet-5(1024)" },
        { "gpt-4o-2024-08-06:free",
          "gpt-4o-2024-08-06:free(0) gpt-4o-2024-08-06(1024) gpt-4o(5120)" },
        { "us.anthropic.claude-3-haiku-20240307-v1:0",
          "us.anthropic.claude-3-haiku-20240307-v1:0(0) "
          "us.anthropic.claude-3-haiku-20240307(2048) "
          "us.anthropic.claude-3-haiku(6144) "
          "anthropic.claude-3-haiku-20240307-v1:0(256) "
          "anthropic.claude-3-haiku-20240307(2304) "
          "anthropic.claude-3-haiku(6400) "
          "claude-3-haiku-20240307-v1:0(768) claude-3-haiku-20240307(2816) "
          "claude-3-haiku(6912)" },
        { "bedrock/us.meta.llama3-v1:0",
          "bedrock/us.meta.llama3-v1:0(0) bedrock/us.meta.llama3(2048) "
          "us.meta.llama3-v1:0(4) us.meta.llama3(2052) "
          "bedrock/meta.llama3-v1:0(256) bedrock/meta.llama3(2304) "
          "meta.llama3-v1:0(260) meta.llama3(2308) "
          "bedrock/llama3-v1:0(768) bedrock/llama3(2816) "
          "llama3-v1:0(772) llama3(2820)" },
        { "anthropic.claude-3-sonnet-v1:0:28k",
          "anthropic.claude-3-sonnet-v1:0:28k(0) "
          "anthropic.claude-3-sonnet(2048) claude-3-sonnet-v1:0:28k(512) "
          "claude-3-sonnet(2560)" },

        { "anthropic.claude-v1",
          "anthropic.claude-v1(0) anthropic.claude(2048) claude-v1(512) "
          "claude(2560)" },
        { "gemini-pro-06-05", "gemini-pro-06-05(0) gemini-pro(4096)" },
        { "ft:davinci", "ft:davinci(0) davinci(512)" },
        { "openai/ft:davinci",
          "openai/ft:davinci(0) ft:davinci(4) openai/davinci(512) "
          "davinci(516)" },
        { "ft:gpt-4o-2024-08-06:acme::id",
          "ft:gpt-4o-2024-08-06:acme::id(0) ft:gpt-4o-2024-08-06(1024) "
          "ft:gpt-4o(5120) gpt-4o-2024-08-06:acme::id(512) "
          "gpt-4o-2024-08-06(1536) gpt-4o(5632)" },

        /* names that only look like these */

        { "deepseek-v3", "deepseek-v3(0)" },
        { "m-13-01", "m-13-01(0)" },
        { "m-1-01", "m-1-01(0)" },
        { "m-123-01-01", "m-123-01-01(0) m-123(4096)" },
        { "01-01", "01-01(0)" },
        { "a/-01-01", "a/-01-01(0) -01-01(4)" },

        { "llama3:70b", "llama3:70b(0)" },
        { "gemma3:4b", "gemma3:4b(0)" },
        { "ft:", "ft:(0)" },
        { "ft::a", "ft::a(0) ft:(1024)" },
        { "gpt-4.1", "gpt-4.1(0)" },
        { "meta.", "meta.(0)" },
        { "us.", "us.(0)" },
        { "deepseek.r1", "deepseek.r1(0)" },
        { "gpt-4-0613", "gpt-4-0613(0)" },
        { "gpt-4-1106-preview", "gpt-4-1106-preview(0)" },
        { "m-20241322", "m-20241322(0)" },
        { "m-13-2024", "m-13-2024(0)" },
        { "m-12-1924", "m-12-1924(0)" },
        { "-12-2024", "-12-2024(0)" },
        { "gemini-2.5-pro-preview", "gemini-2.5-pro-preview(0)" },
        { "o1-preview-2024-09-12",
          "o1-preview-2024-09-12(0) o1-preview(4096)" },
        { "o1-preview-latest", "o1-preview-latest(0) o1-preview(4224)" },
        { "-preview-06-05", "-preview-06-05(0) -preview(4096)" },
        { "m-2024-00-10", "m-2024-00-10(0)" },
        { "m-2024-1a-10", "m-2024-1a-10(0)" },
        { "m20241022", "m20241022(0)" },
        { "-20241022", "-20241022(0)" },
        { "-latest", "-latest(0)" },
        { "-v1:0", "-v1:0(0)" },
        { ":free", ":free(0)" },
        { "x/@cf", "x/@cf(0) @cf(4)" },
        { "cloudflare/@cf/m", "cloudflare/@cf/m(0) @cf/m(4) "
                              "cloudflare/m(4) m(8)" },
        { "a/", "a/(0)" },
        { "/", "/(0)" },
        { "m:Free", "m:Free(0)" },
        { "m:", "m:(0)" }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        is_str(parts_of(cases[i].name), cases[i].parts,
               cases[i].name[0] ? cases[i].name : "no name");
    }
}


static void
check_bounds(void)
{
    char              name[ART_MODEL_NAME_MAX + 2];
    unsigned          n;
    art_model_key_t   keys[ART_MODEL_KEYS_MAX];

    memset(name, 'a', sizeof(name));
    ok(art_model_keys(art_str(name, ART_MODEL_NAME_MAX), keys) == 1,
       "a name of 255 bytes");
    ok(art_model_keys(art_str(name, ART_MODEL_NAME_MAX + 1), keys) == 0,
       "a longer one is not reduced");

    n = art_model_keys(art_cstr("a/b/c/d/e/f/g/us.meta.m-preview-01-01-v1:0:"
                                "free"), keys);
    is_int((long long) n, ART_MODEL_KEYS_MAX, "the most keys there can be");

    n = art_model_keys(art_cstr("0/1/2/a/b/c/d/e/f/g/us.meta.m-preview-01-01-"
                                "v1:0:free"), keys);
    is_int((long long) n, 50, "of a longer path the last seven");
}


/*
 * For random names of the grammar: the first key is the name, keys are parts
 * of it, dropped is 0 only for the whole, and the base is always among them.
 */

static void
check_random(void)
{
    char              name[256];
    int               sound, based, friends;
    size_t            i, j, len;
    uint8_t           buf[ART_MODEL_NAME_MAX], spelled[ART_MODEL_NAME_MAX];
    unsigned          k, n;
    art_str_t         text, base;
    art_model_key_t   keys[ART_MODEL_KEYS_MAX];

    static const char *const  paths[] = { "", "openai/", "azure/eu/",
                                          "bedrock/us-east-1/", "x/y/z/" };
    static const char *const  regions[] = { "", "us.", "eu.", "global." };
    static const char *const  vendors[] = { "", "anthropic.", "meta." };
    static const char *const  bases[] = { "gpt-4", "gpt-4o", "o1", "o1-mini",
                                          "claude-3-5", "llama3:70b" };
    static const char *const  dates[] = { "", "-2024-08-06", "-20241022",
                                          "@20240620", "-latest" };
    static const char *const  versions[] = { "", "-v1:0", "-v2:0:18k" };
    static const char *const  variants[] = { "", ":free", ":thinking" };

    sound = based = friends = 1;

    for (i = 0; i < 2000; i++) {
        base = art_cstr(bases[tap_below(6)]);
        len = (size_t) snprintf(name, sizeof(name), "%s%s%s%s%s%s%s",
                                paths[tap_below(5)], regions[tap_below(4)],
                                vendors[tap_below(3)],
                                (const char *) base.data,
                                dates[tap_below(5)], versions[tap_below(3)],
                                variants[tap_below(3)]);

        text = art_model_spell(art_str(name, len), spelled);
        len = text.len;
        memcpy(name, spelled, len);

        n = art_model_keys(text, keys);
        sound &= n > 0 && n <= ART_MODEL_KEYS_MAX && keys[0].len == len;

        for (k = 0; k < n && !art_str_eq(art_model_key_text(art_str(name, len),
                                                            &keys[k], buf),
                                         base); k++)
        {
            /* void */
        }

        based &= k < n;

        for (k = 0; k < n; k++) {
            text = art_model_key_text(art_str(name, len), &keys[k], buf);
            sound &= text.len > 0 && text.len <= len
                     && (keys[k].dropped == 0) == (text.len == len);

            for (j = 0; j < 6; j++) {
                friends &= !art_str_eq(text, art_cstr(bases[j]))
                           || art_str_eq(base, art_cstr(bases[j]));
            }
        }
    }

    ok(sound, "random names: parts are shorter, and the whole goes first");
    ok(friends, "no other model is among them");
    ok(based, "the base of each is among them");
}


/* Who makes a model: its maker, but nobody who sells it. */

static void
check_makers(void)
{
    size_t  i;

    static const struct {
        const char  *name;
        const char  *provider;
        unsigned     maker;
    } cases[] = {
        { "gpt-4o", "openai", ART_MODEL_MAKER },
        { "o3-mini", "openai", ART_MODEL_MAKER },
        { "gpt-4o", "azure", 0 },
        { "gpt-4o", "", 0 },
        { "gpt-4o", "openai2", 0 },
        { "", "openai", 0 },
        { "gpt", "openai", 0 },
        { "claude-sonnet-4-5", "anthropic", ART_MODEL_MAKER },
        { "claude-sonnet-4-5", "google-vertex", 0 },
        { "claude-sonnet-4-5", "openai", 0 },
        { "gemini-2-5-pro", "google", ART_MODEL_MAKER },
        { "gemini-2-5-pro", "gemini", ART_MODEL_MAKER },
        { "gemini-2-5-pro", "google-vertex", ART_MODEL_CLOUD },
        { "qwen3-max", "alibaba", ART_MODEL_MAKER },
        { "qwen3-max", "alibaba-cn", ART_MODEL_CLOUD },
        { "deepseek-v3-2", "alibaba-cn", 0 },
        { "deepseek-v3-2", "deepseek", ART_MODEL_MAKER },
        { "nova-pro", "bedrock_converse", ART_MODEL_CLOUD },
        { "glm-4-6", "z-ai", ART_MODEL_MAKER },
        { "kimi-k2-6", "moonshot", ART_MODEL_MAKER }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        is_int((long long) art_model_maker(art_cstr(cases[i].name),
                                           art_cstr(cases[i].provider)),
               (long long) cases[i].maker, cases[i].name);
    }
}


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
        text = art_model_spell(art_cstr(cases[i].name), buf);
        snprintf(line, sizeof(line), "%.*s", (int) text.len,
                 (const char *) text.data);
        is_str(line, cases[i].spelled,
               cases[i].name[0] ? cases[i].name : "no name");
    }
}


/* A spelling is stable, never longer, and the same in any case of letters. */

static void
check_spell_random(void)
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

        text = art_model_spell(art_str(name, len), buf);
        sound &= text.len <= len;

        same = art_model_spell(art_str(other, len), again);
        sound &= art_str_eq(text, same);

        if (memchr(text.data, ':', text.len) == NULL) {
            same = art_model_spell(text, again);
            sound &= art_str_eq(text, same);
        }
    }

    ok(sound, "random names: any case, never longer, spelled once for all");
}


static void
check_spell_bounds(void)
{
    char     name[ART_MODEL_NAME_MAX + 1];
    uint8_t  buf[ART_MODEL_NAME_MAX];

    memset(name, 'A', sizeof(name));
    ok(art_model_spell(art_str(name, ART_MODEL_NAME_MAX), buf).len
       == ART_MODEL_NAME_MAX, "a name of 255 bytes");
    ok(art_model_spell(art_str(name, ART_MODEL_NAME_MAX + 1), buf).len == 0,
       "a longer one is not spelled");
}


int
main(void)
{
    check_parts();
    check_makers();
    check_bounds();
    check_random();
    check_spellings();
    check_spell_bounds();
    check_spell_random();

    return done();
}
