
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The table of media types: what kind of content a type is, the names people
 * give it, its extensions and its aliases.  A new type is a new row.
 */


#ifndef ART_MEDIA_H_INCLUDED_
#define ART_MEDIA_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/base/art_lang.h"


typedef enum {
    ART_KIND_TEXT = 0,
    ART_KIND_IMAGE,
    ART_KIND_AUDIO,
    ART_KIND_VIDEO,
    ART_KIND_DOCUMENT,
    ART_KIND_OTHER,
    ART_KIND_MAX
} art_kind_t;


/*
 * Formats that share a container cannot contradict each other by the
 * container's signature alone.
 */

typedef enum {
    ART_FAMILY_NONE = 0,
    ART_FAMILY_ZIP,
    ART_FAMILY_OLE,
    ART_FAMILY_XML,
    ART_FAMILY_OGG,
    ART_FAMILY_MP4,
    ART_FAMILY_EBML,
    ART_FAMILY_ASF,
    ART_FAMILY_ID3
} art_family_t;


#define ART_MEDIA_SIGNED     0x01    /* has a signature, text never fits */
#define ART_MEDIA_CONTAINER  0x02    /* the family's bare container */
#define ART_MEDIA_ACTIVE     0x04    /* a browser may execute it */
#define ART_MEDIA_JSON       0x08    /* the content is a JSON document */
#define ART_MEDIA_TEXTUAL    0x10    /* no text, but can be read as text */


typedef struct {
    const char    *mime;             /* lower-case, without parameters */
    art_kind_t     kind;
    art_family_t   family;
    unsigned       flags;            /* ART_MEDIA_* */
    const char    *names[ART_LANG_MAX];
    const char    *extensions;       /* separated by spaces, no dots */
} art_media_t;


/* The row of a canonical type, or NULL. */

const art_media_t *art_media_find(art_str_t mime);


/* The row that an extension (without a dot, lower-case) names, or NULL. */

const art_media_t *art_media_by_extension(art_str_t extension);


/* Whether a row's files are text, be they read as that or not (SVG). */

int art_media_is_textual(const art_media_t *media);


/* Rows by number, for tests and for compact storage; NULL past the end. */

const art_media_t *art_media_row(unsigned i);
unsigned art_media_index(const art_media_t *media);


/*
 * What is known of a type whether it has a row or not: "image/..." is an image,
 * "...+json", "...+xml" and "text/..." are text, and so on; "known" is 0 when
 * nothing tells the kind (an "application/..." type without a row).
 */

typedef struct {
    art_kind_t          kind;
    art_family_t        family;
    unsigned            flags;       /* ART_MEDIA_* */
    unsigned            known;
    const art_media_t  *row;         /* or NULL */
} art_media_traits_t;

art_media_traits_t art_media_traits(art_str_t mime);


/*
 * Whether a canonical type is in a range (RFC 9110 section 12.5.1): the same
 * type, "image/" and an asterisk for all images, or an asterisk for all types.
 */

int art_media_in(art_str_t range, art_str_t mime);


/* "image", "audio", "video", "document", "other"; "text" for text. */

const char *art_kind_name(art_kind_t kind);


/* The type's name for people, or the media type itself. */

art_str_t art_media_friendly(art_str_t mime, art_lang_t lang);


/*
 * The extension of a file name or of an "extension" field (".PNG", "png"),
 * in lower case, without its dot, written to "buf"; empty if there is none or
 * it is longer than ART_MEDIA_EXT_MAX.
 */

#define ART_MEDIA_EXT_MAX  16

art_str_t art_media_extension(art_str_t name, uint8_t *buf);


#endif /* ART_MEDIA_H_INCLUDED_ */
