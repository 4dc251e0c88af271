
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * OpenRouter: openrouter.ai/docs (features/multimodal, image generation), as
 * its SDKs have it.  Its paths are those of Chat Completions.
 */


#include "core/api/art_api.h"
#include "core/api/art_api_rows.h"


/* "PDFs": its parser extracts their text for models that take no files. */

static const art_format_t  art_openrouter_format = {
    .name = "openrouter",
    .name_rule = { 0, ART_FILENAME_EXTENSION },
    .text = TEXT_PART,
    .parts = {
        [ART_KIND_IMAGE] =
          { IMAGE_PART, WEB_IMAGES ASKED_SVG, MB(512), ART_PART_ENCODED },
        [ART_KIND_AUDIO] =
          { CHAT_AUDIO,
            "audio/wav=wav audio/mpeg=mp3 audio/flac=flac audio/mp4=m4a "
            "audio/ogg=ogg audio/aiff=aiff audio/aac=aac", 0, 0 },
        [ART_KIND_VIDEO] =
          { URL_PART("video_url"),
            "video/mp4 video/mpeg video/quicktime=video/mov video/webm",
            0, 0 },
        [ART_KIND_DOCUMENT] =
          { CHAT_FILE, "application/pdf", MB(50), ART_PART_ANYONE }
    },
    .urls = {

        /*
         * features/multimodal, images and pdfs.  Of videos, "URL support varies
         * by provider" (videos); of audio it takes base64 only (audio).
         */

        [ART_KIND_IMAGE] = { IMAGE_LINK, WEB_IMAGES, 0, 0 },
        [ART_KIND_DOCUMENT] = { CHAT_LINK, "application/pdf", MB(50), 0 }
    },
    .message = USER_MESSAGE("content", CHAT_TEXT)
};


static const art_message_rule_t  art_openrouter_rules[] = {
    CHAT_RULES,
    INTO(MESSAGE, "images", IMAGES),
    EACH(IMAGES, PART),
    CHAT_PARTS,
    END
};


const art_api_t  art_api_openrouter = {
    .name = "openrouter",
    .flags = ART_API_HOIST,
    .formats = { &art_openrouter_format },
    .request = {
        .rules = art_openrouter_rules,
        .forms = art_chat_forms,
        .text = EVERY_ROLE(CHAT_TEXT),
        .media = { [ART_ROLE_USER] = ALL }
    },
    .system = CHAT_SYSTEM,
    .results = art_chat_results,
    .text = CHAT_ANSWER,
    .base64 = CHAT_BASE64
};
