
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/capability/art_spelling.h"


#define ART_SPELLING_MAKER  0x01
#define ART_SPELLING_TAGS   0x02     /* also the name of a model with tags */


typedef struct {
    art_str_t    alias;
    const char  *name;               /* not longer than the alias */
    unsigned     flags;              /* of the provider */
} art_spelling_row_t;


static const art_spelling_row_t *art_spelling_find(art_str_t word);
static int art_spelling_is_split(const art_spelling_row_t *row, int c,
    art_str_t rest);
static uint8_t art_spelling_char(art_str_t name, size_t i);
static int art_spelling_digit(uint8_t c);


#define art_spelling_row(alias, name)                                         \
    { art_string(alias), name, 0 }

#define art_spelling_maker(alias, name)                                       \
    { art_string(alias), name, ART_SPELLING_MAKER }

#define art_spelling_tags(alias, name)                                        \
    { art_string(alias), name, ART_SPELLING_MAKER | ART_SPELLING_TAGS }


/* Sorted by alias. */

static const art_spelling_row_t  art_spelling_rows[] = {
    art_spelling_maker("ai21", "ai21"),
    art_spelling_maker("ai21labs", "ai21"),
    art_spelling_maker("alibaba", "qwen"),
    art_spelling_maker("amazon", "amazon"),
    art_spelling_row("amazon-bedrock", "bedrock"),
    art_spelling_row("amazon_bedrock", "bedrock"),
    art_spelling_maker("amazon_nova", "amazon"),
    art_spelling_maker("anthropic", "anthropic"),
    art_spelling_row("anthropic_bedrock", "bedrock"),
    art_spelling_row("aws-bedrock", "bedrock"),
    art_spelling_row("azure", "azure"),
    art_spelling_row("azure-openai", "azure"),
    art_spelling_row("azure_ai", "azure"),
    art_spelling_row("azure_openai", "azure"),
    art_spelling_row("baseten", "baseten"),
    art_spelling_row("bedrock", "bedrock"),
    art_spelling_row("bedrock-converse", "bedrock"),
    art_spelling_row("bedrock_converse", "bedrock"),
    art_spelling_row("bedrock_mantle", "bedrock"),
    art_spelling_row("cerebras", "cerebras"),
    art_spelling_maker("cohere", "cohere"),
    art_spelling_maker("cohere_chat", "cohere"),
    art_spelling_maker("dashscope", "qwen"),
    art_spelling_row("databricks", "databricks"),
    art_spelling_row("deepinfra", "deepinfra"),
    art_spelling_maker("deepseek", "deepseek"),
    art_spelling_maker("deepseek-ai", "deepseek"),
    art_spelling_row("fireworks", "fireworks"),
    art_spelling_row("fireworks-ai", "fireworks"),
    art_spelling_row("fireworks_ai", "fireworks"),
    art_spelling_row("gateway", "gateway"),
    art_spelling_maker("gemini", "google"),
    art_spelling_row("github", "github"),
    art_spelling_row("github-models", "github"),
    art_spelling_maker("google", "google"),
    art_spelling_maker("google-cloud", "google"),
    art_spelling_maker("google-genai", "google"),
    art_spelling_maker("google-gla", "google"),
    art_spelling_maker("google-vertex", "google"),
    art_spelling_maker("google-vertex-anthropic", "google"),
    art_spelling_maker("google_anthropic_vertex", "google"),
    art_spelling_maker("google_genai", "google"),
    art_spelling_maker("google_vertexai", "google"),
    art_spelling_maker("grok", "xai"),
    art_spelling_row("groq", "groq"),
    art_spelling_row("heroku", "heroku"),
    art_spelling_row("huggingface", "huggingface"),
    art_spelling_maker("ibm", "ibm"),
    art_spelling_row("litellm", "litellm"),
    art_spelling_row("litellm_proxy", "litellm"),
    art_spelling_tags("llama", "meta"),
    art_spelling_maker("meta", "meta"),
    art_spelling_maker("meta-llama", "meta"),
    art_spelling_maker("meta_llama", "meta"),
    art_spelling_maker("minimax", "minimax"),
    art_spelling_maker("minimaxai", "minimax"),
    art_spelling_tags("mistral", "mistral"),
    art_spelling_maker("mistral-ai", "mistral"),
    art_spelling_maker("mistralai", "mistral"),
    art_spelling_maker("moonshot", "moonshot"),
    art_spelling_maker("moonshotai", "moonshot"),
    art_spelling_row("nebius", "nebius"),
    art_spelling_maker("nvidia", "nvidia"),
    art_spelling_maker("nvidia_nim", "nvidia"),
    art_spelling_row("ollama", "ollama"),
    art_spelling_row("ollama-cloud", "ollama"),
    art_spelling_row("ollama_chat", "ollama"),
    art_spelling_maker("openai", "openai"),
    art_spelling_maker("openai-chat", "openai"),
    art_spelling_maker("openai-responses", "openai"),
    art_spelling_row("openrouter", "openrouter"),
    art_spelling_row("ovhcloud", "ovhcloud"),
    art_spelling_maker("perplexity", "perplexity"),
    art_spelling_tags("qwen", "qwen"),
    art_spelling_row("replicate", "replicate"),
    art_spelling_row("sagemaker", "sagemaker"),
    art_spelling_row("sambanova", "sambanova"),
    art_spelling_row("together", "together"),
    art_spelling_row("together_ai", "together"),
    art_spelling_row("togetherai", "together"),
    art_spelling_maker("upstage", "upstage"),
    art_spelling_row("vercel", "vercel"),
    art_spelling_row("vercel_ai_gateway", "vercel"),
    art_spelling_maker("vertex", "google"),
    art_spelling_maker("vertex_ai", "google"),
    art_spelling_maker("vertexai", "google"),
    art_spelling_row("watsonx", "watsonx"),
    art_spelling_maker("x-ai", "xai"),
    art_spelling_maker("xai", "xai"),
    art_spelling_maker("xiaomi", "xiaomi"),
    art_spelling_maker("z-ai", "zai"),
    art_spelling_maker("zai", "zai"),
    art_spelling_maker("zai-org", "zai"),
    art_spelling_maker("zhipu", "zai"),
    art_spelling_maker("zhipuai", "zai")
};


art_str_t
art_spelling(art_str_t name, uint8_t buf[ART_MODEL_NAME_MAX])
{
    size_t                     i, n, start;
    uint8_t                    c;
    unsigned                   first;
    const art_spelling_row_t  *row;

    if (name.len > ART_MODEL_NAME_MAX) {
        return art_str(NULL, 0);
    }

    n = 0;
    start = 0;
    first = 1;

    for (i = 0; i < name.len; i++) {
        c = art_spelling_char(name, i);

        if (c == '/' || (c == ':' && first)) {
            row = first ? art_spelling_find(art_str(buf + start, n - start))
                        : NULL;

            if (row != NULL
                && art_spelling_is_split(row, c, art_str(name.data + i + 1,
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


int
art_spelling_is_maker(art_str_t provider)
{
    const art_spelling_row_t  *row;

    row = art_spelling_find(provider);

    return row != NULL && (row->flags & ART_SPELLING_MAKER);
}


static const art_spelling_row_t *
art_spelling_find(art_str_t word)
{
    int     rc;
    size_t  low, high, middle;

    low = 0;
    high = art_nitems(art_spelling_rows);

    while (low < high) {
        middle = (low + high) / 2;
        rc = art_str_cmp(word, art_spelling_rows[middle].alias);

        if (rc == 0) {
            return &art_spelling_rows[middle];
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
art_spelling_is_split(const art_spelling_row_t *row, int c, art_str_t rest)
{
    if (c == '/') {
        return 1;
    }

    if (rest.len == 0) {
        return 0;
    }

    return !(row->flags & ART_SPELLING_TAGS)
           || (!art_spelling_digit(rest.data[0])
               && memchr(rest.data, '-', rest.len) != NULL);
}


static uint8_t
art_spelling_char(art_str_t name, size_t i)
{
    uint8_t  c;

    c = name.data[i];

    if ((c == '.' || c == '@')
        && i > 0 && i + 1 < name.len
        && art_spelling_digit(name.data[i + 1])
        && (c == '@' || art_spelling_digit(name.data[i - 1])))
    {
        return '-';
    }

    return art_char_lower(c);
}


static int
art_spelling_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}
