
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The rows of the table of formats, and look-ups in them.
 */


#include "core/format/art_format_table.h"


/*
 * Templates: text with
 *
 *     %B   the body                      %(..%)  a JSON text in a JSON string
 *     %t   contentType                   %u   routing
 *     %l   the lead-in line              %n   file name, adapted to the rule
 *     %m   media type                    %f   the provider's name of the type
 *     %d   the metadata object           %a   its URL, or the reference, a URI
 *     %c   tool call id                  %i   id
 *     %y   declared type                 %r   createdAt, or null
 *     %g   messageId, or null            %o   the store's "meta" object
 *     %b   whether the content is binary
 *     %z   ,"truncated":true and ,"reason":.. if they apply
 *     %s   ,"size":.. if it is known
 */

#define ART_DATA_URL  "data:%f;base64,%B"


/*
 * The image part of "route" has the form of Chat Completions messages; the file
 * part is the platform's own.
 */

#define ART_IMAGE_PART                                                        \
    "{\"type\":\"image_url\",\"image_url\":{\"url\":\"" ART_DATA_URL "\"}}"

#define ART_FILE_PART                                                         \
    "{\"type\":\"file\",\"file\":{\"filename\":\"%n\",\"mimeType\":\"%m\","   \
    "\"data\":\"%B\"}}"

#define ART_ROUTE(middle)                                                     \
    "{\"contentType\":\"%t\",\"routing\":\"%u\"," middle ",\"metadata\":%d}"

#define ART_ROUTE_TEXT  ART_ROUTE("\"content\":\"%B\"")

#define ART_ROUTE_FILE                                                        \
    { ART_ROUTE("\"content\":\"%l\",\"file\":" ART_FILE_PART), "*", 0, 0 }

#define ART_TOOL(content)                                                     \
    "{\"role\":\"tool\",\"tool_call_id\":\"%c\",\"content\":" content "}"

#define ART_TOOL_MEDIA(part)                                                  \
    { ART_TOOL("[{\"type\":\"text\",\"text\":\"%l\"}," part "]"), "*", 0, 0 }

#define ART_TOOL_TEXT                                                         \
    ART_TOOL("\"%({\"status\":\"success\",\"contentType\":\"%t\","            \
             "\"routing\":\"%u\",\"content\":\"%B\",\"metadata\":%d}%)\"")

#define ART_OBJECT(content, binary)                                           \
    "{\"id\":\"%i\",\"content\":" content ",\"type\":\"%y\","                 \
    "\"createdAt\":%r,\"messageId\":%g,\"meta\":%o,"                          \
    "\"isBinary\":" binary ",\"mimeType\":\"%m\"%z}"

#define ART_OBJECT_BINARY  { ART_OBJECT("\"%B\"", "true"), "*", 0, 0 }


/* The text part of most providers. */

#define ART_TEXT_PART  "{\"type\":\"text\",\"text\":\"%B\"}"

#define ART_INPUT_AUDIO                                                       \
    "{\"type\":\"input_audio\",\"input_audio\":"                              \
    "{\"data\":\"%B\",\"format\":\"%f\"}}"

#define ART_CHAT_FILE                                                         \
    "{\"type\":\"file\",\"file\":{\"filename\":\"%n\","                       \
    "\"file_data\":\"" ART_DATA_URL "\"}}"

#define ART_INLINE_DATA                                                       \
    "{\"inlineData\":{\"mimeType\":\"%f\",\"data\":\"%B\"}}"

#define ART_BEDROCK(key, more)                                                \
    "{\"" key "\":{\"format\":\"%f\"," more "\"source\":{\"bytes\":\"%B\"}}}"

#define ART_MCP_MEDIA(type)                                                   \
    "{\"type\":\"" type "\",\"data\":\"%B\",\"mimeType\":\"%f\"}"

#define ART_MCP_RESOURCE                                                      \
    { "{\"type\":\"resource\",\"resource\":{\"uri\":\"%a\","                  \
      "\"mimeType\":\"%f\",\"blob\":\"%B\"}}", "*", 0, 0 }

#define ART_MCP_LINK                                                          \
    "{\"type\":\"resource_link\",\"uri\":\"%a\",\"name\":\"%n\","             \
    "\"mimeType\":\"%m\"%s,\"description\":\"%B\"}"


/* SVG can be read as text; it is sent as an image only where asked for. */

#define ART_WEB_IMAGES  "image/png image/jpeg image/webp image/gif"
#define ART_ASKED_SVG   " ?image/svg+xml"

#define ART_CLAUDE_IMAGE                                                      \
    { "{\"type\":\"image\",\"source\":{\"type\":\"base64\","                  \
      "\"media_type\":\"%f\",\"data\":\"%B\"}}",                              \
      ART_WEB_IMAGES, ART_MB(10), ART_PART_ENCODED }

#define ART_CLAUDE_DOCUMENT(more)                                             \
    { "{\"type\":\"document\",\"title\":\"%n\","                              \
      "\"source\":{\"type\":\"base64\","                                      \
      "\"media_type\":\"%f\",\"data\":\"%B\"}" more "}",                      \
      "application/pdf", ART_MB(32), ART_PART_ENCODED }

#define ART_CITATIONS  ",\"citations\":{\"enabled\":true}"

#define ART_URL_PART(key)                                                     \
    "{\"type\":\"" key "\",\"" key "\":{\"url\":\"" ART_DATA_URL "\"}}"

#define ART_TYPED_DATA(type)                                                  \
    "{\"type\":\"" type "\",\"mime_type\":\"%f\",\"data\":\"%B\"}"


#define ART_OOXML  "application/vnd.openxmlformats-officedocument."
#define ART_DOCX   ART_OOXML "wordprocessingml.document"
#define ART_XLSX   ART_OOXML "spreadsheetml.sheet"
#define ART_PPTX   ART_OOXML "presentationml.presentation"

#define ART_DOC    "application/msword"
#define ART_XLS    "application/vnd.ms-excel"
#define ART_PPT    "application/vnd.ms-powerpoint"

#define ART_ODF(type)  "application/vnd.oasis.opendocument." type

#define ART_KB(n)  ((uint64_t) (n) << 10)
#define ART_MB(n)  ((uint64_t) (n) << 20)


static const art_format_t  art_formats[] = {

    { "route", ART_FORMAT_TRUST, { 0, 0 }, ART_ROUTE_TEXT, NULL, NULL, 0,
      {
        [ART_KIND_IMAGE] =
          { ART_ROUTE("\"content\":\"%l\",\"imageUrl\":" ART_IMAGE_PART),
            "*", 0, 0 },
        [ART_KIND_AUDIO] = ART_ROUTE_FILE,
        [ART_KIND_VIDEO] = ART_ROUTE_FILE,
        [ART_KIND_DOCUMENT] = ART_ROUTE_FILE,
        [ART_KIND_OTHER] = ART_ROUTE_FILE
      } },

    { "object", ART_FORMAT_PROGRAM | ART_FORMAT_TRUST, { 0, 0 },
      ART_OBJECT("\"%B\"", "false"), ART_OBJECT("%B", "false"),
      ART_OBJECT("null", "%b"), 0,
      {
        [ART_KIND_IMAGE] = ART_OBJECT_BINARY,
        [ART_KIND_AUDIO] = ART_OBJECT_BINARY,
        [ART_KIND_VIDEO] = ART_OBJECT_BINARY,
        [ART_KIND_DOCUMENT] = ART_OBJECT_BINARY,
        [ART_KIND_OTHER] = ART_OBJECT_BINARY
      } },

    { "tool_message", ART_FORMAT_CALL_ID | ART_FORMAT_TRUST, { 0, 0 },
      ART_TOOL_TEXT, NULL, NULL, 0,
      {
        [ART_KIND_IMAGE] = ART_TOOL_MEDIA(ART_IMAGE_PART),
        [ART_KIND_AUDIO] = ART_TOOL_MEDIA(ART_FILE_PART),
        [ART_KIND_VIDEO] = ART_TOOL_MEDIA(ART_FILE_PART),
        [ART_KIND_DOCUMENT] = ART_TOOL_MEDIA(ART_FILE_PART),
        [ART_KIND_OTHER] = ART_TOOL_MEDIA(ART_FILE_PART)
      } },

    /* platform.openai.com/docs/guides: images-vision, audio, file-inputs */

    { "openai", 0, { 0, ART_FILENAME_EXTENSION }, ART_TEXT_PART,
      NULL, NULL, 0,
      {
        [ART_KIND_IMAGE] =
          { ART_IMAGE_PART, ART_WEB_IMAGES ART_ASKED_SVG,
            ART_MB(512), ART_PART_ENCODED },
        [ART_KIND_AUDIO] =
          { ART_INPUT_AUDIO, "audio/wav=wav audio/mpeg=mp3", 0, 0 },
        [ART_KIND_DOCUMENT] =
          { ART_CHAT_FILE, "application/pdf", ART_MB(50), 0 }
      } },

    /*
     * These parts also fit into a function_call_output.  Its text has at most
     * 10485760 characters and its image_url 20971520, including the beginning
     * of the data URL (github.com/openai/openai-openapi; shapes: npm openai
     * 7.57.0, ResponseInputContent and ResponseFunctionCallOutputItem).
     */

    { "openai_responses", 0, { 0, ART_FILENAME_EXTENSION },
      "{\"type\":\"input_text\",\"text\":\"%B\"}", NULL, NULL, 10485760,
      {
        [ART_KIND_IMAGE] =
          { "{\"type\":\"input_image\",\"detail\":\"auto\","
            "\"image_url\":\"" ART_DATA_URL "\"}",
            ART_WEB_IMAGES ART_ASKED_SVG, ART_MB(20) - 64, ART_PART_ENCODED },
        [ART_KIND_DOCUMENT] =
          { "{\"type\":\"input_file\",\"filename\":\"%n\","
            "\"file_data\":\"" ART_DATA_URL "\"}",
            "application/pdf " ART_DOCX " " ART_PPTX " " ART_XLSX " " ART_DOC
            " " ART_PPT " " ART_XLS " application/rtf " ART_ODF("text"),
            ART_MB(50), ART_PART_EXTRACTED }
      } },

    /*
     * Chat Completions without files, plus what OpenAI-compatible servers add:
     * docs.vllm.ai, "Multimodal Inputs", "Online Serving"
     * (ChatCompletionContentPartAudioParam, ..VideoParam of vllm 0.11).
     */

    { "openai_compatible", 0, { 0, ART_FILENAME_EXTENSION }, ART_TEXT_PART,
      NULL, NULL, 0,
      {
        [ART_KIND_IMAGE] =
          { ART_IMAGE_PART, ART_WEB_IMAGES ART_ASKED_SVG, 0, 0 },
        [ART_KIND_AUDIO] =
          { ART_URL_PART("audio_url"),
            "audio/wav audio/mpeg audio/flac audio/ogg ?audio/mp4 ?audio/aac "
            "?audio/aiff ?audio/webm", 0, 0 },
        [ART_KIND_VIDEO] =
          { ART_URL_PART("video_url"),
            "video/mp4 video/webm video/quicktime video/x-msvideo "
            "video/x-matroska video/mpeg", 0, 0 },
        [ART_KIND_DOCUMENT] =
          { ART_CHAT_FILE, "?application/pdf", 0, 0 }
      } },

    /*
     * docs.claude.com/en/docs/build-with-claude: vision, pdf-support.
     * Citations apply to all documents of a request or to none, so they have a
     * format of their own (npm @anthropic-ai/sdk 1.12.0, DocumentBlockParam).
     */

    { "anthropic", ART_FORMAT_FILLED, { 500, 0 }, ART_TEXT_PART,
      NULL, NULL, 0,
      {
        [ART_KIND_IMAGE] = ART_CLAUDE_IMAGE,
        [ART_KIND_DOCUMENT] = ART_CLAUDE_DOCUMENT("")
      } },

    { "anthropic_citations", ART_FORMAT_FILLED, { 500, 0 },
      "{\"type\":\"document\",\"title\":\"%n\",\"source\":{\"type\":\"text\","
      "\"media_type\":\"text/plain\",\"data\":\"%B\"}" ART_CITATIONS "}",
      NULL, ART_TEXT_PART, 0,
      {
        [ART_KIND_IMAGE] = ART_CLAUDE_IMAGE,
        [ART_KIND_DOCUMENT] = ART_CLAUDE_DOCUMENT(ART_CITATIONS)
      } },

    /*
     * ai.google.dev/gemini-api/docs: image-, audio-, video-understanding and
     * document-processing.  Its clients refuse a displayName here.
     */

    { "gemini", ART_FORMAT_FILLED, { 0, 0 }, "{\"text\":\"%B\"}", NULL, NULL, 0,
      {
        [ART_KIND_IMAGE] =
          { ART_INLINE_DATA,
            "image/png image/jpeg image/webp image/heic image/heif"
            ART_ASKED_SVG, ART_MB(100), ART_PART_ENCODED },
        [ART_KIND_AUDIO] =
          { ART_INLINE_DATA,
            "audio/wav audio/mpeg=audio/mp3 audio/aiff audio/aac audio/ogg "
            "audio/flac", ART_MB(100), ART_PART_ENCODED },
        [ART_KIND_VIDEO] =
          { ART_INLINE_DATA,
            "video/mp4 video/mpeg video/quicktime=video/mov "
            "video/x-msvideo=video/avi video/x-flv video/webm "
            "video/x-ms-wmv=video/wmv video/3gpp",
            ART_MB(100), ART_PART_ENCODED },
        [ART_KIND_DOCUMENT] =
          { ART_INLINE_DATA, "application/pdf", ART_MB(50), 0 }
      } },

    /*
     * The Interactions API: npm @google/genai 3.1.0, ImageContent,
     * AudioContent, VideoContent, DocumentContent and their ..MimeType.
     */

    { "gemini_interactions", ART_FORMAT_FILLED, { 0, 0 }, ART_TEXT_PART,
      NULL, NULL, 0,
      {
        [ART_KIND_IMAGE] =
          { ART_TYPED_DATA("image"),
            "image/png image/jpeg image/webp image/heic image/heif image/gif "
            "image/bmp image/tiff" ART_ASKED_SVG,
            ART_MB(100), ART_PART_ENCODED },
        [ART_KIND_AUDIO] =
          { ART_TYPED_DATA("audio"),
            "audio/wav audio/mpeg audio/aiff audio/aac audio/ogg audio/flac "
            "audio/mp4=audio/m4a audio/webm", ART_MB(100), ART_PART_ENCODED },
        [ART_KIND_VIDEO] =
          { ART_TYPED_DATA("video"),
            "video/mp4 video/mpeg video/quicktime=video/mov "
            "video/x-msvideo=video/avi video/x-flv video/webm "
            "video/x-ms-wmv=video/wmv video/3gpp",
            ART_MB(100), ART_PART_ENCODED },
        [ART_KIND_DOCUMENT] =
          { ART_TYPED_DATA("document"),
            "application/pdf " ART_DOCX " " ART_PPTX " " ART_XLSX " " ART_DOC
            " " ART_PPT " " ART_XLS " " ART_ODF("text") " "
            ART_ODF("presentation") " " ART_ODF("spreadsheet"),
            ART_MB(50), 0 }
      } },

    /*
     * docs.aws.amazon.com/bedrock: API_runtime_ContentBlock and its blocks
     * (npm @aws-sdk/client-bedrock-runtime 3.1164.0, AudioFormat and others)
     */

    { "bedrock", ART_FORMAT_FILLED, { 200, ART_FILENAME_PLAIN },
      "{\"text\":\"%B\"}", NULL, NULL, 0,
      {
        [ART_KIND_TEXT] =
          { ART_BEDROCK("document", "\"name\":\"%n\","),
            "?text/plain=txt ?text/markdown=md ?text/csv=csv ?text/html=html",
            ART_KB(4608), 0 },
        [ART_KIND_IMAGE] =
          { ART_BEDROCK("image", ""),
            "image/png=png image/jpeg=jpeg image/gif=gif image/webp=webp",
            ART_KB(3840), 0 },
        [ART_KIND_AUDIO] =
          { ART_BEDROCK("audio", ""),
            "audio/mpeg=mp3 audio/wav=wav audio/aac=aac audio/flac=flac "
            "audio/mp4=mp4 audio/ogg=ogg audio/webm=webm "
            "audio/x-matroska=mka", 0, 0 },
        [ART_KIND_VIDEO] =
          { ART_BEDROCK("video", ""),
            "video/x-matroska=mkv video/quicktime=mov video/mp4=mp4 "
            "video/webm=webm video/x-flv=flv video/mpeg=mpeg "
            "video/x-ms-wmv=wmv video/3gpp=three_gp",
            ART_MB(25), ART_PART_ENCODED },
        [ART_KIND_DOCUMENT] =
          { ART_BEDROCK("document", "\"name\":\"%n\","),
            "application/pdf=pdf " ART_DOC "=doc " ART_DOCX "=docx "
            ART_XLS "=xls " ART_XLSX "=xlsx",
            ART_KB(4608), ART_PART_EXTRACTED }
      } },

    /* docs.mistral.ai/capabilities: vision, audio, document_ai */

    { "mistral", 0, { 0, ART_FILENAME_EXTENSION }, ART_TEXT_PART,
      NULL, NULL, 0,
      {
        [ART_KIND_IMAGE] =
          { "{\"type\":\"image_url\",\"image_url\":\"" ART_DATA_URL "\"}",
            ART_WEB_IMAGES ART_ASKED_SVG, ART_MB(10), 0 },
        [ART_KIND_AUDIO] =
          { "{\"type\":\"input_audio\",\"input_audio\":\"%B\"}",
            "audio/mpeg audio/wav audio/flac audio/mp4 audio/ogg", 0, 0 },
        [ART_KIND_DOCUMENT] =
          { "{\"type\":\"document_url\",\"document_url\":\"" ART_DATA_URL
            "\",\"document_name\":\"%n\"}", "application/pdf", ART_MB(50), 0 }
      } },

    /*
     * openrouter.ai/docs/features/multimodal; "PDFs": its parser extracts their
     * text for models that do not take files.
     */

    { "openrouter", 0, { 0, ART_FILENAME_EXTENSION }, ART_TEXT_PART,
      NULL, NULL, 0,
      {
        [ART_KIND_IMAGE] =
          { ART_IMAGE_PART, ART_WEB_IMAGES ART_ASKED_SVG,
            ART_MB(512), ART_PART_ENCODED },
        [ART_KIND_AUDIO] =
          { ART_INPUT_AUDIO,
            "audio/wav=wav audio/mpeg=mp3 audio/flac=flac audio/mp4=m4a "
            "audio/ogg=ogg audio/aiff=aiff audio/aac=aac", 0, 0 },
        [ART_KIND_VIDEO] =
          { "{\"type\":\"video_url\",\"video_url\":{\"url\":\"" ART_DATA_URL
            "\"}}",
            "video/mp4 video/mpeg video/quicktime=video/mov video/webm",
            0, 0 },
        [ART_KIND_DOCUMENT] =
          { ART_CHAT_FILE, "application/pdf", ART_MB(50), ART_PART_ANYONE }
      } },

    /*
     * modelcontextprotocol.io/specification: server/tools, tool result (npm
     * @modelcontextprotocol/sdk 1.32.2, ContentBlock)
     */

    { "mcp", ART_FORMAT_LINK, { 0, 0 }, ART_TEXT_PART,
      NULL, ART_MCP_LINK, 0,
      {
        [ART_KIND_IMAGE] =
          { ART_MCP_MEDIA("image"), "?image/svg+xml image/*", 0, 0 },
        [ART_KIND_AUDIO] = { ART_MCP_MEDIA("audio"), "audio/*", 0, 0 },
        [ART_KIND_VIDEO] = ART_MCP_RESOURCE,
        [ART_KIND_DOCUMENT] = ART_MCP_RESOURCE,
        [ART_KIND_OTHER] = ART_MCP_RESOURCE
      } }
};


static const art_format_t  art_route_part = {
    "route", ART_FORMAT_TRUST, { 0, 0 }, ART_TEXT_PART, NULL, NULL, 0,
    {
        [ART_KIND_IMAGE] = { ART_IMAGE_PART, "*", 0, 0 },
        [ART_KIND_AUDIO] = { ART_FILE_PART, "*", 0, 0 },
        [ART_KIND_VIDEO] = { ART_FILE_PART, "*", 0, 0 },
        [ART_KIND_DOCUMENT] = { ART_FILE_PART, "*", 0, 0 },
        [ART_KIND_OTHER] = { ART_FILE_PART, "*", 0, 0 }
    }
};


static const char *art_part_find(const art_part_t *part, art_str_t mime,
    art_str_t *type);


const art_format_t *
art_format_find(art_str_t name)
{
    unsigned             i;
    const art_format_t  *format;

    for (i = 0; (format = art_format_row(i)) != NULL; i++) {
        if (art_str_eq(name, art_cstr(format->name))) {
            return format;
        }
    }

    return NULL;
}


const art_format_t *
art_format_row(unsigned i)
{
    return i < art_nitems(art_formats) ? &art_formats[i] : NULL;
}


const art_format_t *
art_format_part_row(const art_format_t *format)
{
    return format == &art_formats[0] ? &art_route_part : format;
}


int
art_part_takes(const art_part_t *part, art_str_t mime, unsigned named)
{
    art_str_t    type;
    const char  *entry;

    if (part->template == NULL) {
        return 0;
    }

    entry = art_part_find(part, mime, &type);

    return entry != NULL && (*entry != '?' || named);
}


int
art_part_takes_all(const art_part_t *part)
{
    return part->template != NULL && strcmp(part->types, "*") == 0;
}


art_str_t
art_part_type_name(const art_part_t *part, art_str_t mime)
{
    art_str_t  type;

    if (part->template == NULL || art_part_find(part, mime, &type) == NULL
        || type.data[type.len] != '=')
    {
        return mime;
    }

    type.data += type.len + 1;
    type.len = strcspn((const char *) type.data, " ");

    return type;
}


uint64_t
art_part_max(const art_part_t *part)
{
    return (part->flags & ART_PART_ENCODED) ? part->max / 4 * 3 : part->max;
}


/* The first entry that matches a media type, or NULL; *type is its type. */

static const char *
art_part_find(const art_part_t *part, art_str_t mime, art_str_t *type)
{
    size_t       n;
    const char  *p;

    for (p = part->types; *p != '\0'; p += n + (p[n] == ' ')) {
        n = strcspn(p, " ");

        *type = art_str(p + (*p == '?'), strcspn(p, " =") - (*p == '?'));

        if (art_media_in(*type, mime)) {
            return p;
        }
    }

    return NULL;
}
