
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A plan from within: art_expand_plan.c decides about references and the
 * client's own media, with what art_expand_own.c knows of them,
 * art_expand_bytes.c about bytes in places where no API takes them,
 * art_expand_argument.c about arguments of tools; art_expand_place.c has what
 * the others need to know.
 */


#ifndef ART_EXPAND_PLAN_INT_H_INCLUDED_
#define ART_EXPAND_PLAN_INT_H_INCLUDED_


#include "core/expand/art_expand_plan.h"


/*
 * Decides about pasted base64 and about MCP's blocks (ART_FORM_BLOCK) without a
 * reference.  ART_ERROR when out of memory.
 */

int art_bytes_plan(art_message_plan_t *plan, uint32_t i);


/* Makes a part of bytes of the body.  ART_ERROR when out of memory. */

int art_bytes_part(art_message_plan_t *plan, uint32_t i);


/*
 * The short name of media stands where they cannot be.  ART_ERROR when out of
 * memory.
 */

int art_bytes_named(art_message_plan_t *plan, uint32_t i);


/* What becomes of media of the client's own, by what they are. */

typedef enum {
    ART_OWN_STAYS = 0,           /* the row decides about its kind and size */
    ART_OWN_READ,                /* words: it cannot be read */
    ART_OWN_PASSWORD,            /* the same if the API refuses it */
    ART_OWN_AS_TEXT              /* its text, unless the row takes it so */
} art_own_becomes_t;

art_own_becomes_t art_own_becomes(const art_message_slot_t *slot);


/*
 * Carry it out for slot "i": words for what "slot" says it is, its text, the
 * right type.  ART_ERROR when out of memory.
 */

int art_own_describe(art_message_plan_t *plan, uint32_t i,
    const art_message_slot_t *slot, art_reason_t reason);
int art_own_text(art_message_plan_t *plan, uint32_t i);
int art_own_correct(art_message_plan_t *plan, uint32_t i);


/* Whether such media can only be in another part than theirs. */

unsigned art_own_is_misplaced(const art_message_slot_t *slot);


/* Makes a slot one with what was declared, or with what alone it takes. */

void art_own_declared(art_message_slot_t *slot);


/*
 * Media of the client's own that the API takes, but not where they are, go
 * after the messages of tools.  ART_ERROR when out of memory.
 */

int art_bytes_move(art_message_plan_t *plan, uint32_t i);


/*
 * The same as art_plan_source() for the argument of a tool.
 */

int art_argument_plan(art_message_plan_t *plan, uint32_t i, art_view_t *view,
    unsigned failed);


/*
 * The longest side of an image of that media type, in pixels; 0: none but the
 * format's.
 */

static inline uint64_t
art_plan_side(const art_message_plan_t *plan, art_str_t mime)
{
    uint64_t                     side, many;
    const art_message_reader_t  *reader;

    reader = &plan->reader;

    side = reader->known ? reader->max_side : 0;
    many = plan->scan->conf.api->request.many_side;

    if (many != 0 && (side == 0 || side > many)
        && art_derive_fits(reader->rules, reader->nrules, mime))
    {
        side = many;
    }

    return side;
}


/*
 * What the routing table says about a content in a slot: view->decision, kind
 * and lang.
 */

void art_plan_decide(const art_message_plan_t *plan,
    const art_message_slot_t *slot, art_view_t *view, unsigned empty,
    unsigned failed);


/*
 * The words for what the slot becomes; for a part those that lead it in.
 * ART_ERROR when out of memory.
 */

int art_plan_words(art_message_plan_t *plan, art_str_t *words,
    const art_view_t *view, art_message_becomes_t as);


/* The kind of part that a slot's bytes are in: a text is a document there. */

art_kind_t art_plan_bytes_kind(const art_message_slot_t *slot);


/* Whether media of that kind may be in the slot's place, or be hoisted. */

unsigned art_plan_place(const art_message_plan_t *plan,
    const art_message_slot_t *slot, art_kind_t kind);


/* The same for media of the client's own, whose type need not be known. */

unsigned art_plan_is_displaced(const art_message_plan_t *plan,
    const art_message_slot_t *slot);


/* Whether a part goes after the messages of tools: its place takes none. */

unsigned art_plan_is_hoisted(const art_message_plan_t *plan,
    const art_message_slot_t *slot, art_str_t mime);


/* Whether what is in that place may be a URL that the provider fetches. */

unsigned art_plan_fetches(const art_message_plan_t *plan,
    const art_message_slot_t *slot, const art_view_t *view);


/* Whether an image is too large for the API if there are many. */

int art_plan_is_large(const art_message_plan_t *plan, art_kind_t kind,
    uint32_t width, uint32_t height);


/* Replaces media by words, whatever was to become of them. */

static inline void
art_plan_describe(art_message_edit_t *edit, art_str_t words)
{
    edit->becomes = ART_BECOMES_DESCRIBED;
    edit->format = NULL;
    edit->own.end = 0;
    edit->by_url = 0;
    edit->whole = 0;
    edit->corrected = 0;
    edit->words = words;
}


/*
 * The row for a slot's form, or for a part or a text that is made anew; "own":
 * the rendering differs from all others.  NULL when out of memory.  The second
 * function does it for parts with URLs.
 */

const art_format_t *art_plan_row(art_message_plan_t *plan,
    const art_message_form_t *form, art_kind_t kind, unsigned own);
const art_format_t *art_plan_url_row(art_message_plan_t *plan,
    const art_message_form_t *form, art_kind_t kind);


#endif /* ART_EXPAND_PLAN_INT_H_INCLUDED_ */
