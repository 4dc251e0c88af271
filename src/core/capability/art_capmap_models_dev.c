
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * models.dev's api.json: provider -> models -> model.
 */


#include <stdio.h>

#include "core/capability/art_capmap_int.h"


static int art_capmap_models_dev_model(art_capmap_reader_t *reader,
    const char *provider, const char *key, const json_t *model);
static int art_capmap_is_models_dev(const json_t *provider);


/*
 * models.dev: the README of anomalyco/models.dev; "attachment" is about the
 * user interface and is ignored here.
 */

static const art_capmap_flag_t  art_capmap_models_dev_flags[] = {
    { "tool_call", 1, art_string("tool_calling") },
    { "structured_output", 1, art_string("structured_output") },
    { "reasoning", 1, art_string("reasoning") },
    { NULL, 0, art_null_string }
};


int
art_capmap_models_dev_match(json_t *root)
{
    return art_capmap_has_member(root, art_capmap_is_models_dev);
}


int
art_capmap_models_dev_read(art_capmap_reader_t *reader, json_t *root)
{
    json_t      *provider, *models, *model;
    const char  *id, *key;

    json_object_foreach(root, id, provider) {
        models = json_object_get(provider, "models");

        if (!json_is_object(models)) {
            art_capmap_warn(reader, "provider", art_cstr(id),
                            " has no object \"models\", skipped");
            continue;
        }

        json_object_foreach(models, key, model) {
            if (art_capmap_models_dev_model(reader, id, key, model)
                != ART_OK)
            {
                return ART_ERROR;
            }
        }
    }

    return ART_OK;
}


/* Each provider has its own name for a model, so the id consists of both. */

static int
art_capmap_models_dev_model(art_capmap_reader_t *reader, const char *provider,
    const char *key, const json_t *model)
{
    char                 id[ART_CAPMAP_ID_MAX + 2];
    int                  len;
    art_capmap_draft_t   draft;

    static const char *const  keys[2] = { "input", "output" };

    len = snprintf(id, sizeof(id), "%s/%s", provider, key);

    if (!json_is_object(model) || len < 0 || (size_t) len >= sizeof(id)) {
        art_capmap_warn(reader, "service", art_cstr(id),
                        json_is_object(model)
                        ? " has an id of more than 1024 bytes, skipped"
                        : " is not an object, skipped");
        return ART_OK;
    }

    art_capmap_draft(&draft, art_str(id, (size_t) len));

    draft.model = art_cstr(key);
    draft.name = art_capmap_read_string(reader, model, "name", &draft);

    art_capmap_read_caps(json_object_get(model, "modalities"), "modalities",
                         keys, 1, &draft);
    (void) art_capmap_read_flags(model, art_capmap_models_dev_flags, &draft);

    return art_capmap_keep(reader, &draft);
}


static int
art_capmap_is_models_dev(const json_t *provider)
{
    return json_is_object(json_object_get(provider, "models"));
}
