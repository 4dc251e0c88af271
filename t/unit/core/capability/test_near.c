
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Names that look like known ones, and names that do not.
 */


#include "core/capability/art_near.h"
#include "tap.h"


/* Shows the name that was found as text, "-" for none. */

static void
is_name(art_str_t got, const char *want, const char *name)
{
    char  text[64];

    snprintf(text, sizeof(text), "%.*s",
             got.data ? (int) got.len : 1,
             got.data ? (const char *) got.data : "-");

    is_str(text, want, name);
}


static void
check_capabilities(void)
{
    size_t  i;

    static const struct {
        const char  *name;
        const char  *meant;
    } cases[] = {
        { "", "-" },
        { "text", "-" },
        { "vision", "-" },
        { "pdf", "-" },
        { "tool_calling", "-" },
        { "structured_output", "-" },
        { "reasoning", "-" },
        { "embedding", "-" },
        { "code", "-" },
        { "speech", "-" },
        { "live", "-" },
        { "rdf", "-" },
        { "gif", "-" },
        { "dot", "-" },
        { "radiology", "-" },
        { "a name that is much longer than any capability's", "-" },
        { "Vision", "vision" },
        { "VISION", "vision" },
        { " vision", "vision" },
        { "visoin", "vision" },
        { "vison", "vision" },
        { "visionn", "vision" },
        { "viion", "vision" },
        { "vsioin", "vision" },
        { "tekst", "text" },
        { "txet", "text" },
        { "texts", "text" },
        { "fiel", "file" },
        { "files", "file" },
        { "PDF", "pdf" },
        { "pfd", "pdf" },
        { "pdfs", "pdf" },
        { "auido", "audio" },
        { "adio", "audio" },
        { "vidoe", "video" },
        { "vedeo", "video" },
        { "vidio", "video" },
        { "image", "vision" },
        { "Images", "vision" },
        { "imgae", "vision" },
        { "image_url", "vision" },
        { "pictures", "vision" },
        { "\xe5\x9b\xbe\xe7\x89\x87", "vision" },
        { "documents", "file" },
        { "docs", "file" },
        { "sounds", "audio" },
        { "image/png", "vision" },
        { "IMAGE/*", "vision" },
        { "application/pdf", "pdf" },
        { "application/zip", "file" },
        { "model/gltf", "-" },
        { "vi\x01sion", "vision" },

        /* other words */

        { "input_image", "vision" },
        { "img", "vision" },
        { "photo", "vision" },
        { "visual", "vision" },
        { "视觉", "vision" },
        { "图像", "vision" },
        { "input_audio", "audio" },
        { "in put-aud.io", "audio" },
        { "音频", "audio" },
        { "input_video", "video" },
        { "movie", "video" },
        { "video_url", "video" },
        { "视频", "video" },
        { "attachment", "file" },
        { "doc", "file" },
        { "input_file", "file" },
        { "文件", "file" },
        { "input_text", "text" },
        { "txt", "text" },
        { "文本", "text" },
        { "audio/wav", "audio" },
        { "video/mp4", "video" },
        { "text/plain", "text" },

        /* what is just so like one, and what is not */

        { "visionen", "vision" },
        { "visionary", "-" },
        { "task", "-" },
        { "dogs", "-" },
        { "pdfxy", "-" },
        { "图版", "-" },
        { "--------------------------vision", "vision" },
        { "---------------------------vision", "-" }
    };

    for (i = 0; i < nitems(cases); i++) {
        is_name(art_near_capability(art_cstr(cases[i].name)), cases[i].meant,
                cases[i].name);
    }
}


static void
check_members(void)
{
    size_t  i;

    static const art_str_t  known[] = {
        art_string("id"), art_string("model"), art_string("capabilities"),
        art_string("capabilityTags"), art_string("maxBytes"),
        art_string("abcdefghijklmnopqrstuvwxyzABCDEF")
    };

    static const struct {
        const char  *name;
        const char  *meant;
    } cases[] = {
        { "", "-" },
        { "id", "-" },
        { "ids", "-" },
        { "ID", "id" },
        { "model", "-" },
        { "mode", "-" },
        { "modle", "model" },
        { "node", "-" },
        { "modality", "-" },
        { "minBytes", "-" },
        { "max_bytes", "maxBytes" },
        { "maxByte", "maxBytes" },
        { "capabilites", "capabilities" },
        { "capability", "-" },
        { "Capabilities", "capabilities" },
        { "capability_tags", "capabilityTags" },
        { "provider", "-" },
        { "abcdefghijklmnopqrstuvwxyzABCDE",
          "abcdefghijklmnopqrstuvwxyzABCDEF" },
        { "abcdefghijklmnopqrstuvwxyzABCDEFG", "-" }
    };

    for (i = 0; i < nitems(cases); i++) {
        is_name(art_near_member(art_cstr(cases[i].name), known,
                                nitems(known)),
                cases[i].meant, cases[i].name);
    }
}


int
main(void)
{
    check_capabilities();
    check_members();

    return done();
}
