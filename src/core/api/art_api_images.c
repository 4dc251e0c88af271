
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * OpenAI's Images, whose answers have base64, and whose edits may be asked for
 * in JSON: platform.openai.com/docs/api-reference/images, as its SDKs have it.
 */


#include "core/api/art_api.h"
#include "core/api/art_api_rows.h"


/*
 * What is edited (images/createEdit, "images": png, webp or jpg below 50 MB;
 * "image_url" is "a fully qualified URL or base64-encoded data URL").  Others
 * take strings, or an object with "url", as "image" (docs.x.ai, image editing).
 */

#define EDITED_IMAGES  "image/png image/jpeg image/webp"

static const art_format_t  art_images_format = {
    .name = "images",
    .text = TEXT_PART,
    .parts = {
        [ART_KIND_IMAGE] =
          { "{\"image_url\":" URL_VALUE "}", EDITED_IMAGES, MB(50), 0 }
    },
    .urls = {
        [ART_KIND_IMAGE] =
          { "{\"image_url\":" LINK_VALUE "}", EDITED_IMAGES, MB(50), 0 }
    },
    .message = USER_MESSAGE("content", CHAT_TEXT)
};


#define SOLE_PICTURE(key)                                                     \
    { { key, ART_NODE_ROOT, ART_NODE_PICTURE, ART_NODE_EDITED,                \
        ART_FIELD_SOLE },                                                     \
      ART_TYPE_PICTURE, ART_SEARCH_NONE }

static const art_message_rule_t  art_images_rules[] = {
    NOTE(ROOT, "model", MODEL),
    SOLE_PICTURE("images"),
    SOLE_PICTURE("image"),
    SOLE_PICTURE("mask"),
    MAKE(EDITED, NULL, PICTURE, SOLE, PICTURE),
    PICTURE_RULES,
    END
};


static const art_message_form_t  art_images_forms[] = {
    PICTURE_FORMS,
    END_FORM
};


static const art_message_form_t  art_images_sole =
    LINK_FORM(PICTURE, SOLE, PICTURES, NULL);


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
        { "/images/generations", NULL, ART_PATH_NAME },
        { "/images/edits", NULL, ART_PATH_SILENT },
        { "/images/variations", NULL, ART_PATH_NAME }
    },
    .models = { { "/deployments/", "/" } },
    .request = {
        .rules = art_images_rules,
        .forms = art_images_forms,
        .text = EVERY_ROLE(CHAT_TEXT),
        .sole = &art_images_sole,
        .format = &art_images_format
    },
    .base64 = { .stream = art_images_stream, .json = art_images_json }
};
