
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * OpenAI's Images, whose answers have base64:
 * platform.openai.com/docs/api-reference/images, as its SDKs have it.
 */


#include "core/api/art_api.h"
#include "core/api/art_api_rows.h"


#define IMAGE_URL  "\"url\":%u"

static const art_offload_rule_t  art_images_json[] = {
    BASE64_LIST(ROOT, "data", LIST),
    BASE64_EACH(LIST, ITEM),
    BASE64_DATA(ITEM, "b64_json", IMAGE_URL),
    BASE64_END
};


/* Only complete images; partial ones before them are passed. */

static const char *const  art_images_complete[] = {
    "image_generation.completed", "image_edit.completed", NULL
};

static const art_offload_rule_t  art_images_stream[] = {
    BASE64_NOTE(ROOT, "type", KIND),
    BASE64_RULE(ROOT, "b64_json", NO_NODE, NO_NODE, DATA, IMAGE_URL,
                art_images_complete),
    BASE64_END
};


const art_api_t  art_api_images = {
    .name = "images",
    .flags = ART_API_BY_PATH|ART_API_NAMES,
    .paths = {
        { "/images/generations", NULL, 0 },
        { "/images/edits", NULL, 0 },
        { "/images/variations", NULL, 0 }
    },
    .base64 = { .stream = art_images_stream, .json = art_images_json }
};
