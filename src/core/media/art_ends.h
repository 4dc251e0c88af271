
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Whether a medium has the end that its format wants, and whether a PDF needs a
 * password (docs/expand.md): by few of its bytes, wherever these come from, and
 * of a content that can be read at any place.
 */


#ifndef ART_ENDS_H_INCLUDED_
#define ART_ENDS_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/media/art_sniff.h"


/* Bytes that show a format, and the most that a step of a walk reads. */

#define ART_ENDS_SIGN  18
#define ART_ENDS_WANT  8


/*
 * The formats whose end is looked for: a PNG (RFC 2083, section 3.2), GIF
 * (GIF89a, section 12) and RIFF by walking through them; of a JPEG any end of
 * an image (ITU T.81, B.1.1), of a PDF "%%EOF" (ISO 32000-1, 7.5.5).
 */

typedef enum {
    ART_ENDS_NONE = 0,
    ART_ENDS_PNG,
    ART_ENDS_GIF,
    ART_ENDS_JPEG,
    ART_ENDS_RIFF,
    ART_ENDS_PDF
} art_ends_format_t;


/*
 * A walk through a PNG or a GIF: it wants the byte at "next" as long as "want"
 * is not 0.  Of RIFF, "next" is the length that it says it has.
 */

typedef struct {
    art_ends_format_t  format;
    unsigned           whole:1;      /* the end was found */
    unsigned           lost:1;       /* the walk met what it does not know */
    unsigned           state;
    uint64_t           next;
    size_t             want;
    size_t             got;
    uint8_t            bytes[ART_ENDS_WANT];
} art_ends_t;


/*
 * The first function begins with the first "n" bytes, of which ART_ENDS_SIGN
 * are enough; the second one takes the byte that is wanted.
 */

void art_ends_begin(art_ends_t *ends, const uint8_t *p, size_t n);
void art_ends_byte(art_ends_t *ends, uint8_t c);


/* Whether RIFF has fewer bytes, "size", than it says. */

unsigned art_ends_is_short(const art_ends_t *ends, uint64_t size);


/* How many bytes are left without the zeros at the end: files are filled up. */

size_t art_ends_trim(const uint8_t *p, size_t n);


/*
 * What the last "n" bytes of a PDF, trimmed, tell: ART_ENDS_LAST of these have
 * the end and the trailer.  "locked": it needs a password, as far as they show;
 * "xref" is the offset where else it may show, 0: nowhere.
 */

#define ART_ENDS_LAST  2000

typedef struct {
    uint64_t           xref;
    unsigned           whole:1;
    unsigned           locked:1;
} art_ends_pdf_t;

void art_ends_pdf(art_ends_pdf_t *pdf, const uint8_t *p, size_t n);


/*
 * Whether a PDF needs a password, by the bytes from "xref" on, of which
 * ART_ENDS_XREF are enough for most: there is the dictionary of a stream of
 * references (ISO 32000-1, 7.5.8), which is a trailer as well, or the table in
 * front of the first trailer of a linearized document (annex F).
 */

#define ART_ENDS_XREF  2048

unsigned art_ends_is_locked(const uint8_t *p, size_t n);


/*
 * What is known of a content.  Where too much would have to be read to be sure
 * that the end is missing, it is whole.
 */

typedef enum {
    ART_END_UNKNOWN = 0,         /* not looked for, or it cannot be read */
    ART_END_WHOLE,
    ART_END_CUT,
    ART_END_LOCKED               /* whole, and needs a password */
} art_end_t;


/*
 * Finds it out for a content of "size" bytes that can be read at any place.
 * art_ends_next() returns 1 and sets the sample that has to be read, of at most
 * ART_ENDS_PIECE bytes, or 0 at the end, when "end" is known.
 * art_ends_sample() takes it; fewer bytes than wanted end it, unknown.
 *
 * The first sample are the first bytes, the second one the last bytes.  Most
 * contents need no more, a PDF one more.  Only for those that show no end there
 * are others, at most ART_ENDS_STEPS.
 */

#define ART_ENDS_PIECE  4096
#define ART_ENDS_STEPS  128

typedef struct {
    art_end_t          end;

    /* private */

    art_ends_t         ends;
    unsigned           state;
    unsigned           steps;
    uint64_t           size;
    art_sample_t       sample;       /* len 0: none */
} art_ends_file_t;

void art_ends_init(art_ends_file_t *file, uint64_t size);
unsigned art_ends_next(const art_ends_file_t *file, art_sample_t *sample);
void art_ends_sample(art_ends_file_t *file, const uint8_t *p, size_t n);


#endif /* ART_ENDS_H_INCLUDED_ */
