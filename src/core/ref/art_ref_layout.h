
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The sub-folder of artifacts/ that has the files of an id (docs/ids.md).  Its
 * name is the end of the id's hash, as in nginx's caches.  The flat layout has
 * no sub-folders.
 */


#ifndef ART_REF_LAYOUT_H_INCLUDED_
#define ART_REF_LAYOUT_H_INCLUDED_


#include "core/base/art_core.h"


#define ART_REF_LAYOUT_LEVELS  3
#define ART_REF_LAYOUT_WIDTH   2     /* hexadecimal digits of a level */
#define ART_REF_LAYOUT_HASH    16    /* bytes: MD5 */

/* The longest place, in bytes: the levels, each with a slash. */

#define ART_REF_LAYOUT_PLACE                                                  \
    (ART_REF_LAYOUT_LEVELS * (ART_REF_LAYOUT_WIDTH + 1))


/* Zeroed, it is the flat layout, without levels. */

typedef struct {
    uint8_t  n;                                  /* levels */
    uint8_t  width[ART_REF_LAYOUT_LEVELS];       /* digits of each */
} art_ref_layout_t;


/*
 * Parses a layout from the configuration: "flat", or levels of one or two
 * digits separated by colons, such as "1:2".  ART_ERROR for anything else.
 */

int art_ref_layout_parse(art_str_t text, art_ref_layout_t *layout);


/* Layout number "i" of all possible ones; ART_ERROR past the last. */

int art_ref_layout_any(unsigned i, art_ref_layout_t *layout);


/* The length of every place of a layout, in bytes. */

size_t art_ref_layout_len(const art_ref_layout_t *layout);


/*
 * Writes the place of a hash, a path that ends with a slash, to "buf" of
 * ART_REF_LAYOUT_PLACE bytes, not terminated; returns its length.  The first
 * level is named by the last digits of the hash, in lower case, the second by
 * the digits before them: "c/29/" for the layout 1:2 and a hash that ends in
 * 29c.
 */

size_t art_ref_layout_place(const art_ref_layout_t *layout,
    const uint8_t hash[ART_REF_LAYOUT_HASH], uint8_t *buf);


/*
 * art_ref_layout_number() returns the number, below 256, that a folder's name
 * spells at a level (below "n"), or -1 for other names.  art_ref_layout_name()
 * writes the name of a number, not terminated, to "buf" of ART_REF_LAYOUT_WIDTH
 * bytes, and returns its length.
 */

int art_ref_layout_number(const art_ref_layout_t *layout, unsigned level,
    art_str_t name);
size_t art_ref_layout_name(const art_ref_layout_t *layout, unsigned level,
    unsigned number, uint8_t *buf);


#endif /* ART_REF_LAYOUT_H_INCLUDED_ */
