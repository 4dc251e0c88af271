
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What a string in a slot is: a reference to an artifact, or media that the
 * client put there itself.
 */


#ifndef ART_EXPAND_VALUE_H_INCLUDED_
#define ART_EXPAND_VALUE_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/text/art_base64.h"
#include "core/json/art_json_lex.h"
#include "core/media/art_look.h"
#include "core/media/art_pixels.h"
#include "core/media/art_sniff.h"
#include "core/media/art_standin.h"
#include "core/ref/art_url.h"
#include "core/api/art_api_rules.h"


/* Bytes of a URL or a provider's file id kept for a description. */

#define ART_VALUE_TEXT_MAX  255


typedef enum {
    ART_HELD_NONE = 0,
    ART_HELD_REF,                /* "text" is the id, without "artifact:" */
    ART_HELD_DATA,               /* a data URL, or base64 */
    ART_HELD_URL,                /* "text" has neither user nor query */
    ART_HELD_FILE,               /* "text" is the provider's id */
    ART_HELD_RUN,                /* base64 pasted into a text */
    ART_HELD_WORDS,              /* what the model is to read, as it is */
    ART_HELD_STANDIN             /* one that is to be taken out */
} art_message_held_t;


/* Bytes of the body, from "pos" to before "end"; both 0: none. */

typedef struct {
    uint64_t             pos;
    uint64_t             end;
} art_span_t;


/*
 * "mime" is canonical or empty: what a data URL declares, else the type by the
 * signature of the first bytes, which may only be that of a container
 * ("generic").  "size" is the number of decoded bytes.  "malformed": no
 * artifact can have the id.  "text" and "mime" may point into the value or the
 * caller's "buf".  "plain": the value is canonical base64;
 * "broken": it is not base64.  Both are known only of one that was read to its
 * end.  "width" and "height" are those of an image, if its beginning was read;
 * 0: unknown.
 *
 * "looked": it is base64, or should be, and was looked at: "cut", "locked" and
 * "xref" are those of art_look_t, "evidence" is that of its first bytes.
 * "data" are its characters in the body, "type" those of the type in front of
 * them, if it is a data URL; "declared" is that type as it stands.
 *
 * A "standin" is a reference whose "text" is the id that it carries.
 */

typedef struct {
    art_message_held_t   held;
    art_str_t            text;
    art_str_t            mime;
    uint64_t             size;
    uint32_t             width;
    uint32_t             height;
    unsigned             malformed:1;
    unsigned             file:1;     /* a reference by a file id */
    unsigned             generic:1;
    unsigned             plain:1;
    unsigned             broken:1;
    unsigned             looked:1;
    unsigned             cut:1;
    unsigned             locked:1;
    uint64_t             xref;
    art_str_t            declared;
    art_span_t           data;
    art_span_t           type;
    art_standin_t        standin;
    art_evidence_t       evidence;
} art_message_held_value_t;


/*
 * Classifies the string of a field.  A reference is "artifact:" and an id, or a
 * prefix of "url" (or NULL: none) and an id: percent-decoded, "artifact:"
 * allowed, a query skipped (docs/expand.md, docs/ids.md).  A prefix without an
 * id is not a reference.  Neither is a string with white space in it, which is
 * prose, or one of more than ART_LEX_KEEP bytes, unless the field is
 * ART_FIELD_NONE, which can hold nothing else.  An artifact's id as a file id
 * (docs/writes.md) is a reference in fields for URLs, file ids and artifacts; a
 * well-formed id of a workspace file in these and in fields for data.  With
 * ART_VALUE_REFS only references are found, with ART_VALUE_MEDIA none are.
 * "buf" has room for ART_LEX_KEEP bytes.
 */

typedef enum {
    ART_VALUE_ALL = 0,
    ART_VALUE_REFS,
    ART_VALUE_MEDIA
} art_value_what_t;

void art_message_value(art_message_held_value_t *held,
    const art_lex_value_t *value, art_message_field_t field,
    art_value_what_t what, const art_url_t *url, uint8_t *buf);


/*
 * The same for an argument of a tool, which only a reference matters in: it may
 * also be the marker of one, "[artifact:" an id "]".
 */

void art_message_argument(art_message_held_value_t *held,
    const art_lex_value_t *value, const art_url_t *url, uint8_t *buf);


/*
 * The same for the URI of a link that a tool made: a reference only to a UUID,
 * since other ids can be guessed by whoever wrote the tool's answer.
 */

void art_message_link(art_message_held_value_t *held,
    const art_lex_value_t *value, const art_url_t *url, uint8_t *buf);


/*
 * The last segment of a URI's path, which names what is there; without one the
 * URI as far as its query.
 */

art_str_t art_message_uri_name(art_str_t uri);


/*
 * What a string may be that is base64 or a data URL, read to its end.  The
 * first function begins it at "pos", its first byte in the body; the second one
 * takes bytes as a lexer's "text" has them; the third one returns where the
 * base64 begins, 0 if that has not come yet; the last one sets what is known of
 * a string of a field, whose beginning is the text of "value".
 */

#define ART_VALUE_LEAD  5        /* bytes of "data:" */

typedef struct {
    unsigned             state;
    size_t               nlead;
    uint8_t              lead[ART_VALUE_LEAD];
    size_t               head;       /* bytes in which the comma may be */
    uint64_t             end;        /* as far as it was read */
    art_span_t           type;
    uint64_t             data;       /* where the base64 begins */
    art_look_t           look;
} art_message_look_t;

void art_message_look_init(art_message_look_t *st, uint64_t pos);
void art_message_look_read(art_message_look_t *st, const uint8_t *p, size_t len,
    uint64_t end);
uint64_t art_message_look_data(const art_message_look_t *st);
void art_message_look_end(art_message_look_t *st,
    art_message_held_value_t *held, const art_lex_value_t *value,
    art_message_field_t field, uint8_t *buf);


/*
 * The pixels of an image in base64 or a data URL, which is read only as far as
 * they need it, at most ART_VALUE_PIXELS_MAX characters.  The last function
 * ends the string and sets held->width and height.
 */

#define ART_VALUE_PIXELS_MAX  (2 * 1024 * 1024)

typedef struct {
    art_pixels_t         pixels;
    art_base64_decode_t  decode;
    size_t               head;       /* bytes in which the comma may be */
} art_message_pixels_t;

void art_message_pixels_init(art_message_pixels_t *st);
void art_message_pixels_read(art_message_pixels_t *st, const uint8_t *p,
    size_t len);
void art_message_pixels_end(art_message_pixels_t *st,
    art_message_held_value_t *held);


/*
 * Whether a string with this beginning may be a reference, the file id of an
 * artifact, the id of a workspace file, or a marker.
 */

int art_message_may_refer(art_str_t text, const art_url_t *url);
int art_message_may_be_file(art_str_t text);
int art_message_may_be_workspace(art_str_t text);
int art_message_may_mark(art_str_t text);


/*
 * The canonical media type of what is beside data: a media type, or the name of
 * a format ("png", "mp3"); empty if unknown.  It is a string of the table, or
 * in "buf", which has room for ART_MEDIA_TYPE_MAX bytes.
 */

art_str_t art_message_mime(art_str_t name, uint8_t *buf);


#endif /* ART_EXPAND_VALUE_H_INCLUDED_ */
