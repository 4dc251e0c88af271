
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Private to art_sniff.c and art_signature*.c: the table of signatures, its
 * look-up, and the refinements that a row may name.
 */


#ifndef ART_SIGNATURE_H_INCLUDED_
#define ART_SIGNATURE_H_INCLUDED_


#include "core/media/art_sniff.h"


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


/*
 * Takes what a row found and returns it refined; mime NULL when the bytes are
 * not that format after all.
 */

typedef art_signature_t (*art_refine_pt)(const uint8_t *p, size_t len,
    art_signature_t found);


art_signature_t art_signature_zip(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_mp4(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_riff(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_iff(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_ebml(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_ogg(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_pdf(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_pe(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_bmp(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_java(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_mp2t(const uint8_t *p, size_t len,
    art_signature_t found);


static inline int
art_bytes_at(const uint8_t *p, size_t len, size_t offset, const char *bytes,
    size_t n)
{
    return offset <= len && n <= len - offset
           && memcmp(p + offset, bytes, n) == 0;
}


/* The first occurrence of a zero-terminated string, or NULL. */

const uint8_t *art_bytes_find(const uint8_t *p, size_t len,
    const char *bytes);


#endif /* ART_SIGNATURE_H_INCLUDED_ */
