
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The routing decision: what a format takes, and how a content of some kind is
 * sent to a reader with some capabilities.
 */


#ifndef ART_ROUTE_H_INCLUDED_
#define ART_ROUTE_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/media/art_ends.h"
#include "core/media/art_media.h"
#include "core/api/art_api_format.h"


typedef enum {
    ART_ROUTING_RAW = 0,
    ART_ROUTING_TEXT,
    ART_ROUTING_IMAGE_URL,
    ART_ROUTING_FILE
} art_routing_t;


typedef enum {
    ART_REASON_NONE = 0,
    ART_REASON_CAPABILITY,       /* the reader cannot take this kind */
    ART_REASON_TYPE,             /* the format or service does not take it */
    ART_REASON_SIZE,             /* above a limit */
    ART_REASON_SERVICE,          /* no map knows the reader, who needs more */
    ART_REASON_PIXELS,           /* an image has a side above a limit */
    ART_REASON_READ,             /* the content could not be read */
    ART_REASON_CONVERSION        /* another form failed: never a decision's */
} art_reason_t;


typedef struct {
    const art_format_t  *format;
    const art_format_t  *model;         /* see art_route_decide(), or NULL */
    art_kind_t           kind;
    art_str_t            mime;
    unsigned             caps;          /* ART_CAP_* that the reader has */
    const art_str_t     *accepts;       /* the service's ranges */
    unsigned             naccepts;      /* 0: all media types */
    uint64_t             service_max;   /* bytes; 0: no limit */
    uint64_t             inline_max;    /* the same */
    uint64_t             size;          /* bytes */
    uint64_t             max_side;      /* pixels; 0: no limit */
    uint32_t             width;         /* pixels; 0: unknown */
    uint32_t             height;
    art_end_t            end;           /* of the content */
    unsigned             size_known:1;
    unsigned             empty:1;       /* the content is empty */
    unsigned             blank:1;       /* it has only white space */
    unsigned             unproved:1;    /* it lacks its type's signature */
    unsigned             failed:1;      /* reading failed at the first byte */
    unsigned             unknown:1;     /* the reader: "caps" are a guess */
    unsigned             has_url:1;     /* the provider may fetch it */
} art_question_t;


/*
 * "kind" is that of the answer: text for an image that is sent as text.  "max"
 * is the limit in bytes, for a content of unknown size; 0: no limit.
 * "described": a description is sent instead of the content.  Any one of
 * "needs" (ART_CAP_*) would have sufficed, and "requires" names the first; both
 * are only set with ART_REASON_CAPABILITY and ART_REASON_SERVICE.  "by_url":
 * the content's URL is sent, and nothing of the content.
 */

typedef struct {
    art_kind_t     kind;
    art_routing_t  routing;
    art_reason_t   reason;
    uint64_t       max;
    unsigned       described;
    unsigned       by_url;
    unsigned       needs;
    const char    *requires;
} art_decision_t;


/*
 * The reasons, in order: reading failed; the reader lacks the capability, or
 * may lack it, since it is unknown; the format or the service does not take the
 * media type; the smallest of the limits of format, service and "inline_max" is
 * exceeded; an image has a side that is longer than the format's limit or
 * "max_side"; it is cut, or needs a password and the provider refuses that.
 *
 * If the type or a limit excludes a content that can be read as text (SVG), it
 * is sent as text with that reason; the type is checked even before the
 * capability.  Any other excluded content is described.
 *
 * A content that "has_url" is sent by it, if the format has a part for that,
 * which takes the type, and neither that part's limit nor the service's is
 * exceeded; inline_max is not asked.  A size that is not known exceeds no
 * limit: whoever fetches the content will tell.  Otherwise it is sent as any
 * other.
 *
 * Of a format that a client passes on to a model (ART_FORMAT_RELAYED), "model"
 * is the one of the model's API: its row decides about images and sound, their
 * types, sizes and sides.  Without it the format's own row does, which has what
 * all APIs take.
 *
 * A provider's format does not take empty media, because providers refuse
 * requests with them, whoever passes them on.  Where they refuse blank texts as
 * well, such a text is "described" without a reason: a line names it.  Nor does
 * it take a content that lacks the signature of its type, or one that lacks its
 * end.  A format for programs takes everything within "inline_max"; pixels do
 * not matter to it.
 */

void art_route_decide(const art_question_t *question, art_decision_t *out);


/* The names in answers; NULL for ART_REASON_NONE. */

const char *art_routing_name(art_routing_t routing);
const char *art_reason_name(art_reason_t reason);


/* "text", "image" or "binary". */

const char *art_content_type_name(art_kind_t kind);


/*
 * Whether a part takes a canonical media type; "named": the service's "accepts"
 * names exactly this type.
 */

int art_part_takes(const art_part_t *part, art_str_t mime, unsigned named);


/* The provider's name of a media type, or the media type itself. */

art_str_t art_part_type_name(const art_part_t *part, art_str_t mime);


#endif /* ART_ROUTE_H_INCLUDED_ */
