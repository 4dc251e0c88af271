
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * OpenRouter's list of models (/api/v1/models): {"data":[..]}.
 */


#include <stdio.h>

#include "core/capability/art_capmap_int.h"


static int art_capmap_openrouter_model(art_capmap_reader_t *reader,
    const json_t *model, size_t i);
static void art_capmap_openrouter_output(const json_t *parameters,
    art_capmap_draft_t *draft);


/* OpenRouter: openrouter.ai/docs, "Models", "Supported Parameters". */

static const struct {
    art_str_t  parameter;
    art_str_t  name;
} art_capmap_openrouter_parameters[] = {
    { art_string("tools"), art_string("tool_calling") },
    { art_string("structured_outputs"), art_string("structured_output") },
    { art_string("reasoning"), art_string("reasoning") }
};


int
art_capmap_openrouter_match(json_t *root)
{
    return json_is_array(json_object_get(root, "data"));
}


int
art_capmap_openrouter_read(art_capmap_reader_t *reader, json_t *root)
{
    return art_capmap_each(reader, json_object_get(root, "data"),
                           art_capmap_openrouter_model);
}


static int
art_capmap_openrouter_model(art_capmap_reader_t *reader, const json_t *model,
    size_t i)
{
    art_str_t            id;
    art_capmap_draft_t   draft;

    static const char *const  keys[2] = { "input_modalities",
                                          "output_modalities" };

    id = art_capmap_string(model, "id");

    if (id.len == 0) {
        art_capmap_warn_at(reader, "data", i, json_is_object(model)
                           ? "has no non-empty string \"id\", skipped"
                           : "is not an object, skipped");
        return ART_OK;
    }

    art_capmap_draft(&draft, id);

    draft.model = art_capmap_read_string(reader, model, "canonical_slug",
                                         &draft);
    draft.name = art_capmap_read_string(reader, model, "name", &draft);
    draft.description = art_capmap_read_string(reader, model, "description",
                                               &draft);

    art_capmap_read_caps(json_object_get(model, "architecture"),
                         "architecture", keys, 1, &draft);
    art_capmap_openrouter_output(json_object_get(model,
                                                 "supported_parameters"),
                                 &draft);

    return art_capmap_keep(reader, &draft);
}


static void
art_capmap_openrouter_output(const json_t *parameters,
    art_capmap_draft_t *draft)
{
    size_t         i, j;
    art_str_t      name;
    const json_t  *value;

    if (parameters == NULL || json_is_null(parameters)
        || draft->fault[0] != '\0')
    {
        return;
    }

    if (!json_is_array(parameters)) {
        snprintf(draft->fault, ART_CAPMAP_FAULT,
                 ": \"supported_parameters\" is not an array");
        return;
    }

    for (i = 0; i < json_array_size(parameters); i++) {
        value = json_array_get(parameters, i);
        name = art_str(json_string_value(value), json_string_length(value));

        for (j = 0; j < art_nitems(art_capmap_openrouter_parameters); j++) {
            if (art_str_eq(art_capmap_openrouter_parameters[j].parameter,
                           name)
                && !art_capmap_add_name(&draft->output,
                                    art_capmap_openrouter_parameters[j].name))
            {
                snprintf(draft->fault, ART_CAPMAP_FAULT,
                         ": more than %d capabilities", ART_CAPMAP_NAMES);
            }
        }
    }
}
