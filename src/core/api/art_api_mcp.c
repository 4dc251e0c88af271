
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The Model Context Protocol: modelcontextprotocol.io/specification
 * (server/tools, tool result; SamplingMessage), npm @modelcontextprotocol/sdk
 * 1.32.2 (ContentBlock).
 */


#include "core/api/art_api.h"
#include "core/api/art_api_rows.h"


#define MEDIA_PART(type)                                                      \
    "{\"type\":\"" type "\",\"data\":\"%B\",\"mimeType\":\"%f\"}"

#define RESOURCE_PART                                                         \
    { "{\"type\":\"resource\",\"resource\":{\"uri\":\"%a\","                  \
      "\"mimeType\":\"%f\",\"blob\":\"%B\"}}", "*", 0, 0 }

#define MEDIA_PARTS                                                           \
    {                                                                         \
        [ART_KIND_IMAGE] =                                                    \
          { MEDIA_PART("image"),                                              \
            "image/png image/jpeg image/gif image/webp ?image/*", 0, 0 },     \
        [ART_KIND_AUDIO] = { MEDIA_PART("audio"), "audio/*", 0, 0 },          \
        [ART_KIND_VIDEO] = RESOURCE_PART,                                     \
        [ART_KIND_DOCUMENT] = RESOURCE_PART,                                  \
        [ART_KIND_OTHER] = RESOURCE_PART                                      \
    }

#define LINK_PART                                                             \
    "{\"type\":\"resource_link\",\"uri\":\"%a\",\"name\":\"%n\","             \
    "\"mimeType\":\"%m\"%s,\"description\":\"%B\"}"


static const art_format_t  art_mcp_format = {
    .name = "mcp",
    .flags = ART_FORMAT_LINK | ART_FORMAT_FILLED | ART_FORMAT_RELAYED,
    .text = TEXT_PART,
    .described = LINK_PART,
    .parts = MEDIA_PARTS,
    .message = USER_MESSAGE("content", CHAT_TEXT)
};


/* The same for the tool that reads: its texts say of what they are. */

const art_format_t  art_mcp_read = {
    .name = "mcp",
    .flags = ART_FORMAT_FILLED | ART_FORMAT_RELAYED,
    .text = "{\"_meta\":{\"artifact/ref\":\"artifact:%i\"},"
            "\"type\":\"text\",\"text\":\"%B\"}",
    .parts = MEDIA_PARTS
};


#define BLOB_CONTENTS                                                         \
    { "{\"uri\":\"%a\",\"mimeType\":\"%m\",\"blob\":\"%B\"}", "*", 0, 0 }

const art_format_t  art_mcp_contents = {
    .name = "mcp_contents",
    .flags = ART_FORMAT_PROGRAM | ART_FORMAT_TRUST,
    .text = "{\"uri\":\"%a\",\"mimeType\":\"%m\",\"text\":\"%B\"}",
    .parts = {
        [ART_KIND_IMAGE] = BLOB_CONTENTS,
        [ART_KIND_AUDIO] = BLOB_CONTENTS,
        [ART_KIND_VIDEO] = BLOB_CONTENTS,
        [ART_KIND_DOCUMENT] = BLOB_CONTENTS,
        [ART_KIND_OTHER] = BLOB_CONTENTS
    }
};


/* Strings that take the place of references in arguments, whatever they are. */

#define STRING_FORMAT(string)                                                 \
    {                                                                         \
        .name = "mcp",                                                        \
        .parts = {                                                            \
            [ART_KIND_TEXT] = { string, "*", 0, 0 },                          \
            [ART_KIND_IMAGE] = { string, "*", 0, 0 },                         \
            [ART_KIND_AUDIO] = { string, "*", 0, 0 },                         \
            [ART_KIND_VIDEO] = { string, "*", 0, 0 },                         \
            [ART_KIND_DOCUMENT] = { string, "*", 0, 0 },                      \
            [ART_KIND_OTHER] = { string, "*", 0, 0 }                          \
        }                                                                     \
    }

static const art_format_t  art_mcp_data_url = STRING_FORMAT(URL_VALUE);
static const art_format_t  art_mcp_plain = STRING_FORMAT(B64_VALUE);


/* tools/call: {"method","params":{"arguments"},"id"}, in any order. */

static const art_message_rule_t  art_mcp_call[] = {
    NOTE(ROOT, "method", METHOD),
    NOTE(ROOT, "id", CALL_ID),
    INTO(ROOT, "params", PARAMS),
    SAYS(PARAMS, "arguments", ARGUMENT, NONE, NONE),
    END
};


static const char *const  art_mcp_media[] = { "image", "audio", NULL };
static const char *const  art_mcp_resource[] = { "resource", NULL };
static const char *const  art_mcp_text[] = { "text", NULL };

#define MCP_RESULT                                                            \
    BASE64_EACH(ROOTS, ROOT),                                                 \
    BASE64_INTO(ROOT, "result", BODY),                                        \
    BASE64_LIST(BODY, "content", PARTS)

#define MCP_BLOCK                                                             \
    BASE64_RULE(PARTS, NULL, PART, NO_NODE, UNIT, NULL, NULL),                \
    BASE64_NOTE(PART, "type", KIND)

/*
 * What clients pass on as it is: a text with a marker (docs/offload.md).
 * Servers repeat media in structuredContent, which frameworks prefer.
 */

static const art_offload_rule_t  art_mcp_base64[] = {
    MCP_RESULT,
    BASE64_SEARCH(BODY, "structuredContent", NULL),
    MCP_BLOCK,
    BASE64_SEARCH(PART, "text", art_mcp_text),
    BASE64_NOTE(PART, "annotations", KEEP),
    BASE64_NOTE(PART, "_meta", KEEP),
    BASE64_NOTE(PART, "mimeType", MIME),
    BASE64_RULE(PART, "data", NO_NODE, NO_NODE, DATA, NULL, art_mcp_media),
    BASE64_RULE(PART, "resource", INNER, NO_NODE, FLAT, NULL, NULL),
    BASE64_NOTE(INNER, "mimeType", MIME),
    BASE64_RULE(INNER, "blob", NO_NODE, NO_NODE, DATA, NULL, art_mcp_resource),
    BASE64_END
};


static const art_offload_rule_t  art_mcp_links[] = {
    MCP_RESULT,
    MCP_BLOCK,
    BASE64_RULE(PART, "data", NO_NODE, NO_NODE, DATA,
                "\"uri\":%u,\"name\":%n,\"size\":%s", art_mcp_media),
    BASE64_NOTE(PART, "mimeType", MIME),
    BASE64_RULE(PART, "resource", INNER, NO_NODE, FLAT, NULL, NULL),
    BASE64_NOTE(INNER, "uri", URI),
    BASE64_NOTE(INNER, "mimeType", MIME),
    BASE64_RULE(INNER, "blob", NO_NODE, NO_NODE, DATA,
                "\"name\":%n,\"size\":%s", art_mcp_resource),
    BASE64_END
};


/* Texts that a model reads: those of a tool's result, whatever it is. */

static const art_walk_rule_t  art_mcp_texts[] = {
    LONG_INTO(ROOTS, NULL, ROOT),
    LONG_INTO(ROOT, "result", BODY),
    LONG_LIST(BODY, "content", PARTS),
    LONG_RULE(BODY, "structuredContent", TREE, TREE, STRING),
    LONG_RULE(PARTS, NULL, PART, NO_NODE, BLOCK),
    LONG_NOTE(PART, "type", KIND),
    LONG_NOTE(PART, "text", TEXT),
    LONG_INTO(PART, "annotations", NOTES),
    LONG_INTO(PART, "_meta", META),
    LONG_INTO(PART, "resource", INNER),
    LONG_NOTE(INNER, "uri", URI),
    LONG_NOTE(INNER, "mimeType", MIME),
    LONG_NOTE(INNER, "text", CONTENTS),
    LONG_LIST(NOTES, "audience", READERS),
    LONG_NOTE(READERS, NULL, FOR),
    LONG_NOTE(META, "artifact/ref", REF),
    LONG_END
};


const art_api_t  art_api_mcp = {
    .name = "mcp",
    .formats = { &art_mcp_format },
    .paths = { { "/mcp", NULL, 0 } },
    .call = {
        .rules = art_mcp_call,
        .formats = {
            [ART_ARGUMENT_DATA] = &art_mcp_data_url,
            [ART_ARGUMENT_BASE64] = &art_mcp_plain
        }
    },
    .base64 = {
        .stream = art_mcp_base64,
        .json = art_mcp_base64,
        .block = "{\"type\":\"text\",\"text\":%t",
        .messages = 1
    },
    .links = {
        .stream = art_mcp_links,
        .json = art_mcp_links,
        .kind = "\"resource_link\"",
        .uri_member = ",\"uri\":%u",
        .mime_member = ",\"mimeType\":%m",
        .messages = 1
    },
    .long_texts = art_mcp_texts
};
