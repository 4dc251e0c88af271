
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_percent.h"
#include "core/api/art_api.h"


/*
 * All APIs: NAME has the row art_api_NAME, in a file of its name.  Formats are
 * numbered in this order, and the first one is the default.
 */

#define ART_APIS(api)                                                         \
    api(platform)                                                             \
    api(openai)                                                               \
    api(responses)                                                            \
    api(compatible)                                                           \
    api(anthropic)                                                            \
    api(gemini)                                                               \
    api(bedrock)                                                              \
    api(mistral)                                                              \
    api(openrouter)                                                           \
    api(mcp)                                                                  \
    api(images)                                                               \
    api(agent)


#define ART_API_EXTERN(name)   extern const art_api_t  art_api_##name;
#define ART_API_ADDRESS(name)  &art_api_##name,

ART_APIS(ART_API_EXTERN)

static const art_api_t *const  art_apis[] = {
    ART_APIS(ART_API_ADDRESS)
    NULL
};


/* Words with the same meaning wherever they are used. */

static const struct {
    const char          *word;
    art_message_type_t   type;
} art_message_types[] = {
    { "text", ART_TYPE_TEXT },
    { "input_text", ART_TYPE_TEXT },
    { "output_text", ART_TYPE_TEXT },
    { "artifact", ART_TYPE_ARTIFACT },
    { "image_url", ART_TYPE_IMAGE_URL },
    { "input_audio", ART_TYPE_INPUT_AUDIO },
    { "video_url", ART_TYPE_VIDEO_URL },
    { "file", ART_TYPE_FILE },
    { "input_image", ART_TYPE_INPUT_IMAGE },
    { "input_file", ART_TYPE_INPUT_FILE },
    { "image", ART_TYPE_IMAGE },
    { "document", ART_TYPE_DOCUMENT },
    { "document_url", ART_TYPE_DOCUMENT_URL },
    { "container_upload", ART_TYPE_CONTAINER },
    { "tool_result", ART_TYPE_TOOL_RESULT },
    { "audio", ART_TYPE_AUDIO },
    { "resource_link", ART_TYPE_RESOURCE_LINK },
    { "resource", ART_TYPE_RESOURCE },
    { "message", ART_TYPE_MESSAGE },
    { "function_call_output", ART_TYPE_OUTPUT },
    { "custom_tool_call_output", ART_TYPE_OUTPUT },
    { "computer_call_output", ART_TYPE_SCREEN },
    { "url", ART_TYPE_URL },
    { "base64", ART_TYPE_BASE64 }
};


static const struct {
    const char          *word;
    art_message_role_t   role;
} art_message_roles[] = {
    { "system", ART_ROLE_SYSTEM },
    { "developer", ART_ROLE_SYSTEM },
    { "assistant", ART_ROLE_ASSISTANT },
    { "model", ART_ROLE_ASSISTANT },
    { "tool", ART_ROLE_TOOL }
};


const char *const  art_argument_names[ART_ARGUMENT_MAX] = {
    "off", "data", "base64", "url"
};


static const art_api_t *art_api_by_path(art_str_t path, unsigned *flags);
static const art_api_path_t *art_api_match(const art_api_t *api,
    art_str_t path);
static art_str_t art_api_path_trim(art_str_t path);
static int art_api_path_ends(art_str_t path, const char *ending);
static const uint8_t *art_api_path_find(art_str_t path, const char *word);
static int art_api_path_cut(const art_api_t *api, art_str_t path,
    art_str_t *model);
static art_str_t art_api_model_end(art_str_t model, const char *ends);


const art_api_t *
art_api_find(art_str_t name)
{
    size_t  i;

    for (i = 0; art_apis[i] != NULL; i++) {
        if (art_str_eq(name, art_cstr(art_apis[i]->name))) {
            return art_apis[i];
        }
    }

    return NULL;
}


const art_api_t *
art_api_of_request(art_str_t path, art_str_t format, unsigned *flags)
{
    const art_api_t  *api, *named;

    api = art_api_by_path(path, flags);

    if (format.len > 0 && (api == NULL || !(api->flags & ART_API_BY_PATH))) {
        named = art_api_find(format);

        *flags = named == api ? *flags & ~ART_PATH_VERSIONED : 0;
        api = named;
    }

    return api != NULL && api->request.rules != NULL
           && !(*flags & ART_PATH_NAME) ? api : NULL;
}


const art_api_t *
art_api_of_base64(art_str_t path, art_str_t format)
{
    unsigned          flags;
    const art_api_t  *api;

    api = art_api_by_path(path, &flags);

    if (format.len > 0 && (api == NULL || !(api->flags & ART_API_BY_PATH))) {
        api = art_api_find(format);
    }

    return api != NULL && api->base64.json != NULL ? api : NULL;
}


const art_api_t *
art_api_of_name(art_str_t path)
{
    unsigned          flags;
    const art_api_t  *api;

    api = art_api_by_path(path, &flags);

    return api != NULL && (api->flags & ART_API_NAMES) ? api : NULL;
}


const art_api_t *
art_api_request_row(unsigned n)
{
    size_t  i;

    for (i = 0; art_apis[i] != NULL; i++) {
        if ((art_apis[i]->request.rules != NULL
             || art_apis[i]->call.rules != NULL)
            && n-- == 0)
        {
            return art_apis[i];
        }
    }

    return NULL;
}


unsigned
art_api_request_number(const art_api_t *api)
{
    unsigned          i;
    const art_api_t  *row;

    for (i = 0; (row = art_api_request_row(i)) != NULL && row != api; i++) {
        /* void */
    }

    return i;
}


art_argument_t
art_argument_find(art_str_t name)
{
    art_argument_t  i;

    if (name.len == 0) {
        return ART_ARGUMENT_OFF;
    }

    for (i = ART_ARGUMENT_OFF; i < ART_ARGUMENT_MAX; i++) {
        if (art_str_eq(name, art_cstr(art_argument_names[i]))) {
            break;
        }
    }

    return i;
}


const art_format_t *
art_format_find(art_str_t name)
{
    size_t               i, k;
    const art_format_t  *format;

    for (i = 0; art_apis[i] != NULL; i++) {
        for (k = 0; k < ART_API_FORMATS; k++) {
            format = art_apis[i]->formats[k];

            if (format != NULL && art_str_eq(name, art_cstr(format->name))) {
                return format;
            }
        }
    }

    return NULL;
}


const art_format_t *
art_format_row(unsigned n)
{
    size_t               i, k;
    const art_format_t  *format;

    for (i = 0; art_apis[i] != NULL; i++) {
        for (k = 0; k < ART_API_FORMATS; k++) {
            format = art_apis[i]->formats[k];

            if (format != NULL && n-- == 0) {
                return format;
            }
        }
    }

    return NULL;
}


unsigned
art_format_number(const art_format_t *format)
{
    unsigned             i;
    const art_format_t  *row;

    for (i = 0; (row = art_format_row(i)) != NULL && row != format; i++) {
        /* void */
    }

    return i;
}


art_message_type_t
art_message_type(art_str_t word)
{
    size_t  i;

    for (i = 0; i < art_nitems(art_message_types); i++) {
        if (art_str_eq(word, art_cstr(art_message_types[i].word))) {
            return art_message_types[i].type;
        }
    }

    return ART_TYPE_OTHER;
}


art_message_role_t
art_message_role(art_str_t word)
{
    size_t  i;

    for (i = 0; i < art_nitems(art_message_roles); i++) {
        if (art_str_eq(word, art_cstr(art_message_roles[i].word))) {
            return art_message_roles[i].role;
        }
    }

    return ART_ROLE_USER;
}


art_str_t
art_api_path_model(const art_api_t *api, art_str_t path, uint8_t *buf)
{
    int        found;
    size_t     i, n;
    art_str_t  model;

    path = art_api_path_trim(path);
    model = art_str(NULL, 0);

    found = art_api_path_cut(api, path, &model);

    for (i = 0; art_apis[i] != NULL && !found; i++) {
        found = art_api_path_cut(art_apis[i], path, &model);
    }

    if (art_percent_decode(buf, &n, model) != ART_OK) {
        return art_str(NULL, 0);
    }

    model = art_str(buf, n);

    if (n > 4 && memcmp(buf, "arn:", 4) == 0) {
        while (n > 0 && buf[n - 1] != '/') {
            n--;
        }

        model = art_str(buf + n, model.len - n);
    }

    return model;
}


static const art_api_t *
art_api_by_path(art_str_t path, unsigned *flags)
{
    size_t                 i;
    const art_api_path_t  *match;

    path = art_api_path_trim(path);
    *flags = 0;

    for (i = 0; art_apis[i] != NULL; i++) {
        match = art_api_match(art_apis[i], path);

        if (match != NULL) {
            *flags = match->flags;
            return art_apis[i];
        }
    }

    return NULL;
}


/* The ending that matches a path, or NULL. */

static const art_api_path_t *
art_api_match(const art_api_t *api, art_str_t path)
{
    size_t                 i;
    art_str_t              rest;
    const art_api_path_t  *match;

    for (i = 0; i < ART_API_PATHS && api->paths[i].ending != NULL; i++) {
        match = &api->paths[i];

        if (!art_api_path_ends(path, match->ending)) {
            continue;
        }

        rest = art_str(path.data, path.len - strlen(match->ending));

        if (match->around == NULL
            || art_api_path_find(rest, match->around) != NULL)
        {
            return match;
        }
    }

    return NULL;
}


static art_str_t
art_api_path_trim(art_str_t path)
{
    while (path.len > 0 && path.data[path.len - 1] == '/') {
        path.len--;
    }

    return path;
}


static int
art_api_path_ends(art_str_t path, const char *ending)
{
    size_t  len;

    len = strlen(ending);

    return path.len >= len
           && memcmp(path.data + path.len - len, ending, len) == 0;
}


/* The position after the last occurrence of a word in a path, or NULL. */

static const uint8_t *
art_api_path_find(art_str_t path, const char *word)
{
    size_t  i, len;

    len = strlen(word);

    for (i = path.len; i >= len; i--) {
        if (memcmp(path.data + i - len, word, len) == 0) {
            return path.data + i;
        }
    }

    return NULL;
}


/* Whether a path names a model in one of the API's ways; *model is it. */

static int
art_api_path_cut(const art_api_t *api, art_str_t path, art_str_t *model)
{
    size_t          i;
    const uint8_t  *p;

    for (i = 0; i < ART_API_MODELS && api->models[i].before != NULL; i++) {
        p = art_api_path_find(path, api->models[i].before);

        if (p != NULL) {
            *model = art_str(p, path.len - (size_t) (p - path.data));
            *model = art_api_model_end(*model, api->models[i].ends);
            return 1;
        }
    }

    return 0;
}


/*
 * A model without what follows it: one of "ends", or (NULL) the verb after the
 * last slash.
 */

static art_str_t
art_api_model_end(art_str_t model, const char *ends)
{
    size_t  n;

    if (ends == NULL) {

        for (n = model.len; n > 0 && model.data[n - 1] != '/'; n--) {
            /* void */
        }

        return art_str(model.data, n - (n > 0));
    }

    for (n = 0; n < model.len && model.data[n] != '\0'
                && strchr(ends, model.data[n]) == NULL; n++)
    {
        /* void */
    }

    return art_str(model.data, n);
}
