
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/format/art_delivery.h"
#include "core/format/art_route.h"
#include "core/render/art_format.h"
#include "core/expand/art_expand_plan_int.h"
#include "core/expand/art_expand_words.h"


static int art_plan_delivers(const art_message_plan_t *plan);
static int art_plan_media(art_message_plan_t *plan, uint32_t i);
static int art_plan_own(art_message_plan_t *plan, uint32_t i);
static int art_plan_unreadable(art_message_plan_t *plan, uint32_t i);
static int art_plan_own_row(art_message_plan_t *plan, uint32_t i);
static unsigned art_plan_takes_anew(const art_message_plan_t *plan,
    const art_message_slot_t *slot);
static unsigned art_plan_is_here(const art_message_plan_t *plan,
    const art_message_slot_t *slot);
static unsigned art_plan_is_silent(const art_message_plan_t *plan,
    const art_message_slot_t *slot);
static int art_plan_silent(art_message_plan_t *plan, uint32_t i,
    unsigned document);
static art_reason_t art_plan_degrades(const art_message_plan_t *plan,
    const art_message_slot_t *slot);
static void art_plan_ask(const art_message_plan_t *plan,
    const art_message_slot_t *slot, art_kind_t kind, art_decision_t *decision);
static int art_plan_takes_text(const art_message_plan_t *plan,
    const art_message_slot_t *slot);
static art_str_t art_plan_first_type(const art_part_t *part);
static int art_plan_decided(art_message_plan_t *plan, uint32_t i,
    art_view_t *view);
static int art_plan_standin(art_message_plan_t *plan, uint32_t i,
    art_view_t *view, unsigned empty, unsigned failed);
static int art_plan_back(art_message_plan_t *plan, uint32_t i,
    art_view_t *view);
static int art_plan_alias(art_message_plan_t *plan, uint32_t i,
    art_view_t *view);
static int art_plan_medium_words(art_message_plan_t *plan, art_str_t *words,
    const art_view_t *view, art_message_becomes_t as);
static int art_plan_missing(art_message_plan_t *plan, uint32_t i);
static int art_plan_part(art_message_plan_t *plan, uint32_t i,
    art_view_t *view);
static unsigned art_plan_fits(const art_message_slot_t *slot,
    const art_view_t *view);
static int art_plan_url(art_message_plan_t *plan, uint32_t i,
    const art_view_t *view);
static int art_plan_fallback(art_message_plan_t *plan, art_str_t *words,
    art_view_t *view, art_reason_t reason);
static unsigned art_plan_is_renamed(const art_message_plan_t *plan,
    const art_message_slot_t *slot, const art_view_t *view);
static int art_plan_rename(art_message_plan_t *plan,
    const art_message_slot_t *slot, art_view_t *view);
static int art_plan_siblings(art_message_plan_t *plan, uint32_t i,
    const art_view_t *view);


/* A text that follows another in the same string. */

static const art_message_form_t  art_plan_within = { .value = "%E" };


/* Base64 within a string that stays. */

static const art_message_form_t  art_plan_bare = { .value = "%B" };


int
art_plan_init(art_message_plan_t *plan, const art_scan_t *scan,
    const art_message_reader_t *readers)
{
    int                        rc;
    size_t                     size;
    uint32_t                   i;
    const art_message_slot_t  *slot;

    memset(plan, 0, sizeof(*plan));

    plan->scan = scan;
    plan->reader = *readers;
    plan->format = art_api_request_format(scan->conf.api);

    if (scan->nslots == 0) {
        return ART_OK;
    }

    size = scan->nrequests * sizeof(art_message_reader_t);

    plan->readers = scan->conf.pool.alloc(scan->conf.pool.data, size);
    if (plan->readers == NULL) {
        return ART_ERROR;
    }

    memcpy(plan->readers, readers, size);

    plan->request = UINT32_MAX;
    art_plan_enter(plan, 0);

    size = scan->nslots * sizeof(art_message_edit_t);

    plan->edits = scan->conf.pool.alloc(scan->conf.pool.data, size);
    plan->moved = scan->conf.pool.alloc(scan->conf.pool.data,
                           (scan->ngroups + 1) * sizeof(art_message_moved_t));

    if (plan->edits == NULL || plan->moved == NULL) {
        return ART_ERROR;
    }

    memset(plan->edits, 0, size);

    for (i = 0; i < scan->nslots; i++) {
        slot = art_scan_slot(scan, i);

        if (slot->held == ART_HELD_REF || slot->held == ART_HELD_STANDIN) {
            continue;
        }

        art_plan_enter_slot(plan, i);

        rc = slot->held == ART_HELD_RUN || (slot->form->flags & ART_FORM_BLOCK)
             ? art_bytes_plan(plan, i)
             : slot->looked ? art_plan_own(plan, i) : art_plan_media(plan, i);

        if (rc != ART_OK) {
            return ART_ERROR;
        }
    }

    return ART_OK;
}


void
art_plan_enter(art_message_plan_t *plan, uint32_t n)
{
    const art_api_request_t   *api;
    const art_scan_request_t  *request;

    if (plan->request == n) {
        return;
    }

    api = &plan->scan->conf.api->request;
    request = art_scan_request(plan->scan, n);

    plan->request = n;
    plan->reader = plan->readers[n];
    plan->from = request->from;
    plan->to = request->to;
    plan->call_parts = api->call_since.family != NULL
                       && art_model_is_since(plan->reader.model,
                                             &api->call_since);
    plan->by_url = art_plan_delivers(plan) != 0;
}


/*
 * Whether the provider fetches anything for the models that may read the
 * request.  Where Anthropic's are served by others, who do not, the body has
 * their version.
 */

static int
art_plan_delivers(const art_message_plan_t *plan)
{
    unsigned           n;
    art_str_t          names[ART_READER_NAMES + 1 + ART_MESSAGE_MODELS_MAX];
    const art_scan_t  *scan;

    scan = plan->scan;

    if (!plan->reader.by_url || scan->versioned) {
        return 0;
    }

    memcpy(names, plan->reader.names, sizeof(plan->reader.names));

    n = ART_READER_NAMES;
    names[n++] = plan->reader.model;

    memcpy(&names[n], scan->models, scan->nmodels * sizeof(art_str_t));

    return art_delivery_fetches(plan->format, names, n + scan->nmodels);
}


/* The client's own media stay unless the reader cannot take them. */

static int
art_plan_media(art_message_plan_t *plan, uint32_t i)
{
    art_reason_t               reason;
    art_message_edit_t        *edit;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(plan->scan, i);
    edit = &plan->edits[i];

    reason = art_plan_degrades(plan, slot);

    if (reason == ART_REASON_NONE) {

        if (slot->error) {
            return art_bytes_named(plan, i);
        }

        return art_plan_is_displaced(plan, slot)
               ? art_bytes_move(plan, i)
               : art_plan_silent(plan, i,
                                 slot->form->type == ART_TYPE_DOCUMENT);
    }

    edit->becomes = ART_BECOMES_DESCRIBED;
    edit->reason = reason;

    return art_plan_media_words(plan, slot, reason, &edit->words);
}


/* Those that were looked at. */

static int
art_plan_own(art_message_plan_t *plan, uint32_t i)
{
    art_own_becomes_t          becomes;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(plan->scan, i);

    becomes = art_own_becomes(slot);

    /* without words, only the right type helps */

    if (slot->place == ART_PLACE_SOLE) {
        return slot->mistyped && becomes == ART_OWN_STAYS
               && slot->kind == ART_KIND_IMAGE
               && art_part_takes(&plan->format->parts[ART_KIND_IMAGE],
                                 slot->mime_type, 0)
               ? art_own_correct(plan, i) : ART_OK;
    }

    switch (becomes) {

    case ART_OWN_READ:
        return art_plan_unreadable(plan, i);

    case ART_OWN_PASSWORD:
        return plan->format->flags & ART_FORMAT_UNLOCKED
               ? art_plan_unreadable(plan, i) : art_plan_own_row(plan, i);

    case ART_OWN_AS_TEXT:
        return art_plan_takes_text(plan, slot)
               ? art_plan_own_row(plan, i) : art_own_text(plan, i);

    default:
        return art_plan_own_row(plan, i);
    }
}


/*
 * A model that could not read what was declared is told that, whatever the
 * bytes are.
 */

static int
art_plan_unreadable(art_message_plan_t *plan, uint32_t i)
{
    art_message_slot_t  as;

    as = *art_scan_slot(plan->scan, i);

    art_own_declared(&as);

    if (art_plan_degrades(plan, &as) == ART_REASON_CAPABILITY) {
        return art_own_describe(plan, i, &as, ART_REASON_CAPABILITY);
    }

    as.mime_type = art_scan_slot(plan->scan, i)->mime_type;

    return art_own_describe(plan, i, &as, ART_REASON_READ);
}


/*
 * The row decides about what it takes.  What the slot does not take is a part
 * of its own, where that may be.
 */

static int
art_plan_own_row(art_message_plan_t *plan, uint32_t i)
{
    art_reason_t               reason;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(plan->scan, i);
    reason = art_plan_degrades(plan, slot);

    /* SVG is a text, too */

    if ((art_media_traits(slot->mime_type).flags & ART_MEDIA_TEXTUAL)
        && (reason == ART_REASON_TYPE
            || (!plan->reader.known
                && !art_part_takes(&plan->format->parts[slot->kind],
                                   slot->mime_type, 0))))
    {
        return art_own_text(plan, i);
    }

    if (reason != ART_REASON_NONE) {
        return art_own_describe(plan, i, slot, reason);
    }

    if (!art_plan_is_here(plan, slot)) {
        return art_bytes_named(plan, i);
    }

    if (art_plan_is_displaced(plan, slot)) {
        return art_bytes_move(plan, i);
    }

    if (art_own_is_misplaced(slot) && art_plan_takes_anew(plan, slot)) {
        return art_bytes_part(plan, i) == ART_OK
               ? art_plan_silent(plan, i,
                                 art_plan_bytes_kind(slot) == ART_KIND_DOCUMENT)
               : ART_ERROR;
    }

    if (slot->mistyped && art_own_correct(plan, i) != ART_OK) {
        return ART_ERROR;
    }

    return art_plan_silent(plan, i, slot->form->type == ART_TYPE_DOCUMENT);
}


/* Whether a part can be made of what is in another one's place. */

static unsigned
art_plan_takes_anew(const art_message_plan_t *plan,
    const art_message_slot_t *slot)
{
    return (slot->place == ART_PLACE_PART
            || slot->place == ART_PLACE_CALL_PART)
           && art_plan_place(plan, slot, art_plan_bytes_kind(slot))
           && (slot->kind == ART_KIND_TEXT
               || art_part_takes(&plan->format->parts[slot->kind],
                                 slot->mime_type, 0));
}


/* Results of tools may have fewer kinds of media, and those of errors none. */

static unsigned
art_plan_is_here(const art_message_plan_t *plan,
    const art_message_slot_t *slot)
{
    return !slot->error
           && (slot->role != ART_ROLE_TOOL || slot->kind == ART_KIND_OTHER
               || art_plan_place(plan, slot, art_plan_bytes_kind(slot)));
}


/* Whether a slot is in a message that has no text of its own. */

static unsigned
art_plan_is_silent(const art_message_plan_t *plan,
    const art_message_slot_t *slot)
{
    return slot->group != UINT32_MAX
           && art_scan_group(plan->scan, slot->group)->kind == ART_GROUP_SILENT;
}


/* The text that a document of the client's own may need beside it. */

static int
art_plan_silent(art_message_plan_t *plan, uint32_t i, unsigned document)
{
    uint8_t                    name[ART_WORDS_LINE];
    art_view_t                 view;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(plan->scan, i);

    if (!document || !art_plan_is_silent(plan, slot)) {
        return ART_OK;
    }

    memset(&view, 0, sizeof(view));

    view.lang = plan->reader.lang;
    view.name = slot->name.len > 0 ? art_words_line(slot->name, name)
                                   : art_cstr(art_kind_name(slot->kind));

    return art_plan_words(plan, &plan->edits[i].intro, &view,
                          ART_BECOMES_PART);
}


static art_reason_t
art_plan_degrades(const art_message_plan_t *plan,
    const art_message_slot_t *slot)
{
    art_kind_t      kind;
    art_decision_t  decision;

    kind = slot->kind;

    if (!plan->reader.known
        || (kind == ART_KIND_OTHER && slot->mime_type.len == 0))
    {
        return ART_REASON_NONE;
    }

    if (kind == ART_KIND_TEXT) {

        if (art_plan_takes_text(plan, slot)) {
            return ART_REASON_NONE;
        }

        kind = ART_KIND_DOCUMENT;
    }

    art_plan_ask(plan, slot, kind, &decision);

    /* an API that takes media of tools may take others than its row says */

    if (slot->tools != UINT32_MAX && plan->reader.tool_media
        && decision.reason != ART_REASON_CAPABILITY)
    {
        return ART_REASON_NONE;
    }

    return decision.reason;
}


/* Whether the reader and the API take the client's own media. */

static void
art_plan_ask(const art_message_plan_t *plan, const art_message_slot_t *slot,
    art_kind_t kind, art_decision_t *decision)
{
    art_question_t  question;

    memset(&question, 0, sizeof(question));

    question.format = plan->format;
    question.kind = kind;
    question.mime = slot->mime_type;
    question.caps = plan->reader.caps;
    question.accepts = plan->reader.accepts;
    question.naccepts = plan->reader.naccepts;
    question.service_max = plan->reader.service_max;
    question.size = slot->size;
    question.size_known = slot->held == ART_HELD_DATA;
    question.max_side = art_plan_side(plan, slot->mime_type);
    question.width = slot->width;
    question.height = slot->height;

    if (question.mime.len == 0) {

        /* an unknown type is not the reason */

        question.mime = art_plan_first_type(&plan->format->parts[kind]);
        question.naccepts = 0;
    }

    art_route_decide(&question, decision);
}


/* Whether a text may stay in this place, as a file. */

static int
art_plan_takes_text(const art_message_plan_t *plan,
    const art_message_slot_t *slot)
{
    const art_api_t  *api;

    api = plan->scan->conf.api;

    return (slot->form->kinds & ART_KIND_BIT(ART_KIND_DOCUMENT))
           && (((api->flags & ART_API_TEXTS)
                && (api->request.texts.template == NULL
                    || slot->held != ART_HELD_DATA))
               || art_part_takes(&api->request.texts, slot->mime_type, 1)
               || art_part_takes(&plan->format->parts[ART_KIND_TEXT],
                                 slot->mime_type, 1));
}


/* A media type that a part takes, if it takes any. */

static art_str_t
art_plan_first_type(const art_part_t *part)
{
    if (part->template == NULL) {
        return art_str(NULL, 0);
    }

    return art_str(part->types, strcspn(part->types, " ="));
}


int
art_plan_source(art_message_plan_t *plan, uint32_t i, art_view_t *view,
    unsigned empty, unsigned failed)
{
    art_message_edit_t        *edit;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(plan->scan, i);
    edit = &plan->edits[i];

    memset(edit, 0, sizeof(*edit));
    art_plan_enter_slot(plan, i);

    if (plan->scan->conf.argument != ART_ARGUMENT_OFF) {
        return art_argument_plan(plan, i, view, failed);
    }

    if (view == NULL || slot->malformed) {
        return art_plan_missing(plan, i);
    }

    if (slot->standin != ART_STANDIN_NONE) {
        return art_plan_standin(plan, i, view, empty, failed);
    }

    art_plan_decide(plan, slot, view, empty, failed);

    return art_plan_decided(plan, i, view);
}


/* What a slot becomes by view->decision. */

static int
art_plan_decided(art_message_plan_t *plan, uint32_t i, art_view_t *view)
{
    art_message_edit_t        *edit;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(plan->scan, i);
    edit = &plan->edits[i];

    /* no words are made where there is no place for them */

    if (slot->place == ART_PLACE_SOLE
        && (view->decision.described || view->kind != ART_KIND_IMAGE))
    {
        edit->becomes = ART_BECOMES_DESCRIBED;
        edit->reason = view->decision.reason;
        return ART_OK;
    }

    if (view->decision.described) {
        edit->becomes = ART_BECOMES_DESCRIBED;
        edit->reason = view->decision.reason;

        return art_plan_words(plan, &edit->words, view, edit->becomes);
    }

    if (view->decision.routing == ART_ROUTING_TEXT) {
        edit->becomes = ART_BECOMES_TEXT;
        edit->format = art_plan_row(plan,
                                    slot->place == ART_PLACE_FOUND
                                    && slot->tools != UINT32_MAX
                                    ? &art_plan_within : NULL,
                                    ART_KIND_TEXT, 0);
        return edit->format != NULL ? ART_OK : ART_ERROR;
    }

    if (!art_plan_place(plan, slot, view->kind)) {
        edit->becomes = ART_BECOMES_NAMED;
        return art_plan_words(plan, &edit->words, view, edit->becomes);
    }

    return art_plan_part(plan, i, view);
}


/*
 * A stand-in becomes what its medium becomes.  In a string that is no slot, and
 * in a text for an unknown reader, the base64 is put back.  All words are those
 * for the client's own media, which it was.
 */

static int
art_plan_standin(art_message_plan_t *plan, uint32_t i, art_view_t *view,
    unsigned empty, unsigned failed)
{
    int                  rc;
    art_message_edit_t  *edit;
    art_message_slot_t   medium;

    medium = *art_scan_slot(plan->scan, i);
    edit = &plan->edits[i];

    medium.held = ART_HELD_DATA;
    medium.text = art_str(NULL, 0);
    medium.size = view->size;
    medium.width = view->width;
    medium.height = view->height;

    plan->medium = &medium;
    art_plan_decide(plan, art_scan_slot(plan->scan, i), view, empty, failed);

    rc = art_plan_alias(plan, i, view);

    if (rc == ART_OK && art_slot_is_found(&medium)) {
        rc = art_plan_words(plan, &edit->head, view, ART_BECOMES_NAMED);
    }

    if (rc != ART_OK) {
        /* void */

    } else if (medium.place == ART_PLACE_ELSEWHERE
               || (art_slot_is_found(&medium) && !plan->reader.known))
    {
        rc = art_plan_back(plan, i, view);

    } else if (medium.old) {
        edit->becomes = ART_BECOMES_NAMED;

    } else {
        rc = art_plan_decided(plan, i, view);
    }

    /* its name in the text is enough */

    if (edit->becomes == ART_BECOMES_NAMED && art_slot_is_found(&medium)) {
        edit->words = art_str(NULL, 0);
    }

    plan->medium = NULL;

    return rc;
}


/* Words for the medium of a stand-in. */

static int
art_plan_medium_words(art_message_plan_t *plan, art_str_t *words,
    const art_view_t *view, art_message_becomes_t as)
{
    art_out_t  out;

    if (as == ART_BECOMES_DESCRIBED) {
        return art_plan_media_words(plan, plan->medium, view->decision.reason,
                                    words);
    }

    out = art_out(NULL, 0);

    do {
        if (as == ART_BECOMES_PART && art_plan_is_silent(plan, plan->medium)) {
            art_words_lead(&out, view, 0);

        } else {
            art_words_short(&out, plan->medium);
        }
    } while (art_out_again(&out, &plan->scan->conf.pool));

    *words = art_str(out.data, out.len);

    return out.data != NULL ? ART_OK : ART_ERROR;
}


/*
 * The name of a stand-in's medium, and what is unique in the request, as for
 * the client's own media (art_bytes_part()).
 */

static int
art_plan_alias(art_message_plan_t *plan, uint32_t i, art_view_t *view)
{
    uint8_t                    buf[ART_WORDS_LINE];
    art_out_t                  out;
    const art_pool_t          *pool;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(plan->scan, i);
    pool = &plan->scan->conf.pool;

    view->name = art_cstr(art_kind_name(view->kind));

    if (slot->name.len > 0) {
        out = art_out(NULL, 0);

        do {
            art_out_str(&out, art_words_line(slot->name, buf));
        } while (art_out_again(&out, pool));

        view->name = art_str(out.data, out.len);
    }

    out = art_out(NULL, 0);

    do {
        art_out_cstr(&out, art_slot_is_found(slot) ? "pasted-" : "#");
        art_out_uint(&out, art_slot_is_found(slot) ? slot->nth : i);
    } while (art_out_again(&out, pool));

    view->id = art_str(out.data, out.len);

    if (art_slot_is_found(slot)) {
        view->name = view->id;
    }

    return view->name.data != NULL && view->id.data != NULL ? ART_OK
                                                            : ART_ERROR;
}


/* The base64 of a stand-in's medium, in its place. */

static int
art_plan_back(art_message_plan_t *plan, uint32_t i, art_view_t *view)
{
    art_message_edit_t  *edit;

    edit = &plan->edits[i];

    edit->becomes = ART_BECOMES_PART;
    edit->kind = view->kind;
    edit->fits = 1;
    edit->back = 1;
    edit->format = art_plan_row(plan, &art_plan_bare, view->kind, 0);

    memset(&view->decision, 0, sizeof(view->decision));

    view->decision.kind = view->kind;
    view->decision.routing = view->kind == ART_KIND_IMAGE
                             ? ART_ROUTING_IMAGE_URL : ART_ROUTING_FILE;

    return edit->format != NULL
           ? art_plan_fallback(plan, &edit->fallback, view, ART_REASON_SIZE)
           : ART_ERROR;
}


static int
art_plan_missing(art_message_plan_t *plan, uint32_t i)
{
    art_str_t            id;
    art_out_t            out;
    art_message_edit_t  *edit;

    id = art_scan_slot(plan->scan, i)->text;
    edit = &plan->edits[i];

    edit->missing = 1;

    /* the request is refused */

    if (art_scan_slot(plan->scan, i)->standin) {
        return ART_OK;
    }

    edit->becomes = ART_BECOMES_DESCRIBED;

    out = art_out(NULL, 0);

    do {
        art_words_missing(&out, id, plan->reader.lang);
    } while (art_out_again(&out, &plan->scan->conf.pool));

    edit->words = art_str(out.data, out.len);

    return out.data != NULL ? ART_OK : ART_ERROR;
}


/*
 * An unknown reader takes what the client thought it could: what fits the slot.
 * A picture that is edited is not for a reader's eyes.
 */

void
art_plan_decide(const art_message_plan_t *plan,
    const art_message_slot_t *slot, art_view_t *view, unsigned empty,
    unsigned failed)
{
    art_question_t               question;
    const art_message_form_t    *form;
    const art_message_reader_t  *reader;

    form = slot->form;
    reader = &plan->reader;

    memset(&question, 0, sizeof(question));

    question.format = plan->format;
    question.kind = view->kind;
    question.mime = view->mime;
    question.inline_max = slot->standin ? 0 : reader->inline_max;
    question.size = view->size;
    question.size_known = view->size_known;
    question.max_side = art_plan_side(plan, view->mime);
    question.width = view->width;
    question.height = view->height;
    question.end = view->end;
    question.unproved = view->unproved;
    question.empty = empty & 1;
    question.failed = failed & 1;
    question.has_url = art_plan_fetches(plan, slot, view) & 1;

    if (reader->known && slot->place != ART_PLACE_SOLE) {
        question.caps = reader->caps;
        question.accepts = reader->accepts;
        question.naccepts = reader->naccepts;
        question.service_max = reader->service_max;

    } else if (form != NULL ? (form->kinds & ART_KIND_BIT(view->kind)) != 0
                            : art_slot_is_found(slot)
                              && view->kind == ART_KIND_IMAGE)
    {
        question.caps = ~0u;
    }

    view->lang = reader->lang;
    view->agents = reader->agents;

    art_route_decide(&question, &view->decision);

    view->kind = view->decision.kind;

    /* a text is never replaced by nothing */

    if (view->kind == ART_KIND_TEXT && empty) {
        view->decision.described = 1;
    }
}


static int
art_plan_part(art_message_plan_t *plan, uint32_t i, art_view_t *view)
{
    art_message_edit_t        *edit;
    const art_message_slot_t  *slot;
    const art_message_form_t  *form;

    slot = art_scan_slot(plan->scan, i);
    edit = &plan->edits[i];
    form = slot->form;

    edit->becomes = ART_BECOMES_PART;
    edit->kind = view->kind;
    edit->hoisted = art_plan_is_hoisted(plan, slot, view->mime) & 1;

    edit->by_url = view->decision.by_url & 1;
    edit->fits = art_plan_fits(slot, view) & 1;

    /* a name beside the content would have the extension of the original */

    if (art_plan_is_moved(plan, i)
        || (view->origin != NULL && slot->named))
    {
        edit->fits = 0;
    }

    if (!edit->by_url) {
        edit->format = art_plan_row(plan, edit->fits ? form : NULL, view->kind,
                                    art_plan_is_renamed(plan, slot, view));
    }

    if ((edit->by_url ? art_plan_url(plan, i, view) != ART_OK
                      : edit->format == NULL)
        || art_plan_words(plan, &edit->words, view, ART_BECOMES_NAMED)
           != ART_OK
        || art_plan_words(plan, &edit->intro, view, ART_BECOMES_PART) != ART_OK
        || art_plan_fallback(plan, &edit->fallback, view, ART_REASON_SIZE)
           != ART_OK)
    {
        return ART_ERROR;
    }

    if (art_plan_is_large(plan, view->kind, view->width, view->height)
        && art_plan_fallback(plan, &edit->large, view, ART_REASON_PIXELS)
           != ART_OK)
    {
        return ART_ERROR;
    }

    if (art_plan_is_renamed(plan, slot, view)
        && art_plan_rename(plan, slot, view) != ART_OK)
    {
        return ART_ERROR;
    }

    return edit->fits ? art_plan_siblings(plan, i, view) : ART_OK;
}


/*
 * Whether the content replaces the slot's value; a name that must not be beside
 * a URL goes with the rest of the part.
 */

static unsigned
art_plan_fits(const art_message_slot_t *slot, const art_view_t *view)
{
    const art_message_form_t  *form;

    form = slot->form;

    if (form == NULL || !(form->kinds & ART_KIND_BIT(view->kind))) {
        return 0;
    }

    if (!view->decision.by_url) {
        return form->value != NULL && !slot->rival;
    }

    return form->url.value != NULL && !slot->url_rival
           && !((form->flags & ART_FORM_NAMELESS) && slot->named);
}


/* The part, or the value, with the URL. */

static int
art_plan_url(art_message_plan_t *plan, uint32_t i, const art_view_t *view)
{
    art_out_t                  out;
    art_view_t                 named;
    const art_format_t        *row;
    art_message_edit_t        *edit;
    const art_message_slot_t  *slot;

    edit = &plan->edits[i];
    slot = art_scan_slot(plan->scan, i);

    row = art_plan_url_row(plan, edit->fits ? slot->form : NULL, view->kind);

    if (row == NULL) {
        return ART_ERROR;
    }

    /* the source may have another name for it */

    named = *view;
    named.id = slot->text;

    out = art_out(NULL, 0);

    do {
        (void) art_format_print(&out, row, ART_FORM_URL, &named, 0);
    } while (art_out_again(&out, &plan->scan->conf.pool));

    edit->head = art_str(out.data, out.len);

    return out.data != NULL ? ART_OK : ART_ERROR;
}


/* The words that replace a part, should that be needed, for this reason. */

static int
art_plan_fallback(art_message_plan_t *plan, art_str_t *words, art_view_t *view,
    art_reason_t reason)
{
    int             rc;
    art_decision_t  decision;

    decision = view->decision;
    view->decision.reason = reason;

    rc = art_plan_words(plan, words, view, ART_BECOMES_DESCRIBED);

    view->decision = decision;

    return rc;
}


/*
 * A name that has to be unique in a request is made of the id, and of a number
 * if the same document comes again.  What a stand-in leads to has another one
 * each time.
 */

static unsigned
art_plan_is_renamed(const art_message_plan_t *plan,
    const art_message_slot_t *slot, const art_view_t *view)
{
    return (slot->nth > 0 || slot->standin != ART_STANDIN_NONE)
           && view->kind == ART_KIND_DOCUMENT
           && (plan->format->name_rule.flags & ART_FILENAME_PLAIN) != 0;
}


static int
art_plan_rename(art_message_plan_t *plan, const art_message_slot_t *slot,
    art_view_t *view)
{
    art_out_t  out;

    if (slot->standin != ART_STANDIN_NONE) {
        return ART_OK;
    }

    out = art_out(NULL, 0);

    do {
        art_out_str(&out, view->id);
        art_out_char(&out, '#');
        art_out_uint(&out, slot->nth);
    } while (art_out_again(&out, &plan->scan->conf.pool));

    if (out.data == NULL) {
        return ART_ERROR;
    }

    view->id = art_str(out.data, out.len);

    return ART_OK;
}


/* What has to change with the value: its media type and name. */

static int
art_plan_siblings(art_message_plan_t *plan, uint32_t i,
    const art_view_t *view)
{
    art_out_t                  out;
    art_str_t                  type;
    const art_pool_t          *pool;
    art_message_edit_t        *edit;
    const art_message_form_t  *form;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(plan->scan, i);
    edit = &plan->edits[i];
    form = slot->form;
    pool = &plan->scan->conf.pool;

    type = art_part_type_name(&plan->format->parts[view->kind], view->mime);

    /* a part with a URL has it, or needs none */

    if (form->mime != NULL && !edit->by_url) {
        out = art_out(NULL, 0);

        do {
            if (slot->mime.end == 0) {
                art_out_cstr(&out, ",\"");
                art_out_cstr(&out, form->mime);
                art_out_cstr(&out, "\":");
            }

            art_out_char(&out, '"');
            art_out_str(&out, type);
            art_out_char(&out, '"');
        } while (art_out_again(&out, pool));

        if (out.data == NULL) {
            return ART_ERROR;
        }

        edit->mime = art_str(out.data, out.len);
    }

    if (form->name != NULL && !slot->named
        && !(edit->by_url && (form->flags & ART_FORM_NAMELESS)))
    {
        out = art_out(NULL, 0);

        do {
            art_out_cstr(&out, ",\"");
            art_out_cstr(&out, form->name);
            art_out_cstr(&out, "\":\"");
            art_filename_print(&out, &plan->format->name_rule, view, 1);
            art_out_char(&out, '"');
        } while (art_out_again(&out, pool));

        if (out.data == NULL) {
            return ART_ERROR;
        }

        edit->name = art_str(out.data, out.len);
    }

    return ART_OK;
}


int
art_plan_words(art_message_plan_t *plan, art_str_t *words,
    const art_view_t *view, art_message_becomes_t as)
{
    art_out_t              out;
    art_str_t              own;
    art_message_reader_t  *reader;

    if (plan->medium != NULL) {
        return art_plan_medium_words(plan, words, view, as);
    }

    out = art_out(NULL, 0);
    own = art_str(NULL, 0);
    reader = &plan->reader;

    if (as == ART_BECOMES_DESCRIBED
        && view->decision.reason != ART_REASON_NONE
        && reader->describe != NULL
        && reader->describe(reader->data, view, &own) != ART_OK)
    {
        return ART_ERROR;
    }

    do {
        if (as == ART_BECOMES_DESCRIBED) {
            art_words_described(&out, view, own);

        } else {
            art_words_lead(&out, view, as == ART_BECOMES_NAMED);
        }
    } while (art_out_again(&out, &plan->scan->conf.pool));

    *words = art_str(out.data, out.len);

    return out.data != NULL ? ART_OK : ART_ERROR;
}


void
art_plan_reasons(const art_message_plan_t *plan, art_reasons_t *reasons)
{
    uint32_t                   i;
    art_str_t                  id;
    const char                *reason;
    const art_message_edit_t  *edit;
    const art_message_slot_t  *slot;

    for (i = 0; i < plan->scan->nslots; i++) {
        edit = &plan->edits[i];
        slot = art_scan_slot(plan->scan, i);
        id = slot->held == ART_HELD_REF && !slot->standin
             ? slot->text : art_str(NULL, 0);
        reason = art_plan_reason(edit);

        if (reason != NULL) {
            art_reasons_add(reasons, id, slot->kind, reason);

        } else if (edit->derived) {
            art_reasons_derived(reasons, id, slot->kind, edit->made);
        }
    }
}


const char *
art_plan_reason(const art_message_edit_t *edit)
{
    if (edit->dropped) {
        return "dropped";
    }

    if (edit->becomes == ART_BECOMES_NAMED) {
        return "named";
    }

    if (edit->becomes != ART_BECOMES_DESCRIBED) {
        return NULL;
    }

    if (edit->missing) {
        return edit->expired ? "expired" : "missing";
    }

    if (edit->unconverted) {
        return art_reason_name(ART_REASON_CONVERSION);
    }

    return edit->reason == ART_REASON_NONE ? "empty"
                                           : art_reason_name(edit->reason);
}
