
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "art_route.h"
#include "art_capmap.h"


/* One row per kind: what its reader needs, and where it then goes. */

static const struct {
    unsigned        needs;       /* any of these */
    const char     *requires;
    art_routing_t   routing;
    const char     *content_type;
} art_route_table[ART_KIND_MAX] = {
    { 0, NULL, ART_ROUTING_TEXT, "text" },
    { ART_CAP_VISION, "vision", ART_ROUTING_IMAGE_URL, "image" },
    { ART_CAP_AUDIO | ART_CAP_FILE, "audio", ART_ROUTING_FILE, "binary" },
    { ART_CAP_VIDEO | ART_CAP_FILE, "video", ART_ROUTING_FILE, "binary" },
    { ART_CAP_FILE, "file", ART_ROUTING_FILE, "binary" },
    { ART_CAP_FILE, "file", ART_ROUTING_FILE, "binary" }
};


/* Single media types that a capability of their own covers, too. */

static const struct {
    const char  *mime;
    unsigned     needs;
} art_route_extras[] = {
    { "application/pdf", ART_CAP_PDF }
};


static const char  *art_routing_names[] = {
    "raw", "text", "image_url", "file"
};

static const char  *art_reason_names[] = {
    NULL, "capability", "size", "read"
};


void
art_route_decide(const art_question_t *question, art_decision_t *out)
{
    size_t    i;
    unsigned  needs;

    memset(out, 0, sizeof(*out));

    out->routing = ART_ROUTING_TEXT;

    if (question->failed) {
        out->described = 1;
        out->reason = ART_REASON_READ;
        return;
    }

    if (question->kind == ART_KIND_TEXT) {
        return;
    }

    needs = art_route_table[question->kind].needs;

    for (i = 0; i < sizeof(art_route_extras) / sizeof(art_route_extras[0]);
         i++)
    {
        if (art_str_eq(question->mime, art_cstr(art_route_extras[i].mime))) {
            needs |= art_route_extras[i].needs;
        }
    }

    if (!(question->caps & needs)) {
        out->described = 1;
        out->reason = ART_REASON_CAPABILITY;
        out->needs = needs;
        out->requires = art_route_table[question->kind].requires;
        return;
    }

    if (question->inline_max != 0 && question->size_known
        && question->size > question->inline_max)
    {
        out->described = 1;
        out->reason = ART_REASON_SIZE;
        return;
    }

    out->routing = art_route_table[question->kind].routing;
}


const char *
art_routing_name(art_routing_t routing)
{
    return art_routing_names[routing];
}


const char *
art_reason_name(art_reason_t reason)
{
    return art_reason_names[reason];
}


const char *
art_content_type_name(art_kind_t kind)
{
    return art_route_table[kind].content_type;
}
