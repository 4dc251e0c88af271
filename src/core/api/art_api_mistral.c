
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Mistral: docs.mistral.ai/api and docs.mistral.ai/capabilities (vision, audio,
 * document_ai), as its SDKs have it.  Its paths are those of Chat Completions.
 */


#include "core/api/art_api.h"
#include "core/api/art_api_rows.h"


/* Of a request: capabilities/vision, "FAQ". */

#define MISTRAL_IMAGES  8


static const art_format_t  art_mistral_format = {
    .name = "mistral",
    .name_rule = { 0, ART_FILENAME_EXTENSION },
    .text = TEXT_PART,
    .parts = {
        [ART_KIND_IMAGE] =
          { "{\"type\":\"image_url\",\"image_url\":" URL_VALUE "}",
            WEB_IMAGES ASKED_SVG, MB(10), 0 },
        [ART_KIND_AUDIO] =
          { "{\"type\":\"input_audio\",\"input_audio\":\"%B\"}",
            "audio/mpeg audio/wav audio/flac audio/mp4 audio/ogg", 0, 0 },
        [ART_KIND_DOCUMENT] =
          { "{\"type\":\"document_url\",\"document_url\":" URL_VALUE
            ",\"document_name\":\"%n\"}", "application/pdf", MB(50), 0 }
    },
    .urls = {

        /*
         * capabilities/vision, "Passing an image URL", and its FAQ;
         * capabilities/document_ai, "Document QnA"
         */

        [ART_KIND_IMAGE] =
          { "{\"type\":\"image_url\",\"image_url\":" LINK_VALUE "}",
            WEB_IMAGES, MB(10), 0 },
        [ART_KIND_DOCUMENT] =
          { "{\"type\":\"document_url\",\"document_url\":" LINK_VALUE
            ",\"document_name\":\"%n\"}", "application/pdf", MB(50), 0 }
    },
    .message = USER_MESSAGE("content", CHAT_TEXT)
};


static const art_message_rule_t  art_mistral_rules[] = {
    CHAT_RULES,
    PART_RULES,
    BOTH(PART, "image_url", URL, URL),
    NOTE(PART, "document_url", URL),
    NOTE(PART, "document_name", NAME),
    NOTE(PART, "input_audio", DATA),
    NOTE(PART, "file_id", FILE),
    NOTE(URL, "url", URL),
    RESOURCE_RULES,
    END
};


static const art_message_form_t  art_mistral_forms[] = {
    NEUTRAL_FORM,
    TEXT_FORM,
    LINK_FORM(IMAGE_URL, URL, PICTURES, NULL),
    LINK_FORM(DOCUMENT_URL, URL, DOCUMENTS, NULL),
    VALUE_FORM(INPUT_AUDIO, DATA, AUDIOS, B64_VALUE),
    VALUE_FORM(FILE, FILE, DOCUMENTS, NULL),
    BLOCK_FORMS,
    END_FORM
};


const art_api_t  art_api_mistral = {
    .name = "mistral",
    .formats = { &art_mistral_format },
    .request = {
        .rules = art_mistral_rules,
        .forms = art_mistral_forms,
        .text = EVERY_ROLE(CHAT_TEXT),
        .media = { [ART_ROLE_USER] = ALL, [ART_ROLE_TOOL] = ALL },
        .counts = { { PICTURES, MISTRAL_IMAGES, 0 } }
    },
    .system = CHAT_SYSTEM,
    .results = art_chat_results,
    .text = CHAT_ANSWER,
    .base64 = CHAT_BASE64
};
