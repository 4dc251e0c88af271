
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Shapes of answers: platform.openai.com/docs/api-reference (chat, responses),
 * docs.claude.com/en/docs/build-with-claude/streaming, ai.google.dev/api
 * (GenerateContentResponse), docs.aws.amazon.com/bedrock (Converse),
 * docs.mistral.ai/api and openrouter.ai/docs, as their SDKs have them.
 */


#include "core/declare/art_declare_table.h"


#define END  { { NULL }, ART_SAYS_NOTHING, NULL }


/* Content is a string, or (Mistral) a list of parts. */

static const art_declare_rule_t  art_chat_stream[] = {
    { { "choices", "*", "delta", "content" }, ART_SAYS_TEXT, NULL },
    { { "choices", "*", "delta", "content", "*", "text" }, ART_SAYS_TEXT,
      NULL },
    { { "choices", "*", "index" }, ART_SAYS_INDEX, NULL },
    { { "choices", "*", "finish_reason" }, ART_SAYS_FINAL, NULL },
    END
};

static const art_declare_rule_t  art_chat_json[] = {
    { { "choices", "*", "message", "content" }, ART_SAYS_TEXT, NULL },
    { { "choices", "*", "message", "content", "*", "text" }, ART_SAYS_TEXT,
      NULL },
    { { "choices", "*", "index" }, ART_SAYS_INDEX, NULL },
    END
};


/* The whole text comes again with the end of its part, item and response. */

static const art_declare_rule_t  art_responses_stream[] = {
    { { "type" }, ART_SAYS_KIND, "response.output_text.delta" },
    { { "delta" }, ART_SAYS_TEXT, NULL },
    { { "text" }, ART_SAYS_REPEAT, NULL },
    { { "part", "text" }, ART_SAYS_REPEAT, NULL },
    { { "item", "content", "*", "text" }, ART_SAYS_REPEAT, NULL },
    { { "response", "output", "*", "content", "*", "text" }, ART_SAYS_REPEAT,
      NULL },
    { { "type" }, ART_SAYS_FINAL, "response.completed" },
    { { "type" }, ART_SAYS_FINAL, "response.incomplete" },
    END
};

static const art_declare_rule_t  art_responses_json[] = {
    { { "output", "*", "content", "*", "type" }, ART_SAYS_KIND,
      "output_text" },
    { { "output", "*", "content", "*", "text" }, ART_SAYS_TEXT, NULL },
    END
};


static const art_declare_rule_t  art_anthropic_stream[] = {
    { { "delta", "type" }, ART_SAYS_KIND, "text_delta" },
    { { "delta", "text" }, ART_SAYS_TEXT, NULL },
    { { "delta", "stop_reason" }, ART_SAYS_FINAL, NULL },
    END
};

static const art_declare_rule_t  art_anthropic_json[] = {
    { { "content", "*", "type" }, ART_SAYS_KIND, "text" },
    { { "content", "*", "text" }, ART_SAYS_TEXT, NULL },
    END
};


static const art_declare_rule_t  art_gemini_both[] = {
    { { "candidates", "*", "content", "parts", "*", "text" }, ART_SAYS_TEXT,
      NULL },
    { { "candidates", "*", "content", "parts", "*", "thought" }, ART_SAYS_NOT,
      NULL },
    { { "candidates", "*", "index" }, ART_SAYS_INDEX, NULL },
    { { "candidates", "*", "finishReason" }, ART_SAYS_FINAL, NULL },
    END
};


static const art_declare_rule_t  art_bedrock_json[] = {
    { { "output", "message", "content", "*", "text" }, ART_SAYS_TEXT, NULL },
    END
};


static const art_declare_rule_t  art_agent_stream[] = {
    { { "type" }, ART_SAYS_TYPE, NULL },
    { { "text" }, ART_SAYS_TEXT, NULL },
    { { "result" }, ART_SAYS_RESULT, NULL },
    END
};

static const art_declare_rule_t  art_agent_json[] = {
    { { "result" }, ART_SAYS_TEXT, NULL },
    END
};


static const art_declare_api_t  art_declare_apis[] = {
    { "openai", 0, art_chat_stream, art_chat_json },
    { "mistral", 0, art_chat_stream, art_chat_json },
    { "openrouter", 0, art_chat_stream, art_chat_json },
    { "openai_responses", 0, art_responses_stream, art_responses_json },
    { "anthropic", 0, art_anthropic_stream, art_anthropic_json },
    { "gemini", ART_DECLARE_ARRAY, art_gemini_both, art_gemini_both },
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
