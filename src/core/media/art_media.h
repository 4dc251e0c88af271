
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Media types: what kind of content a type is, the names people give it, its
 * extensions and its aliases; and how a declared one is read (RFC 9110, section
 * 8.3.1).  A new type is a new row of art_media_table.c.
 */


#ifndef ART_MEDIA_H_INCLUDED_
#define ART_MEDIA_H_INCLUDED_


#include "core/base/art_core.h"


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


#define ART_MEDIA_SIGNED     0x01    /* has a signature, is never text */
#define ART_MEDIA_CONTAINER  0x02    /* the family's bare container */
#define ART_MEDIA_ACTIVE     0x04    /* a browser may execute it */
#define ART_MEDIA_JSON       0x08    /* the content is a JSON document */
#define ART_MEDIA_TEXTUAL    0x10    /* not text, but readable as text */


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


/* Whether a row's files are text, read as such or not (SVG). */

int art_media_is_textual(const art_media_t *media);


/*
 * Rows by number, for tests and for compact storage; NULL past the end.  They
 * are one array, so a row's number is its distance from the first one.
 */

const art_media_t *art_media_row(unsigned i);


/*
 * What is known about a type, with or without a row: "image/..." is an image,
 * "...+json", "...+xml" and "text/..." are text, and so on; "known" is 0 if the
 * kind is not known (an "application/..." type without a row).
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


/*
 * The name of a file after its conversion from the type "was" to "mime", both
 * canonical: a known extension is replaced by the first one of the new type.  A
 * name without one, or with an extension of that type, stays, and so does any
 * name if the type has no row.  Written to "buf", which has room for name.len +
 * ART_MEDIA_EXT_MAX bytes.
 */

art_str_t art_media_rename(art_str_t name, art_str_t was, art_str_t mime,
    uint8_t *buf);


#define ART_MEDIA_TYPE_MAX  127      /* bytes of type "/" subtype */


/* A declared media type: the essence in lower case, and its charset. */

typedef struct {
    uint8_t        buf[ART_MEDIA_TYPE_MAX];
    size_t         len;              /* 0: declares nothing */
    art_str_t      charset;          /* as declared; points to the source */
} art_media_type_t;


/*
 * Parses a media type (RFC 9110 section 8.3.1) into *out and replaces an alias
 * by the registered name ("image/jpg" by "image/jpeg").  Sets out->len to 0 for
 * a generic type ("application/octet-stream"), a bare word, or anything else
 * that is not a media type.  Parameters other than charset are ignored.
 */

void art_media_parse(art_str_t text, art_media_type_t *out);


/*
 * The same for a type that a service takes (docs/capabilities.md): generic
 * types and ranges ("image/" and an asterisk) are accepted as well.  Parameters
 * are dropped; out->len is 0 for anything else.
 */

void art_media_range(art_str_t text, art_media_type_t *out);


#endif /* ART_MEDIA_H_INCLUDED_ */
