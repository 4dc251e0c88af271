
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Anthropic's Messages: docs.claude.com/en/api/messages, and in
 * docs/build-with-claude vision, pdf-support and streaming, as its SDKs have
 * it; also served by Vertex AI and by Bedrock (InvokeModel).
 */


#include "core/api/art_api.h"
#include "core/api/art_api_rows.h"


#define CLAUDE_IMAGE                                                          \
    { "{\"type\":\"image\",\"source\":{\"type\":\"base64\","                  \
      "\"media_type\":\"%f\",\"data\":\"%B\"}}",                              \
      WEB_IMAGES, MB(10), ART_PART_ENCODED }

#define CLAUDE_DOCUMENT(more)                                                 \
    { "{\"type\":\"document\",\"title\":\"%n\","                              \
      "\"source\":{\"type\":\"base64\","                                      \
      "\"media_type\":\"%f\",\"data\":\"%B\"}" more "}",                      \
      "application/pdf", MB(32), ART_PART_ENCODED }

/*
 * "Vision" and "PDF support", url sources; what is fetched has the limits of
 * base64.  Bedrock and Vertex AI take "only base64-encoded sources" ("Vision").
 */

#define CLAUDE_LINK  "{\"type\":\"url\",\"url\":" LINK_VALUE "}"

#define CLAUDE_IMAGE_LINK                                                     \
    { "{\"type\":\"image\",\"source\":" CLAUDE_LINK "}",                      \
      WEB_IMAGES, MB(10), ART_PART_ENCODED }

#define CLAUDE_DOCUMENT_LINK(more)                                            \
    { "{\"type\":\"document\",\"title\":\"%n\","                              \
      "\"source\":" CLAUDE_LINK more "}",                                     \
      "application/pdf", MB(32), ART_PART_ENCODED }

#define CITATIONS  ",\"citations\":{\"enabled\":true}"


/*
 * Pixels and images of a request: "Vision", "General limits".  PDFs: "PDF
 * support", "Check PDF requirements", no passwords or encryption.
 */

#define CLAUDE_SIDE       8000
#define CLAUDE_MANY       20
#define CLAUDE_MANY_SIDE  2000
#define CLAUDE_IMAGES     600


static const art_format_t  art_anthropic_format = {
    .name = "anthropic",
    .flags = ART_FORMAT_FILLED | ART_FORMAT_UNLOCKED,
    .name_rule = { 500, 0 },
    .text = TEXT_PART,
    .max_side = CLAUDE_SIDE,
    .parts = {
        [ART_KIND_IMAGE] = CLAUDE_IMAGE,
        [ART_KIND_DOCUMENT] = CLAUDE_DOCUMENT("")
    },
    .urls = {
        [ART_KIND_IMAGE] = CLAUDE_IMAGE_LINK,
        [ART_KIND_DOCUMENT] = CLAUDE_DOCUMENT_LINK("")
    },
    .message = USER_MESSAGE("content", CHAT_TEXT)
};


/*
 * Citations apply to all documents of a request or to none, so they have a
 * format of their own (npm @anthropic-ai/sdk 1.12.0, DocumentBlockParam).
 */

static const art_format_t  art_citations_format = {
    .name = "anthropic_citations",
    .flags = ART_FORMAT_FILLED | ART_FORMAT_UNLOCKED,
    .name_rule = { 500, 0 },
    .text =
      "{\"type\":\"document\",\"title\":\"%n\",\"source\":{\"type\":\"text\","
      "\"media_type\":\"text/plain\",\"data\":\"%B\"}" CITATIONS "}",
    .described = TEXT_PART,
    .max_side = CLAUDE_SIDE,
    .parts = {
        [ART_KIND_IMAGE] = CLAUDE_IMAGE,
        [ART_KIND_DOCUMENT] = CLAUDE_DOCUMENT(CITATIONS)
    },
    .urls = {
        [ART_KIND_IMAGE] = CLAUDE_IMAGE_LINK,
        [ART_KIND_DOCUMENT] = CLAUDE_DOCUMENT_LINK(CITATIONS)
    },
    .message = USER_MESSAGE("content", CHAT_TEXT)
};


static const art_message_rule_t  art_anthropic_rules[] = {
    NOTE(ROOT, "model", MODEL),
    NOTE(ROOT, "anthropic_version", VERSION),
    BOTH(ROOT, "system", CONTENT, SYSTEM),
    INTO(ROOT, "messages", MESSAGES),
    INTO(ROOT, "requests", REQUESTS),
    EACH(REQUESTS, REQUEST),
    INTO(REQUEST, "params", ROOT),
    EACH(MESSAGES, MESSAGE),
    EACH(CONTENT, PART),
    NOTE(MESSAGE, "role", ROLE),
    BOTH(MESSAGE, "content", CONTENT, CONTENT),
    PART_RULES,
    BOTH(PART, "source", SOURCE, SOURCE),
    SAID(PART, "content", CONTENT, RESULT, RESULT),
    NOTE(PART, "is_error", ERROR),
    NOTE(PART, "title", NAME),
    NOTE(PART, "file_id", FILE),
    NOTE(SOURCE, "type", SOURCE_TYPE),
    NOTE(SOURCE, "url", URL),
    NOTE(SOURCE, "file_id", FILE),
    NOTE(SOURCE, "data", DATA),
    NOTE(SOURCE, "media_type", MIME),
    INTO(SOURCE, "content", CONTENT),
    RESOURCE_RULES,
    END
};


#define SOURCE_FORM(type, source, field, kinds)                               \
    FORM_URL(type, source, field, SOURCE, kinds,                              \
             "{\"type\":\"base64\",\"media_type\":\"%f\",\"data\":\"%B\"}",   \
             NULL, NULL, NONE, 0, SOURCE, CLAUDE_LINK, NONE)

static const art_message_form_t  art_anthropic_forms[] = {
    NEUTRAL_FORM,
    TEXT_FORM,
    SOURCE_FORM(IMAGE, URL, URL, PICTURES),
    SOURCE_FORM(IMAGE, FILE, FILE, PICTURES),
    SOURCE_FORM(IMAGE, BASE64, DATA, PICTURES),
    SOURCE_FORM(DOCUMENT, URL, URL, DOCUMENTS),
    SOURCE_FORM(DOCUMENT, FILE, FILE, DOCUMENTS),
    SOURCE_FORM(DOCUMENT, BASE64, DATA, DOCUMENTS),
    FORM_FLAGS(CONTAINER, NONE, FILE, VALUE, 0, NULL, NULL, NULL, NONE,
               ART_FORM_FOREIGN),
    BLOCK_FORMS,
    END_FORM
};


static const art_walk_rule_t  art_anthropic_system[] = {
    SYSTEM_NOTE(ROOT, "anthropic_version", VERSION),
    SYSTEM_RULE(ROOT, "system", NO_NODE, PARTS, TEXT),
    SYSTEM_NOTE(ROOT, "output_format", ASKED),
    SYSTEM_INTO(ROOT, "output_config", OPTIONS),
    SYSTEM_NOTE(OPTIONS, "format", ASKED),
    SYSTEM_PARTS,
    SYSTEM_END
};


static const art_walk_rule_t  art_anthropic_results[] = {
    RESULT_LIST(ROOT, "messages", MESSAGES),
    RESULT_LIST(ROOT, "tools", TOOLS),
    RESULT_LIST(ROOT, "mcp_servers", TOOLS),
    RESULT_LIST(ROOT, "requests", REQUESTS),
    RESULT_EACH(REQUESTS, REQUEST),
    RESULT_INTO(REQUEST, "params", ROOT),
    RESULT_EACH(MESSAGES, MESSAGE),
    RESULT_LIST(MESSAGE, "content", UNITS),
    RESULT_EACH(UNITS, UNIT),
    RESULT_NOTE(UNIT, "type", TYPE),
    RESULT_NOTE(UNIT, "tool_use_id", ID),
    RESULT_NOTE(UNIT, "id", ID_TOO),
    RESULT_NOTE(UNIT, "name", NAME),
    RESULT_INTO(UNIT, "caller", BY),
    RESULT_TEXTS(UNIT, "content"),
    RESULT_NOTE(BY, "type", CALLER),
    RESULT_BLOCKS,
    RESULT_TOOLS,
    RESULT_END
};


static const art_extract_rule_t  art_anthropic_stream[] = {
    TEXT_INTO(ROOT, "delta", BODY),
    TEXT_WORD(BODY, "type", KIND, "text_delta"),
    TEXT_SAYS(BODY, "text", TEXT),
    TEXT_SAYS(BODY, "stop_reason", FINAL),
    TEXT_END
};

static const art_extract_rule_t  art_anthropic_json[] = {
    TEXT_LIST(ROOT, "content", PARTS),
    TEXT_EACH(PARTS, PART),
    TEXT_WORD(PART, "type", KIND, "text"),
    TEXT_SAYS(PART, "text", TEXT),
    TEXT_END
};


const art_api_t  art_api_anthropic = {
    .name = "anthropic",
    .flags = ART_API_RESULTS,
    .formats = { &art_anthropic_format, &art_citations_format },
    .paths = {
        { "/messages", NULL, 0 },
        { "/messages/count_tokens", NULL, 0 },
        { "/messages/batches", NULL, ART_PATH_SILENT },
        { ":rawPredict", NULL, ART_PATH_VERSIONED },
        { ":streamRawPredict", NULL, ART_PATH_VERSIONED },
        { "/invoke", "/model/", ART_PATH_VERSIONED },
        { "/invoke-with-response-stream", "/model/", ART_PATH_VERSIONED }
    },
    .models = { { "/models/", ":/" }, { "/model/", NULL } },
    .request = {
        .rules = art_anthropic_rules,
        .forms = art_anthropic_forms,
        .text = EVERY_ROLE(CHAT_TEXT),
        .media = { [ART_ROLE_USER] = ALL, [ART_ROLE_TOOL] = ALL },
        .max = MB(32),
        .many = CLAUDE_MANY,
        .many_side = CLAUDE_MANY_SIDE,
        .counts = { { PICTURES, CLAUDE_IMAGES, 0 } }
    },
    .system = { art_anthropic_system, { "system", "", "" }, NO_FORM },
    .text = { art_anthropic_stream, art_anthropic_json },
    .results = art_anthropic_results
};
