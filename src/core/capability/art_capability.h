
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Capabilities: what a service can read and write, by name.
 */


#ifndef ART_CAPABILITY_H_INCLUDED_
#define ART_CAPABILITY_H_INCLUDED_


#include "core/base/art_core.h"


/* The capabilities that affect routing; others are kept by name only. */

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
 * The bit of a capability's name, 0 for an unknown one.  The name is
 * case-sensitive, as in maps.
 */

unsigned art_capability_bit(art_str_t name);


/* The name of a bit; empty for an unknown one. */

art_str_t art_capability_name(unsigned bit);


/*
 * Parses a list of capabilities from a header, "text, vision, file": names
 * separated by commas or white space, case-insensitive.  Returns the bits;
 * unknown names are ignored.
 */

unsigned art_capability_parse(art_str_t list);


/*
 * Takes off such a list its next unknown name, which *word is set to, and all
 * that precedes it; returns 0 if the rest of the list has only known names.
 */

int art_capability_unknown(art_str_t *list, art_str_t *word);


/* Whether a direction has a capability of that name, known or not. */

int art_capability_has(const art_caps_t *caps, art_str_t name);


#endif /* ART_CAPABILITY_H_INCLUDED_ */
