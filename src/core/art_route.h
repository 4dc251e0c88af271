
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The routing decision: what a reader with given capabilities gets of a
 * content of a given kind.
 */


#ifndef ART_ROUTE_H_INCLUDED_
#define ART_ROUTE_H_INCLUDED_


#include "art_media.h"


typedef enum {
    ART_ROUTING_RAW = 0,
    ART_ROUTING_TEXT,
    ART_ROUTING_IMAGE_URL,
    ART_ROUTING_FILE
} art_routing_t;


typedef enum {
    ART_REASON_NONE = 0,
    ART_REASON_CAPABILITY,       /* the reader cannot take this kind */
    ART_REASON_SIZE,             /* longer than may be inlined */
    ART_REASON_READ              /* the content could not be read */
} art_reason_t;


typedef struct {
    art_kind_t     kind;
    art_str_t      mime;
    unsigned       caps;         /* ART_CAP_* of the reader's input */
    uint64_t       size;         /* bytes */
    uint64_t       inline_max;   /* bytes; 0: no limit */
    unsigned       size_known:1;
    unsigned       failed:1;     /* reading failed before the first byte */
} art_question_t;


/*
 * "described" tells that the content itself is not sent: a description stands
 * for it.  "needs" are the ART_CAP_* bits of which one would have sufficed,
 * "requires" the name of the first of them, both set with
 * ART_REASON_CAPABILITY only.
 */

typedef struct {
    art_routing_t  routing;
    art_reason_t   reason;
    unsigned       described;
    unsigned       needs;
    const char    *requires;
} art_decision_t;


void art_route_decide(const art_question_t *question, art_decision_t *out);


/* The words of the answers; NULL for ART_REASON_NONE. */

const char *art_routing_name(art_routing_t routing);
const char *art_reason_name(art_reason_t reason);


/* "text", "image" or "binary". */

const char *art_content_type_name(art_kind_t kind);


#endif /* ART_ROUTE_H_INCLUDED_ */
