
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Reading a media type as it is declared (RFC 9110 section 8.3.1).
 */


#ifndef ART_MEDIA_PARSE_H_INCLUDED_
#define ART_MEDIA_PARSE_H_INCLUDED_


#include "core/base/art_core.h"


#define ART_MEDIA_TYPE_MAX  127      /* bytes of type "/" subtype */


/* A declared media type: the essence in lower case, and its charset. */

typedef struct {
    uint8_t        buf[ART_MEDIA_TYPE_MAX];
    size_t         len;              /* 0: declares nothing */
    art_str_t      charset;          /* as declared; points to the source */
} art_media_type_t;


/*
 * Parses a media type (RFC 9110 section 8.3.1) into *out, aliases replaced
 * by the registered name ("image/jpg" by "image/jpeg").  A generic type
 * ("application/octet-stream"), a bare word, or what is no media type sets
 * out->len to 0.  Parameters other than charset are ignored.
 */

void art_media_parse(art_str_t text, art_media_type_t *out);


/*
 * The same for what a service says it takes (docs/capabilities.md): a media
 * type, a generic one too, or all subtypes of one ("image/" and an asterisk).
 * Parameters are dropped; out->len is 0 for anything else.
 */

void art_media_range(art_str_t text, art_media_type_t *out);


#endif /* ART_MEDIA_PARSE_H_INCLUDED_ */
