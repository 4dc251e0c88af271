
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Sources as in art_message_table.c.
 */


#include "core/message/art_message_prompt_int.h"


#define RULE(in, key, object, array, act)                                     \
    { key, ART_PROMPT_##in, ART_PROMPT_##object, ART_PROMPT_##array,          \
      ART_PROMPT_##act }
#define NOTE(in, key, act)  RULE(in, key, NO_NODE, NO_NODE, act)
#define INTO(in, key, node)  RULE(in, key, node, NO_NODE, PASS)
#define EACH(in, node)  RULE(in, NULL, node, NO_NODE, PASS)
#define END  NOTE(NO_NODE, NULL, PASS)

#define TYPED_PARTS                                                           \
    EACH(PARTS, PART),                                                        \
    NOTE(PART, "text", WORDS)


static const art_walk_rule_t  art_prompt_chat[] = {
    RULE(ROOT, "messages", NO_NODE, LIST, PASS),
    INTO(ROOT, "response_format", FORMAT),
    EACH(LIST, MESSAGE),
    NOTE(MESSAGE, "role", ROLE),
    RULE(MESSAGE, "content", NO_NODE, PARTS, TEXT),
    TYPED_PARTS,
    NOTE(FORMAT, "type", TYPE),
    END
};


static const art_walk_rule_t  art_prompt_responses[] = {
    NOTE(ROOT, "instructions", TEXT),
    INTO(ROOT, "text", OPTIONS),
    INTO(OPTIONS, "format", FORMAT),
    NOTE(FORMAT, "type", TYPE),
    END
};


static const art_walk_rule_t  art_prompt_anthropic[] = {
    NOTE(ROOT, "anthropic_version", VERSION),
    RULE(ROOT, "system", NO_NODE, PARTS, TEXT),
    NOTE(ROOT, "output_format", ASKED),
    INTO(ROOT, "output_config", OPTIONS),
    NOTE(OPTIONS, "format", ASKED),
    TYPED_PARTS,
    END
};


/* Repeated fields may be a single object (protobuf's JSON, as Google reads). */

#define GEMINI(in, camel, snake, object, array, act)                          \
    RULE(in, camel, object, array, act), RULE(in, snake, object, array, act)

static const art_walk_rule_t  art_prompt_gemini[] = {
    GEMINI(ROOT, "generateContentRequest", "generate_content_request",
           ROOT, NO_NODE, PASS),
    GEMINI(ROOT, "systemInstruction", "system_instruction",
           SYSTEM, NO_NODE, TEXT),
    GEMINI(ROOT, "generationConfig", "generation_config",
           OPTIONS, NO_NODE, PASS),
    RULE(SYSTEM, "parts", PART, PARTS, TEXT),
    TYPED_PARTS,
    GEMINI(OPTIONS, "responseSchema", "response_schema",
           NO_NODE, NO_NODE, ASKED),
    GEMINI(OPTIONS, "responseJsonSchema", "response_json_schema",
           NO_NODE, NO_NODE, ASKED),
    NOTE(OPTIONS, "_responseJsonSchema", ASKED),
    GEMINI(OPTIONS, "responseMimeType", "response_mime_type",
           NO_NODE, NO_NODE, MIME),
    END
};


static const art_walk_rule_t  art_prompt_bedrock[] = {
    RULE(ROOT, "system", NO_NODE, PARTS, TEXT),
    NOTE(ROOT, "outputConfig", ASKED),
    TYPED_PARTS,
    END
};


#define NO_FORM  { NULL, NULL, NULL }

static const art_prompt_row_t  art_prompt_rows[] = {

    { "openai_responses", art_prompt_responses,
      { "instructions", "", "" }, NO_FORM },

    { "anthropic", art_prompt_anthropic,
      { "system", "", "" }, NO_FORM },

    { "gemini", art_prompt_gemini,
      { "systemInstruction", "{\"parts\":[{\"text\":", "}]}" },
      { "parts", "[{\"text\":", "}]" } },

    { "bedrock", art_prompt_bedrock,
      { "system", "[{\"text\":", "}]" }, NO_FORM },

    /* all others */

    { NULL, art_prompt_chat,
      NO_FORM, { "content", "", "" } }
};


const art_prompt_row_t *
art_prompt_row(const art_message_api_t *api)
{
    const art_prompt_row_t  *row;

    row = art_prompt_rows;

    while (row->api != NULL && strcmp(row->api, api->name) != 0) {
        row++;
    }

    return row;
}
