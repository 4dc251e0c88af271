
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Whether a text that streams is nothing but one run of base64, or a data URL:
 * no excerpt of it is of use.
 */


#ifndef ART_SOLID_H_INCLUDED_
#define ART_SOLID_H_INCLUDED_


#include "core/base/art_core.h"


typedef enum {
    ART_SOLID_BEGIN = 0,         /* what may be the "data:" of a URL */
    ART_SOLID_HEAD,              /* its type, up to the comma */
    ART_SOLID_URL,               /* its data, if that is no base64 */
    ART_SOLID_BASE64,
    ART_SOLID_PAD,               /* padding has come */
    ART_SOLID_NOT
} art_solid_state_t;


/* Begins zeroed. */

typedef struct {
    art_solid_state_t   state;
    unsigned            alphabets;   /* that it is not */
    unsigned            pads;
    uint64_t            count;       /* characters of base64 */
    uint64_t            line;        /* ... of this line */
    uint64_t            width;       /* of all lines before it; 0: none */
    unsigned            cr:1;
    unsigned            last:1;      /* a line was shorter */
    unsigned            fed:1;       /* the last character ended a line */
    size_t              nhead;
    uint8_t             head[128];
} art_solid_t;


void art_solid_feed(art_solid_t *solid, const uint8_t *p, size_t len);


/* Whether it may still be, and whether it is if it ends here. */

#define art_solid_may_be(solid)  ((solid)->state != ART_SOLID_NOT)

int art_solid_is(const art_solid_t *solid);


#endif /* ART_SOLID_H_INCLUDED_ */
