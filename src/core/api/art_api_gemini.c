
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Gemini: ai.google.dev/api/generate-content and gemini-api/docs (image-,
 * audio-, video-understanding, document-processing), as its SDKs have it.
 */


#include "core/api/art_api.h"
#include "core/api/art_api_rows.h"


#define INLINE_DATA                                                           \
    "{\"inlineData\":{\"mimeType\":\"%f\",\"data\":\"%B\"}}"

#define URI_DATA  "\"fileData\":{\"mimeType\":\"%f\",\"fileUri\":\"%a\"}"

#define TYPED_LINK(type)                                                      \
    "{\"type\":\"" type "\",\"mime_type\":\"%f\",\"uri\":\"%a\"}"

#define TYPED_DATA(type)                                                      \
    "{\"type\":\"" type "\",\"mime_type\":\"%f\",\"data\":\"%B\"}"

#define GEMINI_VIDEOS                                                         \
    "video/mp4 video/mpeg video/quicktime=video/mov "                         \
    "video/x-msvideo=video/avi video/x-flv video/webm "                       \
    "video/x-ms-wmv=video/wmv video/3gpp"


/*
 * Of a request: "Image understanding" ("File limit"), "Video understanding"
 * ("Best practices").
 */

#define GEMINI_IMAGES  3600
#define GEMINI_MOVIES  10


/*
 * By URL: gemini-api/docs/file-input-methods, "External HTTP / Signed URLs" and
 * "Input method comparison", which have no audio and no video.  Models before
 * 2.5 do not fetch.
 */

#define GEMINI_LINK_IMAGES  "image/png image/jpeg image/webp"
#define GEMINI_SINCE        { "gemini-", 2, 5 }


/*
 * Of a client's own texts: "Document processing" (document types).  Others, as
 * application/json, are refused by some of its models ("mimeType parameter ..
 * which is not supported").
 */

#define GEMINI_TEXTS                                                          \
    "text/plain text/markdown text/html text/csv text/xml text/css "          \
    "text/javascript text/x-python text/rtf"


/* Its clients reject a displayName here. */

static const art_format_t  art_gemini_format = {
    .name = "gemini",
    .flags = ART_FORMAT_FILLED,
    .text = BARE_TEXT B64_VALUE "}",
    .parts = {
        [ART_KIND_IMAGE] =
          { INLINE_DATA,
            "image/png image/jpeg image/webp image/heic image/heif" ASKED_SVG,
            MB(100), ART_PART_ENCODED },
        [ART_KIND_AUDIO] =
          { INLINE_DATA,
            "audio/wav audio/mpeg=audio/mp3 audio/aiff audio/aac audio/ogg "
            "audio/flac", MB(100), ART_PART_ENCODED },
        [ART_KIND_VIDEO] =
          { INLINE_DATA, GEMINI_VIDEOS, MB(100), ART_PART_ENCODED },
        [ART_KIND_DOCUMENT] =
          { INLINE_DATA, "application/pdf", MB(50), 0 }
    },
    .urls = {
        [ART_KIND_IMAGE] =
          { "{" URI_DATA "}", GEMINI_LINK_IMAGES, MB(100), 0 },
        [ART_KIND_DOCUMENT] =
          { "{" URI_DATA "}", "application/pdf", MB(50), 0 }
    },
    .url_since = GEMINI_SINCE,
    .message = USER_MESSAGE("parts", BARE_TEXT)
};


/*
 * The Interactions API: npm @google/genai 3.1.0, ImageContent, AudioContent,
 * VideoContent, DocumentContent and their ..MimeType; UserInputStep.
 */

static const art_format_t  art_interactions_format = {
    .name = "gemini_interactions",
    .flags = ART_FORMAT_FILLED,
    .text = TEXT_PART,
    .parts = {
        [ART_KIND_IMAGE] =
          { TYPED_DATA("image"),
            "image/png image/jpeg image/webp image/heic image/heif image/gif "
            "image/bmp image/tiff" ASKED_SVG, MB(100), ART_PART_ENCODED },
        [ART_KIND_AUDIO] =
          { TYPED_DATA("audio"),
            "audio/wav audio/mpeg audio/aiff audio/aac audio/ogg audio/flac "
            "audio/mp4=audio/m4a audio/webm", MB(100), ART_PART_ENCODED },
        [ART_KIND_VIDEO] =
          { TYPED_DATA("video"), GEMINI_VIDEOS, MB(100), ART_PART_ENCODED },
        [ART_KIND_DOCUMENT] =
          { TYPED_DATA("document"),
            "application/pdf " DOCX " " PPTX " " XLSX " " DOC " " PPT " " XLS
            " " ODF("text") " " ODF("presentation") " " ODF("spreadsheet"),
            MB(50), 0 }
    },
    .urls = {
        [ART_KIND_IMAGE] =
          { TYPED_LINK("image"), GEMINI_LINK_IMAGES, MB(100), 0 },
        [ART_KIND_DOCUMENT] =
          { TYPED_LINK("document"), "application/pdf", MB(50), 0 }
    },
    .url_since = GEMINI_SINCE,
    .message = { "{\"type\":\"user_input\",\"content\":[", "]}", CHAT_TEXT, 0 }
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
    INTO(ROOT, "batch", BATCH),
    GEMINI(BATCH, "inputConfig", "input_config", INPUT, NONE, NONE),
    { { "requests", ART_NODE_INPUT, ART_NODE_INPUT, ART_NODE_REQUESTS,
        ART_FIELD_NONE }, ART_TYPE_NONE, ART_SEARCH_NONE },
    EACH(REQUESTS, REQUEST),
    INTO(REQUEST, "request", ROOT),
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
    NOTE(PART, "type", BLOCK_TYPE),
    BLOCK_RULES,
    NOTE(BLOB, "data", DATA),
    GEMINI(BLOB, "fileUri", "file_uri", NONE, URL, NONE),
    GEMINI(BLOB, "mimeType", "mime_type", NONE, MIME, NONE),
    GEMINI(BLOB, "displayName", "display_name", NONE, NAME, NONE),
    BOTH(CALL, "response", RESPONSE, RESPONSE),
    BOTH(CALL, "parts", CONTENT, PARTS),
    SAYS(RESPONSE, "output", RESULT, NONE, RESULT),
    SAYS(RESPONSE, "result", RESULT, NONE, RESULT),
    SAYS(RESPONSE, "artifacts", TAKEN, NONE, RESULT),
    SAYS(RESPONSE, "artifacts_", TAKEN_TOO, NONE, RESULT),
    SAYS(RESPONSE, ART_WALK_ANY, NONE, NONE, RESULT),
    RESOURCE_RULES,
    END
};


static const art_message_form_t  art_gemini_forms[] = {
    NEUTRAL_FORM,
    FORM_URL(INLINE, NONE, DATA, VALUE, ALL, B64_VALUE, "mimeType", NULL, NONE,
             0, SOURCE_MEMBER, URI_DATA, NONE),
    FORM_URL(FILE_DATA, NONE, URL, SOURCE_MEMBER, ALL,
             "\"inlineData\":{\"mimeType\":\"%f\",\"data\":" B64_VALUE "}",
             NULL, NULL, NONE, 0, SOURCE_MEMBER, URI_DATA, NONE),
    BLOCK_FORMS,
    END_FORM
};


/* Repeated fields may be a single object (protobuf's JSON at Google). */

#define GEMINI_SYSTEM(in, camel, snake, object, array, act)                   \
    SYSTEM_RULE(in, camel, object, array, act),                               \
    SYSTEM_RULE(in, snake, object, array, act)

static const art_walk_rule_t  art_gemini_system[] = {
    GEMINI_SYSTEM(ROOT, "generateContentRequest", "generate_content_request",
                  ROOT, NO_NODE, PASS),
    GEMINI_SYSTEM(ROOT, "systemInstruction", "system_instruction",
                  SYSTEM, NO_NODE, TEXT),
    GEMINI_SYSTEM(ROOT, "generationConfig", "generation_config",
                  OPTIONS, NO_NODE, PASS),
    SYSTEM_RULE(SYSTEM, "parts", PART, PARTS, TEXT),
    SYSTEM_PARTS,
    GEMINI_SYSTEM(OPTIONS, "responseSchema", "response_schema",
                  NO_NODE, NO_NODE, ASKED),
    GEMINI_SYSTEM(OPTIONS, "responseJsonSchema", "response_json_schema",
                  NO_NODE, NO_NODE, ASKED),
    SYSTEM_NOTE(OPTIONS, "_responseJsonSchema", ASKED),
    GEMINI_SYSTEM(OPTIONS, "responseMimeType", "response_mime_type",
                  NO_NODE, NO_NODE, MIME),
    SYSTEM_END
};


#define GEMINI_RESULT(in, camel, snake, object, array, act)                   \
    RESULT_RULE(in, camel, object, array, act),                               \
    RESULT_RULE(in, snake, object, array, act)

static const art_walk_rule_t  art_gemini_results[] = {
    RESULT_RULE(ROOT, "contents", MESSAGE, MESSAGES, PASS),
    RESULT_RULE(ROOT, "tools", OFFERED, TOOLS, PASS),
    GEMINI_RESULT(ROOT, "generateContentRequest", "generate_content_request",
                  ROOT, NO_NODE, PASS),
    RESULT_INTO(ROOT, "batch", BATCH),
    GEMINI_RESULT(BATCH, "inputConfig", "input_config", INPUT, NO_NODE, PASS),
    RESULT_RULE(INPUT, "requests", INPUT, REQUESTS, PASS),
    RESULT_EACH(REQUESTS, REQUEST),
    RESULT_INTO(REQUEST, "request", ROOT),
    RESULT_EACH(MESSAGES, MESSAGE),
    RESULT_RULE(MESSAGE, "parts", UNIT, UNITS, PASS),
    RESULT_EACH(UNITS, UNIT),
    GEMINI_RESULT(UNIT, "functionCall", "function_call",
                  BODY, NO_NODE, IS_CALL),
    GEMINI_RESULT(UNIT, "functionResponse", "function_response",
                  BODY, NO_NODE, IS_RESULT),
    RESULT_NOTE(BODY, "id", ID),
    RESULT_NOTE(BODY, "name", NAME),
    RESULT_TREE(BODY, "response"),
    RESULT_EACH(TOOLS, OFFERED),
    RESULT_NOTE(OFFERED, "name", TOOL),
    GEMINI_RESULT(OFFERED, "functionDeclarations", "function_declarations",
                  OFFERED, TOOLS, PASS),
    RESULT_END
};


static const art_extract_rule_t  art_gemini_text[] = {
    TEXT_EACH(ROOTS, ROOT),
    TEXT_LIST(ROOT, "candidates", LIST),
    TEXT_EACH(LIST, ITEM),
    TEXT_INTO(ITEM, "content", BODY),
    TEXT_SAYS(ITEM, "index", INDEX),
    TEXT_SAYS(ITEM, "finishReason", FINAL),
    TEXT_LIST(BODY, "parts", PARTS),
    TEXT_EACH(PARTS, PART),
    TEXT_SAYS(PART, "text", TEXT),
    TEXT_SAYS(PART, "thought", NOT),
    TEXT_END
};


static const art_offload_rule_t  art_gemini_base64[] = {
    BASE64_EACH(ROOTS, ROOT),
    BASE64_LIST(ROOT, "candidates", LIST),
    BASE64_EACH(LIST, ITEM),
    BASE64_INTO(ITEM, "content", BODY),
    BASE64_LIST(BODY, "parts", PARTS),
    BASE64_EACH(PARTS, PART),
    BASE64_KEYED(PART, "inlineData", INNER, "\"fileData\""),
    BASE64_KEYED(PART, "inline_data", SNAKE, "\"file_data\""),
    BASE64_DATA(INNER, "data", "\"fileUri\":%u"),
    BASE64_NOTE(INNER, "mimeType", MIME),
    BASE64_DATA(SNAKE, "data", "\"file_uri\":%u"),
    BASE64_NOTE(SNAKE, "mime_type", MIME),
    BASE64_END
};


const art_api_t  art_api_gemini = {
    .name = "gemini",
    .flags = ART_API_HOIST | ART_API_TEXTS | ART_API_RESULTS,
    .formats = { &art_gemini_format, &art_interactions_format },
    .paths = {
        { ":generateContent", NULL, 0 },
        { ":streamGenerateContent", NULL, 0 },
        { ":countTokens", NULL, 0 },
        { ":batchGenerateContent", NULL, ART_PATH_SILENT }
    },
    .models = { { "/tunedModels/", ":/" }, { "/models/", ":/" } },
    .request = {
        .rules = art_gemini_rules,
        .forms = art_gemini_forms,
        .text = EVERY_ROLE(BARE_TEXT),
        .media = {
            [ART_ROLE_USER] = ALL,
            [ART_ROLE_ASSISTANT] = ALL,
            [ART_ROLE_TOOL] = ALL
        },
        .max = MB(100),
        .counts = {
            { PICTURES, GEMINI_IMAGES, 0 },
            { VIDEOS, GEMINI_MOVIES, 0 }
        },
        .call_since = { "gemini-", 3, 0 },
        .call = { INLINE_DATA,
                  "image/png image/jpeg image/webp application/pdf", 0, 0 },
        .texts = { INLINE_DATA, GEMINI_TEXTS, 0, 0 }
    },
    .system = {
        .rules = art_gemini_system,
        .root = { "systemInstruction", "{\"parts\":[{\"text\":", "}]}" },
        .held = { "parts", "[{\"text\":", "}]" }
    },
    .text = { art_gemini_text, art_gemini_text },
    .base64 = {
        .stream = art_gemini_base64,
        .json = art_gemini_base64,
        .mime_member = ",\"mimeType\":%m"
    },
    .results = art_gemini_results
};
