
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Stand-ins (docs/standins.md): tiny whole media, one for each kind, that carry
 * the id of a stored medium.  All bytes are constant but for the id and what a
 * PNG has as the CRC of its chunk.  The id begins at a multiple of 3 bytes, and
 * the length is one, too: in base64 the id has a place of its own, and there is
 * no padding.
 */


#ifndef ART_STANDIN_H_INCLUDED_
#define ART_STANDIN_H_INCLUDED_


#include "core/base/art_core.h"


typedef enum {
    ART_STANDIN_NONE = 0,
    ART_STANDIN_PNG,
    ART_STANDIN_JPEG,
    ART_STANDIN_GIF,
    ART_STANDIN_WEBP,
    ART_STANDIN_PDF,
    ART_STANDIN_WAV,
    ART_STANDIN_MP3,
    ART_STANDIN_MP4,
    ART_STANDIN_KINDS
} art_standin_t;


#define ART_STANDIN_ID   36      /* bytes of a UUID in lower case, version 8 */
#define ART_STANDIN_MIN  360     /* characters of the shortest one in base64 */
#define ART_STANDIN_MAX  1388    /* and of the longest one */


/* The stand-in of a canonical media type, as that of the content; or NONE. */

art_standin_t art_standin_of(art_str_t mime);


/*
 * Its name in variables and metrics ("png"), its media type, and its length in
 * characters of base64.
 */

art_str_t art_standin_name(art_standin_t kind);
art_str_t art_standin_mime(art_standin_t kind);
size_t art_standin_len(art_standin_t kind);


/*
 * Prints a stand-in in base64 (RFC 4648 section 4), in art_standin_len()
 * characters.
 */

void art_standin_print(art_standin_t kind, const uint8_t id[ART_STANDIN_ID],
    uint8_t *dst);


/*
 * Whether a string that begins so, with some 16 characters, may be a stand-in.
 */

int art_standin_may_be(art_str_t text);


/*
 * Reads a string that is base64, or a data URL of it, in either alphabet, white
 * space between its characters: which stand-in it is to the byte, or NONE.
 * Sets the id, and *at to the offset of the base64 in the string.
 */

art_standin_t art_standin_read(art_str_t text, uint8_t id[ART_STANDIN_ID],
    size_t *at);


#endif /* ART_STANDIN_H_INCLUDED_ */
