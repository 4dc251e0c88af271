
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The table of signatures and its look-up.
 */


#ifndef ART_SIGNATURE_H_INCLUDED_
#define ART_SIGNATURE_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/media/art_media.h"


#define ART_SIGN_STRONG   0x01   /* outweighs a declared type */
#define ART_SIGN_GENERIC  0x02   /* tells the container, not the format */
#define ART_SIGN_GUESS    0x04   /* outweighs nothing at all */


typedef struct {
    const char  *mime;           /* a row of the media table; NULL: none */
    unsigned     sign;           /* ART_SIGN_* */
} art_signature_t;


/*
 * The format that the bytes are signed as.  "readable" tells that they are
 * plain text, where a signature of letters does not count.
 */

art_signature_t art_signature_find(const uint8_t *p, size_t len,
    unsigned readable);


/*
 * Where the content of a container, recognised by its first "len" bytes at "p",
 * tells what it is, of "size" bytes: the end of a ZIP, the directory of an OLE
 * file.  *offset and *n hold the last bytes of the content that may be read at
 * once, and are set to the place, *n bytes at most; 0 if there is none.
 */

unsigned art_signature_place(const uint8_t *p, size_t len, uint64_t size,
    art_family_t family, uint64_t *offset, size_t *n);


/* What these bytes tell of a container; mime NULL for nothing. */

art_signature_t art_signature_inside(const uint8_t *p, size_t len,
    art_family_t family);


#endif /* ART_SIGNATURE_H_INCLUDED_ */
