
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the first bytes of a content tell: a signature of a known format, and
 * whether it reads as text.  The result does not depend on any metadata, so
 * it can be kept for a file version.
 */


#ifndef ART_SNIFF_H_INCLUDED_
#define ART_SNIFF_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/media/art_media_parse.h"


/* Bytes worth looking at; more are ignored. */

#define ART_SNIFF_MAX  4096


typedef enum {
    ART_TEXT_EMPTY = 0,      /* no bytes at all */
    ART_TEXT_CLEAN,          /* UTF-8, no control characters but white space */
    ART_TEXT_STRAY,          /* a few faults: text without being told so */
    ART_TEXT_LOOSE,          /* more: text only where it is declared */
    ART_TEXT_MIXED,          /* control characters among bad bytes: text only
                                where a charset of 8 bits is declared */
    ART_TEXT_BINARY,         /* NULs */
    ART_TEXT_UTF16LE,        /* no byte order mark, but reads as UTF-16 */
    ART_TEXT_UTF16BE,
    ART_TEXT_MARKED          /* a byte order mark of UTF-16 or UTF-32 */
} art_text_class_t;


/*
 * The evidence of a content: plain data, copied as it is.  "media" is a row
 * number of art_media_row() plus one, 0 without a signature.  "magic" is what
 * libmagic said, where it was asked: a canonical media type, not terminated.
 */

typedef struct {
    uint16_t  media;
    uint8_t   sign;              /* ART_SIGN_* */
    uint8_t   text;              /* art_text_class_t */
    uint8_t   magic_asked;
    uint8_t   magic_len;
    uint8_t   magic[ART_MEDIA_TYPE_MAX];
} art_evidence_t;


/*
 * Looks at the first "len" bytes of a content.  "whole" tells that nothing
 * follows them.  *out is set completely.
 */

void art_sniff(const uint8_t *p, size_t len, unsigned whole,
    art_evidence_t *out);


/* Keeps libmagic's answer, a media type as it came; "" for no answer. */

void art_sniff_magic(art_evidence_t *evidence, art_str_t mime);


/* Whether the text class alone makes undeclared content text. */

int art_text_is_text(unsigned text);


#endif /* ART_SNIFF_H_INCLUDED_ */
