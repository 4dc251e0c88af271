
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The routing table of the contract, and what every decision has to be; for the
 * tests of art_route.
 */


#ifndef ART_ROUTE_ROWS_H_INCLUDED_
#define ART_ROUTE_ROWS_H_INCLUDED_


#include "core/capability/art_capability.h"
#include "core/format/art_route.h"


/* The bits of every capability that there is a bit for. */

#define ALL_CAPS  0x3f


/* The table of the contract: what a kind needs any of, and its routing. */

static const struct {
    const char      *name;
    art_kind_t       kind;
    const char      *mime;
    unsigned         needs;
    art_routing_t    routing;
    const char      *requires;
    const char      *content_type;
} rows[] = {
    { "text", ART_KIND_TEXT, "text/plain", 0, ART_ROUTING_TEXT, NULL,
      "text" },
    { "image", ART_KIND_IMAGE, "image/png", ART_CAP_VISION,
      ART_ROUTING_IMAGE_URL, "vision", "image" },
    { "audio", ART_KIND_AUDIO, "audio/mpeg", ART_CAP_AUDIO | ART_CAP_FILE,
      ART_ROUTING_FILE, "audio", "binary" },
    { "video", ART_KIND_VIDEO, "video/mp4", ART_CAP_VIDEO | ART_CAP_FILE,
      ART_ROUTING_FILE, "video", "binary" },
    { "document", ART_KIND_DOCUMENT, "application/msword", ART_CAP_FILE,
      ART_ROUTING_FILE, "file", "binary" },
    { "PDF", ART_KIND_DOCUMENT, "application/pdf",
      ART_CAP_FILE | ART_CAP_PDF, ART_ROUTING_FILE, "file", "binary" },
    { "other", ART_KIND_OTHER, "application/zip", ART_CAP_FILE,
      ART_ROUTING_FILE, "file", "binary" },
    { "other without a type", ART_KIND_OTHER, "", ART_CAP_FILE,
      ART_ROUTING_FILE, "file", "binary" }
};


/* Whether a decision is one of those that exist, whole and consistent. */

static inline int
consistent(const art_decision_t *d)
{
    if (d->reason != ART_REASON_CAPABILITY
        && (d->needs != 0 || d->requires != NULL))
    {
        return 0;
    }

    if (d->described) {
        return d->routing == ART_ROUTING_TEXT && d->reason != ART_REASON_NONE;
    }

    return d->reason == ART_REASON_NONE;
}


static inline int
is_described(const art_decision_t *d, art_reason_t reason)
{
    return consistent(d) && d->described && d->reason == reason;
}


#endif /* ART_ROUTE_ROWS_H_INCLUDED_ */
