
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the first bytes of a content tell, and one or two samples from further
 * on: a signature of a known format, whether it reads as text, and in which
 * charset.  The result does not depend on any metadata, so it can be cached for
 * a file version.
 */


#ifndef ART_SNIFF_H_INCLUDED_
#define ART_SNIFF_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/media/art_media.h"


/* Bytes examined; further ones are ignored. */

#define ART_SNIFF_MAX  4096

/* The same of a sample, and the largest number of samples. */

#define ART_SNIFF_SAMPLE_MAX  2048
#define ART_SNIFF_SAMPLES     2


typedef enum {
    ART_TEXT_EMPTY = 0,      /* no bytes at all */
    ART_TEXT_CLEAN,          /* UTF-8, no control characters but white space */
    ART_TEXT_STRAY,          /* a few faults: text without a declaration */
    ART_TEXT_CODED,          /* not UTF-8, reads as the evidence's charset */
    ART_TEXT_LOOSE,          /* control characters, or a few bad bytes: text
                                only where it is declared */
    ART_TEXT_FOREIGN,        /* many bad bytes: text only where a charset of 8
                                bits is declared */
    ART_TEXT_MIXED,          /* control characters among them: the same */
    ART_TEXT_BINARY,         /* more than a few NULs */
    ART_TEXT_UTF16LE,        /* no byte order mark, but reads as UTF-16 */
    ART_TEXT_UTF16BE,
    ART_TEXT_MARKED          /* a byte order mark of UTF-16 or UTF-32 */
} art_text_class_t;


/* Whether the class alone makes content text that is not declared. */

static inline int
art_text_is_text(unsigned text)
{
    return text < ART_TEXT_LOOSE || text > ART_TEXT_BINARY;
}


/*
 * The evidence of a content: plain data, copied as it is.  "width" and "height"
 * are those of an image, 0 if not known; "pixels" is ART_PIXELS_MORE if further
 * bytes may show them (art_pixels.h).  "end" is ART_END_UNKNOWN if nobody has
 * looked for the end yet (art_ends.h).  "media" is a row number of
 * art_media_row() plus one, 0 without a signature.  "charset" is a number of
 * art_charset_row() plus one, for text that is not UTF-8; "says" is that of the
 * charset declared by the text itself.  "magic" is libmagic's answer, if it was
 * asked: a canonical media type, not terminated.
 */

typedef struct {
    uint32_t  width;
    uint32_t  height;
    uint8_t   pixels;            /* art_pixels_status_t */
    uint8_t   end;               /* art_end_t */
    uint16_t  media;
    uint16_t  nuls;              /* more of them that a text may have */
    uint8_t   sign;              /* ART_SIGN_* */
    uint8_t   text;              /* art_text_class_t */
    uint8_t   charset;
    uint8_t   guessed;           /* the charset was detected, not declared */
    uint8_t   says;
    uint8_t   sure;              /* enough of it to outweigh a declaration */
    uint8_t   ascii;             /* all bytes seen are ASCII */
    uint8_t   blank;             /* only white space, and all of it seen */
    uint8_t   magic_asked;
    uint8_t   magic_len;
    uint8_t   magic[ART_MEDIA_TYPE_MAX];
} art_evidence_t;


/*
 * Examines the first "len" bytes of a content.  "whole": nothing follows them.
 * *out is set completely.
 */

void art_sniff(const uint8_t *p, size_t len, unsigned whole,
    art_evidence_t *out);


/* More bytes of a content to be examined. */

typedef struct {
    uint64_t  offset;            /* bytes */
    size_t    len;               /* at most ART_SNIFF_SAMPLE_MAX */
} art_sample_t;


/*
 * Selects the samples of a content of "size" bytes, of which art_sniff() has
 * seen the first "len" at "p": the middle and the end of what seems to be text,
 * the end of a ZIP and the directory of an OLE file.  Sets samples[] and
 * returns how many, ART_SNIFF_SAMPLES at most; evidence->nuls is what the whole
 * content may have then.
 */

unsigned art_sniff_samples(const uint8_t *p, size_t len, uint64_t size,
    art_evidence_t *evidence, art_sample_t *samples);


/*
 * Adds a sample to the evidence: "n" bytes at "p", fewer than selected if the
 * content was cut meanwhile; "whole": the content ends with them.
 */

void art_sniff_sample(const uint8_t *p, size_t n, unsigned whole,
    art_evidence_t *evidence);


/* Adds libmagic's answer, a media type as it came; "" for no answer. */

void art_sniff_magic(art_evidence_t *evidence, art_str_t mime);


#endif /* ART_SNIFF_H_INCLUDED_ */
