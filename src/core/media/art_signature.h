
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The table of signatures and its look-up.
 */


#ifndef ART_SIGNATURE_H_INCLUDED_
#define ART_SIGNATURE_H_INCLUDED_


#include "core/base/art_core.h"


#define ART_SIGN_STRONG   0x01   /* outweighs a declared type */
#define ART_SIGN_GENERIC  0x02   /* tells the container, not the format */


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


#endif /* ART_SIGNATURE_H_INCLUDED_ */
