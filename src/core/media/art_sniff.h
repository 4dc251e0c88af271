
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the first bytes of a content tell, and of a file one or two other
 * places: a signature of a known format, whether it reads as text, and in which
 * charset.  The result does not depend on any metadata, so it can be kept for a
 * file version.
 */


#ifndef ART_SNIFF_H_INCLUDED_
#define ART_SNIFF_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/media/art_media_parse.h"


/* Bytes worth looking at; more are ignored. */

#define ART_SNIFF_MAX  4096

/* The same of one of the other places, and how many of them there may be. */

#define ART_SNIFF_PLACE_MAX  2048
#define ART_SNIFF_PLACES     2


typedef enum {
    ART_TEXT_EMPTY = 0,      /* no bytes at all */
    ART_TEXT_CLEAN,          /* UTF-8, no control characters but white space */
    ART_TEXT_STRAY,          /* a few faults: text without being told so */
    ART_TEXT_CODED,          /* no UTF-8, reads as the evidence's charset */
    ART_TEXT_LOOSE,          /* control characters, or a few bad bytes: text
                                only where it is declared */
    ART_TEXT_FOREIGN,        /* many bad bytes: text only where a charset of 8
                                bits is declared */
    ART_TEXT_MIXED,          /* control characters among them: likewise */
    ART_TEXT_BINARY,         /* NULs */
    ART_TEXT_UTF16LE,        /* no byte order mark, but reads as UTF-16 */
    ART_TEXT_UTF16BE,
    ART_TEXT_MARKED          /* a byte order mark of UTF-16 or UTF-32 */
} art_text_class_t;


/*
 * The evidence of a content: plain data, copied as it is.  "media" is a row
 * number of art_media_row() plus one, 0 without a signature.  "charset" is a
 * number of art_charset_row() plus one, of text that is no UTF-8; "says" is
 * that of the charset that a text says it is in.  "magic" is what libmagic
 * said, where it was asked: a canonical media type, not terminated.
 */

typedef struct {
    uint16_t  media;
    uint8_t   sign;              /* ART_SIGN_* */
    uint8_t   text;              /* art_text_class_t */
    uint8_t   charset;
    uint8_t   guessed;           /* so it is only taken for that charset */
    uint8_t   says;
    uint8_t   sure;              /* enough of it to outweigh a declaration */
    uint8_t   ascii;             /* all that was seen is ASCII */
    uint8_t   blank;             /* nothing but white space, all of it seen */
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


/* Another place of a content that is worth a look. */

typedef struct {
    uint64_t  offset;            /* bytes */
    size_t    len;               /* at most ART_SNIFF_PLACE_MAX */
} art_place_t;


/*
 * Where else to look in a content of "size" bytes, of which art_sniff() has
 * seen the first "len" at "p": the middle and the end of what seems to be text,
 * the end of a ZIP and the directory of an OLE file.  Sets places[] and returns
 * how many, ART_SNIFF_PLACES at most.
 */

unsigned art_sniff_places(const uint8_t *p, size_t len, uint64_t size,
    const art_evidence_t *evidence, art_place_t *places);


/*
 * Adds what stands there to the evidence: "n" bytes at "p", fewer than asked
 * for if the content was cut meanwhile; "whole" tells that it ends with them.
 */

void art_sniff_place(const uint8_t *p, size_t n, unsigned whole,
    art_evidence_t *evidence);


/* Keeps libmagic's answer, a media type as it came; "" for no answer. */

void art_sniff_magic(art_evidence_t *evidence, art_str_t mime);


/* Whether the text class alone makes undeclared content text. */

int art_text_is_text(unsigned text);


#endif /* ART_SNIFF_H_INCLUDED_ */
