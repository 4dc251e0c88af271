
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/expand/art_expand_derive.h"
#include "core/expand/art_expand_plan_int.h"
#include "core/expand/art_expand_words.h"


static int art_message_has_place(const art_message_plan_t *plan,
    const art_message_slot_t *slot);
static int art_message_fallback(art_message_plan_t *plan, uint32_t i,
    art_view_t *view);
static int art_message_short(art_message_plan_t *plan,
    const art_message_slot_t *slot, art_str_t *words);


int
art_message_takes(void *data, const art_derive_rule_t *rule)
{
    art_view_t                  view;
    const art_message_slot_t   *slot;
    const art_message_taker_t  *taker = data;

    slot = art_scan_slot(taker->plan->scan, taker->slot);

    memset(&view, 0, sizeof(view));

    view.mime = rule->to;
    view.kind = rule->kind;

    art_plan_decide(taker->plan, slot, &view, 0, 0);

    return view.decision.reason == ART_REASON_NONE
           && (rule->kind == ART_KIND_TEXT
               || art_plan_place(taker->plan, slot, rule->kind));
}


int
art_message_derivable(const art_message_plan_t *plan, uint32_t i,
    const art_view_t *view, unsigned empty, art_derive_source_t *source)
{
    art_question_t             question;
    art_decision_t             decision;
    const art_message_edit_t  *edit;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(plan->scan, i);
    edit = &plan->edits[i];

    if (!art_message_has_place(plan, slot)) {
        return 0;
    }

    memset(&question, 0, sizeof(question));
    memset(&decision, 0, sizeof(decision));

    question.mime = view != NULL ? view->mime : slot->mime_type;
    question.kind = view != NULL ? view->kind : slot->kind;
    question.caps = plan->reader.known ? plan->reader.caps : 0;
    question.empty = empty & 1;

    decision.kind = edit->becomes == ART_BECOMES_TEXT ? ART_KIND_TEXT
                                                      : question.kind;
    decision.reason = edit->reason;

    if (edit->becomes != ART_BECOMES_DESCRIBED
        && (edit->becomes != ART_BECOMES_TEXT || view == NULL))
    {
        return 0;
    }

    if (view == NULL
        && (slot->broken || slot->mime_type.len == 0 || slot->size == 0
            || (slot->held == ART_HELD_DATA && slot->data.end < 2)
            || (slot->held != ART_HELD_DATA && slot->held != ART_HELD_RUN)))
    {
        return 0;
    }

    return art_derive_wanted(&question, &decision, source);
}


/* Whether the slot is where media may be, or beside it. */

static int
art_message_has_place(const art_message_plan_t *plan,
    const art_message_slot_t *slot)
{
    art_kind_t  kind;

    for (kind = ART_KIND_IMAGE; kind < ART_KIND_MAX; kind++) {
        if (art_plan_place(plan, slot, kind)) {
            return 1;
        }
    }

    return 0;
}


int
art_message_origin(const art_message_plan_t *plan, uint32_t i,
    art_view_t *origin)
{
    uint8_t                   *buf;
    art_out_t                  id;
    const art_pool_t          *pool;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(plan->scan, i);
    pool = &plan->scan->conf.pool;

    memset(origin, 0, sizeof(*origin));

    buf = pool->alloc(pool->data, ART_WORDS_LINE);
    id = art_out(NULL, 0);

    do {
        art_out_char(&id, '#');
        art_out_uint(&id, i);
    } while (art_out_again(&id, pool));

    if (buf == NULL || id.data == NULL) {
        return ART_ERROR;
    }

    /* names of documents have to be unique */

    origin->id = art_str(id.data, id.len);
    origin->name = art_words_line(slot->name, buf);
    origin->mime = slot->mime_type;
    origin->kind = slot->kind;
    origin->size = slot->size;
    origin->size_known = 1;
    origin->lang = plan->reader.lang;
    origin->agents = plan->reader.agents;

    return ART_OK;
}


int
art_message_derived(art_message_plan_t *plan, uint32_t i, art_view_t *view,
    unsigned empty)
{
    art_message_edit_t        *edit, was;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(plan->scan, i);
    edit = &plan->edits[i];
    was = *edit;

    if (art_plan_source(plan, i, view, empty, 0) != ART_OK) {
        return ART_ERROR;
    }

    if (edit->becomes != ART_BECOMES_PART && edit->becomes != ART_BECOMES_TEXT)
    {
        *edit = was;
        return 0;
    }

    edit->derived = 1;
    edit->made = view->mime;

    if (art_message_fallback(plan, i, view) != ART_OK) {
        return ART_ERROR;
    }

    if (slot->held == ART_HELD_REF) {
        return 1;
    }

    if (art_message_short(plan, slot, &edit->intro) != ART_OK) {
        return ART_ERROR;
    }

    edit->words = edit->intro;

    return 1;
}


/* The words if the request has no room for it. */

static int
art_message_fallback(art_message_plan_t *plan, uint32_t i, art_view_t *view)
{
    int                        rc;
    art_decision_t             decision;
    art_message_edit_t        *edit;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(plan->scan, i);
    edit = &plan->edits[i];

    if (slot->held != ART_HELD_REF) {
        return art_plan_media_words(plan, slot, ART_REASON_SIZE,
                                    &edit->fallback);
    }

    if (edit->becomes == ART_BECOMES_PART) {
        return ART_OK;
    }

    decision = view->decision;
    view->decision.reason = ART_REASON_SIZE;

    rc = art_plan_words(plan, &edit->fallback, view, ART_BECOMES_DESCRIBED);

    view->decision = decision;

    return rc;
}


static int
art_message_short(art_message_plan_t *plan, const art_message_slot_t *slot,
    art_str_t *words)
{
    art_out_t  out;

    out = art_out(NULL, 0);

    do {
        art_words_short(&out, slot);
    } while (art_out_again(&out, &plan->scan->conf.pool));

    *words = art_str(out.data, out.len);

    return out.data != NULL ? ART_OK : ART_ERROR;
}
