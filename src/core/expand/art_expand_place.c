
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Where a part may be, and how it is made there.
 */


#include "core/expand/art_expand_plan_int.h"
#include "core/expand/art_expand_words.h"


static art_message_row_t *art_plan_find_row(const art_message_plan_t *plan,
    const art_message_form_t *form, art_kind_t kind, unsigned by_url);
static art_message_row_t *art_plan_new_row(const art_message_plan_t *plan,
    const art_message_form_t *form, art_kind_t kind, unsigned by_url);
static int art_plan_open(art_message_row_t *row, art_part_t *part);


art_kind_t
art_plan_bytes_kind(const art_message_slot_t *slot)
{
    return slot->kind == ART_KIND_TEXT ? ART_KIND_DOCUMENT : slot->kind;
}


unsigned
art_plan_place(const art_message_plan_t *plan, const art_message_slot_t *slot,
    art_kind_t kind)
{
    const art_api_t  *api;

    api = plan->scan->conf.api;

    if (slot->error) {
        return 0;
    }

    switch (slot->place) {

    case ART_PLACE_IMAGE:
    case ART_PLACE_SOLE:
        return kind == ART_KIND_IMAGE;

    case ART_PLACE_CALL_PART:
    case ART_PLACE_CALL_VALUE:
    case ART_PLACE_CALL_FOUND:
        return slot->tools != UINT32_MAX;

    default:

        if (slot->within) {
            return kind == ART_KIND_IMAGE;
        }

        return slot->tools != UINT32_MAX
               || (api->request.media[slot->role] & ART_KIND_BIT(kind)) != 0;
    }
}


unsigned
art_plan_is_hoisted(const art_message_plan_t *plan,
    const art_message_slot_t *slot, art_str_t mime)
{
    switch (slot->place) {

    case ART_PLACE_IMAGE:
        return 0;

    case ART_PLACE_CALL_PART:
    case ART_PLACE_CALL_VALUE:
    case ART_PLACE_CALL_FOUND:
        return !plan->call_parts
               || !art_part_takes(&plan->scan->conf.api->request.call, mime,
                                  0);

    default:
        return slot->tools != UINT32_MAX;
    }
}


unsigned
art_plan_is_displaced(const art_message_plan_t *plan,
    const art_message_slot_t *slot)
{
    if (slot->tools == UINT32_MAX || plan->reader.tool_media) {
        return 0;
    }

    if (slot->place == ART_PLACE_CALL_PART && slot->mime_type.len == 0) {
        return !plan->call_parts;
    }

    return art_plan_is_hoisted(plan, slot, slot->mime_type);
}


int
art_plan_is_moved(const art_message_plan_t *plan, uint32_t i)
{
    art_message_place_t        place;
    const art_message_edit_t  *edit;

    edit = &plan->edits[i];
    place = art_scan_slot(plan->scan, i)->place;

    return edit->becomes == ART_BECOMES_PART
           && (edit->hoisted || place == ART_PLACE_CALL_VALUE
               || place == ART_PLACE_CALL_FOUND);
}


int
art_plan_is_refused(const art_message_plan_t *plan, uint32_t i)
{
    const art_message_edit_t  *edit;
    const art_message_slot_t  *slot;

    edit = &plan->edits[i];
    slot = art_scan_slot(plan->scan, i);

    return slot->place == ART_PLACE_SOLE && slot->held == ART_HELD_REF
           && (edit->becomes != ART_BECOMES_PART || !edit->fits);
}


/*
 * Results of calls take inline parts (ai.google.dev/api/caching,
 * FunctionResponsePart), and images of assistants are data URLs
 * (openrouter.ai/docs, features/multimodal/image-generation).  A derived
 * content has no URL.
 */

unsigned
art_plan_fetches(const art_message_plan_t *plan,
    const art_message_slot_t *slot, const art_view_t *view)
{
    if (!plan->by_url || slot->standin || !art_url_given(view->url)) {
        return 0;
    }

    switch (slot->place) {

    case ART_PLACE_IMAGE:
        return 0;

    case ART_PLACE_CALL_PART:
    case ART_PLACE_CALL_VALUE:
    case ART_PLACE_CALL_FOUND:
        return art_plan_is_hoisted(plan, slot, view->mime);

    default:
        return 1;
    }
}


int
art_plan_is_large(const art_message_plan_t *plan, art_kind_t kind,
    uint32_t width, uint32_t height)
{
    uint32_t  max;

    max = plan->scan->conf.api->request.many_side;

    return max != 0 && kind == ART_KIND_IMAGE
           && (width > max || height > max);
}


const art_format_t *
art_plan_row(art_message_plan_t *plan, const art_message_form_t *form,
    art_kind_t kind, unsigned own)
{
    art_message_row_t  *row;

    row = own ? NULL : art_plan_find_row(plan, form, kind, 0);

    if (row != NULL) {
        return &row->format;
    }

    row = art_plan_new_row(plan, form, kind, 0);

    if (row == NULL) {
        return NULL;
    }

    row->format.text = "\"%B\"";
    row->format.json = NULL;
    row->format.described = NULL;

    if (form != NULL && kind == ART_KIND_TEXT) {
        row->format.text = form->value;

    } else if (form != NULL) {
        row->format.parts[kind].template = form->value;

    } else if (kind != ART_KIND_TEXT
               && art_plan_open(row, &row->format.parts[kind]) != ART_OK)
    {
        return NULL;
    }

    if (!own) {
        row->next = plan->rows;
        plan->rows = row;
    }

    return &row->format;
}


const art_format_t *
art_plan_url_row(art_message_plan_t *plan, const art_message_form_t *form,
    art_kind_t kind)
{
    art_message_row_t  *row;

    row = art_plan_find_row(plan, form, kind, 1);

    if (row != NULL) {
        return &row->format;
    }

    row = art_plan_new_row(plan, form, kind, 1);

    if (row == NULL) {
        return NULL;
    }

    if (form != NULL) {
        row->format.urls[kind].template = form->url.value;

    } else if (art_plan_open(row, &row->format.urls[kind]) != ART_OK) {
        return NULL;
    }

    row->next = plan->rows;
    plan->rows = row;

    return &row->format;
}


static art_message_row_t *
art_plan_find_row(const art_message_plan_t *plan,
    const art_message_form_t *form, art_kind_t kind, unsigned by_url)
{
    art_message_row_t  *row;

    for (row = plan->rows; row != NULL; row = row->next) {
        if (row->form == form && row->kind == kind && row->by_url == by_url) {
            return row;
        }
    }

    return NULL;
}


static art_message_row_t *
art_plan_new_row(const art_message_plan_t *plan,
    const art_message_form_t *form, art_kind_t kind, unsigned by_url)
{
    art_message_row_t  *row;

    row = plan->scan->conf.pool.alloc(plan->scan->conf.pool.data,
                                      sizeof(*row));
    if (row == NULL) {
        return NULL;
    }

    row->form = form;
    row->kind = kind;
    row->by_url = by_url;
    row->format = *plan->format;

    return row;
}


/* The closing brace comes after the members that stay. */

static int
art_plan_open(art_message_row_t *row, art_part_t *part)
{
    size_t  len;

    len = strlen(part->template) - 1;

    if (len >= sizeof(row->template)) {
        return ART_ERROR;
    }

    memcpy(row->template, part->template, len);
    row->template[len] = '\0';
    part->template = row->template;

    return ART_OK;
}


int
art_plan_media_words(const art_message_plan_t *plan,
    const art_message_slot_t *slot, art_reason_t reason, art_str_t *words)
{
    art_out_t  out;

    out = art_out(NULL, 0);

    do {
        art_words_media(&out, slot, reason, plan->reader.lang,
                        plan->reader.agents);
    } while (art_out_again(&out, &plan->scan->conf.pool));

    *words = art_str(out.data, out.len);

    return out.data != NULL ? ART_OK : ART_ERROR;
}
