
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What a tool's result holds itself where no API takes it: base64 pasted into a
 * text, and MCP's blocks as they came
 * (modelcontextprotocol.io/specification, server/tools).  Parts are made of
 * them; the bytes, which may be many, are copied from the body.
 */


#include "core/text/art_base64.h"
#include "core/json/art_json_escape.h"
#include "core/format/art_route.h"
#include "core/render/art_format.h"
#include "core/expand/art_expand_plan_int.h"
#include "core/expand/art_expand_words.h"


/* Room for the name of what has none. */

#define ART_BYTES_NAME  32


static int art_bytes_words(art_message_plan_t *plan, uint32_t i);
static int art_bytes_empty(art_message_plan_t *plan, uint32_t i);
static art_str_t art_bytes_name(const art_message_slot_t *slot, uint8_t *buf);
static int art_bytes_media(art_message_plan_t *plan, uint32_t i);
static int art_bytes_short(art_message_plan_t *plan, uint32_t i);
static art_reason_t art_bytes_reason(const art_message_plan_t *plan,
    const art_message_slot_t *slot);
static unsigned art_bytes_keeps_type(const art_message_slot_t *slot);
static int art_bytes_retype(art_message_plan_t *plan, uint32_t i);
static void art_bytes_view(const art_message_plan_t *plan,
    const art_message_slot_t *slot, art_view_t *view);
static int art_bytes_again(art_message_plan_t *plan, uint32_t i);
static int art_bytes_frame(art_message_plan_t *plan, const art_view_t *view,
    unsigned tail, art_str_t *text);


int
art_bytes_plan(art_message_plan_t *plan, uint32_t i)
{
    const art_message_slot_t  *slot;

    slot = art_scan_slot(plan->scan, i);

    if (slot->held == ART_HELD_WORDS) {
        return art_bytes_words(plan, i);
    }

    if (slot->held != ART_HELD_RUN
        && art_own_becomes(slot) == ART_OWN_AS_TEXT
        && art_bytes_reason(plan, slot) != ART_REASON_NONE)
    {
        return art_own_text(plan, i);
    }

    return art_bytes_media(plan, i);
}


/*
 * A text is a string of the body; a URI is put behind the name, so that it is
 * never a text of its own, which would be a reference.
 */

static int
art_bytes_words(art_message_plan_t *plan, uint32_t i)
{
    uint8_t                    buf[ART_WORDS_LINE];
    art_out_t                  out;
    art_message_edit_t        *edit;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(plan->scan, i);
    edit = &plan->edits[i];

    edit->becomes = ART_BECOMES_TEXT;

    /* APIs refuse an empty text */

    if (slot->target.end - slot->target.pos == 2) {
        return art_bytes_empty(plan, i);
    }

    edit->own = slot->target;
    edit->length = edit->own.end - edit->own.pos;

    if (slot->form->type == ART_TYPE_RESOURCE) {
        return ART_OK;
    }

    out = art_out(NULL, 0);

    do {
        art_out_char(&out, '"');
        art_json_string(&out, art_bytes_name(slot, buf), 1);
        art_out_cstr(&out, " (");
    } while (art_out_again(&out, &plan->scan->conf.pool));

    edit->head = art_str(out.data, out.len);
    edit->tail = art_cstr(")\"");
    edit->own.pos++;
    edit->own.end--;
    edit->length -= 2;

    return out.data != NULL ? ART_OK : ART_ERROR;
}


static int
art_bytes_empty(art_message_plan_t *plan, uint32_t i)
{
    uint8_t                    buf[ART_WORDS_LINE];
    art_out_t                  out;
    art_view_t                 view;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(plan->scan, i);

    memset(&view, 0, sizeof(view));

    view.lang = plan->reader.lang;
    view.name = art_bytes_name(slot, buf);
    out = art_out(NULL, 0);

    do {
        art_words_lead(&out, &view, 0);
    } while (art_out_again(&out, &plan->scan->conf.pool));

    plan->edits[i].words = art_str(out.data, out.len);

    return out.data != NULL ? ART_OK : ART_ERROR;
}


/* The name of a resource, in "buf" of ART_WORDS_LINE bytes. */

static art_str_t
art_bytes_name(const art_message_slot_t *slot, uint8_t *buf)
{
    return slot->name.len > 0 ? art_words_line(slot->name, buf)
                              : art_cstr("resource");
}


/*
 * Pasted base64 gives way to its short name in any case; an unknown reader may
 * take it for what its tools need.
 */

static int
art_bytes_media(art_message_plan_t *plan, uint32_t i)
{
    art_reason_t               reason;
    art_message_edit_t        *edit;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(plan->scan, i);
    edit = &plan->edits[i];

    if (art_bytes_short(plan, i) != ART_OK) {
        return ART_ERROR;
    }

    if (slot->held != ART_HELD_RUN) {
        edit->words = edit->intro;

    } else if (!plan->reader.known) {
        return ART_OK;
    }

    edit->becomes = ART_BECOMES_NAMED;

    if (slot->old) {
        return ART_OK;
    }

    reason = art_bytes_reason(plan, slot);

    if (reason != ART_REASON_NONE) {
        edit->becomes = ART_BECOMES_DESCRIBED;
        edit->reason = reason;

        return art_plan_media_words(plan, slot, reason, &edit->words);
    }

    return art_plan_place(plan, slot, slot->kind) ? art_bytes_part(plan, i)
                                                  : ART_OK;
}


int
art_bytes_named(art_message_plan_t *plan, uint32_t i)
{
    art_message_edit_t  *edit;

    edit = &plan->edits[i];

    if (art_bytes_short(plan, i) != ART_OK) {
        return ART_ERROR;
    }

    edit->becomes = ART_BECOMES_NAMED;
    edit->words = edit->intro;

    return ART_OK;
}


/* The short name that stands for a medium, or leads it in. */

static int
art_bytes_short(art_message_plan_t *plan, uint32_t i)
{
    art_out_t  out;

    out = art_out(NULL, 0);

    do {
        art_words_short(&out, art_scan_slot(plan->scan, i));
    } while (art_out_again(&out, &plan->scan->conf.pool));

    plan->edits[i].intro = art_str(out.data, out.len);

    return out.data != NULL ? ART_OK : ART_ERROR;
}


/*
 * Why the reader cannot take it as a part.  An unknown one takes what a block
 * says it is.
 */

static art_reason_t
art_bytes_reason(const art_message_plan_t *plan,
    const art_message_slot_t *slot)
{
    art_decision_t               decision;
    art_question_t               question;
    const art_message_reader_t  *reader;

    reader = &plan->reader;

    memset(&question, 0, sizeof(question));

    question.format = plan->format;
    question.kind = art_plan_bytes_kind(slot);
    question.mime = slot->mime_type;
    question.size = slot->size;
    question.size_known = 1;
    question.max_side = art_plan_side(plan, slot->mime_type);
    question.width = slot->width;
    question.height = slot->height;
    question.end = slot->locked ? ART_END_LOCKED : ART_END_UNKNOWN;
    question.empty = slot->size == 0;
    question.failed = slot->held == ART_HELD_RUN
                      ? slot->broken || slot->cut || slot->garbage
                      : art_own_becomes(slot) == ART_OWN_READ;

    if (reader->known) {
        question.caps = reader->caps;
        question.accepts = reader->accepts;
        question.naccepts = reader->naccepts;
        question.service_max = reader->service_max;

    } else if (slot->form->kinds & ART_KIND_BIT(slot->kind)) {
        question.caps = ~0u;
    }

    art_route_decide(&question, &decision);

    if (decision.reason == ART_REASON_NONE
        && (decision.described || decision.routing == ART_ROUTING_TEXT))
    {
        return ART_REASON_TYPE;
    }

    return decision.reason;
}


int
art_bytes_part(art_message_plan_t *plan, uint32_t i)
{
    uint8_t                    id[ART_BYTES_NAME], name[ART_WORDS_LINE];
    art_out_t                  out;
    unsigned                   run;
    art_view_t                 view;
    art_message_edit_t        *edit;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(plan->scan, i);
    edit = &plan->edits[i];
    run = slot->held == ART_HELD_RUN;

    /* names of documents have to be unique */

    out = art_out(id, sizeof(id));
    art_out_cstr(&out, run ? "pasted-" : "#");
    art_out_uint(&out, run ? slot->nth : i);

    art_bytes_view(plan, slot, &view);

    view.id = art_str(id, out.len);
    view.name = run ? view.id
                : slot->name.len > 0 ? art_words_line(slot->name, name)
                : art_cstr(art_kind_name(slot->kind));

    edit->becomes = ART_BECOMES_PART;
    edit->kind = slot->kind;
    edit->hoisted = art_plan_is_hoisted(plan, slot, slot->mime_type) & 1;
    edit->own = run ? slot->part : slot->raw;
    edit->length = slot->plain ? edit->own.end - edit->own.pos
                               : ART_BASE64_LEN(slot->size);

    if (art_bytes_frame(plan, &view, 0, &edit->head) != ART_OK
        || art_bytes_frame(plan, &view, 1, &edit->tail) != ART_OK)
    {
        return ART_ERROR;
    }

    return art_plan_media_words(plan, slot, ART_REASON_SIZE, &edit->fallback);
}


static void
art_bytes_view(const art_message_plan_t *plan, const art_message_slot_t *slot,
    art_view_t *view)
{
    memset(view, 0, sizeof(*view));

    view->mime = slot->mime_type;
    view->kind = art_plan_bytes_kind(slot);
    view->size = slot->size;
    view->size_known = 1;
    view->width = slot->width;
    view->height = slot->height;
    view->lang = plan->reader.lang;
    view->agents = plan->reader.agents;
}


/*
 * The part moves with all that is in it, such as "detail" or "cache_control",
 * and is only called by its name where it was.
 */

int
art_bytes_move(art_message_plan_t *plan, uint32_t i)
{
    unsigned                   retype;
    art_message_edit_t        *edit;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(plan->scan, i);
    edit = &plan->edits[i];

    if (art_bytes_short(plan, i) != ART_OK) {
        return ART_ERROR;
    }

    edit->words = edit->intro;
    retype = slot->mistyped && art_bytes_keeps_type(slot);

    if (((slot->mistyped && !retype) || art_own_is_misplaced(slot))
        && plan->format->parts[art_plan_bytes_kind(slot)].template != NULL)
    {
        return art_bytes_part(plan, i);
    }

    /* the right type is not in a part that moves as it is */

    if (slot->mistyped && !retype) {
        edit->becomes = ART_BECOMES_NAMED;
        return ART_OK;
    }

    edit->becomes = ART_BECOMES_PART;
    edit->kind = slot->kind;
    edit->hoisted = 1;
    edit->whole = 1;

    /* its brace is written by whoever moves it */

    edit->own = slot->part;
    edit->own.end--;

    if (slot->place == ART_PLACE_CALL_PART && slot->named
        && slot->held == ART_HELD_DATA && slot->mime_type.len > 0)
    {
        if (art_bytes_again(plan, i) != ART_OK) {
            return ART_ERROR;
        }

    } else if (retype && art_bytes_retype(plan, i) != ART_OK) {
        return ART_ERROR;
    }

    edit->length = edit->own.end - edit->own.pos;

    return art_plan_media_words(plan, slot, ART_REASON_SIZE, &edit->fallback);
}


/* Whether the right type is all that a part of this kind lacks. */

static unsigned
art_bytes_keeps_type(const art_message_slot_t *slot)
{
    unsigned  url;

    url = slot->type.pos > 0;

    return slot->plain && (url || slot->nmimes == 1)
           && url == (art_form_is_url(slot->form) ? 1u : 0u)
           && (slot->kind == ART_KIND_OTHER
               || (slot->form->kinds & ART_KIND_BIT(slot->kind)) != 0);
}


/* The right type takes the place of the one that stands in the part. */

static int
art_bytes_retype(art_message_plan_t *plan, uint32_t i)
{
    art_message_edit_t  *edit;

    edit = &plan->edits[i];

    if (art_own_correct(plan, i) != ART_OK) {
        return ART_ERROR;
    }

    if (edit->head.len > 0) {
        edit->mime = edit->head;
        edit->head = art_str(NULL, 0);
    }

    return ART_OK;
}


/*
 * Only a part of a call has a name (ai.google.dev/api/caching, Blob and
 * FunctionResponseBlob): it is made again, with the base64 as it is.
 */

static int
art_bytes_again(art_message_plan_t *plan, uint32_t i)
{
    art_view_t                 view;
    art_message_edit_t        *edit;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(plan->scan, i);
    edit = &plan->edits[i];

    art_bytes_view(plan, slot, &view);


    if (plan->format->parts[view.kind].template == NULL) {
        return ART_OK;
    }

    edit->own = slot->data;
    edit->own.pos++;
    edit->own.end--;

    return art_bytes_frame(plan, &view, 0, &edit->head) == ART_OK
           ? art_bytes_frame(plan, &view, 1, &edit->tail) : ART_ERROR;
}


/* What precedes the base64 of a part, or follows it. */

static int
art_bytes_frame(art_message_plan_t *plan, const art_view_t *view,
    unsigned tail, art_str_t *text)
{
    art_out_t            out;
    const art_format_t  *row;

    row = art_plan_row(plan, NULL, view->kind, 0);
    out = art_out(NULL, 0);

    if (row == NULL) {
        return ART_ERROR;
    }

    do {
        (void) art_format_print(&out, row, ART_FORM_BASE64, view, tail);
    } while (art_out_again(&out, &plan->scan->conf.pool));

    *text = art_str(out.data, out.len);

    return out.data != NULL ? ART_OK : ART_ERROR;
}
