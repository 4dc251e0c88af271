
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What becomes of the slots of a request for a given reader: which part,
 * text or words, and which bytes of the body have to change for it.
 */


#ifndef ART_EXPAND_PLAN_H_INCLUDED_
#define ART_EXPAND_PLAN_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/api/art_api_format.h"
#include "core/derive/art_derive.h"
#include "core/render/art_reasons.h"
#include "core/render/art_view.h"
#include "core/expand/art_expand_scan.h"


/*
 * Sets the caller's words for an artifact that is described, once the reason is
 * known; empty: the built-in ones.  ART_ERROR when out of memory.
 */

typedef int (*art_message_describe_pt)(void *data, const art_view_t *view,
    art_str_t *words);


/*
 * The reader of the request.  If it is not "known", the members up to
 * "inline_max" are ignored.  The name of the model tells whether the result of
 * a call takes parts (art_api_request_t).  "inline_max" (0: no limit) applies
 * to artifacts; the client's own media have the limits of the format and
 * "service_max".  Texts among them that become texts have at most "text_max"
 * bytes (0: ART_PLAN_TEXT_MAX).
 *
 * With "by_url" artifacts that have a URL (art_view_t) are sent by it where the
 * API's row has it; "names" are those that a map has of the model, or empty.
 *
 * "rules" are those of conversions.  For images that one of them converts, the
 * limit of an API for the sides of many images holds from the first image on;
 * otherwise the one that makes them many would change all before it.
 */

#define ART_READER_NAMES   2
#define ART_PLAN_TEXT_MAX  ((uint64_t) 1 << 20)

typedef struct {
    unsigned             known:1;
    unsigned             caps;           /* ART_CAP_* */
    const art_str_t     *accepts;        /* ranges of media types */
    unsigned             naccepts;
    uint64_t             service_max;    /* bytes */
    uint64_t             max_side;       /* pixels of an image; 0: no limit */
    uint64_t             max_media;      /* of the request; 0: no limit */
    uint64_t             inline_max;
    uint64_t             text_max;
    const art_derive_rule_t *rules;
    unsigned             nrules;
    art_str_t            model;
    art_str_t            names[ART_READER_NAMES];
    unsigned             by_url:1;
    unsigned             tool_media:1;   /* its API takes media of tools */
    unsigned             agents:1;       /* as in art_view_t */
    art_lang_t           lang;
    art_message_describe_pt  describe;   /* or NULL */
    void                *data;           /* for it */
} art_message_reader_t;


typedef enum {
    ART_BECOMES_ITSELF = 0,      /* stays as it is */
    ART_BECOMES_PART,
    ART_BECOMES_TEXT,
    ART_BECOMES_DESCRIBED,
    ART_BECOMES_NAMED
} art_message_becomes_t;


/*
 * A row of formats for a rendering (art_render.h) of a value, or of a part
 * without its closing brace, so that members can follow.
 */

#define ART_PLAN_TEMPLATE_MAX  256

typedef struct art_message_row_s  art_message_row_t;

struct art_message_row_s {
    art_message_row_t         *next;
    const art_message_form_t  *form;     /* NULL: a part made anew */
    art_kind_t                 kind;
    unsigned                   by_url;
    art_format_t               format;
    char                       template[ART_PLAN_TEMPLATE_MAX];
};


/*
 * What a slot becomes.  "format" is set for a part or a text: the row with
 * which its content has to be rendered; the caller then sets "length", the
 * bytes of that rendering.  Words are JSON strings, with quotes: "words"
 * replace the slot, "intro" leads in a part elsewhere, and "fallback" replaces
 * media, or a converted text, for which the request has no room.  "large"
 * replaces an image of a source that is too large among many; empty: it is not.
 * Pasted base64 (ART_HELD_RUN) gives way to its "intro", and a stand-in in a
 * text to its "head".
 *
 * What stays may be "corrected": "head" is the right type of a data URL, or the
 * beginning of one, "mime" the value of the member that has it, with its comma
 * behind it and the key in "name" if it has to be inserted.  In a part that
 * moves "mime" takes the place of the type.
 *
 * If "own" is set, the content is not rendered, but "head", "length" bytes that
 * are made of these bytes of the body, and "tail".  With "by_url" it is only
 * "head".  "whole": the bytes are those of the client's part, as they are.
 */

typedef struct {
    art_message_becomes_t      becomes;
    const art_format_t        *format;
    uint64_t                   length;
    art_str_t                  words;
    art_str_t                  intro;
    art_str_t                  fallback;
    art_str_t                  large;
    art_str_t                  head;
    art_str_t                  tail;
    art_str_t                  made;     /* the type, if "derived" */
    art_span_t                 own;
    art_str_t                  mime;     /* with quotes */
    art_str_t                  name;     /* a member, with its comma */
    art_reason_t               reason;   /* of a description */
    art_kind_t                 kind;     /* of a part */
    unsigned                   fits:1;
    unsigned                   hoisted:1;    /* a part: after the tools */
    unsigned                   missing:1;    /* described: no artifact */
    unsigned                   expired:1;    /* there was one */
    unsigned                   dropped:1;    /* the request has no room */
    unsigned                   over:1;       /* one of too many */
    unsigned                   derived:1;    /* a converted content */
    unsigned                   unconverted:1; /* described: that has failed */
    unsigned                   by_url:1;     /* a part: of the URL */
    unsigned                   corrected:1;  /* its type */
    unsigned                   whole:1;
    unsigned                   back:1;       /* a part: only its base64 */
} art_message_edit_t;


/*
 * How much was moved to the position of a group and deleted from its array so
 * far, and how much will be deleted.
 */

typedef struct {
    uint32_t                   words;
    uint32_t                   parts;
    uint32_t                   deleted;
    uint32_t                   removed;
} art_message_moved_t;


/*
 * "reader" and what follows from it are those of the request that was entered
 * last (art_plan_enter()).
 */

typedef struct {
    const art_scan_t          *scan;
    art_message_reader_t      *readers;  /* one for each request */
    art_message_reader_t       reader;
    uint32_t                   request;
    uint32_t                   from;     /* its slots */
    uint32_t                   to;
    const art_format_t        *format;   /* of the API */
    art_message_row_t         *rows;
    art_message_edit_t        *edits;    /* one for each slot */
    art_message_moved_t       *moved;    /* one for each group */
    unsigned                   call_parts;   /* results of calls take parts */
    unsigned                   by_url;       /* the provider fetches */
    const art_message_slot_t  *medium;       /* of a stand-in, or NULL */
    uint64_t                   more;     /* bytes added by others */
} art_message_plan_t;


/*
 * Begins, and decides about all media of the client's own.  There is a reader
 * for each request of the scan, which are copied; scan and strings of the
 * readers must outlive the plan, whose memory is the scan's pool's.  ART_ERROR
 * when out of memory.
 */

int art_plan_init(art_message_plan_t *plan, const art_scan_t *scan,
    const art_message_reader_t *readers);


/*
 * Makes the reader of a request the plan's; the second function does it for
 * the request of a slot.  art_plan_source() does so itself.
 */

void art_plan_enter(art_message_plan_t *plan, uint32_t request);
static inline void
art_plan_enter_slot(art_message_plan_t *plan, uint32_t i)
{
    art_plan_enter(plan, art_scan_slot(plan->scan, i)->request);
}


/*
 * Decides about a slot with a reference.  "view" has id, name, media type,
 * kind, size and metadata of the artifact, "empty" that it has no bytes,
 * "failed" that reading failed before the first; view->decision, kind, lang
 * and, for a name that must be unique, id are set for the rendering.  NULL:
 * there is no such artifact, or it may not be read; slot->malformed implies
 * that.  Each slot needs a view of its own, as the source filled it in.
 * ART_ERROR when out of memory.
 *
 * If plan->edits[i].format is set then, the content has to be rendered with
 * that row and this view, and its length set with art_plan_length(); the same
 * reference with the same row gives the same bytes.  Otherwise the content is
 * not needed.
 *
 * A slot where only a picture can be (ART_PLACE_SOLE) takes no words: if it
 * becomes anything but a part that fits, the request has to be refused
 * (art_plan_is_refused()).
 *
 * An argument of a tool (art_scan_conf_t) is not described: if it is "missing",
 * or for its "reason", it stays ART_BECOMES_ITSELF, and the call has to be
 * refused.
 */

int art_plan_source(art_message_plan_t *plan, uint32_t i, art_view_t *view,
    unsigned empty, unsigned failed);
static inline void
art_plan_length(art_message_plan_t *plan, uint32_t i, uint64_t length)
{
    plan->edits[i].length = length;
}


/* Whether a slot needs a picture and gets none, once all is decided. */

int art_plan_is_refused(const art_message_plan_t *plan, uint32_t i);


/*
 * Whether the part of a slot is moved: after the messages of tools, or from a
 * response to the parts beside it.  Words take its place.
 */

int art_plan_is_moved(const art_message_plan_t *plan, uint32_t i);


/*
 * Sets the words for the client's own media, as a whole JSON string: name or
 * URL if known, type, decoded size, and "reason".  ART_ERROR when out of
 * memory.
 */

int art_plan_media_words(const art_message_plan_t *plan,
    const art_message_slot_t *slot, art_reason_t reason, art_str_t *words);


/*
 * How many slots are edited, or have a reference, which may be, but for what
 * was found in texts; and whether
 * nothing is edited but media of the client's own that a provider would refuse
 * for their type, or for being unreadable.
 */

uint32_t art_plan_edits(const art_message_plan_t *plan);
int art_plan_only_corrects(const art_message_plan_t *plan);


/*
 * Adds the slots that are described or named, in order: with the reason of the
 * description, or "missing", "named" (the position takes text only), "dropped"
 * (the request had no room), "empty" (the content is).
 */

void art_plan_reasons(const art_message_plan_t *plan, art_reasons_t *reasons);


/* The reason of one slot; NULL if it has its content. */

const char *art_plan_reason(const art_message_edit_t *edit);


#endif /* ART_EXPAND_PLAN_H_INCLUDED_ */
