
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A medium in base64 as it streams: whether it is base64 at all, how long it
 * is, and whether it has the end that its format wants (docs/expand.md).  Of
 * its bytes only those are decoded that tell it.
 */


#ifndef ART_LOOK_H_INCLUDED_
#define ART_LOOK_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/media/art_ends.h"


/* Digits that show a format, and those of the end. */

#define ART_LOOK_SIGN   24
#define ART_LOOK_TAIL   2736

/* Digits in which the end of an image may be (JPEG). */

#define ART_LOOK_MARK   4


/*
 * Some 5.7 KB.  After the end: "size" is the number of decoded bytes; "bad": it
 * is not base64; "cut": the format's end is missing; "locked": a PDF needs a
 * password, as far as its last bytes show; "xref" is where else it may show, 0:
 * nowhere.  "plain": it is canonical (RFC 4648, section 4, padded, without line
 * breaks).
 */

typedef struct {
    uint64_t           size;
    uint64_t           xref;
    unsigned           bad:1;
    unsigned           cut:1;
    unsigned           locked:1;
    unsigned           plain:1;

    /* private */

    unsigned           safe:1;       /* the other alphabet was seen */
    unsigned           white:1;
    art_ends_t         ends;
    unsigned           pads;
    unsigned           last;         /* value of the last digit */
    uint64_t           digits;
    uint64_t           zeros;        /* of these, "A" at the end */

    uint64_t           group_pos;    /* the last group: its first byte */
    size_t             ngroup;       /* its bytes */
    uint8_t            group[3];
    size_t             npart;        /* digits of the next one */
    uint8_t            part[4];

    size_t             nmark;
    uint8_t            mark[ART_LOOK_MARK];
    size_t             nsign;
    uint8_t            sign[ART_LOOK_SIGN];
    size_t             ntail;
    uint8_t            tail[2 * ART_LOOK_TAIL];
} art_look_t;


void art_look_init(art_look_t *look);


/*
 * Reads more of the text, of either alphabet and with white space between its
 * lines.  How it is cut into pieces does not matter; work and memory are linear
 * and bounded for any text.
 */

void art_look_feed(art_look_t *look, const uint8_t *p, size_t len);


/* Ends the text. */

void art_look_end(art_look_t *look);


#endif /* ART_LOOK_H_INCLUDED_ */
