
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The table of output formats.  A format is a row: for each kind of content
 * that goes in, a template with the media types and the size that the provider
 * takes.  A new provider is a new row.
 */


#ifndef ART_FORMAT_TABLE_H_INCLUDED_
#define ART_FORMAT_TABLE_H_INCLUDED_


#include "core/media/art_media.h"


/*
 * What a format takes of one kind of content that goes out in base64.
 *
 * "types" are ranges (art_media_in()) separated by spaces; the first that
 * matches counts.  "type=name" gives the provider's own name for a type (%f in
 * templates); "?type" is taken only if the service's "accepts" names it.
 *
 * "max" is in bytes of the content or, with ART_PART_ENCODED, of its base64; 0:
 * the provider states no limit.
 */

typedef struct {
    const char       *template;      /* NULL: nothing of this kind is taken */
    const char       *types;
    uint64_t          max;
    unsigned          flags;         /* ART_PART_* */
} art_part_t;


#define ART_PART_ENCODED    0x01
#define ART_PART_EXTRACTED  0x02     /* the provider extracts its text: "pdf"
                                        suffices as well as "file" */
#define ART_PART_ANYONE     0x04     /* for any model: neither is needed */


/* The provider's rule for file names (%n); all zero: no rule. */

typedef struct {
    size_t            max;           /* characters; 0: no limit */
    unsigned          flags;         /* ART_FILENAME_* */
} art_filename_rule_t;


#define ART_FILENAME_EXTENSION  0x01   /* has an extension of its media type */
#define ART_FILENAME_PLAIN      0x02   /* letters, digits, " -()[]", unique */


typedef struct {
    const char       *name;
    unsigned          flags;         /* ART_FORMAT_* */
    art_filename_rule_t   name_rule;
    const char       *text;
    const char       *json;          /* of a JSON value; NULL: "text" */
    const char       *described;     /* of a description; NULL: "text" */
    uint64_t          text_max;      /* characters of a text; 0: no limit */
    art_part_t        parts[ART_KIND_MAX];   /* for text: a document, if
                                                "accepts" asks for it */
} art_format_t;


#define ART_FORMAT_PROGRAM  0x01     /* for programs, not models */
#define ART_FORMAT_CALL_ID  0x02     /* depends on the tool call id */
#define ART_FORMAT_FILLED   0x04     /* an empty text is an error */
#define ART_FORMAT_TRUST    0x08     /* no provider looks at the content */
#define ART_FORMAT_LINK     0x10     /* "described" is a link: content without
                                        a URL is described as text */


/* The row of a name, or NULL; the row of a number, or NULL past the end. */

const art_format_t *art_format_find(art_str_t name);
const art_format_t *art_format_row(unsigned i);


/*
 * The row for parts of a message in that format.  It differs for "route" only,
 * whose answers also have metadata: its parts are without that.
 */

const art_format_t *art_format_part_row(const art_format_t *format);


/*
 * Whether a part takes a canonical media type; "named" tells that the service's
 * "accepts" has exactly this type.
 */

int art_part_takes(const art_part_t *part, art_str_t mime, unsigned named);


/* Whether a part takes all media types rather than those that it lists. */

int art_part_takes_all(const art_part_t *part);


/* The provider's name of a media type, or the media type itself. */

art_str_t art_part_type_name(const art_part_t *part, art_str_t mime);


/* The longest content that a part takes, in bytes; 0: no limit. */

uint64_t art_part_max(const art_part_t *part);


#endif /* ART_FORMAT_TABLE_H_INCLUDED_ */
