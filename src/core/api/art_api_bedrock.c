
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Bedrock's Converse: docs.aws.amazon.com/bedrock, API_runtime_Converse,
 * API_runtime_ContentBlock and its blocks (npm
 * @aws-sdk/client-bedrock-runtime 3.1164.0, AudioFormat and others).
 */


#include "core/api/art_api.h"
#include "core/api/art_api_rows.h"


#define BLOCK(key, more)                                                      \
    "{\"" key "\":{\"format\":\"%f\"," more "\"source\":{\"bytes\":\"%B\"}}}"


/*
 * Pixels, and images of a message: API_runtime_Message.  Documents of a
 * request: the user guide, "API restrictions" (inference-api-restrictions).
 */

#define BEDROCK_SIDE       8000
#define BEDROCK_IMAGES     20
#define BEDROCK_DOCUMENTS  5


/* A message with a document also needs a text (API_runtime_DocumentBlock). */

static const art_format_t  art_bedrock_format = {
    .name = "bedrock",
    .flags = ART_FORMAT_FILLED,
    .name_rule = { 200, ART_FILENAME_PLAIN },
    .text = BARE_TEXT B64_VALUE "}",
    .max_side = BEDROCK_SIDE,
    .parts = {
        [ART_KIND_TEXT] =
          { BLOCK("document", "\"name\":\"%n\","),
            "?text/plain=txt ?text/markdown=md ?text/csv=csv ?text/html=html",
            KB(4608), 0 },
        [ART_KIND_IMAGE] =
          { BLOCK("image", ""),
            "image/png=png image/jpeg=jpeg image/gif=gif image/webp=webp",
            KB(3840), 0 },
        [ART_KIND_AUDIO] =
          { BLOCK("audio", ""),
            "audio/mpeg=mp3 audio/wav=wav audio/aac=aac audio/flac=flac "
            "audio/mp4=mp4 audio/ogg=ogg audio/webm=webm "
            "audio/x-matroska=mka", 0, 0 },
        [ART_KIND_VIDEO] =
          { BLOCK("video", ""),
            "video/x-matroska=mkv video/quicktime=mov video/mp4=mp4 "
            "video/webm=webm video/x-flv=flv video/mpeg=mpeg "
            "video/x-ms-wmv=wmv video/3gpp=three_gp",
            MB(25), ART_PART_ENCODED },
        [ART_KIND_DOCUMENT] =
          { BLOCK("document", "\"name\":\"%n\","),
            "application/pdf=pdf " DOC "=doc " DOCX "=docx "
            XLS "=xls " XLSX "=xlsx",
            KB(4608), ART_PART_EXTRACTED }
    },
    .message = { "{\"role\":\"user\",\"content\":[", "]}", BARE_TEXT, 1 }
};


static const art_message_rule_t  art_bedrock_rules[] = {
    BOTH(ROOT, "system", CONTENT, SYSTEM),
    INTO(ROOT, "messages", MESSAGES),
    EACH(MESSAGES, MESSAGE),
    EACH(CONTENT, PART),
    NOTE(MESSAGE, "role", ROLE),
    BOTH(MESSAGE, "content", CONTENT, CONTENT),
    RULE(PART, "text", NONE, TEXT, TEXT, PART),
    SAYS(PART, "json", JSON, JSON, PART),
    MAKE(PART, "artifact", NONE, ARTIFACT, ARTIFACT),
    NOTE(PART, "cache_control", CACHE),
    NOTE(PART, "prompt_cache_breakpoint", BREAKPOINT),
    MAKE(PART, "image", MEDIA, NONE, IMAGE),
    MAKE(PART, "document", MEDIA, NONE, DOCUMENT),
    MAKE(PART, "video", MEDIA, NONE, VIDEO),
    MAKE(PART, "audio", MEDIA, NONE, AUDIO),
    MAKE(PART, "toolResult", TOOL_RESULT, NONE, TOOL_RESULT),
    NOTE(PART, "type", BLOCK_TYPE),
    BLOCK_RULES,
    NOTE(MEDIA, "format", MIME),
    NOTE(MEDIA, "name", NAME),
    BOTH(MEDIA, "source", SOURCE, SOURCE),
    NOTE(SOURCE, "bytes", DATA),
    INTO(SOURCE, "s3Location", S3),
    NOTE(S3, "uri", URL),
    INTO(TOOL_RESULT, "content", CONTENT),
    RESOURCE_RULES,
    END
};


#define BYTES_FORM(type, field, kinds, name)                                  \
    FORM(type, NONE, field, SOURCE, kinds, "{\"bytes\":" B64_VALUE "}",       \
         "format", name, NONE)

static const art_message_form_t  art_bedrock_forms[] = {
    NEUTRAL_FORM,
    TEXT_FORM,
    BYTES_FORM(IMAGE, URL, PICTURES, NULL),
    BYTES_FORM(IMAGE, DATA, PICTURES, NULL),
    BYTES_FORM(DOCUMENT, URL, DOCUMENTS, "name"),
    BYTES_FORM(DOCUMENT, DATA, DOCUMENTS, "name"),
    BYTES_FORM(VIDEO, URL, VIDEOS, NULL),
    BYTES_FORM(VIDEO, DATA, VIDEOS, NULL),
    BYTES_FORM(AUDIO, URL, AUDIOS, NULL),
    BYTES_FORM(AUDIO, DATA, AUDIOS, NULL),
    BLOCK_FORMS,
    END_FORM
};


static const art_walk_rule_t  art_bedrock_system[] = {
    SYSTEM_RULE(ROOT, "system", NO_NODE, PARTS, TEXT),
    SYSTEM_NOTE(ROOT, "outputConfig", ASKED),
    SYSTEM_PARTS,
    SYSTEM_END
};


static const art_walk_rule_t  art_bedrock_results[] = {
    RESULT_LIST(ROOT, "messages", MESSAGES),
    RESULT_INTO(ROOT, "toolConfig", OFFERED),
    RESULT_EACH(MESSAGES, MESSAGE),
    RESULT_LIST(MESSAGE, "content", UNITS),
    RESULT_EACH(UNITS, UNIT),
    RESULT_RULE(UNIT, "toolUse", BODY, NO_NODE, IS_CALL),
    RESULT_RULE(UNIT, "toolResult", BODY, NO_NODE, IS_RESULT),
    RESULT_NOTE(BODY, "toolUseId", ID),
    RESULT_NOTE(BODY, "name", NAME),
    RESULT_LIST(BODY, "content", BLOCKS),
    RESULT_BLOCKS,
    RESULT_TREE(BLOCK, "json"),
    RESULT_EACH(TOOLS, OFFERED),
    RESULT_LIST(OFFERED, "tools", TOOLS),
    RESULT_INTO(OFFERED, "toolSpec", OFFERED),
    RESULT_NOTE(OFFERED, "name", TOOL),
    RESULT_END
};


/* Its streams are binary frames, not events. */

static const art_extract_rule_t  art_bedrock_json[] = {
    TEXT_INTO(ROOT, "output", BODY),
    TEXT_INTO(BODY, "message", ITEM),
    TEXT_LIST(ITEM, "content", PARTS),
    TEXT_EACH(PARTS, PART),
    TEXT_SAYS(PART, "text", TEXT),
    TEXT_END
};


const art_api_t  art_api_bedrock = {
    .name = "bedrock",
    .flags = ART_API_AWS | ART_API_RESULTS,
    .formats = { &art_bedrock_format },
    .paths = {
        { "/converse", "/model/", 0 },
        { "/converse-stream", "/model/", 0 }
    },
    .models = { { "/model/", NULL } },
    .request = {
        .rules = art_bedrock_rules,
        .forms = art_bedrock_forms,
        .text = EVERY_ROLE(BARE_TEXT),
        .media = {
            [ART_ROLE_USER] = ALL,
            [ART_ROLE_TOOL] = PICTURES | VIDEOS | DOCUMENTS
        },
        .counts = {
            { PICTURES, BEDROCK_IMAGES, 1 },
            { DOCUMENTS, BEDROCK_DOCUMENTS, 0 }
        }
    },
    .system = {
        .rules = art_bedrock_system,
        .root = { "system", "[{\"text\":", "}]" }
    },
    .text = { .json = art_bedrock_json },
    .results = art_bedrock_results
};
