
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The platform's own formats, which no provider takes: answers of the service,
 * of its tools, and for programs.
 */


#include "core/api/art_api.h"
#include "core/api/art_api_rows.h"


/*
 * The image part of "route" has the form of Chat Completions messages; the file
 * part is the platform's own.
 */

#define FILE_PART                                                             \
    "{\"type\":\"file\",\"file\":{\"filename\":\"%n\",\"mimeType\":\"%m\","   \
    "\"data\":\"%B\"}}"

#define ROUTE(middle)                                                         \
    "{\"contentType\":\"%t\",\"routing\":\"%u\"," middle ",\"metadata\":%d}"

#define ROUTE_FILE                                                            \
    { ROUTE("\"content\":\"%l\",\"file\":" FILE_PART), "*", 0, 0 }

#define TOOL(content)                                                         \
    "{\"role\":\"tool\",\"tool_call_id\":\"%c\",\"content\":" content "}"

#define TOOL_MEDIA(part)                                                      \
    { TOOL("[{\"type\":\"text\",\"text\":\"%l\"}," part "]"), "*", 0, 0 }

#define OBJECT(content, binary)                                               \
    "{\"id\":\"%i\",\"content\":" content ",\"type\":\"%y\","                 \
    "\"createdAt\":%r,\"messageId\":%g,\"meta\":%o,"                          \
    "\"isBinary\":" binary "%p%z}"

#define OBJECT_BINARY  { OBJECT(B64_VALUE, "true"), "*", 0, 0 }

#define BARE_MESSAGE   { "[", "]", CHAT_TEXT, 0 }


static const art_format_t  art_route_in_message = {
    .name = "route",
    .flags = ART_FORMAT_TRUST,
    .text = TEXT_PART,
    .parts = {
        [ART_KIND_IMAGE] = { IMAGE_PART, "*", 0, 0 },
        [ART_KIND_AUDIO] = { FILE_PART, "*", 0, 0 },
        [ART_KIND_VIDEO] = { FILE_PART, "*", 0, 0 },
        [ART_KIND_DOCUMENT] = { FILE_PART, "*", 0, 0 },
        [ART_KIND_OTHER] = { FILE_PART, "*", 0, 0 }
    },

    /* the form of a part that Chat Completions fetches */

    .urls = { [ART_KIND_IMAGE] = { IMAGE_LINK, WEB_IMAGES, MB(512), 0 } },
    .message = BARE_MESSAGE
};


static const art_format_t  art_route_format = {
    .name = "route",
    .flags = ART_FORMAT_TRUST,
    .text = ROUTE("\"content\":\"%B\""),
    .parts = {
        [ART_KIND_IMAGE] =
          { ROUTE("\"content\":\"%l\",\"imageUrl\":" IMAGE_PART), "*", 0, 0 },
        [ART_KIND_AUDIO] = ROUTE_FILE,
        [ART_KIND_VIDEO] = ROUTE_FILE,
        [ART_KIND_DOCUMENT] = ROUTE_FILE,
        [ART_KIND_OTHER] = ROUTE_FILE
    },
    .message = BARE_MESSAGE,
    .in_message = &art_route_in_message
};


static const art_format_t  art_object_format = {
    .name = "object",
    .flags = ART_FORMAT_PROGRAM | ART_FORMAT_TRUST,
    .text = OBJECT(B64_VALUE, "false"),
    .json = OBJECT("%B", "false"),
    .described = OBJECT("null", "%b"),
    .parts = {
        [ART_KIND_IMAGE] = OBJECT_BINARY,
        [ART_KIND_AUDIO] = OBJECT_BINARY,
        [ART_KIND_VIDEO] = OBJECT_BINARY,
        [ART_KIND_DOCUMENT] = OBJECT_BINARY,
        [ART_KIND_OTHER] = OBJECT_BINARY
    },
    .message = BARE_MESSAGE
};


static const art_format_t  art_tool_format = {
    .name = "tool_message",
    .flags = ART_FORMAT_CALL_ID | ART_FORMAT_TRUST,
    .text = TOOL("\"%({\"status\":\"success\",\"contentType\":\"%t\","
                 "\"routing\":\"%u\",\"content\":\"%B\",\"metadata\":%d}%)\""),
    .parts = {
        [ART_KIND_IMAGE] = TOOL_MEDIA(IMAGE_PART),
        [ART_KIND_AUDIO] = TOOL_MEDIA(FILE_PART),
        [ART_KIND_VIDEO] = TOOL_MEDIA(FILE_PART),
        [ART_KIND_DOCUMENT] = TOOL_MEDIA(FILE_PART),
        [ART_KIND_OTHER] = TOOL_MEDIA(FILE_PART)
    },
    .message = BARE_MESSAGE
};


const art_api_t  art_api_platform = {
    .name = "platform",
    .formats = { &art_route_format, &art_object_format, &art_tool_format }
};
