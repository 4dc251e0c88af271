
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


/* Digits that show a format, those of the end, and most bytes of a step. */

#define ART_LOOK_SIGN   24
#define ART_LOOK_TAIL   2736
#define ART_LOOK_WANT   8

/* Digits in which the end of an image may be (JPEG). */

#define ART_LOOK_MARK   4


/*
 * The formats whose end is looked for: a PNG (RFC 2083, section 3.2), GIF
 * (GIF89a, section 12) and RIFF by walking through them; of a JPEG any end of
 * an image (ITU T.81, B.1.1), of a PDF "%%EOF" (ISO 32000-1, 7.5.5).
 */

typedef enum {
    ART_LOOK_UNKNOWN = 0,
    ART_LOOK_PNG,
    ART_LOOK_GIF,
    ART_LOOK_JPEG,
    ART_LOOK_RIFF,
    ART_LOOK_PDF
} art_look_format_t;


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
    unsigned           whole:1;      /* the end was found */
    unsigned           lost:1;       /* the walk met what it does not know */
    art_look_format_t  format;
    unsigned           pads;
    unsigned           last;         /* value of the last digit */
    uint64_t           digits;
    uint64_t           zeros;        /* of these, "A" at the end */

    unsigned           state;        /* of the walk */
    uint64_t           next;         /* the bytes that it wants */
    size_t             want;
    size_t             got;
    uint8_t            bytes[ART_LOOK_WANT];
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


/*
 * Whether a PDF needs a password, by the bytes from "xref" on, of which
 * ART_LOOK_XREF are enough: there is the dictionary of a stream of references
 * (ISO 32000-1, 7.5.8), which is a trailer as well.
 */

#define ART_LOOK_XREF  768

unsigned art_look_is_locked(const uint8_t *p, size_t len);


#endif /* ART_LOOK_H_INCLUDED_ */
