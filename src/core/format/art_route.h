
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The routing decision: what a reader with given capabilities gets of a
 * content of a given kind.
 */


#ifndef ART_ROUTE_H_INCLUDED_
#define ART_ROUTE_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/media/art_media.h"
#include "core/format/art_format_table.h"


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
    ART_REASON_SIZE,             /* longer than may be inlined */
    ART_REASON_READ              /* the content could not be read */
} art_reason_t;


typedef struct {
    const art_format_t  *format;
    art_kind_t           kind;
    art_str_t            mime;
    unsigned             caps;          /* ART_CAP_* of the reader's input */
    const art_str_t     *accepts;       /* of the service: ranges */
    unsigned             naccepts;      /* 0: all media types */
    uint64_t             service_max;   /* bytes; 0: no limit */
    uint64_t             inline_max;    /* likewise */
    uint64_t             size;          /* bytes */
    unsigned             size_known:1;
    unsigned             empty:1;       /* the content has no bytes */
    unsigned             blank:1;       /* nothing but white space */
    unsigned             unproved:1;    /* it lacks its type's signature */
    unsigned             failed:1;      /* reading failed at the first byte */
} art_question_t;


/*
 * "kind" is that of the answer: text for an image that is read as text.  "max"
 * is what the content may have in bytes, for one of unknown size; 0: no limit.
 * "described" tells that the content itself is not sent: a description stands
 * for it.  "needs" are the ART_CAP_* bits of which one would have sufficed,
 * "requires" the name of the first of them, both set with
 * ART_REASON_CAPABILITY only.
 */

typedef struct {
    art_kind_t     kind;
    art_routing_t  routing;
    art_reason_t   reason;
    uint64_t       max;
    unsigned       described;
    unsigned       needs;
    const char    *requires;
} art_decision_t;


/*
 * The reasons in their order: reading failed; the reader lacks the capability;
 * the format or the service does not take the media type; the smallest of the
 * limits of format, service and "inline_max" is exceeded.  An empty content is
 * of none of the media types that a format lists: providers refuse the request
 * that has it.  Where they refuse a text without a word, too, it is "described"
 * without a reason: a line names it.  What lacks the signature that its type
 * always has is of none of the types of a provider's format.  What a type or a
 * limit keeps from being sent, and can be read as text (SVG), goes as text with
 * that reason, the type first of all; the rest is described.  A format for
 * programs takes everything, within "inline_max".
 */

void art_route_decide(const art_question_t *question, art_decision_t *out);


/* The words of the answers; NULL for ART_REASON_NONE. */

const char *art_routing_name(art_routing_t routing);
const char *art_reason_name(art_reason_t reason);


/* "text", "image" or "binary". */

const char *art_content_type_name(art_kind_t kind);


#endif /* ART_ROUTE_H_INCLUDED_ */
