
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Shapes of answers: platform.openai.com/docs/api-reference (chat, responses),
 * docs.claude.com/en/docs/build-with-claude/streaming, ai.google.dev/api
 * (GenerateContentResponse), docs.aws.amazon.com/bedrock (Converse),
 * docs.mistral.ai/api and openrouter.ai/docs, as their SDKs have them.
 */


#include "core/declare/art_declare_table.h"


#define RULE(in, key, object, array, says, word)                              \
    { { key, ART_DECLARE_##in, ART_DECLARE_##object, ART_DECLARE_##array,     \
        ART_SAYS_##says }, word }
#define SAYS(in, key, says)  RULE(in, key, NO_NODE, NO_NODE, says, NULL)
#define WORD(in, key, says, word)  RULE(in, key, NO_NODE, NO_NODE, says, word)
#define INTO(in, key, node)  RULE(in, key, node, NO_NODE, NOTHING, NULL)
#define LIST(in, key, node)  RULE(in, key, NO_NODE, node, NOTHING, NULL)
#define EACH(in, node)  INTO(in, NULL, node)
#define END  SAYS(NO_NODE, NULL, NOTHING)


/* Content is a string, or (Mistral) a list of parts. */

#define CHAT_RULES(body)                                                      \
    LIST(ROOT, "choices", LIST),                                              \
    EACH(LIST, ITEM),                                                         \
    INTO(ITEM, body, BODY),                                                   \
    SAYS(ITEM, "index", INDEX),                                               \
    SAYS(ITEM, "finish_reason", FINAL),                                       \
    RULE(BODY, "content", NO_NODE, PARTS, TEXT, NULL),                        \
    EACH(PARTS, PART),                                                        \
    SAYS(PART, "text", TEXT),                                                 \
    END

static const art_declare_rule_t  art_chat_stream[] = { CHAT_RULES("delta") };
static const art_declare_rule_t  art_chat_json[] = { CHAT_RULES("message") };


/* The whole text comes again with the end of its part, item and response. */

static const art_declare_rule_t  art_responses_stream[] = {
    WORD(ROOT, "type", KIND, "response.output_text.delta"),
    WORD(ROOT, "type", FINAL, "response.completed"),
    WORD(ROOT, "type", FINAL, "response.incomplete"),
    SAYS(ROOT, "delta", TEXT),
    SAYS(ROOT, "text", REPEAT),
    INTO(ROOT, "part", PART),
    INTO(ROOT, "item", ITEM),
    INTO(ROOT, "response", BODY),
    LIST(BODY, "output", LIST),
    EACH(LIST, ITEM),
    LIST(ITEM, "content", PARTS),
    EACH(PARTS, PART),
    SAYS(PART, "text", REPEAT),
    END
};

static const art_declare_rule_t  art_responses_json[] = {
    LIST(ROOT, "output", LIST),
    EACH(LIST, ITEM),
    LIST(ITEM, "content", PARTS),
    EACH(PARTS, PART),
    WORD(PART, "type", KIND, "output_text"),
    SAYS(PART, "text", TEXT),
    END
};


static const art_declare_rule_t  art_anthropic_stream[] = {
    INTO(ROOT, "delta", BODY),
    WORD(BODY, "type", KIND, "text_delta"),
    SAYS(BODY, "text", TEXT),
    SAYS(BODY, "stop_reason", FINAL),
    END
};

static const art_declare_rule_t  art_anthropic_json[] = {
    LIST(ROOT, "content", PARTS),
    EACH(PARTS, PART),
    WORD(PART, "type", KIND, "text"),
    SAYS(PART, "text", TEXT),
    END
};


static const art_declare_rule_t  art_gemini_both[] = {
    EACH(ROOTS, ROOT),
    LIST(ROOT, "candidates", LIST),
    EACH(LIST, ITEM),
    INTO(ITEM, "content", BODY),
    SAYS(ITEM, "index", INDEX),
    SAYS(ITEM, "finishReason", FINAL),
    LIST(BODY, "parts", PARTS),
    EACH(PARTS, PART),
    SAYS(PART, "text", TEXT),
    SAYS(PART, "thought", NOT),
    END
};


static const art_declare_rule_t  art_bedrock_json[] = {
    INTO(ROOT, "output", BODY),
    INTO(BODY, "message", ITEM),
    LIST(ITEM, "content", PARTS),
    EACH(PARTS, PART),
    SAYS(PART, "text", TEXT),
    END
};


static const art_declare_rule_t  art_agent_stream[] = {
    SAYS(ROOT, "type", TYPE),
    SAYS(ROOT, "text", TEXT),
    SAYS(ROOT, "result", RESULT),
    END
};

static const art_declare_rule_t  art_agent_json[] = {
    SAYS(ROOT, "result", TEXT),
    END
};


static const art_declare_api_t  art_declare_apis[] = {
    { "openai", 0, art_chat_stream, art_chat_json },
    { "mistral", 0, art_chat_stream, art_chat_json },
    { "openrouter", 0, art_chat_stream, art_chat_json },
    { "openai_responses", 0, art_responses_stream, art_responses_json },
    { "anthropic", 0, art_anthropic_stream, art_anthropic_json },
    { "gemini", 0, art_gemini_both, art_gemini_both },
    { "bedrock", 0, NULL, art_bedrock_json },
    { NULL, ART_DECLARE_AGENT, art_agent_stream, art_agent_json }
};


const art_declare_api_t *
art_declare_api(const char *name)
{
    const art_declare_api_t  *api;

    for (api = art_declare_apis; api->name != NULL; api++) {
        if (name != NULL && strcmp(api->name, name) == 0) {
            break;
        }
    }

    return api;
}
