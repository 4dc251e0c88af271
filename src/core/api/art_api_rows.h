
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The words in which rows of APIs are written, and what several of them share.
 */


#ifndef ART_API_ROWS_H_INCLUDED_
#define ART_API_ROWS_H_INCLUDED_


#include "core/api/art_api_rules.h"


#define KB(n)  ((uint64_t) (n) << 10)
#define MB(n)  ((uint64_t) (n) << 20)


/* Media types.  SVG can be read as text; it is an image only if asked for. */

#define WEB_IMAGES  "image/png image/jpeg image/webp image/gif"
#define ASKED_SVG   " ?image/svg+xml"

#define OOXML       "application/vnd.openxmlformats-officedocument."
#define DOCX        OOXML "wordprocessingml.document"
#define XLSX        OOXML "spreadsheetml.sheet"
#define PPTX        OOXML "presentationml.presentation"

#define DOC         "application/msword"
#define XLS         "application/vnd.ms-excel"
#define PPT         "application/vnd.ms-powerpoint"

#define ODF(type)   "application/vnd.oasis.opendocument." type


/*
 * OpenAI: images of a request, by either API (developers.openai.com/api/docs,
 * guides/images-vision, "Image input requirements").
 */

#define OPENAI_IMAGES  1500


/* Templates of parts. */

#define URL_VALUE   "\"data:%f;base64,%B\""
#define B64_VALUE   "\"%B\""
#define LINK_VALUE  "\"%a\""

#define TYPED_TEXT(type)  "{\"type\":\"" type "\",\"text\":"
#define CHAT_TEXT   TYPED_TEXT("text")
#define BARE_TEXT   "{\"text\":"

#define TEXT_PART   CHAT_TEXT B64_VALUE "}"

#define KEYED_PART(key, value)                                                \
    "{\"type\":\"" key "\",\"" key "\":{\"url\":" value "}}"

#define URL_PART(key)  KEYED_PART(key, URL_VALUE)

#define IMAGE_PART  URL_PART("image_url")
#define IMAGE_LINK  KEYED_PART("image_url", LINK_VALUE)

#define CHAT_AUDIO                                                            \
    "{\"type\":\"input_audio\",\"input_audio\":"                              \
    "{\"data\":\"%B\",\"format\":\"%f\"}}"

#define FILE_OF(value)                                                        \
    "{\"type\":\"file\",\"file\":{\"filename\":\"%n\","                       \
    "\"file_data\":" value "}}"

#define CHAT_FILE   FILE_OF(URL_VALUE)
#define CHAT_LINK   FILE_OF(LINK_VALUE)


/* A user's message, whose parts are in "list". */

#define USER_MESSAGE(list, text)                                              \
    { "{\"role\":\"user\",\"" list "\":[", "]}", text, 0 }


/* Kinds of content. */

#define PICTURES    ART_KIND_BIT(ART_KIND_IMAGE)
#define AUDIOS      ART_KIND_BIT(ART_KIND_AUDIO)
#define VIDEOS      ART_KIND_BIT(ART_KIND_VIDEO)
#define DOCUMENTS   ART_KIND_BIT(ART_KIND_DOCUMENT)
#define ALL         (PICTURES | AUDIOS | VIDEOS | DOCUMENTS)


/* Text parts that start the same for all roles. */

#define EVERY_ROLE(text)  { text, text, text, text }


/*
 * Rules of requests, by what is done with the value: it makes its part what it
 * is; it is entered and noted; entered; an element; noted.
 */

#define RULE(in, key, node, field, type, search)                              \
    { { key, ART_NODE_##in,                                                   \
        art_node_is_array(ART_NODE_##node) ? 0 : ART_NODE_##node,             \
        art_node_is_array(ART_NODE_##node) ? ART_NODE_##node : 0,             \
        ART_FIELD_##field },                                                  \
      ART_TYPE_##type, ART_SEARCH_##search }
#define MAKE(in, key, node, field, type)                                      \
    RULE(in, key, node, field, type, NONE)
#define BOTH(in, key, node, field)  MAKE(in, key, node, field, NONE)
#define INTO(in, key, node)  MAKE(in, key, node, NONE, NONE)
#define EACH(in, node)  MAKE(in, NULL, node, NONE, NONE)
#define NOTE(in, key, field)  MAKE(in, key, NONE, field, NONE)
#define END  MAKE(NONE, NULL, NONE, NONE, NONE)

/* Texts of tools: a string, or all strings of a value. */

#define SAID(in, key, node, field, search)                                    \
    RULE(in, key, node, field, NONE, search)
#define SAYS(in, key, field, type, search)                                    \
    { { key, ART_NODE_##in, ART_WALK_TREE, ART_WALK_TREE,                     \
        ART_FIELD_##field },                                                  \
      ART_TYPE_##type, ART_SEARCH_##search }

#define PART_RULES                                                            \
    NOTE(PART, "type", TYPE),                                                 \
    SAID(PART, "text", NONE, TEXT, PART),                                     \
    NOTE(PART, "artifact", ARTIFACT),                                         \
    NOTE(PART, "cache_control", CACHE),                                       \
    NOTE(PART, "prompt_cache_breakpoint", BREAKPOINT),                        \
    BLOCK_RULES


/*
 * MCP's blocks (art_api_mcp.c), which some clients put into results of tools as
 * they are: the members of a part, and those of its resource.
 */

#define BLOCK_RULES                                                           \
    NOTE(PART, "data", BYTES),                                                \
    NOTE(PART, "uri", LINK),                                                  \
    NOTE(PART, "mimeType", BLOCK_MIME),                                       \
    NOTE(PART, "name", BLOCK_NAME),                                           \
    INTO(PART, "resource", RESOURCE)

#define RESOURCE_RULES                                                        \
    NOTE(RESOURCE, "uri", BLOCK_NAME),                                        \
    NOTE(RESOURCE, "mimeType", BLOCK_MIME),                                   \
    NOTE(RESOURCE, "blob", BYTES),                                            \
    NOTE(RESOURCE, "text", WORDS)


/* A picture for a tool or an API that edits it. */

#define PICTURE_RULES                                                         \
    NOTE(PICTURE, "image_url", URL),                                          \
    NOTE(PICTURE, "url", URL),                                                \
    NOTE(PICTURE, "file_id", FILE)


/* Slots of requests. */

#define FORM_URL(type, source, field, target, kinds, value, mime, name,       \
                 rival, flags, url_target, url_value, url_rival)              \
    { ART_TYPE_##type, ART_TYPE_##source, ART_FIELD_##field,                  \
      ART_TARGET_##target, kinds, value, mime, name, ART_FIELD_##rival,       \
      flags, { ART_TARGET_##url_target, url_value, ART_FIELD_##url_rival } }
#define FORM_FLAGS(type, source, field, target, kinds, value, mime, name,     \
                   rival, flags)                                              \
    FORM_URL(type, source, field, target, kinds, value, mime, name, rival,    \
             flags, VALUE, NULL, NONE)
#define FORM(type, source, field, target, kinds, value, mime, name, rival)    \
    FORM_FLAGS(type, source, field, target, kinds, value, mime, name, rival, 0)

#define VALUE_FORM(type, field, kinds, value)                                 \
    FORM(type, NONE, field, VALUE, kinds, value, NULL, NULL, NONE)

/* A value that is a data URL, or a URL. */

#define LINK_FORM(type, field, kinds, name)                                   \
    FORM_URL(type, NONE, field, VALUE, kinds, URL_VALUE, NULL, name, NONE, 0, \
             VALUE, LINK_VALUE, NONE)

#define NEUTRAL_FORM  VALUE_FORM(ARTIFACT, ARTIFACT, 0, NULL)
#define TEXT_FORM                                                             \
    FORM_FLAGS(TEXT, NONE, TEXT, VALUE, 0, NULL, NULL, NULL, NONE,            \
               ART_FORM_RESULT)
#define END_FORM      VALUE_FORM(NONE, NONE, 0, NULL)

#define PICTURE_FORMS                                                         \
    FORM_URL(PICTURE, NONE, URL, VALUE, PICTURES, URL_VALUE, NULL, NULL,      \
             NONE, ART_FORM_SOLE, VALUE, LINK_VALUE, NONE),                   \
    FORM_URL(PICTURE, NONE, FILE, MEMBER, PICTURES,                           \
             "\"image_url\":" URL_VALUE, NULL, NULL, URL, ART_FORM_SOLE,      \
             MEMBER, "\"image_url\":" LINK_VALUE, URL)

#define BLOCK_FORM(type, field, kinds)                                        \
    FORM_FLAGS(type, NONE, field, VALUE, kinds, NULL, NULL, NULL, NONE,       \
               ART_FORM_RESULT | ART_FORM_BLOCK)

#define BLOCK_FORMS                                                           \
    BLOCK_FORM(IMAGE, BYTES, PICTURES),                                       \
    BLOCK_FORM(AUDIO, BYTES, AUDIOS),                                         \
    BLOCK_FORM(RESOURCE, BYTES, ALL),                                         \
    BLOCK_FORM(RESOURCE, WORDS, 0),                                           \
    BLOCK_FORM(RESOURCE_LINK, LINK, 0)


/* Rules of system texts. */

#define SYSTEM_RULE(in, key, object, array, act)                              \
    { key, ART_PROMPT_##in, ART_PROMPT_##object, ART_PROMPT_##array,          \
      ART_PROMPT_##act }
#define SYSTEM_NOTE(in, key, act)  SYSTEM_RULE(in, key, NO_NODE, NO_NODE, act)
#define SYSTEM_INTO(in, key, node)  SYSTEM_RULE(in, key, node, NO_NODE, PASS)
#define SYSTEM_EACH(in, node)  SYSTEM_RULE(in, NULL, node, NO_NODE, PASS)
#define SYSTEM_END  SYSTEM_NOTE(NO_NODE, NULL, PASS)

#define SYSTEM_PARTS                                                          \
    SYSTEM_EACH(PARTS, PART),                                                 \
    SYSTEM_NOTE(PART, "text", WORDS)

#define NO_FORM  { NULL, NULL, NULL }


/* Rules of results of tools. */

#define RESULT_RULE(in, key, object, array, act)                              \
    { key, ART_RESULT_##in, ART_RESULT_##object, ART_RESULT_##array,          \
      ART_RESULT_##act }
#define RESULT_NOTE(in, key, act)  RESULT_RULE(in, key, NO_NODE, NO_NODE, act)
#define RESULT_INTO(in, key, node)  RESULT_RULE(in, key, node, NO_NODE, PASS)
#define RESULT_LIST(in, key, node)  RESULT_RULE(in, key, NO_NODE, node, PASS)
#define RESULT_EACH(in, node)  RESULT_RULE(in, NULL, node, NO_NODE, PASS)
#define RESULT_END  RESULT_NOTE(NO_NODE, NULL, PASS)

/* Of which all strings are texts, at any depth. */

#define RESULT_TREE(in, key)                                                  \
    { key, ART_RESULT_##in, ART_WALK_TREE, ART_WALK_TREE, ART_RESULT_TEXT }

/* A string, or an array of blocks of text. */

#define RESULT_TEXTS(in, key)  RESULT_RULE(in, key, NO_NODE, BLOCKS, TEXT)

#define RESULT_BLOCKS                                                         \
    RESULT_EACH(BLOCKS, BLOCK),                                               \
    RESULT_NOTE(BLOCK, "type", BLOCK_TYPE),                                   \
    RESULT_NOTE(BLOCK, "text", TEXT)

/* Tools with their names: functions, custom ones, and those of MCP servers. */

#define RESULT_TOOLS                                                          \
    RESULT_EACH(TOOLS, OFFERED),                                              \
    RESULT_NOTE(OFFERED, "name", TOOL),                                       \
    RESULT_INTO(OFFERED, "function", OFFERED),                                \
    RESULT_INTO(OFFERED, "custom", OFFERED),                                  \
    RESULT_LIST(OFFERED, "tools", TOOLS),                                     \
    RESULT_RULE(OFFERED, "allowed_tools", OFFERED, NAMES, PASS),              \
    RESULT_LIST(OFFERED, "tool_names", NAMES),                                \
    RESULT_INTO(OFFERED, "tool_configuration", OFFERED),                      \
    RESULT_INTO(OFFERED, "configs", NAMED),                                   \
    RESULT_NOTE(NAMES, NULL, TOOL)


/* Rules of text in answers. */

#define TEXT_RULE(in, key, object, array, says, word)                         \
    { { key, ART_EXTRACT_##in, ART_EXTRACT_##object, ART_EXTRACT_##array,     \
        ART_SAYS_##says }, word }
#define TEXT_SAYS(in, key, says)                                              \
    TEXT_RULE(in, key, NO_NODE, NO_NODE, says, NULL)
#define TEXT_WORD(in, key, says, word)                                        \
    TEXT_RULE(in, key, NO_NODE, NO_NODE, says, word)
#define TEXT_INTO(in, key, node)                                              \
    TEXT_RULE(in, key, node, NO_NODE, NOTHING, NULL)
#define TEXT_LIST(in, key, node)                                              \
    TEXT_RULE(in, key, NO_NODE, node, NOTHING, NULL)
#define TEXT_EACH(in, node)  TEXT_INTO(in, NULL, node)
#define TEXT_END  TEXT_SAYS(NO_NODE, NULL, NOTHING)


/* Rules of base64 in answers. */

#define BASE64_RULE(in, key, object, array, act, text, kinds)                 \
    { { key, ART_OFFLOAD_##in, ART_OFFLOAD_##object, ART_OFFLOAD_##array,     \
        ART_OFFLOAD_##act }, text, kinds }
#define BASE64_NOTE(in, key, act)                                             \
    BASE64_RULE(in, key, NO_NODE, NO_NODE, act, NULL, NULL)
#define BASE64_INTO(in, key, node)                                            \
    BASE64_RULE(in, key, node, NO_NODE, PASS, NULL, NULL)
#define BASE64_LIST(in, key, node)                                            \
    BASE64_RULE(in, key, NO_NODE, node, PASS, NULL, NULL)
#define BASE64_EACH(in, node)  BASE64_INTO(in, NULL, node)
#define BASE64_DATA(in, key, text)                                            \
    BASE64_RULE(in, key, NO_NODE, NO_NODE, DATA, text, NULL)
#define BASE64_KEYED(in, key, node, text)                                     \
    BASE64_RULE(in, key, node, NO_NODE, UNIT_KEY, text, NULL)
#define BASE64_SEARCH(in, key, kinds)                                         \
    BASE64_RULE(in, key, TREE, TREE, SEARCH, NULL, kinds)
#define BASE64_END  BASE64_NOTE(NO_NODE, NULL, PASS)


/* Rules of long texts in answers. */

#define LONG_RULE(in, key, object, array, act)                                \
    { key, ART_SHORTEN_##in, ART_SHORTEN_##object, ART_SHORTEN_##array,       \
      ART_SHORTEN_##act }
#define LONG_NOTE(in, key, act)  LONG_RULE(in, key, NO_NODE, NO_NODE, act)
#define LONG_INTO(in, key, node)  LONG_RULE(in, key, node, NO_NODE, PASS)
#define LONG_LIST(in, key, node)  LONG_RULE(in, key, NO_NODE, node, PASS)
#define LONG_END  LONG_NOTE(NO_NODE, NULL, PASS)


/*
 * Chat Completions, adopted by others (art_api_openai.c): "images" of messages
 * are OpenRouter's.
 */

#define CHAT_RULES                                                            \
    NOTE(ROOT, "model", MODEL),                                               \
    INTO(ROOT, "models", MODELS),                                             \
    INTO(ROOT, "messages", MESSAGES),                                         \
    NOTE(MODELS, NULL, MODEL),                                                \
    EACH(MESSAGES, MESSAGE),                                                  \
    EACH(CONTENT, PART),                                                      \
    NOTE(MESSAGE, "role", ROLE),                                              \
    SAID(MESSAGE, "content", CONTENT, CONTENT, RESULT)

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
    NOTE(FILE, "filename", NAME),                                             \
    NOTE(FILE, "data", BYTES),                                                \
    NOTE(FILE, "mimeType", BLOCK_MIME),                                       \
    RESOURCE_RULES

extern const art_message_form_t  art_chat_forms[];
extern const art_walk_rule_t     art_chat_system[];
extern const art_extract_rule_t  art_chat_stream[];
extern const art_extract_rule_t  art_chat_json[];
extern const art_offload_rule_t  art_chat_base64[];

#define CHAT_SYSTEM  { art_chat_system, NO_FORM, { "content", "", "" } }
extern const art_walk_rule_t     art_chat_results[];

#define CHAT_ANSWER  { art_chat_stream, art_chat_json }
#define CHAT_BASE64  { .stream = art_chat_base64, .json = art_chat_base64 }


#endif /* ART_API_ROWS_H_INCLUDED_ */
