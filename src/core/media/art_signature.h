
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The formats that contents are signed as: the table of signatures and its
 * look-up, and the containers that are recognized by their parts.
 */


#ifndef ART_SIGNATURE_H_INCLUDED_
#define ART_SIGNATURE_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/media/art_media.h"


#define ART_SIGN_STRONG   0x01   /* outweighs a declared type */
#define ART_SIGN_GENERIC  0x02   /* shows the container, not the format */


typedef struct {
    const char  *mime;           /* a row of the media table; NULL: none */
    unsigned     sign;           /* ART_SIGN_* */
} art_signature_t;


/*
 * The format that the bytes are signed as.  "readable": they are plain text,
 * for which a signature of letters does not count.
 */

art_signature_t art_signature_find(const uint8_t *p, size_t len,
    unsigned readable);


/*
 * Locates the part of a container that shows its format: the end of a ZIP, the
 * directory of an OLE file, the tracks of MP4.  "p" has the first "len" of its
 * "size" bytes.  On entry *offset and *n are the last bytes of the content that
 * may be read at once; they are set to the part, *n bytes at most.  Returns 0
 * if there is none.
 */

unsigned art_signature_locate(const uint8_t *p, size_t len, uint64_t size,
    art_family_t family, uint64_t *offset, size_t *n);


/* The format shown by the bytes of that part; mime NULL if unknown. */

art_signature_t art_signature_inside(const uint8_t *p, size_t len,
    art_family_t family);


/*
 * For the rows of the table.  A refinement takes what a row found and returns
 * it refined; mime NULL when the bytes are not of that format after all.
 */

typedef art_signature_t (*art_refine_pt)(const uint8_t *p, size_t len,
    art_signature_t found);


/*
 * The refinement of a ZIP or an OLE file, by its parts, and that of a file of
 * MP4's family that has tracks of sound only.
 */

art_signature_t art_signature_container(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_tracks(const uint8_t *p, size_t len,
    art_signature_t found);


#endif /* ART_SIGNATURE_H_INCLUDED_ */
