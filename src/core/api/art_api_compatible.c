
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What OpenAI-compatible servers take: Chat Completions without files, plus
 * what they add (docs.vllm.ai, "Multimodal Inputs", "Online Serving":
 * ChatCompletionContentPartAudioParam, ..VideoParam of vllm 0.11).
 */


#include "core/api/art_api.h"
#include "core/api/art_api_rows.h"


static const art_format_t  art_compatible_format = {
    .name = "openai_compatible",
    .name_rule = { 0, ART_FILENAME_EXTENSION },
    .text = TEXT_PART,
    .parts = {
        [ART_KIND_IMAGE] = { IMAGE_PART, WEB_IMAGES ASKED_SVG, 0, 0 },
        [ART_KIND_AUDIO] =
          { URL_PART("audio_url"),
            "audio/wav audio/mpeg audio/flac audio/ogg ?audio/mp4 ?audio/aac "
            "?audio/aiff ?audio/webm", 0, 0 },
        [ART_KIND_VIDEO] =
          { URL_PART("video_url"),
            "video/mp4 video/webm video/quicktime video/x-msvideo "
            "video/x-matroska video/mpeg", 0, 0 },
        [ART_KIND_DOCUMENT] = { CHAT_FILE, "?application/pdf", 0, 0 }
    },
    .message = USER_MESSAGE("content", CHAT_TEXT)
};


const art_api_t  art_api_compatible = {
    .name = "openai_compatible",
    .formats = { &art_compatible_format }
};
