
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Shapes of requests: platform.openai.com/docs/api-reference (chat, responses),
 * docs.claude.com/en/api/messages, ai.google.dev/api/generate-content,
 * docs.aws.amazon.com/bedrock (API_runtime_Converse), docs.mistral.ai/api and
 * openrouter.ai/docs, as their SDKs have them.
 */


#include "core/message/art_message_table.h"


#define PICTURES   ART_KIND_BIT(ART_KIND_IMAGE)
#define AUDIOS     ART_KIND_BIT(ART_KIND_AUDIO)
#define VIDEOS     ART_KIND_BIT(ART_KIND_VIDEO)
#define DOCUMENTS  ART_KIND_BIT(ART_KIND_DOCUMENT)
#define ALL        (PICTURES | AUDIOS | VIDEOS | DOCUMENTS)

#define DATA_URL   "\"data:%f;base64,%B\""
#define B64_VALUE  "\"%B\""

#define TYPED_TEXT(type)  "{\"type\":\"" type "\",\"text\":"
#define CHAT_TEXT  TYPED_TEXT("text")
#define BARE_TEXT  "{\"text\":"

#define ART_MB(n)  ((uint64_t) (n) << 20)


/* An element; a value that is looked into; one that is noted; or both. */

#define MAKE(in, key, node, field, type)                                      \
    { { key, ART_NODE_##in,                                                   \
        art_node_is_array(ART_NODE_##node) ? 0 : ART_NODE_##node,             \
        art_node_is_array(ART_NODE_##node) ? ART_NODE_##node : 0,             \
        ART_FIELD_##field },                                                  \
      ART_TYPE_##type }
#define BOTH(in, key, node, field)  MAKE(in, key, node, field, NONE)
#define INTO(in, key, node)  MAKE(in, key, node, NONE, NONE)
#define EACH(in, node)  MAKE(in, NULL, node, NONE, NONE)
#define NOTE(in, key, field)  MAKE(in, key, NONE, field, NONE)
#define END  MAKE(NONE, NULL, NONE, NONE, NONE)

#define PART_RULES                                                            \
    NOTE(PART, "type", TYPE),                                                 \
    NOTE(PART, "text", TEXT),                                                 \
    NOTE(PART, "artifact", ARTIFACT),                                         \
    NOTE(PART, "cache_control", CACHE),                                       \
    NOTE(PART, "prompt_cache_breakpoint", BREAKPOINT)

#define CHAT_RULES                                                            \
    NOTE(ROOT, "model", MODEL),                                               \
    INTO(ROOT, "models", MODELS),                                             \
    INTO(ROOT, "messages", MESSAGES),                                         \
    NOTE(MODELS, NULL, MODEL),                                                \
    EACH(MESSAGES, MESSAGE),                                                  \
    EACH(CONTENT, PART),                                                      \
    NOTE(MESSAGE, "role", ROLE),                                              \
    BOTH(MESSAGE, "content", CONTENT, CONTENT)

#define CHAT_PARTS                                                            \
    PART_RULES,                                                               \
    INTO(PART, "image_url", URL),                                             \
    INTO(PART, "input_audio", AUDIO),                                         \
    INTO(PART, "file", FILE),                                                 \
    INTO(PART, "video_url", URL),                                             \
    NOTE(URL, "url", URL),                                                    \
    NOTE(AUDIO, "data", DATA),                                                \
    NOTE(AUDIO, "format", MIME),                                              \
    NOTE(FILE, "file_id", FILE),                                              \
    NOTE(FILE, "file_data", DATA),                                            \
    NOTE(FILE, "filename", NAME)


static const art_message_rule_t  art_openai_rules[] = {
    CHAT_RULES,
    CHAT_PARTS,
    END
};


static const art_message_rule_t  art_openrouter_rules[] = {
    CHAT_RULES,
    INTO(MESSAGE, "images", IMAGES),
    EACH(IMAGES, PART),
    CHAT_PARTS,
    END
};


static const art_message_rule_t  art_mistral_rules[] = {
    CHAT_RULES,
    PART_RULES,
    BOTH(PART, "image_url", URL, URL),
    NOTE(PART, "document_url", URL),
    NOTE(PART, "document_name", NAME),
    NOTE(PART, "input_audio", DATA),
    NOTE(PART, "file_id", FILE),
    NOTE(URL, "url", URL),
    END
};


static const art_message_rule_t  art_responses_rules[] = {
    NOTE(ROOT, "model", MODEL),
    INTO(ROOT, "input", MESSAGES),
    EACH(MESSAGES, MESSAGE),
    EACH(CONTENT, PART),
    NOTE(MESSAGE, "type", ITEM),
    NOTE(MESSAGE, "role", ROLE),
    BOTH(MESSAGE, "content", CONTENT, CONTENT),
    BOTH(MESSAGE, "output", CONTENT, OUTPUT),
    PART_RULES,
    NOTE(PART, "image_url", URL),
    NOTE(PART, "file_url", URL),
    NOTE(PART, "file_id", FILE),
    NOTE(PART, "file_data", DATA),
    NOTE(PART, "filename", NAME),
    END
};


static const art_message_rule_t  art_anthropic_rules[] = {
    NOTE(ROOT, "model", MODEL),
    NOTE(ROOT, "anthropic_version", VERSION),
    BOTH(ROOT, "system", CONTENT, SYSTEM),
    INTO(ROOT, "messages", MESSAGES),
    EACH(MESSAGES, MESSAGE),
    EACH(CONTENT, PART),
    NOTE(MESSAGE, "role", ROLE),
    BOTH(MESSAGE, "content", CONTENT, CONTENT),
    PART_RULES,
    BOTH(PART, "source", SOURCE, SOURCE),
    BOTH(PART, "content", CONTENT, RESULT),
    NOTE(PART, "title", NAME),
    NOTE(SOURCE, "type", SOURCE_TYPE),
    NOTE(SOURCE, "url", URL),
    NOTE(SOURCE, "file_id", FILE),
    NOTE(SOURCE, "data", DATA),
    NOTE(SOURCE, "media_type", MIME),
    INTO(SOURCE, "content", CONTENT),
    END
};


#define GEMINI(in, camel, snake, node, field, type)                           \
    MAKE(in, camel, node, field, type), MAKE(in, snake, node, field, type)

static const art_message_rule_t  art_gemini_rules[] = {
    NOTE(ROOT, "model", MODEL),
    INTO(ROOT, "contents", MESSAGES),
    GEMINI(ROOT, "systemInstruction", "system_instruction",
           MESSAGE, SYSTEM, NONE),
    GEMINI(ROOT, "generateContentRequest", "generate_content_request",
           ROOT, NONE, NONE),
    EACH(MESSAGES, MESSAGE),
    EACH(CONTENT, PART),
    NOTE(MESSAGE, "role", ROLE),
    BOTH(MESSAGE, "parts", CONTENT, CONTENT),
    NOTE(PART, "text", TEXT),
    MAKE(PART, "artifact", NONE, ARTIFACT, ARTIFACT),
    NOTE(PART, "cache_control", CACHE),
    NOTE(PART, "prompt_cache_breakpoint", BREAKPOINT),
    GEMINI(PART, "inlineData", "inline_data", BLOB, SOURCE, INLINE),
    GEMINI(PART, "fileData", "file_data", BLOB, SOURCE, FILE_DATA),
    GEMINI(PART, "functionResponse", "function_response", CALL, NONE, CALL),
    NOTE(BLOB, "data", DATA),
    GEMINI(BLOB, "fileUri", "file_uri", NONE, URL, NONE),
    GEMINI(BLOB, "mimeType", "mime_type", NONE, MIME, NONE),
    GEMINI(BLOB, "displayName", "display_name", NONE, NAME, NONE),
    BOTH(CALL, "response", RESPONSE, RESPONSE),
    BOTH(CALL, "parts", CONTENT, PARTS),
    NOTE(RESPONSE, "output", RESULT),
    NOTE(RESPONSE, "result", RESULT),
    END
};


static const art_message_rule_t  art_bedrock_rules[] = {
    BOTH(ROOT, "system", CONTENT, SYSTEM),
    INTO(ROOT, "messages", MESSAGES),
    EACH(MESSAGES, MESSAGE),
    EACH(CONTENT, PART),
    NOTE(MESSAGE, "role", ROLE),
    BOTH(MESSAGE, "content", CONTENT, CONTENT),
    MAKE(PART, "text", NONE, TEXT, TEXT),
    MAKE(PART, "artifact", NONE, ARTIFACT, ARTIFACT),
    NOTE(PART, "cache_control", CACHE),
    NOTE(PART, "prompt_cache_breakpoint", BREAKPOINT),
    MAKE(PART, "image", MEDIA, NONE, IMAGE),
    MAKE(PART, "document", MEDIA, NONE, DOCUMENT),
    MAKE(PART, "video", MEDIA, NONE, VIDEO),
    MAKE(PART, "audio", MEDIA, NONE, AUDIO),
    MAKE(PART, "toolResult", TOOL_RESULT, NONE, TOOL_RESULT),
    NOTE(MEDIA, "format", MIME),
    NOTE(MEDIA, "name", NAME),
    BOTH(MEDIA, "source", SOURCE, SOURCE),
    NOTE(SOURCE, "bytes", DATA),
    INTO(SOURCE, "s3Location", S3),
    NOTE(S3, "uri", URL),
    INTO(TOOL_RESULT, "content", CONTENT),
    END
};


#define FORM(type, source, field, target, kinds, value, mime, name, rival)    \
    { ART_TYPE_##type, ART_TYPE_##source, ART_FIELD_##field,                  \
      ART_TARGET_##target, kinds, value, mime, name, ART_FIELD_##rival }

#define VALUE_FORM(type, field, kinds, value)                                 \
    FORM(type, NONE, field, VALUE, kinds, value, NULL, NULL, NONE)

#define NEUTRAL_FORM  VALUE_FORM(ARTIFACT, ARTIFACT, 0, NULL)
#define TEXT_FORM     VALUE_FORM(TEXT, TEXT, 0, NULL)
#define END_FORM      VALUE_FORM(NONE, NONE, 0, NULL)


static const art_message_form_t  art_openai_forms[] = {
    NEUTRAL_FORM,
    TEXT_FORM,
    VALUE_FORM(IMAGE_URL, URL, PICTURES, DATA_URL),
    VALUE_FORM(VIDEO_URL, URL, VIDEOS, DATA_URL),
    FORM(INPUT_AUDIO, NONE, DATA, VALUE, AUDIOS, B64_VALUE, "format", NULL,
         NONE),
    FORM(FILE, NONE, DATA, VALUE, DOCUMENTS, DATA_URL, NULL, "filename", NONE),
    FORM(FILE, NONE, FILE, MEMBER, DOCUMENTS, "\"file_data\":" DATA_URL,
         NULL, "filename", DATA),
    END_FORM
};


static const art_message_form_t  art_mistral_forms[] = {
    NEUTRAL_FORM,
    TEXT_FORM,
    VALUE_FORM(IMAGE_URL, URL, PICTURES, DATA_URL),
    VALUE_FORM(DOCUMENT_URL, URL, DOCUMENTS, DATA_URL),
    VALUE_FORM(INPUT_AUDIO, DATA, AUDIOS, B64_VALUE),
    VALUE_FORM(FILE, FILE, DOCUMENTS, NULL),
    END_FORM
};


static const art_message_form_t  art_responses_forms[] = {
    NEUTRAL_FORM,
    TEXT_FORM,
    VALUE_FORM(INPUT_IMAGE, URL, PICTURES, DATA_URL),
    FORM(INPUT_IMAGE, NONE, FILE, MEMBER, PICTURES, "\"image_url\":" DATA_URL,
         NULL, NULL, URL),
    FORM(INPUT_FILE, NONE, DATA, VALUE, DOCUMENTS, DATA_URL, NULL, "filename",
         NONE),
    FORM(INPUT_FILE, NONE, URL, MEMBER, DOCUMENTS, "\"file_data\":" DATA_URL,
         NULL, "filename", DATA),
    FORM(INPUT_FILE, NONE, FILE, MEMBER, DOCUMENTS, "\"file_data\":" DATA_URL,
         NULL, "filename", DATA),
    END_FORM
};


#define ANTHROPIC_SOURCE                                                      \
    "{\"type\":\"base64\",\"media_type\":\"%f\",\"data\":" B64_VALUE "}"

#define ANTHROPIC_FORM(type, source, field, kinds)                            \
    FORM(type, source, field, SOURCE, kinds, ANTHROPIC_SOURCE, NULL, NULL,    \
         NONE)

static const art_message_form_t  art_anthropic_forms[] = {
    NEUTRAL_FORM,
    TEXT_FORM,
    ANTHROPIC_FORM(IMAGE, URL, URL, PICTURES),
    ANTHROPIC_FORM(IMAGE, FILE, FILE, PICTURES),
    ANTHROPIC_FORM(IMAGE, BASE64, DATA, PICTURES),
    ANTHROPIC_FORM(DOCUMENT, URL, URL, DOCUMENTS),
    ANTHROPIC_FORM(DOCUMENT, FILE, FILE, DOCUMENTS),
    ANTHROPIC_FORM(DOCUMENT, BASE64, DATA, DOCUMENTS),
    END_FORM
};


static const art_message_form_t  art_gemini_forms[] = {
    NEUTRAL_FORM,
    FORM(INLINE, NONE, DATA, VALUE, ALL, B64_VALUE, "mimeType", NULL, NONE),
    FORM(FILE_DATA, NONE, URL, SOURCE_MEMBER, ALL,
         "\"inlineData\":{\"mimeType\":\"%f\",\"data\":" B64_VALUE "}",
         NULL, NULL, NONE),
    END_FORM
};


#define BEDROCK_FORM(type, field, kinds, name)                                \
    FORM(type, NONE, field, SOURCE, kinds, "{\"bytes\":" B64_VALUE "}",       \
         "format", name, NONE)

static const art_message_form_t  art_bedrock_forms[] = {
    NEUTRAL_FORM,
    TEXT_FORM,
    BEDROCK_FORM(IMAGE, URL, PICTURES, NULL),
    BEDROCK_FORM(IMAGE, DATA, PICTURES, NULL),
    BEDROCK_FORM(DOCUMENT, URL, DOCUMENTS, "name"),
    BEDROCK_FORM(DOCUMENT, DATA, DOCUMENTS, "name"),
    BEDROCK_FORM(VIDEO, URL, VIDEOS, NULL),
    BEDROCK_FORM(VIDEO, DATA, VIDEOS, NULL),
    BEDROCK_FORM(AUDIO, URL, AUDIOS, NULL),
    BEDROCK_FORM(AUDIO, DATA, AUDIOS, NULL),
    END_FORM
};


/* Texts and media: user, system, assistant, tool. */

static const art_message_api_t  art_message_apis[] = {

    { "openai", ART_MESSAGE_HOIST, art_openai_rules, art_openai_forms,
      { CHAT_TEXT, CHAT_TEXT, CHAT_TEXT, CHAT_TEXT },
      { ALL, 0, 0, 0 },
      ART_MB(512) },

    { "openai_responses", ART_MESSAGE_ITEMS | ART_MESSAGE_TEXTS,
      art_responses_rules, art_responses_forms,
      { TYPED_TEXT("input_text"), TYPED_TEXT("input_text"),
        "{\"type\":\"output_text\",\"annotations\":[],\"text\":",
        TYPED_TEXT("input_text") },
      { ALL, 0, 0, ALL },
      ART_MB(512) },

    { "anthropic", 0, art_anthropic_rules, art_anthropic_forms,
      { CHAT_TEXT, CHAT_TEXT, CHAT_TEXT, CHAT_TEXT },
      { ALL, 0, 0, ALL },
      ART_MB(32) },

    { "gemini", ART_MESSAGE_CALLS | ART_MESSAGE_TEXTS,
      art_gemini_rules, art_gemini_forms,
      { BARE_TEXT, BARE_TEXT, BARE_TEXT, BARE_TEXT },
      { ALL, 0, ALL, ALL },
      ART_MB(100) },

    { "bedrock", ART_MESSAGE_AWS, art_bedrock_rules, art_bedrock_forms,
      { BARE_TEXT, BARE_TEXT, BARE_TEXT, BARE_TEXT },
      { ALL, 0, 0, PICTURES | VIDEOS | DOCUMENTS },
      0 },

    { "mistral", 0, art_mistral_rules, art_mistral_forms,
      { CHAT_TEXT, CHAT_TEXT, CHAT_TEXT, CHAT_TEXT },
      { ALL, 0, 0, ALL },
      0 },

    { "openrouter", ART_MESSAGE_HOIST, art_openrouter_rules, art_openai_forms,
      { CHAT_TEXT, CHAT_TEXT, CHAT_TEXT, CHAT_TEXT },
      { ALL, 0, 0, 0 },
      0 }
};


static const struct {
    const char          *word;
    art_message_type_t   type;
} art_message_types[] = {
    { "text", ART_TYPE_TEXT },
    { "input_text", ART_TYPE_TEXT },
    { "output_text", ART_TYPE_TEXT },
    { "artifact", ART_TYPE_ARTIFACT },
    { "image_url", ART_TYPE_IMAGE_URL },
    { "input_audio", ART_TYPE_INPUT_AUDIO },
    { "video_url", ART_TYPE_VIDEO_URL },
    { "file", ART_TYPE_FILE },
    { "input_image", ART_TYPE_INPUT_IMAGE },
    { "input_file", ART_TYPE_INPUT_FILE },
    { "image", ART_TYPE_IMAGE },
    { "document", ART_TYPE_DOCUMENT },
    { "document_url", ART_TYPE_DOCUMENT_URL },
    { "tool_result", ART_TYPE_TOOL_RESULT },
    { "message", ART_TYPE_MESSAGE },
    { "function_call_output", ART_TYPE_OUTPUT },
    { "custom_tool_call_output", ART_TYPE_OUTPUT },
    { "url", ART_TYPE_URL },
    { "base64", ART_TYPE_BASE64 }
};


static const struct {
    const char          *word;
    art_message_role_t   role;
} art_message_roles[] = {
    { "system", ART_ROLE_SYSTEM },
    { "developer", ART_ROLE_SYSTEM },
    { "assistant", ART_ROLE_ASSISTANT },
    { "model", ART_ROLE_ASSISTANT },
    { "tool", ART_ROLE_TOOL }
};


const art_message_api_t *
art_message_api_row(unsigned i)
{
    return i < art_nitems(art_message_apis) ? &art_message_apis[i] : NULL;
}


const art_message_api_t *
art_message_api_find(art_str_t name)
{
    unsigned                  i;
    const art_message_api_t  *api;

    for (i = 0; (api = art_message_api_row(i)) != NULL; i++) {
        if (art_str_eq(name, art_cstr(api->name))) {
            return api;
        }
    }

    return NULL;
}


art_message_type_t
art_message_type(art_str_t word)
{
    size_t  i;

    for (i = 0; i < art_nitems(art_message_types); i++) {
        if (art_str_eq(word, art_cstr(art_message_types[i].word))) {
            return art_message_types[i].type;
        }
    }

    return ART_TYPE_OTHER;
}


art_message_role_t
art_message_role(art_str_t word)
{
    size_t  i;

    for (i = 0; i < art_nitems(art_message_roles); i++) {
        if (art_str_eq(word, art_cstr(art_message_roles[i].word))) {
            return art_message_roles[i].role;
        }
    }

    return ART_ROLE_USER;
}
