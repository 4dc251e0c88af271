
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_percent.h"
#include "core/message/art_message_path.h"


/*
 * Endings of paths; "around" has to stand before what precedes the ending, a
 * model's id.
 */

static const struct {
    const char  *ending;
    const char  *around;
    const char  *api;
    unsigned     versioned;
} art_message_paths[] = {
    { "/chat/completions", NULL, "openai", 0 },
    { "/responses", NULL, "openai_responses", 0 },
    { "/responses/input_tokens", NULL, "openai_responses", 0 },
    { "/messages", NULL, "anthropic", 0 },
    { "/messages/count_tokens", NULL, "anthropic", 0 },
    { ":rawPredict", NULL, "anthropic", 1 },
    { ":streamRawPredict", NULL, "anthropic", 1 },
    { "/invoke", "/model/", "anthropic", 1 },
    { "/invoke-with-response-stream", "/model/", "anthropic", 1 },
    { ":generateContent", NULL, "gemini", 0 },
    { ":streamGenerateContent", NULL, "gemini", 0 },
    { ":countTokens", NULL, "gemini", 0 },
    { "/converse", "/model/", "bedrock", 0 },
    { "/converse-stream", "/model/", "bedrock", 0 }
};


/* What stands before a model, and what ends it. */

static const struct {
    const char  *before;
    const char  *ends;
} art_message_models[] = {
    { "/tunedModels/", ":/" },
    { "/models/", ":/" },
    { "/deployments/", "/" },
    { "/model/", NULL }
};


static art_str_t art_path_cut(art_str_t model, const char *ends);
static art_str_t art_path_trim(art_str_t path);
static int art_path_ends(art_str_t path, const char *ending);
static const uint8_t *art_path_find(art_str_t path, const char *word);


const art_message_api_t *
art_message_path_api(art_str_t path, unsigned *versioned)
{
    size_t     i;
    art_str_t  rest;

    path = art_path_trim(path);
    *versioned = 0;

    for (i = 0; i < art_nitems(art_message_paths); i++) {

        if (!art_path_ends(path, art_message_paths[i].ending)) {
            continue;
        }

        rest = art_str(path.data,
                       path.len - strlen(art_message_paths[i].ending));

        if (art_message_paths[i].around != NULL
            && art_path_find(rest, art_message_paths[i].around) == NULL)
        {
            continue;
        }

        *versioned = art_message_paths[i].versioned;

        return art_message_api_find(art_cstr(art_message_paths[i].api));
    }

    return NULL;
}


art_str_t
art_message_path_model(art_str_t path, uint8_t *buf)
{
    size_t          i, n, skip;
    art_str_t       model;
    const uint8_t  *p;

    path = art_path_trim(path);
    model = art_str(NULL, 0);

    for (i = 0; i < art_nitems(art_message_models); i++) {
        p = art_path_find(path, art_message_models[i].before);

        if (p != NULL) {
            skip = (size_t) (p - path.data)
                   + strlen(art_message_models[i].before);

            model = art_path_cut(art_str(path.data + skip, path.len - skip),
                                 art_message_models[i].ends);
            break;
        }
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


/*
 * A model without what follows it: one of "ends", or the verb behind the last
 * slash, since an ARN may have slashes itself.
 */

static art_str_t
art_path_cut(art_str_t model, const char *ends)
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


static art_str_t
art_path_trim(art_str_t path)
{
    while (path.len > 0 && path.data[path.len - 1] == '/') {
        path.len--;
    }

    return path;
}


static int
art_path_ends(art_str_t path, const char *ending)
{
    size_t  len;

    len = strlen(ending);

    return path.len >= len
           && memcmp(path.data + path.len - len, ending, len) == 0;
}


/* The last place of a word in a path. */

static const uint8_t *
art_path_find(art_str_t path, const char *word)
{
    size_t  i, len;

    len = strlen(word);

    for (i = path.len; i >= len; i--) {
        if (memcmp(path.data + i - len, word, len) == 0) {
            return path.data + i - len;
        }
    }

    return NULL;
}
