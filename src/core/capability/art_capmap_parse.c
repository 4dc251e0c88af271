
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Documents: from a text to the reader of its source.
 */


#include <stdlib.h>

#include "core/capability/art_capmap_int.h"


static json_t *art_capmap_load(art_str_t text, art_capmap_error_t *err);


/* The first that matches counts. */

static const art_capmap_source_t  art_capmap_sources[] = {
    { art_capmap_own_match, art_capmap_own_read, 1 },
    { art_capmap_openrouter_match, art_capmap_openrouter_read, 0 },
    { art_capmap_models_dev_match, art_capmap_models_dev_read, 0 },
    { art_capmap_litellm_match, art_capmap_litellm_read, 0 },
    { NULL, NULL, 0 }
};


int
art_capmap_read(art_capmap_reader_t *reader, art_str_t json,
    art_capmap_error_t *err)
{
    int                         rc;
    json_t                     *root;
    const art_capmap_source_t  *source;

    root = art_capmap_load(json, err);
    if (root == NULL) {
        return ART_ERROR;
    }

    for (source = art_capmap_sources; source->match; source++) {
        if (source->match(root)) {
            break;
        }
    }

    if (source->match == NULL) {
        json_decref(root);
        art_capmap_fail(err, 1, 1, "no capability map: neither an object with "
                        "an array \"services\", nor a model list of "
                        "OpenRouter, models.dev or LiteLLM");
        return ART_ERROR;
    }

    reader->own = source->own;

    rc = source->read(reader, root);

    json_decref(root);

    if (rc != ART_OK) {
        art_capmap_fail(err, 1, 1, "out of memory");
    }

    return rc;
}


void
art_capmap_reader_free(art_capmap_reader_t *reader)
{
    free(reader->list.entries);
    free(reader->agents.agents);
}


static json_t *
art_capmap_load(art_str_t text, art_capmap_error_t *err)
{
    char          *near;
    json_t        *root;
    json_error_t   error;

    /* integers are read as reals, so that none is too big */

    root = json_loadb(text.len ? (const char *) text.data : "", text.len,
                      JSON_REJECT_DUPLICATES|JSON_ALLOW_NUL
                      |JSON_DECODE_INT_AS_REAL, &error);

    if (root == NULL) {

        /* the parser quotes the document, possibly an API key */

        near = strstr(error.text, " near '");
        if (near != NULL) {
            *near = '\0';
        }

        art_capmap_fail(err, error.line, error.column,
                        error.text[0] ? error.text : "out of memory");
    }

    return root;
}
