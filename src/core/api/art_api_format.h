
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Output formats: for each kind of content a template, with the media types and
 * the size that the provider takes.
 */


#ifndef ART_API_FORMAT_H_INCLUDED_
#define ART_API_FORMAT_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/media/art_media.h"


/*
 * Templates are text with
 *
 *     %B   the body                      %(..%)  a JSON text in a JSON string
 *     %E   the body within a string, whose quotes are elsewhere
 *     %t   contentType                   %u   routing
 *     %l   the lead-in line              %n   file name, adapted to the rule
 *     %m   media type                    %f   the provider's name of the type
 *     %d   the metadata object           %a   its URL, or the reference, a URI
 *     %c   tool call id                  %i   id
 *     %y   declared type                 %r   createdAt, or null
 *     %g   messageId, or null            %o   the store's "meta" object
 *     %b   whether the content is binary
 *     %p   ,"mimeType":.. and, of a derived content, ,"derivedType":..
 *     %z   ,"truncated":true and ,"reason":.. if they apply
 *     %s   ,"size":.. if it is known
 */


/*
 * What a format takes of one kind of content, sent in base64.
 *
 * "types" are ranges (art_media_in()) separated by spaces; the first that
 * matches counts.  "type=name" gives the provider's own name for a type (%f in
 * templates); "?type" is taken only if the service's "accepts" names it.
 *
 * "max" is in bytes of the content or, with ART_PART_ENCODED, of its base64; 0:
 * the provider states no limit.
 */

typedef struct {
    const char             *template;  /* NULL: nothing of this kind is taken */
    const char             *types;
    uint64_t                max;
    unsigned                flags;     /* ART_PART_* */
} art_part_t;


#define ART_PART_ENCODED    0x01
#define ART_PART_EXTRACTED  0x02     /* the provider extracts its text: "pdf"
                                        suffices as well as "file" */
#define ART_PART_ANYONE     0x04     /* any model: needs no capability */


/*
 * Models by their names: those that have "family" with a version from
 * "major"."minor" on.  NULL: all of them.
 */

typedef struct {
    const char             *family;
    unsigned                major;
    unsigned                minor;
} art_since_t;


/* The provider's rule for file names (%n); all zero: no rule. */

typedef struct {
    size_t                  max;       /* characters; 0: no limit */
    unsigned                flags;     /* ART_FILENAME_* */
} art_filename_rule_t;


#define ART_FILENAME_EXTENSION  0x01   /* has an extension of its media type */
#define ART_FILENAME_PLAIN      0x02   /* letters, digits, " -()[]", unique */


/*
 * A user's message: what is written before and after its parts, and the start
 * of a text part, up to its string.  "needs_text": a document needs a text
 * beside it.
 */

typedef struct {
    const char             *open;
    const char             *close;
    const char             *text;
    unsigned                needs_text;
} art_format_message_t;


/*
 * "urls" are the parts that have the content's URL (%a) in place of its bytes:
 * what the provider fetches by itself, with "types" that "parts" has as well,
 * and the size that it fetches.  Only models of "url_since" take them.
 */

typedef struct art_format_s  art_format_t;

struct art_format_s {
    const char             *name;
    unsigned                flags;     /* ART_FORMAT_* */
    art_filename_rule_t     name_rule;
    const char             *text;
    const char             *json;      /* of a JSON value; NULL: "text" */
    const char             *described; /* of a description; NULL: "text" */
    uint64_t                text_max;  /* characters; 0: no limit */
    uint32_t                max_side;  /* the longest one of an image, in
                                          pixels; 0: no limit */
    art_part_t              parts[ART_KIND_MAX];  /* for text: a document,
                                                     if "accepts" asks for
                                                     it */
    art_part_t              urls[ART_KIND_MAX];
    art_since_t             url_since;
    art_format_message_t    message;
    const art_format_t     *in_message;    /* NULL: this format */
};


#define ART_FORMAT_PROGRAM  0x01     /* for programs, not models */
#define ART_FORMAT_CALL_ID  0x02     /* depends on the tool call id */
#define ART_FORMAT_FILLED   0x04     /* an empty text is an error */
#define ART_FORMAT_TRUST    0x08     /* no provider checks the content */
#define ART_FORMAT_LINK     0x10     /* "described" is a link: content
                                        without a URL is described as text */
#define ART_FORMAT_UNLOCKED 0x20     /* PDFs must need no password */
#define ART_FORMAT_RELAYED  0x40     /* a client passes the parts on to a
                                        model, by the API of that */


/*
 * The contents of a resource, for MCP's resources/read: a format without a row
 * in the table of formats, since no configuration can ask for it.
 */

extern const art_format_t  art_mcp_contents;
extern const art_format_t  art_mcp_read;


/*
 * The first function returns the format with a name, or NULL; the second one
 * format "i", of which 0 is the default, NULL past the end; the third one the
 * number of a format, for one without a row how many there are.
 */

const art_format_t *art_format_find(art_str_t name);
const art_format_t *art_format_row(unsigned i);
unsigned art_format_number(const art_format_t *format);


#endif /* ART_API_FORMAT_H_INCLUDED_ */
