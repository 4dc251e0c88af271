
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What a scan finds in a request: slots, and the places that their contents may
 * have to go to.
 */


#ifndef ART_EXPAND_SLOT_H_INCLUDED_
#define ART_EXPAND_SLOT_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/media/art_media.h"
#include "core/media/art_standin.h"
#include "core/api/art_api_rules.h"
#include "core/expand/art_expand_value.h"


#define ART_MESSAGE_SLOTS_MAX   4096     /* references; edits */
#define ART_MESSAGE_MEDIA_MAX   16384    /* with what stays as it is */
#define ART_MESSAGE_FINDS_MAX   2048     /* in texts, besides */
#define ART_MESSAGE_MODELS_MAX  16

#define ART_MESSAGE_SLOTS_BLOCK  64


/* Where a slot is in its message. */

typedef enum {
    ART_PLACE_PART = 0,          /* a part among others */
    ART_PLACE_STRING,            /* the string that is all of a tool's result */
    ART_PLACE_TEXT,              /* the text of a part of one */
    ART_PLACE_CALL_PART,         /* a part of Gemini's functionResponse */
    ART_PLACE_CALL_VALUE,        /* its response's output or result */
    ART_PLACE_IMAGE,             /* an element of OpenRouter's images */
    ART_PLACE_SOLE,              /* where only a picture can be */
    ART_PLACE_ELSEWHERE,         /* any string: a stand-in's */
    ART_PLACE_FOUND,             /* in a text of a tool */
    ART_PLACE_CALL_FOUND         /* in a response of Gemini's */
} art_message_place_t;


/*
 * Where content goes that cannot be in the slot itself.
 *
 * ART_GROUP_TOOLS: consecutive messages with results of tools; "at" is after
 * the last one.
 * ART_GROUP_CALL: a functionResponse; "object" is its response, of some
 * "shape", and "array" its parts, with the number of their elements
 * ("string": what stands in the place of the parts, such as null);
 * "taken" is how many names of the member for words are in use; they go in at
 * "words", behind "members" of the response.
 * ART_GROUP_IMAGES: a message with images; "array" is its content, if that is
 * an array of "elements", and "string" if it is a string, null or not there.
 * In both, "at" is before the closing brace of the object itself.
 * ART_GROUP_TEXT: a text in which something was found; "string" is its string,
 * "at" after the part that has it (0: the string is all of the result).
 * ART_GROUP_SILENT: a message without a text of its own, where a document needs
 * one (art_format_message_t).
 */

typedef enum {
    ART_GROUP_TOOLS = 0,
    ART_GROUP_CALL,
    ART_GROUP_IMAGES,
    ART_GROUP_TEXT,
    ART_GROUP_SILENT
} art_message_group_kind_t;

typedef enum {
    ART_SHAPE_NONE = 0,
    ART_SHAPE_OBJECT,
    ART_SHAPE_NULL,
    ART_SHAPE_OTHER
} art_message_shape_t;

typedef struct {
    art_message_group_kind_t  kind;
    art_message_shape_t  shape;
    unsigned             empty:1;    /* the string is, or null */
    unsigned             taken:2;
    uint32_t             members;
    uint32_t             elements;
    uint64_t             at;
    uint64_t             words;
    art_span_t           object;
    art_span_t           array;
    art_span_t           string;
} art_message_group_t;


/* Members of a part that declare a media type; further ones are not noted. */

#define ART_SLOT_MIMES  4


/*
 * A slot that holds a reference or media.  If the content fits, "target" is
 * replaced (art_message_form_t), and "mime", a value, has to change with it;
 * else "part" is made anew: the whole part, or the string of a result.  With a
 * URL, "url" takes the place of "target", and "url_rival" of "rival".  "data"
 * is the string of media of the client's own.  "keep" are members of the part
 * that always stay, in order.  The part is element "index" of its array; the
 * element before it ends at "before", and the next one starts at "after" (0:
 * there is no other).  "message" is a number in the list of messages,
 * UINT32_MAX: a separate system text, or no message.  "group" and "tools" are
 * the numbers of its call or images, and of its consecutive messages of tools;
 * UINT32_MAX: none.  "ref" is that of the distinct reference.  "kind" and
 * "mime_type" are those of media, as far as known (ART_KIND_OTHER, empty),
 * "name" is its file name.  "request" is the number of the request that the
 * slot is in.
 *
 * Media of the client's own that were "looked" at have in "raw" the characters
 * of their base64, in "type" those of a data URL's type (0: no data URL),
 * and in "mimes" all "nmimes" members that declare a type; without any it would
 * be declared before "key".  "declared" is what they declare, as far as it is
 * known, "mime_type" and "kind" are those of the content (art_classify.h; empty
 * if unknown).  "right" is the API's own spelling of its type; "mistyped": what
 * stands there is another one.  "garbage": bytes that are not what they would
 * be by their type.  "like" is the stand-in that the content would have, by its
 * signature; "denied": something else is declared.
 *
 * A "standin" is a reference to the medium that it stands for, with the text of
 * its id, which nobody may see; or, as ART_HELD_STANDIN or with bytes of the
 * client's own, a medium (art_scan_conf_t).  Of one ELSEWHERE "part" is all of
 * the string, and "head" a data URL before its base64, as JSON has it; or it is
 * "inside" a string, and "part" the base64 alone.
 *
 * What was found in a text (ART_PLACE_FOUND, ART_PLACE_CALL_FOUND) has "part",
 * the marker or the run, and the "group" of its text or its call; a run is the
 * "nth" of all.
 */

typedef struct {
    art_message_held_t         held;
    art_message_role_t         role;
    art_message_place_t        place;
    const art_message_form_t  *form;     /* NULL: of a string in its place */

    art_span_t           part;
    art_span_t           target;
    art_span_t           url;
    art_span_t           data;
    art_span_t           mime;
    art_span_t           mimes[ART_SLOT_MIMES];
    art_span_t           raw;
    art_span_t           type;
    uint64_t             key;
    uint64_t             xref;       /* of a PDF (art_look.h) */
    art_span_t           keep[2];
    uint64_t             before;
    uint64_t             after;
    uint32_t             index;
    uint32_t             message;
    uint32_t             group;
    uint32_t             tools;
    uint32_t             ref;
    uint32_t             nth;
    uint32_t             request;

    unsigned             malformed:1;
    unsigned             named:1;    /* has a member for the name */
    unsigned             rival:1;    /* has another source */
    unsigned             url_rival:1;
    unsigned             result:1;   /* counts in a tool's result only */
    unsigned             within:1;   /* in a document of Anthropic's */
    unsigned             error:1;    /* in a result that takes text only */
    unsigned             broken:1;   /* not base64, or was cut off */
    unsigned             plain:1;    /* base64 that can stay as it is */
    unsigned             old:1;      /* a run of which only the name stays */
    unsigned             looked:1;
    unsigned             cut:1;      /* the end is missing */
    unsigned             locked:1;   /* it needs a password */
    unsigned             garbage:1;
    unsigned             mistyped:1;
    unsigned             blank:1;    /* a text of white space only */
    unsigned             denied:1;
    unsigned             inside:1;
    art_standin_t        like;
    unsigned             nmimes;

    art_standin_t        standin;
    art_str_t            head;

    art_str_t            text;       /* id or URL */
    art_str_t            name;
    art_kind_t           kind;
    art_str_t            mime_type;
    art_str_t            declared;
    art_str_t            right;
    const char          *charset;    /* of a text; NULL: UTF-8 */
    unsigned             lines;      /* it was not declared */
    uint64_t             size;       /* decoded bytes */
    uint32_t             width;      /* pixels, of an image; 0: unknown */
    uint32_t             height;
} art_message_slot_t;


/* Whether what the slot takes is a data URL; else it is base64. */

#define art_form_is_url(form)                                                 \
    ((form)->value != NULL && strncmp((form)->value, "\"data:", 6) == 0)


/*
 * The member that has the media type of base64; NULL: there is none.  Where the
 * whole source is replaced, it is Anthropic's.
 */

#define art_form_member(form)                                                 \
    ((form)->mime != NULL ? (form)->mime                                      \
     : (form)->source == ART_TYPE_BASE64 ? "media_type" : NULL)


#define art_slot_is_found(slot)  ((slot)->place >= ART_PLACE_FOUND)


/* A link that a tool made is a find as well: too many end no session. */

#define art_slot_is_link(slot)                                                \
    ((slot)->held == ART_HELD_REF && (slot)->form != NULL                     \
     && (slot)->form->field == ART_FIELD_LINK)


#endif /* ART_EXPAND_SLOT_H_INCLUDED_ */
