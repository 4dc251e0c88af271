
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/expand/art_expand_limit.h"
#include "core/expand/art_expand_plan_int.h"


#define ART_LIMIT_ALL  (~0u)     /* kinds */


static int art_limit_one(art_message_plan_t *plan, uint32_t *n);
static void art_limit_counts(art_message_plan_t *plan);
static unsigned art_limit_kind(const art_message_plan_t *plan, uint32_t i);
static void art_limit_request(art_message_plan_t *plan, unsigned kinds,
    uint64_t max);
static void art_limit_messages(art_message_plan_t *plan, unsigned kinds,
    uint64_t max);
static int art_limit_is_many(const art_message_plan_t *plan);
static int art_limit_drop(art_message_plan_t *plan, uint32_t i);
static int art_limit_large(art_message_plan_t *plan, uint32_t i, uint32_t *n);


int
art_limit_media(art_message_plan_t *plan, uint32_t *n)
{
    uint32_t  i;

    *n = 0;

    for (i = 0; i < plan->scan->nrequests; i++) {
        art_plan_enter(plan, i);

        if (art_limit_one(plan, n) != ART_OK) {
            return ART_ERROR;
        }
    }

    return ART_OK;
}


/* The same for the request that was entered; adds to *n. */

static int
art_limit_one(art_message_plan_t *plan, uint32_t *n)
{
    int       rc, many;
    uint32_t  i;

    if (plan->reader.known) {
        art_limit_counts(plan);
    }

    many = art_limit_is_many(plan);
    rc = ART_OK;

    for (i = plan->from; i < plan->to && rc == ART_OK; i++) {

        if (plan->edits[i].over) {
            rc = art_limit_drop(plan, i);
            *n += 1;

        } else if (many) {
            rc = art_limit_large(plan, i, n);
        }
    }

    return rc;
}


/* Marks what is too much. */

static void
art_limit_counts(art_message_plan_t *plan)
{
    const art_api_count_t  *count, *end;

    count = plan->scan->conf.api->request.counts;

    for (end = count + ART_API_COUNTS; count < end && count->kinds; count++) {

        if (count->message) {
            art_limit_messages(plan, count->kinds, count->max);

        } else {
            art_limit_request(plan, count->kinds, count->max);
        }
    }

    if (plan->reader.max_media != 0) {
        art_limit_request(plan, ART_LIMIT_ALL, plan->reader.max_media);
    }
}


/* ART_KIND_BIT of the media in a slot, as they would be sent; 0: none. */

static unsigned
art_limit_kind(const art_message_plan_t *plan, uint32_t i)
{
    art_kind_t                 kind;
    const art_message_edit_t  *edit;
    const art_message_slot_t  *slot;

    edit = &plan->edits[i];
    slot = art_scan_slot(plan->scan, i);

    if (slot->place == ART_PLACE_SOLE || edit->back) {
        return 0;
    }

    if (edit->becomes == ART_BECOMES_PART) {
        kind = edit->kind;

    } else if (edit->becomes == ART_BECOMES_ITSELF
               && (slot->held == ART_HELD_DATA || slot->held == ART_HELD_URL
                   || slot->held == ART_HELD_FILE))
    {
        kind = slot->kind;

    } else {
        return 0;
    }

    /* a text that a file holds */

    return ART_KIND_BIT(kind == ART_KIND_TEXT ? ART_KIND_DOCUMENT : kind);
}


/* "max" is at least 1. */

static void
art_limit_request(art_message_plan_t *plan, unsigned kinds, uint64_t max)
{
    uint32_t   i;
    uint64_t   total, last, step, cut, *left;

    total = 0;
    last = 0;

    for (i = plan->from; i < plan->to; i++) {
        if (art_limit_kind(plan, i) & kinds) {
            total++;
            last += art_scan_is_last(plan->scan, art_scan_slot(plan->scan, i))
                    != 0;
        }
    }

    if (total <= max) {
        return;
    }

    step = 1 + (max - 1) / 2;
    cut = (total - max + step - 1) / step * step;
    last = last > max ? last - max : 0;

    for (i = plan->from; i < plan->to; i++) {

        if (!(art_limit_kind(plan, i) & kinds)) {
            continue;
        }

        left = art_scan_is_last(plan->scan, art_scan_slot(plan->scan, i))
               ? &last : &cut;

        if (*left > 0) {
            plan->edits[i].over = 1;
            *left -= 1;
        }
    }
}


static void
art_limit_messages(art_message_plan_t *plan, unsigned kinds, uint64_t max)
{
    uint32_t  i, end, n, message;

    for (i = plan->from; i < plan->to; i = end) {
        message = art_scan_slot(plan->scan, i)->message;
        n = 0;

        for (end = i;
             end < plan->to
             && art_scan_slot(plan->scan, end)->message == message; end++)
        {
            n += (art_limit_kind(plan, end) & kinds) != 0;
        }

        for ( /* void */ ; i < end && n > max; i++) {

            if (art_limit_kind(plan, i) & kinds) {
                plan->edits[i].over = 1;
                n--;
            }
        }
    }
}


/*
 * Whether the request has so many images that a stricter limit holds for their
 * sides.
 */

static int
art_limit_is_many(const art_message_plan_t *plan)
{
    uint32_t                  i;
    uint64_t                  n;
    unsigned                  k, images;
    const art_api_request_t  *api;

    api = &plan->scan->conf.api->request;
    images = ART_KIND_BIT(ART_KIND_IMAGE);

    if (api->many_side == 0) {
        return 0;
    }

    n = 0;

    for (i = plan->from; i < plan->to; i++) {
        n += (art_limit_kind(plan, i) & images) != 0;
    }

    for (k = 0; k < ART_API_COUNTS && plan->reader.known; k++) {
        if ((api->counts[k].kinds & images) && !api->counts[k].message
            && n > api->counts[k].max)
        {
            n = api->counts[k].max;
        }
    }

    if (plan->reader.known && plan->reader.max_media != 0
        && n > plan->reader.max_media)
    {
        n = plan->reader.max_media;
    }

    return n > api->many;
}


static int
art_limit_drop(art_message_plan_t *plan, uint32_t i)
{
    art_message_edit_t  *edit;

    edit = &plan->edits[i];

    if (edit->becomes == ART_BECOMES_ITSELF
        && art_plan_media_words(plan, art_scan_slot(plan->scan, i),
                                ART_REASON_SIZE, &edit->fallback)
           != ART_OK)
    {
        return ART_ERROR;
    }

    art_plan_describe(edit, edit->fallback);
    edit->dropped = 1;

    return ART_OK;
}


/* The client's own media stay if the reader is not known. */

static int
art_limit_large(art_message_plan_t *plan, uint32_t i, uint32_t *n)
{
    art_message_edit_t        *edit;
    const art_message_slot_t  *slot;

    edit = &plan->edits[i];
    slot = art_scan_slot(plan->scan, i);

    if (!(art_limit_kind(plan, i) & ART_KIND_BIT(ART_KIND_IMAGE))) {
        return ART_OK;
    }

    if (edit->large.len == 0) {

        /* what is rendered is not too large, whatever it was made of */

        if (edit->format != NULL || !plan->reader.known
            || !art_plan_is_large(plan, ART_KIND_IMAGE, slot->width,
                                  slot->height))
        {
            return ART_OK;
        }

        if (art_plan_media_words(plan, slot, ART_REASON_PIXELS, &edit->large)
            != ART_OK)
        {
            return ART_ERROR;
        }
    }

    art_plan_describe(edit, edit->large);
    edit->reason = ART_REASON_PIXELS;
    *n += 1;

    return ART_OK;
}
