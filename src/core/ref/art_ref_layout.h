
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * In which sub-folder of artifacts/ the files of an id stand (docs/ids.md): in
 * none, or in one that is named by the end of the id's hash, as those of
 * nginx's caches are.
 */


#ifndef ART_REF_LAYOUT_H_INCLUDED_
#define ART_REF_LAYOUT_H_INCLUDED_


#include "core/base/art_core.h"


#define ART_REF_LAYOUT_LEVELS  3
#define ART_REF_LAYOUT_WIDTH   2     /* hexadecimal digits of a level */
#define ART_REF_LAYOUT_HASH    16    /* bytes: MD5 */

/* Bytes of a place: the levels, a slash behind each. */

#define ART_REF_LAYOUT_PLACE                                                  \
    (ART_REF_LAYOUT_LEVELS * (ART_REF_LAYOUT_WIDTH + 1))


/* Zeros are the flat layout, that without levels. */

typedef struct {
    uint8_t  n;                                  /* levels */
    uint8_t  width[ART_REF_LAYOUT_LEVELS];       /* digits of each */
} art_ref_layout_t;


/*
 * A layout as it is configured: "flat", or levels of one or two digits each
 * with colons between, as "1:2".  ART_ERROR for anything else.
 */

int art_ref_layout_parse(art_str_t text, art_ref_layout_t *layout);


/* The layout of number "i" of all that can be, ART_ERROR if there are fewer. */

int art_ref_layout_any(unsigned i, art_ref_layout_t *layout);


/* The bytes of each place of a layout. */

size_t art_ref_layout_len(const art_ref_layout_t *layout);


/*
 * Writes the place of what has this hash, a path with a slash at its end, to
 * "buf" of ART_REF_LAYOUT_PLACE bytes, without a zero; returns its length.  The
 * first level is named by the last digits of the hash, in lower case, the
 * second by those before: "c/29/" for 1:2 and ..29c.
 */

size_t art_ref_layout_place(const art_ref_layout_t *layout,
    const uint8_t hash[ART_REF_LAYOUT_HASH], uint8_t *buf);


/*
 * The number that a folder's name stands for at a level (below "n"): below 256;
 * -1 if it is no such name.  Writes the name of a number, without a zero, to
 * "buf" of ART_REF_LAYOUT_WIDTH bytes; returns its length.
 */

int art_ref_layout_number(const art_ref_layout_t *layout, unsigned level,
    art_str_t name);
size_t art_ref_layout_name(const art_ref_layout_t *layout, unsigned level,
    unsigned number, uint8_t *buf);


#endif /* ART_REF_LAYOUT_H_INCLUDED_ */
