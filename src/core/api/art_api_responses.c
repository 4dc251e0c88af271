
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * OpenAI's Responses: platform.openai.com/docs/api-reference/responses, as its
 * SDKs have it.
 */


#include "core/api/art_api.h"
#include "core/api/art_api_rows.h"


/*
 * These parts also fit into a function_call_output.  Its text has at most
 * 10485760 characters and its image_url 20971520, including the beginning of
 * the data URL (github.com/openai/openai-openapi; shapes: npm openai 7.57.0,
 * ResponseInputContent and ResponseFunctionCallOutputItem).
 */

#define RESPONSES_FILES                                                       \
    "application/pdf " DOCX " " PPTX " " XLSX " " DOC " " PPT " " XLS         \
    " application/rtf " ODF("text")

#define FILE_LINK  "\"file_url\":" LINK_VALUE

static const art_format_t  art_responses_format = {
    .name = "openai_responses",
    .name_rule = { 0, ART_FILENAME_EXTENSION },
    .text = TYPED_TEXT("input_text") B64_VALUE "}",
    .text_max = 10485760,
    .parts = {
        [ART_KIND_IMAGE] =
          { "{\"type\":\"input_image\",\"detail\":\"auto\","
            "\"image_url\":" URL_VALUE "}",
            WEB_IMAGES ASKED_SVG, MB(20) - 64, ART_PART_ENCODED },
        [ART_KIND_DOCUMENT] =
          { "{\"type\":\"input_file\",\"filename\":\"%n\","
            "\"file_data\":" URL_VALUE "}",
            RESPONSES_FILES, MB(50), ART_PART_EXTRACTED }
    },
    .urls = {

        /*
         * images-vision, "Image input requirements"; file-inputs, "File URLs",
         * of all types that are sent in base64.  A "filename" beside a
         * "file_url" is an error ("mutually_exclusive_parameters").
         */

        [ART_KIND_IMAGE] =
          { "{\"type\":\"input_image\",\"detail\":\"auto\","
            "\"image_url\":" LINK_VALUE "}", WEB_IMAGES, MB(512), 0 },
        [ART_KIND_DOCUMENT] =
          { "{\"type\":\"input_file\"," FILE_LINK "}", RESPONSES_FILES,
            MB(50), 0 }
    },
    .message = { "{\"type\":\"message\",\"role\":\"user\",\"content\":[", "]}",
                 TYPED_TEXT("input_text"), 0 }
};


static const art_message_rule_t  art_responses_rules[] = {
    NOTE(ROOT, "model", MODEL),
    INTO(ROOT, "input", MESSAGES),
    INTO(ROOT, "items", MESSAGES),
    INTO(ROOT, "tools", TOOLS),
    EACH(MESSAGES, MESSAGE),
    EACH(TOOLS, TOOL),
    MAKE(TOOL, "input_image_mask", PICTURE, NONE, PICTURE),
    EACH(CONTENT, PART),
    NOTE(MESSAGE, "type", ITEM),
    NOTE(MESSAGE, "role", ROLE),
    BOTH(MESSAGE, "content", CONTENT, CONTENT),
    { { "output", ART_NODE_MESSAGE, ART_NODE_PICTURE, ART_NODE_CONTENT,
        ART_FIELD_OUTPUT },
      ART_TYPE_SHOT, ART_SEARCH_RESULT },
    PART_RULES,
    NOTE(PART, "image_url", URL),
    NOTE(PART, "file_url", URL),
    NOTE(PART, "file_id", FILE),
    NOTE(PART, "file_data", DATA),
    NOTE(PART, "filename", NAME),
    PICTURE_RULES,
    RESOURCE_RULES,
    END
};


#define FILE_FORM(field, target, value, rival, url_target, url_value,         \
                  url_rival)                                                  \
    FORM_URL(INPUT_FILE, NONE, field, target, DOCUMENTS, value, NULL,         \
             "filename", rival, ART_FORM_NAMELESS, url_target, url_value,     \
             url_rival)

static const art_message_form_t  art_responses_forms[] = {
    NEUTRAL_FORM,
    TEXT_FORM,
    LINK_FORM(INPUT_IMAGE, URL, PICTURES, NULL),
    FORM_URL(INPUT_IMAGE, NONE, FILE, MEMBER, PICTURES,
             "\"image_url\":" URL_VALUE, NULL, NULL, URL, 0,
             MEMBER, "\"image_url\":" LINK_VALUE, URL),
    FILE_FORM(DATA, VALUE, URL_VALUE, NONE, MEMBER, FILE_LINK, URL),
    FILE_FORM(URL, MEMBER, "\"file_data\":" URL_VALUE, DATA,
              VALUE, LINK_VALUE, NONE),
    FILE_FORM(FILE, MEMBER, "\"file_data\":" URL_VALUE, DATA,
              MEMBER, FILE_LINK, URL),
    PICTURE_FORMS,
    FORM_FLAGS(SHOT, NONE, URL, VALUE, PICTURES, URL_VALUE, NULL, NULL, NONE,
               ART_FORM_SOLE | ART_FORM_MEDIA),
    BLOCK_FORMS,
    END_FORM
};


static const art_walk_rule_t  art_responses_system[] = {
    SYSTEM_NOTE(ROOT, "instructions", TEXT),
    SYSTEM_INTO(ROOT, "text", OPTIONS),
    SYSTEM_INTO(OPTIONS, "format", FORMAT),
    SYSTEM_NOTE(FORMAT, "type", TYPE),
    SYSTEM_END
};


/* A local shell's output has the "id" of its call. */

static const art_walk_rule_t  art_responses_results[] = {
    RESULT_LIST(ROOT, "input", MESSAGES),
    RESULT_LIST(ROOT, "items", MESSAGES),
    RESULT_LIST(ROOT, "tools", TOOLS),
    RESULT_EACH(MESSAGES, UNIT),
    RESULT_NOTE(UNIT, "type", TYPE),
    RESULT_NOTE(UNIT, "call_id", ID),
    RESULT_NOTE(UNIT, "id", ID_TOO),
    RESULT_NOTE(UNIT, "name", NAME),
    RESULT_INTO(UNIT, "caller", BY),
    RESULT_TEXTS(UNIT, "output"),
    RESULT_LIST(UNIT, "tools", TOOLS),
    RESULT_NOTE(BY, "type", CALLER),
    RESULT_BLOCKS,
    RESULT_NOTE(BLOCK, "stdout", TEXT),
    RESULT_NOTE(BLOCK, "stderr", TEXT),
    RESULT_TOOLS,
    RESULT_END
};


/* The whole text is repeated at the end of its part, item and response. */

static const art_extract_rule_t  art_responses_stream[] = {
    TEXT_WORD(ROOT, "type", KIND, "response.output_text.delta"),
    TEXT_WORD(ROOT, "type", FINAL, "response.completed"),
    TEXT_WORD(ROOT, "type", FINAL, "response.incomplete"),
    TEXT_SAYS(ROOT, "delta", TEXT),
    TEXT_SAYS(ROOT, "text", REPEAT),
    TEXT_INTO(ROOT, "part", PART),
    TEXT_INTO(ROOT, "item", ITEM),
    TEXT_RULE(ROOT, "response", BODY, NO_NODE, ANSWER, NULL),
    TEXT_LIST(BODY, "output", LIST),
    TEXT_EACH(LIST, ITEM),
    TEXT_LIST(ITEM, "content", PARTS),
    TEXT_EACH(PARTS, PART),
    TEXT_SAYS(PART, "text", REPEAT),
    TEXT_END
};

static const art_extract_rule_t  art_responses_json[] = {
    TEXT_LIST(ROOT, "output", LIST),
    TEXT_EACH(LIST, ITEM),
    TEXT_LIST(ITEM, "content", PARTS),
    TEXT_EACH(PARTS, PART),
    TEXT_WORD(PART, "type", KIND, "output_text"),
    TEXT_SAYS(PART, "text", TEXT),
    TEXT_END
};


const art_api_t  art_api_responses = {
    .name = "openai_responses",
    .flags = ART_API_ITEMS | ART_API_TEXTS,
    .formats = { &art_responses_format },
    .paths = {
        { "/responses", NULL, 0 },
        { "/responses/input_tokens", NULL, 0 },
        { "/responses/compact", NULL, ART_PATH_SILENT },
        { "/conversations", NULL, ART_PATH_SILENT },
        { "/items", "/conversations/", ART_PATH_SILENT }
    },
    .models = { { "/deployments/", "/" } },
    .request = {
        .rules = art_responses_rules,
        .forms = art_responses_forms,
        .text = {
            [ART_ROLE_USER] = TYPED_TEXT("input_text"),
            [ART_ROLE_SYSTEM] = TYPED_TEXT("input_text"),
            [ART_ROLE_ASSISTANT] =
                "{\"type\":\"output_text\",\"annotations\":[],\"text\":",
            [ART_ROLE_TOOL] = TYPED_TEXT("input_text")
        },
        .media = { [ART_ROLE_USER] = ALL, [ART_ROLE_TOOL] = ALL },
        .max = MB(512),
        .counts = { { PICTURES, OPENAI_IMAGES, 0 } }
    },
    .system = { art_responses_system, { "instructions", "", "" }, NO_FORM },
    .text = { art_responses_stream, art_responses_json },
    .results = art_responses_results
};
