
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Capabilities: what a service can read and write, by name.
 */


#ifndef ART_CAPABILITY_H_INCLUDED_
#define ART_CAPABILITY_H_INCLUDED_


#include "core/base/art_core.h"


/* The capabilities that decide something; others are kept by name only. */

#define ART_CAP_TEXT    0x01
#define ART_CAP_VISION  0x02
#define ART_CAP_AUDIO   0x04
#define ART_CAP_VIDEO   0x08
#define ART_CAP_FILE    0x10
#define ART_CAP_PDF     0x20


typedef struct {
    unsigned          bits;      /* ART_CAP_* */
    unsigned          nnames;
    art_str_t        *names;     /* as listed in the map, duplicates dropped */
} art_caps_t;


/*
 * The bit of one capability name, 0 for an unknown one.  The case of letters
 * counts: a map says "vision".
 */

unsigned art_capability_bit(art_str_t name);


/* The name of one bit; empty for another. */

art_str_t art_capability_name(unsigned bit);


/*
 * Parses a list of capabilities as a header gives it, "text, vision, file":
 * names separated by commas or white space, case-insensitive.  Returns the
 * bits; unknown names are passed over.
 */

unsigned art_capability_parse(art_str_t list);


/* Whether a direction has a capability of that name, known or not. */

int art_capability_has(const art_caps_t *caps, art_str_t name);


#endif /* ART_CAPABILITY_H_INCLUDED_ */
