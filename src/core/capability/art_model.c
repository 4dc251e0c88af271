
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Names of models: how they are spelled, and what may be dropped of them.
 */


#include "core/capability/art_model.h"


/*
 * "name" is what the names of the maker's models begin with.  Only makers that
 * describe their models in a public map have a row; the prefix matters where
 * they sell models of others, too (google-vertex, alibaba-cn, bedrock).
 */

typedef struct {
    art_str_t    name;
    art_str_t    provider;
    unsigned     maker;
} art_model_maker_t;


#define art_maker(name, provider)                                             \
    { art_string(name), art_string(provider), ART_MODEL_MAKER }


#define art_cloud(name, provider)                                             \
    { art_string(name), art_string(provider), ART_MODEL_CLOUD }


#define ART_MODEL_COMPONENT  4
#define ART_MODEL_REGION     256
#define ART_MODEL_VENDOR     512
#define ART_MODEL_VARIANT    1024
#define ART_MODEL_VERSION    2048
#define ART_MODEL_DATE       4096
#define ART_MODEL_PREVIEW    8192


#define ART_MODEL_YEAR       2000    /* dates are in the century from here */
#define ART_MODEL_TUNED_LEN  (sizeof("ft:") - 1)


#define ART_MODEL_PATH       7       /* the most components to drop */
#define ART_MODEL_STARTS     (2 * ART_MODEL_PATH + 4)
#define ART_MODEL_ENDS       5


/* A position where a name may be cut, and the cost of that. */

typedef struct {
    size_t    pos;
    size_t    provider;          /* at a beginning: bytes kept before it */
    unsigned  dropped;
} art_model_cut_t;


typedef struct {
    art_str_t    alias;
    const char  *name;               /* not longer than the alias */
    unsigned     tags;               /* also the name of a model with tags */
} art_provider_t;


#define art_provider(alias, name)                                             \
    { art_string(alias), name, 0 }


#define art_provider_tags(alias, name)                                        \
    { art_string(alias), name, 1 }


static const art_provider_t *art_provider_find(art_str_t word);
static int art_model_is_split(const art_provider_t *row, int c,
    art_str_t rest);
static uint8_t art_model_char(art_str_t name, size_t i);
static int art_model_digit(uint8_t c);
static unsigned art_model_starts(art_str_t name, art_model_cut_t *starts);
static unsigned art_model_start(art_model_cut_t *starts, unsigned n,
    size_t pos, size_t provider, unsigned dropped);
static unsigned art_model_ends(art_str_t name, size_t base,
    art_model_cut_t *ends);
static size_t art_model_component(art_str_t name);
static size_t art_model_prefix(art_str_t name, const art_str_t *prefixes);
static size_t art_model_bedrock(art_str_t name);
static int art_model_is_tuned(art_str_t name);
static size_t art_model_variant(art_str_t name, size_t base);
static size_t art_model_version(art_str_t name, size_t base);
static size_t art_model_date(art_str_t name, size_t base);
static size_t art_model_preview(art_str_t name, size_t base, size_t dated);
static size_t art_model_digits(art_str_t name, size_t end);
static unsigned art_model_number(const uint8_t *p, size_t n);


static const art_model_maker_t  art_model_makers[] = {
    art_maker("gpt-", "openai"),
    art_maker("gpt-", "text-completion-openai"),
    art_maker("chatgpt-", "openai"),
    art_maker("o1", "openai"),
    art_maker("o3", "openai"),
    art_maker("o4", "openai"),
    art_maker("codex-", "openai"),
    art_maker("computer-use-", "openai"),

    art_maker("claude", "anthropic"),

    art_maker("gemini", "google"),
    art_maker("gemini", "gemini"),
    art_cloud("gemini", "google-vertex"),
    art_cloud("gemini", "vertex_ai"),
    art_cloud("gemini", "vertex_ai-language-models"),
    art_maker("gemma", "google"),
    art_maker("gemma", "gemini"),

    art_maker("mistral", "mistral"),
    art_maker("mistral", "mistralai"),
    art_maker("mixtral", "mistralai"),
    art_maker("ministral", "mistral"),
    art_maker("ministral", "mistralai"),
    art_maker("pixtral", "mistral"),
    art_maker("pixtral", "mistralai"),
    art_maker("codestral", "mistral"),
    art_maker("codestral", "mistralai"),
    art_maker("codestral", "codestral"),
    art_maker("devstral", "mistral"),
    art_maker("devstral", "mistralai"),
    art_maker("magistral", "mistral"),
    art_maker("magistral", "mistralai"),
    art_maker("voxtral", "mistral"),
    art_maker("voxtral", "mistralai"),
    art_maker("open-", "mistral"),
    art_maker("labs-", "mistral"),

    art_maker("deepseek", "deepseek"),

    art_maker("qwen", "alibaba"),
    art_maker("qwen", "dashscope"),
    art_maker("qwen", "qwen"),
    art_cloud("qwen", "alibaba-cn"),
    art_maker("qwq", "alibaba"),
    art_maker("qwq", "dashscope"),
    art_maker("qwq", "qwen"),
    art_cloud("qwq", "alibaba-cn"),
    art_maker("qvq", "alibaba"),
    art_cloud("qvq", "alibaba-cn"),

    art_maker("llama", "llama"),
    art_maker("llama", "meta-llama"),
    art_maker("llama", "meta_llama"),
    art_maker("muse", "meta"),

    art_maker("grok", "xai"),
    art_maker("grok", "x-ai"),

    art_maker("glm", "zai"),
    art_maker("glm", "z-ai"),
    art_maker("glm", "zhipuai"),

    art_maker("kimi", "moonshotai"),
    art_maker("kimi", "moonshot"),
    art_cloud("kimi", "moonshotai-cn"),
    art_maker("moonshot", "moonshot"),

    art_maker("minimax", "minimax"),
    art_cloud("minimax", "minimax-cn"),

    art_maker("command", "cohere"),
    art_maker("command", "cohere_chat"),
    art_maker("c4ai-", "cohere"),
    art_maker("north-", "cohere"),

    art_maker("nova", "amazon"),
    art_maker("nova", "amazon_nova"),
    art_maker("nova", "nova"),
    art_cloud("nova", "amazon-bedrock"),
    art_cloud("nova", "bedrock"),
    art_cloud("nova", "bedrock_converse"),
    art_cloud("titan", "bedrock"),

    art_maker("ernie", "baidu"),
    art_maker("granite", "ibm-granite"),
    art_cloud("granite", "watsonx"),
    art_maker("hermes", "nousresearch"),
    art_maker("hunyuan", "tencent"),
    art_maker("jamba", "ai21"),
    art_maker("mercury", "inception"),
    art_maker("mimo", "xiaomi"),
    art_maker("nemotron", "nvidia"),
    art_maker("phi-", "microsoft"),
    art_maker("reka", "rekaai"),
    art_maker("sarvam", "sarvam"),
    art_maker("seed", "bytedance-seed"),
    art_maker("solar", "upstage"),
    art_maker("sonar", "perplexity"),
    art_maker("step-", "stepfun"),
    art_cloud("step-", "stepfun-ai")
};


/*
 * The prefixes of models in Amazon Bedrock: the region of an inference profile
 * and the provider ("us.anthropic.claude-..."; Amazon Bedrock User Guide,
 * "Supported foundation models" and "... inference profiles").  Some other
 * clouds also name vendors so ("meta.llama-3.1").
 */

static const art_str_t  art_model_regions[] = {
    art_string("us"), art_string("eu"), art_string("apac"),
    art_string("global"), art_string("us-gov"), art_string("jp"),
    art_string("au"), art_string("ca"), art_string("sa"), art_string("me"),
    art_string("af"), art_null_string
};


static const art_str_t  art_model_vendors[] = {
    art_string("ai21"), art_string("amazon"), art_string("anthropic"),
    art_string("cohere"), art_string("google"), art_string("luma"),
    art_string("meta"), art_string("minimax"), art_string("mistral"),
    art_string("moonshot"), art_string("moonshotai"), art_string("nvidia"),
    art_string("openai"), art_string("qwen"), art_string("stability"),
    art_string("twelvelabs"), art_string("writer"), art_string("xai"),
    art_string("zai"), art_null_string
};


/* Sorted by alias. */

static const art_provider_t  art_providers[] = {
    art_provider("ai21", "ai21"),
    art_provider("ai21labs", "ai21"),
    art_provider("alibaba", "qwen"),
    art_provider("amazon", "amazon"),
    art_provider("amazon-bedrock", "bedrock"),
    art_provider("amazon_bedrock", "bedrock"),
    art_provider("amazon_nova", "amazon"),
    art_provider("anthropic", "anthropic"),
    art_provider("anthropic_bedrock", "bedrock"),
    art_provider("aws-bedrock", "bedrock"),
    art_provider("azure", "azure"),
    art_provider("azure-openai", "azure"),
    art_provider("azure_ai", "azure"),
    art_provider("azure_openai", "azure"),
    art_provider("baseten", "baseten"),
    art_provider("bedrock", "bedrock"),
    art_provider("bedrock-converse", "bedrock"),
    art_provider("bedrock_converse", "bedrock"),
    art_provider("bedrock_mantle", "bedrock"),
    art_provider("cerebras", "cerebras"),
    art_provider("cohere", "cohere"),
    art_provider("cohere_chat", "cohere"),
    art_provider("dashscope", "qwen"),
    art_provider("databricks", "databricks"),
    art_provider("deepinfra", "deepinfra"),
    art_provider("deepseek", "deepseek"),
    art_provider("deepseek-ai", "deepseek"),
    art_provider("fireworks", "fireworks"),
    art_provider("fireworks-ai", "fireworks"),
    art_provider("fireworks_ai", "fireworks"),
    art_provider("gateway", "gateway"),
    art_provider("gemini", "google"),
    art_provider("github", "github"),
    art_provider("github-models", "github"),
    art_provider("google", "google"),
    art_provider("google-cloud", "google"),
    art_provider("google-genai", "google"),
    art_provider("google-gla", "google"),
    art_provider("google-vertex", "google"),
    art_provider("google-vertex-anthropic", "google"),
    art_provider("google_anthropic_vertex", "google"),
    art_provider("google_genai", "google"),
    art_provider("google_vertexai", "google"),
    art_provider("grok", "xai"),
    art_provider("groq", "groq"),
    art_provider("heroku", "heroku"),
    art_provider("huggingface", "huggingface"),
    art_provider("ibm", "ibm"),
    art_provider("litellm", "litellm"),
    art_provider("litellm_proxy", "litellm"),
    art_provider_tags("llama", "meta"),
    art_provider("meta", "meta"),
    art_provider("meta-llama", "meta"),
    art_provider("meta_llama", "meta"),
    art_provider("minimax", "minimax"),
    art_provider("minimaxai", "minimax"),
    art_provider_tags("mistral", "mistral"),
    art_provider("mistral-ai", "mistral"),
    art_provider("mistralai", "mistral"),
    art_provider("moonshot", "moonshot"),
    art_provider("moonshotai", "moonshot"),
    art_provider("nebius", "nebius"),
    art_provider("nvidia", "nvidia"),
    art_provider("nvidia_nim", "nvidia"),
    art_provider("ollama", "ollama"),
    art_provider("ollama-cloud", "ollama"),
    art_provider("ollama_chat", "ollama"),
    art_provider("openai", "openai"),
    art_provider("openai-chat", "openai"),
    art_provider("openai-responses", "openai"),
    art_provider("openrouter", "openrouter"),
    art_provider("ovhcloud", "ovhcloud"),
    art_provider("perplexity", "perplexity"),
    art_provider_tags("qwen", "qwen"),
    art_provider("replicate", "replicate"),
    art_provider("sagemaker", "sagemaker"),
    art_provider("sambanova", "sambanova"),
    art_provider("together", "together"),
    art_provider("together_ai", "together"),
    art_provider("togetherai", "together"),
    art_provider("upstage", "upstage"),
    art_provider("vercel", "vercel"),
    art_provider("vercel_ai_gateway", "vercel"),
    art_provider("vertex", "google"),
    art_provider("vertex_ai", "google"),
    art_provider("vertexai", "google"),
    art_provider("watsonx", "watsonx"),
    art_provider("x-ai", "xai"),
    art_provider("xai", "xai"),
    art_provider("xiaomi", "xiaomi"),
    art_provider("z-ai", "zai"),
    art_provider("zai", "zai"),
    art_provider("zai-org", "zai"),
    art_provider("zhipu", "zai"),
    art_provider("zhipuai", "zai")
};


art_str_t
art_model_spell(art_str_t name, uint8_t buf[ART_MODEL_NAME_MAX])
{
    size_t                     i, n, start;
    uint8_t                    c;
    unsigned                   first;
    const art_provider_t  *row;

    if (name.len > ART_MODEL_NAME_MAX) {
        return art_str(NULL, 0);
    }

    n = 0;
    start = 0;
    first = 1;

    for (i = 0; i < name.len; i++) {
        c = art_model_char(name, i);

        if (c == '/' || (c == ':' && first)) {
            row = first ? art_provider_find(art_str(buf + start, n - start))
                        : NULL;

            if (row != NULL
                && art_model_is_split(row, c, art_str(name.data + i + 1,
                                                      name.len - i - 1)))
            {
                c = '/';
                n = start + strlen(row->name);
                memcpy(buf + start, row->name, n - start);
            }

            first = c == '/';
            start = n + 1;
        }

        buf[n++] = c;
    }

    return art_str(buf, n);
}


static const art_provider_t *
art_provider_find(art_str_t word)
{
    int     rc;
    size_t  low, high, middle;

    low = 0;
    high = art_nitems(art_providers);

    while (low < high) {
        middle = (low + high) / 2;
        rc = art_str_cmp(word, art_providers[middle].alias);

        if (rc == 0) {
            return &art_providers[middle];
        }

        if (rc < 0) {
            high = middle;

        } else {
            low = middle + 1;
        }
    }

    return NULL;
}


/*
 * Whether "c" separates a provider from a model.  In Ollama's "mistral:7b" and
 * "qwen:chat" a tag of the model follows the colon.
 */

static int
art_model_is_split(const art_provider_t *row, int c, art_str_t rest)
{
    if (c == '/') {
        return 1;
    }

    if (rest.len == 0) {
        return 0;
    }

    return !row->tags
           || (!art_model_digit(rest.data[0])
               && memchr(rest.data, '-', rest.len) != NULL);
}


static uint8_t
art_model_char(art_str_t name, size_t i)
{
    uint8_t  c;

    c = name.data[i];

    if ((c == '.' || c == '@')
        && i > 0 && i + 1 < name.len
        && art_model_digit(name.data[i + 1])
        && (c == '@' || art_model_digit(name.data[i - 1])))
    {
        return '-';
    }

    return art_char_lower(c);
}


static int
art_model_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}


unsigned
art_model_keys(art_str_t name, art_model_key_t *keys)
{
    unsigned          i, j, n, nstarts, nends;
    art_model_cut_t   starts[ART_MODEL_STARTS], ends[ART_MODEL_ENDS];

    if (name.len == 0 || name.len > ART_MODEL_NAME_MAX) {
        return 0;
    }

    nstarts = art_model_starts(name, starts);
    nends = art_model_ends(name, art_model_component(name), ends);
    n = 0;

    for (i = 0; i < nstarts; i++) {
        for (j = 0; j < nends; j++) {

            if (starts[i].pos >= ends[j].pos) {
                continue;
            }

            keys[n].provider = (uint8_t) starts[i].provider;
            keys[n].start = (uint8_t) starts[i].pos;
            keys[n].len = (uint8_t) (ends[j].pos - starts[i].pos);
            keys[n].dropped = (uint16_t) (starts[i].dropped + ends[j].dropped);
            n++;
        }
    }

    return n;
}


art_str_t
art_model_key_text(art_str_t name, const art_model_key_t *key,
    uint8_t buf[ART_MODEL_NAME_MAX])
{
    if (key->provider == 0) {
        return art_str(name.data + key->start, key->len);
    }

    memcpy(buf, name.data, key->provider);
    memcpy(buf + key->provider, name.data + key->start, key->len);

    return art_str(buf, (size_t) key->provider + key->len);
}


/* If a path is too long, its provider and first components are ignored. */

static unsigned
art_model_starts(art_str_t name, art_model_cut_t *starts)
{
    size_t    i, pos, provider, slashes[ART_MODEL_PATH];
    unsigned  n, nslashes, dropped;

    nslashes = 0;
    provider = 0;

    for (i = name.len; i > 0; i--) {
        if (name.data[i - 1] == '/') {
            provider = nslashes < ART_MODEL_PATH ? i : 0;

            if (provider == 0) {
                break;
            }

            slashes[nslashes++] = i;
        }
    }

    n = art_model_start(starts, 0, 0, 0, 0);
    pos = 0;
    dropped = 0;

    while (nslashes > 0) {
        pos = slashes[--nslashes];
        dropped += ART_MODEL_COMPONENT;
        n = art_model_start(starts, n, pos, provider, dropped);
    }

    name = art_str(name.data + pos, name.len - pos);

    if (art_model_is_tuned(name)) {
        return art_model_start(starts, n, pos + ART_MODEL_TUNED_LEN, provider,
                               dropped + ART_MODEL_VENDOR);
    }

    i = art_model_prefix(name, art_model_regions);

    if (i > 0) {
        dropped += ART_MODEL_REGION;
        n = art_model_start(starts, n, pos + i, provider, dropped);
    }

    i = art_model_bedrock(name);

    if (i > 0) {
        n = art_model_start(starts, n, pos + i, provider,
                            dropped + ART_MODEL_VENDOR);
    }

    return n;
}


/* Adds a beginning; before it, the same one with the provider kept. */

static unsigned
art_model_start(art_model_cut_t *starts, unsigned n, size_t pos,
    size_t provider, unsigned dropped)
{
    if (provider > 0 && pos > provider) {
        starts[n].pos = pos;
        starts[n].provider = provider;
        starts[n].dropped = dropped - ART_MODEL_COMPONENT;
        n++;
    }

    starts[n].pos = pos;
    starts[n].provider = 0;
    starts[n].dropped = dropped;

    return n + 1;
}


/*
 * Suffixes are dropped one after the other, from the end on; "base" is where
 * the last component begins.
 */

static unsigned
art_model_ends(art_str_t name, size_t base, art_model_cut_t *ends)
{
    size_t    i, len, dated;
    unsigned  n, dropped;

    static const struct {
        size_t   (*find)(art_str_t name, size_t base);
        unsigned   dropped;
    } cuts[] = {
        { art_model_variant, ART_MODEL_VARIANT },
        { art_model_version, ART_MODEL_VERSION },
        { art_model_date, ART_MODEL_DATE }
    };

    ends[0].pos = name.len;
    ends[0].dropped = 0;
    n = 1;
    dropped = 0;
    dated = 0;

    for (i = 0; i < art_nitems(cuts); i++) {
        len = cuts[i].find(name, base);

        if (len < name.len) {
            dated = name.len - len;
            name.len = len;
            dropped += cuts[i].dropped;

            if (cuts[i].find == art_model_date && name.data[len + 1] == 'l') {
                dropped += ART_MODEL_LATEST;
            }

            ends[n].pos = len;
            ends[n++].dropped = dropped;
        }
    }

    if (dropped & ART_MODEL_DATE) {
        len = art_model_preview(name, base, dated);

        if (len < name.len) {
            ends[n].pos = len;
            ends[n++].dropped = dropped + ART_MODEL_PREVIEW;
        }
    }

    return n;
}


/* The start of the last component of the path. */

static size_t
art_model_component(art_str_t name)
{
    size_t  i;

    for (i = name.len; i > 0 && name.data[i - 1] != '/'; i--) {
        /* void */
    }

    return i;
}


/* The length of a prefix from the table, with its dot; 0 without one. */

static size_t
art_model_prefix(art_str_t name, const art_str_t *prefixes)
{
    for ( /* void */ ; prefixes->len > 0; prefixes++) {
        if (name.len > prefixes->len + 1
            && name.data[prefixes->len] == '.'
            && memcmp(name.data, prefixes->data, prefixes->len) == 0)
        {
            return prefixes->len + 1;
        }
    }

    return 0;
}


/* The length of "us.anthropic." or "anthropic."; 0 without a vendor. */

static size_t
art_model_bedrock(art_str_t name)
{
    size_t  region, vendor;

    region = art_model_prefix(name, art_model_regions);
    vendor = art_model_prefix(art_str(name.data + region, name.len - region),
                              art_model_vendors);

    return vendor > 0 ? region + vendor : 0;
}


/* A fine-tuned model of OpenAI or Mistral: "ft:gpt-4o-2024-08-06:acme::id". */

static int
art_model_is_tuned(art_str_t name)
{
    return name.len > ART_MODEL_TUNED_LEN
           && memcmp(name.data, "ft:", ART_MODEL_TUNED_LEN) == 0
           && name.data[ART_MODEL_TUNED_LEN] != ':';
}


/*
 * ":free", ":thinking", "@default": words only.  Tags with a digit distinguish
 * models ("gemma3:4b").
 */

static size_t
art_model_variant(art_str_t name, size_t base)
{
    size_t          i;
    uint8_t         c;
    const uint8_t  *p;

    if (art_model_is_tuned(art_str(name.data + base, name.len - base))) {
        base += ART_MODEL_TUNED_LEN;
        p = memchr(name.data + base, ':', name.len - base);

        return p != NULL ? (size_t) (p - name.data) : name.len;
    }

    for (i = name.len; i > base; i--) {
        c = name.data[i - 1];

        if ((c < 'a' || c > 'z') && c != '-') {
            break;
        }
    }

    if (i < base + 2 || i == name.len
        || (name.data[i - 1] != ':' && name.data[i - 1] != '@'))
    {
        return name.len;
    }

    return i - 1;
}


/*
 * "-v1:0", "-v1:0:28k", and "-v1" after a vendor of Amazon Bedrock; elsewhere
 * "-v1" distinguishes models ("deepseek-v3").
 */

static size_t
art_model_version(art_str_t name, size_t base)
{
    size_t  end, start;

    end = name.len;

    if (end > 0 && name.data[end - 1] == 'k') {
        start = art_model_digits(name, end - 1);

        if (start == end - 1 || start == 0 || name.data[start - 1] != ':') {
            return name.len;
        }

        end = start - 1;
    }

    start = art_model_digits(name, end);

    if (start == end || start == 0) {
        return name.len;
    }

    if (name.data[start - 1] == ':') {
        end = start - 1;
        start = art_model_digits(name, end);

    } else if (end < name.len
               || art_model_bedrock(art_str(name.data + base,
                                            name.len - base))
                  == 0)
    {
        return name.len;
    }

    if (start == end || start < base + 3 || name.data[start - 1] != 'v'
        || name.data[start - 2] != '-')
    {
        return name.len;
    }

    return start - 2;
}


/* "-2024-08-06", "-20241022", "-06-05", "-09-2025", "-latest" */

static size_t
art_model_date(art_str_t name, size_t base)
{
    size_t          i, len;
    unsigned        year, month, day;
    const uint8_t  *p;

    static const art_str_t  latest = art_string("-latest");

    len = name.len;

    if (len > base + latest.len
        && memcmp(name.data + len - latest.len, latest.data, latest.len) == 0)
    {
        return len - latest.len;
    }

    p = name.data + len;
    i = art_model_digits(name, len);
    year = ART_MODEL_YEAR;
    day = 1;

    if (len - i == 8) {
        year = art_model_number(p - 8, 4);
        month = art_model_number(p - 4, 2);
        day = art_model_number(p - 2, 2);

    } else if (len >= base + 8 && len - i == 4 && p[-5] == '-') {
        month = art_model_number(p - 7, 2);
        year = art_model_number(p - 4, 4);
        i = len - 7;

    } else if (len >= base + 6 && len - i == 2 && p[-3] == '-') {
        month = art_model_number(p - 5, 2);
        day = art_model_number(p - 2, 2);
        i = len - 5;

        if (len >= base + 11 && p[-6] == '-'
            && art_model_digits(name, len - 6) == len - 10)
        {
            year = art_model_number(p - 10, 4);
            i = len - 10;
        }

    } else {
        return len;
    }

    return i > base + 1 && name.data[i - 1] == '-'
           && year >= ART_MODEL_YEAR && year < ART_MODEL_YEAR + 100
           && month >= 1 && month <= 12 && day >= 1 && day <= 31
           ? i - 1 : len;
}


/*
 * The "-preview" before a date of "dated" bytes without a day or without a
 * year: Google's "gemini-2.5-pro-preview-06-05" became "gemini-2.5-pro".
 * OpenAI's "o1-preview-2024-09-12" is another model than "o1".
 */

static size_t
art_model_preview(art_str_t name, size_t base, size_t dated)
{
    static const art_str_t  preview = art_string("-preview");

    return (dated == sizeof("-06-05") - 1 || dated == sizeof("-09-2025") - 1)
           && name.len > base + preview.len
           && memcmp(name.data + name.len - preview.len, preview.data,
                     preview.len)
              == 0
           ? name.len - preview.len : name.len;
}


/* The start of the digits before "end". */

static size_t
art_model_digits(art_str_t name, size_t end)
{
    while (end > 0 && art_model_digit(name.data[end - 1])) {
        end--;
    }

    return end;
}


/* 0 if there are other characters than digits. */

static unsigned
art_model_number(const uint8_t *p, size_t n)
{
    unsigned  value;

    for (value = 0; n > 0; n--, p++) {
        if (!art_model_digit(*p)) {
            return 0;
        }

        value = value * 10 + (unsigned) (*p - '0');
    }

    return value;
}


unsigned
art_model_maker(art_str_t name, art_str_t provider)
{
    size_t                    i;
    const art_model_maker_t  *row;

    for (i = 0; i < art_nitems(art_model_makers); i++) {
        row = &art_model_makers[i];

        if (art_str_eq(row->provider, provider)
            && name.len >= row->name.len
            && memcmp(name.data, row->name.data, row->name.len) == 0)
        {
            return row->maker;
        }
    }

    return 0;
}
