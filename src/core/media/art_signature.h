
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The table of signatures and its look-up.
 */


#ifndef ART_SIGNATURE_H_INCLUDED_
#define ART_SIGNATURE_H_INCLUDED_


#include "core/base/art_core.h"


typedef struct {
    const char  *mime;           /* a row of the media table; NULL: none */
    unsigned     sign;           /* ART_SIGN_* */
} art_signature_t;


/*
 * The format that the bytes are signed as.  "text" is their text class: a
 * signature of letters only counts where the rest is not plain text, too.
 */

art_signature_t art_signature_find(const uint8_t *p, size_t len,
    unsigned text);


#endif /* ART_SIGNATURE_H_INCLUDED_ */
