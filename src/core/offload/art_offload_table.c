
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Shapes of answers: platform.openai.com/docs/api-reference (images),
 * openrouter.ai/docs (image generation), ai.google.dev/api/generate-content,
 * modelcontextprotocol.io/specification (server/tools), as their SDKs have
 * them.
 */


#include "core/message/art_message_path.h"
#include "core/offload/art_offload_table.h"


#define RULE(in, key, object, array, act, text, kinds)                        \
    { { key, ART_OFFLOAD_##in, ART_OFFLOAD_##object, ART_OFFLOAD_##array,     \
        ART_OFFLOAD_##act }, text, kinds }
#define NOTE(in, key, act)                                                    \
    RULE(in, key, NO_NODE, NO_NODE, act, NULL, NULL)
#define INTO(in, key, node)                                                   \
    RULE(in, key, node, NO_NODE, PASS, NULL, NULL)
#define LIST(in, key, node)                                                   \
    RULE(in, key, NO_NODE, node, PASS, NULL, NULL)
#define EACH(in, node)  INTO(in, NULL, node)
#define DATA(in, key, text)                                                   \
    RULE(in, key, NO_NODE, NO_NODE, DATA, text, NULL)
#define KEYED(in, key, node, text)                                            \
    RULE(in, key, node, NO_NODE, UNIT_KEY, text, NULL)
#define END  NOTE(NO_NODE, NULL, PASS)


/* Images that are complete; what comes before them is only looked at. */

static const char *const  art_offload_complete[] = {
    "image_generation.completed", "image_edit.completed", NULL
};

#define IMAGE_URL  "\"url\":%u"

static const art_offload_rule_t  art_offload_images[] = {
    LIST(ROOT, "data", LIST),
    EACH(LIST, ITEM),
    DATA(ITEM, "b64_json", IMAGE_URL),
    END
};


static const art_offload_rule_t  art_offload_image_events[] = {
    NOTE(ROOT, "type", KIND),
    RULE(ROOT, "b64_json", NO_NODE, NO_NODE, DATA, IMAGE_URL,
         art_offload_complete),
    END
};


static const art_offload_rule_t  art_offload_chat[] = {
    LIST(ROOT, "choices", LIST),
    EACH(LIST, ITEM),
    INTO(ITEM, "message", BODY),
    INTO(ITEM, "delta", BODY),
    LIST(BODY, "images", PARTS),
    EACH(PARTS, PART),
    INTO(PART, "image_url", INNER),
    NOTE(INNER, "url", DATA_URL),
    END
};


static const art_offload_rule_t  art_offload_gemini[] = {
    EACH(ROOTS, ROOT),
    LIST(ROOT, "candidates", LIST),
    EACH(LIST, ITEM),
    INTO(ITEM, "content", BODY),
    LIST(BODY, "parts", PARTS),
    EACH(PARTS, PART),
    KEYED(PART, "inlineData", INNER, "\"fileData\""),
    KEYED(PART, "inline_data", SNAKE, "\"file_data\""),
    DATA(INNER, "data", "\"fileUri\":%u"),
    NOTE(INNER, "mimeType", MIME),
    DATA(SNAKE, "data", "\"file_uri\":%u"),
    NOTE(SNAKE, "mime_type", MIME),
    END
};


static const char *const  art_offload_media[] = { "image", "audio", NULL };
static const char *const  art_offload_resource[] = { "resource", NULL };

static const art_offload_rule_t  art_offload_mcp[] = {
    EACH(ROOTS, ROOT),
    INTO(ROOT, "result", BODY),
    LIST(BODY, "content", PARTS),
    RULE(PARTS, NULL, PART, NO_NODE, UNIT, NULL, NULL),
    NOTE(PART, "type", KIND),
    RULE(PART, "data", NO_NODE, NO_NODE, DATA,
         "\"uri\":%u,\"name\":%n,\"size\":%s", art_offload_media),
    NOTE(PART, "mimeType", MIME),
    RULE(PART, "resource", INNER, NO_NODE, FLAT, NULL, NULL),
    NOTE(INNER, "uri", URI),
    NOTE(INNER, "mimeType", MIME),
    RULE(INNER, "blob", NO_NODE, NO_NODE, DATA, "\"name\":%n,\"size\":%s",
         art_offload_resource),
    END
};


static const art_offload_api_t  art_offload_apis[] = {

    { "images", art_offload_images, art_offload_image_events,
      NULL, NULL, NULL },

    { "openai", art_offload_chat, art_offload_chat,
      NULL, NULL, NULL },

    { "openrouter", art_offload_chat, art_offload_chat,
      NULL, NULL, NULL },

    { "mistral", art_offload_chat, art_offload_chat,
      NULL, NULL, NULL },

    { "gemini", art_offload_gemini, art_offload_gemini,
      NULL, NULL, ",\"mimeType\":%m" },

    { "mcp", art_offload_mcp, art_offload_mcp,
      "\"resource_link\"", ",\"uri\":%u", ",\"mimeType\":%m" }
};


static const struct {
    const char  *ending;
    const char  *api;
} art_offload_paths[] = {
    { "/images/generations", "images" },
    { "/images/edits", "images" },
    { "/images/variations", "images" },
    { "/mcp", "mcp" }
};


static const art_offload_api_t *art_offload_by_path(art_str_t path,
    const char *only);


const art_offload_api_t *
art_offload_api_row(unsigned i)
{
    return i < art_nitems(art_offload_apis) ? &art_offload_apis[i] : NULL;
}


const art_offload_api_t *
art_offload_api_find(art_str_t name)
{
    unsigned                  i;
    const art_offload_api_t  *api;

    for (i = 0; (api = art_offload_api_row(i)) != NULL; i++) {
        if (art_str_eq(name, art_cstr(api->name))) {
            return api;
        }
    }

    return NULL;
}


const art_offload_api_t *
art_offload_api(art_str_t path, art_str_t format)
{
    unsigned                  versioned;
    const art_offload_api_t  *api;
    const art_message_api_t  *message;

    api = art_offload_by_path(path, format.len > 0 ? "images" : NULL);

    if (api != NULL) {
        return api;
    }

    if (format.len > 0) {
        return art_offload_api_find(format);
    }

    message = art_message_path_api(path, &versioned);

    return message != NULL ? art_offload_api_find(art_cstr(message->name))
                           : NULL;
}


static const art_offload_api_t *
art_offload_by_path(art_str_t path, const char *only)
{
    size_t  i, len;

    if (path.len > 0 && path.data[path.len - 1] == '/') {
        path.len--;
    }

    for (i = 0; i < art_nitems(art_offload_paths); i++) {
        len = strlen(art_offload_paths[i].ending);

        if (path.len >= len
            && memcmp(path.data + path.len - len, art_offload_paths[i].ending,
                      len) == 0
            && (only == NULL || strcmp(only, art_offload_paths[i].api) == 0))
        {
            return art_offload_api_find(art_cstr(art_offload_paths[i].api));
        }
    }

    return NULL;
}
