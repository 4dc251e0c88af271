
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * OpenAI's Chat Completions: platform.openai.com/docs/api-reference/chat and
 * docs/guides (images-vision, audio, file-inputs), as its SDKs have it.
 */


#include "core/api/art_api.h"
#include "core/api/art_api_rows.h"


static const art_format_t  art_openai_format = {
    .name = "openai",
    .name_rule = { 0, ART_FILENAME_EXTENSION },
    .text = TEXT_PART,
    .parts = {
        [ART_KIND_IMAGE] =
          { IMAGE_PART, WEB_IMAGES ASKED_SVG, MB(512), ART_PART_ENCODED },
        [ART_KIND_AUDIO] =
          { CHAT_AUDIO, "audio/wav=wav audio/mpeg=mp3", 0, 0 },
        [ART_KIND_DOCUMENT] =
          { CHAT_FILE, "application/pdf", MB(50), 0 }
    },
    .urls = {

        /*
         * images-vision, "Image input requirements"; file-inputs, "File URLs":
         * not supported by Chat Completions
         */

        [ART_KIND_IMAGE] = { IMAGE_LINK, WEB_IMAGES, MB(512), 0 }
    },
    .message = USER_MESSAGE("content", CHAT_TEXT)
};


static const art_message_rule_t  art_openai_rules[] = {
    CHAT_RULES,
    CHAT_PARTS,
    END
};


const art_message_form_t  art_chat_forms[] = {
    NEUTRAL_FORM,
    TEXT_FORM,
    LINK_FORM(IMAGE_URL, URL, PICTURES, NULL),
    VALUE_FORM(VIDEO_URL, URL, VIDEOS, URL_VALUE),
    FORM(INPUT_AUDIO, NONE, DATA, VALUE, AUDIOS, B64_VALUE, "format", NULL,
         NONE),
    LINK_FORM(FILE, DATA, DOCUMENTS, "filename"),
    FORM_URL(FILE, NONE, FILE, MEMBER, DOCUMENTS, "\"file_data\":" URL_VALUE,
             NULL, "filename", DATA, 0,
             MEMBER, "\"file_data\":" LINK_VALUE, DATA),
    BLOCK_FORM(FILE, BYTES, ALL),    /* of tool_message (art_api_platform.c) */
    BLOCK_FORMS,
    END_FORM
};


const art_walk_rule_t  art_chat_system[] = {
    SYSTEM_RULE(ROOT, "messages", NO_NODE, LIST, PASS),
    SYSTEM_INTO(ROOT, "response_format", FORMAT),
    SYSTEM_EACH(LIST, MESSAGE),
    SYSTEM_NOTE(MESSAGE, "role", ROLE),
    SYSTEM_RULE(MESSAGE, "content", NO_NODE, PARTS, TEXT),
    SYSTEM_PARTS,
    SYSTEM_NOTE(FORMAT, "type", TYPE),
    SYSTEM_END
};


/* "function_call" and the role "function" are those of older clients. */

const art_walk_rule_t  art_chat_results[] = {
    RESULT_LIST(ROOT, "messages", MESSAGES),
    RESULT_LIST(ROOT, "tools", TOOLS),
    RESULT_LIST(ROOT, "functions", TOOLS),
    RESULT_EACH(MESSAGES, UNIT),
    RESULT_RULE(CALLS, NULL, UNIT, NO_NODE, IS_CALL),
    RESULT_NOTE(UNIT, "role", TYPE),
    RESULT_NOTE(UNIT, "tool_call_id", ID),
    RESULT_NOTE(UNIT, "id", ID_TOO),
    RESULT_NOTE(UNIT, "name", NAME),
    RESULT_TEXTS(UNIT, "content"),
    RESULT_LIST(UNIT, "tool_calls", CALLS),
    RESULT_RULE(UNIT, "function_call", UNIT, NO_NODE, IS_CALL),
    RESULT_INTO(UNIT, "function", BODY),
    RESULT_INTO(UNIT, "custom", BODY),
    RESULT_NOTE(BODY, "name", NAME),
    RESULT_BLOCKS,
    RESULT_TOOLS,
    RESULT_END
};


/* Content is a string, or (Mistral) a list of parts. */

#define CHAT_TEXT_RULES(body)                                                 \
    TEXT_LIST(ROOT, "choices", LIST),                                         \
    TEXT_EACH(LIST, ITEM),                                                    \
    TEXT_INTO(ITEM, body, BODY),                                              \
    TEXT_SAYS(ITEM, "index", INDEX),                                          \
    TEXT_SAYS(ITEM, "finish_reason", FINAL),                                  \
    TEXT_RULE(BODY, "content", NO_NODE, PARTS, TEXT, NULL),                   \
    TEXT_EACH(PARTS, PART),                                                   \
    TEXT_SAYS(PART, "text", TEXT),                                            \
    TEXT_END

const art_extract_rule_t  art_chat_stream[] = { CHAT_TEXT_RULES("delta") };
const art_extract_rule_t  art_chat_json[] = { CHAT_TEXT_RULES("message") };


/* Images are OpenRouter's. */

const art_offload_rule_t  art_chat_base64[] = {
    BASE64_LIST(ROOT, "choices", LIST),
    BASE64_EACH(LIST, ITEM),
    BASE64_INTO(ITEM, "message", BODY),
    BASE64_INTO(ITEM, "delta", BODY),
    BASE64_LIST(BODY, "images", PARTS),
    BASE64_EACH(PARTS, PART),
    BASE64_INTO(PART, "image_url", INNER),
    BASE64_NOTE(INNER, "url", DATA_URL),
    BASE64_END
};


const art_api_t  art_api_openai = {
    .name = "openai",
    .flags = ART_API_HOIST,
    .formats = { &art_openai_format },
    .paths = { { "/chat/completions", NULL, 0 } },
    .models = { { "/deployments/", "/" } },
    .request = {
        .rules = art_openai_rules,
        .forms = art_chat_forms,
        .text = EVERY_ROLE(CHAT_TEXT),
        .media = { [ART_ROLE_USER] = ALL },
        .max = MB(512),
        .counts = { { PICTURES, OPENAI_IMAGES, 0 } }
    },
    .system = CHAT_SYSTEM,
    .results = art_chat_results,
    .text = CHAT_ANSWER,
    .base64 = CHAT_BASE64
};
