
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What becomes of media that the client put into the request itself
 * (docs/expand.md): by what they are and by what they would be, a provider
 * answers them with an error on this turn and on every later one.
 */


#include "core/json/art_json_escape.h"
#include "core/expand/art_expand_plan_int.h"
#include "core/expand/art_expand_words.h"


/* What a content is, as far as that alone decides. */

typedef enum {
    ART_OWN_UNREADABLE = 0,      /* nothing, no base64, cut, garbage */
    ART_OWN_LOCKED,              /* a PDF that needs a password */
    ART_OWN_TEXT,
    ART_OWN_MEDIUM,              /* or of a type that nobody knows */
    ART_OWN_CONTENTS
} art_own_content_t;


/* What it would be. */

typedef enum {
    ART_OWN_AS_MEDIA = 0,        /* a picture, a sound, a film */
    ART_OWN_AS_FILE,
    ART_OWN_PLACES
} art_own_place_t;


/*
 * What providers answer with an error on each turn.  A text in the place of a
 * picture is an error's page; in the place of a file it is what somebody sent.
 */

static const art_own_becomes_t  art_own_table[ART_OWN_CONTENTS]
                                             [ART_OWN_PLACES] = {
    [ART_OWN_UNREADABLE] = { ART_OWN_READ,     ART_OWN_READ },
    [ART_OWN_LOCKED]     = { ART_OWN_PASSWORD, ART_OWN_PASSWORD },
    [ART_OWN_TEXT]       = { ART_OWN_READ,     ART_OWN_AS_TEXT },
    [ART_OWN_MEDIUM]     = { ART_OWN_STAYS,    ART_OWN_STAYS }
};


static art_own_content_t art_own_content(const art_message_slot_t *slot);
static art_own_place_t art_own_place(const art_message_slot_t *slot);
static int art_own_blank(const art_message_plan_t *plan,
    const art_message_slot_t *slot, art_str_t *words);
static int art_own_print(const art_message_plan_t *plan, art_str_t *text,
    const char *before, art_str_t type, const char *after);


art_own_becomes_t
art_own_becomes(const art_message_slot_t *slot)
{
    return art_own_table[art_own_content(slot)][art_own_place(slot)];
}


static art_own_content_t
art_own_content(const art_message_slot_t *slot)
{
    if (slot->broken || slot->size == 0 || slot->cut || slot->garbage) {
        return ART_OWN_UNREADABLE;
    }

    if (slot->locked) {
        return ART_OWN_LOCKED;
    }

    return slot->kind == ART_KIND_TEXT ? ART_OWN_TEXT : ART_OWN_MEDIUM;
}


/* What was declared decides, else what the slot takes. */

static art_own_place_t
art_own_place(const art_message_slot_t *slot)
{
    unsigned  kinds;

    kinds = slot->declared.len > 0
            ? ART_KIND_BIT(art_media_traits(slot->declared).kind)
            : slot->form->kinds;

    return (kinds & ~(ART_KIND_BIT(ART_KIND_IMAGE)
                      | ART_KIND_BIT(ART_KIND_AUDIO)
                      | ART_KIND_BIT(ART_KIND_VIDEO))) == 0
           ? ART_OWN_AS_MEDIA : ART_OWN_AS_FILE;
}


/*
 * Where the content takes the place of more than a URL's value, no data URL can
 * be that value: it would be downloaded.
 */

unsigned
art_own_is_misplaced(const art_message_slot_t *slot)
{
    const art_message_form_t  *form;

    form = slot->form;

    if (!slot->looked || slot->kind == ART_KIND_OTHER) {
        return 0;
    }

    return (form->field == ART_FIELD_URL && form->target != ART_TARGET_VALUE)
           || !(form->kinds & ART_KIND_BIT(art_plan_bytes_kind(slot)));
}


/* The slot as if it had what was declared, or what alone it takes. */

void
art_own_declared(art_message_slot_t *slot)
{
    art_kind_t  kind;

    if (slot->declared.len > 0) {
        slot->mime_type = slot->declared;
        slot->kind = art_media_traits(slot->declared).kind;
        return;
    }

    if (slot->form->kinds & ART_KIND_BIT(slot->kind)) {
        return;
    }

    slot->mime_type = art_str(NULL, 0);

    for (kind = ART_KIND_IMAGE; kind < ART_KIND_OTHER; kind++) {
        if (slot->form->kinds == ART_KIND_BIT(kind)) {
            slot->kind = kind;
        }
    }
}


int
art_own_describe(art_message_plan_t *plan, uint32_t i,
    const art_message_slot_t *slot, art_reason_t reason)
{
    art_message_edit_t  *edit;

    edit = &plan->edits[i];

    edit->becomes = ART_BECOMES_DESCRIBED;
    edit->reason = reason;

    return art_plan_media_words(plan, slot, reason, &edit->words);
}


/*
 * A text is sent as its text, whoever reads it; what replaces it, if there is
 * no room, are words.
 */

int
art_own_text(art_message_plan_t *plan, uint32_t i)
{
    uint64_t                   max;
    art_message_edit_t        *edit;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(plan->scan, i);
    edit = &plan->edits[i];

    max = plan->reader.text_max;
    max = max == 0 || max > ART_PLAN_TEXT_MAX ? ART_PLAN_TEXT_MAX : max;

    if (slot->size > max) {
        return art_own_describe(plan, i, slot, ART_REASON_SIZE);
    }

    if (slot->blank) {
        edit->becomes = ART_BECOMES_DESCRIBED;

        return art_own_blank(plan, slot, &edit->words);
    }

    edit->becomes = ART_BECOMES_TEXT;
    edit->format = art_plan_row(plan, NULL, ART_KIND_TEXT, 0);

    if (edit->format == NULL) {
        return ART_ERROR;
    }

    return art_plan_media_words(plan, slot, ART_REASON_SIZE, &edit->fallback);
}


/* No text is empty: the line that would lead it in stands for it. */

static int
art_own_blank(const art_message_plan_t *plan, const art_message_slot_t *slot,
    art_str_t *words)
{
    uint8_t     buf[ART_WORDS_LINE];
    art_out_t   out;
    art_view_t  view;

    memset(&view, 0, sizeof(view));

    view.lang = plan->reader.lang;
    view.name = slot->name.len > 0 ? art_words_line(slot->name, buf)
                                   : art_cstr(art_kind_name(ART_KIND_TEXT));
    out = art_out(NULL, 0);

    do {
        art_words_lead(&out, &view, 0);
    } while (art_out_again(&out, &plan->scan->conf.pool));

    *words = art_str(out.data, out.len);

    return out.data != NULL ? ART_OK : ART_ERROR;
}


/* The right type is written where the slot keeps one. */

int
art_own_correct(art_message_plan_t *plan, uint32_t i)
{
    unsigned                   url;
    const char                *member;
    art_message_edit_t        *edit;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(plan->scan, i);
    edit = &plan->edits[i];

    url = slot->type.pos > 0;
    member = art_form_member(slot->form);

    if (art_form_is_url(slot->form)) {
        edit->corrected = 1;

        return art_own_print(plan, &edit->head, url ? "" : "data:",
                             slot->right, url ? "" : ";base64,");
    }

    /* a word for a format that the API has no word for */

    if (member != NULL && memchr(slot->right.data, '/', slot->right.len)
        != NULL && strcmp(member, "format") == 0)
    {
        member = NULL;
    }

    edit->corrected = (member != NULL || url) & 1;

    if (member == NULL) {
        return ART_OK;
    }

    if (slot->nmimes > 0) {
        return art_own_print(plan, &edit->mime, "\"", slot->right, "\"");
    }

    if (art_own_print(plan, &edit->name, "\"", art_cstr(member), "\":")
        != ART_OK)
    {
        return ART_ERROR;
    }

    return art_own_print(plan, &edit->mime, "\"", slot->right, "\",");
}


uint32_t
art_plan_edits(const art_message_plan_t *plan)
{
    uint32_t                   i, n;
    const art_message_edit_t  *edit;
    const art_message_slot_t  *slot;

    n = 0;

    for (i = 0; i < plan->scan->nslots; i++) {
        edit = &plan->edits[i];
        slot = art_scan_slot(plan->scan, i);

        n += !art_slot_is_found(slot) && !slot->standin
             && (slot->held == ART_HELD_REF
                 || edit->becomes != ART_BECOMES_ITSELF || edit->corrected);
    }

    return n;
}


int
art_plan_only_corrects(const art_message_plan_t *plan)
{
    uint32_t                   i;
    const art_message_edit_t  *edit;

    for (i = 0; i < plan->scan->nslots; i++) {
        edit = &plan->edits[i];

        if (edit->becomes != ART_BECOMES_ITSELF
            && (!art_scan_slot(plan->scan, i)->looked || edit->dropped
                || (edit->becomes != ART_BECOMES_PART
                    && edit->becomes != ART_BECOMES_NAMED
                    && edit->reason != ART_REASON_READ)))
        {
            return 0;
        }
    }

    return 1;
}


static int
art_own_print(const art_message_plan_t *plan, art_str_t *text,
    const char *before, art_str_t type, const char *after)
{
    art_out_t  out;

    out = art_out(NULL, 0);

    do {
        art_out_cstr(&out, before);
        art_json_string(&out, type, 1);
        art_out_cstr(&out, after);
    } while (art_out_again(&out, &plan->scan->conf.pool));

    *text = art_str(out.data, out.len);

    return out.data != NULL ? ART_OK : ART_ERROR;
}
