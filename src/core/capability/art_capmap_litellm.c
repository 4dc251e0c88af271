
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * LiteLLM's model_prices_and_context_window.json: id -> model.
 */


#include "core/capability/art_capmap_int.h"


static int art_capmap_litellm_model(art_capmap_reader_t *reader,
    const char *id, const json_t *model);
static void art_capmap_litellm_modalities(const json_t *model,
    art_capmap_draft_t *draft);
static int art_capmap_is_litellm(const json_t *model);


/*
 * LiteLLM: docs.litellm.ai, "Add Model Pricing & Context Window", sample_spec;
 * an absent flag means false.
 */

static const art_capmap_flag_t  art_capmap_litellm_flags[] = {
    { "supports_vision", 0, art_string("vision") },
    { "supports_image_input", 0, art_string("vision") },
    { "supports_audio_input", 0, art_string("audio") },
    { "supports_video_input", 0, art_string("video") },
    { "supports_pdf_input", 0, art_string("pdf") },
    { "supports_audio_output", 1, art_string("audio") },
    { "supports_function_calling", 1, art_string("tool_calling") },
    { "supports_response_schema", 1, art_string("structured_output") },
    { "supports_native_structured_output", 1,
      art_string("structured_output") },
    { "supports_reasoning", 1, art_string("reasoning") },
    { NULL, 0, art_null_string }
};


/* Members of LiteLLM's map that are not models. */

static const char *const  art_capmap_litellm_notes[] = {
    "sample_spec", "fallback_generalizations", NULL
};


/* Models of other modes do not take messages. */

static const char *const  art_capmap_litellm_modes[] = {
    "chat", "completion", "responses", NULL
};


int
art_capmap_litellm_match(json_t *root)
{
    return art_capmap_has_member(root, art_capmap_is_litellm);
}


int
art_capmap_litellm_read(art_capmap_reader_t *reader, json_t *root)
{
    json_t      *model;
    const char  *id;

    json_object_foreach(root, id, model) {
        if (art_capmap_litellm_model(reader, id, model) != ART_OK) {
            return ART_ERROR;
        }
    }

    return ART_OK;
}


static int
art_capmap_litellm_model(art_capmap_reader_t *reader, const char *id,
    const json_t *model)
{
    size_t               i;
    json_t              *mode;
    unsigned             flags;
    const char          *name;
    art_capmap_draft_t   draft;

    for (i = 0; art_capmap_litellm_notes[i] != NULL; i++) {
        if (strcmp(id, art_capmap_litellm_notes[i]) == 0) {
            return ART_OK;
        }
    }

    mode = json_object_get(model, "mode");

    if (!json_is_object(model) || (mode != NULL && !json_is_string(mode))) {
        art_capmap_warn(reader, "service", art_cstr(id),
                        json_is_object(model)
                        ? " has a \"mode\" that is not a string, skipped"
                        : " is not an object, skipped");
        return ART_OK;
    }

    art_capmap_draft(&draft, art_cstr(id));

    art_capmap_litellm_modalities(model, &draft);
    flags = art_capmap_read_flags(model, art_capmap_litellm_flags, &draft);

    /* entries with neither mode nor flags are classes of prices */

    name = mode ? json_string_value(mode) : flags ? "chat" : "";

    for (i = 0; art_capmap_litellm_modes[i] != NULL; i++) {
        if (strcmp(name, art_capmap_litellm_modes[i]) == 0) {
            return art_capmap_keep(reader, &draft);
        }
    }

    return ART_OK;
}


static void
art_capmap_litellm_modalities(const json_t *model, art_capmap_draft_t *draft)
{
    const json_t  *array;

    array = json_object_get(model, "supported_output_modalities");

    if (array != NULL && !json_is_null(array)) {
        draft->output.n = 0;
        art_capmap_read_names(array, "supported_output_modalities", 1,
                              &draft->output, draft->fault);
    }

    array = json_object_get(model, "supported_modalities");

    if (array != NULL && !json_is_null(array) && draft->fault[0] == '\0') {
        draft->blank = 0;
        art_capmap_read_names(array, "supported_modalities", 1, &draft->input,
                              draft->fault);
    }
}


static int
art_capmap_is_litellm(const json_t *model)
{
    return json_is_string(json_object_get(model, "litellm_provider"))
           || json_is_string(json_object_get(model, "mode"));
}
