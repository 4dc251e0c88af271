
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The table of output formats.  A format is a row: a template for each kind of
 * content that it takes in, with the media types and the size that its
 * provider takes.  A new provider is a new row.
 */


#ifndef ART_FORMAT_TABLE_H_INCLUDED_
#define ART_FORMAT_TABLE_H_INCLUDED_


#include "core/media/art_media.h"


/*
 * What a format takes of one kind of content that goes out in base64.
 *
 * "types" are ranges (art_media_in()) separated by spaces, the first that fits
 * counts.  "type=name" gives the provider's own name for a type (%f in
 * templates), and "?type" is taken only where the service's "accepts" names
 * it.
 *
 * "max" are bytes, of the content or with ART_PART_ENCODED of its base64; 0:
 * the provider tells no limit.
 */

typedef struct {
    const char       *template;      /* NULL: nothing of this kind is taken */
    const char       *types;
    uint64_t          max;
    unsigned          flags;         /* ART_PART_* */
} art_part_t;


#define ART_PART_ENCODED    0x01
#define ART_PART_EXTRACTED  0x02     /* the provider makes text of it: "pdf"
                                        suffices as well as "file" */
#define ART_PART_ANYONE     0x04     /* and for any model: neither is needed */


/* What a provider asks of a file name (%n); all zero: nothing. */

typedef struct {
    size_t            max;           /* characters; 0: no limit */
    unsigned          flags;         /* ART_REF_NAME_* */
} art_filename_rule_t;


#define ART_FILENAME_EXTENSION  0x01   /* has an extension of its media type */
#define ART_FILENAME_PLAIN      0x02   /* letters, digits, " -()[]", unique */


typedef struct {
    const char       *name;
    unsigned          flags;         /* ART_FORMAT_* */
    art_filename_rule_t   name_rule;
    const char       *text;
    const char       *json;          /* a JSON value as it is; NULL: as text */
    const char       *described;     /* in place of content; NULL: as text */
    uint64_t          text_max;      /* characters of a text; 0: no limit */
    art_part_t        parts[ART_KIND_MAX];   /* of text: as a document, which
                                                only "accepts" asks for */
} art_format_t;


#define ART_FORMAT_PROGRAM  0x01     /* for programs, not models */
#define ART_FORMAT_CALL_ID  0x02     /* depends on the tool call id */
#define ART_FORMAT_FILLED   0x04     /* an empty text is an error */
#define ART_FORMAT_TRUST    0x08     /* no provider looks at the content */
#define ART_FORMAT_LINK     0x10     /* "described" links to what has a URL;
                                        other content is described as text */


/* The row of a name, or NULL; by number, NULL past the end. */

const art_format_t *art_format_find(art_str_t name);
const art_format_t *art_format_row(unsigned i);


/*
 * The row for parts of a message in that format: of "route", whose answer is
 * made of a part and what is told of it, the part alone.
 */

const art_format_t *art_format_part_row(const art_format_t *format);


/*
 * Whether a part takes a media type (canonical); "named" tells that the
 * service's "accepts" has exactly this type.
 */

int art_part_takes(const art_part_t *part, art_str_t mime, unsigned named);


/* Whether a part takes whatever there is, rather than media types it lists. */

int art_part_takes_all(const art_part_t *part);


/* The provider's name of a media type, or the media type itself. */

art_str_t art_part_type_name(const art_part_t *part, art_str_t mime);


/* The most bytes of content that a part takes; 0: no limit. */

uint64_t art_part_max(const art_part_t *part);


#endif /* ART_FORMAT_TABLE_H_INCLUDED_ */
