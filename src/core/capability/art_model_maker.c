
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Makers of models, as public maps name them.
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
